package host

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/wire"
)

// card is a network card that leads to a far end, or one below such a card.
type card struct {
	link   Link
	seen   time.Time // when the link was last looked at
	below  bool      // it stands for a card on top of it
	to     []string
	setup  Setup
	asked  time.Duration // when for the set-up, on the monotonic clock; 0: never
	told   map[string]string
	queue  reading[Queue]
	before *LinkCounters // at the last second's end
}

// use takes over what leads to the far ends now.
func (r *run) use(to routing) {
	r.noRoute = to.err
	for i, c := range r.cards {
		if _, ok := to.cards[i]; !ok && !c.below {
			delete(r.cards, i)
		}
	}
	for i, ends := range to.cards {
		if c := r.cards[i]; c != nil {
			c.to, c.below = ends, false
		} else {
			r.add(i, ends, false)
		}
	}
	for i, c := range r.cards { // a card below goes with the last one on top of it
		if c.below && !slices.ContainsFunc(slices.Collect(maps.Values(r.cards)), func(o *card) bool { return o.link.Parent == i }) {
			delete(r.cards, i)
		}
	}
}

// add begins to watch a card, and the one below it.
func (r *run) add(index int, to []string, below bool) {
	l, err := r.sys.link(index)
	if err != nil {
		r.noRoute = err
		return
	}
	c := &card{link: l, seen: r.sys.clocks().wall.UTC(), to: to, below: below, before: l.Counters}
	c.queue = r.queueOf(index, read(r.sys.queues()))
	r.cards[index] = c
	c.describe(r)
	if l.Parent != 0 && r.cards[l.Parent] == nil {
		r.add(l.Parent, to, true)
	}
}

func (c *card) subject() timeline.Subject { return timeline.Port(timeline.LocalHost, c.link.Name) }

// look sees whether a card's carrier came or went.
func (r *run) look() {
	for i, c := range r.cards {
		l, err := r.sys.link(i)
		now := r.sys.clocks().wall.UTC()
		sp := timeline.Span{From: c.seen, To: now}
		if sp.From.After(sp.To) {
			sp.From = sp.To // the clock was set back
		}
		if err != nil {
			if c.link.Up {
				r.oper(c, sp, "up", "notPresent", "the network card is gone: "+err.Error())
			}
			delete(r.cards, i)
			continue
		}
		was := c.link
		c.link, c.seen = l, now
		switch {
		case was.Up && !l.Up:
			r.oper(c, sp, "up", "down", "this host's own link went down")
		case !was.Up && l.Up:
			r.oper(c, sp, "down", "up", "this host's own link came up")
			c.describe(r)
		case l.Up && was.HasDowns && l.HasDowns && l.Downs != was.Downs:
			text := fmt.Sprintf("this host's own link lost its carrier %d times and has it again", l.Downs-was.Downs)
			r.oper(c, sp, "up", "down", text)
			r.oper(c, sp, "down", "up", text)
			c.describe(r)
		}
	}
}

func (r *run) oper(c *card, sp timeline.Span, from, to, text string) {
	r.out.Put(timeline.Event{Subject: c.subject(), Type: timeline.EventOper, Span: sp, Text: text, Origin: origin,
		Attrs: map[string]string{"from": from, "to": to}})
}

// describe asks for the card's set-up and tells when it is another than before.
func (c *card) describe(r *run) {
	c.asked = r.was.mono
	s := r.sys.setup(c.link.Name)
	if !honestSpeed[c.link.Kind] {
		s.SpeedBits, s.Duplex = 0, ""
	}
	sp := timeline.At(r.sys.clocks().wall.UTC())
	change := func(t timeline.EventType, from, to string) {
		r.out.Put(timeline.Event{Subject: c.subject(), Type: t, Span: sp, Origin: origin, Attrs: map[string]string{"from": from, "to": to}})
	}
	if a, b := c.setup.SpeedBits, s.SpeedBits; a > 0 && b > 0 && a != b {
		change(timeline.EventSpeed, strconv.FormatFloat(a, 'f', 0, 64), strconv.FormatFloat(b, 'f', 0, 64))
	}
	if a, b := c.setup.Duplex, s.Duplex; a != "" && b != "" && a != b {
		change(timeline.EventDuplex, a, b)
	}
	if s.SpeedBits == 0 && !c.link.Up {
		s.SpeedBits, s.Duplex = c.setup.SpeedBits, c.setup.Duplex // it has none while it is down
	}
	c.setup = s
	if m := attrs(c.link, s, c.queue.value, c.to); !maps.Equal(m, c.told) {
		c.told = m
		r.out.Put(timeline.Event{Subject: local, Type: timeline.EventNIC, Span: sp, Text: describe(m), Attrs: m, Origin: origin})
	}
}

