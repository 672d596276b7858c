package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// Learning is a path that is learnt from the devices' tables and watched for moves.
type Learning struct {
	Path string
	From string // the near end; "" is this host
	To   string
}

// learns says whether a path is to be learnt.
func (sp sitePath) learns() bool { return sp.Hops.auto || sp.Discover }

func (l *siteLoader) learning(sp sitePath, tp correlate.Path) Learning {
	if tp.To == "" {
		l.addf(sp.Name.line, "path %s: probe.to: missing; a path is learnt to it", tp.Name)
	}
	return Learning{Path: tp.Name, From: sp.From.text, To: tp.To}
}

const (
	learnEvery = 30 * time.Second
	// learnLimit is how long a watch waits for its paths before it starts without them.
	learnLimit = 60 * time.Second
)

// pathWatcher learns the plan's paths, and again while a watch runs.
type pathWatcher struct {
	plan   *Plan
	reader *pathReader
	last   map[string]learntAt
	every  time.Duration
}

// learntAt is a path and when its tables were read.
type learntAt struct {
	path correlate.LearntPath
	span timeline.Span
}

func newPathWatcher(plan *Plan) *pathWatcher {
	return &pathWatcher{plan: plan, reader: newPathReader(plan.Devices), last: map[string]learntAt{}, every: learnEvery}
}

// start learns every path once and completes the plan: hops and ports that the site file states stay, and where the
// tables contradict them there is a warning.
func (w *pathWatcher) start(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, learnLimit)
	defer cancel()
	for _, l := range w.plan.Learn {
		learnt, tables, err := w.learn(ctx, l)
		if err != nil {
			w.warn(l, err.Error())
			continue
		}
		w.adopt(l, learnt, tables)
	}
}

func (w *pathWatcher) warn(l Learning, text string) {
	w.plan.Warnings = append(w.plan.Warnings, "path "+l.Path+": "+text)
}

// learn learns one path now.
func (w *pathWatcher) learn(ctx context.Context, l Learning) (correlate.LearntPath, []correlate.PathTables, error) {
	to, err := pathEnd(ctx, *w.plan, l.To)
	if err != nil {
		return correlate.LearntPath{}, nil, err
	}
	from := localEnd(to.IP)
	if l.From != "" {
		if from, err = pathEnd(ctx, *w.plan, l.From); err != nil {
			return correlate.LearntPath{}, nil, err
		}
	}
	tables := w.reader.read(ctx, from, to)
	return correlate.LearnPath(from, to, tables, w.plan.Topology.Links), tables, ctx.Err()
}

// adopt puts a learnt path into the plan.
func (w *pathWatcher) adopt(l Learning, learnt correlate.LearntPath, tables []correlate.PathTables) {
	w.last[l.Path] = learntAt{learnt, tablesSpan(tables)}
	for _, u := range learnt.Unknown {
		w.warn(l, "could not be learnt: "+u)
	}
	for _, u := range learnt.Warnings {
		w.warn(l, u)
	}
	t := &w.plan.Topology
	n := slices.IndexFunc(t.Paths, func(p correlate.Path) bool { return p.Name == l.Path })
	if stated := t.Paths[n].Hops; len(stated) > 0 {
		for _, c := range correlate.PathContradictions(stated, learnt) {
			w.warn(l, c+"; the site file's word is kept")
		}
	} else {
		t.Paths[n].Hops = siteHops(learnt)
	}
	names, ports := sitePorts(learnt, tables)
	for _, name := range names {
		w.adoptPorts(l, name, ports[name])
	}
}

// adoptPorts gives a device without ports those that were found; one that has ports keeps them.
func (w *pathWatcher) adoptPorts(l Learning, name string, ports []string) {
	i := slices.IndexFunc(w.plan.Topology.Devices, func(d correlate.Device) bool { return d.Name == name })
	if i < 0 {
		return
	}
	td := &w.plan.Topology.Devices[i]
	learnt := slices.ContainsFunc(w.plan.learnt, func(n string) bool { return n == name })
	if len(td.Ports) > 0 && !learnt {
		var more []string
		for _, p := range ports {
			if !slices.Contains(td.Ports, p) && !slices.Contains(td.OffPath, p) {
				more = append(more, p)
			}
		}
		if len(more) > 0 {
			w.warn(l, fmt.Sprintf("%s: the path goes through %s, which the site file does not name", name, strings.Join(more, ", ")))
		}
		return
	}
	for _, p := range ports {
		if !slices.Contains(td.Ports, p) {
			td.Ports = append(td.Ports, p)
		}
	}
	w.plan.learnt = append(w.plan.learnt, name)
	for j := range w.plan.Devices {
		if w.plan.Devices[j].Name == name {
			w.plan.Devices[j].Ports = td.Ports
		}
	}
}

// run learns the paths again every half minute until ctx ends, and writes an event when one moved. A path that can't be
// learnt for a while, or in part, moved nowhere as far as is known.
func (w *pathWatcher) run(ctx context.Context, out timeline.Sink) {
	for tick := time.NewTicker(w.every); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		for _, l := range w.plan.Learn {
			learnt, tables, err := w.learn(ctx, l)
			if err != nil {
				continue
			}
			if e, moved := w.compare(l, learntAt{learnt, tablesSpan(tables)}); moved {
				out.Put(e)
			}
		}
	}
}

// compare keeps a path that was learnt now, and returns the event if it goes another way than before.
func (w *pathWatcher) compare(l Learning, now learntAt) (timeline.Event, bool) {
	before, ok := w.last[l.Path]
	if !now.path.Complete {
		return timeline.Event{}, false
	}
	w.last[l.Path] = now
	if !ok || !correlate.PathMoved(before.path, now.path) {
		return timeline.Event{}, false
	}
	from, to := before.path.Text(), now.path.Text()
	return timeline.Event{
		Subject: timeline.Path(l.Path), Type: timeline.EventPathMoved,
		Span:  timeline.Span{From: before.span.From, To: now.span.To}, // between the two readings
		Text:  "the path goes " + to + ", and went " + from,
		Attrs: map[string]string{"from": from, "to": to},
	}, true
}
