package timeline

import (
	"math"
	"testing"
	"time"
)

func TestThinningKeepsTotalsAndWhatLiesNearEvents(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	port := Port("sw1", "Gi1/0/1")
	s := &Store{Detail: 10 * time.Minute}
	event := start.Add(30 * time.Minute)
	var total float64
	const hour = 3600
	for i := range 2 * hour {
		from := start.Add(time.Duration(i) * time.Second)
		if from.Equal(event) {
			s.Put(Event{Subject: port, Type: EventOper, Span: At(event)})
		}
		v := float64(i % 7)
		total += v
		s.Put(Sample{Subject: port, Metric: OutDrops, Span: Span{from, from.Add(time.Second)}, Value: v})
	}
	series := s.Snapshot().Series(port, OutDrops)
	if len(series) > 1700 {
		t.Errorf("got %d samples of %d, want about 110 min / 10 s + 10 min + 2 min", len(series), 2*hour)
	}
	var sum float64
	near, last := 0, time.Time{}
	for _, x := range series {
		sum += x.Value * x.Span.Width().Seconds()
		if x.Span.To.Before(last) {
			t.Fatalf("not in order at %v", x.Span.To)
		}
		last = x.Span.To
		if d := x.Span.From.Sub(event).Abs(); d < 50*time.Second && x.Span.Width() == time.Second {
			near++
		}
	}
	if math.Abs(sum-total) > 1e-6*total {
		t.Errorf("total: got %v, want %v", sum, total)
	}
	if near != 99 {
		t.Errorf("got %d whole samples around the event, want 99", near)
	}
	if young := series[len(series)-600:]; young[0].Span.Width() != time.Second {
		t.Errorf("the last ten minutes are thinned: %v", young[0].Span.Width())
	}
}
