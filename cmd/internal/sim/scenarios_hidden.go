package sim

import (
	"fmt"
	"time"

	"whydrop/correlate/timeline"
)

// hiddenTales are about what few or no counters of a device show: loss and delay without a place, sizes, processors,
// duplex, what stays dark after a move, and counters that lie.
var hiddenTales = []tale{
	{"silent-drop-loss", scenario{help: "something that is not watched loses packets", draw: drawSilentLoss, live: true}},
	{"silent-drop-outage", scenario{help: "something that is not watched goes dark for a moment", draw: drawSilentOutage, live: true}},
	{"silent-drop-little", scenario{help: "a packet in some ten thousand is lost", draw: drawLittleLoss, live: true}},
	{"added-delay-detour", scenario{help: "the delay rises somewhere between the devices and stays so", draw: drawDetour, live: true}},
	{"added-delay-short", scenario{help: "a way that is some milliseconds longer", draw: drawShortDetour, live: true}},
	{"added-delay-little", scenario{help: "the delay swings by a fraction of a millisecond", draw: drawLittleDelay, live: true}},
	{"pmtu-blackhole-tunnel", scenario{help: "a tunnel takes less than full packets and does not say so", draw: drawBlackhole}},
	{"pmtu-blackhole-none", scenario{help: "packets of every size pass", draw: drawAllSizes}},
	{"mtu-mismatch-giants", scenario{help: "a port gets longer packets than it takes, and counts them", draw: drawGiants}},
	{"mtu-mismatch-unused", scenario{help: "a port takes longer packets than anybody sends", draw: drawJumboUnused}},
	{"control-plane-cpu-slow", scenario{help: "a firewall's processor is full, and packets that it handles come late or never", draw: drawBusyProcessor}},
	{"control-plane-cpu-harmless", scenario{help: "a switch's processor is full, which its forwarding does not feel", draw: drawBusyHarmless}},
	{"half-duplex-segment-hub", scenario{help: "a hub at the far end: half duplex and collisions, none of them late", draw: drawHub}},
	{"half-duplex-segment-idle", scenario{help: "a half-duplex link that carries next to nothing", draw: drawHubIdle}},
	{"duplex-mismatch-full", scenario{help: "the switch is the full-duplex end of a mismatch: fragments and bad frames", draw: drawFullEnd}},
	{"stale-arp-fdb-move", scenario{help: "the path stays dark after spanning tree has moved it", draw: drawStale, live: true}},
	{"stp-reconvergence-plain", scenario{help: "spanning tree moves the path, and the firewalls know the connections", draw: drawPlainMove, live: true}},
	{"counter-unreliable-octets", scenario{help: "an agent shows older numbers every now and then", draw: drawUnreliable}},
}

func drawSilentLoss(s *Story) {
	s.steady()
	from := s.begins()
	w := pick(s.draw, forward, reverse)
	s.suffers(from, w, s.path.cross[s.first][w][s.number(1, 4)].port, s.real(0.02, 0.08))
	s.path.losing[w].at = s.path.cross[s.first][w][4].port // lost before it gets there; nobody counts it
	s.blamePath("silent-drop")
	s.rest(from)
}

func drawSilentOutage(s *Story) {
	s.steady()
	from := s.begins()
	to := from + s.between(400*time.Millisecond, 900*time.Millisecond)
	s.path.darken(forward, from, to)
	s.path.darken(reverse, from, to)
	s.outage(timeline.SeenByHeartbeat, timeline.Both, from, to)
	s.outage(timeline.SeenByTCP, timeline.Forward, from, to)
	s.blamePath("silent-drop")
	s.rest(from)
}

func drawLittleLoss(s *Story) {
	s.steady()
	from, ratio := s.begins(), s.real(1e-5, 1.5e-4)
	s.path.during(from, forever, func(c *condition) { c.loss = [2]float64{ratio, ratio} })
	s.rest(from)
}

func drawDetour(s *Story) {
	s.steady()
	from, w, more := s.begins(), pick(s.draw, forward, reverse), s.between(20*time.Millisecond, 60*time.Millisecond)
	s.path.during(from, forever, func(c *condition) { c.delay[w] += more })
	s.blamePath("added-delay")
	s.rest(from)
}

