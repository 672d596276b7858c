//go:build !windows

package iperf2

import (
	"errors"
	"syscall"
)

// refused says whether an error is an ICMP message that nothing listens on a port.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// tooLong says whether a datagram is longer than can be sent.
func tooLong(err error) bool { return errors.Is(err, syscall.EMSGSIZE) }
