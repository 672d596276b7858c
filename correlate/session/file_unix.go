//go:build unix

package session

import (
	"os"
	"syscall"
)

// openRecording opens our own file for reading and writing. It follows no symbolic link and creates nothing.
func openRecording(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
}

// syncDir makes a rename in the directory durable, where the file system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
