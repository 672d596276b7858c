package corpus

import (
	"os"
	"strings"
	"testing"
)

// TestFigure is the figure of every platform. WHYDROP_CORPUS=all prints every exception.
func TestFigure(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Skip("no captures beside the checkout")
	}
	var out strings.Builder
	err = Figure(&out, root, os.Getenv("WHYDROP_CORPUS") != "", os.Getenv("WHYDROP_CORPUS_ONLY"))
	t.Log(out.String())
	if err != nil {
		t.Error(err)
	}
}
