package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/sim"
	"whydrop/correlate/timeline"
	"whydrop/devices/poll"
)

// Targets of dating.
const (
	containedAtLeast = 0.99 // of events: their span contains the truth
	medianAtMost     = 50 * time.Millisecond
	worstAtMost      = 250 * time.Millisecond
	truthWindow      = 3 * time.Second // how far from the truth an event of it is looked for
)

// pollEvery is how often each collector asks, plus what an answer takes.
var pollEvery = map[string]time.Duration{"snmp": time.Second + 500*time.Millisecond, "ssh": 5*time.Second + 500*time.Millisecond}

// dated is one event and the truth that it is of.
type dated struct {
	story  string
	moment sim.Moment
	event  timeline.Event
	away   time.Duration // between the span and the truth; 0: it contains it
	off    time.Duration // from the middle of the span to the truth
	polls  bool          // nothing but two readings dates it
	bound  time.Duration // the widest that the span of such may be
}

// dating tells stories whose moments are known and asks of every event how far from the truth it is dated. In full it
// also runs some over sockets, by the real clock.
func dating(ctx context.Context, out io.Writer, full bool) error {
	seeds := 2
	if full {
		seeds = 12
	}
	var t datingTally
	for _, name := range sim.Names() {
		for seed := range seeds {
			if err := t.virtual(ctx, name, uint64(501+seed)); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(out, "told without waiting:")
	err := t.score(out)
	if !full || err != nil && !errors.Is(err, errMissed) {
		return err
	}
	var live datingTally
	if err := live.overSockets(ctx); err != nil {
		return err
	}
	fmt.Fprintln(out, "over sockets, polled every second:")
	err = errors.Join(err, live.score(out))
	fmt.Fprintln(out, "in the laboratory, polled every second:")
	var lab datingTally
	switch lerr := lab.laboratory(ctx); {
	case errors.Is(lerr, errNotHere):
		fmt.Fprintln(out, lerr)
		return err
	case lerr != nil:
		return errors.Join(err, lerr)
	}
	return errors.Join(err, lab.score(out))
}

// datingTally gathers the events of the moments of stories.
type datingTally struct {
	mu      sync.Mutex
	all     []dated
	stories int
	moments int
	unseen  int           // moments that no collector has an event of
	loose   time.Duration // how far the truth itself may be off
	refresh time.Duration // how often the agents look at their ports
}

// add takes what was made of a story.
func (t *datingTally) add(story *sim.Story, begun time.Time, s timeline.Snapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stories++
	for _, m := range story.Truth.Events {
		found := t.datedEvents(fmt.Sprintf("%s/%d", story.Name, story.Seed), m, begun, s)
		if t.moments++; len(found) == 0 {
			t.unseen++
		}
		t.all = append(t.all, found...)
	}
}

// virtual tells a story without waiting.
func (t *datingTally) virtual(ctx context.Context, name string, seed uint64) error {
	story, err := sim.Draw(name, seed, sim.Options{})
	if err != nil {
		return err
	}
	v, err := sim.StartVirtual(story, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	if err != nil {
		return err
	}
	defer v.Close()
	plan, err := app.ParseSite("the simulated site's file", v.YAML(), &app.Secrets{Prompt: v.Secret})
	if err != nil {
		return err
	}
	var store timeline.Store
	if err := v.Run(ctx, plan.Devices, &store); err != nil {
		return err
	}
	t.add(story, v.Begun(), store.Snapshot())
	return nil
}

// overSockets runs a story of each kind of event over sockets, all at once.
func (t *datingTally) overSockets(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for n, name := range []string{sim.Default, "port-flap", sim.Default} {
		g.Go(func() error { return t.live(ctx, name, uint64(601+n)) })
	}
	return g.Wait()
}

// live runs a story over sockets and polls its devices.
func (t *datingTally) live(ctx context.Context, name string, seed uint64) error {
	story, err := sim.Draw(name, seed, sim.Options{})
	if err != nil {
		return err
	}
	site, err := sim.Start(story)
	if err != nil {
		return err
	}
	defer site.Close()
	plan, err := app.ParseSite("the simulated site's file", site.YAML(), &app.Secrets{Prompt: site.Secret})
	if err != nil {
		return err
	}
	var store timeline.Store
	ctx, cancel := context.WithDeadline(ctx, site.Begun().Add(story.Length))
	defer cancel()
	if err := poll.Run(ctx, poll.Config{Devices: plan.Devices, Interval: time.Second, Out: &store}); err != nil {
		return err
	}
	t.add(story, site.Begun(), store.Snapshot())
	return nil
}

// datedEvents returns of each collector the event that is nearest to a moment.
func (t *datingTally) datedEvents(story string, m sim.Moment, begun time.Time, s timeline.Snapshot) []dated {
	sub := timeline.Device(m.Device)
	if m.Port != "" {
		sub = timeline.Port(m.Device, m.Port)
	}
	at := begun.Add(m.At)
	best := map[string]dated{}
	for _, e := range s.EventsOf(sub, m.Type) {
		if to := e.Attrs["to"]; to != "" && m.To != "" && to != m.To {
			continue
		}
		d := dated{story: story, moment: m, event: e, off: e.Span.Mid().Sub(at).Abs(), polls: e.Attrs["dated"] == "polls"}
		d.away = max(0, e.Span.From.Sub(at)-t.loose, at.Sub(e.Span.To)-t.loose)
		way, _, _ := strings.Cut(e.Origin.Collector, ":")
		d.bound = pollEvery[way] + t.refresh
		b, have := best[e.Origin.Collector]
		if d.away <= truthWindow && (!have || d.away < b.away || d.away == b.away && d.off < b.off) {
			best[e.Origin.Collector] = d
		}
	}
	var out []dated
	for _, d := range best {
		out = append(out, d)
	}
	return out
}

// score prints how well the events are dated; a target that is missed is an error.
func (t *datingTally) score(out io.Writer) error {
	all := t.all
	if len(all) == 0 {
		return errors.New("no event was dated")
	}
	fmt.Fprintf(out, "%d moments of %d stories, %d events of them; %d moments were seen by nobody\n", t.moments, t.stories, len(all), t.unseen)
	var offs []time.Duration
	bySource := map[string][]time.Duration{}
	contained, polls, wide := 0, 0, 0
	for _, d := range all {
		at := fmt.Sprintf("%s %s %s%s to %q by %s at %s", d.story, d.moment.Type, d.moment.Device, " "+d.moment.Port, d.moment.To, d.event.Origin.Collector, d.moment.At)
		if d.away == 0 {
			contained++
		} else {
			fmt.Fprintf(out, "  outside: %s: %s away from its span of %s\n", at, d.away, d.event.Span.Width())
		}
		if d.polls {
			polls++
			if d.event.Span.Width() > d.bound {
				wide++
				fmt.Fprintf(out, "  wide: %s: %s, more than %s\n", at, d.event.Span.Width(), d.bound)
			}
			continue
		}
		if d.off > worstAtMost {
			fmt.Fprintf(out, "  off: %s: %s from the middle of its span of %s\n", at, d.off, d.event.Span.Width())
		}
		offs = append(offs, d.off)
		way, _, _ := strings.Cut(d.event.Origin.Collector, ":")
		bySource[way] = append(bySource[way], d.off)
	}
	slices.Sort(offs)
	share := float64(contained) / float64(len(all))
	fmt.Fprintf(out, "span contains the truth: %.2f %% of %d (wanted: %.0f %%)\n", 100*share, len(all), 100*containedAtLeast)
	fmt.Fprintf(out, "known only by polling: %d, of which %d are wider than one refresh and one poll (wanted: 0)\n", polls, wide)
	missed := share < containedAtLeast || wide > 0
	if len(offs) > 0 {
		median, worst := offs[len(offs)/2], offs[len(offs)-1]
		fmt.Fprintf(out, "with a time of the device: %d; median %s (wanted: %s), worst %s (wanted: %s)\n", len(offs), median, medianAtMost, worst, worstAtMost)
		for _, way := range slices.Sorted(maps.Keys(bySource)) {
			of := bySource[way]
			slices.Sort(of)
			fmt.Fprintf(out, "  by %-7s %d; median %s, worst %s\n", way+":", len(of), of[len(of)/2], of[len(of)-1])
		}
		missed = missed || median > medianAtMost || worst > worstAtMost
	}
	if missed {
		return errMissed
	}
	return nil
}
