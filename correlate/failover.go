package correlate

import (
	"time"

	"whydrop/correlate/timeline"
)

// Term is one of the things that a failover takes its time with, one after the other.
type Term string

// The terms of a failover, in the order in which they follow each other.
const (
	TermDetection  Term = "detection"                // until a device on the path acted on the fault
	TermForwarding Term = "spanning-tree forwarding" // until another port forwarded
	TermRole       Term = "HA role"                  // until the unit that takes over was active
	TermRelearning Term = "MAC and ARP relearning"   // until new traffic passed: where it goes had to be learned anew
	TermState      Term = "state rebuilding"         // until an established flow could pass: its state was made or synchronised
	TermBackoff    Term = "TCP back-off"             // until the flow's retransmission timer ran out (RFC 6298)
)

// Part is a stretch of an interruption and the terms that it was spent with: several where nothing tells when one
// ended and the next began.
type Part struct {
	Terms []Term
	Span  timeline.Span
	Error time.Duration // how much longer or shorter it may be, for the dating of its ends
	// AtLeast and AtMost are set where one term ends within the next: the state of a flow may be there at any time of the
	// timer's last wait, and nothing shows it before the timer runs out.
	AtLeast, AtMost bool
}

// Apart is an interruption taken apart, as one kind of traffic met it.
type Apart struct {
	SeenBy    string // timeline.SeenByHeartbeat: new traffic, which needs no state; timeline.SeenByTCP: an established flow
	Direction string // timeline.Forward, Reverse or Both
	Span      timeline.Span
	Parts     []Part // in order of time, without gaps, from the interruption's begin to its end
}

// Failover is an interruption in which the path went over to other ports or devices, taken apart.
type Failover struct {
	Path  string
	Span  timeline.Span
	Apart []Apart // heartbeats forward, back, then the flow; those that were interrupted
}

// boundary is the end of a term, as devices dated it.
type boundary struct {
	term Term
	at   timeline.Span
}

// TakeApart splits an interruption at the moments at which devices on the path said that they acted. It returns false if
// none did: then nothing went over.
func TakeApart(i Incident, p Path, moves []Move, changes []Change) (Failover, bool) {
	out := Failover{Path: i.Path, Span: i.Span}
	ends := boundaries(i, p, moves, changes)
	if len(ends) == 0 {
		return out, false
	}
	dark := timeline.Span{}
	for _, way := range []string{timeline.Forward, timeline.Reverse, timeline.Both} {
		s, wrong := i.darkOnly(way)
		if s.IsZero() {
			continue
		}
		if s.To.After(dark.To) {
			dark = s
		}
		out.Apart = append(out.Apart, Apart{SeenBy: timeline.SeenByHeartbeat, Direction: way, Span: s, Parts: cut(s, wrong, ends, TermRelearning)})
	}
	if stall, ok := i.stalled(); ok {
		out.Apart = append(out.Apart, apartOfFlow(stall, dark, ends))
	}
	return out, len(out.Apart) > 0
}

// darkOnly returns the longest stretch in which heartbeats were lost in exactly this direction, and its dating error.
func (i Incident) darkOnly(direction string) (s timeline.Span, wrong time.Duration) {
	for _, o := range i.Outages {
		if o.SeenBy == timeline.SeenByHeartbeat && o.Direction == direction && o.Span.Width() > s.Width() {
			s, wrong = o.Span, o.Error
		}
	}
	return s, wrong
}

// stalled returns the longest outage of the flow.
func (i Incident) stalled() (longest Outage, ok bool) {
	for _, o := range i.Outages {
		if o.SeenBy == timeline.SeenByTCP && o.Span.Width() > longest.Span.Width() {
			longest, ok = o, true
		}
	}
	return longest, ok
}

// boundaries returns the ends of the terms that devices told, in order.
func boundaries(i Incident, p Path, moves []Move, changes []Change) []boundary {
	var lost, forwards, role timeline.Span
	for _, c := range changes {
		if !p.Crosses(c.Device) || !Coincides(c.Span, i.Span) {
			continue
		}
		_, _, stopped := stops(c)
		switch {
		case c.Type == timeline.EventOper && c.Attrs["to"] == "down", stopped:
			lost = first(lost, c.Span)
		case (c.Type == timeline.EventFailover || c.Type == timeline.EventGateway) && c.Attrs["to"] == "active":
			role = first(role, c.Span)
		}
	}
	for _, m := range moves {
		if !p.Crosses(m.Stopped.Device) || !Coincides(m.Span, i.Span) {
			continue
		}
		lost = first(lost, narrower(m.Stop, m.At))
		forwards = first(forwards, narrower(m.Start, m.At))
	}
	var out []boundary
	if forwards.IsZero() && role.IsZero() {
		return nil
	}
	for _, b := range []boundary{{TermDetection, lost}, {TermForwarding, forwards}, {TermRole, role}} {
		if !b.at.IsZero() {
			out = append(out, b)
		}
	}
	return out
}

