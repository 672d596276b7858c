package tui

import (
	"math"
	"strings"
	"testing"
	"time"

	"whydrop/cmd/internal/report/reporttest"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// told is a small timeline to write by hand.
type told struct{ store timeline.Store }

func (b *told) sample(m timeline.Metric, from, to, v float64) *told {
	b.store.Put(timeline.Sample{Subject: timeline.Path("p"), Metric: m, Span: timeline.Span{From: reporttest.At(from), To: reporttest.At(to)}, Value: v})
	return b
}

// every writes samples of that length from one moment to another.
func (b *told) every(m timeline.Metric, step, from, to, v float64) *told {
	for s := from; s+step <= to+1e-9; s += step {
		b.sample(m, s, s+step, v)
	}
	return b
}

func (b *told) outage(from, to float64) *told {
	b.store.Put(timeline.Event{Subject: timeline.Path("p"), Type: timeline.EventOutage, Span: timeline.Span{From: reporttest.At(from), To: reporttest.At(to)},
		Attrs: map[string]string{"direction": "both", "seen_by": "heartbeat"}})
	return b
}

func TestStateOfAPath(t *testing.T) {
	const gf, off, lf, lr, rt, rtt = timeline.GoodputForward, timeline.OfferedForward, timeline.LossForward, timeline.LossReverse, timeline.LossRoundTrip, timeline.RTT
	start := func() *told { return (&told{}).every(rtt, 0.1, 0, 60, 0.001) }
	tests := []struct {
		name      string
		in        *told
		now       float64
		state     State
		since     float64 // -1: none
		direction string
		says      string
	}{
		{"nothing was ever measured", &told{}, 10, StateUnknown, -1, "", "nothing measured in the last 5 s"},
		{"nothing was measured lately", start().every(lf, 0.1, 0, 60, 0), 66, StateUnknown, -1, "", "nothing measured"},
		{"all is well", start().every(lf, 0.1, 0, 60, 0).every(gf, 1, 0, 60, 10e6).every(off, 1, 0, 60, 10e6), 60, StateOK, -1, "", "10.0 Mbit/s, loss 0.0 %, RTT 1.00 ms"},
		{"dark to the far end", start().every(lf, 0.1, 0, 50, 0).sample(lf, 50, 50.1, 0.4).every(lf, 0.1, 50.1, 60, 1).every(lr, 0.1, 0, 50, 0), 60, StateDown, 50.06, timeline.Forward, "for 10 s, since 14:02:50.0 UTC: no heartbeat to the far end"},
		{"dark, the direction is open while nothing returns", start().every(lf, 0.1, 0, 50, 0).every(lr, 0.1, 0, 50, 0).every(rt, 0.1, 50, 58, 1), 58, StateDown, 50, "", "no heartbeat"},
		{"dark again, a few seconds after the last time", start().every(lf, 0.1, 0, 50, 0).every(lf, 0.1, 50, 52, 1).every(lf, 0.1, 52, 54, 0).every(lf, 0.1, 54, 54.5, 1), 54.5, StateDown, 54, timeline.Forward, "no heartbeat"},
		{"dark a moment ago, and back", start().every(lf, 0.1, 0, 50, 0).every(lf, 0.1, 50, 58, 1).every(lf, 0.1, 58, 60, 0), 60, StateOK, -1, "", "loss 0.0 %"},
		{"the ragged end of an outage is no loss of its own", start().every(lf, 1, 0, 50, 0).every(lf, 1, 50, 58, 1).sample(lf, 58, 59, 0.6).sample(lf, 59, 60, 0).outage(50, 58.6), 60, StateOK, -1, "", "loss 0.0 %"},
		{"dark too long ago to be known", start().every(lf, 0.1, 0, 50, 0).every(lf, 0.1, 50, 58, 1), 64, StateOK, -1, "", "RTT"},
		{"a little is lost all the time", start().every(lf, 0.1, 0, 40, 0).every(lf, 0.1, 40, 60, 0.02), 60, StateLossy, 40, timeline.Forward, "2.0 % lost to the far end"},
		{"a little is lost on the way back", start().every(lf, 0.1, 0, 60, 0).every(lr, 0.1, 0, 60, 0.05), 60, StateLossy, 0, timeline.Reverse, "5.0 % lost from the far end"},
		{"TCP stands still while the heartbeat passes", start().every(lf, 0.1, 0, 60, 0).every(gf, 1, 0, 55, 10e6).every(gf, 1, 55, 60, 0).every(off, 1, 0, 60, 10e6), 60, StateStalled, 55, "", "for 5 s, since 14:02:55.0 UTC: TCP stands still"},
		{"TCP stands still and no rate was asked for", start().every(gf, 1, 0, 55, 800e6).every(gf, 1, 55, 60, 0), 60, StateStalled, 55, "", "TCP stands still"},
		{"less is delivered than is offered", start().every(gf, 1, 0, 30, 10e6).every(gf, 1, 30, 60, 4e6).every(off, 1, 0, 60, 10e6), 60, StateSlow, 30, "", "4.0 Mbit/s of 10.0 Mbit/s offered"},
		{"a rate that varies without a target is no trouble", start().every(gf, 1, 0, 30, 900e6).every(gf, 1, 30, 60, 400e6), 60, StateOK, -1, "", "400.0 Mbit/s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := reporttest.At(tt.now)
			topo := correlate.Topology{Paths: []correlate.Path{{Name: "p"}}}
			p := NewModel(tt.in.store.Snapshot(), topo, nil, now).Paths[0]
			if p.State != tt.state {
				t.Fatalf("got %s (%s), want %s", stateWords[p.State], p.Sentence(now), stateWords[tt.state])
			}
			if got := p.Since.Sub(reporttest.Start).Seconds(); tt.since < 0 != p.Since.IsZero() || tt.since >= 0 && math.Abs(got-tt.since) > 0.011 {
				t.Errorf("since: got %v, want %v s", got, tt.since)
			}
			if p.Direction != tt.direction {
				t.Errorf("direction: got %q, want %q", p.Direction, tt.direction)
			}
			if got := p.Sentence(now); !strings.Contains(got, tt.says) {
				t.Errorf("got %q, want it to say %q", got, tt.says)
			}
		})
	}
}

