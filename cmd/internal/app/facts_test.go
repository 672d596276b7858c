package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whydrop/correlate/timeline"
	"whydrop/rules"
)

func TestFactsSayWhatIsWrongAndWhere(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"an unknown metric":                 {"schema: 1\nports:\n  - device: a\n    now:\n      if.in.fsc: 3\n", []string{"facts.yaml:5", "ports[0].now", `"if.in.fsc"`, `did you mean "if.in.fcs"`}},
		"a metric of a path":                {"schema: 1\nports:\n  - now: {path.rtt: 3}\n", []string{"facts.yaml:3", "path.rtt", "metric of a path"}},
		"an unknown key":                    {"schema: 1\nprobes:\n  - {proto: tcp, ratebps: 3}\n", []string{"facts.yaml:3", `"ratebps"`, `did you mean "rate_bps"`}},
		"an unknown table":                  {"schema: 1\nprobe: []\n", []string{"facts.yaml:2", `did you mean "probes"`}},
		"no schema":                         {"ports:\n  - {device: a}\n", []string{"facts.yaml:1", "schema"}},
		"a schema of the future":            {"schema: 2\n", []string{"facts.yaml:1", "schema: 1"}},
		"a loss in per cent":                {"schema: 1\nprobes:\n  - loss_ratio: 5\n", []string{"facts.yaml:3", "probes[0].loss_ratio", "0.05"}},
		"a word for a number":               {"schema: 1\nprobes:\n  - rate_bps: fast\n", []string{"facts.yaml:3", "a number (bit/s)"}},
		"a unit of another kind":            {"schema: 1\nprobes:\n  - rate_bps: 5 ms\n", []string{"facts.yaml:3", "a number (bit/s)", "5 ms"}},
		"octets per second for a rate":      {"schema: 1\nprobes:\n  - rate_bps: 5 MB/s\n", []string{"facts.yaml:3", "a number (bit/s)"}},
		"more than all, in per cent":        {"schema: 1\nprobes:\n  - loss_ratio: 120%\n", []string{"facts.yaml:3", "at most 1"}},
		"the name of a MIB object":          {"schema: 1\nports:\n  - now: {ifOutDiscards: 3}\n", []string{"facts.yaml:3", `did you mean "if.out.drops"`}},
		"the name of a field on a screen":   {"schema: 1\nports:\n  - now: {input_errors: 3, crc: 1}\n", []string{`did you mean "if.in.errors"`, `did you mean "if.in.fcs"`}},
		"a metric like none":                {"schema: 1\nports:\n  - now: {xyz: 3}\n", []string{`"xyz"`, "init facts --schema"}},
		"a speed in Mbit/s":                 {"schema: 1\nports:\n  - speed: 100\n", []string{"facts.yaml:3", "ports[0].speed", "bit/s"}},
		"a duplex that does not exist":      {"schema: 1\nports:\n  - duplex: ful\n", []string{"facts.yaml:3", "ports[0].duplex", `did you mean "full"`}},
		"a direction that does not exist":   {"schema: 1\nprobes:\n  - direction: sideways\n", []string{"facts.yaml:3", "probes[0].direction", "forward"}},
		"an event that does not exist":      {"schema: 1\nevents:\n  - type: if.opr\n", []string{"facts.yaml:3", "events[0].type", `did you mean "if.oper"`}},
		"a time that is none":               {"schema: 1\nevents:\n  - time: yesterday\n", []string{"facts.yaml:3", "events[0].time", "yesterday"}},
		"a link of one end":                 {"schema: 1\ntopology:\n  links:\n    - [a 1]\n", []string{"facts.yaml:4", "two ends"}},
		"a key of a path that is not there": {"schema: 1\ntopology:\n  paths:\n    - {nam: a-b}\n", []string{"facts.yaml:4", "nam", `did you mean "name"`}},
		"a type, a value and a name at once": {"schema: 1\nports:\n  - {duplex: ful, speed: fast}\nprobes:\n  - {rate_bps: five, proto: tpc, ratebps: 3}\n", []string{
			"facts.yaml:3: ports[0].duplex: ", "facts.yaml:3: ports[0].speed: a number", "facts.yaml:5: probes[0].rate_bps: ", "facts.yaml:5: probes[0].proto: ", `facts.yaml:5: probes[0]: unknown key "ratebps"`}},
		"all that is wrong with a table": {"schema: 1\nports:\n  - now: {if.x: a, if.in.fcs: b}\n", []string{
			"ports[0].now.if.x: a number", `ports[0].now: unknown metric "if.x"`, "ports[0].now.if.in.fcs: a number"}},
		"both ends of a link":  {"schema: 1\ntopology:\n  links: [[a, b]]\n", []string{`topology.links[0][0]: "a"`, `topology.links[0][1]: "b"`}},
		"two mistakes at once": {"schema: 1\nports:\n  - now: {if.x: 1}\nprobes:\n  - loss_ratio: 2\n", []string{"facts.yaml:3", "facts.yaml:5"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseFacts("facts.yaml", []byte(c.text))
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q lacks %q", err, w)
				}
			}
		})
	}
}

