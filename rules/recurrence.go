package rules

import (
	"fmt"
	"slices"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// rare is what chance may give at most where trouble is said to come under load.
const rare = 0.01

// tellRhythm adds to a finding in which rhythm its trouble comes back, and whether it does when the path is busy.
func (e *evaluation) tellRhythm(d *Diagnosis, hits []correlate.Episode) {
	for _, ps := range e.paths {
		var spans []timeline.Span
		for _, h := range hits {
			if h.Path == ps.Path.Name {
				spans = append(spans, h.Span)
			}
		}
		if len(spans) == 0 {
			continue
		}
		say := func(text string) {
			d.Evidence = append(d.Evidence, Evidence{Subject: timeline.Path(ps.Path.Name), Metric: "recurrence", Span: hull(spans, nil), Text: text})
		}
		if r, ok := correlate.Recurs(correlate.Begins(spans)); ok {
			say(fmt.Sprintf("it comes back %s: %d times on %d beats, %s off in the mean; chance alone would give that with probability %s",
				rhythmText(r), r.Times, r.Beats, secondsText(r.Spread.Seconds()), number(r.Chance)))
			d.Next = appendNew(d.Next, fmt.Sprintf("Look for what happens %s on any host or device of the path: a job, a backup, a lease, a key or table that times out, a probe of somebody else's.", rhythmText(r)))
		}
		if l, ok := correlate.UnderLoad(e.loadOf(ps, len(spans)), spans); ok && l.Chance <= rare {
			say(fmt.Sprintf("%d of %d times it begins while a port of the path carries %s of its speed or more, as in the busiest fifth of the time; chance alone would give that with probability %s",
				l.Busy, l.Times, percentText(l.Limit), number(l.Chance)))
		}
	}
}

// loadOf returns how busy a path's busiest port is, worked out once, and only where enough happened to hold against it.
func (e *evaluation) loadOf(ps *pathScene, happened int) correlate.Bins {
	const enough = 4
	if ps.load.Values == nil && happened >= enough {
		ps.load = correlate.BusiestPort(e.snap, e.topo, ps.Path)
	}
	return ps.load
}

// rhythmText writes a period, and when in the day its beats are if they fill one: "every 5 min, at 1 min 10 s of each",
// "every day at 02:10:05 UTC".
func rhythmText(r correlate.Recurrence) string {
	const day = 24 * time.Hour
	phase := r.Phase.Round(time.Second)
	clock := fmt.Sprintf("%02d:%02d:%02d", int(phase.Hours()), int(phase.Minutes())%60, int(phase.Seconds())%60)
	switch {
	case r.Period == day && r.Daily:
		return "every day at " + clock + " UTC"
	case r.Daily && r.Period >= time.Hour:
		return "every " + periodText(r.Period) + " at " + clock + " UTC and so on"
	case r.Daily && r.Period >= time.Minute:
		return "every " + periodText(r.Period) + ", " + clock[3:] + " after the full"
	}
	return "every " + periodText(r.Period)
}

// periodText writes a period with its largest unit.
func periodText(d time.Duration) string {
	units := []struct {
		of   time.Duration
		name string
	}{{7 * 24 * time.Hour, "week"}, {24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}}
	i := slices.IndexFunc(units, func(u struct {
		of   time.Duration
		name string
	}) bool {
		return d%u.of == 0
	})
	switch {
	case i < 0:
		return secondsText(d.Seconds())
	case d == units[i].of:
		return units[i].name
	}
	return fmt.Sprintf("%d %ss", d/units[i].of, units[i].name)
}
