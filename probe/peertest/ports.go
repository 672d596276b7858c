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
	stride    = 4 // so many in a row are free
)

var given atomic.Uint32

// Port returns a port of host, an IP address, that is free for TCP and for UDP, and the three after it are too. They are
// given to nobody else in this process; other processes begin at other ports.
func Port(t testing.TB, host string) uint16 {
	t.Helper()
	start := uint32(os.Getpid()) * 2654435761 // spread by Knuth's constant: neighbours in number are none in ports
	var last error
	for range 1000 {
		port := firstPort + (start/8+given.Add(1))*stride%ports
		if last = free(host, port); last == nil {
			return uint16(port)
		}
	}
	t.Fatalf("no port of %s is free: %v", host, last)
	return 0
}

// free says what is in the way of a port of host and those after it; nil if nothing is.
func free(host string, port uint32) error {
	for n := range uint32(stride) {
		address := net.JoinHostPort(host, strconv.Itoa(int(port+n)))
		l, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		l.Close()
		u, err := net.ListenPacket("udp", address)
		if err != nil {
			return err
		}
		u.Close()
	}
	return nil
}

// On calls open with the addresses of free ports of host until it does not fail: another process may take a port as soon
// as it is known to be free.
func On[T any](t testing.TB, host string, open func(address string) (T, error)) T {
	t.Helper()
	var last error
	for range 10 {
		v, err := open(net.JoinHostPort(host, strconv.Itoa(int(Port(t, host)))))
		if err == nil {
			return v
		}
		last = err
	}
	t.Fatal(last)
	panic("not reached")
}
