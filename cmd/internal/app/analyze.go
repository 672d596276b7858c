package app

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/app/ingest"
	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/session"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Analyze says what follows from files: texts as people paste and attach them, and recordings. The name "-" is
// standard input. A file that can't be read is a problem in the document; if none can be read, or nothing in them
// is recognised, the verdict is cannot-tell.
func Analyze(paths []string, stdin io.Reader) report.Document {
	a := analysis{texts: ingest.Collection{Today: time.Now()}}
	for _, p := range paths {
		a.file(p, stdin)
	}
	return a.document()
}

// CheckFiles returns an error if none of the named files can be opened: then it is the command line that is wrong. One of
// several is a problem in the document.
func CheckFiles(paths []string) error {
	var first error
	for _, p := range paths {
		if p == "-" {
			return nil
		}
		if fi, err := os.Stat(p); err == nil && !fi.Mode().IsRegular() && !fi.IsDir() {
			return nil // a pipe: who opens it twice loses what is in it
		}
		f, err := openNamed(p)
		if err == nil {
			f.Close()
			return nil
		}
		first = cmp.Or(first, err)
	}
	return first
}

// isRecording says whether a file is a recording. A pipe is none: what is read of it to find out would be gone.
func isRecording(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && session.Is(path)
}

// openNamed opens a file that the command line names. One that is not there, is a directory or must not be read is a mistake
// of the command line.
func openNamed(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Exit{ExitUsage, err}
	}
	if fi, err := f.Stat(); err == nil && fi.IsDir() {
		f.Close()
		return nil, Usagef("%s: is a directory; name the files in it", path)
	}
	return f, nil
}

// analysis gathers what several files hold.
type analysis struct {
	texts      ingest.Collection
	recordings []Recording
	facts      []Facts
	problems   []string
	read       int
}

func (a *analysis) file(path string, stdin io.Reader) {
	if path == "-" {
		a.text("standard input", stdin)
		return
	}
	if isRecording(path) {
		r, err := OpenRecording(path)
		if err != nil {
			a.problem(path, err)
			return
		}
		a.recordings = append(a.recordings, r)
		a.read++
		return
	}
	f, err := openNamed(path)
	if err != nil {
		a.problem(path, err)
		return
	}
	defer f.Close()
	a.text(filepath.Base(path), f)
}

// sqliteMagic begins every SQLite database (its file format, section 1.3.1), and so every recording.
const sqliteMagic = "SQLite format 3\x00"

func (a *analysis) text(name string, r io.Reader) {
	b, err := io.ReadAll(io.LimitReader(r, ingest.MaxSize+1))
	switch {
	case err != nil:
		a.problem(name, err)
	case len(b) > ingest.MaxSize:
		a.problem(name, fmt.Errorf("is larger than %d MiB; cut out what matters", ingest.MaxSize>>20))
	case bytes.HasPrefix(b, []byte(sqliteMagic)):
		a.problem(name, errors.New("looks like a recording, which can't be read from a pipe; name its file"))
	case isFacts(name, b):
		f, err := ParseFacts(name, b)
		if err != nil {
			a.problems = append(a.problems, strings.Split(err.Error(), "\n")...)
			return
		}
		a.facts = append(a.facts, f)
		a.read++
	default:
		a.texts.Add(name, b)
		a.read++
	}
}

func (a *analysis) problem(name string, err error) {
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the name is said already
	}
	a.problems = append(a.problems, fmt.Sprintf("%s: %v", name, err))
}

// document puts the findings of texts and of recordings into one report. A single recording keeps its topology.
func (a *analysis) document() report.Document {
	got := a.texts.Result()
	in := report.Input{Blocks: got.Blocks, Notes: got.Notes, Problems: a.problems}
	var store timeline.Store
	for _, r := range got.Records {
		store.Put(r)
	}
	in.Diagnoses = rules.EvaluatePasted(got.Pasted)
	if t, ok := shownTogether(store.Snapshot()); ok {
		in.Diagnoses = together(in.Diagnoses, rules.Evaluate(Catalogue(), store.Snapshot(), t))
		in.Topology = t
		in.Notes = append(in.Notes, "The devices whose logs are here are taken to lie on the measured path, and their clocks to agree with that of the measurement.")
	}
	if in.Topology.Paths == nil {
		in.Diagnoses = shownBeyond(got, in.Diagnoses)
	}
	for i, d := range in.Diagnoses {
		if d.Span.To.Before(madeUp) {
			in.Diagnoses[i] = undated(d)
		}
	}
	for _, f := range a.facts {
		in.Blocks = append(in.Blocks, report.Block{Where: f.Name, Kind: "facts", What: f.Counts})
		for _, d := range f.Diagnose() {
			if f.MadeUp {
				d = undated(d)
			}
			in.Diagnoses = append(in.Diagnoses, d)
		}
		in.Topology = joined(in.Topology, f.Topology)
		in.Notes = append(in.Notes, f.Notes...)
		got.Undated = got.Undated || f.MadeUp
		putAll(&store, f.Snapshot)
	}
	for _, r := range a.recordings {
		in.Blocks = append(in.Blocks, recordingBlock(r))
		own := r.input()
		in.Diagnoses = append(in.Diagnoses, own.Diagnoses...)
		in.Topology = joined(in.Topology, own.Topology)
		in.Warnings = append(in.Warnings, own.Warnings...)
		in.Problems = append(in.Problems, own.Problems...)
		putAll(&store, r.Snapshot)
	}
	if len(a.recordings) == 1 && a.read == 1 {
		in.Session = a.recordings[0].Path
	}
	if got.Measured || len(in.Diagnoses) > 0 || len(a.facts)+len(a.recordings) > 0 { // states of a table alone are nothing measured
		in.Snapshot = store.Snapshot()
	}
	in.Undated = got.Undated && len(a.recordings) == 0
	doc := report.Build(in)
	if len(a.recordings) == 0 {
		doc.Span = told(doc.Span, in.Snapshot)
	}
	if len(a.recordings) == 0 {
		for i := range doc.Examined {
			doc.Examined[i].OnPath = true // somebody showed it because it matters
		}
	}
	return doc
}

