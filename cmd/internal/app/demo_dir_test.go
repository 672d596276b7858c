package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestADemoClearsAwayTheFoldersOfEarlierOnes(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR")) // Windows
	old := time.Now().Add(-2 * demoDirAge)
	made := func(name string, written time.Time) string {
		dir := filepath.Join(os.TempDir(), name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "x.whydrop")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{file, dir} {
			if err := os.Chtimes(f, written, written); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	ended, running, foreign := made(demoDirPrefix()+"1", old), made(demoDirPrefix()+"2", time.Now()), made("whydrop-demo-other", old)
	dir, err := newDemoDir()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{ended: false, running: true, foreign: true, dir: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(path), err == nil, want)
		}
	}
}

func TestDemoWithoutRoomNamesItsOwnRemedy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Demo(t.Context(), "healthy", DemoOptions{Quick: true, Dir: filepath.Join(file, "x")}); CodeOf(err) != ExitUsage || !strings.Contains(err.Error(), "TMPDIR names another place") {
		t.Errorf("%v, exit code %d", err, CodeOf(err))
	}
}
