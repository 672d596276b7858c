package iperf3

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/probe/stream"
	"whydrop/probe/tcpinfo"
)

// TestMatrixOurOwn is the matrix between two ends of ours, and what is more than iperf3's.
func TestMatrixOurOwn(t *testing.T) {
	t.Parallel()
	address := serve(t, ServerConfig{MaxTests: 16, Log: func(string) {}})
	tests := map[string]Test{
		"forward":                       {UDP: true},
		"reverse":                       {UDP: true, Reverse: true},
		"both ways":                     {UDP: true, Bidirectional: true, Streams: 2},
		"eight streams":                 {UDP: true, Streams: 8, Rate: 2e6},
		"numbers of 64 bits":            {UDP: true, Counters64: true, Bidirectional: true},
		"bursts of ten":                 {UDP: true, Burst: 10},
		"no fragments, marked, bound":   {UDP: true, DontFragment: true, TOS: 0x88, LocalAddress: netip.MustParseAddr("127.0.0.1"), Reverse: true},
		"a hundred datagrams":           {UDP: true, Bytes: 99_500},
		"a hundred datagrams, reverse":  {UDP: true, Bytes: 100_000, Reverse: true},
		"the beginning omitted":         {UDP: true, Omit: time.Second, Bidirectional: true},
		"the beginning omitted of TCP":  {Omit: time.Second, Bidirectional: true},
		"amount after what is omitted":  {UDP: true, Omit: time.Second, Bytes: 100_000},
		"TCP both ways":                 {Bidirectional: true, Streams: 2, TOS: 0x88},
		"TCP in bursts":                 {Burst: 5},
		"TCP with every byte compared":  {Bidirectional: true, Verify: true},
		"TCP and the server's own word": {ServerOutput: true},
	}
	var all sync.WaitGroup
	defer all.Wait()
	places := make(chan struct{}, 6)
	for name, test := range tests {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			t.Run(name, func(t *testing.T) {
				test.Address, test.Length = address, 1000
				if test.Rate == 0 {
					test.Rate = 10e6
				}
				if test.Bytes == 0 {
					test.Time = 700 * time.Millisecond
				}
				ourOwn(t, test)
			})
		})
	}
}

func ourOwn(t *testing.T, test Test) {
	var counted, omitted uint64
	lost := map[bool]uint64{}
	h := Handler{Interval: func(i Interval) {
		for _, s := range i.Streams {
			switch {
			case !s.Sends:
			case i.Omitted:
				omitted += s.Bytes
			default:
				counted += s.Bytes
			}
			if s.Datagrams != nil {
				lost[s.Sends] += s.Datagrams.Lost
			}
		}
	}}
	r, err := Run(t.Context(), test, 50*time.Millisecond, h)
	if err != nil {
		t.Fatal(err)
	}
	if r.Far == nil {
		t.Fatalf("no result of the far end: %v", r.FarProblem)
	}
	c := cell{udp: test.UDP, streams: max(test.Streams, 1)}
	for _, d := range r.Directions() {
		switch {
		case test.Omit > 0: // each end begins to count by its own clock
			a, b := d.Sent.Bytes(), d.Received.Bytes()
			if a == 0 || b == 0 || test.Bytes > 0 && a != test.Bytes || d.Sent.Streams[0].Seconds > 5 || d.Received.Streams[0].Seconds > 5 {
				t.Errorf("%d bytes sent, %d received, in %v and %v s", a, b, d.Sent.Streams[0].Seconds, d.Received.Streams[0].Seconds)
			}
		case test.Bytes == 0:
			checkDirection(t, c, d)
		default:
			if l, ok := d.TotalLoss(); !ok || l.Sent != 100 || l.Received+l.Lost != 100 || d.Sent.Bytes() != 100_000 {
				t.Errorf("%+v, %d bytes", l, d.Sent.Bytes())
			}
		}
		for _, s := range d.Received.Streams {
			if s.Damaged.OK {
				t.Errorf("stream %d: %d bytes damaged", s.ID, s.Damaged.Value)
			}
		}
	}
	if !test.Reverse && counted != r.Local.of(true).Bytes() || lost[true] > 0 || (omitted > 0) != (test.Omit > 0 && !test.Reverse) {
		t.Errorf("intervals hold %d bytes and %d omitted, the total is %d", counted, omitted, r.Local.of(true).Bytes())
	}
	if test.Omit > 0 && test.Bytes == 0 && (r.Duration < 600*time.Millisecond || r.Duration > 1600*time.Millisecond) {
		t.Errorf("it counted for %v", r.Duration)
	}
	if test.ServerOutput != strings.Contains(r.Far.OutputText, "receiver") {
		t.Errorf("the server's output: %q", r.Far.OutputText)
	}
}

