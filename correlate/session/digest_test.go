package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// dayLong writes a recording of one path and ports ports at one sample a second: rates that vary, errors that are zero but
// for a burst of seven frames, and an outage with lost heartbeats. Device "sw" is not read for two minutes.
func dayLong(t testing.TB, length time.Duration, ports int) (path string, outage timeline.Span, burst time.Time) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run.whydrop")
	tune := defaults
	tune.flush = time.Hour
	r, err := create(path, Meta{}, tune)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(5, 5))
	line := timeline.Path("a-b")
	outage = timeline.Span{From: t0.Add(length / 3), To: t0.Add(length/3 + 1700*time.Millisecond)}
	burst = t0.Add(length / 2)
	for s := range int(length / time.Second) {
		sp := timeline.Span{From: t0.Add(time.Duration(s) * time.Second), To: t0.Add(time.Duration(s+1) * time.Second)}
		lost := 0.0
		if sp.Overlaps(outage) {
			lost = 0.4
		}
		r.Put(timeline.Sample{Subject: line, Metric: timeline.LossForward, Span: sp, Value: lost})
		r.Put(timeline.Sample{Subject: line, Metric: timeline.RTT, Span: sp, Value: 0.001 + rnd.Float64()/1e4})
		blind := sp.From.After(t0.Add(length*3/4)) && sp.To.Before(t0.Add(length*3/4+2*time.Minute))
		for p := range ports {
			if blind {
				break
			}
			sub, errors := timeline.Port("sw", fmt.Sprint("Gi", p)), 0.0
			if p == 1 && !burst.Before(sp.From) && burst.Before(sp.To) {
				errors = 7
			}
			o := timeline.Origin{Collector: "snmp:sw", Exchange: uint64(s)}
			r.Put(timeline.Sample{Subject: sub, Metric: timeline.InBits, Span: sp, Value: float64(8 * rnd.IntN(1e6)), Origin: o})
			r.Put(timeline.Sample{Subject: sub, Metric: timeline.InFCS, Span: sp, Value: errors, Origin: o})
		}
		if s%300 == 299 {
			if err := r.w.flush(r); err != nil {
				t.Fatal(err)
			}
			if err := r.w.seal(); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.Put(timeline.Event{Subject: line, Type: timeline.EventOutage, Span: outage, Text: "dark"})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return path, outage, burst
}

func TestADigestKeepsTotalsHolesAndWhatHappened(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a million samples")
	}
	const length, ports = 6 * time.Hour, 25
	path, outage, burst := dayLong(t, length, ports)
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	full, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Digest()
	if err != nil {
		t.Fatal(err)
	}
	all, kept := 0, 0
	for _, k := range full.Keys() {
		all += len(full.Series(k.Subject, k.Metric))
		kept += len(got.Series(k.Subject, k.Metric))
		a, b := total(full.Series(k.Subject, k.Metric)), total(got.Series(k.Subject, k.Metric))
		if math.Abs(a-b) > 1e-6*math.Abs(a) {
			t.Errorf("%v: total %v, want %v", k, b, a)
		}
	}
	if all <= wholeUpTo || kept > all/10 {
		t.Fatalf("kept %d of %d samples", kept, all)
	}
	if len(got.Events()) != 1 {
		t.Errorf("events: %v", got.Events())
	}
	for _, k := range full.Keys() {
		want, have := full.Between(k.Subject, k.Metric, outage), got.Between(k.Subject, k.Metric, outage)
		if len(want) != len(have) && k.Metric != timeline.InFCS { // zeros become one
			t.Errorf("%v: %d samples in the outage, want %d", k, len(have), len(want))
		}
	}
	at := got.Between(timeline.Port("sw", "Gi1"), timeline.InFCS, timeline.Span{From: burst.Add(time.Millisecond), To: burst.Add(2 * time.Millisecond)})
	if len(at) != 1 || at[0].Value != 7 || at[0].Span.Width() != time.Second {
		t.Errorf("the burst: %v", at)
	}
	hole := timeline.Span{From: t0.Add(length*3/4 + 10*time.Second), To: t0.Add(length*3/4 + 100*time.Second)}
	for _, m := range []timeline.Metric{timeline.InBits, timeline.InFCS} {
		if v := got.Between(timeline.Port("sw", "Gi0"), m, hole); len(v) != 0 {
			t.Errorf("%s: read while blind: %v", m, v)
		}
	}
}

func TestADigestOfAShortRecordingIsAllOfIt(t *testing.T) {
	path, _, _ := dayLong(t, 10*time.Minute, 2)
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	full, _ := s.Snapshot()
	got, err := s.Digest()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range full.Keys() {
		if a, b := len(full.Series(k.Subject, k.Metric)), len(got.Series(k.Subject, k.Metric)); a != b {
			t.Errorf("%v: %d samples, want %d", k, b, a)
		}
	}
}

func total(v []timeline.Sample) (sum float64) {
	for _, x := range v {
		sum += x.Value * x.Span.Width().Seconds()
	}
	return sum
}

// BenchmarkDigest reads six hours of 50 ports.
func BenchmarkDigest(b *testing.B) {
	path, _, _ := dayLong(b, 6*time.Hour, 50)
	s, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	samples := 0
	if err := s.Each(func(timeline.Record) bool { samples++; return true }); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Digest(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(samples), "ns/sample")
}
