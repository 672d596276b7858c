package rules

import (
	"fmt"
	"math"
	"slices"

	"whydrop/correlate/timeline"
)

// ports looks at what single ports show.
func (e *pasted) ports() {
	for _, p := range e.Ports {
		mismatch := e.halfDuplex(p)
		if !mismatch {
			e.corrupted(p)
		}
		e.dropped(p)
		if !p.Host {
			e.overrun(p)
		}
		e.paused(p)
		e.below(p)
	}
}

// frames is the evidence that a port counted.
func (p PortView) frames(m timeline.Metric, text string) Evidence {
	v := p.count(m)
	out := Evidence{Source: p.Source, Subject: p.Subject, Metric: string(m), Value: &v, Unit: "packets", Text: text}
	if p.Seconds != nil && *p.Seconds > 0 {
		rate := v / *p.Seconds
		out.Value = &rate
		d, _ := timeline.Describe(m)
		out.Unit = d.Unit
	}
	return out
}

// corrupted: frames arrive with a wrong check sequence.
func (e *pasted) corrupted(p PortView) {
	metric, kind := timeline.InFCS, "with a wrong check sequence"
	if _, known := p.Counts[metric]; !known && p.Host { // ifconfig does not part them
		metric, kind = timeline.InAlignment, "that were damaged"
	}
	bad := p.count(metric)
	c := newClaim("bad-cable", p.Subject, 0.3)
	if !(bad >= c.limit("least", 5)) {
		return
	}
	text := fmt.Sprintf("%s counted %s frames %s %s", p.Subject, trim(bad), kind, p.Since)
	in := p.count(timeline.InPackets)
	share := bad / (in + bad)
	if in > 0 {
		text += fmt.Sprintf(", %s of what it received", percentText(share))
	}
	c.say(0.1, p.frames(metric, text))
	if ber := bad / (p.Octets * 8); p.Octets > 0 {
		if ber < c.limit("ber", 1e-8) {
			return
		}
		c.say(0.1, Evidence{Source: p.Source, Subject: p.Subject, Text: fmt.Sprintf("that is a bit error rate of at least %.1g; Ethernet asks for 1e-10 and better", ber)})
	}
	if p.count(timeline.OutDrops) == 0 && p.count(timeline.InDrops) == 0 {
		c.say(0.05, Evidence{Source: p.Source, Subject: p.Subject, Text: "nothing was dropped for want of room meanwhile: it is not congestion"})
	}
	if p.Load != nil && *p.Load < 0.8 {
		c.say(0.05, Evidence{Source: p.Source, Subject: p.Subject, Metric: string(timeline.Utilisation), Value: p.Load, Unit: "ratio", Text: fmt.Sprintf("the port was loaded to %s only", percentText(*p.Load))})
	}
	if r, ok := e.lossyRun(); ok {
		c.say(0.15, r)
	} else {
		c.Missing = append(c.Missing, "what it did to traffic: the loss or the retransmissions of a probe over this port at the same time")
	}
	if p.HalfDuplex != nil && !*p.HalfDuplex && p.Speed != nil && *p.Speed <= 100e6 && (p.count(timeline.InRunts) > 0 || p.count(timeline.InAlignment) > 0) {
		c.but(0.1, "duplex-mismatch: a full-duplex side at 100 Mbit/s that counts runts or alignment errors may face a half-duplex one; read the far end")
	}
	c.Missing = append(c.Missing, fmt.Sprintf("the counters of the far end of the link at %s", p.Subject))
	c.Summary = fmt.Sprintf("%s. The signal that arrives there is bad: the cable, a connector, the far transmitter or the port itself.", text)
	c.Next = []string{fmt.Sprintf("Change the patch lead at %s, then the port, then the far end's card, and see after each whether CRC still counts.", p.Subject), "Read the far end of the link: errors on one side only indict what is sent towards it."}
	e.add(c, Suspected)
}

