package iperf3

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

func (m marks) set(network string, fd uintptr) error {
	s := int(fd)
	six := strings.HasSuffix(network, "6")
	set := func(what string, level, opt, v int) error {
		if err := unix.SetsockoptInt(s, level, opt, v); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
	if m.reuse {
		if err := set("share the port", unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
			return err
		}
	}
	if m.device != "" {
		if err := unix.BindToDevice(s, m.device); err != nil {
			return fmt.Errorf("bind to interface %q: %w", m.device, err)
		}
	}
	if m.tos != 0 {
		level, opt := unix.IPPROTO_IP, unix.IP_TOS
		if six {
			level, opt = unix.IPPROTO_IPV6, unix.IPV6_TCLASS
		}
		if err := set("type of service", level, opt, m.tos); err != nil {
			return err
		}
	}
	if m.dontFragment {
		level, opt := unix.IPPROTO_IP, unix.IP_MTU_DISCOVER
		if six {
			level, opt = unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER
		}
		return set("don't fragment", level, opt, unix.IP_PMTUDISC_DO)
	}
	return nil
}
