package stream

import (
	"context"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// nap waits for d or until ctx ends. The runtime's timers are late by up to a millisecond, which at 1 Gbit/s is 90
// full frames: short waits are the kernel's, late by 0.05 ms.
func nap(ctx context.Context, d time.Duration) {
	const late = time.Millisecond
	if d > 2*late {
		_ = sleep(ctx, d-late)
		return
	}
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil) // cut short by a signal: the caller asks the time
}

// GrowReceiveBuffer gives a UDP socket a receive buffer of n bytes, or as much of that as the system allows, and
// returns what it has then, as the system counts (Linux doubles what was asked for); 0 is not known. The
// administrator's limit holds for others than the administrator.
func GrowReceiveBuffer(conn net.PacketConn, n int) (granted int) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		s := int(fd)
		if unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, n) != nil {
			_ = unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_RCVBUF, n)
		}
		granted, _ = unix.GetsockoptInt(s, unix.SOL_SOCKET, unix.SO_RCVBUF)
	})
	return granted
}

// fastDatagrams is not there yet.
type fastDatagrams struct{}

func newFastDatagrams(net.PacketConn) *fastDatagrams { return nil }

func (*fastDatagrams) read(func(Burst)) error  { return net.ErrClosed }
func (*fastDatagrams) dropped() (uint64, bool) { return 0, false }
func (*fastDatagrams) path() string            { return "" }

func newBatchWriter(net.Conn, *DatagramSender) batchWriter { return nil }

func punctual() (done func()) { return func() {} }
