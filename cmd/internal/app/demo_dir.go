package app

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A demo's recording lies in a temporary folder of its own, since the user was told of it and may replay it. Only that of
// the newest demo is kept: each demo clears away those before it.

// demoDirAge is how long nothing was written to a folder before it is cleared away: a demo that still runs writes every
// second.
const demoDirAge = 10 * time.Minute

// demoDirPrefix begins the names of this user's folders; other users' are left alone.
func demoDirPrefix() string { return fmt.Sprintf("whydrop-demo-%d-", os.Getuid()) }

// newDemoDir makes the folder for a demo's recordings and clears away those of earlier ones.
func newDemoDir() (string, error) {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), demoDirPrefix()+"*")) // the pattern is well formed
	for _, dir := range old {
		if time.Since(lastWrite(dir)) > demoDirAge {
			os.RemoveAll(dir) // what can't be removed stays
		}
	}
	dir, err := os.MkdirTemp("", demoDirPrefix())
	if err != nil {
		return "", Exit{ExitUsage, fmt.Errorf("the demo's recording: %w; TMPDIR names another folder", err)}
	}
	return dir, nil
}

// lastWrite returns when something was last written to a folder or the files in it. What is no folder counts as new.
func lastWrite(dir string) time.Time {
	fi, err := os.Lstat(dir)
	if err != nil || !fi.IsDir() {
		return time.Now()
	}
	last := fi.ModTime()
	files, _ := os.ReadDir(dir) // of what can't be read, the folder's own time counts
	for _, f := range files {
		if fi, err := f.Info(); err == nil && fi.ModTime().After(last) {
			last = fi.ModTime()
		}
	}
	return last
}
