package dns

import (
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"whydrop/correlate/timeline"
	"whydrop/probe/peertest"
)

const ms = time.Millisecond

var path = timeline.Path("a-b")

// server is a name server on loopback that answers every query with an RCODE.
type server struct {
	conn  net.PacketConn
	door  peertest.Door
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
			if !s.door.Pass(time.Time{}) {
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

// beat starts a heartbeat.
func beat(t *testing.T, a Asker) *peertest.Running {
	t.Helper()
	a.Name, a.To, a.Heartbeat = "a-b", "127.0.0.1", MinHeartbeat
	return peertest.Run(t, &a)
}

func TestMain(m *testing.M) {
	peertest.Parallel(20)
	os.Exit(m.Run())
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
			h := beat(t, Asker{Port: s.port(), Query: tt.query})
			h.Measures(5)
			got := h.Stop()
			for _, x := range got.Series(path, timeline.LossRoundTrip) {
				if x.Value != 0 || x.Origin.Collector != "dns:a-b" {
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
	h := beat(t, Asker{Port: s.port()})
	h.Measures(3)
	h.Outage(&s.door, 7, timeline.Both, 2*MinHeartbeat)
}

func TestAServerThatIsGoneIsNoOutageOfThePath(t *testing.T) {
	t.Parallel()
	port := peertest.Port(t, "127.0.0.1")
	address := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port).String()
	s := newServer(t, address)
	h := beat(t, Asker{Port: port})
	h.Measures(3)
	s.stop()
	h.Tells(timeline.EventProbeProblem)
	s = newServer(t, address)
	defer s.stop()
	h.Measures(2)
	got := h.Stop()
	if es := got.EventsOf(path, timeline.EventOutage); len(es) > 0 {
		t.Errorf("%d outages: %s", len(es), es[0].Text)
	}
	es := got.EventsOf(path, timeline.EventProbeProblem)
	if len(es) != 1 || es[0].Attrs["reason"] != "refused" {
		t.Errorf("%d problems", len(es))
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	s := newServer(t, "127.0.0.1:0")
	a := Asker{To: "127.0.0.1", Port: s.port()}
	if err := a.Check(t.Context()); err != nil {
		t.Error(err)
	}
	s.door.Set(true)
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
