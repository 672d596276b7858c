//go:build !windows

package sock

import (
	"errors"
	"net"
	"syscall"
)

// Refused says whether the far end's host answered that nobody listens.
func Refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// Stale says whether a socket is of no use any more: its own address is gone.
func Stale(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
}

// Reported says whether an error is somebody's answer to an earlier datagram: the socket gives it once and is fine.
func Reported(err error) bool {
	return Refused(err) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EPROTO) || errors.Is(err, syscall.EACCES)
}
