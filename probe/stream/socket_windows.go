package stream

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

func (s Socket) set(fd uintptr) error {
	h := windows.Handle(fd)
	if s.Buffer > 0 {
		if err := windows.SetsockoptInt(h, windows.SOL_SOCKET, windows.SO_SNDBUF, s.Buffer); err != nil {
			return fmt.Errorf("send buffer of %d bytes: %w", s.Buffer, err)
		}
		if err := windows.SetsockoptInt(h, windows.SOL_SOCKET, windows.SO_RCVBUF, s.Buffer); err != nil {
			return fmt.Errorf("receive buffer of %d bytes: %w", s.Buffer, err)
		}
	}
	switch {
	case s.MSS > 0:
		return errors.New("the segment size cannot be chosen on Windows")
	case s.Congestion != "":
		return errors.New("congestion control cannot be chosen on Windows")
	}
	return nil
}

func inspect(fd uintptr) Actual {
	get := func(opt int) int {
		v, err := windows.GetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, opt)
		if err != nil {
			return 0
		}
		return v
	}
	return Actual{SendBuffer: get(windows.SO_SNDBUF), RecvBuffer: get(windows.SO_RCVBUF)}
}
