package udpconnect

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/stamp"
)

const ms = time.Millisecond

var path = timeline.Path("a-b")

// beat runs a heartbeat for a while, during which f is called.
func beat(t *testing.T, c Connector, d time.Duration, f func()) timeline.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	c.Name, c.To, c.Heartbeat = "a-b", "127.0.0.1", time.Millisecond
	var store timeline.Store
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := c.Probe(ctx, &store); err != nil {
			t.Errorf("Probe: %v", err)
		}
	})
	if f != nil {
		f()
	}
	wg.Wait()
	return store.Snapshot()
}

// socket returns a UDP socket and its port.
func socket(t *testing.T) (net.PacketConn, uint16) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return conn, conn.LocalAddr().(*net.UDPAddr).AddrPort().Port()
}

// A reflector's answer and a host's refusal are answers, and every heartbeat is a flow of its own.
func TestAnswersAndRefusalsAreAnswers(t *testing.T) {
	open, port := socket(t)
	gone, closed := socket(t)
	gone.Close()
	var r stamp.Reflector
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.Serve(ctx, open) })
	defer wg.Wait()
	defer cancel()
	for _, tt := range []struct {
		name string
		port uint16
	}{{"a reflector", port}, {"a closed port", closed}} {
		t.Run(tt.name, func(t *testing.T) {
			got := beat(t, Connector{Port: tt.port}, 1100*ms, nil)
			if n := len(got.Series(path, timeline.RTT)); n < 4 || n > 6 {
				t.Errorf("%d samples of the round trip in 1.1 s, want one in 200 ms", n)
			}
			for _, x := range append(got.Series(path, timeline.LossRoundTrip), got.Series(path, timeline.RTT)...) {
				if x.Value < 0 || x.Value > 0.2 {
					t.Errorf("%s is %v on loopback", x.Metric, x.Value)
				}
			}
			for _, e := range got.EventsOf(path, timeline.EventOutage, timeline.EventProbeProblem) {
				t.Errorf("%s: %s", e.Type, e.Text)
			}
		})
	}
	if n := r.Stats().Sessions; n < 5 || n != r.Stats().Reflected {
		t.Errorf("%d sessions, %d questions: want as many", n, r.Stats().Reflected)
	}
}

func TestAServerThatStopsAnsweringIsAnOutage(t *testing.T) {
	conn, port := socket(t)
	defer conn.Close()
	var mute sync.Mutex // held while it does not answer
	go func() {
		buf := make([]byte, 2048)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if mute.TryLock() {
				_, _ = conn.WriteTo(buf[:n], from)
				mute.Unlock()
			}
		}
	}()
	var from, to time.Time
	got := beat(t, Connector{Port: port}, 4*time.Second, func() {
		time.Sleep(900 * ms)
		mute.Lock()
		from = time.Now()
		time.Sleep(1100 * ms)
		mute.Unlock()
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
