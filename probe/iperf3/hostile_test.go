package iperf3

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// rawClient speaks the protocol by hand.
type rawClient struct {
	t    *testing.T
	p    *pipeNet
	conn net.Conn
	name string
}

func (p *pipeNet) raw(t *testing.T) *rawClient {
	conn, err := p.dial(t.Context(), "tcp", "")
	if err != nil {
		t.Fatal(err)
	}
	return &rawClient{t: t, p: p, conn: conn, name: newCookie()}
}

func (c *rawClient) cookie() *rawClient { return c.bytes(c.name + "\x00") }

func (c *rawClient) bytes(s string) *rawClient {
	_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = io.WriteString(c.conn, s)
	return c
}

func (c *rawClient) text(s string) *rawClient {
	return c.bytes(string(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) + s)
}

// until reads until the state comes, or the end.
func (c *rawClient) until(want state) *rawClient {
	_ = c.conn.SetReadDeadline(time.Now().Add(time.Second))
	for {
		if s, err := readState(c.conn); err != nil || s == want {
			return c
		}
	}
}

func (c *rawClient) stream() net.Conn {
	conn, err := c.p.dial(c.t.Context(), "tcp", "")
	if err != nil {
		c.t.Fatal(err)
	}
	_, _ = io.WriteString(conn, c.name+"\x00")
	return conn
}