// lossyRun returns evidence that a measurement lost something.
func (e *pasted) lossyRun() (Evidence, bool) {
	for _, r := range e.Runs {
		if r.Lost != nil && r.Total != nil && *r.Total > 0 && *r.Lost > 0 {
			share := float64(*r.Lost) / float64(*r.Total)
			return r.loss(share, lossText(r, share)), true
		}
		if r.Retransmits != nil && *r.Retransmits > 0 && r.Seconds > 0 {
			return r.figure(timeline.TCPRetransmits, float64(*r.Retransmits)/r.Seconds, fmt.Sprintf("%d segments were sent again in %s", *r.Retransmits, r.Name)), true
		}
	}
	return Evidence{}, false
}

// halfDuplex: a side that hears its neighbour while it sends.
func (e *pasted) halfDuplex(p PortView) bool {
	if p.HalfDuplex == nil || !*p.HalfDuplex {
		return false
	}
	late := p.count(timeline.LateCollisions)
	if late > 0 {
		c := newClaim("duplex-mismatch", p.Subject, 0.35)
		c.say(0.25, p.frames(timeline.LateCollisions, fmt.Sprintf("%s runs at half duplex and counted %s late collisions %s: its neighbour does not wait for it", p.Subject, trim(late), p.Since)))
		c.Missing = []string{fmt.Sprintf("the duplex and the CRC counter of the far end of the link at %s", p.Subject)}
		c.Summary = fmt.Sprintf("%s runs at half duplex while its neighbour does not: late collisions come from nothing else.", p.Subject)
		c.Next = []string{"Set both ends of that link to autonegotiation (or both to the same speed and duplex), and see that late collisions stand still."}
		return e.add(c, Suspected)
	}
	if p.Totals[timeline.LateCollisions] > 0 {
		return false // of an unknown age: the catalogue weighs them
	}
	if p.Speed != nil && *p.Speed <= 100e6 && (p.count(timeline.Collisions) > 0 || math.IsNaN(late)) {
		c := newClaim("half-duplex-segment", p.Subject, 0.4)
		c.Title = "A link runs at half duplex"
		c.Evidence = []Evidence{{Source: p.Source, Subject: p.Subject, Metric: string(timeline.HalfDuplex), Text: fmt.Sprintf("%s runs at half duplex", p.Subject)}}
		c.Missing = []string{"the far end's duplex, and late collisions between two snapshots"}
		c.Summary = fmt.Sprintf("%s runs at half duplex: both directions share its %s.", p.Subject, rateText(*p.Speed))
		c.Next = []string{"Set both ends to autonegotiation; replace a hub, if there is one."}
		e.add(c, Suspected)
	}
	return false
}

// dropped: the queue of a port ran over.
func (e *pasted) dropped(p PortView) {
	n := p.count(timeline.OutDrops)
	if !(n >= 5) {
		return
	}
	out := p.count(timeline.OutPackets)
	share := n / (out + n)
	if out > 0 && share < 1e-5 {
		return
	}
	text := fmt.Sprintf("%s dropped %s frames %s instead of sending them", p.Subject, trim(n), p.Since)
	if out > 0 {
		text += fmt.Sprintf(" (%s)", percentText(share))
	}
	id, busy := "oversubscription", true
	if p.Load != nil && *p.Load < 0.5 {
		id, busy = "microburst", false
	}
	c := newClaim(id, p.Subject, 0.3)
	c.say(0.15, p.frames(timeline.OutDrops, text))
	switch {
	case p.Load == nil:
		c.Missing = append(c.Missing, "the load of the port while it dropped")
	case busy:
		c.say(0.15, Evidence{Source: p.Source, Subject: p.Subject, Metric: string(timeline.Utilisation), Value: p.Load, Unit: "ratio", Text: fmt.Sprintf("it was loaded to %s over %s", percentText(*p.Load), secondsText(p.LoadSeconds))})
	default:
		c.say(0.1, Evidence{Source: p.Source, Subject: p.Subject, Metric: string(timeline.Utilisation), Value: p.Load, Unit: "ratio", Text: fmt.Sprintf("it was loaded to %s only over %s: bursts fill the queue for moments", percentText(*p.Load), secondsText(p.LoadSeconds))})
		c.Title = "Bursts overrun a queue"
	}
	c.Missing = append(c.Missing, "which traffic: the rates of the ports that feed it, at the same time")
	c.Summary = text + "."
	if busy {
		c.Summary += " More wants to leave through it than it carries."
		c.Next = []string{fmt.Sprintf("Find what feeds %s, and move or shape it, or make the link faster.", p.Subject)}
	} else {
		c.Summary += " Its mean load is low, so it is bursts."
		c.Next = []string{fmt.Sprintf("Shorten the averaging at %s (load-interval 30), look at its queues (show mls qos, show platform), give them more buffer or pace the sender.", p.Subject)}
	}
	e.add(c, Suspected)
}

