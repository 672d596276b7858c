package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whydrop/correlate/timeline"
)

var t0 = time.Date(2026, 11, 30, 14, 2, 5, 123456789, time.UTC)

// everything is one record of each kind with every field set, and their bare forms.
func everything() []timeline.Record {
	o := timeline.Origin{Collector: "snmp:sw1", Exchange: 7}
	sp := timeline.Span{From: t0, To: t0.Add(time.Second)}
	port := timeline.Port("sw1", "Gi1/0/1")
	return []timeline.Record{
		timeline.Sample{Subject: port, Metric: timeline.OutDrops, Span: sp, Value: 420, Origin: o},
		timeline.Sample{Subject: port, Metric: timeline.InBits, Span: timeline.Span{From: t0, To: t0.Add(1003217654)}, Value: 81234568 / 1.003217654, Origin: o},
		timeline.Sample{Subject: timeline.Path("a-b"), Metric: timeline.RTT, Span: timeline.At(t0), Value: 0.000123456},
		timeline.Sample{Subject: timeline.Host(timeline.LocalHost), Metric: timeline.HostCPU, Span: sp, Value: 1.0 / 3},
		timeline.Event{Subject: port, Type: timeline.EventOper, Span: timeline.Around(t0, 20*time.Millisecond), Text: "up\x1b[2J\x00 → down", Attrs: map[string]string{"from": "up", "to": "down", "": ""}, Origin: o},
		timeline.Event{Subject: timeline.Device("fw1"), Type: timeline.EventFailover},
		timeline.Gap{Subject: port, Metric: timeline.InFCS, Span: sp, Reason: timeline.ReasonTimeout, Text: "no answer in 1s", Origin: o},
		timeline.Gap{Subject: timeline.Device("sw1"), Span: sp, Reason: timeline.ReasonAuth},
	}
}

func testTuning() tuning {
	t := defaults
	t.flush, t.seal, t.compact = 5*time.Millisecond, 50*time.Millisecond, 16<<10
	return t
}

// record writes a session with the records in it and returns its path.
func record(t testing.TB, m Meta, records []timeline.Record, exchanges ...timeline.Exchange) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.whydrop")
	r, err := Create(path, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		r.Put(rec)
	}
	for _, x := range exchanges {
		r.Keep(x)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

type contents struct {
	records   []timeline.Record
	exchanges []timeline.Exchange
	damage    []string
	meta      Meta
	complete  bool
}

func load(t testing.TB, path string) contents {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return loaded(t, s)
}

func loaded(t testing.TB, s *Session) contents {
	t.Helper()
	var c contents
	if err := s.Each(func(r timeline.Record) bool { c.records = append(c.records, r); return true }); err != nil {
		t.Fatal(err)
	}
	if err := s.Exchanges(func(x timeline.Exchange) bool { c.exchanges = append(c.exchanges, x); return true }); err != nil {
		t.Fatal(err)
	}
	c.meta, c.damage, c.complete = s.Meta(), s.Damage(), s.Complete()
	return c
}

// ordered sorts records by all they hold, so that two sets can be compared.
func ordered[T any](in []T) []T {
	out := slices.Clone(in)
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Compare(sortKey(a), sortKey(b)) })
	return out
}

func sortKey(v any) string {
	switch r := v.(type) {
	case timeline.Sample:
		return fmt.Sprintf("s%q%d%q%q%d%d%v%v", r.Device, r.Kind, r.Name, r.Metric, r.Span.From.UnixNano(), r.Span.To.UnixNano(), r.Origin, r.Value)
	case timeline.Event:
		return fmt.Sprintf("e%q%d%q%q%d%d%q%v%v", r.Device, r.Kind, r.Name, r.Type, r.Span.From.UnixNano(), r.Span.To.UnixNano(), r.Text, r.Attrs, r.Origin)
	case timeline.Gap:
		return fmt.Sprintf("g%q%d%q%q%d%d%q%q%v", r.Device, r.Kind, r.Name, r.Metric, r.Span.From.UnixNano(), r.Span.To.UnixNano(), r.Text, r.Reason, r.Origin)
	case timeline.Exchange:
		return fmt.Sprintf("x%v%q%d%d%q%q", r.Origin, r.Subject.Name, r.Span.From.UnixNano(), r.Span.To.UnixNano(), r.Request, r.Reply)
	}
	panic(fmt.Sprintf("%T", v))
}

