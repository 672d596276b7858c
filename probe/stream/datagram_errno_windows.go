package stream

import (
	"errors"

	"golang.org/x/sys/windows"
)

func tooLong(err error) bool { return errors.Is(err, windows.WSAEMSGSIZE) }
func refused(err error) bool { return errors.Is(err, windows.WSAECONNRESET) }
