package iperf2

import (
	"net"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestAStreamThatIdlesMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := peers{maxStreams: 3, maxRate: 1e9}
		addr := netip.MustParseAddr("192.0.2.1")
		var wg sync.WaitGroup
		var ends []net.Conn
		var flows []*flow
		for range 3 {
			c, err := p.enter(addr)
			if err != nil {
				t.Fatal(err)
			}
			near, far := net.Pipe()
			f := &flow{conn: near, start: time.Now()}
			done := p.watch(c, f)
			ends, flows = append(ends, far), append(flows, f)
			wg.Go(func() {
				receiveTCP(t.Context(), near, f, receivePlan{idle: time.Minute})
				done()
				fig := f.final()
				p.leave(addr, c, &fig)
			})
			time.Sleep(time.Second)
		}
		if _, err := p.enter(addr); err == nil {
			t.Fatal("a fourth stream of three is let in")
		}
		if p.evict(addr) {
			t.Fatal("a stream that idles for 3 s is ended")
		}
		time.Sleep(4 * time.Second)
		_, _ = ends[0].Write([]byte("x")) // the first is idle no longer
		synctest.Wait()
		if !p.evict(addr) {
			t.Fatal("no stream makes room")
		}
		synctest.Wait()
		if got := flows[1].final().Problem; got != "made room for another stream" {
			t.Errorf("the stream that is idle longest ended with %q", got)
		}
		if flows[0].final().Problem != "" || flows[2].final().Problem != "" {
			t.Errorf("others ended: %+v, %+v", flows[0].final(), flows[2].final())
		}
		if _, err := p.enter(addr); err != nil {
			t.Error(err)
		}
		for _, c := range ends {
			c.Close()
		}
		wg.Wait()
	})
}

func TestUDPStreamsThatAreHardlyAnyMakeRoom(t *testing.T) {
	now := time.Now()
	h := &hub{events: &events{}, streams: map[netip.AddrPort]*hubStream{}}
	add := func(port uint16, datagrams int64, quiet time.Duration) *hubStream {
		s := &hubStream{done: make(chan struct{}), heard: now.Add(-quiet), flow: &flow{}, session: newSession(datagram{}, &reception{})}
		for n := range datagrams {
			s.rec.add(n+1, 100, now, now.Add(-quiet))
		}
		h.streams[netip.AddrPortFrom(netip.MustParseAddr("192.0.2.1"), port)] = s
		return s
	}
	tests := []struct {
		name string
		s    *hubStream
		over bool
	}{
		{"one datagram, 2 s ago", add(1, 1, 2*time.Second), true},
		{"one datagram, just now", add(2, 1, 100*time.Millisecond), false},
		{"a stream in an outage of 4 s", add(3, 1000, 4*time.Second), false},
		{"a stream silent for 6 s", add(4, 1000, 6*time.Second), true},
	}
	h.makeRoom(now)
	for _, tt := range tests {
		if tt.s.over != tt.over {
			t.Errorf("%s: over %v, want %v", tt.name, tt.s.over, tt.over)
		}
	}
}

func TestCatchingUpIsNoLongBurst(t *testing.T) {
	gap := 100 * time.Microsecond
	c := catchUp{least: burst * gap / 2}
	now := time.Now()
	start := now
	for range 500 {
		now = now.Add(time.Microsecond)
		if w := c.sent(now); w > 0 {
			now = now.Add(w)
		}
	}
	if took := now.Sub(start); took < 480*gap/2 || took > 520*gap/2 {
		t.Errorf("500 late datagrams went in %v, want %v: twice the rate", took, 500*gap/2)
	}
}
