package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// Interfaces of the measured fleet, as in the measurements that the format was chosen by: 30 % busy, 50 % light,
// 20 % idle; polled every second, six counters each, spread over twenty devices.
const (
	benchPorts   = 500
	benchDevices = 20
)

var benchMetrics = []timeline.Metric{timeline.InBits, timeline.OutBits, timeline.InPackets, timeline.OutPackets, timeline.InErrors, timeline.OutDrops}

// poll makes the samples of one poll of the fleet, with the jitter of real polls.
func poll(rnd *rand.Rand, second int, last []time.Time) []timeline.Record {
	out := make([]timeline.Record, 0, benchPorts*len(benchMetrics))
	for d := range benchDevices {
		at := t0.Add(time.Duration(second)*time.Second + time.Duration(rnd.IntN(4e6)))
		sp := timeline.Span{From: last[d], To: at}
		last[d] = at
		w := sp.Width().Seconds()
		name := fmt.Sprint("sw", d)
		o := timeline.Origin{Collector: "snmp:" + name, Exchange: uint64(second + 1)}
		for p := range benchPorts / benchDevices {
			load := 0
			switch kind := (p * 7) % 10; {
			case kind < 3:
				load = 40000 + rnd.IntN(8000)
			case kind < 8:
				load = rnd.IntN(40)
			}
			sub := timeline.Port(name, portNames[p])
			for i, m := range benchMetrics {
				n := load
				switch i {
				case 0, 1:
					n = load * (600 + rnd.IntN(20)) * 8
				case 4, 5:
					n = 0
				}
				out = append(out, timeline.Sample{Subject: sub, Metric: m, Span: sp, Value: float64(n) / w, Origin: o})
			}
		}
	}
	return out
}

var portNames = func() (out []string) {
	for p := range benchPorts {
		out = append(out, fmt.Sprint("GigabitEthernet1/0/", p+1))
	}
	return out
}()

// BenchmarkRecord measures what one sample costs: time in Put and in the writer together, and bytes in the file.
func BenchmarkRecord(b *testing.B) {
	const seconds = 900
	rnd := rand.New(rand.NewPCG(1, 1))
	last := make([]time.Time, benchDevices)
	for d := range last {
		last[d] = t0.Add(-time.Second)
	}
	var polls [][]timeline.Record
	for s := range seconds {
		polls = append(polls, poll(rnd, s, last))
	}
	samples := seconds * benchPorts * len(benchMetrics)
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "run.whydrop")
		tune := defaults
		tune.flush = time.Hour // driven by hand, once a second of the recording
		r, err := create(path, Meta{}, tune)
		if err != nil {
			b.Fatal(err)
		}
		for s, p := range polls {
			for _, rec := range p {
				r.Put(rec)
			}
			if err := r.w.flush(r); err != nil {
				b.Fatal(err)
			}
			if s%300 == 299 {
				if err := r.w.seal(); err != nil {
					b.Fatal(err)
				}
			}
		}
		tail := r.w.off - r.w.dbSize
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
		fi, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(fi.Size())/float64(samples), "bytes/sample")
		b.ReportMetric(float64(tail)/float64(samples), "tail-bytes/sample")
		b.ReportMetric(float64(fi.Size())/float64(samples)*float64(benchPorts*len(benchMetrics)*86400)/1e6, "MB/day")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(samples), "ns/sample")
}

// BenchmarkRead measures how quickly a recording is read, batch by batch and into a timeline.
func BenchmarkRead(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	last := make([]time.Time, benchDevices)
	for d := range last {
		last[d] = t0.Add(-time.Second)
	}
	var all []timeline.Record
	for s := range 80 {
		all = append(all, poll(rnd, s, last)...)
	}
	path := record(b, Meta{}, all)
	for name, read := range map[string]func(*Session) error{
		"records":  func(s *Session) error { return s.Each(func(timeline.Record) bool { return true }) },
		"snapshot": func(s *Session) error { _, err := s.Snapshot(); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, err := Open(path)
				if err != nil {
					b.Fatal(err)
				}
				if err := read(s); err != nil {
					b.Fatal(err)
				}
				s.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(all)), "ns/sample")
		})
	}
}

func TestRecordingsStaySmall(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	last := make([]time.Time, benchDevices)
	for d := range last {
		last[d] = t0.Add(-time.Second)
	}
	path := filepath.Join(t.TempDir(), "run.whydrop")
	tune := defaults
	tune.flush = time.Hour
	r, err := create(path, Meta{}, tune)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for s := range 120 {
		for _, rec := range poll(rnd, s, last) {
			r.Put(rec)
			n++
		}
		if err := r.w.flush(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	size, err := sizeOf(path)
	if err != nil {
		t.Fatal(err)
	}
	// 24 h of 500 interfaces with 6 counters in 300 MB are 1.16 bytes a sample; two minutes compress less well.
	if got := float64(size) / float64(n); got > 1.6 {
		t.Errorf("%.2f bytes a sample, want at most 1.6", got)
	}
}
