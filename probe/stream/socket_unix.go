//go:build unix

package stream

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func (s Socket) set(fd uintptr) error {
	f := int(fd)
	if s.Buffer > 0 {
		if err := unix.SetsockoptInt(f, unix.SOL_SOCKET, unix.SO_SNDBUF, s.Buffer); err != nil {
			return fmt.Errorf("send buffer of %d bytes: %w", s.Buffer, err)
		}
		if err := unix.SetsockoptInt(f, unix.SOL_SOCKET, unix.SO_RCVBUF, s.Buffer); err != nil {
			return fmt.Errorf("receive buffer of %d bytes: %w", s.Buffer, err)
		}
	}
	if s.MSS > 0 {
		if err := unix.SetsockoptInt(f, unix.IPPROTO_TCP, unix.TCP_MAXSEG, s.MSS); err != nil {
			return fmt.Errorf("segment size of %d bytes: %w", s.MSS, err)
		}
	}
	return s.setSystem(f)
}

func inspect(fd uintptr) Actual {
	get := func(level, opt int) int {
		v, err := unix.GetsockoptInt(int(fd), level, opt)
		if err != nil {
			return 0
		}
		return v
	}
	return Actual{
		SendBuffer: get(unix.SOL_SOCKET, unix.SO_SNDBUF), RecvBuffer: get(unix.SOL_SOCKET, unix.SO_RCVBUF),
		MSS: get(unix.IPPROTO_TCP, unix.TCP_MAXSEG), Congestion: congestion(int(fd)),
	}
}
