package stamp

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/outage"
	"whydrop/probe/peertest"
	"whydrop/probe/rxtime"
)

const ms = time.Millisecond

// serve runs a reflector on conn until the test ends.
func serve(t *testing.T, r *Reflector, conn net.PacketConn) netip.AddrPort {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	at := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	go func() { done <- r.Serve(ctx, conn) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

func listen(t *testing.T, address string) net.PacketConn {
	t.Helper()
	conn, err := Listen(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// gate is a socket with a door for what comes in and one for what goes out. It is no *net.UDPConn.
type gate struct {
	net.PacketConn
	in, out peertest.Door
}

func (g *gate) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := g.PacketConn.ReadFrom(b)
		if err != nil {
			return n, from, err
		}
		q, _ := ParseQuestion(b[:n])
		if g.in.Pass(q.Timestamp.Time(NTP, time.Now())) {
			return n, from, nil
		}
	}
}

func (g *gate) WriteTo(b []byte, to net.Addr) (int, error) {
	a, _ := ParseAnswer(b)
	if !g.out.Pass(a.Question.Timestamp.Time(NTP, time.Now())) {
		return len(b), nil
	}
	return g.PacketConn.WriteTo(b, to)
}

var path = timeline.Path("a-b")

// beat starts a sender.
func beat(t *testing.T, s Sender) *peertest.Running {
	t.Helper()
	s.Name = "a-b"
	return peertest.Run(t, &s)
}

func TestMain(m *testing.M) {
	peertest.Parallel(30)
	os.Exit(m.Run())
}

func TestHeartbeatOverLoopback(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		address string
		r       *Reflector
		format  Format
		loss    timeline.Metric
	}{
		{"IPv4, NTP", "127.0.0.1:0", &Reflector{}, NTP, timeline.LossForward},
		{"IPv6, PTP at the sender", "[::1]:0", &Reflector{}, PTP, timeline.LossForward},
		{"a socket for both, PTP at the reflector", "[::]:0", &Reflector{Format: PTP}, NTP, timeline.LossForward},
		{"a reflector that does not count", "127.0.0.1:0", &Reflector{Stateless: true}, NTP, timeline.LossRoundTrip},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			conn := listen(t, tt.address)
			at := serve(t, tt.r, conn)
			to := at.Addr()
			if to.IsUnspecified() {
				to = netip.MustParseAddr("127.0.0.3") // the answer must come from there
			}
			h := beat(t, Sender{To: to.String(), Port: at.Port(), Format: tt.format})
			h.Measures(5)
			s := h.Stop()
			for _, x := range s.Series(path, timeline.RTT) {
				if x.Value <= 0 || x.Origin.Collector != "stamp:a-b" {
					t.Errorf("round trip %+v", x)
				}
			}
			if n := len(s.Series(path, tt.loss)); n < 4 {
				t.Errorf("%d samples of %s", n, tt.loss)
			}
			for _, x := range s.Series(path, tt.loss) {
				if x.Value != 0 {
					t.Errorf("%s is %v on loopback", tt.loss, x.Value)
				}
			}
			if e := s.EventsOf(path, timeline.EventOutage, timeline.EventProbeProblem); len(e) > 0 {
				t.Errorf("events %+v", e)
			}
			if st := tt.r.Stats(); st.Sessions > 1 && !tt.r.Stateless || st.Reflected < 5 || st.Malformed+st.Limited+st.Looped+st.Failed > 0 {
				t.Errorf("reflector: %+v", st)
			}
		})
	}
}

// long leaves out of a short run what takes seconds.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
}

func TestDarkWaysAreToldApart(t *testing.T) {
	t.Parallel()
	long(t)
	tests := []struct{ name, direction string }{
		{"the way there", timeline.Forward},
		{"the way back", timeline.Reverse},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := &gate{PacketConn: listen(t, ":0")}
			var r Reflector
			at := serve(t, &r, g)
			door := &g.out
			if tt.direction == timeline.Forward {
				door = &g.in
			}
			h := beat(t, Sender{To: at.Addr().String(), Port: at.Port(), Heartbeat: 10 * ms})
			h.Measures(3)
			h.Outage(door, 30, tt.direction, 20*ms)
		})
	}
}

