package trace

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// Result is what a trace found.
type Result struct {
	Target  netip.Addr
	Method  Method
	Port    uint16 // of the target; of no matter for ICMP
	SrcPort uint16 // of every packet; 0 for ICMP
	Started time.Time
	Seconds float64
	Rounds  int  // carried out
	Reached bool // the target itself answered
	Hops    []Hop

	Refused string // what somebody on the way said, so that nothing got further: "administratively prohibited"
	NotSent int    // packets that did not leave this host
	Guessed int    // answers that do not say which packet they are for
}

// Sent returns how many packets were sent, those left out that may still be answered.
func (r Result) Sent() int {
	n := 0
	for _, h := range r.Hops {
		n += h.Sent
	}
	return n
}

// Hop is one router on the path, or the target.
type Hop struct {
	TTL      int
	Sent     int
	Answered int
	From     []Answerer // who answered, the most frequent first; empty if nobody did
	Target   bool       // the target answered here
	Said     string     // other than that the time was exceeded or that the target was reached; "" if nothing

	Best, Median, Worst time.Duration // round trip; 0 if nobody answered

	// Counted is how much of the loss continues to the target: the least loss from here on. It is known if
	// CountedOK, that is if the target answered at all.
	Counted   float64
	CountedOK bool
}

// Answerer is an address that answered.
type Answerer struct {
	Addr  netip.Addr
	Times int
}

// Loss returns the share of the packets to the hop that was not answered, 0 to 1. What of it is the path's is in
// Counted.
func (h Hop) Loss() float64 {
	if h.Sent == 0 {
		return 0
	}
	return 1 - float64(h.Answered)/float64(h.Sent)
}

// Name returns who answered, or "*" if nobody did.
func (h Hop) Name() string {
	if len(h.From) == 0 {
		return "*"
	}
	return h.From[0].Addr.String()
}

func (h *Hop) enter(p packet, to netip.Addr) {
	h.Target = h.Target || p.end && p.by.WithZone("") == to.WithZone("")
	if p.said != "" {
		h.Said = p.said
	}
	for i := range h.From {
		if h.From[i].Addr == p.by {
			h.From[i].Times++
			return
		}
	}
	h.From = append(h.From, Answerer{p.by, 1})
}

func (h *Hop) finish(times []time.Duration) {
	slices.SortStableFunc(h.From, func(a, b Answerer) int { return cmp.Compare(b.Times, a.Times) })
	if len(times) == 0 {
		return
	}
	slices.Sort(times)
	h.Best, h.Median, h.Worst = times[0], times[len(times)/2], times[len(times)-1]
}

// conclude finds what counts.
func (r *Result) conclude() {
	if len(r.Hops) == 0 {
		return
	}
	last := r.Hops[len(r.Hops)-1]
	r.Reached = last.Target
	if !last.Target {
		r.Refused = last.Said
		return
	}
	least := 1.0
	for i := len(r.Hops) - 1; i >= 0; i-- {
		h := &r.Hops[i]
		if h.Answered > 0 {
			least = min(least, h.Loss())
		}
		h.Counted, h.CountedOK = least, true
	}
}

// significantLoss is how many packets to the target must be lost before it is said where.
const significantLoss = 3

// Meaning says in a sentence or two what the trace found.
func (r Result) Meaning() string {
	switch {
	case len(r.Hops) == 0 && r.Sent() == 0:
		return "Nothing answered at any distance: this host's own link, its router or a filter beside it is silent."
	case !r.Reached:
		return r.notReached()
	}
	target := r.Hops[len(r.Hops)-1]
	text := fmt.Sprintf("The target is %s away, %s.", hops(len(r.Hops)), round(target.Median))
	lost := target.Sent - target.Answered
	switch {
	case lost == 0:
		text += fmt.Sprintf(" It answered all of %d packets: the path lost none.", target.Sent)
	case lost < significantLoss:
		text += fmt.Sprintf(" %d of %d packets to it were not answered: too few to say where they were lost.", lost, target.Sent)
	default:
		text += fmt.Sprintf(" %d of %d packets to it were not answered; %s.", lost, target.Sent, r.where())
	}
	if limited := r.limited(); limited != "" {
		text += " " + limited
	}
	if lost > 0 && r.Method == UDP {
		text += " Hosts limit how many port-unreachables they send (Linux: one a second): compare with a trace by icmp or tcp."
	}
	return text + r.loop()
}

// where says between which hops loss that reaches the target begins.
func (r Result) where() string {
	target := r.Hops[len(r.Hops)-1]
	begin := len(r.Hops) - 1
	for begin > 0 && r.Hops[begin-1].Counted >= target.Loss()/2 {
		begin--
	}
	for r.Hops[begin].Answered == 0 && begin < len(r.Hops)-1 { // says nothing by itself
		begin++
	}
	before := begin - 1
	for before >= 0 && r.Hops[before].Answered == 0 {
		before--
	}
	at := r.Hops[begin]
	if before < 0 {
		return fmt.Sprintf("the loss begins at or before hop %d (%s) already", at.TTL, at.Name())
	}
	b := r.Hops[before]
	return fmt.Sprintf("the loss begins between hop %d (%s) and hop %d (%s), on the way there or back", b.TTL, b.Name(), at.TTL, at.Name())
}

// limited names the hops whose loss does not count.
func (r Result) limited() string {
	var names []string
	for _, h := range r.Hops[:len(r.Hops)-1] {
		if lost := h.Loss(); h.Answered > 0 && lost-h.Counted >= 0.1 {
			names = append(names, fmt.Sprintf("hop %d (%s) left %.0f %%", h.TTL, h.Name(), lost*100))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Not counted: " + list(names) + " unanswered, of which the target shows nothing: that is a limit on answers, not loss."
}

func (r Result) notReached() string {
	last := -1
	for i, h := range r.Hops {
		if h.Answered > 0 {
			last = i
		}
	}
	switch {
	case last < 0:
		return "Nothing answered at any distance: this host's own link, its router or a filter beside it is silent."
	case r.Refused != "":
		h := r.Hops[last] // a filter says so of what it would forward, so it is a hop before that already
		for _, g := range r.Hops[:last] {
			if g.Name() == h.Name() {
				h = g
				break
			}
		}
		return fmt.Sprintf("The target was not reached: hop %d (%s) says %q.", h.TTL, h.Name(), r.Refused)
	}
	h := r.Hops[last]
	text := fmt.Sprintf("The target did not answer; the last that does is hop %d (%s). Behind it the path is dark, or something does not let this kind of packet through: try another of udp, icmp, tcp.", h.TTL, h.Name())
	return text + r.loop()
}

// loop says whether packets go round in circles.
func (r Result) loop() string {
	for i, h := range r.Hops {
		for _, g := range r.Hops[:max(i-1, 0)] {
			if len(h.From) > 0 && len(g.From) > 0 && h.From[0].Addr == g.From[0].Addr && !h.Target {
				return fmt.Sprintf(" %s answers as hop %d and as hop %d: packets go round in a loop.", h.Name(), g.TTL, h.TTL)
			}
		}
	}
	return ""
}

func hops(n int) string {
	if n == 1 {
		return "1 hop"
	}
	return fmt.Sprintf("%d hops", n)
}

// round shortens a duration for the eye.
func round(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

func list(s []string) string {
	switch len(s) {
	case 1:
		return s[0]
	case 2:
		return s[0] + " and " + s[1]
	}
	text := ""
	for _, x := range s[:len(s)-1] {
		text += x + ", "
	}
	return text + "and " + s[len(s)-1]
}