// control leads a session by hand to where its streams say hello, and returns the control connection.
func control4(t *testing.T, address, params string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(conn, "%s\x00", newCookie())
	if s, err := readState(conn); s != paramExchange {
		t.Fatalf("%v, %v", s, err)
	}
	_, _ = conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(params))), params...))
	if s, err := readState(conn); s != createStreams {
		t.Fatalf("%v, %v", s, err)
	}
	return conn
}

func udpFrom(t *testing.T, local, to string) *net.UDPConn {
	t.Helper()
	c, err := (&net.Dialer{LocalAddr: &net.UDPAddr{IP: net.ParseIP(local)}}).Dial("udp", to)
	if err != nil {
		t.Skip(err) // a system without all of 127.0.0.0/8
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.UDPConn)
}

// heard returns how many bytes come within d.
func heard(c *net.UDPConn, d time.Duration) (n int) {
	b := make([]byte, 1<<16)
	_ = c.SetReadDeadline(time.Now().Add(d))
	for {
		k, err := c.Read(b)
		if err != nil {
			return n
		}
		n += k
	}
}

// TestNoReflection: the far end sends nothing to who has no control connection, whatever a client with one asks for,
// and no more than was said before a test runs.
func TestNoReflection(t *testing.T) {
	t.Parallel()
	address := serve(t, ServerConfig{})
	third := udpFrom(t, "127.0.0.2", address)
	_, _ = third.Write([]byte(helloText))
	if n := heard(third, 200*time.Millisecond); n > 0 {
		t.Errorf("%d bytes to a stranger before any test", n)
	}
	ctl := control4(t, address, `{"udp":true,"time":1,"parallel":1,"reverse":true,"len":1000,"bandwidth":10000000}`)
	for range 3 {
		_, _ = third.Write([]byte(helloText))
		_, _ = third.Write([]byte("more than a hello, and longer than an answer to one"))
	}
	if n := heard(third, 300*time.Millisecond); n > 0 {
		t.Errorf("%d bytes to a third party", n)
	}
	peer := udpFrom(t, "127.0.0.1", address)
	_, _ = peer.Write([]byte("GET / HTTP/1.1\r\n"))
	if n := heard(peer, 200*time.Millisecond); n > 0 {
		t.Errorf("%d bytes in answer to what is no hello", n)
	}
	_, _ = peer.Write([]byte(helloText))
	b := make([]byte, 2000)
	_ = peer.SetReadDeadline(time.Now().Add(5 * time.Second))
	if n, err := peer.Read(b); err != nil || string(b[:n]) != helloReply {
		t.Fatalf("the answer to the hello: %q, %v", b[:n], err)
	}
	if s, err := readState(ctl); s != testStart {
		t.Fatalf("%v, %v", s, err)
	}
	if n := heard(peer, 500*time.Millisecond); n < 10_000 {
		t.Errorf("%d bytes to the client that asked", n)
	}
	if n := heard(third, 50*time.Millisecond); n > 0 {
		t.Errorf("%d bytes to a third party in the test", n)
	}
}

// TestHelloIsAnsweredAgain: an answer may be lost. Hellos said twice are one stream.
func TestHelloIsAnsweredAgain(t *testing.T) {
	t.Parallel()
	address := serve(t, ServerConfig{})
	ctl := control4(t, address, `{"udp":true,"time":1,"parallel":2,"len":1000}`)
	a, b := udpFrom(t, "127.0.0.1", address), udpFrom(t, "127.0.0.1", address)
	for range 3 {
		_, _ = a.Write([]byte(helloText))
	}
	_ = a.SetReadDeadline(time.Now().Add(5 * time.Second))
	buf := make([]byte, 100)
	for i := range 2 { // the socket that the third went to may not have been there yet
		if n, err := a.Read(buf); i == 0 && (err != nil || string(buf[:n]) != helloReply) {
			t.Fatalf("answer %d: %q, %v", i, buf[:n], err)
		}
		_, _ = a.Write([]byte(helloText))
	}
	_ = ctl.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
	if s, err := readState(ctl); err == nil {
		t.Errorf("%v after one stream of two", s)
	}
	_, _ = b.Write([]byte(helloReply)) // as a big-endian host says it
	_ = b.SetReadDeadline(time.Now().Add(5 * time.Second))
	if n, err := b.Read(buf); err != nil || string(buf[:n]) != helloText {
		t.Errorf("the answer to a big-endian host: %q, %v", buf[:n], err)
	}
	_ = ctl.SetReadDeadline(time.Now().Add(5 * time.Second))
	if s, err := readState(ctl); s != testStart {
		t.Errorf("%v, %v", s, err)
	}
}