// madeUp is after every time that was made up.
var madeUp = report.NoDay.AddDate(1, 0, 0)

// told returns what a report covers without the times that were made up.
func told(all report.Span, s timeline.Snapshot) report.Span {
	if all.From == nil || all.From.After(madeUp) || all.To == nil || all.To.Before(madeUp) {
		return all
	}
	from := *all.To
	for _, e := range s.Events() {
		if e.Span.From.After(madeUp) && e.Span.From.Before(from) {
			from = e.Span.From.UTC()
		}
	}
	for _, k := range s.Keys() {
		for _, x := range s.Series(k.Subject, k.Metric) {
			if x.Span.From.After(madeUp) && x.Span.From.Before(from) {
				from = x.Span.From.UTC()
			}
		}
	}
	return report.Span{From: &from, To: all.To}
}

// undated takes away the times of a finding, which nobody told.
func undated(d rules.Diagnosis) rules.Diagnosis {
	d.Span, d.Evidence = timeline.Span{}, slices.Clone(d.Evidence)
	for i := range d.Evidence {
		d.Evidence[i].Span = timeline.Span{}
	}
	return d
}

// shownTogether makes the topology that texts imply in which a dated measurement stood still and devices' logs tell
// of the same day: that the devices are on the path. ok is false if there is nothing to lay over each other.
func shownTogether(s timeline.Snapshot) (t correlate.Topology, ok bool) {
	var outages, events timeline.Span
	ports := map[string][]string{}
	var order []string
	for _, e := range s.Events() {
		if e.Type == timeline.EventOutage {
			outages = outages.Union(e.Span)
			continue
		}
		if e.Subject.Device == "" {
			continue
		}
		events = events.Union(e.Span)
		if ports[e.Subject.Device] == nil {
			order = append(order, e.Subject.Device)
			ports[e.Subject.Device] = []string{}
		}
		if e.Subject.Kind == timeline.KindPort && !slices.Contains(ports[e.Subject.Device], e.Subject.Name) {
			ports[e.Subject.Device] = append(ports[e.Subject.Device], e.Subject.Name)
		}
	}
	const day = 24 * time.Hour
	if outages.IsZero() || len(order) == 0 || !events.Overlaps(outages.Widen(day, day)) {
		return t, false
	}
	var hops [][]string
	for _, d := range order {
		role := "switch"
		if slices.ContainsFunc(s.EventsOf(timeline.Device(d)), func(e timeline.Event) bool { return e.Type == timeline.EventFailover }) {
			role = "firewall"
		}
		t.Devices = append(t.Devices, correlate.Device{Name: d, Role: role, Ports: ports[d]})
		hops = append(hops, []string{d})
	}
	for _, sub := range s.Subjects() {
		if sub.Kind == timeline.KindPath {
			t.Paths = append(t.Paths, correlate.Path{Name: sub.Name, Hops: hops})
		}
	}
	return t, true
}

// together puts what the catalogue found over time in front, and leaves out what it explains.
func together(alone, overTime []rules.Diagnosis) []rules.Diagnosis {
	var out []rules.Diagnosis
	for _, d := range overTime {
		if d.Verdict != rules.CannotTell && len(d.Outages) > 0 {
			out = append(out, d)
		}
	}
	explained := len(out) > 0
	for _, d := range alone {
		same := slices.ContainsFunc(out, func(o rules.Diagnosis) bool {
			return slices.ContainsFunc(o.Chain, func(id string) bool { return id == d.ID() })
		})
		if !same && !(explained && d.Verdict == rules.CannotTell) {
			out = append(out, d)
		}
	}
	return out
}

func recordingBlock(r Recording) report.Block {
	sp := r.Snapshot.Span()
	what := "an empty recording"
	if !sp.IsZero() {
		what = fmt.Sprintf("a recording of %s over %s from %s", orSite(r.Meta.Site), report.RoundLength(sp.Width()), report.Stamp(sp.From))
	}
	return report.Block{Where: filepath.Base(r.Path), Kind: "session", What: what}
}

func orSite(s string) string {
	if s == "" {
		return "a site without a name"
	}
	return "site " + s
}

func joined(a, b correlate.Topology) correlate.Topology {
	if a.Site == "" {
		a.Site = b.Site
	}
	a.Paths, a.Devices = append(a.Paths, b.Paths...), append(a.Devices, b.Devices...)
	return a
}

func putAll(to *timeline.Store, s timeline.Snapshot) {
	for _, k := range s.Keys() {
		for _, v := range s.Series(k.Subject, k.Metric) {
			to.Put(v)
		}
	}
	for _, e := range s.Events() {
		to.Put(e)
	}
	for _, g := range s.Gaps() {
		to.Put(g)
	}
}
