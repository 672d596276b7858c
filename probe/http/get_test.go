package http

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/peertest"
)

const ms = time.Millisecond

// server is a web server at an address that stays the same when it stops and begins again.
type server struct {
	*httptest.Server
	door   peertest.Door // shut: it takes requests and never answers
	status atomic.Int32
	asked  atomic.Int32
	held   chan struct{}
}

func newServer(t *testing.T, address string, secure bool) *server {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{held: make(chan struct{})}
	s.status.Store(200)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		if !s.door.Pass(time.Time{}) {
			select {
			case <-s.held:
			case <-r.Context().Done():
			}
			panic(http.ErrAbortHandler)
		}
		if r.Method != http.MethodHead || r.Host == "" {
			t.Errorf("%s %s of %s", r.Method, r.URL, r.Host)
		}
		if c := int(s.status.Load()); c == 302 {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		}
		w.WriteHeader(int(s.status.Load()))
	}))
	s.Listener.Close()
	s.Listener = l
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	return s
}

func (s *server) stop() {
	select {
	case <-s.held:
	default:
		close(s.held)
	}
	s.CloseClientConnections()
	s.Close()
}

func (s *server) port() uint16 { return s.Listener.Addr().(*net.TCPAddr).AddrPort().Port() }

// beat starts a heartbeat.
func beat(t *testing.T, r Requester) *peertest.Running {
	t.Helper()
	r.Name, r.Heartbeat = "a-b", MinHeartbeat
	if r.To == "" {
		r.To = "127.0.0.1"
	}
	return peertest.Run(t, &r)
}

func TestMain(m *testing.M) {
	peertest.Parallel(20)
	os.Exit(m.Run())
}

var path = timeline.Path("a-b")

func reasons(s timeline.Snapshot) string {
	var out []string
	for _, e := range s.EventsOf(path, timeline.EventProbeProblem) {
		out = append(out, e.Attrs["reason"])
	}
	return strings.Join(out, " ")
}

func TestHeartbeats(t *testing.T) {
	tests := []struct {
		name   string
		secure bool
		roots  bool
		to     string
		status int32
		want   string // problems
	}{
		{"a plain server", false, false, "", 200, ""},
		{"a server over TLS", true, true, "127.0.0.1", 200, ""},
		{"a certificate of nobody's", true, false, "127.0.0.1", 200, "certificate"},
		{"a certificate of another host", true, true, "localhost", 200, "certificate"},
		{"a server that fails", false, false, "", 503, "status"},
		{"a page that is not there", false, false, "", 404, ""},
		{"a redirection is not followed", false, false, "", 302, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, "127.0.0.1:0", tt.secure)
			defer s.stop()
			s.status.Store(tt.status)
			r := Requester{Port: s.port(), TLS: tt.secure, To: tt.to}
			if tt.roots {
				r.Roots = x509.NewCertPool()
				r.Roots.AddCert(s.Certificate())
			}
			h := beat(t, r)
			h.Measures(4)
			got := h.Stop()
			// On a busy host a server may be silent at first.
			problems := strings.TrimSpace(strings.ReplaceAll(reasons(got), "silent", ""))
			if losses := got.Series(path, timeline.LossRoundTrip); len(losses) == 0 || losses[len(losses)-1].Value != 0 {
				t.Errorf("of %d samples of loss the last is not 0 on loopback", len(losses))
			}
			if problems != tt.want || len(got.EventsOf(path, timeline.EventOutage)) > 0 {
				t.Errorf("problems %q, want %q", reasons(got), tt.want)
			}
		})
	}
}

func TestAServerThatStopsAnsweringIsAnOutage(t *testing.T) {
	t.Parallel()
	s := newServer(t, "127.0.0.1:0", false)
	defer s.stop()
	h := beat(t, Requester{Port: s.port()})
	h.Measures(3)
	h.Outage(&s.door, 7, timeline.Both, 2*MinHeartbeat)
}

func TestAServerThatIsGoneIsNoOutageOfThePath(t *testing.T) {
	t.Parallel()
	port := peertest.Port(t, "127.0.0.1")
	address := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port).String()
	s := newServer(t, address, false)
	h := beat(t, Requester{Port: port})
	h.Measures(3)
	s.stop()
	h.Tells(timeline.EventProbeProblem)
	h.Await("a refusal is told", func(s timeline.Snapshot) bool { return strings.Contains(reasons(s), "refused") })
	s = newServer(t, address, false)
	defer s.stop()
	h.Measures(2)
	h.Await("a gap that is the server's", func(s timeline.Snapshot) bool {
		return slices.ContainsFunc(s.GapsOf(path, timeline.RTT), func(g timeline.Gap) bool { return g.Reason == timeline.ReasonPeer })
	})
	got := h.Stop()
	if es := got.EventsOf(path, timeline.EventOutage); len(es) > 0 {
		t.Errorf("%d outages: %s", len(es), es[0].Text)
	}
	if r := reasons(got); !strings.Contains(r, "server") || !strings.Contains(r, "refused") {
		t.Errorf("problems %q", r)
	}
}

func TestWhatIsNoWebServer(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"another protocol":            "220 mail.example ESMTP\r\n",
		"a header without end":        "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20),
		"headers without end":         "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 1<<17),
		"nothing but interim answers": strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 1<<15),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noServer(t, says)
		})
	}
}

// noServer looks what becomes of a heartbeat to something that says this to everybody.
func noServer(t *testing.T, says string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte(says))
			c.Close()
		}
	}()
	r := Requester{Port: l.Addr().(*net.TCPAddr).AddrPort().Port()}
	h := beat(t, r)
	h.Tells(timeline.EventProbeProblem)
	got := h.Stop()
	if !strings.Contains(reasons(got), "server") || len(got.Series(path, timeline.RTT)) > 0 {
		t.Errorf("problems %q, %d samples", reasons(got), len(got.Series(path, timeline.RTT)))
	}
	r.To = "127.0.0.1"
	if err := r.Check(t.Context()); err == nil {
		t.Errorf("Check: %v", err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	s := newServer(t, "127.0.0.1:0", true)
	defer s.stop()
	peertest.Await(t, "the server answers", func() bool { // a busy host may be late once
		return (&Requester{To: "127.0.0.1", Port: s.port(), TLS: true}).Check(t.Context()) == nil
	})
	s.door.Set(true)
	if err := (&Requester{To: "127.0.0.1", Port: s.port(), TLS: true}).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Error(err)
	}
}

func TestAddresses(t *testing.T) {
	tests := []struct {
		name string
		r    Requester
		want string
		err  string
	}{
		{"the usual", Requester{To: "127.0.0.1"}, "http://127.0.0.1/", ""},
		{"the usual with TLS", Requester{To: "127.0.0.1", TLS: true}, "https://127.0.0.1/", ""},
		{"IPv6 and a port", Requester{To: "::1", Port: 8080, Target: "/up?x=1"}, "http://[::1]:8080/up?x=1", ""},
		{"IPv6 at the usual port", Requester{To: "::1"}, "http://[::1]/", ""},
		{"a target that is none", Requester{To: "127.0.0.1", Target: "http://192.0.2.1/"}, "", "begins with /"},
		{"no host", Requester{}, "", "address"},
	}
	for _, tt := range tests {
		w, err := tt.r.open(t.Context())
		switch {
		case err != nil && (tt.err == "" || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%s: %v", tt.name, err)
		case err == nil:
			if w.url != tt.want {
				t.Errorf("%s: %s, want %s", tt.name, w.url, tt.want)
			}
			w.Close()
		}
	}
}
