package rules

import (
	"slices"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// lifeFacts are about a device that started anew, or lost a part of itself.
type lifeFacts struct {
	Restarts    float64       `expr:"restarts" metric:"sys.restart"` // times its clock began anew
	RestartSpan timeline.Span `expr:"restart_span"`                  // from its last word before to the moment at which it began
	Silent      float64       `expr:"silent"`                        // for how many seconds it said nothing before
	Reason      string        `expr:"reason"`                        // in its own words, "" if it gave none
	Downs       []string      `expr:"downs"`                         // its ports, and those at the other ends of its links, that lost their carrier meanwhile

	Gone      float64       `expr:"gone" metric:"stack.member"` // times a member of its stack or chassis went
	Member    string        `expr:"member"`                     // the last one
	GoneTo    string        `expr:"gone_to"`                    // what it became
	GoneSpan  timeline.Span `expr:"gone_span"`                  // from its going to its coming back
	GoneDowns []string      `expr:"gone_downs"`                 // the device's ports that lost their carrier then
}

// started says whether anything of lifeFacts happened.
func (l lifeFacts) started() bool { return l.Restarts+l.Gone > 0 }

// lifeFacts reads restarts and members of a device.
func (sc *scene) lifeFacts(ps *pathScene, d correlate.Device) lifeFacts {
	var l lifeFacts
	open := false
	for _, e := range sc.changesOf(timeline.Device(d.Name)) {
		switch {
		case e.Type == timeline.EventRestart:
			l.Restarts++
			l.RestartSpan = l.RestartSpan.Union(e.Span)
			if r := e.Attrs["reason"]; r != "" {
				l.Reason = r
			}
		case e.Type == timeline.EventMember && isUnit(e.Attrs["unit"]):
			if to := e.Attrs["to"]; to != "" && came(to) { // what somebody writes down without saying is a loss
				if open {
					l.GoneSpan.To, open = e.Span.To, false
				}
				continue
			}
			if !open && !l.GoneSpan.IsZero() {
				l.GoneSpan.To = sc.span.To
			}
			l.GoneSpan = l.GoneSpan.Union(timeline.Span{From: e.Span.From, To: sc.span.To})
			l.Gone, l.Member, l.GoneTo, open = l.Gone+1, e.Attrs["unit"], e.Attrs["to"], true
		}
	}
	for _, b := range sc.blinds { // its silence before it began anew
		if l.Restarts > 0 && b.Device == d.Name && b.Span.Overlaps(l.RestartSpan.Widen(5*time.Second, 5*time.Second)) {
			l.Silent += b.Span.Width().Seconds()
			l.RestartSpan = l.RestartSpan.Union(b.Span)
		}
	}
	for _, x := range sc.losses {
		far, linked := sc.topo.FarEnd(x.Port)
		mine := x.Port.Device == d.Name
		if !ps.Path.Crosses(x.Port.Device) {
			continue
		}
		beside := mine || linked && far.Device == d.Name || !linked && sc.beside(ps, x.Port.Device, d.Name)
		if beside && !l.RestartSpan.IsZero() && correlate.Coincides(x.Down, l.RestartSpan) {
			l.Downs = appendNew(l.Downs, x.Port.String())
		}
		if mine && !l.GoneSpan.IsZero() && correlate.Coincides(x.Down, l.GoneSpan) {
			l.GoneDowns = appendNew(l.GoneDowns, x.Port.String())
		}
	}
	return l
}

// beside says whether two devices are neighbours on the path.
func (sc *scene) beside(ps *pathScene, a, b string) bool {
	at := func(name string) int {
		return slices.IndexFunc(ps.Path.Hops, func(h []string) bool { return slices.Contains(h, name) })
	}
	i, j := at(a), at(b)
	return i >= 0 && j >= 0 && (i-j == 1 || j-i == 1)
}

// isUnit says whether a unit is a part of the device itself and not the other one of a pair.
func isUnit(unit string) bool {
	u := strings.ToLower(unit)
	return !strings.Contains(u, "peer") && !strings.Contains(u, "mate") && !strings.HasPrefix(u, "the other unit") && !strings.HasPrefix(u, "vpc")
}

// came says whether a member is in order in this state, or on its way there.
func came(state string) bool {
	s := strings.ToLower(state)
	for _, bad := range []string{"removed", "absent", "mismatch", "invalid", "down", "lost", "failed", "left", "delete", "not a member", "provisioned"} {
		if strings.Contains(s, bad) {
			return false
		}
	}
	return true
}

// lifeEvents returns what a device told of its restarts and members.
func (sc *scene) lifeEvents(name string) []timeline.Event {
	var out []timeline.Event
	for _, e := range sc.changesOf(timeline.Device(name)) {
		if e.Type == timeline.EventRestart || e.Type == timeline.EventMember {
			out = append(out, e.Event)
		}
	}
	return out
}
