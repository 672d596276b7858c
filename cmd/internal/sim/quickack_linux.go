package sim

import (
	"net"

	"golang.org/x/sys/unix"
)

// ackNow sends the acknowledgement that the system holds back, if it does (tcp(7), TCP_QUICKACK).
func ackNow(c *net.TCPConn) { setQuickAck(c, 1) }

// delayAcks lets the system hold acknowledgements back until the program reads (tcp(7), TCP_QUICKACK); the system
// goes back to its own mind by itself, so it is told again and again.
func delayAcks(c *net.TCPConn) { setQuickAck(c, 0) }

func setQuickAck(c *net.TCPConn, on int) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, on) })
}