// overrun: the receiver's hardware had no room.
func (e *pasted) overrun(p PortView) {
	n := p.count(timeline.InOverrun) + 0
	if d := p.count(timeline.InDrops); !math.IsNaN(d) {
		n = max(n, d)
	}
	if !(n >= 5) {
		return
	}
	c := newClaim("input-queue-overrun", p.Subject, 0.3)
	c.Title = "A device has no room for what arrives"
	m := timeline.InOverrun
	if p.count(timeline.InDrops) == n {
		m = timeline.InDrops
	}
	c.say(0.15, p.frames(m, fmt.Sprintf("%s threw away %s frames on arrival %s (overrun, ignored, input queue)", p.Subject, trim(n), p.Since)))
	c.Missing = []string{"the device's CPU at that time (show processes cpu), and which traffic it handles in software"}
	c.Summary = c.Evidence[0].Text + ": the device was too busy to take them, or they came in a burst."
	c.Next = []string{fmt.Sprintf("Look at the CPU of %s and at what is punted to it; then at bursts arriving at the port.", p.Subject.Device)}
	e.add(c, Suspected)
}

// paused: the neighbour asked to be sent less.
func (e *pasted) paused(p PortView) {
	n := p.count(timeline.InPause)
	if !(n >= 5) {
		return
	}
	c := newClaim("flow-control", p.Subject, 0.3)
	c.Title = "The neighbour of a port is slow and asks for pauses"
	c.say(0.15, p.frames(timeline.InPause, fmt.Sprintf("%s received %s pause frames %s", p.Subject, trim(n), p.Since)))
	c.Missing = []string{"whether the rate follows the pauses: a probe over that port at the same time"}
	c.Summary = c.Evidence[0].Text + ": what is attached there cannot take what it is sent."
	c.Next = []string{fmt.Sprintf("Look at the host or device attached to %s; switch flow control off there as an experiment.", p.Subject)}
	e.add(c, Suspected)
}

// below: a port that is slower than it could be, if no run said so already.
func (e *pasted) below(p PortView) {
	if p.Speed == nil || p.SpeedMax == nil || *p.Speed >= *p.SpeedMax || p.Oper != nil && !*p.Oper {
		return
	}
	if slices.ContainsFunc(e.found, func(d Diagnosis) bool { return d.ID() == "speed-fallback" }) {
		return
	}
	c := newClaim("speed-fallback", p.Subject, 0.4)
	c.Evidence = []Evidence{{Source: p.Source, Subject: p.Subject, Metric: string(timeline.Speed), Value: p.Speed, Unit: "bit/s", Text: fmt.Sprintf("%s runs at %s and is capable of %s", p.Subject, rateText(*p.Speed), rateText(*p.SpeedMax))}}
	c.Missing = []string{"what the far end is capable of: a printer or a phone may have no more"}
	c.Summary = c.Evidence[0].Text + "."
	c.Next = []string{"See what the far end is capable of; if it is more, change the cable (1 Gbit/s needs all four pairs)."}
	e.add(c, Suspected)
}
