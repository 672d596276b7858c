//go:build !linux

package sim

import "net"

// ackNow and delayAcks do nothing where the system has no such option.
func ackNow(*net.TCPConn)    {}
func delayAcks(*net.TCPConn) {}
