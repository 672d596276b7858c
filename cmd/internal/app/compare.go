package app

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/app/ingest"
	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Compared says what changed between two recordings, probes or captures.
type Compared struct {
	A, B    ComparedSide
	Figures []correlate.Comparison
	// Gone, New and Kept are findings above suspicion that only A has, only B has, and both have.
	Gone, New, Kept []string
}

// ComparedSide is one of the two.
type ComparedSide struct {
	Path    string
	Seconds float64 // watched; 0 if it has no time
	damage  []string
	found   []rules.Diagnosis
	snap    timeline.Snapshot
}

// Compare reads two files, each a recording, facts by hand or a text with measurements, and compares their figures.
func Compare(a, b string) (Compared, error) {
	var c Compared
	for _, x := range []struct {
		path string
		side *ComparedSide
	}{{a, &c.A}, {b, &c.B}} {
		side, err := openSide(x.path)
		if err != nil {
			return Compared{}, err
		}
		*x.side = side
	}
	c.Figures = correlate.Compare(c.A.snap, c.B.snap)
	inA, inB := findingNames(c.A.found), findingNames(c.B.found)
	for _, f := range inA {
		if slices.Contains(inB, f) {
			c.Kept = append(c.Kept, f)
		} else {
			c.Gone = append(c.Gone, f)
		}
	}
	for _, f := range inB {
		if !slices.Contains(inA, f) {
			c.New = append(c.New, f)
		}
	}
	if !slices.ContainsFunc(c.Figures, func(f correlate.Comparison) bool { return f.Verdict != correlate.Unknown }) {
		err := fmt.Errorf("%s and %s have no figure that can be compared: both need measurements of the same path, some seconds of them, or counters of the same port", a, b)
		if damage := c.Damage(); len(damage) > 0 {
			err = fmt.Errorf("%w; %s", err, strings.Join(damage, "; "))
		}
		return c, Exit{ExitNotMeasured, err}
	}
	return c, nil
}

func openSide(path string) (ComparedSide, error) {
	side := ComparedSide{Path: path}
	if isRecording(path) {
		r, err := OpenRecording(path)
		if err != nil {
			return side, err
		}
		side.snap, side.found, side.damage = r.Snapshot, r.Diagnose(r.Snapshot), r.Damage
		side.Seconds = correlate.Watched(r.Snapshot).Width().Seconds()
		return side, nil
	}
	f, err := openNamed(path)
	if err != nil {
		return side, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, ingest.MaxSize+1))
	name := filepath.Base(path)
	switch {
	case err != nil:
		return side, Exit{ExitNotMeasured, fmt.Errorf("%s: %w", path, err)}
	case len(text) > ingest.MaxSize:
		return side, Exit{ExitNotMeasured, fmt.Errorf("%s is larger than %d MiB; cut out what matters", path, ingest.MaxSize>>20)}
	case isFacts(name, text):
		facts, err := ParseFacts(name, text)
		if err != nil {
			return side, Exit{ExitUsage, err}
		}
		side.snap, side.found = facts.Snapshot, facts.Diagnose()
	default:
		c := ingest.Collection{Today: time.Now()}
		c.Add(name, text)
		got := c.Result()
		side.snap, side.found = timeline.NewSnapshot(append(got.Records, countsOf(got.Pasted.Ports)...)...), rules.EvaluatePasted(got.Pasted)
	}
	return side, nil
}

// countsOf lays what was counted between two snapshots of a port out as rates. Where a text does not say how far apart
// they are, a second is as good as any other time: errors are compared per packet.
func countsOf(ports []rules.PortView) []timeline.Record {
	var out []timeline.Record
	for _, p := range ports {
		seconds := 1.0
		if p.Seconds != nil && *p.Seconds > 0 {
			seconds = *p.Seconds
		}
		from := time.Unix(0, 0).UTC()
		sp := timeline.Span{From: from, To: from.Add(time.Duration(seconds * float64(time.Second)))}
		for m, n := range p.Counts {
			if m == timeline.InBits || m == timeline.OutBits {
				n *= 8
			}
			out = append(out, timeline.Sample{Subject: p.Subject, Metric: m, Span: sp, Value: n / seconds, Origin: timeline.Origin{Collector: p.Source}})
		}
	}
	return out
}

// findingNames returns the findings that hold, each as its chain and subject.
func findingNames(list []rules.Diagnosis) []string {
	var out []string
	for _, d := range list {
		if d.Verdict == rules.Holds {
			out = append(out, report.Clean(strings.Join(d.Chain, " > ")+" at "+d.Subject.String()))
		}
	}
	return out
}

