//go:build !windows

package connectrate

import (
	"errors"
	"syscall"
)

func isRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET)
}

// isRejected says whether it was somebody on the way who said no. What this host's own routes and filters say looks
// the same for an unreachable network.
func isRejected(err error) bool {
	return errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EACCES) ||
		errors.Is(err, syscall.EPROTO) || errors.Is(err, syscall.ENOPROTOOPT)
}
