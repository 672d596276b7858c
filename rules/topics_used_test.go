package rules

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A topic that nothing asks for is dead; one that is asked for and does not exist is refused when a rule is loaded.
func TestEveryTopicIsAskedFor(t *testing.T) {
	var all strings.Builder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "words.yaml" || filepath.Base(path) == "sightings.yaml" || strings.Contains(path, "testdata") {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range topics {
		if !regexp.MustCompile(`['"]` + name + `['"]|says: ` + name + `\n`).MatchString(all.String()) {
			t.Errorf("nothing asks for the topic %s", name)
		}
	}
}
