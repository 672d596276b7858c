//go:build !unix

package session

import (
	"fmt"
	"os"
)

// openRecording opens our own file for reading and writing. It refuses a symbolic link and creates nothing.
func openRecording(path string) (*os.File, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return os.OpenFile(path, os.O_RDWR, 0)
}

// syncDir does nothing: here a rename needs no directory to be synced.
func syncDir(string) {}
