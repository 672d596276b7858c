package rules

import (
	"math"
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func ptr[T any](v T) *T { return &v }

func tcp(n, client, server string, rate float64) Run {
	return Run{Name: n, Subject: timeline.Path(n), Source: "text:x:1", Protocol: "tcp", Client: client, Server: server, Streams: 1, Rate: rate, Seconds: 10}
}

func window(bytes float64) *Window {
	return &Window{Bytes: bytes, Low: bytes * 0.999, High: bytes * 1.001}
}

func port(device, name string) PortView {
	return PortView{Subject: timeline.Port(device, name), Source: "text:x:9", Oper: ptr(true), HalfDuplex: ptr(false), Speed: ptr(1e9), SpeedMax: ptr(1e9),
		Totals: map[timeline.Metric]float64{timeline.InErrors: 0, timeline.OutErrors: 0, timeline.InFCS: 0, timeline.OutDrops: 0, timeline.InDrops: 0}}
}

// told writes findings as "id verdict", in their order.
func toldIDs(ds []Diagnosis) string {
	var out []string
	for _, d := range ds {
		out = append(out, strings.Join(d.Chain, ">")+" "+string(d.Verdict))
	}
	return strings.Join(out, ", ")
}

func sweepOf(pairs ...float64) List {
	l := List{Name: "list 1", Subject: timeline.Path("list 1"), Window: true}
	for i := 0; i < len(pairs); i += 2 {
		l.Points = append(l.Points, Point{Text: sizeText(pairs[i]), Size: pairs[i], Low: pairs[i], High: pairs[i], Rate: pairs[i+1]})
	}
	return l
}

func with(r Run, change func(*Run)) Run {
	change(&r)
	return r
}

func withPort(p PortView, change func(*PortView)) PortView {
	change(&p)
	return p
}

func TestPasted(t *testing.T) {
	const k = 1024
	udp := func(n string, sent, share float64, buffer float64) Run {
		total := int64(100000)
		lost := int64(share * float64(total))
		return Run{Name: n, Subject: timeline.Path(n), Protocol: "udp", Client: "a", Server: "b", Streams: 1, Rate: sent * (1 - share), Sent: ptr(sent), Seconds: 10, Lost: &lost, Total: &total, Window: window(buffer)}
	}
	delta := func(name string, counts map[timeline.Metric]float64) PortView {
		return withPort(port("sw1", name), func(p *PortView) {
			p.Totals, p.Counts, p.Since = nil, counts, "between the two snapshots"
		})
	}
	for name, c := range map[string]struct {
		in   Pasted
		want string
	}{
		"nothing":                         {Pasted{}, ""},
		"a counter of datagrams ran over": {Pasted{Runs: []Run{with(udp("run 1", 100e6, 0, 4096*k), func(r *Run) { r.Overran = true })}}, "tester-artefact suspected"},

		"the rate grows with the window":          {Pasted{Lists: []List{sweepOf(4*k, 20e6, 8*k, 39e6, 16*k, 80e6, 64*k, 300e6, 256*k, 310e6)}}, "tcp-window holds"},
		"the rate does not follow the window":     {Pasted{Lists: []List{sweepOf(4*k, 300e6, 8*k, 305e6, 16*k, 298e6, 64*k, 300e6)}}, ""},
		"the rate falls with the window":          {Pasted{Lists: []List{sweepOf(4*k, 300e6, 8*k, 250e6, 16*k, 200e6)}}, ""},
		"two rows are no sweep":                   {Pasted{Lists: []List{sweepOf(4*k, 20e6, 8*k, 40e6)}}, ""},
		"the sizes are no windows":                {Pasted{Lists: []List{with2(sweepOf(4*k, 20e6, 8*k, 39e6, 16*k, 80e6, 64*k, 300e6), func(l *List) { l.Window = false })}}, ""},
		"the only large row cannot be":            {Pasted{Lists: []List{sweepOf(4*k, 20e6, 8*k, 39e6, 1<<31, 900e6)}}, ""},
		"window over round trip is the rate":      {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 16.6e6), func(r *Run) { r.Window, r.RTT, r.Retransmits = window(64*k), ptr(0.031), ptr(int64(0)) })}}, "tcp-window holds"},
		"the window allows ten times as much":     {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 16.6e6), func(r *Run) { r.Window, r.RTT, r.Retransmits = window(640*k), ptr(0.031), ptr(int64(0)) })}}, "tcp-window cannot-tell"},
		"it fits, but segments were lost":         {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 16.6e6), func(r *Run) { r.Window, r.RTT, r.Retransmits = window(64*k), ptr(0.031), ptr(int64(900)) })}}, "tcp-window suspected"},
		"the rate is as the window, no RTT known": {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 10e6), func(r *Run) { r.Window = window(64 * k) }), with(tcp("run 2", "a", "b", 21e6), func(r *Run) { r.Window = window(128 * k) })}}, "tcp-window suspected"},
		"the rate is not as the window":           {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 10e6), func(r *Run) { r.Window = window(64 * k) }), with(tcp("run 2", "a", "b", 10.2e6), func(r *Run) { r.Window = window(1024 * k) })}}, "tcp-window cannot-tell"},
		"other hosts are not compared":            {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 10e6), func(r *Run) { r.Window = window(64 * k) }), with(tcp("run 2", "a", "c", 21e6), func(r *Run) { r.Window = window(128 * k) })}}, "tcp-window cannot-tell"},
		"several flows add up":                    {Pasted{Runs: []Run{tcp("run 1", "a", "b", 10e6), with(tcp("run 2", "a", "b", 39e6), func(r *Run) { r.Streams = 4 })}}, "tcp-window suspected"},

		"a sender that never grew beyond a window":  {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 23.6e6), func(r *Run) { r.Steady, r.RTT, r.Retransmits = window(128*k), ptr(0.044), ptr(int64(0)) })}}, "tcp-window holds"},
		"the same, at what a line happens to carry": {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 94.1e6), func(r *Run) { r.Steady, r.RTT, r.Retransmits = window(512*k), ptr(0.0446), ptr(int64(0)) })}}, "tcp-window holds"},
		"the same, and the text names that line": {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 94.1e6), func(r *Run) {
			r.Line, r.Steady, r.RTT, r.Retransmits = ptr(100e6), window(512*k), ptr(0.0446), ptr(int64(0))
		})}}, "link-saturated holds"},
		"it never grew, and allows three times that": {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 23.6e6), func(r *Run) { r.Steady, r.RTT, r.Retransmits = window(384*k), ptr(0.044), ptr(int64(0)) })}}, "tcp-window cannot-tell"},
		"it never grew, and no round trip is known":  {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 23.6e6), func(r *Run) { r.Steady, r.Retransmits = window(128*k), ptr(int64(0)) })}}, "tcp-window cannot-tell"},

		"a full gigabit": {Pasted{Runs: []Run{tcp("run 1", "a", "b", 941e6)}}, "link-saturated holds"},
		"nearly a full gigabit, as the text says":   {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 915e6), func(r *Run) { r.Line = ptr(1e9) }), tcp("run 2", "a", "b", 917e6)}}, "link-saturated holds"},
		"94 Mbit/s, and nothing said of the line":   {Pasted{Runs: []Run{tcp("run 1", "a", "b", 94.1e6)}}, "link-saturated suspected"},
		"94 Mbit/s over a line of 100":              {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 94.1e6), func(r *Run) { r.Line = ptr(100e6) })}}, "link-saturated holds"},
		"94 Mbit/s over a line of 1000":             {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 94.1e6), func(r *Run) { r.Line = ptr(1e9) })}}, "speed-fallback suspected"},
		"94 Mbit/s, and a port that fell back":      {Pasted{Runs: []Run{tcp("run 1", "a", "b", 94.1e6)}, Ports: []PortView{withPort(port("sw1", "Gi1"), func(p *PortView) { p.Speed = ptr(100e6) })}}, "speed-fallback holds"},
		"a port that fell back alone":               {Pasted{Ports: []PortView{withPort(port("sw1", "Gi1"), func(p *PortView) { p.Speed = ptr(100e6) })}}, "speed-fallback suspected"},
		"a paced run is no finding":                 {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 94.1e6), func(r *Run) { r.Offered = ptr(94.2e6) })}}, ""},
		"UDP that arrived whole fills nothing":      {Pasted{Runs: []Run{with(udp("run 1", 94.1e6, 0, 1e6), func(r *Run) { r.Offered = ptr(94.1e6) })}}, ""},
		"UDP beyond the line arrives at its rate":   {Pasted{Runs: []Run{udp("run 1", 200e6, 0.525, 1e6)}}, "link-saturated suspected"},
		"a clean port and a run far below its line": {Pasted{Runs: []Run{tcp("run 1", "a", "b", 300e6)}, Ports: []PortView{port("sw1", "Gi1")}}, "tcp-window cannot-tell"},

		"the same with and without the switch": {Pasted{Ports: []PortView{port("sw1", "Gi1")}, Runs: []Run{with(tcp("run 1", "a", "b", 300e6), func(r *Run) { r.Medium = MediumSwitch }),
			with(tcp("run 2", "c", "b", 310e6), func(r *Run) { r.Medium = MediumDirect })}}, "host-limit holds"},
		"faster without the switch": {Pasted{Ports: []PortView{port("sw1", "Gi1")}, Runs: []Run{with(tcp("run 1", "a", "b", 300e6), func(r *Run) { r.Medium = MediumSwitch }),
			with(tcp("run 2", "c", "b", 941e6), func(r *Run) { r.Medium = MediumDirect })}}, "link-saturated holds, silent-drop cannot-tell"},
		"a full core at the receiver": {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 3e9), func(r *Run) { r.Line, r.ReceiverCPU, r.Retransmits = ptr(10e9), ptr(0.99), ptr(int64(0)) })}}, "host-limit holds"},
		"a full core, and much sent again": {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 3e9), func(r *Run) {
			r.Line, r.ReceiverCPU, r.Retransmits = ptr(10e9), ptr(0.99), ptr(int64(90000))
		})}}, "host-limit suspected"},
		"hosts that reach more, with the same window": {Pasted{Ports: []PortView{port("sw1", "Gi1")}, Runs: []Run{with(tcp("run 1", "a", "b", 200e6), func(r *Run) { r.Window = window(8 * k) }), with(tcp("run 2", "c", "d", 500e6), func(r *Run) { r.Window = window(8 * k) })}}, "host-limit suspected"},

		"a little lost at high rate, TCP fine":    {Pasted{Runs: []Run{tcp("run 1", "a", "b", 941e6), udp("run 2", 700e6, 0.001, 128*k)}}, "link-saturated holds, receiver-socket-buffer suspected"},
		"a little lost, more with a small buffer": {Pasted{Runs: []Run{udp("run 1", 400e6, 0.008, 208*k), udp("run 2", 400e6, 0.00005, 4096*k)}}, "receiver-socket-buffer holds"},
		"much lost at a low rate":                 {Pasted{Runs: []Run{udp("run 1", 50e6, 0.12, 208*k)}}, "silent-drop cannot-tell"},
		"lost, and a port counted bad frames":     {Pasted{Runs: []Run{udp("run 1", 50e6, 0.01, 208*k)}, Ports: []PortView{delta("Gi1", map[timeline.Metric]float64{timeline.InFCS: 900, timeline.InPackets: 90000})}}, "bad-cable suspected"},
		"no more than a certain rate arrives":     {Pasted{Runs: []Run{udp("run 1", 30e6, 0, 1e6), udp("run 2", 60e6, 0.3, 1e6), udp("run 3", 90e6, 0.53, 1e6)}}, "policer suspected"},
		"three runs with growing windows": {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 10e6), func(r *Run) { r.Window = window(8 * k) }), with(tcp("run 2", "a", "b", 20e6), func(r *Run) { r.Window = window(16 * k) }),
			with(tcp("run 3", "a", "b", 39e6), func(r *Run) { r.Window = window(32 * k) })}}, "tcp-window holds"},
		"segments lost, and no port shown": {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 30e6), func(r *Run) { r.Retransmits = ptr(int64(900)) })}}, "silent-drop cannot-tell"},
		"hardly anything lost":             {Pasted{Runs: []Run{udp("run 1", 50e6, 0.00002, 208*k)}}, ""},

		"bad frames between two snapshots":      {Pasted{Ports: []PortView{delta("Gi1", map[timeline.Metric]float64{timeline.InFCS: 300, timeline.InPackets: 900000, timeline.OutDrops: 0})}}, "bad-cable suspected"},
		"three bad frames are an accident":      {Pasted{Ports: []PortView{delta("Gi1", map[timeline.Metric]float64{timeline.InFCS: 3, timeline.InPackets: 900000})}}, ""},
		"few bad frames among very many octets": {Pasted{Ports: []PortView{withPort(delta("Gi1", map[timeline.Metric]float64{timeline.InFCS: 9}), func(p *PortView) { p.Octets = 1e12 })}}, ""},
		"drops at high load":                    {Pasted{Ports: []PortView{withPort(delta("Gi1", map[timeline.Metric]float64{timeline.OutDrops: 9000, timeline.OutPackets: 1e6}), func(p *PortView) { p.Load = ptr(0.95) })}}, "oversubscription suspected"},
		"drops at low load":                     {Pasted{Ports: []PortView{withPort(delta("Gi1", map[timeline.Metric]float64{timeline.OutDrops: 9000, timeline.OutPackets: 1e6}), func(p *PortView) { p.Load = ptr(0.1) })}}, "microburst suspected"},
		"late collisions at half duplex":        {Pasted{Ports: []PortView{withPort(delta("Fa1", map[timeline.Metric]float64{timeline.LateCollisions: 50, timeline.InFCS: 0}), func(p *PortView) { p.HalfDuplex = ptr(true); p.Speed, p.SpeedMax = ptr(100e6), ptr(100e6) })}}, "duplex-mismatch suspected"},
		"pause frames":                          {Pasted{Ports: []PortView{delta("Gi1", map[timeline.Metric]float64{timeline.InPause: 5000})}}, "flow-control suspected"},
		"overruns":                              {Pasted{Ports: []PortView{delta("Gi1", map[timeline.Metric]float64{timeline.InOverrun: 500})}}, "input-queue-overrun suspected"},
		"old totals":                            {Pasted{Ports: []PortView{withPort(port("sw1", "Gi1"), func(p *PortView) { p.Totals[timeline.InFCS] = 900 })}}, "bad-cable cannot-tell"},
		"a clean port":                          {Pasted{Ports: []PortView{port("sw1", "Gi1")}}, ""},
		"a run that stood still":                {Pasted{Runs: []Run{with(tcp("run 1", "a", "b", 30e6), func(r *Run) { r.Stalled = 3 })}}, "silent-drop cannot-tell"},
		"a run that was not measured":           {Pasted{Runs: []Run{tcp("run 1", "a", "b", 0)}}, ""},
	} {
		got := EvaluatePasted(c.in)
		if toldIDs(got) != c.want {
			t.Errorf("%s: got %q, want %q", name, toldIDs(got), c.want)
		}
		for _, d := range got {
			if d.Confidence <= 0 || d.Confidence > 0.95 || math.IsNaN(d.Confidence) || d.Summary == "" || len(d.Next) == 0 || len(d.Evidence) == 0 {
				t.Errorf("%s: %+v", name, d)
			}
			for _, e := range d.Evidence {
				if e.Value != nil && (math.IsNaN(*e.Value) || math.IsInf(*e.Value, 0)) || strings.Contains(e.Text, "NaN") {
					t.Errorf("%s: evidence %+v", name, e)
				}
			}
		}
	}
}