func TestFactsBecomeRecords(t *testing.T) {
	f, err := ParseFacts("f", []byte(`schema: 1
topology: {paths: [{name: a-b, hops: [sw1]}]}
ports:
  - device: sw1
    port: Gi1
    speed: 1e9
    duplex: half
    interval_s: 30
    before: {if.in.fcs: 10, if.in.bits: 1000, if.in.packets: 4294967290, if.out.drops: 900}
    after: {if.in.fcs: 70, if.in.bits: 4000, if.in.packets: 294, if.out.drops: 5}
  - {device: sw1, port: Gi1, age_s: 99, now: {if.in.runts: 7, if.mtu: 1500}}
  - {device: sw1, now: {device.cpu: 0.9}}
probes:
  - {proto: udp, offered_bps: 1e6, loss_ratio: 0.1, note: source port 5001}
hosts:
  - {name: b, cpu_ratio: 0.5, settings: {rmem_max: 212992, flow_control: off}}
`))
	if err != nil {
		t.Fatal(err)
	}
	port := timeline.Port("sw1", "Gi1")
	count := func(m timeline.Metric) float64 {
		sum := 0.0
		for _, s := range f.Snapshot.Series(port, m) {
			sum += s.Value * s.Span.Width().Seconds()
		}
		return sum
	}
	for m, want := range map[timeline.Metric]float64{timeline.InFCS: 60, timeline.InBits: 24000, timeline.InPackets: 300} {
		if got := count(m); got < want-1e-6 || got > want+1e-6 {
			t.Errorf("%s: counted %v, want %v", m, got, want)
		}
	}
	if n := len(f.Snapshot.Series(port, timeline.OutDrops)); n != 0 || len(f.Snapshot.EventsOf(port, timeline.EventUnreliable)) != 1 {
		t.Errorf("a counter that fell became %d samples", n)
	}
	if e := f.Snapshot.EventsOf(port, timeline.EventTotals); len(e) != 1 || e[0].Attrs["if.in.runts"] != "7" || e[0].Attrs["age_s"] != "99" || e[0].Attrs["if.mtu"] != "" {
		t.Errorf("totals: %v", e)
	}
	if e := f.Snapshot.EventsOf(timeline.Path("a-b"), timeline.EventResult); len(e) != 1 || e[0].Attrs["port"] != "5001" || e[0].Attrs["offered_bps"] != "1000000" {
		t.Errorf("results: %v", e)
	}
	if _, ok := f.Snapshot.Last(timeline.Device("sw1"), timeline.DeviceCPU); !ok {
		t.Error("the device's CPU is lost")
	}
	if e := f.Snapshot.EventsOf(timeline.Host("b"), timeline.EventSettings); len(e) != 1 || e[0].Attrs["flow_control"] != "off" {
		t.Errorf("settings: %v", e)
	}
	if !f.MadeUp || f.Undated {
		t.Error("no time was given")
	}
}