// honestSpeed are the kinds of links whose driver knows a speed: a veth says 10 Gbit/s, whatever it carries.
var honestSpeed = map[string]bool{"": true, "bond": true, "team": true, "vlan": true, "macvlan": true, "ipvlan": true, "macsec": true}

// virtual are drivers of cards that a hypervisor makes: they do not count errors of a medium they do not have.
var virtual = map[string]bool{"virtio_net": true, "vmxnet3": true, "hv_netvsc": true, "xen_netfront": true, "ena": true, "gve": true, "": true}

// second writes what the card counted in the last second and returns the frames it had no room for.
func (c *card) second(r *run, sp timeline.Span) (noRoom float64, err error) {
	if r.was.mono-c.asked >= setupEvery {
		c.describe(r)
	}
	sub, a, b := c.subject(), c.before, c.link.Counters
	c.before = b
	up := 0.0
	if c.link.Up {
		up = 1
	}
	r.put(sub, timeline.Oper, sp, up)
	if c.setup.SpeedBits > 0 && c.link.Up {
		r.put(sub, timeline.Speed, sp, c.setup.SpeedBits)
	}
	if c.setup.Duplex != "" && c.link.Up {
		half := 0.0
		if c.setup.Duplex == "half" {
			half = 1
		}
		r.put(sub, timeline.HalfDuplex, sp, half)
	}
	if a == nil || b == nil {
		return 0, fmt.Errorf("counters of %s: %w", c.link.Name, errNotGiven)
	}
	if b.InPackets < a.InPackets || b.OutPackets < a.OutPackets || b.NoRoom() < a.NoRoom() {
		r.gap(sub, "", sp, timeline.ReasonReset, "the card's counters fell")
		return 0, errors.New("the card's counters fell")
	}
	c.counted(r, sp, sub, a, b)
	return float64(b.NoRoom() - a.NoRoom()), nil
}

// counted writes the rates of the card's counters.
func (c *card) counted(r *run, sp timeline.Span, sub timeline.Subject, a, b *LinkCounters) {
	octets := func(c0, c1, p0, p1 uint64) float64 {
		n := float64(c1 - c0)
		if c.link.Ethernet {
			n += float64(p1-p0) * wire.FCS // Linux counts frames without it (Documentation/networking/statistics.rst)
		}
		return 8 * n / sp.Width().Seconds()
	}
	if b.InBytes >= a.InBytes && b.OutBytes >= a.OutBytes {
		in, out := octets(a.InBytes, b.InBytes, a.InPackets, b.InPackets), octets(a.OutBytes, b.OutBytes, a.OutPackets, b.OutPackets)
		r.put(sub, timeline.InBits, sp, in)
		r.put(sub, timeline.OutBits, sp, out)
		if c.setup.SpeedBits > 0 {
			r.put(sub, timeline.Utilisation, sp, max(in, out)/c.setup.SpeedBits)
		}
	}
	r.rate(sub, timeline.InPackets, sp, a.InPackets, b.InPackets)
	r.rate(sub, timeline.OutPackets, sp, a.OutPackets, b.OutPackets)
	r.rate(sub, timeline.InErrors, sp, a.InErrors, b.InErrors)
	r.rate(sub, timeline.OutErrors, sp, a.OutErrors, b.OutErrors)
	r.rate(sub, timeline.InDrops, sp, a.InDrops, b.InDrops)
	r.rate(sub, timeline.OutDrops, sp, a.OutDrops, b.OutDrops)
	if c.link.Kind == "" && !virtual[c.setup.Driver] {
		r.rate(sub, timeline.InFCS, sp, a.FCS, b.FCS)
		r.rate(sub, timeline.InOverrun, sp, a.NoRoom(), b.NoRoom())
		r.rate(sub, timeline.Collisions, sp, a.Collisions, b.Collisions)
	}
}

// queueing returns the packets that the card's queue dropped in the last second and the bytes that wait.
func (c *card) queueing(r *run, all reading[map[int]Queue]) (dropped, waits float64, err error) {
	was := c.queue
	c.queue = r.queueOf(c.link.Index, all)
	if err := errors.Join(was.err, c.queue.err); err != nil {
		return 0, 0, err
	}
	if was.value.Kind != c.queue.value.Kind {
		c.describe(r)
		return 0, 0, fmt.Errorf("the queue of %s is another", c.link.Name)
	}
	d := c.queue.value.Drops - was.value.Drops // wraps
	if d > 1<<31 {
		return 0, 0, fmt.Errorf("the queue of %s counts anew", c.link.Name)
	}
	return float64(d), float64(c.queue.value.Backlog), nil
}

// queueOf picks out the queue of one card.
func (r *run) queueOf(index int, all reading[map[int]Queue]) reading[Queue] {
	q, ok := all.value[index]
	if all.err == nil && !ok {
		all.err = errors.New("the network card has no queue")
	}
	return reading[Queue]{q, all.err}
}