func TestWhatGoesInComesOut(t *testing.T) {
	meta := Meta{Program: "whydrop test", Site: "lab", Started: t0, Topology: json.RawMessage(`{"site":"lab"}`), Notes: []string{"one", "two"}}
	exchanges := []timeline.Exchange{
		{Origin: timeline.Origin{Collector: "ssh:sw1", Exchange: 1}, Subject: timeline.Device("sw1"), Span: timeline.Span{From: t0, To: t0.Add(time.Millisecond)}, Request: "show interfaces", Reply: []byte("Gi1/0/1 is up\r\n\x1b[0m\xff")},
		{Origin: timeline.Origin{Collector: "snmp:sw1", Exchange: 2}, Subject: timeline.Device("sw1"), Span: timeline.At(t0)},
	}
	got := load(t, record(t, meta, everything(), exchanges...))
	if d := gocmp.Diff(ordered(everything()), ordered(got.records)); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
	if d := gocmp.Diff(ordered(exchanges), ordered(got.exchanges)); d != "" {
		t.Errorf("exchanges (-want +got):\n%s", d)
	}
	if d := gocmp.Diff(meta, got.meta); d != "" {
		t.Errorf("meta (-want +got):\n%s", d)
	}
	if len(got.damage) > 0 || !got.complete {
		t.Errorf("damage %q, complete %v of a sound recording", got.damage, got.complete)
	}
}

func TestEmptyRecording(t *testing.T) {
	got := load(t, record(t, Meta{Site: "lab"}, nil))
	if len(got.records) != 0 || len(got.damage) != 0 || got.meta.Site != "lab" || !got.complete {
		t.Errorf("got %+v", got)
	}
}

// genText makes texts as devices send them, hostile ones included.
var genText = rapid.OneOf(rapid.StringN(0, 12, 40), rapid.SampledFrom([]string{"", "sw1", "Gi1/0/1", "if.in.bits", "\x00", "\xff\xfe", "a-b"}))

func genTime() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		switch rapid.IntRange(0, 5).Draw(t, "era") {
		case 0:
			return time.Time{}
		case 1:
			return time.Unix(rapid.Int64Range(earliest.Unix(), latest.Unix()-1).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).UTC()
		}
		return t0.Add(time.Duration(rapid.IntRange(-5, 50).Draw(t, "step")) * 250 * time.Millisecond).Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "jitter")))
	})
}

func genSpan(t *rapid.T) timeline.Span {
	return timeline.Span{From: genTime().Draw(t, "from"), To: genTime().Draw(t, "to")}
}

func genSubject(t *rapid.T) timeline.Subject {
	return timeline.Subject{Kind: timeline.Kind(rapid.IntRange(0, 5).Draw(t, "kind")), Device: genText.Draw(t, "device"), Name: genText.Draw(t, "name")}
}

func genOrigin(t *rapid.T) timeline.Origin {
	return timeline.Origin{Collector: rapid.SampledFrom([]string{"", "snmp:sw1", "ssh:sw1", "stamp:a-b"}).Draw(t, "collector"), Exchange: rapid.OneOf(rapid.Uint64Range(0, 5), rapid.Uint64()).Draw(t, "exchange")}
}

func genValue(t *rapid.T, sp timeline.Span) float64 {
	n := float64(rapid.IntRange(-5, 1e9).Draw(t, "n"))
	switch rapid.IntRange(0, 4).Draw(t, "way") {
	case 0:
		return n
	case 1:
		if w := sp.Width().Seconds(); w > 0 && w < 1e6 {
			return n / w
		}
	case 2:
		return time.Duration(n).Seconds()
	case 3:
		return rapid.SampledFrom([]float64{0, 1, -1, 1e308, -1e308, 5e-324, 1 << 53, -(1 << 60), 0.1, float64(1<<53) + 2, negativeZero}).Draw(t, "odd")
	}
	return rapid.Float64Range(-1e300, 1e300).Draw(t, "f")
}

var negativeZero = func() float64 { z := 0.0; return -z * 1 }()

func genRecord() *rapid.Generator[timeline.Record] {
	return rapid.Custom(func(t *rapid.T) timeline.Record {
		sub, sp, o := genSubject(t), genSpan(t), genOrigin(t)
		switch rapid.IntRange(0, 5).Draw(t, "record") {
		case 0:
			var attrs map[string]string
			if n := rapid.IntRange(-1, 3).Draw(t, "attrs"); n >= 0 {
				attrs = map[string]string{}
				for range n {
					attrs[genText.Draw(t, "key")] = genText.Draw(t, "value")
				}
			}
			return timeline.Event{Subject: sub, Type: timeline.EventType(genText.Draw(t, "type")), Span: sp, Text: genText.Draw(t, "text"), Attrs: attrs, Origin: o}
		case 1:
			return timeline.Gap{Subject: sub, Metric: timeline.Metric(genText.Draw(t, "metric")), Span: sp, Reason: timeline.Reason(genText.Draw(t, "reason")), Text: genText.Draw(t, "text"), Origin: o}
		}
		return timeline.Sample{Subject: sub, Metric: timeline.Metric(genText.Draw(t, "metric")), Span: sp, Value: genValue(t, sp), Origin: o}
	})
}

