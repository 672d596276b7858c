package guess_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whydrop/devices/internal/corpus"
	"whydrop/devices/parse"
	"whydrop/devices/parse/guess"
)

// TestOurCaptures guesses the platform of every capture that the parsers are tested with. Of some it can't be told.
func TestOurCaptures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "*", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	right, all := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := filepath.Base(filepath.Dir(file))
		if name := filepath.Base(file); strings.Contains(name, "clock") || strings.Contains(name, "time.") {
			continue // a time is anybody's
		}
		all++
		got, others := guess.Platform(string(text))
		if strings.TrimSuffix(got, "xe") == strings.TrimSuffix(want, "xe") {
			right++
		} else {
			t.Logf("%s: guessed %q, or %q", file, got, others)
		}
	}
	if right*100 < 95*all {
		t.Errorf("%d of %d are right, want 95 %%", right, all)
	}
}

// TestCorpus does the same with other projects' captures.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("reads hundreds of captures")
	}
	root, err := corpus.Root()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no captures beside the checkout")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := corpus.GuessFigure(t.Output(), root, true); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNoCapture(t *testing.T) {
	for _, text := range []string{"", "\n", "Dear all,\nplease find the figures attached.\n", strings.Repeat("x", 1<<20)} {
		if got, others := guess.Platform(text); got != "" {
			t.Errorf("%.40q is %q, or %q", text, got, others)
		}
	}
}

func FuzzPlatform(f *testing.F) {
	f.Add("GigabitEthernet0/1 is up, line protocol is up\n")
	f.Add("RP/0/RSP0/CPU0:r1#show interfaces\n")
	f.Add("eth0: <UP> mtu 1500\nlink/ether 00:11:22:33:44:55\n")
	f.Fuzz(func(t *testing.T, text string) {
		name, others := guess.Platform(text)
		if name == "" && len(others) > 0 || name != "" && parse.Parsers[name] == nil {
			t.Fatalf("platform %q, others %q", name, others)
		}
	})
}
