//go:build !unix && !windows

package stream

import "errors"

func (s Socket) set(uintptr) error {
	if s.Buffer > 0 || s.MSS > 0 || s.Congestion != "" {
		return errors.New("sockets cannot be set up on this system")
	}
	return nil
}

func inspect(uintptr) Actual { return Actual{} }
