package http

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isOwn says whether it is this host or the path that an error is about, not the far end.
func isOwn(err error) bool {
	for _, no := range []windows.Errno{windows.WSAEHOSTUNREACH, windows.WSAENETUNREACH, windows.WSAENETDOWN, windows.WSAEADDRNOTAVAIL, windows.WSAEMFILE,
		windows.WSAENOBUFS, windows.WSAEACCES, windows.WSAETIMEDOUT} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}
