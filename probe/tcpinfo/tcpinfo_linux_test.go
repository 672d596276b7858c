package tcpinfo

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestDecode(t *testing.T) {
	full := unix.TCPInfo{
		Rtt: 25_000, Rttvar: 500, Min_rtt: 20_000, Rto: 204_000, Backoff: 3, Retransmits: 4, Total_retrans: 17,
		Snd_mss: 1448, Snd_cwnd: 10, Snd_ssthresh: infiniteSSThresh, Snd_wnd: 65_536, Bytes_acked: 1 << 33,
		Delivery_rate: 1_250_000, Pacing_rate: ^uint64(0), Busy_time: 1_000_000, Rwnd_limited: 250_000,
		Total_rto: 5, Total_rto_time: 1400, Unacked: 2,
	}
	size := uintptr(unix.SizeofTCPInfo)
	tests := []struct {
		name  string
		n     uintptr
		check func(i Info) bool
	}{
		{"a new kernel gives everything", size, func(i Info) bool {
			return i.RTT == some(25*time.Millisecond) && i.MinRTT == some(20*time.Millisecond) && i.RTO == some(204*time.Millisecond) &&
				i.Cwnd == some(uint64(14480)) && i.SendWindow == some(uint64(65536)) && i.DeliveryRate == some(1e7) &&
				i.RwndLimited == some(250*time.Millisecond) && i.Timeouts == some(uint64(5)) && i.TimeoutTime == some(1400*time.Millisecond) &&
				i.Backoff == some(3) && i.TimeoutsInARow == some(4) && i.Retransmitted == some(uint64(17)) && i.BytesAcked == some(uint64(1<<33))
		}},
		{"an unlimited pacing rate and an infinite threshold are not given", size, func(i Info) bool { return !i.PacingRate.OK && !i.SSThresh.OK }},
		{"Linux 5.4 has the window but no time-outs", unsafe.Offsetof(full.Snd_wnd) + 4, func(i Info) bool {
			return i.SendWindow.OK && !i.RecvWindow.OK && !i.Timeouts.OK && i.Busy.OK
		}},
		{"Linux 4.10 has busy times but no window", unsafe.Offsetof(full.Sndbuf_limited) + 8, func(i Info) bool {
			return i.Busy.OK && i.RwndLimited.OK && !i.SendWindow.OK && !i.BytesSent.OK
		}},
		{"Linux 2.6 has no acknowledged bytes", unsafe.Offsetof(full.Pacing_rate), func(i Info) bool {
			return i.RTT.OK && i.Retransmitted.OK && !i.BytesAcked.OK && !i.MinRTT.OK && !i.NotSent.OK
		}},
		{"a field cut in its middle is not given", unsafe.Offsetof(full.Bytes_acked) + 4, func(i Info) bool { return !i.BytesAcked.OK && i.RTT.OK }},
		{"nothing returned gives nothing", 0, func(i Info) bool { return i == Info{} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if i := decode(&full, tt.n); !tt.check(i) {
				t.Errorf("decode(%d bytes) = %+v", tt.n, i)
			}
		})
	}
}

func TestGet(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := make(chan int64, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			got <- -1
			return
		}
		defer c.Close()
		n, _ := io.Copy(io.Discard, c)
		got <- n
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	before, err := Get(c)
	if err != nil {
		t.Fatal(err)
	}
	const n = 1 << 20
	if _, err := c.Write(make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if r := <-got; r != n {
		t.Fatalf("received %d of %d", r, n)
	}
	after, err := Get(c)
	if err != nil {
		t.Fatal(err)
	}
	// The FIN may count as one more byte, as the SYN did.
	if d := after.BytesAcked.Value - before.BytesAcked.Value; !after.BytesAcked.OK || d < n || d > n+1 {
		t.Errorf("acknowledged %d bytes of %d", d, n)
	}
	if !after.RTT.OK || after.RTT.Value <= 0 || after.RTT.Value > 10*time.Second {
		t.Errorf("RTT %v", after.RTT)
	}
	if w, known := after.Outstanding(); w || !known {
		t.Errorf("Outstanding() = %v, %v after everything was read", w, known)
	}
}

func TestGetNeedsADescriptor(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if _, err := Get(a); !errors.Is(err, ErrUnsupported) {
		t.Errorf("Get(pipe) = %v, want ErrUnsupported", err)
	}
}