// drawShortDetour stays below what a queue's breath makes.
func drawShortDetour(s *Story) {
	s.steady()
	from, w, more := s.begins(), pick(s.draw, forward, reverse), s.between(2*time.Millisecond, 9*time.Millisecond)
	s.path.during(from, forever, func(c *condition) { c.delay[w] += more })
	s.rest(from)
}

func drawLittleDelay(s *Story) {
	s.steady()
	from := s.begins()
	for at := from; at < from+9*time.Second; at += s.between(200*time.Millisecond, 900*time.Millisecond) {
		more := s.between(0, time.Millisecond)
		s.path.during(at, at+150*time.Millisecond, func(c *condition) { c.queue[forward] += more })
	}
	s.rest(from)
}

// sizes are pings with DF set, as a search by halves sends them.
func sizes(note string, list ...int) []trial {
	var out []trial
	for _, n := range list {
		out = append(out, trial{proto: "ping", size: n, note: note})
	}
	return out
}

// search returns the sizes that a search by halves between two sizes tries until it knows a limit.
func search(limit, lo, hi int) []int {
	out := []int{lo, hi}
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		out = append(out, mid)
		if mid <= limit {
			lo = mid
		} else {
			hi = mid
		}
	}
	return out
}

func drawBlackhole(s *Story) {
	s.steady()
	from := s.begins()
	s.path.base.fits = s.number(1380, 1492)
	stands := from
	s.path.during(stands, forever, func(c *condition) { c.stalled = stands })
	note := pick(s.draw, "df set, through the tunnel", "ping with df over the pppoe line", "df, through the vpn")
	list := append(sizes(note, search(s.path.base.fits, 576, 1500)...), trial{proto: "tcp", way: forward, note: "connects, then stalls"})
	last := s.tries(from, list...)
	s.blamePath("pmtu-blackhole")
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawAllSizes(s *Story) {
	s.steady()
	from := s.begins()
	last := s.tries(from, append(sizes("df set, through the tunnel", 576, 1038, 1269, 1500), trial{proto: "tcp", way: forward})...)
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawGiants(s *Story) {
	s.steady()
	from := s.begins()
	p := s.path.cross[s.first][forward][pick(s.draw, 2, 4)].port
	p.flows = append(p.flows, flow{giants, from, forever, s.real(5, 60)}, flow{inErrors, from, forever, s.real(5, 60)})
	s.path.during(from, forever, func(c *condition) { c.stalled = from; c.fits = 1500 })
	last := s.tries(from+4*time.Second, sizes("df set", search(1500, 576, 1600)...)...)
	s.blame(p, "mtu-mismatch")
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawJumboUnused(s *Story) {
	s.steady()
	s.path.cross[s.first][forward][1].port.mtu = 9000
	from := s.begins()
	last := s.tries(from, sizes("df set", 576, 1038, 1500)...)
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawBusyProcessor(s *Story) {
	s.steady()
	from := s.begins()
	d := s.fws[s.first]
	d.loads = append(d.loads, stretch{from, forever, s.number(92, 99)})
	ratio, more := s.real(0.01, 0.04), s.between(5*time.Millisecond, 40*time.Millisecond)
	w := pick(s.draw, forward, reverse)
	s.suffers(from, w, s.path.cross[s.first][w][3].port, ratio)
	s.path.during(from, forever, func(c *condition) { c.queue[w] = more })
	s.blamePath("control-plane-cpu")
	s.rest(from)
}

func drawBusyHarmless(s *Story) {
	s.steady()
	from := s.begins()
	s.near.loads = append(s.near.loads, stretch{from, forever, s.number(88, 99)})
	s.rest(from)
}

// halfPort sets the far host's port to half duplex at 100 Mbit/s.
func (s *Story) halfPort() *port {
	p := s.farHost
	p.started.speed, p.started.half, p.started.cost = 100e6, true, 200000
	return p
}

func drawHub(s *Story) {
	s.steady()
	p := s.halfPort()
	s.offered = float64(s.number(30, 60)) * 1e6
	s.path.base.rate = s.offered * s.real(0.35, 0.7)
	s.path.base.queue[forward] = s.between(time.Millisecond, 4*time.Millisecond)
	hits := []hit{{p, collisions, 1}, {p, deferred, 2}}
	for _, h := range hits {
		p.flows = append(p.flows, flow{h.counter, before, forever, s.real(80, 400)})
	}
	s.path.base.cut[forward] = s.real(0.001, 0.004)
	s.blame(p, "half-duplex-segment")
	s.rest(s.begins())
}

func drawHubIdle(s *Story) {
	s.steady()
	p := s.halfPort()
	s.offered = float64(s.number(2, 5)) * 1e6
	p.flows = append(p.flows, flow{deferred, before, forever, s.real(0.1, 1)})
	s.rest(s.begins())
}

func drawFullEnd(s *Story) {
	s.steady()
	p := s.farHost
	p.started.speed, p.started.cost = 100e6, 200000
	ratio := s.real(0.02, 0.05)
	s.path.losing[reverse] = losing{at: p, hits: []hit{{p, fcsErrors, 0.5}, {p, runts, 0.5}, {p, inErrors, 1}}}
	s.path.losing[forward] = losing{}
	s.path.base.loss = [2]float64{ratio / 3, ratio}
	s.offered = float64(s.number(20, 40)) * 1e6
	s.path.base.rate = s.offered * s.real(0.1, 0.3)
	s.blame(p, "duplex-mismatch")
	s.rest(s.begins())
}

// drawStale: after the move a device still sends to the old place; then somebody speaks and all is well.
func drawStale(s *Story) {
	from := s.begins()
	a, b := s.crowd()
	s.users(before, from, s.first, a, b)
	s.users(from, forever, 1-s.first, a, b)
	last := s.shift(from, 1-s.first, s.between(5*time.Second, 9*time.Second))
	s.blame(s.uplinks[s.leaf][s.first], "stp-reconvergence", "stale-arp-fdb")
	s.distract(2*time.Second, last)
	s.ends(last)
}

func drawPlainMove(s *Story) {
	from := s.begins()
	a, b := s.crowd()
	s.users(before, from, s.first, a, b)
	s.users(from, forever, 1-s.first, a, b)
	last := s.shift(from, 1-s.first, 0)
	s.blame(s.uplinks[s.leaf][s.first], "stp-reconvergence")
	s.distract(2*time.Second, last+4*time.Second)
	s.ends(last + 4*time.Second)
}

// shift moves the path to the other firewall, of which flows feel no more than the darkness, which lasts for a while
// after the ports forward again. It returns when all passes.
func (s *Story) shift(at time.Duration, to int, longer time.Duration) time.Duration {
	old, now := s.uplinks[s.leaf][1-to], s.uplinks[s.leaf][to]
	forwards := at + s.between(300*time.Millisecond, 900*time.Millisecond)
	learning := at + (forwards-at)/2
	s.costs(at, old, now, to)
	old.change(at, func(p *portState) { p.role, p.stp = "alternate", "blocking" })
	now.change(at, func(p *portState) { p.role = "root" })
	now.change(learning, func(p *portState) { p.stp = "learning" })
	now.change(forwards, func(p *portState) { p.stp = "forwarding" })
	s.sayMove(at, learning, forwards, old, now)
	s.moment(s.leaf, old, timeline.EventSTPState, "blocking", at)
	s.moment(s.leaf, now, timeline.EventSTPState, "forwarding", forwards)
	until := forwards + longer
	s.path.during(at, forever, func(c *condition) { c.active = to })
	s.path.darken(forward, at, until)
	s.path.darken(reverse, at, until)
	s.outage(timeline.SeenByHeartbeat, timeline.Both, at, until)
	s.outage(timeline.SeenByTCP, timeline.Forward, at, until)
	return until
}

func drawUnreliable(s *Story) {
	s.steady()
	from := s.begins()
	p := s.path.cross[s.first][forward][1].port
	p.falls = s.between(1100*time.Millisecond, 1900*time.Millisecond)
	s.blame(p, "counter-unreliable")
	s.near.say(from, fmt.Sprintf("%%SYS-5-CONFIG_I: Configured from console by netops on vty0 (%s)", s.admin()))
	s.rest(from)
}
