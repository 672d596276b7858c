package udpconnect

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/peertest"
	"whydrop/probe/stamp"
)

var path = timeline.Path("a-b")

// beat starts a heartbeat.
func beat(t *testing.T, c Connector) *peertest.Running {
	t.Helper()
	c.Name, c.To, c.Heartbeat = "a-b", "127.0.0.1", time.Millisecond
	return peertest.Run(t, &c)
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
	closed := peertest.Port(t, "127.0.0.1")
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
			h := beat(t, Connector{Port: tt.port})
			h.Measures(5)
			got := h.Stop()
			for _, x := range got.Series(path, timeline.LossRoundTrip) {
				if x.Value != 0 {
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
	var door peertest.Door
	go func() {
		buf := make([]byte, 2048)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if door.Pass(time.Time{}) {
				_, _ = conn.WriteTo(buf[:n], from)
			}
		}
	}()
	h := beat(t, Connector{Port: port})
	h.Measures(3)
	h.Outage(&door, 6, timeline.Both, 2*MinHeartbeat)
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