func TestAHostWithoutReflectorIsSaidAndFoundLater(t *testing.T) {
	long(t)
	t.Parallel()
	port := peertest.Port(t, "127.0.0.1")
	h := beat(t, Sender{To: "127.0.0.1", Port: port})
	h.Tells(timeline.EventProbeProblem)
	serve(t, new(Reflector), listen(t, netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port).String()))
	h.Measures(1)
	s := h.Stop()
	es := s.EventsOf(path, timeline.EventProbeProblem)
	if len(es) != 1 || es[0].Attrs["reason"] != "refused" || es[0].Attrs["kind"] != "stamp" || !strings.Contains(es[0].Text, "nothing listens") {
		t.Errorf("problems %+v, want one: refused", es)
	}
	if es := s.EventsOf(path, timeline.EventOutage); len(es) > 0 {
		t.Errorf("outages %+v: the path was never dark", es)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	var r Reflector
	at := serve(t, &r, listen(t, ":0"))
	if err := Check(t.Context(), at.Addr().String(), at.Port()); err != nil {
		t.Errorf("a reflector: %v", err)
	}
	silent := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), peertest.Port(t, "127.0.0.1"))
	conn := listen(t, silent.String())
	if err := Check(t.Context(), "127.0.0.1", silent.Port()); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("a socket that says nothing: %v", err)
	}
	conn.Close()
	if err := Check(t.Context(), "127.0.0.1", silent.Port()); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a closed port: %v", err)
	}
	if err := Check(t.Context(), "", 1); err == nil {
		t.Error("a host without address passed")
	}
}

// ask sends a datagram and returns the answer, nil if there is none: soon, if none is wanted.
func ask(t *testing.T, from *net.UDPConn, to netip.AddrPort, b []byte, wanted bool) []byte {
	t.Helper()
	wait := 200 * ms
	if wanted {
		wait = 5 * time.Second
	}
	if _, err := from.WriteToUDPAddrPort(b, to); err != nil {
		t.Fatal(err)
	}
	_ = from.SetReadDeadline(time.Now().Add(wait))
	buf := make([]byte, 4096)
	n, _, err := from.ReadFromUDPAddrPort(buf)
	if err != nil {
		return nil
	}
	return buf[:n]
}

func TestTheReflectorSendsNoMoreThanItGot(t *testing.T) {
	t.Parallel()
	r := Reflector{Allow: func(a netip.Addr) bool { return a != netip.MustParseAddr("127.0.0.9") }}
	to := serve(t, &r, listen(t, "0.0.0.0:0"))
	to = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), to.Port())
	socket := func(ip string) *net.UDPConn {
		c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(ip), 0)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	q := Question{Sequence: 5, Timestamp: NewTimestamp(time.Now(), NTP), Estimate: 1, Session: 77}.Append(nil)
	me := socket("127.0.0.1")
	first := ask(t, me, to, q, true)
	padding := append(bytes.Clone(q), bytes.Repeat([]byte{0xa5}, 100)...)
	tests := []struct {
		name string
		from *net.UDPConn
		b    []byte
		want int
	}{
		{"a question", me, q, len(q)},
		{"a question with padding", me, padding, len(padding)},
		{"a datagram of one octet", me, []byte{0}, 0},
		{"one octet short of the shortest answer", me, q[:LightSize-1], 0},
		{"multiplier 0", me, make([]byte, Size), 0},
		{"an answer of a reflector", me, first, 0},
		{"from an address that is not allowed", socket("127.0.0.9"), q, 0},
	}
	for _, tt := range tests {
		if got := ask(t, tt.from, to, tt.b, tt.want > 0); len(got) != tt.want {
			t.Errorf("%s: %d octets came back, want %d", tt.name, len(got), tt.want)
		}
	}
	if st := r.Stats(); st.Malformed != 3 || st.Looped != 1 || st.Refused != 1 || st.Sessions != 1 {
		t.Errorf("counted %+v", st)
	}
	a, err := ParseAnswer(first)
	if err != nil || a.Sequence != 0 || a.Session != 77 || a.Question.Sequence != 5 || a.TTL == 0 {
		t.Errorf("the first answer is %+v, %v", a, err)
	}
}

