package iperf3

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/windows"
)

// Options of ws2ipdef.h.
const (
	ipTOS          = 3
	ipDontFragment = 14
)

func (m marks) set(network string, fd uintptr) error {
	h := windows.Handle(fd)
	if m.reuse {
		if err := windows.SetsockoptInt(h, windows.SOL_SOCKET, windows.SO_REUSEADDR, 1); err != nil {
			return fmt.Errorf("share the port: %w", err)
		}
	}
	six := strings.HasSuffix(network, "6")
	switch {
	case m.device != "":
		return errors.New("binding to an interface is not supported on this system")
	case m.tos != 0 && six:
		return errors.New("the traffic class cannot be set on this system")
	case m.dontFragment && six: // IPv6 routers never fragment
		return nil
	}
	if m.tos != 0 {
		if err := windows.SetsockoptInt(h, windows.IPPROTO_IP, ipTOS, m.tos); err != nil {
			return fmt.Errorf("type of service: %w", err)
		}
	}
	if m.dontFragment {
		if err := windows.SetsockoptInt(h, windows.IPPROTO_IP, ipDontFragment, 1); err != nil {
			return fmt.Errorf("don't fragment: %w", err)
		}
	}
	return nil
}
