package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"whydrop/probe/connectrate"
	"whydrop/probe/pmtu"
	"whydrop/probe/portsweep"
	"whydrop/probe/trace"
)

var (
	pathTarget = netip.MustParseAddr("192.0.2.9")
	pathRouter = netip.MustParseAddr("192.0.2.1")
)

// somePaths are results of every path probe, with everything in them, and with nothing.
func somePaths() map[string]struct {
	doc   any
	table func(io.Writer)
	want  []string // in the table
} {
	o := PathOptions{Host: "far.example"}
	hop := trace.Hop{TTL: 1, Sent: 4, Answered: 1, From: []trace.Answerer{{Addr: pathRouter, Times: 1}}, Best: time.Millisecond, Median: time.Millisecond, Worst: 2 * time.Millisecond, CountedOK: true}
	silent := trace.Hop{TTL: 2, Sent: 4, CountedOK: true}
	end := trace.Hop{TTL: 3, Sent: 4, Answered: 4, Target: true, CountedOK: true, From: []trace.Answerer{{Addr: pathTarget, Times: 4}}}
	traced := trace.Result{Target: pathTarget, Method: trace.UDP, Port: 33434, SrcPort: 40000, Rounds: 4, Reached: true, Hops: []trace.Hop{hop, silent, end}}
	narrow := pmtu.Result{Target: pathTarget, Means: pmtu.STAMP, OwnMTU: 1500, Believed: 1500, MTU: 1400, Ends: pmtu.Router, Said: pmtu.Said{By: pathRouter, MTU: 1400, Times: 2}, Back: 1400, BackEnds: pmtu.OwnLink, Sent: 3,
		Steps: []pmtu.Step{{Size: 1500, Sent: 1, Arrived: 0, Said: []pmtu.Said{{By: pathRouter, MTU: 1400, Times: 1}}}, {Size: 1400, Sent: 1, Answered: 1, Arrived: -1}}}
	hole := narrow
	hole.Ends, hole.Behind = pmtu.BlackHole, pmtu.Hop{TTL: 1, Addr: pathRouter}
	swept := portsweep.Result{Target: pathTarget, Means: portsweep.STAMP, Port: 862, Rounds: 10, LateIs: time.Millisecond,
		Ports: []portsweep.Port{{Number: 30000, Sent: 10, Lost: 10, There: -1, Back: -1}, {Number: 30001, Sent: 10, RTT: time.Millisecond}, {Number: 30002, Sent: 10, Lost: 1, There: 1, RTT: time.Millisecond}},
		Loss:  portsweep.Cluster{Ports: []uint16{30000}, Log10: -8}}
	connected := connectrate.Result{Target: pathTarget, Port: 5202, Rate: 20, SlowTime: time.Second, FastTime: time.Second,
		Attempts:    []connectrate.Attempt{{Fate: connectrate.Accepted}, {At: 1200 * time.Millisecond, Fast: true, Fate: connectrate.Silent}},
		Slow:        connectrate.Counts{connectrate.Accepted: 1},
		Fast:        connectrate.Counts{connectrate.Silent: 1},
		Established: []connectrate.Established{{Kind: "stamp", Known: true}, {Kind: "tcp", Known: true, Silence: 3 * time.Second}},
		Own:         connectrate.Table{Used: 5, Size: 100}}
	type result = struct {
		doc   any
		table func(io.Writer)
		want  []string
	}
	failed := errors.New("nothing answers")
	return map[string]result{
		"trace":           {traceDocument(o, traced, nil), func(w io.Writer) { traceTable(w, traced) }, []string{"192.0.2.1", "1/4", "75 %", "0/4", "100 %", "target", "3 hops away"}},
		"no trace":        {traceDocument(o, trace.Result{}, failed), nil, nil},
		"pmtu":            {pmtuDocument(o, narrow, nil), func(w io.Writer) { pmtuTable(w, narrow) }, []string{"192.0.2.1: too large, 1400 at most", "The path takes 1400 bytes"}},
		"a hole":          {pmtuDocument(o, hole, nil), func(w io.Writer) { pmtuTable(w, hole) }, []string{"behind hop 1 (192.0.2.1)"}},
		"no pmtu":         {pmtuDocument(o, pmtu.Result{}, failed), nil, nil},
		"sweep":           {sweepDocument(o, swept, nil), func(w io.Writer) { sweepTable(w, swept) }, []string{"30000", "loses", "1 ports lost nothing of 10 packets"}},
		"no sweep":        {sweepDocument(o, portsweep.Result{}, failed), nil, nil},
		"connect rate":    {connectDocument(o, connected, nil), func(w io.Writer) { connectRows(w, connected) }, []string{"Heartbeats from one port: went on", "nothing came for 3.0 s"}},
		"no connect rate": {connectDocument(o, connectrate.Result{}, failed), nil, nil},
	}
}

func TestPathDocumentsHaveNoNullLists(t *testing.T) {
	lists := []string{"hops", "addresses", "steps", "said", "ports", "established", "by_second"}
	var check func(name string, v any)
	check = func(name string, v any) {
		m, ok := v.(map[string]any)
		if !ok {
			if l, ok := v.([]any); ok {
				for _, x := range l {
					check(name, x)
				}
			}
			return
		}
		for k, x := range m {
			for _, l := range lists {
				if k == l && x == nil && !(k == "said" && m["ttl"] != nil) {
					t.Errorf("%s: %s is null", name, k)
				}
			}
			check(name, x)
		}
	}
	for name, p := range somePaths() {
		b, err := json.Marshal(p.doc)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(b, &doc); err != nil {
			t.Fatal(err)
		}
		failed := strings.HasPrefix(name, "no ")
		if doc["schema_version"] != 1.0 || doc["host"] != "far.example" || doc["measured"] == failed || (doc["error"] == nil) == failed || failed && doc["target"] != nil {
			t.Errorf("%s: %s", name, b)
		}
		check(name, doc)
	}
}

func TestPathTables(t *testing.T) {
	for name, p := range somePaths() {
		if p.table == nil {
			continue
		}
		var b bytes.Buffer
		p.table(&b)
		for _, w := range p.want {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s: no %q in\n%s", name, w, b.String())
			}
		}
		for _, l := range strings.Split(b.String(), "\n") {
			if l != strings.TrimRight(l, " ") {
				t.Errorf("%s: blanks at the end of %q", name, l)
			}
		}
	}
}

func TestPathExitCodes(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name     string
		ctx      context.Context
		measured bool
		err      error
		want     int
	}{
		{"measured", t.Context(), true, nil, ExitOK},
		{"nothing to measure", t.Context(), false, nil, ExitNotMeasured},
		{"it went wrong", t.Context(), false, errors.New("no"), ExitNotMeasured},
		{"interrupted", cancelled, true, nil, ExitInterrupted},
	} {
		var b bytes.Buffer
		o := PathOptions{Format: "text", Out: &b}
		if got := CodeOf(o.finish(tt.ctx, nil, func(w io.Writer) { _, _ = io.WriteString(w, "table") }, tt.measured, tt.err)); got != tt.want {
			t.Errorf("%s: exit code %d, want %d", tt.name, got, tt.want)
		}
		if err := o.finish(tt.ctx, nil, func(io.Writer) {}, tt.measured, tt.err); tt.want == ExitInterrupted && !strings.Contains(err.Error(), "interrupted before it was done") {
			t.Errorf("%s: nothing says so: %v", tt.name, err)
		}
		if printed := b.String() == "table"; printed != (tt.err == nil) {
			t.Errorf("%s: printed %q", tt.name, b.String())
		}
	}
}
