package iperf3

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// TestOneStreamOfFourDies: the others go on, and nothing that was counted is lost.
func TestOneStreamOfFourDies(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var conns []net.Conn
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		mu.Lock()
		defer mu.Unlock()
		conns = append(conns, c)
		return c, err
	}
	kill := sync.OnceFunc(func() {
		mu.Lock()
		defer mu.Unlock()
		c := conns[2].(*net.TCPConn) // the second stream; the first connection is the control's
		_ = c.SetLinger(0)
		c.Close()
	})
	var late Interval
	test := Test{Address: serve(t, ServerConfig{}), Streams: 4, Time: time.Second, Rate: 5e6, Dial: dial}
	r, err := Run(t.Context(), test, 100*time.Millisecond, Handler{Interval: func(i Interval) {
		if i.To > 300*time.Millisecond {
			kill()
		}
		late = i
	}})
	if err != nil || r.FarProblem != nil {
		t.Fatal(err, r.FarProblem)
	}
	if len(r.Broken) != 1 || r.Duration < 900*time.Millisecond {
		t.Errorf("broken %v, after %v", r.Broken, r.Duration)
	}
	for i, s := range r.Local.Streams {
		if dead := i == 1; s.Bytes == 0 || (late.Streams[i].Bytes == 0) != dead || !dead && s.Bytes != r.Far.Streams[i].Bytes {
			t.Errorf("stream %d: %d bytes here, %d there, %d at the end", s.ID, s.Bytes, r.Far.Streams[i].Bytes, late.Streams[i].Bytes)
		}
	}
}

// TestEndedWhileOmitting: what was carried is told in its intervals, and counts for nothing.
func TestEndedWhileOmitting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var omitted uint64
	test := Test{Address: serve(t, ServerConfig{}), UDP: true, Length: 1000, Omit: 5 * time.Second, Time: time.Second, Rate: 5e6}
	r, err := Run(ctx, test, 100*time.Millisecond, Handler{Interval: func(i Interval) {
		if i.Omitted {
			omitted += i.Bytes()
		}
		if omitted > 0 {
			cancel()
		}
	}})
	if err != nil || !r.Interrupted || r.Duration != 0 || r.Local.Bytes() != 0 || omitted == 0 {
		t.Errorf("%v, interrupted %v, %v, %d bytes, %d omitted", err, r.Interrupted, r.Duration, r.Local.Bytes(), omitted)
	}
}
