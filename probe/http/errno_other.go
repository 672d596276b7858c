//go:build !windows

package http

import (
	"errors"
	"syscall"
)

// isOwn says whether it is this host or the path that an error is about, not the far end.
func isOwn(err error) bool {
	for _, no := range []syscall.Errno{syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EADDRNOTAVAIL, syscall.EMFILE, syscall.ENFILE,
		syscall.ENOBUFS, syscall.EACCES, syscall.EPERM, syscall.ETIMEDOUT} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}
