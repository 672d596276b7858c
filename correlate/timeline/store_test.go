package timeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var t0 = time.Date(2026, 11, 30, 14, 2, 5, 0, time.UTC)

func at(seconds float64) time.Time { return t0.Add(time.Duration(seconds * float64(time.Second))) }

func sample(from, to, value float64) Sample {
	return Sample{Subject: Port("sw1", "Gi1/0/1"), Metric: OutDrops, Span: Span{at(from), at(to)}, Value: value}
}

func values(ss []Sample) []float64 {
	var out []float64
	for _, s := range ss {
		out = append(out, s.Value)
	}
	return out
}

func TestSeriesIsOrderedByTheEndOfItsSpans(t *testing.T) {
	s := NewSnapshot(sample(2, 3, 3), sample(0, 1, 1), sample(1, 2, 2), sample(0, 2, 1.5))
	if got, want := values(s.Series(Port("sw1", "Gi1/0/1"), OutDrops)), []float64{1, 1.5, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEqualSpansKeepTheOrderOfArrival(t *testing.T) {
	var st Store
	for i := range 5 {
		st.Put(sample(0, 1, float64(i)))
		st.Put(sample(1, 2, float64(10+i)))
	}
	if got, want := values(st.Snapshot().Series(Port("sw1", "Gi1/0/1"), OutDrops)), []float64{0, 1, 2, 3, 4, 10, 11, 12, 13, 14}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBetween(t *testing.T) {
	even := []Record{sample(0, 1, 1), sample(1, 2, 2), sample(2, 3, 3), sample(3, 4, 4)}
	// A slow collector's long sample among short ones ends last and begins first.
	mixed := append(slices.Clone(even), sample(0, 5, 9))
	for name, c := range map[string]struct {
		records  []Record
		from, to float64
		want     []float64
	}{
		"inside":                          {even, 1.2, 1.8, []float64{2}},
		"touching spans count":            {even, 1, 2, []float64{1, 2, 3}},
		"a moment":                        {even, 2.5, 2.5, []float64{3}},
		"before all":                      {even, -5, -1, nil},
		"after all":                       {even, 10, 20, nil},
		"everything":                      {even, -5, 20, []float64{1, 2, 3, 4}},
		"a long sample among short ones":  {mixed, 0.2, 0.8, []float64{1, 9}},
		"a long sample, several in front": {mixed, 1.2, 2.8, []float64{2, 3, 9}},
		"no such series":                  {nil, 0, 9, nil},
	} {
		s := NewSnapshot(c.records...)
		if got := values(s.Between(Port("sw1", "Gi1/0/1"), OutDrops, Span{at(c.from), at(c.to)})); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func genSamples() *rapid.Generator[[]Sample] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Sample {
		from := rapid.IntRange(0, 30).Draw(t, "from")
		return sample(float64(from), float64(from+rapid.SampledFrom([]int{0, 1, 1, 1, 12}).Draw(t, "width")), float64(rapid.IntRange(0, 1000).Draw(t, "value")))
	}), 0, 40)
}

func TestBetweenGivesExactlyWhatOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := genSamples().Draw(t, "samples")
		var st Store
		for _, s := range in {
			st.Put(s)
		}
		snap := st.Snapshot()
		a, b := rapid.IntRange(-3, 40).Draw(t, "a"), rapid.IntRange(0, 15).Draw(t, "width")
		sp := Span{at(float64(a)), at(float64(a + b))}
		var want []Sample
		for _, s := range snap.Series(Port("sw1", "Gi1/0/1"), OutDrops) {
			if s.Span.Overlaps(sp) {
				want = append(want, s)
			}
		}
		if got := snap.Between(Port("sw1", "Gi1/0/1"), OutDrops, sp); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", values(got), values(want))
		}
	})
}

func TestSnapshotsDoNotChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var st Store
		type shot struct {
			s    Snapshot
			want []Sample
		}
		var shots []shot
		for _, x := range genSamples().Draw(t, "samples") {
			st.Put(x)
			if rapid.Bool().Draw(t, "shoot") {
				s := st.Snapshot()
				shots = append(shots, shot{s, slices.Clone(s.Series(x.Subject, x.Metric))})
			}
		}
		for i, s := range shots {
			if got := s.s.Series(Port("sw1", "Gi1/0/1"), OutDrops); !slices.Equal(got, s.want) {
				t.Fatalf("snapshot %d became %v, was %v", i, values(got), values(s.want))
			}
		}
	})
}

func TestSpanHoldsEveryRecord(t *testing.T) {
	s := NewSnapshot(sample(4, 5, 1), sample(0, 9, 2), Event{Subject: Device("sw1"), Span: Span{at(-2), at(3)}}, Event{Span: Span{at(3), at(4)}}, Gap{Span: Span{at(8), at(12)}})
	if got, want := s.Span(), (Span{at(-2), at(12)}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := NewSnapshot().Span(); !got.IsZero() {
		t.Errorf("span of nothing: %v", got)
	}
}

func TestRetainDropsWhatIsOldAndKeepsWhatIsYoung(t *testing.T) {
	st := Store{Retain: 10 * time.Second}
	for i := range 100 {
		st.Put(sample(float64(i), float64(i+1), float64(i)))
		st.Put(Event{Subject: Device("sw1"), Type: EventMark, Span: At(at(float64(i)))})
		st.Put(Gap{Subject: Device("sw1"), Span: At(at(float64(i)))})
	}
	s := st.Snapshot()
	v := values(s.Series(Port("sw1", "Gi1/0/1"), OutDrops))
	if n := len(v); n < 10 || n > 21 || v[n-1] != 99 {
		t.Errorf("kept %d samples: %v", n, v)
	}
	if e, g := len(s.Events()), len(s.Gaps()); e < 10 || e > 21 || g < 10 || g > 21 {
		t.Errorf("kept %d events, %d gaps", e, g)
	}
	old := Store{Retain: time.Second}
	old.Put(sample(0, 1, 1))
	old.Put(Event{Subject: Device("sw1"), Span: At(at(100))})
	if got := old.Snapshot().Keys(); len(got) != 0 {
		t.Errorf("a series of old samples only is still a key: %v", got)
	}
}

func TestUntilIsWhatWasKnownThen(t *testing.T) {
	s := NewSnapshot(sample(0, 1, 1), sample(1, 2, 2), sample(2, 3, 3),
		Event{Subject: Device("sw1"), Type: EventMark, Span: At(at(2.5))}, Gap{Subject: Device("sw1"), Span: Span{at(0), at(9)}})
	cut := s.Until(at(2))
	if got, want := values(cut.Series(Port("sw1", "Gi1/0/1"), OutDrops)), []float64{1, 2}; !slices.Equal(got, want) {
		t.Errorf("samples: got %v, want %v", got, want)
	}
	if len(cut.Events()) != 0 || len(cut.Gaps()) != 0 {
		t.Errorf("events %v, gaps %v of the future", cut.Events(), cut.Gaps())
	}
	if len(s.Until(at(0.5)).Keys()) != 0 {
		t.Error("a series without a sample yet is a key")
	}
}

func TestLookups(t *testing.T) {
	sw, port := Device("sw1"), Port("sw1", "Gi1/0/1")
	s := NewSnapshot(sample(0, 1, 1), sample(1, 2, 2),
		Event{Subject: sw, Type: EventMark, Span: At(at(1))}, Event{Subject: sw, Type: EventSyslog, Span: At(at(2))}, Event{Subject: port, Type: EventOper, Span: At(at(3))},
		Gap{Subject: port, Metric: InFCS}, Gap{Subject: port}, Gap{Subject: sw, Metric: InFCS})
	if last, ok := s.Last(port, OutDrops); !ok || last.Value != 2 {
		t.Errorf("Last: %v, %v", last.Value, ok)
	}
	if _, ok := s.Last(port, InFCS); ok {
		t.Error("Last of no series")
	}
	if got := s.EventsOf(sw); len(got) != 2 {
		t.Errorf("EventsOf any type: %v", got)
	}
	if got := s.EventsOf(sw, EventSyslog); len(got) != 1 || got[0].Type != EventSyslog {
		t.Errorf("EventsOf one type: %v", got)
	}
	if got := s.GapsOf(port, InFCS); len(got) != 2 {
		t.Errorf("GapsOf: %v", got)
	}
	if d := cmp.Diff([]Subject{sw, port}, s.Subjects()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Key{{port, OutDrops}}, s.Keys()); d != "" {
		t.Error(d)
	}
}

func TestStoreTakesRecordsFromManySides(t *testing.T) {
	var st Store
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				x := sample(float64(i), float64(i+1), float64(i))
				x.Name = fmt.Sprint(g)
				st.Put(x)
				st.Snapshot().Last(x.Subject, x.Metric)
			}
		})
	}
	wg.Wait()
	if st.Version() != 800 {
		t.Errorf("version %d, want 800", st.Version())
	}
	for _, k := range st.Snapshot().Keys() {
		if n := len(st.Snapshot().Series(k.Subject, k.Metric)); n != 200 {
			t.Errorf("%v: %d samples", k, n)
		}
	}
}

