package rules

import (
	"cmp"
	"math"
	"slices"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// tenure is a time in which a unit of a redundant group was the active one, as far as it is told.
type tenure struct {
	unit string
	span timeline.Span
}

// bothActive returns when two units of a group were the active one at once, by what they told, and for how many seconds. NaN: not
// known, for one took over again and never told that it had given up, so that the others need not have told it either.
func (sc *scene) bothActive(g []correlate.Change) (timeline.Span, float64) {
	var all []tenure
	open := map[string]int{} // the tenure of a unit that has not ended, from 1
	for _, c := range g {
		unit := cmp.Or(c.Attrs["unit"], c.Device)
		at := c.Span.Mid()
		i := open[unit] - 1
		switch to := c.Attrs["to"]; {
		case to == "":
		case !active(to):
			if i >= 0 {
				all[i].span.To, open[unit] = at, 0
			}
		case i >= 0 && at.Sub(all[i].span.From) > correlate.Slack+c.Span.Width()/2 && at.Before(all[i].span.To):
			return timeline.Span{}, nan
		case i < 0:
			all = append(all, tenure{unit, timeline.Span{From: at, To: sc.goneAfter(c)}})
			open[unit] = len(all)
		}
	}
	told := slices.ContainsFunc(g, func(c correlate.Change) bool { return c.Attrs["to"] != "" && !active(c.Attrs["to"]) })
	var most timeline.Span
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.unit == b.unit || !a.span.Overlaps(b.span) {
				continue
			}
			if later := b.span.From.Sub(a.span.From).Abs(); !told && later > silentHandover {
				return timeline.Span{}, nan // one took over from the other, and nobody here tells that he gave up
			}
			both := timeline.Span{From: laterOf(a.span.From, b.span.From), To: slices.MinFunc([]time.Time{a.span.To, b.span.To}, time.Time.Compare)}
			if both.Width() > most.Width() {
				most = both
			}
		}
	}
	return most, most.Width().Seconds()
}

// silentHandover is how much later a second unit may become active for both to have done so for one and the same reason, a lost
// way between them: HSRP holds for 10 s (RFC 2281, section 5.1), VRRP for 3 advertisements of a second (RFC 9568, section 6.1); twice that and the dating.
const silentHandover = 30 * time.Second

// active says whether a state is that of the unit that answers for the group.
func active(state string) bool { return state == "active" || state == "master" || state == "primary" }

// goneAfter returns when a device that became active at a change was cut off or began anew, which ends its part without a word of it:
// else the end of the record.
func (sc *scene) goneAfter(c correlate.Change) time.Time {
	end := sc.span.To
	for _, o := range sc.changes {
		gone := o.Type == timeline.EventRestart || o.Type == timeline.EventOper && o.Attrs["to"] == "down"
		if gone && o.Device == c.Device && o.Span.From.After(c.Span.From) && o.Span.From.Before(end) {
			end = o.Span.From
		}
	}
	for _, b := range sc.blinds {
		if b.Device == c.Device && b.Span.From.After(c.Span.From) && b.Span.From.Before(end) {
			end = b.Span.From
		}
	}
	return end
}

// allVirtual says whether every address that the changes tell of is one that routers share.
func allVirtual(g []correlate.Change) bool {
	return len(g) > 0 && !slices.ContainsFunc(g, func(c correlate.Change) bool { return !virtualMAC(c.Attrs["mac"]) })
}

// soonerWell returns the other paths across the devices of changes that were dark for at most a third as long at them: what took over
// was found there.
func (sc *scene) soonerWell(ps *pathScene, f *changeFacts, times []timeline.Span) []string {
	var out []string
	for _, o := range sc.paths {
		if o == ps || !(f.Dark > 0) || !slices.ContainsFunc(f.Devices, o.Path.Crosses) || math.IsNaN(sc.heartbeatsKnown(o)) {
			continue
		}
		dark := 0.0
		for _, h := range o.touched(times, correlate.Stall) {
			dark = maxSeconds(dark, h.Incident.DarkAny().Width())
		}
		if 3*dark <= f.Dark {
			out = append(out, o.Path.Name)
		}
	}
	return out
}
