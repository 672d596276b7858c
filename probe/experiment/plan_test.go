package experiment

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"whydrop/probe/iperf3"
)

const gigabit = 1e9

func options(change func(*Options)) Options {
	o := Options{Test: iperf3.Test{Address: "192.0.2.1:5201"}}
	if change != nil {
		change(&o)
	}
	return o
}

// every returns options that every kind takes.
func every(t *testing.T, k Kind, change func(*Options)) Options {
	o := options(change)
	if k == Disk {
		o.File = filepath.Join(t.TempDir(), "file")
	}
	return o
}

func TestEveryPlanKeepsToItsTimeAndRate(t *testing.T) {
	for k := range Plans {
		for _, most := range []time.Duration{0, 20 * time.Second, 5 * time.Minute} {
			p, err := New(k, every(t, k, func(o *Options) { o.Most, o.Rate, o.Line = most, 50e6, gigabit }))
			if err != nil {
				t.Fatal(err)
			}
			if most == 0 {
				most = DefaultMost
			}
			l := p.Load()
			if l.Time > most || l.Time <= 0 {
				t.Errorf("%s: takes %v of %v", k, l.Time, most)
			}
			ways := 1.0
			if k == Direction {
				ways = 2
			}
			if l.Peak <= 0 || l.Peak > ways*50e6*1.0001 || l.Bytes == 0 || float64(l.Bytes) > l.Peak/8*l.Time.Seconds() {
				t.Errorf("%s: %+v, 50 Mbit/s are allowed", k, l)
			}
			for _, s := range p.Steps {
				if err := s.Test.Check(); err != nil && k != Disk { // whose file is not there
					t.Errorf("%s: step %s: %v", k, s.Name, err)
				}
				if s.Name == "" || s.Test.Time < minStep {
					t.Errorf("%s: step %q takes %v", k, s.Name, s.Test.Time)
				}
			}
		}
	}
}

func TestWithoutACapTheLoadIsTheLinksOrNotBounded(t *testing.T) {
	for k, bounded := range map[Kind]bool{Window: false, Streams: false, Direction: false, Pacing: false, Disk: false, Rate: true, Size: true} {
		p, err := New(k, every(t, k, nil))
		if err != nil {
			t.Fatal(err)
		}
		if l := p.Load(); (l.Peak > 0) != bounded || (l.Bytes > 0) != bounded {
			t.Errorf("%s, nothing known: %+v", k, l)
		}
		if p, err = New(k, every(t, k, func(o *Options) { o.Line = gigabit })); err != nil {
			t.Fatal(err)
		}
		ways := 1.0
		if k == Direction {
			ways = 2
		}
		if l := p.Load(); l.Peak <= 0 || l.Peak > ways*gigabit {
			t.Errorf("%s on a gigabit link: %+v", k, l)
		}
	}
}

func TestValuesOfTheUsers(t *testing.T) {
	tests := []struct {
		name   string
		kind   Kind
		change func(*Options)
		names  []string // nil: it is refused
	}{
		{"the seed's windows", Window, func(o *Options) { o.Values = []float64{2048, 65536, 1 << 20} }, []string{"2 KiB", "64 KiB", "1 MiB"}},
		{"rates come in order, none above the cap", Rate, func(o *Options) { o.Values, o.Rate = []float64{1e8, 1e6}, 5e7 }, []string{"1 Mbit/s", "50 Mbit/s"}},
		{"streams", Streams, func(o *Options) { o.Values = []float64{1, 3} }, []string{"1 stream", "3 streams"}},
		{"no streams", Streams, func(o *Options) { o.Values = []float64{0} }, nil},
		{"no number", Window, func(o *Options) { o.Values = []float64{math.NaN()} }, nil},
		{"too many", Window, func(o *Options) { o.Values = make([]float64, 65) }, nil},
		{"too many for their time", Window, func(o *Options) { o.Most = 3 * time.Second }, nil},
		{"directions of one's own", Direction, func(o *Options) { o.Values = []float64{1} }, nil},
		{"a disk without a file", Disk, nil, nil},
		{"no such kind", "luck", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := New(tt.kind, options(tt.change))
			if (err == nil) != (tt.names != nil) {
				t.Fatalf("%v", err)
			}
			if len(p.Steps) != len(tt.names) && err == nil {
				t.Fatalf("%d steps, want %d", len(p.Steps), len(tt.names))
			}
			for i, want := range tt.names {
				if p.Steps[i].Name != want {
					t.Errorf("step %d is %q, want %q", i, p.Steps[i].Name, want)
				}
			}
		})
	}
}

func TestSizesEndAtTheLinksOwn(t *testing.T) {
	for mtu, largest := range map[int]float64{0: 1473, 1500: 1473, 9000: 8973, 1280: 1253} {
		p, err := New(Size, options(func(o *Options) { o.MTU = mtu }))
		if err != nil {
			t.Fatal(err)
		}
		if v := p.Steps[len(p.Steps)-1].Value; v != largest || !p.Steps[0].Test.DontFragment {
			t.Errorf("MTU %d: the last size is %v, want %v", mtu, v, largest)
		}
	}
}

func TestTheory(t *testing.T) {
	p, err := New(Window, options(func(o *Options) { o.Line, o.MTU = gigabit, 1500 }))
	if err != nil {
		t.Fatal(err)
	}
	row := Row{Step: p.Steps[5], Arrived: 50e6, Sent: 50e6, Seconds: 2, MSS: 1448, IdleRTT: 10 * time.Millisecond, TCPRTT: 11 * time.Millisecond, MinRTT: 9 * time.Millisecond}
	th := p.Theory([]Row{row, {Reason: "refused", Arrived: 1e12}})
	// 1448 of 1538 octets on the line; 50 Mbit/s for 10 ms.
	if math.Abs(th.Line-941.48e6) > 0.01e6 || math.Abs(th.BDP-62500) > 1 || th.RTT != 10*time.Millisecond {
		t.Errorf("%+v", th)
	}
	if got, want := row.WindowLimit(), 65536*8/0.011; math.Abs(got-want) > 1 {
		t.Errorf("64 KiB in 11 ms allow %v, want %v", got, want)
	}
	if row.Mathis() != 0 {
		t.Error("a rate under loss without any")
	}
	// One segment of 10000: 1448 bytes x 8 / 11 ms x 1.2247 / 0.01.
	row.Retransmits.Value, row.Retransmits.OK = uint64(row.Sent/8*row.Seconds/1448/10000+0.5), true
	if got := row.Mathis(); math.Abs(got/129e6-1) > 0.2 {
		t.Errorf("Mathis: %v", got)
	}
}
