package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/iperf3"
	"whydrop/probe/stamp"
	"whydrop/probe/tcpconnect"
)

// fake is a prober that does what its function says.
type fake func(ctx context.Context, out timeline.Sink) error

func (fake) Path() timeline.Subject                               { return timeline.Path("a-b") }
func (f fake) Probe(ctx context.Context, out timeline.Sink) error { return f(ctx, out) }
func problems(s timeline.Snapshot) (out []timeline.Event) {
	return s.EventsOf(timeline.Path("a-b"), timeline.EventProbeProblem)
}

func TestProbersNamesTheKeyAtFault(t *testing.T) {
	tests := []struct {
		name  string
		s     Spec
		want  int
		fault string
	}{
		{"the usual", Spec{Path: "a-b", To: "192.0.2.1"}, 3, ""},
		{"every kind", Spec{Path: "a-b", To: "192.0.2.1", Kinds: []string{"iperf3", "heartbeat", "stamp", "icmp", "tcp-connect", "udp-connect", "dns", "http", "https", "host"}}, 10, ""},
		{"no name", Spec{To: "192.0.2.1"}, 0, "name"},
		{"no host", Spec{Path: "a-b"}, 0, "to is missing"},
		{"an unknown kind", Spec{Path: "a-b", To: "192.0.2.1", Kinds: []string{"owamp"}}, 0, `no kind "owamp"; there are dns, heartbeat, host, http`},
		{"a negative rate", Spec{Path: "a-b", To: "192.0.2.1", Rate: -1}, 0, "rate"},
		{"a negative heartbeat", Spec{Path: "a-b", To: "192.0.2.1", Heartbeat: -1}, 0, "heartbeat"},
	}
	for _, tt := range tests {
		ps, err := Probers(tt.s)
		if len(ps) != tt.want || (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
			t.Errorf("%s: %d probers, %v; want %d, %q", tt.name, len(ps), err, tt.want, tt.fault)
		}
		for _, p := range ps {
			if p.Path() != timeline.Path("a-b") {
				t.Errorf("%s: a prober of %s", tt.name, p.Path())
			}
		}
	}
}

func TestPortsAreTakenFromTheSpec(t *testing.T) {
	tests := []struct {
		name        string
		s           Spec
		port, stamp uint16
	}{
		{"none given", Spec{}, 5201, 5202},
		{"the port alone", Spec{Port: 6000}, 6000, 6001},
		{"both", Spec{Port: 6000, STAMPPort: 862}, 6000, 862},
	}
	for _, tt := range tests {
		tt.s.Path, tt.s.To = "a-b", "192.0.2.1"
		sender, _ := newStamp(tt.s)
		connector, _ := newTCPConnect(tt.s)
		stream, _ := newIperf3(tt.s)
		if got := sender.(*stamp.Sender).Port; got != tt.stamp {
			t.Errorf("%s: STAMP goes to port %d, want %d", tt.name, got, tt.stamp)
		}
		if got := connector.(*tcpconnect.Connector).Port; got != tt.port {
			t.Errorf("%s: connections go to port %d, want %d", tt.name, got, tt.port)
		}
		if got, want := stream.(*iperf3.Client).Address, fmt.Sprintf("192.0.2.1:%d", tt.port); got != want {
			t.Errorf("%s: iperf3 goes to %s, want %s", tt.name, got, want)
		}
		hb, _ := newHeartbeat(tt.s)
		if m := hb.(*heartbeat).means; m[2].prober.(*tcpconnect.Connector).Port != tt.stamp || m[3].prober.(*tcpconnect.Connector).Port != tt.port {
			t.Errorf("%s: the heartbeat's connections must go to the STAMP port first", tt.name)
		}
	}
}

func TestAFailingProberIsTriedAgainAndEndsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var tries []time.Duration
		failing := fake(func(context.Context, timeline.Sink) error {
			tries = append(tries, time.Since(start))
			return errors.New("no such host")
		})
		ended := time.Duration(0)
		steady := fake(func(ctx context.Context, _ timeline.Sink) error {
			<-ctx.Done()
			ended = time.Since(start)
			return nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		var store timeline.Store
		if err := Run(ctx, []probe.Prober{failing, steady}, &store); err != nil {
			t.Fatal(err)
		}
		want := []time.Duration{0, 1, 3, 7, 15, 25, 35}
		for i := range want {
			want[i] *= time.Second
		}
		if !slices.Equal(tries, want) {
			t.Errorf("tried at %v, want %v", tries, want)
		}
		if ended != 40*time.Second {
			t.Errorf("the other prober ended at %s", ended)
		}
		if es := problems(store.Snapshot()); len(es) != len(want) || es[0].Attrs["reason"] != "no such host" {
			t.Errorf("%d problems, want %d", len(es), len(want))
		}
	})
}

func TestNothingToRunIsAnError(t *testing.T) {
	if err := Run(t.Context(), nil, &timeline.Store{}); err == nil {
		t.Error("no error")
	}
}