// TestHostileUDPClients lets a client misbehave where UDP gives it room. Each session ends in time, and a good client
// gets its test meanwhile or after.
func TestHostileUDPClients(t *testing.T) {
	t.Parallel()
	const good = `{"udp":true,"time":1,"parallel":1,"len":1000,"bandwidth":1000000}`
	datagram := func(number uint32) []byte {
		b := make([]byte, 1000)
		fill(false)(b, uint64(number), time.Now())
		return b
	}
	tests := map[string]func(t *testing.T, address string){
		"no hello": func(t *testing.T, address string) { control4(t, address, good) },
		"one hello of eight": func(t *testing.T, address string) {
			control4(t, address, `{"udp":true,"time":1,"parallel":8,"len":1000}`)
			_, _ = udpFrom(t, "127.0.0.1", address).Write([]byte(helloText))
		},
		"nine hellos for one stream": func(t *testing.T, address string) {
			control4(t, address, good)
			for range 9 {
				_, _ = udpFrom(t, "127.0.0.1", address).Write([]byte(helloText))
			}
		},
		"gone after the hello": func(t *testing.T, address string) {
			ctl := control4(t, address, good)
			u := udpFrom(t, "127.0.0.1", address)
			_, _ = u.Write([]byte(helloText))
			heard(u, 100*time.Millisecond)
			u.Close()
			ctl.Close()
		},
		"gone in reverse": func(t *testing.T, address string) {
			ctl := control4(t, address, strings.Replace(good, `"len"`, `"reverse":true,"len"`, 1))
			u := udpFrom(t, "127.0.0.1", address)
			_, _ = u.Write([]byte(helloText))
			heard(u, 300*time.Millisecond)
			u.Close()
			time.Sleep(100 * time.Millisecond)
			ctl.Close()
		},
		"numbers from nowhere": func(t *testing.T, address string) {
			ctl := control4(t, address, good)
			u := udpFrom(t, "127.0.0.1", address)
			_, _ = u.Write([]byte(helloText))
			heard(u, 100*time.Millisecond)
			for _, n := range []uint32{1, 1 << 31, 1<<32 - 1, 0, 5, 5, 4} {
				_, _ = u.Write(datagram(n))
			}
			_, _ = u.Write(nil)
			_, _ = u.Write(bytes.Repeat([]byte{0xff}, 1000))
			_, _ = u.Write([]byte(helloText))
			_, _ = ctl.Write([]byte{byte(testEnd)})
			results := `{"streams":[{"id":1,"bytes":7000,"packets":-7,"errors":1e300,"jitter":-inf}]}`
			time.Sleep(300 * time.Millisecond)
			_, _ = ctl.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(results))), results...))
			_, _ = ctl.Write([]byte{byte(iperfDone)})
			text, _ := io.ReadAll(ctl)
			if !bytes.Contains(text, []byte(`"jitter"`)) || bytes.Contains(text, []byte("-0")) {
				t.Errorf("no result, or one below nothing: %q", text)
			}
		},
		"a thousand hellos of a stranger": func(t *testing.T, address string) {
			u := udpFrom(t, "127.0.0.3", address)
			for range 1000 {
				_, _ = u.Write([]byte(helloText))
			}
			if n := heard(u, 200*time.Millisecond); n > 0 {
				t.Errorf("%d bytes in answer", n)
			}
		},
		"more than is allowed": func(t *testing.T, address string) {
			ctl := control4(t, address, strings.Replace(good, `"bandwidth":1000000`, `"bandwidth":0`, 1))
			u := udpFrom(t, "127.0.0.1", address)
			_, _ = u.Write([]byte(helloText))
			heard(u, 100*time.Millisecond)
			ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
			defer cancel()
			go func() {
				_ = (&stream.DatagramSender{Rate: 60e6, Length: 1000, First: 1, Fill: fill(false), Count: &stream.DatagramCount{}}).Run(ctx, u)
			}()
			text, _ := io.ReadAll(ctl)
			if !bytes.HasSuffix(text, []byte{byte(serverTerminate)}) || ctx.Err() != nil {
				t.Errorf("a sender above the limit was left alone: %q", text)
			}
		},
	}
	for name, act := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, ServerConfig{MaxRate: 20e6, silence: time.Second, idle: 3 * time.Second, Log: func(string) {}})
			act(t, address)
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
			defer cancel()
			r, err := Run(ctx, Test{Address: address, UDP: true, Time: 100 * time.Millisecond, Rate: 1e6, Length: 1000}, time.Second, Handler{})
			if err != nil || r.Far == nil {
				t.Errorf("a good client after it: %v, %v", err, r.FarProblem)
			}
		})
	}
}

