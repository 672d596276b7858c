package iperf2

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"whydrop/probe/peertest"
)

func TestOwnToOwn(t *testing.T) {
	t.Parallel()
	port, l := serve(t, ServerConfig{Interval: 100 * time.Millisecond})
	for _, m := range []Mode{Forward, Reverse, Tradeoff, Dual} {
		for _, udp := range []bool{false, true} {
			l.with(func() { l.figures = nil })
			res, err := Run(t.Context(), Test{
				Host: "127.0.0.1", Port: port, Mode: m, UDP: udp, Rate: 20e6, Time: 200 * time.Millisecond, Streams: 2, Interval: 50 * time.Millisecond,
			}, Handler{})
			if err != nil {
				t.Errorf("mode %d, UDP %v: %v", m, udp, err)
				continue
			}
			want := len(res.Sent) + len(res.Received)
			peertest.Await(t, "the server's figures", func() bool { return len(l.finals()) >= want })
			theirs := map[uint16]Figures{}
			for _, f := range l.finals() {
				theirs[f.Stream.Local.Port()^f.Stream.Remote.Port()] = f
			}
			for _, f := range append(res.Sent, res.Received...) {
				o := theirs[f.Stream.Local.Port()^f.Stream.Remote.Port()]
				late := strings.Contains(f.Problem+o.Problem, "this host could not keep the rate")
				if late {
					t.Logf("mode %d, UDP %v: %s%s", m, udp, f.Problem, o.Problem)
				}
				if o.Bytes != f.Bytes || f.Bytes == 0 || !late && f.Problem+o.Problem != "" {
					t.Errorf("mode %d, UDP %v: %d bytes here, %d there; %q %q", m, udp, f.Bytes, o.Bytes, f.Problem, o.Problem)
				}
				if udp && (o.Datagrams != f.Datagrams || o.Lost+f.Lost != 0) {
					t.Errorf("mode %d: %d datagrams here, %d there, %d lost", m, f.Datagrams, o.Datagrams, o.Lost+f.Lost)
				}
				if r := f.BitsPerSecond(); r > 40e6 {
					t.Errorf("mode %d, UDP %v: %.1f Mbit/s, want 20 at most", m, udp, r/1e6)
				}
			}
		}
	}
}

// far is a far end that does one thing with each connection.
func far(t *testing.T, do func(net.Conn)) uint16 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); do(conn) }()
		}
	}()
	return addrPort(l.Addr()).Port()
}

func TestFarEndsThatMisbehave(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	tests := []struct {
		name    string
		do      func(net.Conn)
		test    Test
		within  time.Duration
		problem string // of the stream, or the error
	}{
		{"takes all and never closes", func(c net.Conn) { _, _ = io.Copy(io.Discard, c); <-hold }, Test{Rate: 10e6}, closeWait + 2*time.Second, ""},
		{"never reads", func(net.Conn) { <-hold }, Test{}, closeWait + 2*time.Second, ""},
		{"resets", func(c net.Conn) {
			_, _ = io.CopyN(io.Discard, c, 100_000)
			_ = c.(*net.TCPConn).SetLinger(0)
		}, Test{Rate: 10e6, Time: 5 * time.Second}, 2 * time.Second, "the far end broke the connection after"},
		{"closes instead of sending", func(net.Conn) {}, Test{Mode: Reverse, Time: 5 * time.Second}, 2 * time.Second, "the far end"},
		{"stops sending early", func(c net.Conn) { _, _ = c.Write(make([]byte, 1000)); _, _ = io.CopyN(io.Discard, c, fullSize) },
			Test{Mode: Reverse, Time: 5 * time.Second}, 2 * time.Second, "the far end stopped after 0.0 of 5.0 s"},
		{"answers the header with noise", func(c net.Conn) { _, _ = c.Write(make([]byte, 1<<20)); _, _ = io.Copy(io.Discard, c) }, Test{Rate: 10e6}, closeWait + 2*time.Second, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.test.Host, tt.test.Port = "127.0.0.1", far(t, tt.do)
			if tt.test.Time == 0 {
				tt.test.Time = 300 * time.Millisecond
			}
			began := time.Now()
			res, err := Run(t.Context(), tt.test, Handler{})
			if took := time.Since(began); took > tt.within+5*time.Second { // a busy host
				t.Errorf("took %v, want %v at most", took, tt.within)
			}
			said := ""
			if err != nil {
				said = err.Error()
			}
			for _, f := range append(res.Sent, res.Received...) {
				if !strings.Contains(f.Problem, "this host could not keep the rate") {
					said += f.Problem
				}
			}
			if !strings.Contains(said, tt.problem) || tt.problem == "" && said != "" {
				t.Errorf("said %q, want %q", said, tt.problem)
			}
		})
	}
}

