package tcpconnect

import (
	"context"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/peertest"
)

const ms = time.Millisecond

// ports returns a port on which something listens and one on which nothing does.
func ports(t *testing.T) (open, closed uint16) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().(*net.TCPAddr).AddrPort().Port(), peertest.Port(t, "127.0.0.1")
}

func TestAcceptanceAndRefusalAreAnswers(t *testing.T) {
	open, closed := ports(t)
	for _, tt := range []struct {
		name string
		port uint16
	}{{"a port that accepts", open}, {"a port that refuses", closed}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := Check(t.Context(), "127.0.0.1", tt.port); err != nil {
				t.Errorf("Check: %v", err)
			}
			h := peertest.Run(t, &Connector{Name: "a-b", To: "127.0.0.1", Port: tt.port, Heartbeat: time.Millisecond})
			h.Measures(5)
			s, path := h.Stop(), timeline.Path("a-b")
			for _, x := range s.Series(path, timeline.LossRoundTrip) {
				if x.Value != 0 {
					t.Errorf("%s is %v on loopback", x.Metric, x.Value)
				}
			}
			for _, e := range s.EventsOf(path, timeline.EventOutage, timeline.EventProbeProblem) {
				t.Errorf("%s: %s", e.Type, e.Text)
			}
		})
	}
}

func TestWhatIsNoPortIsAnError(t *testing.T) {
	c := Connector{Name: "a-b", To: "127.0.0.1"}
	if err := c.Probe(t.Context(), &timeline.Store{}); err == nil || !strings.Contains(err.Error(), "port") {
		t.Errorf("no port: %v", err)
	}
	c = Connector{Name: "a-b", To: "", Port: 1}
	if err := c.Probe(t.Context(), &timeline.Store{}); err == nil {
		t.Error("no host: no error")
	}
}

// A host that cannot send says so in the outage.
func TestErrorsOfThisHostAreNoAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		dial := func(ctx context.Context, network, address string) (net.Conn, error) {
			switch at := time.Since(start); {
			case at < 3*time.Second || at > 6*time.Second:
				time.Sleep(20 * ms)
				return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
			case at < 4*time.Second:
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var store timeline.Store
		if err := (&Connector{Name: "a-b", To: "192.0.2.1", Port: 9, Dial: dial}).Probe(ctx, &store); err != nil {
			t.Fatal(err)
		}
		es := store.Snapshot().EventsOf(timeline.Path("a-b"), timeline.EventOutage)
		if len(es) != 1 {
			t.Fatalf("%d outages, want 1", len(es))
		}
		e := es[0]
		if d := e.Span.Width() - 3200*ms; d.Abs() > 200*ms || !strings.Contains(e.Text, "unreachable") || strings.Contains(e.Text, "192.0.2.1") {
			t.Errorf("outage of %s, want 3.2 s that this host could not send: %s", e.Span.Width(), e.Text)
		}
	})
}
