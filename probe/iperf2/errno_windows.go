package iperf2

import (
	"errors"

	"golang.org/x/sys/windows"
)

// refused says whether an error is an ICMP message that nothing listens on a port.
func refused(err error) bool {
	return errors.Is(err, windows.WSAECONNRESET) || errors.Is(err, windows.WSAECONNREFUSED)
}

// tooLong says whether a datagram is longer than can be sent.
func tooLong(err error) bool { return errors.Is(err, windows.WSAEMSGSIZE) }
