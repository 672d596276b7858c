//go:build !linux

package sim

import "net"

// delayAcks does nothing where the system has no such option.
func delayAcks(*net.TCPConn) {}
