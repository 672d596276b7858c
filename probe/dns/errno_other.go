//go:build !windows

package dns

import (
	"errors"
	"net"
	"syscall"
)

// isRefused says whether the far end's host answered that nobody listens.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// isStale says whether the socket is of no use any more: its own address is gone.
func isStale(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
}

// isReport says whether an error is somebody's answer to an earlier datagram: the socket gives it once and is fine.
func isReport(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EPROTO) || errors.Is(err, syscall.EACCES)
}
