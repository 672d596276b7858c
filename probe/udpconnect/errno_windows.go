package udpconnect

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isRefused says whether the far host refused: Windows calls it a reset on UDP.
func isRefused(err error) bool {
	return errors.Is(err, windows.WSAECONNREFUSED) || errors.Is(err, windows.WSAECONNRESET)
}