// Text writes the comparison for a person: what became better or worse first, then the rest. Unless all is wanted, what
// is nothing on both sides and what only one side has are named in a line.
func (c Compared) Text(out io.Writer, all bool) error {
	w := &strings.Builder{}
	fmt.Fprintf(w, "A  %s%s\nB  %s%s\n\n", report.Clean(c.A.Path), watchedText(c.A.Seconds), report.Clean(c.B.Path), watchedText(c.B.Seconds))
	for _, d := range c.Damage() {
		fmt.Fprintf(w, "not all of it could be read: %s\n\n", d)
	}
	var changed, same, unknown [][]string
	var nothing, onlyA, onlyB int
	for _, f := range c.Figures {
		switch {
		case all:
		case f.Nothing():
			nothing++
			continue
		case math.IsNaN(f.B.Value):
			onlyA++
			continue
		case math.IsNaN(f.A.Value):
			onlyB++
			continue
		}
		row := []string{becameText(f), figureName(f), estimateText(f, f.A), estimateText(f, f.B), chanceText(f)}
		switch f.Verdict {
		case correlate.Same:
			same = append(same, row)
		case correlate.Unknown:
			unknown = append(unknown, row)
		default:
			changed = append(changed, row)
		}
	}
	fmt.Fprintln(w, "B is    figure, on both sides, and how likely such a difference is by chance")
	for _, row := range slices.Concat(changed, unknown, same) {
		// A figure with its uncertainty is long: beside each other they do not fit a terminal.
		fmt.Fprintf(w, "%s%s\n        A  %s\n        B  %s%s\n", report.Pad(row[0], 8), row[1], row[2], row[3], row[4])
	}
	if nothing+onlyA+onlyB > 0 {
		fmt.Fprintf(w, "\nNot shown (--all shows them): %s without any count or equal on both sides,\n%d that only A has, %d that only B has.\n", rules.Plural(nothing, "figure"), onlyA, onlyB)
	}
	fmt.Fprintln(w)
	for _, x := range []struct {
		what string
		list []string
	}{{"No longer found", c.Gone}, {"Newly found", c.New}, {"Found in both", c.Kept}} {
		for _, f := range x.list {
			fmt.Fprintf(w, "%s: %s\n", x.what, f)
		}
	}
	for _, line := range report.Wrap(c.Meaning(), report.Columns) {
		fmt.Fprintln(w, line)
	}
	_, err := io.WriteString(out, w.String())
	return err
}

// Damage lists what could not be read of the two recordings.
func (c Compared) Damage() []string {
	var out []string
	for _, side := range []ComparedSide{c.A, c.B} {
		for _, d := range side.damage {
			out = append(out, report.Clean(side.Path+": "+d))
		}
	}
	return out
}

// Meaning says in a sentence or two what changed.
func (c Compared) Meaning() string {
	var better, worse, other, unknown int
	for _, f := range c.Figures {
		switch b := f.Better(); {
		case f.Verdict == correlate.Unknown:
			unknown++
		case b > 0:
			better++
		case b < 0:
			worse++
		case f.Verdict != correlate.Same:
			other++
		}
	}
	text := fmt.Sprintf("%s compared: %d better in B, %d worse, %d without a difference beyond chance.", rules.Plural(len(c.Figures)-unknown, "figure"), better, worse, len(c.Figures)-better-worse-unknown-other)
	if unknown > 0 {
		text += fmt.Sprintf(" Of %s it can't be said: one side lacks them, or has too few values; measure each side for a minute or more.", rules.Plural(unknown, "more figure"))
	}
	return text
}

func watchedText(seconds float64) string {
	if seconds <= 0 {
		return ""
	}
	return " (" + report.RoundLength(time.Duration(seconds*float64(time.Second))) + ")"
}

func becameText(f correlate.Comparison) string {
	switch {
	case f.Verdict == correlate.Unknown:
		return "?"
	case f.Verdict == correlate.Same:
		return "same"
	case f.Better() > 0:
		return "better"
	case f.Better() < 0:
		return "worse"
	}
	return string(f.Verdict)
}

func figureName(f correlate.Comparison) string {
	name := string(f.Metric)
	if f.Metric == timeline.Metric(timeline.EventOutage) {
		name = "outages"
	} else if d, ok := timeline.Describe(f.Metric); ok {
		name = d.Name
	}
	subject := f.Subject.String()
	if f.InB != f.Subject {
		subject += " / " + f.InB.String()
	}
	return report.Clean(subject) + ": " + name
}

