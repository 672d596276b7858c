package icmp

import (
	"errors"
	"net"
	"syscall"
)

// isStale says whether the socket is of no use any more: its own address is gone.
func isStale(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EINVAL) || errors.Is(err, net.ErrClosed)
}
