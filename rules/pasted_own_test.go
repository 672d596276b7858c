package rules

import (
	"testing"

	"whydrop/correlate/timeline"
)

func TestWhatHostsTellOfThemselvesAlone(t *testing.T) {
	view := func(counts, shares map[timeline.Metric]float64) HostView {
		return HostView{Subject: timeline.Host("h1"), Source: "text:x:4", Counts: counts, Shares: shares}
	}
	resent := map[timeline.Metric]float64{timeline.TCPRetransmits: 700, timeline.OutPackets: 40000}
	for name, c := range map[string]struct {
		in   Pasted
		want string
	}{
		"segments are sent again":                    {Pasted{Hosts: []HostView{view(resent, nil)}}, "silent-drop cannot-tell"},
		"of how many is not told":                    {Pasted{Hosts: []HostView{view(map[timeline.Metric]float64{timeline.TCPRetransmits: 700}, nil)}}, "silent-drop cannot-tell"},
		"one in ten thousand is":                     {Pasted{Hosts: []HostView{view(map[timeline.Metric]float64{timeline.TCPRetransmits: 70, timeline.OutPackets: 700000}, nil)}}, ""},
		"they are, and a link is full":               {Pasted{Hosts: []HostView{view(resent, nil)}, Runs: []Run{tcp("run 1", "a", "b", 941e6)}}, "link-saturated holds"},
		"disks are waited for":                       {Pasted{Hosts: []HostView{view(nil, map[timeline.Metric]float64{timeline.HostIOWait: 0.44})}}, "application-limit suspected"},
		"disks are waited for a little":              {Pasted{Hosts: []HostView{view(nil, map[timeline.Metric]float64{timeline.HostIOWait: 0.08})}}, ""},
		"disks are waited for, and a test lost much": {Pasted{Hosts: []HostView{view(nil, map[timeline.Metric]float64{timeline.HostIOWait: 0.44})}, Runs: []Run{with(tcp("run 1", "a", "b", 20e6), func(r *Run) { r.Retransmits = ptr(int64(800)) })}}, "silent-drop cannot-tell"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := toldIDs(EvaluatePasted(c.in)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
