package intake

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

var t0 = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

type list struct{ records []timeline.Record }

func (l *list) Put(r timeline.Record) { l.records = append(l.records, r) }

func message(from string) Message {
	return Message{From: netip.MustParseAddrPort(from + ":514"), Received: t0, Data: []byte("x")}
}

func TestOneSenderCanNotFillTheQueueAlone(t *testing.T) {
	var out list
	q := NewQueue("syslog", &out)
	q.filled = t0
	for n := range room {
		m := message("192.0.2.1")
		m.Received = t0.Add(time.Duration(n) * time.Millisecond)
		q.Put(m)
	}
	q.Put(message("192.0.2.2"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	taken := map[string]int{}
	q.Run(ctx, func(m Message) {
		taken[m.From.Addr().String()]++
		q.Keep(m, timeline.Event{Type: timeline.EventOper}, false)
	})
	if taken["192.0.2.1"] != room/2 || taken["192.0.2.2"] != 1 {
		t.Errorf("taken %v", taken)
	}
	if c := q.Counts(); c.Received != room+1 || c.Stored+c.Lost() != c.Received || c.Dropped[QueueFull] != room/2 {
		t.Errorf("%s", c)
	}
	gaps := 0
	for _, r := range out.records {
		if g, ok := r.(timeline.Gap); ok {
			gaps++
			if g.Device != "unknown 192.0.2.1" || g.Metric != timeline.MessagesDropped || !strings.Contains(g.Text, "4096") {
				t.Errorf("%+v", g)
			}
		}
	}
	if gaps != 1 {
		t.Errorf("%d gaps, want one", gaps)
	}
}

func TestAFaultInOneMessageEndsNothing(t *testing.T) {
	var out list
	q := NewQueue("trap", &out)
	q.Put(message("192.0.2.1"))
	q.Put(message("192.0.2.1"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	n := 0
	q.Run(ctx, func(m Message) {
		if n++; n == 1 {
			panic("fault")
		}
		q.Keep(m, timeline.Event{Type: timeline.EventOper}, true)
	})
	if c := q.Counts(); c.Stored != 1 || c.Lost() != 1 {
		t.Errorf("%s", c)
	}
}

func TestNamesOfSenders(t *testing.T) {
	s := NewSenders([]devices.Device{{Name: "sw1", Address: "192.0.2.1"}, {Name: "a", Address: "192.0.2.2"}, {Name: "b", Address: "::ffff:192.0.2.2"}})
	for _, c := range []struct{ from, said, want string }{
		{"192.0.2.1", "", "sw1"}, {"::ffff:192.0.2.1", "other", "sw1"}, {"192.0.2.2", "", ""}, {"192.0.2.2", "B.example.net", "b"}, {"192.0.2.9", "sw1", ""},
	} {
		if d, ok := s.Of(netip.MustParseAddr(c.from), c.said); d.Name != c.want || ok != (c.want != "") {
			t.Errorf("%s saying %q: %q, want %q", c.from, c.said, d.Name, c.want)
		}
	}
	if d, ok := s.Named("SW1.example.net"); !ok || d.Name != "sw1" {
		t.Errorf("%v", d)
	}
	d := devices.Device{Ports: []string{"GigabitEthernet1/0/1", "ge-0/0/1"}}
	for name, want := range map[string]string{
		"Gi1/0/1": "GigabitEthernet1/0/1", "Gi1/0/2": "GigabitEthernet1/0/2", "ge-0/0/1.0": "ge-0/0/1", "ge-0/0/2.0": "ge-0/0/2.0", "ge-0/0/1.10": "ge-0/0/1.10", ".0": ".0",
	} {
		if got := Port(d, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestDatesHoldTheTruth: however far a clock is off and however late messages come, once one came promptly.
func TestDatesHoldTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offset := time.Duration(rapid.Int64Range(-1e15, 1e15).Draw(t, "offset"))
		resolution := rapid.SampledFrom([]time.Duration{time.Second, time.Millisecond, 10 * time.Millisecond}).Draw(t, "resolution")
		var l Lag
		at := t0
		for n := range rapid.IntRange(5, 40).Draw(t, "messages") {
			at = at.Add(time.Duration(rapid.IntRange(1, 5000).Draw(t, "pause")) * time.Millisecond)
			delay := time.Duration(rapid.IntRange(0, 90).Draw(t, "delay")) * time.Millisecond
			if n > enough && rapid.IntRange(0, 5).Draw(t, "late") == 0 {
				delay = time.Duration(rapid.IntRange(0, 60000).Draw(t, "long")) * time.Millisecond
			}
			own := at.Add(offset).Truncate(resolution)
			sp, ok := l.Date(own, at.Add(delay), resolution)
			if ok != (n >= enough) {
				t.Fatalf("message %d: %v", n, ok)
			}
			if ok && (sp.From.After(at) || sp.To.Before(at) || sp.Width() > 2*resolution+fastest) {
				t.Fatalf("message %d, %s late: dated %s to %s around it", n, delay, sp.From.Sub(at), sp.To.Sub(at))
			}
		}
	})
}

func TestTicksOfALaterMoment(t *testing.T) {
	c := devices.Clock{Ticks: 1<<32 - 100, Span: timeline.At(t0)}
	for name, k := range map[string]struct {
		ticks    uint32
		received time.Duration
		ok       bool
	}{
		"a while after, over the wrap": {400, 6 * time.Second, true},
		"before it was asked":          {1<<32 - 1100, time.Second, true},
		"of the future":                {100000, 6 * time.Second, false},
		"of long ago":                  {1<<32 - 10000000, 6 * time.Second, false},
	} {
		sp, ok := ByTicks(c, k.ticks, t0.Add(k.received))
		want := t0.Add(time.Duration(int32(k.ticks-c.Ticks)) * 10 * time.Millisecond)
		if ok != k.ok || ok && (sp.From.After(want) || sp.To.Before(want) || sp.Width() > 50*time.Millisecond+devices.WrittenAfter || sp.To.Sub(want) > 50*time.Millisecond) {
			t.Errorf("%s: %v %v, want around %v", name, sp, ok, want)
		}
	}
}