// TestHostileClients lets a client misbehave in each state and asks that a good one gets its test soon. Time is
// virtual.
func TestHostileClients(t *testing.T) {
	t.Parallel()
	const good = `{"tcp":true,"time":1,"parallel":1,"len":1000}`
	tests := []struct {
		name   string
		reason string // in what the server says; "": a connection that says nothing or what is ours to say is not worth a line
		act    func(c *rawClient)
	}{
		{"silence", "", func(*rawClient) {}},
		{"half a cookie", "", func(c *rawClient) { c.bytes("abc") }},
		{"a byte a second", "", func(c *rawClient) {
			for range 60 {
				c.bytes("a")
				time.Sleep(time.Second)
			}
		}},
		{"silence after the cookie", "i/o timeout", func(c *rawClient) { c.cookie() }},
		{"gone after the cookie", "EOF|closed pipe", func(c *rawClient) { c.cookie(); c.conn.Close() }},
		{"parameters of 4 GiB", "longer than allowed", func(c *rawClient) { c.cookie().until(paramExchange).bytes("\xff\xff\xff\xff{") }},
		{"parameters of 8193 bytes", "longer than allowed", func(c *rawClient) { c.cookie().until(paramExchange).bytes("\x00\x00\x20\x01{") }},
		{"half of the parameters", "1 came", func(c *rawClient) { c.cookie().until(paramExchange).bytes("\x00\x00\x01\x00{") }},
		{"parameters that are none", "not the JSON", func(c *rawClient) { c.cookie().until(paramExchange).text("GET / HTTP/1.1") }},
		{"parameters of wrong types", "not the JSON", func(c *rawClient) { c.cookie().until(paramExchange).text(`{"time":{"a":1},"parallel":"x"}`) }},
		{"parameters that are not numbers", "allowed without the token", func(c *rawClient) { c.cookie().until(paramExchange).text(`{"time":nan,"bandwidth":inf}`) }},
		{"no proof after the challenge", "wait for PROOF", func(c *rawClient) {
			c.cookie().until(paramExchange).text(`{"time":1,"whydrop":{"version":1,"auth":true,"nonce":"x"}}`).until(stateHello)
		}},
		{"no streams", "0 of 1 streams came", func(c *rawClient) { c.cookie().until(paramExchange).text(good).until(createStreams) }},
		{"one stream of four", "1 of 4 streams came", func(c *rawClient) {
			c.cookie().until(paramExchange).text(`{"time":1,"parallel":4}`).until(createStreams)
			c.stream()
		}},
		{"five streams of one", "", func(c *rawClient) {
			c.cookie().until(paramExchange).text(good).until(createStreams)
			for range 5 {
				c.stream()
			}
		}},
		{"no data", "did not begin", func(c *rawClient) {
			c.cookie().until(paramExchange).text(good).until(createStreams)
			c.stream()
			c.until(testRunning)
		}},
		{"the wrong state in a test", "in the middle of a test", func(c *rawClient) {
			c.cookie().until(paramExchange).text(good).until(createStreams)
			c.stream()
			c.until(testRunning).bytes("\x0e")
		}},
		{"no results", "results", func(c *rawClient) {
			c.cookie().until(paramExchange).text(good).until(createStreams)
			c.stream()
			c.until(testRunning).bytes("\x04").until(exchangeResults)
		}},
		{"results of 4 GiB", "longer than allowed", func(c *rawClient) {
			c.cookie().until(paramExchange).text(good).until(createStreams)
			c.stream()
			c.until(testRunning).bytes("\x04").until(exchangeResults).bytes("\xff\xff\xff\xff")
		}},
		{"results of 2 MiB", "longer than allowed", func(c *rawClient) {
			c.cookie().until(paramExchange).text(good).until(createStreams)
			c.stream()
			c.until(testRunning).bytes("\x04").until(exchangeResults).bytes("\x00\x20\x00\x00" + strings.Repeat(" ", 2<<20))
		}},
		{"results without streams", "stream 1 is missing", func(c *rawClient) {
			c.cookie().until(paramExchange).text(good).until(createStreams)
			c.stream()
			c.until(testRunning).bytes("\x04").until(exchangeResults).text(`{"streams":[]}`)
		}},
		{"never done", "", func(c *rawClient) {
			c.cookie().until(paramExchange).text(good).until(createStreams)
			c.stream()
			c.until(testRunning).bytes("\x04").until(exchangeResults).text(`{"streams":[{"id":1,"bytes":0}]}`).until(displayResults)
		}},
		{"gone in the middle of a test", "the client is gone", func(c *rawClient) {
			c.cookie().until(paramExchange).text(good).until(createStreams)
			c.stream().Close()
			c.until(testRunning).conn.Close()
		}},
		{"a test that never ends", "it was to take 1s", func(c *rawClient) {
			c.cookie().until(paramExchange).text(good).until(createStreams)
			conn := c.stream()
			c.until(testRunning)
			for range 3 * 60 {
				_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
				_, _ = conn.Write(make([]byte, 1000))
				time.Sleep(time.Second / 3)
			}
		}},
		{"random states", "0 of 1 streams came", func(c *rawClient) {
			r := rand.New(rand.NewPCG(1, 2))
			c.cookie().until(paramExchange).text(good).until(createStreams)
			for range 1000 {
				c.bytes(string([]byte{byte(r.Uint32())}))
			}
		}},
	}
	before := heapBytes()
	defer func() {
		if grown := heapBytes() - before; grown > memoryFactor*20<<20 {
			t.Errorf("memory grew by %d bytes", grown)
		}
	}()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p pipeNet
				var said lines
				stop := p.farEnd(t, ServerConfig{Token: "t", Log: said.add})
				var wg sync.WaitGroup
				c := p.raw(t)
				wg.Go(func() { tt.act(c) })
				time.Sleep(500 * time.Millisecond)
				if err := p.startsWithin(t, 10*time.Second); err != nil {
					t.Error(err)
				}
				wg.Wait()
				time.Sleep(time.Minute) // every deadline of the server has passed
				_ = c.conn.SetReadDeadline(time.Now().Add(time.Millisecond))
				if _, err := io.Copy(io.Discard, c.conn); errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error("the connection is still open after a minute")
				}
				stop()
				p.reset()
				if !slices.ContainsFunc(said.all, func(line string) bool {
					return slices.ContainsFunc(strings.Split(tt.reason, "|"), func(r string) bool { return strings.Contains(line, r) })
				}) {
					t.Errorf("the server said %q, want %q in it", said.all, tt.reason)
				}
			})
		})
	}
}

// heapBytes is what is in use after what is not was collected.
func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// lines gathers what a far end says.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

