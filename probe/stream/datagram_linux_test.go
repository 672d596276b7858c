package stream

import (
	"context"
	"net"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestWhatHadComeIsReadAtTheEnd(t *testing.T) {
	client, server := udpPair(t)
	r := NewDatagramReader(server) // the kernel takes the time soon; what comes before has that of its reading
	until(t, "the kernel takes the time", func() (exact bool) {
		_, _ = client.Write([]byte("x"))
		until(t, "it has come", func() bool { return waiting(t, server) > 0 })
		before := time.Now() // a time that the kernel took on arrival, and not for want of one at the reading, is earlier
		_ = server.SetReadDeadline(before.Add(time.Second))
		_ = r.Read(func(b Burst) { exact = b.Exact && b.At.Before(before) })
		return exact
	})
	s := DatagramSender{Length: 1000, Fill: testFill, Budget: NewBudget(50_000), Count: new(DatagramCount)}
	if err := s.Run(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	// A busy kernel hands them on a little later, and what comes after the end does not count.
	until(t, "all 50 datagrams have come", func() bool { return waiting(t, server) >= 50_000 })
	rec := &Reception{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (&DatagramReceiver{Parse: testParse, Count: rec}).Run(ctx, server); err != nil {
		t.Fatal(err)
	}
	if n := rec.Counts().Datagrams; n != 50 {
		t.Errorf("%d of 50 datagrams that had come are read", n)
	}
}

// waiting returns how many bytes of memory what waits in a socket takes, which is more than its payload (SK_MEMINFO_RMEM_ALLOC
// of linux/sock_diag.h).
func waiting(t *testing.T, conn *net.UDPConn) uint32 {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var info [9]uint32
	size := uint32(unsafe.Sizeof(info))
	err = raw.Control(func(fd uintptr) {
		_, _, no := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_MEMINFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
		if no != 0 {
			t.Fatal(no)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return info[0]
}