func TestBatchesGiveBackEveryRecord(t *testing.T) {
	enc := newEncoder(tailLevel)
	defer enc.Close()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(genRecord(), 0, 60).Draw(t, "records")
		b := &batch{}
		for _, r := range in {
			if !b.add(r) {
				t.Fatalf("refused %+v", r)
			}
		}
		var xs []timeline.Exchange
		for range rapid.IntRange(0, 3).Draw(t, "exchanges") {
			x := timeline.Exchange{Origin: genOrigin(t), Subject: genSubject(t), Span: genSpan(t), Request: genText.Draw(t, "request"), Reply: rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "reply")}
			xs = append(xs, x)
			b.keep(x)
		}
		frame, err := b.frame(nil, header{kind: kindTail, first: 1, last: 1}, enc)
		if err != nil {
			t.Fatal(err)
		}
		h, err := parseHeader(frame)
		if err != nil {
			t.Fatal(err)
		}
		// What a range of frames becomes when it is sealed must hold the same.
		parts, err := merge([]sealing{{h, frame}})
		if err != nil {
			t.Fatal(err)
		}
		for _, batches := range [][]*batch{mustDecode(t, h, frame), parts} {
			var out []timeline.Record
			var outX []timeline.Exchange
			for _, b := range batches {
				b.each(func(r timeline.Record) bool { out = append(out, r); return true })
				outX = append(outX, b.exchanges...)
			}
			if d := gocmp.Diff(ordered(in), ordered(out), emptyIsNil); d != "" {
				t.Fatalf("records (-want +got):\n%s", d)
			}
			if d := gocmp.Diff(ordered(xs), ordered(outX), emptyIsNil); d != "" {
				t.Fatalf("exchanges (-want +got):\n%s", d)
			}
		}
	})
}

// emptyIsNil lets a list of nothing be equal to no list; maps are told apart.
var emptyIsNil = gocmp.FilterValues(func(a, b any) bool { return isEmptyList(a) && isEmptyList(b) }, gocmp.Ignore())

func isEmptyList(v any) bool {
	switch v := v.(type) {
	case []timeline.Record:
		return len(v) == 0
	case []timeline.Exchange:
		return len(v) == 0
	}
	return false
}

func mustDecode(t *rapid.T, h header, frame []byte) []*batch {
	raw, err := h.open(frame, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := decodeBatch(raw)
	if err != nil {
		t.Fatal(err)
	}
	return []*batch{b}
}

func TestLongRunIsSealedAndRebuiltOnTheWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.whydrop")
	r, err := create(path, Meta{Site: "lab"}, testTuning())
	if err != nil {
		t.Fatal(err)
	}
	var want []timeline.Record
	deadline := time.Now().Add(20 * time.Second)
	for i := 0; ; i++ {
		for j := range 60 {
			s := timeline.Sample{Subject: timeline.Port("sw1", fmt.Sprint("Gi1/0/", j)), Metric: timeline.InBits,
				Span: timeline.Span{From: t0.Add(time.Duration(i) * time.Second), To: t0.Add(time.Duration(i+1) * time.Second)}, Value: float64(i*7919*j%100003) / 7, Origin: timeline.Origin{Collector: "snmp:sw1", Exchange: uint64(i)}}
			want = append(want, s)
			r.Put(s)
		}
		if fi, err := os.Stat(path); i > 100 && err == nil {
			head := make([]byte, sqliteHeader)
			f, err := os.Open(path)
			if err == nil {
				f.ReadAt(head, 0)
				f.Close()
			}
			if db, _ := parseDatabase(head); db.bytes > 80<<10 && fi.Size() > db.bytes {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the database was not rebuilt while the recording ran")
		}
		time.Sleep(time.Millisecond) // give the writer's ticker room; nothing is asserted about it
	}
	live := load(t, path)
	if live.complete || len(live.damage) > 0 || len(live.records) == 0 {
		t.Errorf("while it is written: complete %v, damage %q, %d records", live.complete, live.damage, len(live.records))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got := load(t, path)
	if len(got.records) != len(want) || r.Dropped() > 0 {
		t.Fatalf("got %d records of %d, %d dropped", len(got.records), len(want), r.Dropped())
	}
	if d := gocmp.Diff(ordered(want), ordered(got.records)); d != "" {
		t.Errorf("records (-want +got):\n%.2000s", d)
	}
	if len(got.damage) > 0 || !got.complete {
		t.Errorf("damage %q, complete %v", got.damage, got.complete)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %q, %v", left, err)
	}
}

func TestRecordsThatTheFormatCannotHoldAreCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.whydrop")
	r, err := Create(path, Meta{})
	if err != nil {
		t.Fatal(err)
	}
	r.Put(timeline.Event{Span: timeline.At(time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC))})
	r.Put(timeline.Event{Text: "fine"})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if r.Dropped() != 1 {
		t.Errorf("dropped %d, want 1", r.Dropped())
	}
	got := load(t, path)
	if len(got.records) != 1 || len(got.damage) != 1 || !strings.Contains(got.damage[0], "1 records") {
		t.Errorf("got %d records, damage %q", len(got.records), got.damage)
	}
}