func TestThousandSilentConnections(t *testing.T) {
	address := serve(t, ServerConfig{Log: func(string) {}})
	before := residentBytes(t)
	var conns []net.Conn
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for i := range 1000 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Skipf("after %d connections: %v", i, err) // too few descriptors
		}
		conns = append(conns, c)
		switch i % 4 {
		case 1:
			_, _ = io.WriteString(c, "half a cookie")
		case 2:
			_, _ = io.WriteString(c, newCookie()+"\x00")
		case 3:
			_, _ = io.WriteString(c, newCookie()+"\x00\xff\xff\xff\xff")
		}
	}
	began := time.Now()
	r, err := Run(t.Context(), Test{Address: address, Time: 100 * time.Millisecond, Rate: 10e6}, time.Second, Handler{})
	if err != nil || r.Far == nil {
		t.Fatalf("a good client among silent ones: %v, %v", err, r.FarProblem)
	}
	if d := time.Since(began); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
	grown := residentBytes(t) - before
	t.Logf("memory grew by %d bytes", grown)
	if grown > memoryFactor*20<<20 {
		t.Errorf("memory grew by %d bytes", grown)
	}
}

// residentBytes returns the process's memory in use, both ends of the connections included.
func residentBytes(t *testing.T) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.Sys)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// TestHostileServers lets a far end misbehave in each state: a test ends within its time and 10 s, and says why.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	say := func(states ...state) string {
		b := make([]byte, 0, len(states))
		for _, s := range states {
			b = append(b, byte(s))
		}
		return string(b)
	}
	tests := []struct {
		name, says, after string // after: once a test runs
		want              string // in the error, or in FarProblem
	}{
		{"silence", "", "", "no answer"},
		{"another protocol", "SSH-2.0-OpenSSH", "", "protocol"},
		{"busy", say(accessDenied), "", "busy"},
		{"an error", say(serverError) + "\x00\x00\x00\x1b\x00\x00\x00\x00", "", "rate is above"},
		{"streams asked for twice", say(createStreams, createStreams), "", "twice"},
		{"a grant of 4 GiB", say(stateGrant) + "\xff\xff\xff\xff", "", "longer than allowed"},
		{"a refusal", say(stateGrant) + "\x00\x00\x00\x16" + `{"refused":"go away!"}`, "", "go away"},
		{"a challenge nobody asked for", say(stateHello) + "\x00\x00\x00\x0b" + `{"nonce":1}`, "", "JSON"},
		{"silence in the test", say(paramExchange, createStreams, testStart, testRunning), "", "no answer"},
		{"its end in the test", say(paramExchange, createStreams, testStart, testRunning), say(serverTerminate), "ended"},
		{"gone in the test", say(paramExchange, createStreams, testStart, testRunning), "EOF", "control connection"},
		{"results of wrong types", say(paramExchange, createStreams, testStart, testRunning), say(exchangeResults) + "\x00\x00\x00\x0d" + `{"streams":1}`, "results"},
		{"results of 4 GiB", say(paramExchange, createStreams, testStart, testRunning), say(exchangeResults) + "\xff\xff\xff\xff", "longer than allowed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p pipeNet
				l := p.listen()
				ctx, cancel := context.WithCancel(t.Context())
				go badServer(ctx, l, tt.says, tt.after)
				began := time.Now()
				r, err := Run(t.Context(), p.quick(""), time.Second, Handler{})
				if err == nil {
					err = r.FarProblem
					if r.Local.Bytes() == 0 {
						t.Error("the own count is lost")
					}
				}
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q in it", err, tt.want)
				}
				if d := time.Since(began); d > 11500*time.Millisecond {
					t.Errorf("it took %v for a test of a second", d)
				}
				cancel()
				l.Close()
				p.reset()
				time.Sleep(time.Second)
			})
		})
	}
}

// badServer says something to each control connection, and something else a moment later; it reads all.
func badServer(ctx context.Context, l net.Listener, says, after string) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			var first [cookieSize]byte
			_, _ = io.ReadFull(conn, first[:])
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
			_, _ = io.WriteString(conn, says)
			delay := 500 * time.Millisecond
			if strings.HasPrefix(after, "\x0d") { // EXCHANGE_RESULTS has its place after the test
				delay = 1500 * time.Millisecond
			}
			pause(ctx, delay)
			if after == "EOF" {
				return
			}
			_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
			_, _ = io.WriteString(conn, after)
			<-ctx.Done()
		}()
	}
}
