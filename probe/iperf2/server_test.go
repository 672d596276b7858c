package iperf2

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"whydrop/probe/peertest"
)

func loopback(port uint16) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// raw opens a connection to a far end and sends these bytes.
func raw(t *testing.T, network string, port uint16, b []byte) net.Conn {
	t.Helper()
	conn, err := net.Dial(network, loopback(port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if len(b) > 0 {
		_, _ = conn.Write(b)
	}
	return conn
}

// closedWithin says whether the far end closes a connection in time; what it sends is returned.
func closedWithin(t *testing.T, conn net.Conn, d time.Duration) []byte {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(d))
	b, err := io.ReadAll(conn)
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		t.Errorf("still open after %v", d)
	}
	return b
}

func TestHostileTCPClients(t *testing.T) {
	header := func(f func(h *clientHeader)) []byte {
		h := clientHeader{threads: 1, port: 5001, amount: -10}
		f(&h)
		return h.append(nil, 0)
	}
	tests := []struct {
		name string
		send []byte
		most int // bytes that it may get back
	}{
		{"silence", nil, 0},
		{"two bytes", []byte{0x40, 0x01}, 0},
		{"half a header", header(func(*clientHeader) {})[:30], 0},
		{"a header of 255 bytes that does not come", wire(t, "400101fe 00000001"), 0},
		{"an extension of 4 GiB", wire(t, "40000000 00000001 00001389 00020000 00000000 fffffc18 00000001 ffffffff"), ackSize},
		{"a header and silence", header(func(*clientHeader) {}), ackSize},
		{"bounceback", wire(t, strings.Replace(tcp218, "40010078", "40810078", 1)), 0},
		{"HTTP", []byte("GET / HTTP/1.1\r\n\r\n"), 0},
		{"-d back to a system port", append(header(func(h *clientHeader) { h.flags, h.port = flagVersion1|flagRunNow, 22 }), 1), ackSize},
		{"-d back to a port that is none", append(header(func(h *clientHeader) { h.flags, h.port = flagVersion1|flagRunNow, 1<<30 }), 1), ackSize},
		{"-R of a negative length and a time of 248 days", header(func(h *clientHeader) {
			h.flags, h.upper, h.length, h.amount = flagVersion2, upperReverse, -5, -1<<31
		}), 1 << 30},
	}
	port, l := serve(t, ServerConfig{headerWait: 300 * time.Millisecond, idle: 400 * time.Millisecond, MaxTime: 500 * time.Millisecond})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := closedWithin(t, raw(t, "tcp", port, tt.send), 8*time.Second)
			if len(got) > tt.most {
				t.Errorf("%d bytes came back, want %d at most", len(got), tt.most)
			}
		})
	}
	t.Cleanup(func() {
		if !l.told("bounceback") || !l.told("refused to connect back to port 22") {
			t.Errorf("not told: %q", l.notices)
		}
	})
}

