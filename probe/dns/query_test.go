package dns

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"whydrop/correlate/timeline"
)

const ms = time.Millisecond

var path = timeline.Path("a-b")

// server is a name server on loopback that answers every query with an RCODE.
type server struct {
	conn  net.PacketConn
	mute  atomic.Bool
	rcode atomic.Int32
	asked atomic.Int32
	wg    sync.WaitGroup
}

func newServer(t *testing.T, address string) *server {
	t.Helper()
	conn, err := net.ListenPacket("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{conn: conn}
	s.wg.Go(func() {
		buf := make([]byte, 2048)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if err := m.Unpack(buf[:n]); err != nil || len(m.Questions) != 1 || m.Response {
				t.Errorf("no query: %v", err)
				continue
			}
			s.asked.Add(1)
			if s.mute.Load() {
				continue
			}
			m.Response, m.RCode = true, dnsmessage.RCode(s.rcode.Load())
			b, err := m.Pack()
			if err != nil {
				t.Error(err)
				continue
			}
			_, _ = conn.WriteTo(b, from)
		}
	})
	return s
}

func (s *server) stop()        { s.conn.Close(); s.wg.Wait() }
func (s *server) port() uint16 { return s.conn.LocalAddr().(*net.UDPAddr).AddrPort().Port() }

// beat runs a heartbeat for a while, during which f is called.
func beat(t *testing.T, a Asker, d time.Duration, f func()) timeline.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	a.Name, a.To, a.Heartbeat = "a-b", "127.0.0.1", MinHeartbeat
	var store timeline.Store
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := a.Probe(ctx, &store); err != nil {
			t.Errorf("Probe: %v", err)
		}
	})
	if f != nil {
		f()
	}
	wg.Wait()
	return store.Snapshot()
}

func TestAnyAnswerCounts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		rcode    dnsmessage.RCode
		query    string
		problems int
	}{
		{"the name's address", dnsmessage.RCodeSuccess, "", 0},
		{"no such name", dnsmessage.RCodeNameError, "www.example.net", 0},
		{"a server that refuses", dnsmessage.RCodeRefused, "www.example.net.", 0},
		{"a server that fails", dnsmessage.RCodeServerFailure, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, "127.0.0.1:0")
			defer s.stop()
			s.rcode.Store(int32(tt.rcode))
			got := beat(t, Asker{Port: s.port(), Query: tt.query}, 850*ms, nil)
			if n := len(got.Series(path, timeline.RTT)); n < 6 || n > 9 {
				t.Errorf("%d samples of the round trip in 0.85 s", n)
			}
			for _, x := range append(got.Series(path, timeline.LossRoundTrip), got.Series(path, timeline.RTT)...) {
				if x.Value < 0 || x.Value > 0.2 || x.Origin.Collector != "dns:a-b" {
					t.Errorf("%s is %v on loopback", x.Metric, x.Value)
				}
			}
			if es := got.EventsOf(path, timeline.EventProbeProblem); len(es) != tt.problems {
				t.Errorf("%d problems, want %d", len(es), tt.problems)
			}
		})
	}
}

func TestAServerThatStopsAnsweringIsAnOutage(t *testing.T) {
	t.Parallel()
	s := newServer(t, "127.0.0.1:0")
	defer s.stop()
	var from, to time.Time
	got := beat(t, Asker{Port: s.port()}, 3*time.Second, func() {
		time.Sleep(500 * ms)
		from = time.Now()
		s.mute.Store(true)
		time.Sleep(700 * ms)
		s.mute.Store(false)
		to = time.Now()
	})
	es := got.EventsOf(path, timeline.EventOutage)
	if len(es) != 1 {
		t.Fatalf("%d outages", len(es))
	}
	if e := es[0]; e.Attrs["direction"] != timeline.Both || e.Span.From.Sub(from).Abs() > 2*MinHeartbeat || e.Span.To.Sub(to).Abs() > 2*MinHeartbeat {
		t.Errorf("outage %s to %s, want %s to %s: %s", e.Span.From, e.Span.To, from, to, e.Text)
	}
}

