// Package peertest starts the real peers of tests: free ports for them, a stock iperf3, and probers that run beside a test.
package peertest

import (
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
)

// The ports lie below those that systems give away by themselves (Linux 32768 and up, RFC 6335 49152 and up): none of
// them is taken by a passing connection between the moment it is found and the moment its peer listens.
const (
	firstPort = 12000
	ports     = 20000
)

var given atomic.Uint32

// Port returns a port of host, an IP address, that is free for TCP and for UDP. It is given to nobody else in this
// process; other processes begin at other ports.
func Port(t testing.TB, host string) uint16 {
	t.Helper()
	start := uint32(os.Getpid()) * 2654435761 // spread by Knuth's constant: neighbours in number are none in ports
	var last error
	for range 1000 {
		port := uint16(firstPort + (start/8+given.Add(1))%ports)
		address := net.JoinHostPort(host, strconv.Itoa(int(port)))
		l, err := net.Listen("tcp", address)
		if err != nil {
			last = err
			continue
		}
		u, err := net.ListenPacket("udp", address)
		l.Close()
		if err != nil {
			last = err
			continue
		}
		u.Close()
		return port
	}
	t.Fatalf("no port of %s is free: %v", host, last)
	return 0
}