func TestAThousandSilentConnectionsDoNotKeepAClientOut(t *testing.T) {
	port, _ := serve(t, ServerConfig{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 1000 {
		conn, err := net.Dial("tcp", loopback(port))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapInuse+after.StackInuse) - int64(before.HeapInuse+before.StackInuse); grown > 20<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
	began := time.Now()
	res, err := Run(t.Context(), Test{Host: "127.0.0.1", Port: port, Time: 100 * time.Millisecond}, Handler{})
	if err != nil || res.Bytes() == 0 || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %v: %d bytes", err, time.Since(began), res.Bytes())
	}
}

func TestAServerHoldsItsLimits(t *testing.T) {
	t.Run("rate of what is read", func(t *testing.T) {
		t.Parallel()
		port, l := serve(t, ServerConfig{MaxRate: 80e6})
		if _, err := Run(t.Context(), Test{Host: "127.0.0.1", Port: port, Time: time.Second, Streams: 2, Window: 64 << 10}, Handler{}); err != nil {
			t.Fatal(err)
		}
		peertest.Await(t, "two streams", func() bool { return len(l.finals()) == 2 })
		f := sum(l.finals())
		if r := f.BitsPerSecond(); r > 90e6 || r < 60e6 {
			t.Errorf("%.1f Mbit/s together, want 80", r/1e6)
		}
	})
	t.Run("rate of what is sent", func(t *testing.T) {
		t.Parallel()
		port, _ := serve(t, ServerConfig{MaxRate: 80e6})
		res, err := Run(t.Context(), Test{Host: "127.0.0.1", Port: port, Time: time.Second, Streams: 4, Mode: Reverse}, Handler{})
		if err != nil {
			t.Fatal(err)
		}
		if r := sum(res.Received).BitsPerSecond(); r > 88e6 || r < 50e6 {
			t.Errorf("%.1f Mbit/s together, want 80", r/1e6)
		}
	})
	t.Run("time of what is sent, and the client says so", func(t *testing.T) {
		t.Parallel()
		port, _ := serve(t, ServerConfig{MaxTime: 300 * time.Millisecond})
		res, err := Run(t.Context(), Test{Host: "127.0.0.1", Port: port, Time: 2 * time.Second, Rate: 10e6, Mode: Reverse}, Handler{})
		if err != nil {
			t.Fatal(err)
		}
		if p := res.Received[0].Problem; !strings.HasPrefix(p, "the far end stopped after 0.") || !strings.HasSuffix(p, " of 2.0 s") {
			t.Errorf("problem %q", p)
		}
	})
	t.Run("streams", func(t *testing.T) {
		t.Parallel()
		port, l := serve(t, ServerConfig{MaxStreams: 2})
		res, err := Run(t.Context(), Test{Host: "127.0.0.1", Port: port, Time: 300 * time.Millisecond, Rate: 10e6, Streams: 3}, Handler{})
		if err != nil {
			t.Fatal(err)
		}
		broken := 0
		for _, f := range res.Sent {
			if f.Problem != "" {
				broken++
			}
		}
		if broken != 1 || !l.told("as many as one client may have") {
			t.Errorf("%d of 3 streams broken, told %q", broken, l.notices)
		}
	})
	t.Run("numbers of a liar", func(t *testing.T) {
		p := peers{maxStreams: 16, maxRate: 1e9}
		c, err := p.enter(netip.MustParseAddr("192.0.2.1"))
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for range 40 {
			total += p.allot(c, 0, 1) // each says that it is alone
		}
		if total > 1e9 {
			t.Errorf("%v bit/s allotted of 1e9", total)
		}
		if got := (&peers{maxStreams: 16, maxRate: 1e9}).allot(&peer{}, 0, 1<<32-1); got < 1e9/16-1 {
			t.Errorf("%v bit/s for one of 4 thousand million threads", got)
		}
	})
}

func TestHostileUDP(t *testing.T) {
	t.Parallel()
	port, l := serve(t, ServerConfig{idle: 400 * time.Millisecond})
	first := append(wire(t, udp218), make([]byte, 224)...)
	number := func(n int64) []byte {
		b := append([]byte(nil), first...)
		putNumber(b, n, time.Now(), true)
		return b
	}
	for _, b := range [][]byte{{}, first[:1], first[:11], number(-5), number(-1 << 63), make([]byte, 1470)[:12]} {
		conn := raw(t, "udp", port, nil)
		_, _ = conn.Write(b)
		_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		if n, err := conn.Read(make([]byte, 2048)); err == nil {
			t.Errorf("%d bytes in answer to %x", n, b[:min(len(b), 20)])
		}
	}
	conn := raw(t, "udp", port, number(1))
	for _, n := range []int64{1 << 62, 2, 1<<63 - 1, 3} {
		_, _ = conn.Write(number(n))
	}
	for n := 12; n < 100; n += 7 {
		_, _ = conn.Write(number(4)[:n])
	}
	peertest.Await(t, "a silent stream ends", func() bool {
		for _, f := range l.finals() {
			if f.Stream.Remote == addrPort(conn.LocalAddr()) {
				return f.Total == 4 && strings.Contains(f.Problem, "the last datagram did not come")
			}
		}
		return false
	})
}