func TestSpans(t *testing.T) {
	a := Span{at(0), at(2)}
	if !a.Overlaps(Span{at(2), at(3)}) || a.Overlaps(Span{at(2.1), at(3)}) || !a.Overlaps(At(at(1))) {
		t.Error("Overlaps")
	}
	if got := a.Union(Span{}); got != a {
		t.Errorf("union with nothing: %v", got)
	}
	if got, want := (Span{}).Union(a).Union(Span{at(-1), at(1)}), (Span{at(-1), at(2)}); got != want {
		t.Errorf("union: got %v, want %v", got, want)
	}
	if got := Around(at(1), time.Second); got != a || got.Mid() != at(1) || got.Width() != 2*time.Second {
		t.Errorf("around: %v", got)
	}
	if got, want := a.Widen(time.Second, time.Minute), (Span{at(-1), at(62)}); got != want {
		t.Errorf("widen: got %v, want %v", got, want)
	}
}

func TestEveryMetricIsDescribedOnce(t *testing.T) {
	seen := map[Metric]bool{}
	for _, d := range Metrics() {
		if seen[d.Metric] {
			t.Errorf("%s is described twice", d.Metric)
		}
		seen[d.Metric] = true
		if d.Name == "" || d.Unit == "" || d.Help == "" || d.Sources == "" || d.Kind == 0 {
			t.Errorf("%s: something is missing in %+v", d.Metric, d)
		}
		if got, ok := Describe(d.Metric); !ok || got != d {
			t.Errorf("%s: Describe gives %+v, %v", d.Metric, got, ok)
		}
	}
	if _, ok := Describe("no.such"); ok {
		t.Error("a metric that is not there is described")
	}
}

// TestLateGapsStandInTheirPlaces compares with putting each in its place at once, and looks that what was given out stays.
func TestLateGapsStandInTheirPlaces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var s Store
	var want, given []Gap
	var early Snapshot
	for i := range 500 {
		to := time.Unix(int64(i/10)-random.Int64N(3), 0)
		g := Gap{Subject: Device("sw1"), Span: Span{From: to.Add(-time.Second), To: to}, Text: strconv.Itoa(i)}
		s.Put(g)
		want = insert(want, g)
		if i == 250 {
			early = s.Snapshot()
			given = slices.Clone(early.Gaps())
		}
	}
	if got := s.Snapshot().Gaps(); !slices.Equal(got, want) {
		t.Errorf("%d gaps are not in the order of their ends and, where those are equal, of their coming", len(got))
	}
	if !slices.Equal(early.Gaps(), given) {
		t.Error("a snapshot that was given out has changed")
	}
}