// udpServer is a far end by hand: it leads a client to the hellos and calls act for its UDP socket, then says that the
// test runs, and after the client's end gives the results.
func udpServer(t *testing.T, act func(u *net.UDPConn), after time.Duration, results string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(l.Addr().(*net.TCPAddr).AddrPort()))
	if err != nil {
		t.Skip(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		_, _ = io.CopyN(io.Discard, conn, cookieSize)
		_, _ = conn.Write([]byte{byte(paramExchange)})
		_, _ = readText(conn, maxParams)
		_, _ = conn.Write([]byte{byte(createStreams)})
		act(u)
		_, _ = conn.Write([]byte{byte(testStart), byte(testRunning)})
		if after > 0 {
			time.Sleep(after)
			return
		}
		if s, err := readState(conn); s != testEnd {
			t.Logf("%v, %v", s, err)
			return
		}
		_, _ = conn.Write([]byte{byte(exchangeResults)})
		_, _ = readText(conn, maxResults)
		_, _ = conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(results))), results...))
		_, _ = conn.Write([]byte{byte(displayResults)})
		_, _ = readState(conn)
	}()
	t.Cleanup(func() { l.Close(); u.Close(); <-done })
	return l.Addr().String()
}

// TestOurUDPClient lets far ends by hand lose, reorder and lie.
func TestOurUDPClient(t *testing.T) {
	t.Parallel()
	hello := func(u *net.UDPConn) *net.UDPAddr {
		b := make([]byte, 2000)
		_, from, _ := u.ReadFromUDP(b)
		return from
	}
	answer := func(u *net.UDPConn) { _, _ = u.WriteToUDP([]byte(helloReply), hello(u)) }
	send := func(u *net.UDPConn, to *net.UDPAddr, numbers ...uint64) {
		for _, n := range numbers {
			b := make([]byte, 1000)
			fill(false)(b, n, time.Now())
			_, _ = u.WriteToUDP(b, to)
		}
	}
	tests := []struct {
		name    string
		test    Test
		act     func(u *net.UDPConn)
		after   time.Duration // if not 0, the control connection ends then
		results string
		want    Loss
		known   bool
		problem string
	}{
		{"the first hello is lost", Test{Bytes: 10_000}, func(u *net.UDPConn) { hello(u); answer(u) }, 0,
			`{"streams":[{"id":1,"bytes":10000,"packets":10,"errors":0,"jitter":1e-5}]}`, Loss{Sent: 10, Received: 10}, true, ""},
		{"what is lost at the end leaves no gap", Test{Bytes: 10_000}, answer, 0,
			`{"streams":[{"id":1,"bytes":7000,"packets":7,"errors":0,"jitter":1e-5}]}`, Loss{Sent: 10, Received: 7, Lost: 3}, true, ""},
		{"duplicates do not hide a loss", Test{Bytes: 10_000}, answer, 0,
			`{"streams":[{"id":1,"bytes":10000,"packets":10,"errors":2,"jitter":1e-5}]}`, Loss{Sent: 10, Received: 8, Lost: 2}, true, ""},
		{"a negative loss is none", Test{Bytes: 10_000}, answer, 0,
			`{"streams":[{"id":1,"bytes":10000,"packets":10,"errors":-1919,"jitter":-nan}]}`, Loss{Sent: 10, Received: 10}, true, ""},
		{"a loss beyond what was sent is none", Test{Bytes: 10_000}, answer, 0,
			`{"streams":[{"id":1,"bytes":10000,"packets":4294967295,"errors":4294967285}]}`, Loss{Sent: 10, Received: 10}, true, ""},
		{"nothing arrived", Test{Bytes: 10_000}, answer, 0,
			`{"streams":[{"id":1,"bytes":0,"packets":0,"errors":0,"jitter":0}]}`, Loss{Sent: 10, Lost: 10}, true, ""},
		{"the control connection ends", Test{Time: 2 * time.Second}, answer, 300 * time.Millisecond, "", Loss{}, false, "control connection"},
		{"data comes instead of the answer, behind it and twice", Test{Time: 300 * time.Millisecond, Reverse: true},
			func(u *net.UDPConn) {
				to := hello(u)
				send(u, to, 1, 2, 4, 4, 3, 7)
				_, _ = u.WriteToUDP([]byte(helloReply), to)
			}, 0, `{"streams":[{"id":1,"bytes":8000,"packets":8}]}`,
			Loss{Sent: 8, Received: 5, Lost: 3, OutOfOrder: some(1), Duplicates: some(1)}, true, ""},
		{"the control connection ends in reverse", Test{Time: 2 * time.Second, Reverse: true},
			func(u *net.UDPConn) {
				to := hello(u)
				_, _ = u.WriteToUDP([]byte(helloReply), to)
				send(u, to, 1, 2, 4)
			}, 300 * time.Millisecond, "", Loss{Sent: 4, Received: 3, Lost: 1, OutOfOrder: some(0), Duplicates: some(0)}, true, "control connection"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			test := tt.test
			test.Address, test.UDP, test.Length, test.Rate = udpServer(t, tt.act, tt.after, tt.results), true, 1000, 1e6
			r, err := Run(t.Context(), test, time.Second, Handler{})
			if err != nil {
				t.Fatal(err)
			}
			if (r.FarProblem == nil) != (tt.problem == "") || r.FarProblem != nil && !strings.Contains(r.FarProblem.Error(), tt.problem) {
				t.Errorf("problem %v, want %q", r.FarProblem, tt.problem)
			}
			got, known := r.Directions()[0].TotalLoss()
			got.Jitter, got.HostDropped = tcpinfo.Opt[time.Duration]{}, tcpinfo.Opt[uint64]{}
			if got != tt.want || known != tt.known {
				t.Errorf("got %+v, %v, want %+v, %v", got, known, tt.want, tt.known)
			}
			if r.Local.Bytes() == 0 {
				t.Error("the own count is lost")
			}
		})
	}
}

