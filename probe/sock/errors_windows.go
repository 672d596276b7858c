package sock

import (
	"errors"
	"net"

	"golang.org/x/sys/windows"
)

// Refused says whether the far end's host answered that nobody listens. Of UDP, Windows calls it a reset.
func Refused(err error) bool {
	return errors.Is(err, windows.WSAECONNREFUSED) || errors.Is(err, windows.WSAECONNRESET)
}

// Stale says whether a socket is of no use any more: its own address is gone.
func Stale(err error) bool {
	return errors.Is(err, windows.WSAEADDRNOTAVAIL) || errors.Is(err, windows.WSAEINVAL) || errors.Is(err, windows.WSAENOTSOCK) || errors.Is(err, net.ErrClosed)
}

// Reported says whether an error is somebody's answer to an earlier datagram: the socket gives it once and is fine.
func Reported(err error) bool { return Refused(err) }
