package rules

import (
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

// testsOf returns the facts of tests as a story tells them.
func testsOf(t *testing.T, st story) *testFacts {
	t.Helper()
	st.Empty = true
	snap, topo := st.build(t)
	sc := newScene(snap, topo)
	return sc.testFacts(sc.paths[0])
}

func TestTestsAreCompared(t *testing.T) {
	type attrs = map[string]string
	for name, c := range map[string]struct {
		tests []attrs
		fact  func(*testFacts) float64
		want  float64 // NaN: not known
	}{
		"as much is lost at every rate": {[]attrs{{"proto": "udp", "offered_bps": "10e6", "loss_ratio": "0.05"}, {"proto": "udp", "offered_bps": "90e6", "loss_ratio": "0.06"}},
			func(f *testFacts) float64 { return f.LossFlat }, 1},
		"as much arrives at every rate": {[]attrs{{"proto": "udp", "offered_bps": "40e6", "rate_bps": "20e6"}, {"proto": "udp", "offered_bps": "80e6", "rate_bps": "20.4e6"}},
			func(f *testFacts) float64 { return f.CeilingSeen }, 2},
		"one rate tells no load-dependence": {[]attrs{{"proto": "udp", "offered_bps": "40e6", "loss_ratio": "0.1"}}, func(f *testFacts) float64 { return f.LossFlat }, nan},
		"window over round trip":            {[]attrs{{"proto": "tcp", "rate_bps": "13.1e6", "window_bytes": "65536", "rtt_ms": "40"}}, func(f *testFacts) float64 { return f.WindowFit }, 1},
		"a window without a round trip":     {[]attrs{{"proto": "tcp", "rate_bps": "13.1e6", "window_bytes": "65536"}}, func(f *testFacts) float64 { return f.WindowFit }, nan},
		"a round trip told by a ping": {[]attrs{{"proto": "tcp", "rate_bps": "13.1e6", "window_bytes": "65536"}, {"proto": "icmp", "rtt_ms": "40"}},
			func(f *testFacts) float64 { return f.WindowFit }, 1},
		"eight flows carry eight times as much": {[]attrs{{"proto": "tcp", "rate_bps": "10e6"}, {"proto": "tcp", "rate_bps": "80e6", "streams": "8"}}, func(f *testFacts) float64 { return f.FlowGain / f.FlowTimes }, 1},
		"a size from which nothing passes": {[]attrs{{"proto": "icmp", "size_bytes": "1400", "loss_ratio": "0"}, {"proto": "icmp", "size_bytes": "1401", "loss_ratio": "1"}, {"proto": "icmp", "size_bytes": "100", "loss_ratio": "0"}},
			func(f *testFacts) float64 { return f.SizeFails - f.SizePasses }, 1},
		"larger sizes pass: no limit": {[]attrs{{"proto": "icmp", "size_bytes": "1400", "loss_ratio": "1"}, {"proto": "icmp", "size_bytes": "1500", "loss_ratio": "0"}},
			func(f *testFacts) float64 { return f.SizeFails }, nan},
		"the same number of packets at each size": {[]attrs{{"proto": "udp", "size_bytes": "100", "offered_bps": "20e6", "rate_bps": "8e6"}, {"proto": "udp", "size_bytes": "1000", "offered_bps": "200e6", "rate_bps": "80e6"}},
			func(f *testFacts) float64 { return f.PacketRate }, 10000},
		"a queue under load": {[]attrs{{"proto": "icmp", "rtt_ms": "10"}, {"proto": "tcp", "rate_bps": "1e6", "rtt_ms": "110"}}, func(f *testFacts) float64 { return f.Queue }, 0.1},
		"two source ports, one of which loses": {[]attrs{{"proto": "udp", "port": "1", "loss_ratio": "0.2"}, {"proto": "udp", "port": "2", "loss_ratio": "0"}},
			func(f *testFacts) float64 { return f.PortsLossy / f.PortsTested }, 0.5},
		"only a part of the window was granted":    {[]attrs{{"proto": "tcp", "rate_bps": "1e6", "window_bytes": "400000", "granted_bytes": "200000"}}, func(f *testFacts) float64 { return f.Granted }, 0.5},
		"an end that is busy and slow":             {[]attrs{{"proto": "tcp", "offered_bps": "10e6", "rate_bps": "6e6", "sender_cpu": "1.2"}}, func(f *testFacts) float64 { return f.CPU }, 1.2},
		"an end that is busy and does all asked":   {[]attrs{{"proto": "tcp", "offered_bps": "10e6", "rate_bps": "9.98e6", "sender_cpu": "1.2"}}, func(f *testFacts) float64 { return f.CPU }, nan},
		"the first second is no test of its own":   {[]attrs{{"proto": "tcp", "rate_bps": "400e6", "when": "first second"}, {"proto": "tcp", "rate_bps": "100e6"}}, func(f *testFacts) float64 { return f.Early }, 4},
		"TCP carries more than what UDP loses at":  {[]attrs{{"proto": "udp", "offered_bps": "300e6", "loss_ratio": "0.1"}, {"proto": "tcp", "rate_bps": "800e6", "retransmits": "0"}}, func(f *testFacts) float64 { return f.TCPAbove }, 1},
		"a switch that helped":                     {[]attrs{{"proto": "tcp", "rate_bps": "1e6", "note": "LSO on"}, {"proto": "tcp", "rate_bps": "9e6", "note": "LSO off"}}, func(f *testFacts) float64 { return f.Cure("offload") }, 9},
		"a switch that nobody turned":              {[]attrs{{"proto": "tcp", "rate_bps": "1e6", "note": "LSO on"}}, func(f *testFacts) float64 { return f.Cure("offload") }, nan},
		"before and after, and what was done":      {[]attrs{{"proto": "tcp", "rate_bps": "1e6", "when": "before"}, {"proto": "tcp", "rate_bps": "5e6", "when": "after", "note": "new patch cable"}}, func(f *testFacts) float64 { return f.Cure("cable") }, 5},
		"another direction is no comparison":       {[]attrs{{"proto": "tcp", "direction": "forward", "rate_bps": "1e6", "note": "LSO on"}, {"proto": "tcp", "direction": "reverse", "rate_bps": "9e6", "note": "LSO off"}}, func(f *testFacts) float64 { return f.Cure("offload") }, nan},
		"a program that does better than another":  {[]attrs{{"proto": "udp", "offered_bps": "30e6", "loss_ratio": "0", "note": "iperf2"}, {"proto": "udp", "offered_bps": "30e6", "loss_ratio": "0.199", "note": "iperf3"}}, func(f *testFacts) float64 { return f.Tools }, 200},
		"loss at a tenth of what a ceiling passes": {[]attrs{{"proto": "udp", "offered_bps": "10e6", "loss_ratio": "0"}, {"proto": "udp", "offered_bps": "50e6", "loss_ratio": "0.1"}}, func(f *testFacts) float64 { return f.CleanTo }, 10e6},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.fact(testsOf(t, story{Tests: c.tests}))
			if math.IsNaN(c.want) != math.IsNaN(got) || math.Abs(got-c.want) > 0.02*math.Abs(c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestAStateIsReadFromItsOwnClause(t *testing.T) {
	for words, want := range map[string]string{
		"through the tunnel, hwnat off": "off", "hwnat on": "on", "lso disabled": "off", "without lro": "off", "tso: enabled": "on",
		"offload": "", "the cable is off, lro set": "on",
	} {
		if got := state("offload", words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}

func TestWhetherATestWasPaced(t *testing.T) {
	for words, want := range map[string]string{
		"paced at 900 Mbit/s": "on", "with fq": "on", "qdisc fq on the sender": "on",
		"pacing off": "off", "without pacing": "off", "pacing disabled": "off", "no fq pacing": "off", "pacing: off": "off",
		"disabled pacing in the sender": "off", "--pacing-timer 12000": "off", "bursts of 64 k": "off", "4 streams": "",
	} {
		if got := state("pacing", words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}

func TestWaysOfARule(t *testing.T) {
	way := goodRule + `also:
  - scope: path
    when:
      - if: not surely(tests.rate > 1) and tests.says('mtu')
    base: 0.8
    summary: "{path.name}"
    next: ["look"]
`
	if _, err := Load(fstest.MapFS{"some-cause.yaml": {Data: []byte(way)}}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"a topic that does not exist":     {"says('mtu')", "says('mtus')", "is no topic; did you mean mtu?"},
		"a metric that does not exist":    {"if: port.bad.total >= t.least", "if: port.counted('if.in.fsc') >= 1", "did you mean if.in.fcs?"},
		"an event type that is not there": {"if: port.bad.total >= t.least", "if: port.events('if.opers') >= 1", "is no type of event"},
		"a way of another scope's facts":  {"tests.rate > 1", "port.age > 1", "entry 1 of also"},
		"a way without a next step":       {"    next: [\"look\"]\n", "", "next"},
	} {
		if !strings.Contains(way, c.old) {
			t.Fatalf("%s: no %q", name, c.old)
		}
		_, err := Load(fstest.MapFS{"some-cause.yaml": {Data: []byte(strings.Replace(way, c.old, c.new, 1))}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
