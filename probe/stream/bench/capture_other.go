//go:build !linux

package main

import "errors"

// capture is not there on this system.
type capture struct{}

func (*space) openCapture(int) (*capture, error) { return nil, errors.ErrUnsupported }

func (*capture) close()               {}
func (*capture) good(float64) float64 { return 0 }
