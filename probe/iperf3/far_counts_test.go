package iperf3

import (
	"testing"
	"time"

	"whydrop/probe/tcpinfo"
)

func TestFarCountsAreOfWhatCameSince(t *testing.T) {
	const id, sent = 1, 1000
	jitter := tcpinfo.Opt[time.Duration]{Value: time.Millisecond, OK: true}
	tests := []struct {
		name string
		says []string // reports, each followed by a question
		want []*FarInterval
	}{
		{"nothing told", []string{""}, []*FarInterval{nil}},
		{"the first counts from the beginning", []string{`{"seconds":0.5,"streams":[{"id":1,"packets":90,"lost":10,"out_of_order":2,"host_dropped":4,"jitter_s":0.001}]}`},
			[]*FarInterval{{To: 500 * time.Millisecond, Packets: 90, Lost: 10, OutOfOrder: 2, HostDropped: 4, Jitter: jitter}}},
		{"the second from the first", []string{`{"seconds":1,"streams":[{"id":1,"packets":90,"lost":10}]}`, `{"seconds":2,"streams":[{"id":1,"packets":190,"lost":11}]}`},
			[]*FarInterval{{To: time.Second, Packets: 90, Lost: 10}, {To: 2 * time.Second, Packets: 100, Lost: 1}}},
		{"nothing new", []string{`{"seconds":1,"streams":[{"id":1,"packets":90,"lost":10}]}`, ""},
			[]*FarInterval{{To: time.Second, Packets: 90, Lost: 10}, nil}},
		{"what was missing and came late is no negative loss", []string{`{"seconds":1,"streams":[{"id":1,"packets":90,"lost":10}]}`, `{"seconds":2,"streams":[{"id":1,"packets":105,"lost":5}]}`},
			[]*FarInterval{{To: time.Second, Packets: 90, Lost: 10}, {To: 2 * time.Second, Packets: 15}}},
		{"more than was sent", []string{`{"seconds":1,"streams":[{"id":1,"packets":990,"lost":18446744073709551615}]}`}, []*FarInterval{nil}},
		{"another stream", []string{`{"seconds":1,"streams":[{"id":3,"packets":1,"lost":1}]}`}, []*FarInterval{nil}},
		{"a stream of TCP", []string{`{"seconds":1,"streams":[{"id":1,"bytes":1}]}`}, []*FarInterval{nil}},
		{"no report", []string{`{"seconds":"x"`}, []*FarInterval{nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var f farCounts
			for i, text := range tt.says {
				if text != "" {
					f.hear([]byte(text))
				}
				got, want := f.since(id, sent), tt.want[i]
				if (got == nil) != (want == nil) || got != nil && *got != *want {
					t.Errorf("after report %d: got %+v, want %+v", i+1, got, want)
				}
			}
		})
	}
}

// TestSenderIsToldOfTheFarEndsLossWhileItSends: what a far end of ours counts is in the intervals.
func TestSenderIsToldOfTheFarEndsLossWhileItSends(t *testing.T) {
	address := serve(t, ServerConfig{})
	var begun Result
	var told []FarInterval
	h := Handler{Begun: func(r Result) { begun = r }, Interval: func(i Interval) {
		for _, s := range i.Streams {
			if s.Datagrams != nil && s.Datagrams.Far != nil {
				told = append(told, *s.Datagrams.Far)
			}
		}
	}}
	r, err := Run(t.Context(), Test{Address: address, UDP: true, Time: time.Second, Rate: 5e6, Length: 1000}, 250*time.Millisecond, h)
	if err != nil {
		t.Fatal(err)
	}
	if begun.Cookie != r.Cookie || begun.Cookie == "" || begun.Length != 1000 || len(begun.Connections) != 1 || begun.Started != r.Started {
		t.Errorf("at the beginning it said %+v", begun)
	}
	var arrived, lost uint64
	for _, f := range told {
		arrived, lost = arrived+f.Packets, lost+f.Lost
	}
	l, _ := r.Directions()[0].TotalLoss()
	if len(told) == 0 || arrived == 0 || arrived > l.Received || lost > l.Lost {
		t.Errorf("it told %+v, at the end %+v", told, l)
	}
}