// estimateText writes a figure with its interval.
func estimateText(f correlate.Comparison, e correlate.Estimate) string {
	if math.IsNaN(e.Value) {
		return "not known"
	}
	figure := func(v float64) string {
		switch {
		case f.Metric == timeline.Metric(timeline.EventOutage):
			return fmt.Sprintf("%.*f", max(0, 2-int(math.Floor(math.Log10(max(v*3600, 0.1))))), v*3600) // three digits
		case f.PerPacket:
			return fmt.Sprintf("%.2g", v)
		}
		d, _ := timeline.Describe(f.Metric)
		return report.Figure(string(f.Metric), v, d.Unit)
	}
	unit := ""
	switch {
	case f.Metric == timeline.Metric(timeline.EventOutage):
		unit = " an hour"
	case f.PerPacket:
		unit = " per packet"
	}
	text := figure(e.Value) + unit
	if e.Count == 0 && (f.PerPacket || unit == " an hour") {
		return "none (below " + figure(e.High) + unit + ")"
	}
	if !math.IsNaN(e.Low) && e.Low != e.High {
		text += " (" + figure(max(e.Low, lowest(f))) + " to " + figure(e.High) + ")"
	}
	return text
}

// lowest is the least value that a figure can have: none of those compared but optical power is ever negative.
func lowest(f correlate.Comparison) float64 {
	if f.Metric == timeline.RxPower {
		return math.Inf(-1)
	}
	return 0
}

func chanceText(f correlate.Comparison) string {
	switch {
	case math.IsNaN(f.Chance):
		return "  (by chance: ?)"
	case slices.Contains([]timeline.Metric{timeline.Speed, timeline.HalfDuplex, timeline.Oper, timeline.MTU}, f.Metric):
		return ""
	case f.Chance < 0.001:
		return "  (by chance: < 0.1 %)"
	case f.Chance >= 0.095:
		return fmt.Sprintf("  (by chance: %.0f %%)", 100*f.Chance)
	}
	return fmt.Sprintf("  (by chance: %.1f %%)", 100*f.Chance)
}

// JSON writes the comparison for programs. A figure that is not known is null.
func (c Compared) JSON(w io.Writer) error {
	type estimate struct {
		Value *float64 `json:"value"`
		Low   *float64 `json:"low"`
		High  *float64 `json:"high"`
		Count *float64 `json:"count,omitempty"`
		Of    *float64 `json:"of,omitempty"`
	}
	type figure struct {
		Subject   string   `json:"subject"`
		InB       string   `json:"subject_in_b"`
		Metric    string   `json:"metric"`
		Unit      string   `json:"unit"`
		PerPacket bool     `json:"per_packet"`
		A         estimate `json:"a"`
		B         estimate `json:"b"`
		Chance    *float64 `json:"chance"`
		Verdict   string   `json:"verdict"`
		Better    int      `json:"better"`
	}
	known := func(v float64) *float64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	of := func(e correlate.Estimate) estimate {
		return estimate{known(e.Value), known(e.Low), known(e.High), known(e.Count), known(e.Of)}
	}
	doc := struct {
		SchemaVersion int      `json:"schema_version"`
		A             string   `json:"a"`
		B             string   `json:"b"`
		Figures       []figure `json:"figures"`
		Gone          []string `json:"no_longer_found"`
		New           []string `json:"newly_found"`
		Kept          []string `json:"found_in_both"`
		Meaning       string   `json:"meaning"`
		Damage        []string `json:"damage"`
	}{1, c.A.Path, c.B.Path, []figure{}, orEmpty(c.Gone), orEmpty(c.New), orEmpty(c.Kept), c.Meaning(), orEmpty(c.Damage())}
	for _, f := range c.Figures {
		d, _ := timeline.Describe(f.Metric)
		unit := d.Unit
		switch {
		case f.PerPacket:
			unit = "ratio"
		case f.Metric == timeline.Metric(timeline.EventOutage):
			unit = "1/s"
		}
		doc.Figures = append(doc.Figures, figure{f.Subject.String(), f.InB.String(), string(f.Metric), unit, f.PerPacket, of(f.A), of(f.B), known(f.Chance), string(f.Verdict), f.Better()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

func orEmpty(v []string) []string {
	if v == nil {
		return []string{}
	}
	return v
}
