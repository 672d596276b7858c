package report

import (
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestEventText(t *testing.T) {
	at := time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)
	ev := func(typ timeline.EventType, text string, kv ...string) timeline.Event {
		e := timeline.Event{Subject: timeline.Device("sw1"), Type: typ, Span: timeline.Span{From: at, To: at.Add(4210 * time.Millisecond)}, Text: text, Attrs: map[string]string{}}
		for i := 0; i+1 < len(kv); i += 2 {
			e.Attrs[kv[i]] = kv[i+1]
		}
		return e
	}
	tests := []struct {
		name string
		in   timeline.Event
		want string
	}{
		{"a link that went down, in its own words too", ev(timeline.EventOper, "%LINK-3-UPDOWN: down\n", "from", "up", "to", "down"), "link up to down: %LINK-3-UPDOWN: down"},
		{"a change of which half is known", ev(timeline.EventSTPState, "", "to", "blocking"), "spanning tree ? to blocking"},
		{"a speed", ev(timeline.EventSpeed, "", "from", "1000000000", "to", "100000000"), "speed 1 Gbit/s to 100 Mbit/s"},
		{"a speed that is no number", ev(timeline.EventSpeed, "", "from", "auto"), "speed auto to ?"},
		{"a topology change", ev(timeline.EventTopologyChange, "", "count", "3", "port", "Gi1/0/1"), "spanning-tree topology change, 3 times, from Gi1/0/1"},
		{"a dark path", ev(timeline.EventOutage, "", "direction", "both", "seen_by", "heartbeat"), "path dark both ways for 4.21 s"},
		{"a stalled flow that is not over", ev(timeline.EventOutage, "", "direction", "forward", "seen_by", "tcp", "open", "true"), "TCP stalled to the far end for 4.21 s, still on"},
		{"an outage of which little is known", ev(timeline.EventOutage, ""), "path dark direction unknown for 4.21 s"},
		{"a type nobody knows", ev("x.y", "hm"), "x.y: hm"},
		{"hostile words", ev(timeline.EventSyslog, "\x1b[2J"), `log: \x1b[2J`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := EventText(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBuckets(t *testing.T) {
	at := func(s float64) time.Time {
		return time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC).Add(time.Duration(s * float64(time.Second)))
	}
	sample := func(from, to, v float64) timeline.Sample {
		return timeline.Sample{Span: timeline.Span{From: at(from), To: at(to)}, Value: v}
	}
	span := timeline.Span{From: at(0), To: at(4)}
	tests := []struct {
		name string
		in   []timeline.Sample
		want [4]Bucket
	}{
		{"nothing is known of a column without samples", []timeline.Sample{sample(1, 2, 5)}, [4]Bucket{1: {1, 5, 5, 5}}},
		{"a long sample fills its columns", []timeline.Sample{sample(0, 3, 5)}, [4]Bucket{{1, 5, 5, 5}, {1, 5, 5, 5}, {1, 5, 5, 5}}},
		{"short samples are summed up", []timeline.Sample{sample(0, 0.5, 1), sample(0.5, 1, 3)}, [4]Bucket{{2, 1, 3, 2}}},
		{"what lies outside is cut", []timeline.Sample{sample(-5, 1, 2), sample(3, 9, 4), sample(9, 10, 7)}, [4]Bucket{0: {1, 2, 2, 2}, 3: {1, 4, 4, 4}}},
		{"a moment falls into its column", []timeline.Sample{sample(2, 2, 9)}, [4]Bucket{2: {1, 9, 9, 9}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Buckets(tt.in, span, 4)
			if [4]Bucket(got) != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestNiceCeil(t *testing.T) {
	for _, tt := range []struct{ in, want float64 }{{0, 1}, {-3, 1}, {1, 1}, {1.2, 1.2}, {2.4, 2.5}, {10.4, 12}, {941, 1000}, {1000, 1000}, {0.031, 0.04}, {8.1, 10}} {
		if got := NiceCeil(tt.in); got < tt.want*(1-1e-9) || got > tt.want*(1+1e-9) {
			t.Errorf("NiceCeil(%v): got %v, want %v", tt.in, got, tt.want)
		}
	}
}
