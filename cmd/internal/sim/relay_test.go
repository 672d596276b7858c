package sim

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"whydrop/probe/iperf3"
)

// testRelay starts a relay for a path, with a far end that sends datagrams back and swallows TCP; got receives the
// moments at which TCP payload arrived there, and how much.
func testRelay(t *testing.T, p *path, offered float64) (r *relay, got chan arrival) {
	t.Helper()
	for i := range p.cross {
		a, b := &port{}, &port{}
		p.cross[i] = [2][]crossing{{{a, true}, {b, false}}, {{b, true}, {a, false}}}
	}
	r, err := newRelay(p, 1, offered)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	r.farTCP, r.farUDP = l.Addr().(*net.TCPAddr).AddrPort(), u.LocalAddr().(*net.UDPAddr).AddrPort()
	got = make(chan arrival, 1<<16)
	go swallow(l, got)
	go func() {
		buf := make([]byte, 2048)
		for {
			n, from, err := u.ReadFromUDPAddrPort(buf)
			if err != nil {
				return
			}
			_, _ = u.WriteToUDPAddrPort(buf[:n], from)
		}
	}()
	r.run(time.Now())
	t.Cleanup(func() {
		l.Close()
		u.Close()
		if err := r.close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return r, got
}

// arrival is payload that came to the far end.
type arrival struct {
	at   time.Time
	data []byte
}

func swallow(l net.Listener, got chan<- arrival) {
	defer close(got)
	c, err := l.Accept()
	if err != nil {
		return
	}
	defer c.Close()
	for {
		buf := make([]byte, 64<<10)
		n, err := c.Read(buf)
		if n > 0 {
			got <- arrival{time.Now(), buf[:n]}
		}
		if err != nil {
			return
		}
	}
}

// pour sends at a rate in bit/s until the connection is closed and returns when its writes last blocked longer
// than 50 ms, as offsets from begun.
func pour(t *testing.T, r *relay, rate float64, length time.Duration) (blocked [][2]time.Duration) {
	t.Helper()
	c, err := net.DialTCP("tcp4", nil, r.tcp.Addr().(*net.TCPAddr))
	if err != nil {
		t.Error(err)
		return nil
	}
	defer c.Close()
	if err := c.SetWriteBuffer(16 << 10); err != nil {
		t.Error(err)
		return nil
	}
	buf := make([]byte, 4<<10)
	gap := time.Duration(float64(len(buf)) * 8 / rate * float64(time.Second))
	for next := time.Now(); r.now() < length; next = next.Add(gap) {
		time.Sleep(time.Until(next))
		from := r.now()
		if _, err := c.Write(buf); err != nil {
			t.Error(err)
			return blocked
		}
		if to := r.now(); to-from > 50*time.Millisecond {
			blocked = append(blocked, [2]time.Duration{from, to})
			next = time.Now()
		}
	}
	return blocked
}

// punctually runs a check of times up to three times: a host that is busy with something else is late, but not always.
func punctually(t *testing.T, check func() error) {
	t.Helper()
	var err error
	for range 3 {
		if err = check(); err == nil || t.Failed() {
			return
		}
		t.Logf("again: %v", err)
	}
	t.Error(err)
}

func TestAStallOfThePathReachesBothEndsOfATCPFlowInTime(t *testing.T) {
	const from, to = 400 * time.Millisecond, 1100 * time.Millisecond
	punctually(t, func() error {
		p := &path{base: condition{delay: [2]time.Duration{3 * time.Millisecond, 3 * time.Millisecond}}}
		p.during(from, to, func(c *condition) { c.stalled = from })
		r, got := testRelay(t, p, 10e6)
		blocked := pour(t, r, 10e6, 1500*time.Millisecond)
		if len(blocked) != 1 || blocked[0][0] < from || blocked[0][0] > from+80*time.Millisecond || blocked[0][1] < to || blocked[0][1] > to+60*time.Millisecond {
			return fmt.Errorf("the sender was blocked %v, want once, from some 50 ms after %v to %v", blocked, from, to)
		}
		var last time.Time
		var gap [2]time.Time
		for p := range got {
			if d := p.at.Sub(last); !last.IsZero() && d > gap[1].Sub(gap[0]) {
				gap = [2]time.Time{last, p.at}
			}
			last = p.at
		}
		if a, b := gap[0].Sub(r.begun), gap[1].Sub(r.begun); a < from-60*time.Millisecond || a > from+20*time.Millisecond || b < to || b > to+60*time.Millisecond {
			return fmt.Errorf("the receiver got nothing from %v to %v, want from %v to %v", a, b, from, to)
		}
		return nil
	})
}

func TestAFlowOpenedAfterTheMovePasses(t *testing.T) {
	p := &path{}
	p.during(50*time.Millisecond, time.Hour, func(c *condition) { c.stalled = 50 * time.Millisecond })
	r, got := testRelay(t, p, 10e6)
	time.Sleep(time.Until(r.begun.Add(60 * time.Millisecond)))
	c, err := net.Dial("tcp4", r.tcp.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "hello"); err != nil {
		t.Fatal(err)
	}
	select {
	case p := <-got:
		if string(p.data) != "hello" {
			t.Errorf("%q arrived", p.data)
		}
	case <-time.After(5 * time.Second):
		t.Error("nothing arrived")
	}
}

func TestTCPGetsTheRateOfThePath(t *testing.T) {
	for _, x := range []struct {
		name    string
		base    condition
		offered float64
		want    float64
	}{
		{"a shaped link", condition{rate: 20e6}, 60e6, 20e6},
		{"a slow link of 94 Mbit/s", condition{rate: 94e6}, 180e6, 94e6},
	} {
		t.Run(x.name, func(t *testing.T) {
			punctually(t, func() error {
				// A busy host gets less through, but never more.
				if rate := goodput(t, x.base, x.offered); rate < 0.5*x.want || rate > 1.1*x.want {
					return fmt.Errorf("%.1f Mbit/s, want %.1f", rate/1e6, x.want/1e6)
				}
				return nil
			})
		})
	}
}

// goodput returns what arrives at the far end of a path after the first half second, in bit/s.
func goodput(t *testing.T, base condition, offered float64) float64 {
	t.Helper()
	r, got := testRelay(t, &path{base: base}, offered)
	const from, to = 500 * time.Millisecond, 1500 * time.Millisecond
	poured := make(chan struct{})
	go func() {
		defer close(poured)
		pour(t, r, offered, to)
	}()
	sum := 0.0
	for p := range got {
		if at := p.at.Sub(r.begun); at > from && at < to {
			sum += float64(len(p.data))
		}
	}
	<-poured
	return sum * 8 / (to - from).Seconds()
}

func TestASmallWindowGivesOneWindowPerRoundTrip(t *testing.T) {
	const window, trip = 32 << 10, 30 * time.Millisecond
	punctually(t, func() error {
		rate := goodput(t, condition{window: window, delay: [2]time.Duration{trip / 2, trip / 2}}, 50e6)
		// What window a system offers for a receive buffer is its own matter: from half to twice its size.
		if want := window * 8 / trip.Seconds(); rate < want/2 || rate > want*2 {
			return fmt.Errorf("%.1f Mbit/s, want about %.1f", rate/1e6, want/1e6)
		}
		return nil
	})
}

func TestDatagramsAreDelayedLostAndDarkPerDirection(t *testing.T) {
	p := &path{base: condition{delay: [2]time.Duration{10 * time.Millisecond, 20 * time.Millisecond}}}
	p.darken(forward, 500*time.Millisecond, 1400*time.Millisecond)
	p.darken(reverse, 500*time.Millisecond, 2000*time.Millisecond)
	p.during(2300*time.Millisecond, time.Hour, func(c *condition) { c.loss[reverse] = 0.5 })
	r, _ := testRelay(t, p, 10e6)
	c, err := net.Dial("udp4", r.udp.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var sent, arrived [60]time.Duration
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 16)
		for {
			_ = c.SetReadDeadline(r.begun.Add(3500 * time.Millisecond))
			if n, err := c.Read(buf); err != nil {
				return
			} else if n == 1 {
				arrived[buf[0]] = r.now()
			}
		}
	}()
	// Far from every change of the path, so that a busy host does not matter.
	when := []time.Duration{0, 800 * time.Millisecond, 1550 * time.Millisecond, 2500 * time.Millisecond, 2600 * time.Millisecond, 2700 * time.Millisecond}
	for i := range sent {
		time.Sleep(time.Until(r.begun.Add(when[i/10] + time.Duration(i%10)*10*time.Millisecond)))
		sent[i] = r.now()
		if _, err := c.Write([]byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	<-done
	back := [6]int{}
	for i, at := range arrived {
		if at == 0 {
			continue
		}
		back[i/10]++
		if rtt := at - sent[i]; rtt < 30*time.Millisecond {
			t.Errorf("datagram %d came back after %v, want 30 ms", i, rtt)
		}
	}
	if lost := 30 - back[3] - back[4] - back[5]; back[0] != 10 || back[1] != 0 || back[2] != 0 || lost < 4 || lost > 26 {
		t.Errorf("of ten each came back %v, want all, none (dark there), none (dark back), and about half of the others", back)
	}
	if n := p.cross[0][forward][0].port.live[inUnicast].Load(); n != 50 {
		t.Errorf("the first port counted %d datagrams in, want the 50 that entered", n)
	}
}

func TestCountsFollowTheActiveFirewall(t *testing.T) {
	s, err := Draw(Default, 3, Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, active := range []int{0, 1} {
		s.path.segments(forward, condition{active: active}, 100*segmentSize)
		if got := s.inside[active].live[inUnicast].Load(); got != 100 {
			t.Errorf("firewall %d counted %d segments, want 100", active, got)
		}
		if got := s.inside[active].live[outUnicast].Load(); got != 50 {
			t.Errorf("firewall %d counted %d acknowledgements, want 50", active, got)
		}
		if got, want := s.outside[active].live[outOctets].Load(), uint64(100*(segmentSize+tcpOverhead+etherOverhead)); got != want {
			t.Errorf("firewall %d counted %d octets, want %d", active, got, want)
		}
	}
}

func TestLostFramesCountAtThePlaceOfLossOnly(t *testing.T) {
	s, err := Draw("bad-cable", 3, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for w, list := range s.path.cross[s.first] {
		where := s.path.losing[w].at
		if where == nil {
			continue
		}
		for range 10 {
			s.path.datagram(way(w), s.first, 64, true)
		}
		gone := false
		for _, c := range list {
			gone = gone || c.port == where
			n := c.port.live[inUnicast].Load() + c.port.live[outUnicast].Load()
			if gone && n != 0 || !gone && n != 10 {
				t.Errorf("%s counted %d frames", c.port.name, n)
			}
		}
		if n := where.live[fcsErrors].Load(); n != 10 {
			t.Errorf("%d check sequence errors, want 10", n)
		}
	}
}

func TestDatagramsOfAThroughputTestPassAsFastAsThePathLets(t *testing.T) {
	for name, c := range map[string]struct {
		rate float64 // that the path lets through, bit/s; 0: any
		most float64 // share that arrives
	}{
		"a free path":                    {0, 1},
		"a path of a fortieth of it all": {1e5, 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			far, err := startFarEnd(0, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer far.close()
			r, err := newRelay(&path{base: condition{rate: c.rate}}, 1, 10e6)
			if err != nil {
				t.Fatal(err)
			}
			r.farTCP, r.farUDP = far.tcp, far.udp
			r.run(time.Now())
			defer r.close()
			test := iperf3.Test{Address: r.tcp.Addr().String(), UDP: true, Rate: 4e6, Length: 1000, Time: 500 * time.Millisecond, Streams: 1}
			res, err := iperf3.Run(t.Context(), test, time.Second, iperf3.Handler{})
			if err != nil || res.Receiver() == nil || res.Sender() == nil {
				t.Fatalf("%v, %+v", err, res)
			}
			sent, got := res.Sender().Bytes(), res.Receiver().Bytes()
			if got == 0 || float64(got) > c.most*float64(sent) {
				t.Errorf("%d bytes of %d arrived, want more than none and at most %g of them", got, sent, c.most)
			}
		})
	}
}

func TestConnectionsReachTheFarEndInTheirOrder(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r, err := newRelay(&path{}, 1, 10e6)
	if err != nil {
		t.Fatal(err)
	}
	r.farTCP = l.Addr().(*net.TCPAddr).AddrPort()
	r.farUDP = r.udp.LocalAddr().(*net.UDPAddr).AddrPort()
	r.run(time.Now())
	defer r.close()
	const n = 8
	for i := range n {
		c, err := net.Dial("tcp4", r.tcp.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		b := make([]byte, 1)
		if _, err := io.ReadFull(c, b); err != nil || int(b[0]) != i {
			t.Fatalf("connection %d: got number %d, %v", i, b[0], err)
		}
	}
}
