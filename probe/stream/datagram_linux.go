package stream

import (
	"context"
	"net"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Nap waits for d or until ctx ends; a signal may cut it short. The runtime's timers are late by up to a millisecond, which at 1 Gbit/s is 90
// full frames: short waits are the kernel's, late by 0.05 ms.
func Nap(ctx context.Context, d time.Duration) {
	const late = time.Millisecond
	if d > 2*late {
		_ = sleep(ctx, d-late)
		return
	}
	doze(d)
}

// doze waits for d by the kernel's timer alone. A signal cuts it short, so who must be exact asks the time.
func doze(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil)
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

// punctual lets the naps of the calling goroutine be late by as little as the kernel can, until the function
// returned is called: the default is 50 us more (PR_SET_TIMERSLACK, prctl(2)), and a thread's own.
func punctual() (done func()) {
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return func() {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // 0: the default again
		runtime.UnlockOSThread()
	}
}

// mmsg is struct mmsghdr of sendmmsg(2) and recvmmsg(2).
type mmsg struct {
	hdr unix.Msghdr
	n   uint32
}

// multiple calls sendmmsg or recvmmsg on a socket and returns how many messages went.
func multiple(trap, fd uintptr, msgs []mmsg, flags int) (int, error) {
	for {
		n, _, no := unix.Syscall6(trap, fd, uintptr(unsafe.Pointer(&msgs[0])), uintptr(len(msgs)), uintptr(flags), 0, 0)
		switch no {
		case 0:
			return int(n), nil
		case unix.EINTR:
			continue
		}
		return 0, no
	}
}
