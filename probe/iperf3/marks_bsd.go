//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package iperf3

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

func (m marks) set(network string, fd uintptr) error {
	s := int(fd)
	if m.reuse {
		for _, opt := range []int{unix.SO_REUSEADDR, unix.SO_REUSEPORT} {
			if err := unix.SetsockoptInt(s, unix.SOL_SOCKET, opt, 1); err != nil {
				return fmt.Errorf("share the port: %w", err)
			}
		}
	}
	if m.device != "" {
		return errors.New("binding to an interface is not supported on this system")
	}
	if m.tos != 0 {
		level, opt := unix.IPPROTO_IP, unix.IP_TOS
		if strings.HasSuffix(network, "6") {
			level, opt = unix.IPPROTO_IPV6, unix.IPV6_TCLASS
		}
		if err := unix.SetsockoptInt(s, level, opt, m.tos); err != nil {
			return fmt.Errorf("type of service: %w", err)
		}
	}
	if m.dontFragment {
		return errors.New("forbidding fragments is not supported on this system")
	}
	return nil
}
