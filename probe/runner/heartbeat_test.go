package runner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/icmp"
	"whydrop/probe/stamp"
)

// scripted is a means whose far end answers in some stretches of the test only, in virtual time.
func scripted(kind string, start time.Time, answers func(time.Duration) bool) means {
	path := timeline.Path("a-b")
	put := func(out timeline.Sink, t timeline.EventType) {
		out.Put(timeline.Event{Subject: path, Type: t, Span: timeline.At(time.Now()), Attrs: map[string]string{"kind": kind}})
	}
	return means{kind: kind,
		prober: fake(func(ctx context.Context, out timeline.Sink) error {
			put(out, timeline.EventProbeStart)
			defer put(out, timeline.EventProbeStop)
			for silent := 0; ctx.Err() == nil; {
				if answers(time.Since(start)) {
					silent = -1
					out.Put(timeline.Sample{Subject: path, Metric: timeline.RTT, Span: timeline.At(time.Now()), Value: 1})
				} else if silent >= 0 {
					if silent++; silent == 20 {
						put(out, timeline.EventProbeProblem)
					}
				}
				select {
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
			}
			return nil
		}),
		check: func(context.Context) error {
			if !answers(time.Since(start)) {
				return errors.New("no answer")
			}
			return nil
		},
	}
}

func TestTheHeartbeatGoesByWhatAnswers(t *testing.T) {
	always := func(time.Duration) bool { return true }
	never := func(time.Duration) bool { return false }
	from := func(d time.Duration) func(time.Duration) bool {
		return func(at time.Duration) bool { return at >= d }
	}
	until := func(d time.Duration) func(time.Duration) bool {
		return func(at time.Duration) bool { return at < d }
	}
	tests := []struct {
		name             string
		stamp, icmp, tcp func(time.Duration) bool
		want             string // the kinds started, in order
		dark             string // the outages told, "open" if they go on
	}{
		{"STAMP answers", always, always, always, "stamp", ""},
		{"STAMP answers and the path goes dark later", until(5 * time.Second), never, never, "stamp", ""},
		{"no far end", never, always, always, "stamp icmp", ""},
		{"no far end and no ICMP", never, never, always, "stamp tcp-connect", ""},
		{"STAMP comes later", from(14 * time.Second), always, always, "stamp icmp stamp", ""},
		{"nothing answers", never, never, never, "stamp icmp", "0-2 open, 0-30 open"},
		{"everything is dark at first", from(14 * time.Second), from(14 * time.Second), from(14 * time.Second), "stamp icmp stamp", "0-2 open, 0-14"},
		{"connections alone answer, later", never, never, from(14 * time.Second), "stamp icmp stamp tcp-connect", "0-2 open, 0-19 ±5000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				h := heartbeat{path: timeline.Path("a-b"), every: returnTime, means: []means{
					scripted("stamp", start, tt.stamp), scripted("icmp", start, tt.icmp), scripted("tcp-connect", start, tt.tcp),
				}}
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				var store timeline.Store
				if err := h.Probe(ctx, &store); err != nil {
					t.Fatal(err)
				}
				var got, dark []string
				stops := 0
				for _, e := range store.Snapshot().Events() {
					switch e.Type {
					case timeline.EventProbeStart:
						got = append(got, e.Attrs["kind"])
					case timeline.EventProbeStop:
						stops++
					case timeline.EventOutage:
						d := fmt.Sprintf("%.0f-%.0f", e.Span.From.Sub(start).Seconds(), e.Span.To.Sub(start).Seconds())
						if e.Attrs["open"] == "true" {
							d += " open"
						}
						if ms := e.Attrs["error_ms"]; ms != "100" {
							d += " ±" + ms
						}
						dark = append(dark, d)
					}
				}
				if got := strings.Join(dark, ", "); got != tt.dark {
					t.Errorf("outages %q, want %q", got, tt.dark)
				}
				if strings.Join(got, " ") != tt.want || stops != len(got) {
					t.Errorf("started %q, %d stops; want %q", got, stops, tt.want)
				}
			})
		})
	}
}

func TestOnLoopbackTheHeartbeatReturnsToSTAMP(t *testing.T) {
	conn, err := stamp.Listen(t.Context(), ":0")
	if err != nil {
		t.Fatal(err)
	}
	at := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	conn.Close()
	if err := icmp.Check(t.Context(), "127.0.0.1"); err != nil && os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
		t.Fatal(err)
	}
	p, err := newHeartbeat(Spec{Path: "a-b", To: "127.0.0.1", STAMPPort: at.Port()})
	if err != nil {
		t.Fatal(err)
	}
	h := p.(*heartbeat)
	h.every = 200 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	var far sync.WaitGroup
	far.Go(func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(2500 * time.Millisecond):
		}
		conn, err := stamp.Listen(ctx, at.String())
		if err != nil {
			t.Error(err)
			return
		}
		if err := new(stamp.Reflector).Serve(ctx, conn); err != nil {
			t.Error(err)
		}
	})
	var store timeline.Store
	if err := h.Probe(ctx, &store); err != nil {
		t.Fatal(err)
	}
	far.Wait()
	s := store.Snapshot()
	var kinds []string
	for _, e := range s.EventsOf(h.path, timeline.EventProbeStart) {
		kinds = append(kinds, e.Attrs["kind"])
	}
	// Where echo requests are not allowed, it goes by connections.
	if got := strings.Join(kinds, " "); got != "stamp icmp stamp" && got != "stamp tcp-connect stamp" {
		t.Errorf("started %s", got)
	}
	if len(s.Series(h.path, timeline.LossForward)) == 0 {
		t.Error("no loss by direction after the far end came")
	}
	if es := s.EventsOf(h.path, timeline.EventOutage); len(es) > 0 {
		t.Errorf("%d outages, the first: %s", len(es), es[0].Text)
	}
}
