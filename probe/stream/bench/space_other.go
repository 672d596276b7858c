//go:build !linux

package main

import "errors"

// space is not there on this system: everything runs on loopback.
type space struct{}

func openSpace() (*space, error) { return nil, nil }

func (*space) close()                  {}
func (*space) loopback() place         { return place{name: "loopback", address: "127.0.0.1"} }
func (*space) veth() place             { return place{} }
func (*space) segmentation(bool) error { return errors.ErrUnsupported }
