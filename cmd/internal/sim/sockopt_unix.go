//go:build unix

package sim

import "syscall"

// tcpMaxSeg is TCP_MAXSEG, the same number on every Unix that Go knows.
const tcpMaxSeg = 2

// smallBuffers returns a Control function that gives a TCP socket small buffers and the segment size of an
// Ethernet: on loopback, buffers of megabytes and segments of 64 kB would hide a stall for seconds.
func smallBuffers(bytes int) func(network, address string, c syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		var err error
		cerr := c.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, bytes)
			if err == nil {
				err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, max(bytes, 32<<10))
			}
			// Not every system lets it be set before the connection is there; then segments are long.
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpMaxSeg, segmentSize+12)
		})
		if cerr != nil {
			return cerr
		}
		return err
	}
}
