package stream

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func (s Socket) setSystem(fd int) error {
	if s.Congestion != "" {
		if err := unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, s.Congestion); err != nil {
			return fmt.Errorf("congestion control %q: %w", s.Congestion, err)
		}
	}
	if s.Unsent > 0 {
		return unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, s.Unsent)
	}
	return nil
}

func congestion(fd int) string {
	name, err := unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	if err != nil {
		return ""
	}
	return name
}