func TestAClientAgainstNothing(t *testing.T) {
	t.Parallel()
	port := peertest.Port(t, "127.0.0.1")
	for _, test := range []Test{{}, {UDP: true, Rate: 10e6}, {UDP: true, Mode: Reverse}, {UDP: true, Mode: Dual, Rate: 10e6}} {
		test.Host, test.Port, test.Time = "127.0.0.1", port, 5*time.Second
		began := time.Now()
		_, err := Run(t.Context(), test, Handler{})
		if err == nil || time.Since(began) > 9*time.Second {
			t.Errorf("%+v: %v after %v", test, err, time.Since(began))
		}
		if test.UDP && !errors.Is(err, errRefused) && !strings.Contains(err.Error(), errRefused.Error()) {
			t.Errorf("%v, want %v", err, errRefused)
		}
	}
}

// TestAUDPReceiverThatLies answers the last datagram with reports that contradict themselves.
func TestAUDPReceiverThatLies(t *testing.T) {
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		b := make([]byte, 2048)
		for {
			n, from, err := c.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			if d, ok := parseDatagram(b[:n]); ok && d.number < 0 {
				_, _ = c.WriteToUDPAddrPort([]byte("not a report"), from)
				_, _ = c.WriteToUDPAddrPort(wire(t, strings.Replace(report218, "00000000 00000000 00000057 00000000 00000016", "ffffffff ffffffff 00000057 ffffffff ffffffff", 1)), from)
			}
		}
	}()
	res, err := Run(t.Context(), Test{Host: "127.0.0.1", Port: addrPort(c.LocalAddr()).Port(), UDP: true, Rate: 1e6, Time: 100 * time.Millisecond}, Handler{})
	if err != nil {
		t.Fatal(err)
	}
	r := res.Sent[0].Report
	if r == nil || r.LossRatio() < 0 || r.LossRatio() > 1 || r.Lost > r.Total || r.OutOfOrder > r.Total || r.Jitter < 0 {
		t.Errorf("report %+v", r)
	}
}

func TestAnInterruptedClientReturnsWhatItHas(t *testing.T) {
	t.Parallel()
	port, l := serve(t, ServerConfig{})
	for _, udp := range []bool{false, true} {
		for _, m := range []Mode{Forward, Reverse, Dual} {
			ctx, cancel := context.WithCancel(t.Context())
			began := time.Now()
			test := Test{Host: "127.0.0.1", Port: port, UDP: udp, Mode: m, Rate: 10e6, Time: time.Minute, Interval: 50 * time.Millisecond}
			res, err := Run(ctx, test, Handler{Figures: func(f Figures) {
				if f.Bytes > 0 {
					cancel()
				}
			}})
			cancel()
			if err != nil || res.Bytes() == 0 || time.Since(began) > 20*time.Second {
				t.Errorf("UDP %v, mode %d: %v, %d bytes after %v", udp, m, err, res.Bytes(), time.Since(began))
			}
		}
	}
	_ = l
}

func TestCheckNamesTheMistake(t *testing.T) {
	tests := []struct {
		test Test
		want string
	}{
		{Test{}, "no host"},
		{Test{Host: "x", Streams: 1000}, "1000 streams"},
		{Test{Host: "x", Time: time.Second, Bytes: 1}, "exclude each other"},
		{Test{Host: "x", PacketRate: 1}, "for UDP"},
		{Test{Host: "x", UDP: true, Length: 70000}, "70000 bytes"},
		{Test{Host: "x", UDP: true, Length: 10}, "10 bytes"},
		{Test{Host: "x", UDP: true, MSS: 1000}, "for TCP"},
		{Test{Host: "x", Interval: time.Millisecond}, "at least 10 ms"},
		{Test{Host: "x", TTL: 300}, "hop limit 300"},
	}
	for _, tt := range tests {
		if err := tt.test.Check(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.test, err, tt.want)
		}
	}
}
