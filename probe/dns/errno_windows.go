package dns

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isRefused says whether the far end's host answered that nobody listens. Windows reports it as a reset.
func isRefused(err error) bool {
	return errors.Is(err, windows.WSAECONNREFUSED) || errors.Is(err, windows.WSAECONNRESET)
}

// isStale says whether the socket is of no use any more: its own address is gone.
func isStale(err error) bool {
	return errors.Is(err, windows.WSAEADDRNOTAVAIL) || errors.Is(err, windows.WSAEINVAL) || errors.Is(err, windows.WSAENOTSOCK)
}

// isReport says whether an error is somebody's answer to an earlier datagram: the socket gives it once and is fine.
func isReport(err error) bool { return isRefused(err) }
