//go:build !linux

package stream

import "net"

func newFastWriter(net.Conn) bulkWriter { return nil }

func newFastReader(net.Conn) bulkReader { return nil }
