package iperf3

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
)

// tap records what a client sends.
type tap struct {
	net.Conn
	mu  *sync.Mutex
	out *bytes.Buffer
}

func (t tap) Write(b []byte) (int, error) {
	t.mu.Lock()
	t.out.Write(b)
	t.mu.Unlock()
	return t.Conn.Write(b)
}

func TestToken(t *testing.T) {
	const secret = "correct-horse-battery"
	limits := ServerConfig{Token: secret, MaxRate: 2e6, MaxTime: time.Second, MaxStreams: 1}
	tests := []struct {
		name   string
		server string // its token
		client string
		test   Test
		err    error
		longer bool // the test runs its whole time
	}{
		{"the right token lifts all limits", secret, secret, Test{Time: 2 * time.Second, Rate: 3e6, Streams: 2}, nil, true},
		{"a wrong token is refused", secret, "wrong", Test{Time: time.Second, Rate: 1e6}, ErrRefused, false},
		{"no token: more than the rate is refused", secret, "", Test{Time: time.Second, Rate: 3e6}, ErrRefused, false},
		{"no token: more streams are refused", secret, "", Test{Time: time.Second, Rate: 1e6, Streams: 2}, ErrRefused, false},
		{"no token: the time is cut", secret, "", Test{Time: 2 * time.Second, Rate: 1e6}, nil, false},
		{"a far end without a token binds all", "", secret, Test{Time: 2 * time.Second, Rate: 1e6}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p pipeNet
				cfg := limits
				cfg.Token = tt.server
				stop := p.farEnd(t, cfg)
				var mu sync.Mutex
				var wire bytes.Buffer
				test := tt.test
				test.Address, test.Token = "192.0.2.1:5201", tt.client
				test.Dial = func(ctx context.Context, n, a string) (net.Conn, error) {
					c, err := p.dial(ctx, n, a)
					return tap{c, &mu, &wire}, err
				}
				r, err := Run(t.Context(), test, time.Second, Handler{})
				if !errors.Is(err, tt.err) || err == nil && r.Far == nil {
					t.Errorf("got %v, %v; want %v", err, r.FarProblem, tt.err)
				}
				if err == nil && (r.Duration >= test.Time) != tt.longer {
					t.Errorf("it ran %v", r.Duration)
				}
				mu.Lock()
				if s := wire.String(); strings.Contains(s, tt.client) && tt.client != "" {
					t.Error("the token crossed the wire")
				}
				mu.Unlock()
				stop()
				p.reset()
			})
		})
	}
}

// TestReplayIsRefused records a client that shows the token and plays it back.
func TestReplayIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pipeNet
		stop := p.farEnd(t, ServerConfig{Token: "secret"})
		var mu sync.Mutex
		var first *bytes.Buffer
		test := p.quick("secret")
		test.Dial = func(ctx context.Context, n, a string) (net.Conn, error) {
			c, err := p.dial(ctx, n, a)
			out := new(bytes.Buffer)
			if first == nil {
				first = out
			}
			return tap{c, &mu, out}, err
		}
		if _, err := Run(t.Context(), test, time.Second, Handler{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // the far end has forgotten the test
		conn, err := p.dial(t.Context(), "tcp", "")
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = conn.Write(first.Bytes()) }()
		_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		answer, _ := io.ReadAll(conn)
		if !strings.Contains(string(answer), `"refused":"the token`) || bytes.IndexByte(answer, byte(createStreams)) >= 0 {
			t.Errorf("the replay got %q", answer)
		}
		conn.Close()
		stop()
		p.reset()
	})
}

func TestServerThatDoesNotKnowTheToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pipeNet
		l := p.listen()
		ctx, cancel := context.WithCancel(t.Context())
		says, _ := frame(hello{Version: 1, Nonce: "n"})
		grants, _ := frame(grant{Version: 1, Authenticated: true, Proof: "0000"})
		go badServer(ctx, l, string([]byte{byte(stateHello)})+string(says)+string([]byte{byte(stateGrant)})+string(grants), "")
		_, err := Run(t.Context(), p.quick("secret"), time.Second, Handler{})
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "does not know the token") {
			t.Errorf("got %v", err)
		}
		cancel()
		l.Close()
		p.reset()
		time.Sleep(time.Second)
	})
}

// TestTestsWaitForTheirTurn lets three clients come at once to a far end that runs one test at a time.
func TestTestsWaitForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pipeNet
		stop := p.farEnd(t, ServerConfig{Token: "secret"})
		began := time.Now()
		var mu sync.Mutex
		var ends []time.Duration
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				test := p.quick("")
				test.Time = 15 * time.Second // longer than any deadline of the protocol
				r, err := Run(t.Context(), test, time.Second, Handler{})
				if err != nil || r.Far == nil || r.Far.Bytes() != r.Local.Bytes() {
					t.Errorf("%v, %v", err, r.FarProblem)
				}
				mu.Lock()
				defer mu.Unlock()
				ends = append(ends, time.Since(began).Round(time.Second))
			})
		}
		time.Sleep(time.Second)
		if _, err := Run(t.Context(), p.quick("secret"), time.Second, Handler{}); err != nil {
			t.Errorf("who shows the token had to wait: %v", err)
		}
		if d := time.Since(began); d > 3*time.Second {
			t.Errorf("who shows the token was served after %v", d)
		}
		wg.Wait()
		for i, want := range []time.Duration{15, 30, 45} {
			if d := ends[i] - want*time.Second; d < 0 || d > 2*time.Second {
				t.Errorf("test %d ended after %v, want %d s", i, ends[i], want)
			}
		}
		stop()
		p.reset()
	})
}

// TestWatchesTakeTurns lets two watches share a far end that runs one test at a time.
func TestWatchesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pipeNet
		stop := p.farEnd(t, ServerConfig{MaxTime: 20 * time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		var stores [2]timeline.Store
		var wg sync.WaitGroup
		for i := range stores {
			c := &Client{Name: "a-b", Address: "192.0.2.1:5201", Rate: 1e6, Dial: p.dial}
			wg.Go(func() { _ = c.Probe(ctx, &stores[i]) })
		}
		wg.Wait()
		for i := range stores {
			s := stores[i].Snapshot()
			path := timeline.Path("a-b")
			if o := s.EventsOf(path, timeline.EventOutage); len(o) > 0 {
				t.Errorf("watch %d takes its waiting for an outage: %v", i, o[0].Text)
			}
			if n := len(s.Series(path, timeline.GoodputForward)); n < 350 || n > 650 {
				t.Errorf("watch %d has %d samples of 0.1 s in 90 s, want about 450", i, n)
			}
			if len(s.GapsOf(path, timeline.GoodputForward)) == 0 || len(s.EventsOf(path, timeline.EventProbeProblem)) == 0 {
				t.Errorf("watch %d does not tell that it waited", i)
			}
		}
		stop()
		p.reset()
		time.Sleep(time.Minute)
	})
}