func TestNothingIsBelievedOfACounterThatFell(t *testing.T) {
	f, err := ParseFacts("f", []byte(`schema: 1
ports:
  - {device: sw1, port: Gi1, interval_s: 5, before: {if.out.drops: 900, if.in.fcs: 1}, after: {if.out.drops: 300, if.in.fcs: 4}}
  - {device: sw1, port: Gi1, interval_s: 5, before: {if.out.drops: 300}, after: {if.out.drops: 600}}
  - {device: sw1, port: Gi2, interval_s: 5, before: {if.out.drops: 300}, after: {if.out.drops: 600}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.Snapshot.Series(timeline.Port("sw1", "Gi1"), timeline.OutDrops)); n != 0 {
		t.Errorf("%d samples of a counter that fell", n)
	}
	if n := len(f.Snapshot.GapsOf(timeline.Port("sw1", "Gi1"), timeline.OutDrops)); n != 2 {
		t.Errorf("%d gaps, want one for each reading", n)
	}
	for _, k := range []timeline.Key{{Subject: timeline.Port("sw1", "Gi1"), Metric: timeline.InFCS}, {Subject: timeline.Port("sw1", "Gi2"), Metric: timeline.OutDrops}} {
		if len(f.Snapshot.Series(k.Subject, k.Metric)) != 1 {
			t.Errorf("%v is lost with another counter", k)
		}
	}
}

func TestTheExampleOfFactsIsReadAndExplained(t *testing.T) {
	f, err := ParseFacts("facts.example.yaml", ExampleFacts)
	if err != nil {
		t.Fatal(err)
	}
	found := f.Diagnose()
	if len(found) == 0 || found[0].ID() != "bad-cable" {
		t.Errorf("found %v, want bad-cable first", found)
	}
}

func TestTheSchemaNamesEveryMetricOfAPort(t *testing.T) {
	text, err := FactsSchema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"if.in.fcs"`, `"device.cpu"`, `"path.outage"`, `"rate_bps"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the schema lacks %s", want)
		}
	}
	if strings.Contains(string(text), `"path.rtt"`) {
		t.Error("the schema has a metric of a path")
	}
}

func TestAFileOfFactsIsAnalysed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.yaml")
	if err := os.WriteFile(path, ExampleFacts, 0o600); err != nil {
		t.Fatal(err)
	}
	doc := Analyze([]string{path}, nil)
	if len(doc.Problems) > 0 || len(doc.Findings) == 0 || doc.Findings[0].ID != "bad-cable" {
		t.Errorf("findings %v, problems %v", doc.Findings, doc.Problems)
	}
	for _, f := range doc.Findings {
		for _, a := range f.Against {
			if strings.Contains(a, "the path lost nothing") || strings.Contains(a, "moved no port") {
				t.Errorf("%s: %q, though nobody watched the path", f.ID, a)
			}
		}
	}
	if err := os.WriteFile(path, []byte("schema: 1\nports: [{now: {if.x: 1}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if doc := Analyze([]string{path}, nil); len(doc.Problems) == 0 {
		t.Error("a bad file is no problem")
	}
}

func TestFactsWithoutAnyTimeAreNotDated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.yaml")
	text := "schema: 1\nports: [{device: sw1, port: Gi1/0/1, interval_s: 60, before: {if.in.packets: 1000, if.in.fcs: 1}, after: {if.in.packets: 900000, if.in.fcs: 2000}}]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	doc := Analyze([]string{path}, nil)
	if len(doc.Findings) == 0 {
		t.Fatal("nothing was found")
	}
	for _, f := range doc.Findings {
		if f.Span.From != nil || f.Span.To != nil || strings.Contains(doc.Headline, "since") {
			t.Errorf("%s is dated %v, headline %q, though nobody told when", f.ID, f.Span, doc.Headline)
		}
		for _, e := range f.Evidence {
			if e.Span.From != nil {
				t.Errorf("%s: %q is dated %v", f.ID, e.Text, e.Span)
			}
		}
	}
}

func TestTimesOfDayHaveNoDate(t *testing.T) {
	for name, c := range map[string]struct {
		text, want, never, note string
	}{
		"times of day alone": {
			`{time: "14:02:05", device: sw1, port: Gi1, type: if.oper, text: went down}, {time: "14:02:05", type: path.outage, text: for 4 s}`,
			"14:02:05", "2000-01-01", "Only times of day were told",
		},
		"a date with one of them": {
			`{time: "2026-03-02 14:02:05", device: sw1, port: Gi1, type: if.oper, text: went down}, {time: "14:02:05", type: path.outage, text: for 4 s}`,
			"2026-03-02 14:02:0", "2000-01-01", "taken for those of 2026-03-02",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "facts.yaml")
			if err := os.WriteFile(path, []byte("schema: 1\ntopology: {paths: [{name: p, hops: [sw1]}]}\nevents: ["+c.text+"]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			doc := Analyze([]string{path}, nil)
			if !strings.Contains(strings.Join(doc.Notes, "\n"), c.note) {
				t.Errorf("notes %q", doc.Notes)
			}
			doc.Notes = nil
			for _, format := range []string{"text", "md", "html"} {
				var b strings.Builder
				if err := WriteReport(&b, doc, format); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(b.String(), c.want) || strings.Contains(b.String(), c.never) {
					t.Errorf("%s lacks %q or says %q:\n%s", format, c.want, c.never, b.String())
				}
			}
		})
	}
}

func TestWhatRestsOnEventsWithoutTimesIsOnlySuspected(t *testing.T) {
	f, err := ParseFacts("f", []byte(`schema: 1
topology: {paths: [{name: p, hops: [sw1]}]}
events:
  - {device: sw1, port: Gi1, type: if.oper, text: went down}
  - {type: path.outage, text: for 12 s}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Diagnose() {
		if d.Verdict == rules.Holds && len(d.Events) > 0 {
			t.Errorf("%v holds", d.Chain)
		}
	}
}

func TestEveryCaseIsReadAndStartsWithItsName(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.yaml")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseFacts(file, text); err != nil {
			t.Error(err)
		}
		if id := strings.TrimSuffix(filepath.Base(file), ".yaml"); !strings.HasPrefix(string(text), "# Case "+id+":") {
			t.Errorf("%s does not start with its name", file)
		}
	}
}