func with2(l List, change func(*List)) List {
	change(&l)
	return l
}

func TestPastedSaysWhyNotTheWindow(t *testing.T) {
	same := window(8192)
	rough := &Window{Bytes: 10486, Low: 5243, High: 15729, Printed: "0.01 MByte"}
	in := Pasted{Ports: []PortView{port("sw1", "Gi1")}, Runs: []Run{
		with(tcp("run 1", "a", "b", 172e6), func(r *Run) { r.Medium, r.Window = MediumSwitch, rough }),
		with(tcp("run 2", "a", "b", 172e6), func(r *Run) { r.Medium, r.Window = MediumDirect, rough }),
		with(tcp("run 3", "c", "d", 484e6), func(r *Run) { r.Window = same }),
	}}
	got := EvaluatePasted(in)
	if len(got) == 0 || got[0].ID() != "host-limit" || got[0].Verdict != Holds {
		t.Fatalf("got %q", toldIDs(got))
	}
	if a := strings.Join(got[0].Against, "\n"); !strings.Contains(a, "tcp-window: run 3 reached 484 Mbit/s with the same window") {
		t.Errorf("against: %s", a)
	}
}

func TestAddressesThatGoToAndFroBetweenTwoPortsAreALoop(t *testing.T) {
	move := func(sec int, mac, from, to string) timeline.Event {
		return timeline.Event{Subject: timeline.Device("e1"), Type: timeline.EventMACMove, Span: timeline.At(time.Date(2026, 3, 3, 10, 0, sec, 0, time.UTC)),
			Text: "flaps", Attrs: map[string]string{"mac": mac, "from": from, "to": to}}
	}
	for name, c := range map[string]struct {
		events []timeline.Event
		want   string
	}{
		"six addresses between the same two": {[]timeline.Event{move(1, "a", "1", "2"), move(1, "b", "2", "1"), move(2, "c", "1", "2"), move(2, "d", "1", "2"), move(3, "e", "2", "1"), move(3, "f", "1", "2")}, "l2-loop"},
		"one that moves once":                {[]timeline.Event{move(1, "a", "1", "2")}, ""},
		"six between ports of their own":     {[]timeline.Event{move(1, "a", "1", "2"), move(1, "b", "1", "3"), move(2, "c", "1", "4"), move(2, "d", "1", "5"), move(3, "e", "1", "6"), move(3, "f", "1", "7")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if found := EvaluatePasted(Pasted{Events: c.events}); len(found) > 0 {
				got = found[0].ID()
			}
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
