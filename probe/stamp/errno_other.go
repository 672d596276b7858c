//go:build !windows

package stamp

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