func TestAServerThatIsGoneIsNoOutageOfThePath(t *testing.T) {
	t.Parallel()
	s := newServer(t, "127.0.0.1:0")
	address, port := s.conn.LocalAddr().String(), s.port()
	got := beat(t, Asker{Port: port}, 5*time.Second, func() {
		time.Sleep(500 * ms)
		s.stop()
		time.Sleep(2000 * ms)
		s = newServer(t, address)
	})
	defer s.stop()
	if es := got.EventsOf(path, timeline.EventOutage); len(es) > 0 {
		t.Errorf("%d outages: %s", len(es), es[0].Text)
	}
	es := got.EventsOf(path, timeline.EventProbeProblem)
	if len(es) != 1 || es[0].Attrs["reason"] != "refused" {
		t.Errorf("%d problems", len(es))
	}
	rtt := got.Series(path, timeline.RTT)
	if len(rtt) == 0 || time.Since(rtt[len(rtt)-1].Span.To) > 1500*ms {
		t.Errorf("%d samples; none after the server came back", len(rtt))
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	s := newServer(t, "127.0.0.1:0")
	a := Asker{To: "127.0.0.1", Port: s.port()}
	if err := a.Check(t.Context()); err != nil {
		t.Error(err)
	}
	s.mute.Store(true)
	if err := a.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("mute: %v", err)
	}
	s.stop()
	if err := a.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("gone: %v", err)
	}
}

func TestWhatCannotBeAsked(t *testing.T) {
	for _, a := range []Asker{{}, {To: "127.0.0.1", Query: strings.Repeat("x", 300)}, {To: "127.0.0.1", Query: "a..b"}} {
		if err := a.Probe(t.Context(), &timeline.Store{}); err == nil {
			t.Errorf("%+v: no error", a)
		}
	}
}

func name(t testing.TB, s string) dnsmessage.Name {
	n, err := dnsmessage.NewName(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOnlyAnswersToOurQueriesCount(t *testing.T) {
	build := func(change func(*dnsmessage.Message)) []byte {
		m := dnsmessage.Message{Header: dnsmessage.Header{ID: 65533, Response: true},
			Questions: []dnsmessage.Question{{Name: name(t, "LocalHost."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}}}
		if change != nil {
			change(&m)
		}
		b, err := m.Pack()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, tt := range []struct {
		name string
		data []byte
		want uint64
		ok   bool
	}{
		{"an answer", build(nil), 3, true},
		{"an answer whose number has wrapped", build(func(m *dnsmessage.Message) { m.ID = 1 }), 7, true},
		{"to a query not yet sent", build(func(m *dnsmessage.Message) { m.ID = 4 }), 0, false},
		{"a query", build(func(m *dnsmessage.Message) { m.Response = false }), 0, false},
		{"to another question", build(func(m *dnsmessage.Message) { m.Questions[0].Name = name(t, "example.net.") }), 0, false},
		{"without the question, as of one that could not be read", build(func(m *dnsmessage.Message) { m.Questions, m.RCode = nil, dnsmessage.RCodeFormatError }), 3, true},
		{"cut short", build(nil)[:8], 0, false},
		{"empty", nil, 0, false},
	} {
		w := wire{name: name(t, "localhost."), first: 65530, sent: 10, problem: func(string, string) {}}
		if n, ok := w.parse(tt.data); n != tt.want || ok != tt.ok {
			t.Errorf("%s: heartbeat %d, %v; want %d, %v", tt.name, n, ok, tt.want, tt.ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	b, err := message(5, name(f, "localhost."))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	b = append([]byte(nil), b...)
	b[2] |= 0x80
	f.Add(b)
	f.Fuzz(func(t *testing.T, data []byte) {
		w := wire{name: name(t, "localhost."), first: 3, sent: 6, problem: func(string, string) {}}
		if n, ok := w.parse(data); ok && n >= 6 {
			t.Errorf("heartbeat %d was never sent", n)
		}
	})
}