func TestHistoryOfAPath(t *testing.T) {
	tests := []struct {
		name string
		in   *told
		want string
	}{
		{"none", &told{}, "none so far"},
		{"one", (&told{}).outage(20, 24.21), "36 s ago, 14:02:20 UTC: down 4.21 s"},
		{"several", (&told{}).outage(20, 24.21).outage(40, 41), "19 s ago, 14:02:40 UTC: down 1.00 s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := reporttest.At(60)
			p := NewModel(tt.in.store.Snapshot(), correlate.Topology{Paths: []correlate.Path{{Name: "p"}}}, nil, now).Paths[0]
			if got := p.History(now); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWhichUnitForwards(t *testing.T) {
	word := map[Forwards]string{ForwardsUnknown: "?", ForwardsYes: "yes", ForwardsNo: "no", NoGroup: "no group"}
	traffic := func(s *timeline.Store, device string, v float64) {
		s.Put(timeline.Sample{Subject: timeline.Port(device, "in"), Metric: timeline.InBits, Span: timeline.Span{From: reporttest.At(9), To: reporttest.At(10)}, Value: v})
	}
	took := func(s *timeline.Store, device, to string, at float64) {
		s.Put(timeline.Event{Subject: timeline.Device(device), Type: timeline.EventFailover, Span: timeline.At(reporttest.At(at)), Attrs: map[string]string{"to": to}})
	}
	tests := []struct {
		name   string
		fill   func(*timeline.Store)
		a, b   string
		hops   [][]string
		device string
	}{
		{"nothing is known", func(*timeline.Store) {}, "?", "?", nil, ""},
		{"one carries the traffic", func(s *timeline.Store) { traffic(s, "a", 10e6); traffic(s, "b", 2e3) }, "yes", "no", nil, ""},
		{"both carry some", func(s *timeline.Store) { traffic(s, "a", 10e6); traffic(s, "b", 8e6) }, "?", "?", nil, ""},
		{"neither does, but one took over last", func(s *timeline.Store) { took(s, "a", "active", 3); took(s, "b", "active", 5) }, "no", "yes", nil, ""},
		{"who gave up did not take over", func(s *timeline.Store) { took(s, "a", "active", 3); took(s, "a", "standby", 5) }, "yes", "no", nil, ""},
		{"traffic is believed before words", func(s *timeline.Store) { traffic(s, "a", 10e6); traffic(s, "b", 0); took(s, "b", "active", 5) }, "yes", "no", nil, ""},
		{"one that is blind may still be idle", func(s *timeline.Store) { traffic(s, "b", 10e6) }, "no", "yes", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store := &timeline.Store{}
			tt.fill(store)
			topo := correlate.Topology{
				Paths:   []correlate.Path{{Name: "p", Hops: [][]string{{"sw"}, {"a", "b"}}}},
				Devices: []correlate.Device{{Name: "a", Ports: []string{"in"}}, {Name: "b", Ports: []string{"in"}}},
			}
			hops := NewModel(store.Snapshot(), topo, nil, reporttest.At(10)).Paths[0].Hops
			if got := word[hops[0].Members[0].Forwards]; got != "no group" {
				t.Errorf("sw: got %s", got)
			}
			a, b := hops[1].Members[0], hops[1].Members[1]
			if word[a.Forwards] != tt.a || word[b.Forwards] != tt.b {
				t.Errorf("got a %s, b %s; want %s and %s", word[a.Forwards], word[b.Forwards], tt.a, tt.b)
			}
		})
	}
}

func TestHealthOfPortsAndDevices(t *testing.T) {
	port := timeline.Port("sw1", "GigabitEthernet1/0/1")
	put := func(s *timeline.Store, sub timeline.Subject, m timeline.Metric, from, to, v float64) {
		s.Put(timeline.Sample{Subject: sub, Metric: m, Span: timeline.Span{From: reporttest.At(from), To: reporttest.At(to)}, Value: v})
	}
	gap := func(s *timeline.Store, from, to float64) {
		s.Put(timeline.Gap{Subject: timeline.Device("sw1"), Span: timeline.Span{From: reporttest.At(from), To: reporttest.At(to)}, Reason: timeline.ReasonTimeout})
	}
	up := func(s *timeline.Store) {
		put(s, port, timeline.Oper, 59, 60, 1)
		put(s, timeline.Device("sw1"), timeline.Reachable, 59, 60, 1)
	}
	tests := []struct {
		name         string
		fill         func(*timeline.Store)
		port, device Health
		word, says   string
	}{
		{"never read", func(*timeline.Store) {}, HealthUnknown, HealthUnknown, "?", "not read yet"},
		{"up", up, HealthOK, HealthOK, "up", ""},
		{"down", func(s *timeline.Store) { up(s); put(s, port, timeline.Oper, 59.5, 60, 0) }, HealthDown, HealthDown, "down", ""},
		{"a reading that is too old is none", func(s *timeline.Store) {
			put(s, port, timeline.Oper, 9, 10, 1)
			put(s, timeline.Device("sw1"), timeline.Reachable, 9, 10, 1)
		}, HealthUnknown, HealthUnknown, "?", "last read 50 s ago"},
		{"errors in the last minute", func(s *timeline.Store) { up(s); put(s, port, timeline.InFCS, 30, 31, 12) }, HealthWarn, HealthWarn, "up", ""},
		{"errors before that", func(s *timeline.Store) { up(s); put(s, port, timeline.InFCS, -30, -20, 12) }, HealthOK, HealthOK, "up", ""},
		{"one error is everyday life", func(s *timeline.Store) { up(s); put(s, port, timeline.InFCS, 30, 31, 1) }, HealthOK, HealthOK, "up", ""},
		{"drops", func(s *timeline.Store) { up(s); put(s, port, timeline.OutDrops, 30, 31, 400) }, HealthWarn, HealthWarn, "up", ""},
		{"blocked by spanning tree", func(s *timeline.Store) { up(s); put(s, port, timeline.STPForwarding, 59, 60, 0) }, HealthOK, HealthOK, "blocked", ""},
		{"half duplex", func(s *timeline.Store) { up(s); put(s, port, timeline.HalfDuplex, 59, 60, 1) }, HealthOK, HealthOK, "half", ""},
		{"silent for a while", func(s *timeline.Store) { gap(s, 40, 50); gap(s, 50, 60) }, HealthUnknown, HealthDown, "?", "no answer for 20 s"},
		{"silent, and answering again", func(s *timeline.Store) { gap(s, 40, 58); up(s) }, HealthOK, HealthOK, "up", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store := &timeline.Store{}
			tt.fill(store)
			topo := correlate.Topology{Paths: []correlate.Path{{Name: "p", Hops: [][]string{{"sw1"}}}}, Devices: []correlate.Device{{Name: "sw1", Role: "switch", Ports: []string{port.Name}}}}
			m := NewModel(store.Snapshot(), topo, nil, reporttest.At(60))
			p, d := m.Ports[0], m.Devices[0]
			if p.Health != tt.port || d.Health != tt.device {
				t.Errorf("got port %d, device %d; want %d and %d", p.Health, d.Health, tt.port, tt.device)
			}
			if p.Word() != tt.word || d.Word != tt.says {
				t.Errorf("got %q and %q; want %q and %q", p.Word(), d.Word, tt.word, tt.says)
			}
			if p.Short != "Gi1/0/1" {
				t.Errorf("short name: got %q", p.Short)
			}
		})
	}
}

func TestFilter(t *testing.T) {
	tests := []struct {
		name, filter string
		want         bool
	}{
		{"nothing lets all through", "", true},
		{"one word", "gi1/0", true},
		{"two words in any order", "blocking dist", true},
		{"a word that does not occur", "fw1", false},
		{"left out", "!dist", false},
		{"left out what is not there", "!fw1", true},
		{"a lone mark", "!", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := matches(tt.filter, "dist-a Gi1/0/23", "spanning tree forwarding to blocking"); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestPortsAreSorted(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	a := &Port{Device: "b", Name: "1", In: v(5), ErrorsSeen: 1}
	b := &Port{Device: "a", Name: "2", In: nil, ErrorsSeen: 9, Health: HealthWarn}
	c := &Port{Device: "a", Name: "1", In: v(7)}
	ports := []*Port{a, b, c}
	tests := []struct {
		column  string
		reverse bool
		want    []*Port
	}{
		{"path", false, []*Port{a, b, c}}, {"health", false, []*Port{b, a, c}}, {"in", false, []*Port{c, a, b}},
		{"errors", false, []*Port{b, a, c}}, {"name", false, []*Port{c, b, a}}, {"name", true, []*Port{a, b, c}},
	}
	for _, tt := range tests {
		for i, col := range portColumns {
			if col.title != tt.column {
				continue
			}
			got := sortedPorts(ports, i, tt.reverse, "")
			for j := range got {
				if got[j] != tt.want[j] {
					t.Errorf("%s, reverse %v: place %d has %s %s", tt.column, tt.reverse, j, got[j].Device, got[j].Name)
				}
			}
		}
	}
}

func TestLossLevel(t *testing.T) {
	for _, tt := range []struct {
		loss  float64
		steps int
		want  int
	}{{0.0001, 8, 1}, {0.001, 8, 1}, {0.02, 8, 4}, {1, 8, 8}, {1, 24, 24}} {
		if got := lossLevel(tt.loss, tt.steps); got != tt.want {
			t.Errorf("lossLevel(%v, %d): got %d, want %d", tt.loss, tt.steps, got, tt.want)
		}
	}
}

func TestShortFigures(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{count(0), "0"}, {count(0.2), "1"}, {count(12), "12"}, {count(250000), "250k"}, {count(3.2e6), "3.2M"},
		{shortRate(0), "0.0M"}, {shortRate(9.4e6), "9.4M"}, {shortRate(941e6), "941M"}, {shortRate(9.41e9), "9.4G"},
		{shortSpeed(1e9), "1G"}, {shortSpeed(2.5e9), "2.5G"}, {shortSpeed(1e8), "100M"},
		{shortPort("GigabitEthernet1/0/1"), "Gi1/0/1"}, {shortPort("TenGigabitEthernet1/1"), "Te1/1"}, {shortPort("Ethernet"), "Ethernet"}, {shortPort("inside"), "inside"},
		{clipLeft("Gi1/0/24", 8, fancy), "Gi1/0/24"}, {clipLeft("Gi1/0/24", 5, fancy), "…0/24"}, {clipLeft("abc", 0, fancy), "…"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestWindowOfTheChart(t *testing.T) {
	m := func(began, now float64) *Model { return &Model{Began: reporttest.At(began), Now: reporttest.At(now)} }
	tests := []struct {
		name     string
		m        *Model
		zoom     int
		from, to float64
	}{
		{"a run that just began", m(0, 5), 0, 0, 30},
		{"a run shorter than the window", m(0, 80), 0, 0, 80},
		{"the newest part of a long run", m(0, 500), 0, 380, 500},
		{"the whole run", m(0, 500), 3, 0, 500},
		{"zoomed in", m(0, 500), 4, 470, 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.m.window(tt.zoom)
			if want := (timeline.Span{From: reporttest.At(tt.from), To: reporttest.At(tt.to)}); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	if windows[3] != 0 || windows[4] != 30*time.Second || len(windowNames) != len(windows) {
		t.Error("the windows and their names have changed: see the cases above")
	}
}