func TestTheReflectorLimitsEachSource(t *testing.T) {
	r := &Reflector{Rate: 100}
	s := r.serving(nopConn{})
	now := time.Now()
	q := Question{Estimate: 1}.Append(nil)
	send := func(source string, n int, at time.Time) {
		for range n {
			s.handle(rxtime.Packet{Data: q, From: netip.MustParseAddrPort(source), At: at, TTL: -1})
		}
	}
	send("192.0.2.1:1000", 150, now)
	if st := r.Stats(); st.Reflected != 100 || st.Limited != 50 {
		t.Errorf("150 at once: %+v, want 100 answered", st)
	}
	send("192.0.2.1:1001", 10, now)
	if st := r.Stats(); st.Reflected != 100 {
		t.Errorf("another port of the same source: %+v, want none answered", st)
	}
	send("192.0.2.2:1000", 10, now)
	if st := r.Stats(); st.Reflected != 110 {
		t.Errorf("another source: %+v, want 10 more", st)
	}
	send("192.0.2.1:1000", 100, now.Add(500*ms))
	if st := r.Stats(); st.Reflected != 160 {
		t.Errorf("half a second later: %+v, want 50 more", st)
	}
}

// nopConn is a socket that everything can be written to.
type nopConn struct{ net.PacketConn }

func (nopConn) WriteTo(b []byte, _ net.Addr) (int, error) { return len(b), nil }

func TestSessionsAreBoundedAndCountForThemselves(t *testing.T) {
	r := &Reflector{Sessions: 2}
	s := r.serving(nopConn{})
	key := func(port uint16, id uint16) sessionKey {
		return sessionKey{netip.AddrPortFrom(netip.MustParseAddr("192.0.2.1"), port), id}
	}
	steps := []struct {
		name string
		k    sessionKey
		want uint32
	}{
		{"a session begins at 0", key(1, 1), 0},
		{"and counts", key(1, 1), 1},
		{"another identifier is another session", key(1, 2), 0},
		{"the first goes on", key(1, 1), 2},
		{"a third pushes out the one silent longest", key(2, 1), 0},
		{"the first is still there", key(1, 1), 3},
		{"the second begins anew", key(1, 2), 0},
	}
	for _, st := range steps {
		if got := s.count(st.k); got != st.want {
			t.Errorf("%s: %d, want %d", st.name, got, st.want)
		}
	}
	if n := len(s.sessions.entries); n != 2 {
		t.Errorf("%d sessions are kept, want 2", n)
	}
}

// Answers that are not to our questions must not be believed.
func TestForgedAnswersAreNotBelieved(t *testing.T) {
	w := &wire{first: 2000, session: 9, stamps: make([]Timestamp, 16), sent: 3}
	w.stamps[2] = 12345
	good := Answer{Sequence: 1, Estimate: 1, Session: 9, Question: Question{Sequence: 2002, Timestamp: 12345}}
	change := func(f func(*Answer)) Answer { a := good; f(&a); return a }
	tests := []struct {
		name string
		a    Answer
		want bool
	}{
		{"the right one", good, true},
		{"without a session, as by RFC 8762", change(func(a *Answer) { a.Session = 0 }), true},
		{"of another session", change(func(a *Answer) { a.Session = 8 }), false},
		{"to a question of another time", change(func(a *Answer) { a.Question.Timestamp = 1 }), false},
		{"to a question not yet sent", change(func(a *Answer) { a.Question.Sequence = 2003 }), false},
		{"to a question never sent", change(func(a *Answer) { a.Question.Sequence = 1999 }), false},
	}
	for _, tt := range tests {
		book := outage.New(outage.Config{Heartbeat: 20 * ms, Out: new(timeline.Store)}, time.Now())
		for range 3 {
			book.Sent(time.Now())
		}
		w.enter(book, rxtime.Packet{Data: tt.a.Append(nil), At: time.Now()})
		if got := book.Answered() == 1; got != tt.want {
			t.Errorf("%s: believed %v, want %v", tt.name, got, tt.want)
		}
	}
}