// first returns when the first of two things happened; a zero span is none.
func first(a, b timeline.Span) timeline.Span {
	switch {
	case a.IsZero():
		return b
	case b.IsZero():
		return a
	}
	if b.From.Before(a.From) {
		a.From = b.From
	}
	if b.To.Before(a.To) {
		a.To = b.To
	}
	return a
}

// narrower returns the dating of b if it lies within that of a: a device's log dates what two polls enclose.
func narrower(a, b timeline.Span) timeline.Span {
	if b.From.Before(a.From) || b.To.After(a.To) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// cut splits a stretch at the boundaries; what is left was spent with the last term. A boundary lies in the
// stretch, which narrows its dating, and not before the one in front. Where the device that takes over says nothing of its
// role, its time is in what is left.
func cut(s timeline.Span, wrong time.Duration, ends []boundary, last Term) []Part {
	var out []Part
	at, off := s.From, wrong
	for _, b := range ends {
		in := timeline.Span{From: within(b.at.From, s.From, s.To), To: within(b.at.To, s.From, s.To)}
		end, half := later(in.Mid(), at), in.Width()/2
		out = append(out, Part{Terms: []Term{b.term}, Span: timeline.Span{From: at, To: end}, Error: off + half})
		at, off = end, half
	}
	return append(out, Part{Terms: []Term{last}, Span: timeline.Span{From: at, To: s.To}, Error: off + wrong})
}

func within(t, from, to time.Time) time.Time { return earlier(later(t, from), to) }

// noState is how little time is no sign of a missing state: what heartbeats and the sender's clock are off.
const noState = 50 * time.Millisecond

// apartOfFlow takes the stall of a flow apart: it shares the terms of the new traffic while the path was dark; afterwards
// its state was missing, or its own timer ran.
func apartOfFlow(o Outage, dark timeline.Span, ends []boundary) Apart {
	a := Apart{SeenBy: timeline.SeenByTCP, Direction: o.Direction, Span: o.Span}
	passes := o.Span.From // when new traffic passed
	if !dark.IsZero() && dark.Overlaps(o.Span) {
		passes = within(dark.To, o.Span.From, o.Span.To)
		a.Parts = cut(timeline.Span{From: o.Span.From, To: passes}, o.Error, ends, TermRelearning)
	}
	rest := timeline.Span{From: passes, To: o.Span.To}
	if o.Backoff == nil {
		a.Parts = append(a.Parts, Part{Terms: []Term{TermState, TermBackoff}, Span: rest, Error: o.Error})
		return a
	}
	waits := within(o.Span.To.Add(-*o.Backoff), rest.From, rest.To)
	if waits.Sub(rest.From) <= noState {
		waits = rest.From
	}
	if waits.After(rest.From) {
		a.Parts = append(a.Parts, Part{Terms: []Term{TermState}, Span: timeline.Span{From: rest.From, To: waits}, Error: o.Error, AtLeast: rest.To.After(waits)})
	}
	if rest.To.After(waits) {
		a.Parts = append(a.Parts, Part{Terms: []Term{TermBackoff}, Span: timeline.Span{From: waits, To: rest.To}, Error: o.Error, AtMost: true})
	}
	return a
}

// Largest returns the part that took longest; false if there is none. One that may have gone on within the next counts
// with half of that.
func (a Apart) Largest() (longest Part, ok bool) {
	var most time.Duration
	for i, p := range a.Parts {
		w := p.Span.Width()
		if p.AtLeast && i+1 < len(a.Parts) {
			w += a.Parts[i+1].Span.Width() / 2
		}
		if w > most {
			longest, most = p, w
		}
	}
	return longest, most > 0
}

// Worst returns what the failover took longest for.
func (f Failover) Worst() Apart {
	var best Apart
	for _, a := range f.Apart {
		if a.Span.Width() > best.Span.Width() {
			best = a
		}
	}
	return best
}
