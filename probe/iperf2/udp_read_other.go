//go:build !linux

package iperf2

import "net"

func newSource(conn *net.UDPConn) source { return newPlainSource(conn) }
