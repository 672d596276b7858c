//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package iperf3

import "errors"

func (m marks) set(string, uintptr) error {
	if m.device != "" || m.tos != 0 || m.dontFragment || m.reuse {
		return errors.New("sockets cannot be marked on this system")
	}
	return nil
}