func TestNobodyAnswersTheHello(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	a, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	c, err := net.Dial("udp", a.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(past) })
	defer stop()
	if _, err := sayHello(ctx, c, stateWait); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	n := 0
	_ = a.SetReadDeadline(time.Now().Add(time.Millisecond))
	for b := make([]byte, 10); ; n++ {
		if _, err := a.Read(b); err != nil {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d hellos in 1.5 s, want 2", n)
	}
}

// TestUDPFarEndsThatDoNotAnswer: a test ends in time and says why.
func TestUDPFarEndsThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	flood := func(u *net.UDPConn) {
		b := make([]byte, 2000)
		_, from, _ := u.ReadFromUDP(b)
		for range 100 {
			_, _ = u.WriteToUDP(b[:rand.IntN(4)], from)
		}
	}
	for name, tt := range map[string]struct {
		act  func(u *net.UDPConn)
		wait time.Duration
		want string
	}{
		"silence":                             {func(u *net.UDPConn) {}, 1500 * time.Millisecond, "no answer on UDP in 1.5s"},
		"nothing but what is too short":       {flood, 1500 * time.Millisecond, "no answer on UDP in 1.5s"},
		"nobody listens":                      {func(u *net.UDPConn) { u.Close() }, 1500 * time.Millisecond, "refused"},
		"no UDP at a server that serves none": {nil, 0, "refuses the test: \"UDP is not served here\""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test := Test{UDP: true, Time: time.Second, Rate: 1e6, Length: 1000, ConnectTimeout: tt.wait}
			switch {
			case tt.act != nil:
				test.Address = udpServer(t, tt.act, 0, "")
			default:
				test.Address = serve(t, ServerConfig{NoUDP: true})
			}
			began := time.Now()
			_, err := Run(t.Context(), test, time.Second, Handler{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
			if d := time.Since(began); d > 12*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
}

func TestResultsOfDatagramsSurviveTheWire(t *testing.T) {
	s := StreamResult{ID: 1, Bytes: 8000, Retransmits: -1, Seconds: 1.5, Packets: 8, OmittedPackets: 5, Lost: some(2), OutOfOrder: some(1), Duplicates: some(3), HostDropped: some(1),
		Jitter: tcpinfo.Opt[time.Duration]{Value: 15 * time.Microsecond, OK: true}}
	b, err := json.Marshal(Results{Streams: []StreamResult{s}}.encode())
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseResults(b, []peerStream{{receives: true, length: 1000, omit: true}})
	if err != nil || got.Streams[0] != s {
		t.Errorf("got %+v, %v, want %+v", got.Streams, err, s)
	}
	// iperf 3.12 counts what is omitted, and does not say how much that was.
	old := `{"streams":[{"id":1,"bytes":8000,"jitter":1.4e-05,"errors":3,"packets":18,"start_time":0,"end_time":1}]}`
	got, err = parseResults([]byte(old), []peerStream{{receives: true, length: 1000, omit: true}})
	if err != nil || got.Streams[0].Lost.OK || got.Streams[0].Packets != 8 {
		t.Errorf("got %+v, %v, want no loss told of", got.Streams, err)
	}
}
