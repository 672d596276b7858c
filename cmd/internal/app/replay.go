package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/tui"
	"whydrop/correlate"
	"whydrop/correlate/session"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Recording is a session file that has been read.
type Recording struct {
	Path     string
	Meta     session.Meta
	Topology correlate.Topology
	Snapshot timeline.Snapshot
	Damage   []string // what could not be read of it, in words; nil if it is whole
	Open     bool     // it was never closed
}

// OpenRecording reads a session file. A damaged file is read as far as it goes.
func OpenRecording(path string) (Recording, error) {
	f, err := openNamed(path)
	if err != nil {
		return Recording{}, err
	}
	f.Close()
	s, err := session.Open(path)
	switch {
	case errors.Is(err, session.ErrNotSession):
		return Recording{}, Exit{ExitNotMeasured, fmt.Errorf("%w; whydrop analyze reads texts and facts", err)}
	case err != nil:
		return Recording{}, Exit{ExitNotMeasured, err}
	}
	defer s.Close()
	r := Recording{Path: path, Meta: s.Meta(), Open: !s.Complete()}
	if r.Snapshot, err = s.Digest(); err != nil {
		return Recording{}, Exit{ExitNotMeasured, fmt.Errorf("%s: %w", path, err)}
	}
	r.Damage = s.Damage()
	if len(r.Meta.Topology) > 0 {
		if err := json.Unmarshal(r.Meta.Topology, &r.Topology); err != nil {
			r.Damage = append(r.Damage, "the topology in it can't be read: "+err.Error())
		}
	}
	return r, nil
}

// Document says why it dropped, from the recording alone: the same recording gives the same document for ever.
func (r Recording) Document() report.Document { return report.Build(r.input()) }

// input is what a report on the recording is made of.
func (r Recording) input() report.Input {
	var problems []string
	for _, d := range r.Damage {
		problems = append(problems, r.Path+": "+d)
	}
	problems = slices.Concat(problems, unread(r.Snapshot, askedDevices(r.Snapshot), probedPaths(r.Topology)), portless(r.Snapshot, r.Topology))
	var open []string
	if r.Open {
		open = append(open, "the recording has no end: its program still runs, was killed, or had no room to write")
	}
	found := r.Diagnose(r.Snapshot)
	return report.Input{
		Topology: r.Topology, Snapshot: r.Snapshot, Diagnoses: found, Problems: problems, Session: r.Path,
		Warnings: slices.Concat(r.Meta.Notes, open, unmeasured(r.Snapshot, probedPaths(r.Topology)), unexplained(r.Snapshot, r.Topology, found)),
	}
}

// Diagnose evaluates the catalogue over a part of the recording.
func (r Recording) Diagnose(s timeline.Snapshot) []rules.Diagnosis {
	return rules.Evaluate(Catalogue(), s, r.Topology)
}

// UI returns what the terminal UI needs to show the recording as it was live, from its beginning.
func (r Recording) UI() tui.Config {
	p := newPlayer(r.Snapshot)
	return tui.Config{Site: r.Topology.Site, Topology: r.Topology, Source: p, Diagnose: r.Diagnose, Replay: p}
}

// player shows a recording as time goes by.
type player struct {
	all   timeline.Snapshot
	span  timeline.Span
	ticks []time.Time // when something became known, in order

	mu     sync.Mutex
	at     time.Time // the moment shown
	since  time.Time // wall clock when at was set
	speed  float64
	paused bool
}

func newPlayer(all timeline.Snapshot) *player {
	span := all.Span()
	p := &player{all: all, span: span, at: span.From, since: time.Now(), speed: 1}
	for _, k := range all.Keys() {
		for _, v := range all.Series(k.Subject, k.Metric) {
			p.ticks = append(p.ticks, v.Span.To)
		}
	}
	for _, e := range all.Events() {
		p.ticks = append(p.ticks, e.Span.To)
	}
	sort.Slice(p.ticks, func(i, j int) bool { return p.ticks[i].Before(p.ticks[j]) })
	return p
}

// now returns the moment shown. The caller holds mu.
func (p *player) now() time.Time {
	t := p.at
	if !p.paused {
		t = t.Add(time.Duration(float64(time.Since(p.since)) * p.speed))
	}
	if t.After(p.span.To) {
		t = p.span.To
	}
	return t
}

// set makes t the moment shown from now on. The caller holds mu.
func (p *player) set(t time.Time) {
	if t.Before(p.span.From) {
		t = p.span.From
	}
	p.at, p.since = t, time.Now()
}

// Snapshot returns what was known at the moment shown.
func (p *player) Snapshot() timeline.Snapshot {
	p.mu.Lock()
	t := p.now()
	p.mu.Unlock()
	return p.all.Until(t)
}

// Version changes whenever something more is known at the moment shown.
func (p *player) Version() uint64 {
	p.mu.Lock()
	t := p.now()
	p.mu.Unlock()
	return uint64(sort.Search(len(p.ticks), func(i int) bool { return p.ticks[i].After(t) }))
}

// Pause stops the clock, or lets it go on.
func (p *player) Pause(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(p.now())
	p.paused = on
}

// Seek moves by d, backwards if d is negative, within the recording.
func (p *player) Seek(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(p.now().Add(d))
}

// Speed makes time go by x times as fast as it did.
func (p *player) Speed(x float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(p.now())
	p.speed = x
}

// askedDevices lists the devices that a recording's poller asked, whether they answered or not.
func askedDevices(s timeline.Snapshot) []string {
	var out []string
	for _, sub := range s.Subjects() {
		if sub.Kind == timeline.KindDevice && len(s.Series(sub, timeline.Reachable)) > 0 {
			out = append(out, sub.Device)
		}
	}
	return out
}

// probedPaths lists the paths that have a far end to probe.
func probedPaths(t correlate.Topology) []string {
	var out []string
	for _, p := range t.Paths {
		if p.To != "" {
			out = append(out, p.Name)
		}
	}
	return out
}
