package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/sim"
	"whydrop/correlate/timeline"
)

// Targets of dating.
const (
	containedAtLeast = 0.99 // of events: their span contains the truth
	medianAtMost     = 50 * time.Millisecond
	worstAtMost      = 250 * time.Millisecond
	truthWindow      = 3 * time.Second // how far from the truth an event of it is looked for
)

// pollEvery is how often each collector of a virtual story asks, plus what an answer takes.
var pollEvery = map[string]time.Duration{"snmp": time.Second + 200*time.Millisecond, "ssh": 5*time.Second + 200*time.Millisecond}

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

// dating tells stories whose moments are known and asks of every event how far from the truth it is dated.
func dating(ctx context.Context, out io.Writer, full bool) error {
	seeds := 2
	if full {
		seeds = 12
	}
	var all []dated
	moments, unseen := 0, 0
	for _, name := range sim.Names() {
		for seed := range seeds {
			list, n, missing, err := datingOf(ctx, name, uint64(501+seed))
			if err != nil {
				return err
			}
			all, moments, unseen = append(all, list...), moments+n, unseen+missing
		}
	}
	if len(all) == 0 {
		return errors.New("no event was dated")
	}
	fmt.Fprintf(out, "%d moments of %d stories, %d events of them; %d moments were seen by nobody\n", moments, seeds*len(sim.Names()), len(all), unseen)
	return scoreDating(out, all)
}

// datingOf tells one story. It returns the events of its moments, how many moments it has, and how many of them no
// collector has an event of.
func datingOf(ctx context.Context, name string, seed uint64) (list []dated, moments, unseen int, err error) {
	story, err := sim.Draw(name, seed, sim.Options{})
	if err != nil {
		return nil, 0, 0, err
	}
	v, err := sim.StartVirtual(story, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	if err != nil {
		return nil, 0, 0, err
	}
	defer v.Close()
	plan, err := app.ParseSite("the simulated site's file", v.YAML(), &app.Secrets{Prompt: v.Secret})
	if err != nil {
		return nil, 0, 0, err
	}
	var store timeline.Store
	if err := v.Run(ctx, plan.Devices, &store); err != nil {
		return nil, 0, 0, err
	}
	snap := store.Snapshot()
	for _, m := range story.Truth.Events {
		found := datedEvents(fmt.Sprintf("%s/%d", name, seed), m, v.Begun(), snap)
		if moments++; len(found) == 0 {
			unseen++
		}
		list = append(list, found...)
	}
	return list, moments, unseen, nil
}

// datedEvents returns of each collector the event that is nearest to a moment.
func datedEvents(story string, m sim.Moment, begun time.Time, s timeline.Snapshot) []dated {
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
		d.away = max(0, e.Span.From.Sub(at), at.Sub(e.Span.To))
		way, _, _ := strings.Cut(e.Origin.Collector, ":")
		d.bound = pollEvery[way]
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

func scoreDating(out io.Writer, all []dated) error {
	var offs []time.Duration
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
	}
	slices.Sort(offs)
	share := float64(contained) / float64(len(all))
	fmt.Fprintf(out, "span contains the truth: %.2f %% of %d (wanted: %.0f %%)\n", 100*share, len(all), 100*containedAtLeast)
	fmt.Fprintf(out, "known only by polling: %d, of which %d are wider than one refresh and one poll (wanted: 0)\n", polls, wide)
	missed := share < containedAtLeast || wide > 0
	if len(offs) > 0 {
		median, worst := offs[len(offs)/2], offs[len(offs)-1]
		fmt.Fprintf(out, "with a time of the device: %d; median %s (wanted: %s), worst %s (wanted: %s)\n", len(offs), median, medianAtMost, worst, worstAtMost)
		missed = missed || median > medianAtMost || worst > worstAtMost
	}
	if missed {
		return errMissed
	}
	return nil
}
