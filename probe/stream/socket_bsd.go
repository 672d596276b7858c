//go:build unix && !linux

package stream

import "errors"

func (s Socket) setSystem(int) error {
	if s.Congestion != "" {
		return errors.New("congestion control cannot be chosen on this system")
	}
	return nil
}

func congestion(int) string { return "" }
