package sim

import (
	"fmt"
	"time"

	"whydrop/correlate/timeline"
)

// crowd is what everybody else sends over the path when nothing is special, bit/s each way.
func (s *Story) crowd() (towardsFar, towardsNear float64) {
	return s.real(4e6, 40e6), s.real(4e6, 40e6)
}

// steady lets everybody else's traffic run through the first firewall all the time.
func (s *Story) steady() {
	a, b := s.crowd()
	s.users(before, forever, s.first, a, b)
}

// drawReconvergence: spanning tree moves the path to the other firewall and later back. Forward and reverse are
// dark for different times; established flows stall until the firewall has their state again.
func drawReconvergence(s *Story) {
	away := s.begins() + s.between(2*time.Second, 4*time.Second)
	stay := s.between(11*time.Second, 14*time.Second)
	if s.quick {
		away = s.begins()
	}
	last := s.move(away, 1-s.first)
	a, b := s.crowd()
	if s.quick {
		s.users(before, away, s.first, a, b)
		s.users(away, forever, 1-s.first, a, b)
	} else {
		back := away + stay
		last = s.move(back, s.first)
		s.users(before, away, s.first, a, b)
		s.users(away, back, 1-s.first, a, b)
		s.users(back, forever, s.first, a, b)
	}
	s.blame(s.uplinks[s.leaf][s.first], "stp-reconvergence", "firewall-failover")
	s.distract(2*time.Second, last)
	s.ends(last)
}

// move lets the leaf change its root port at a moment, by a changed path cost, and returns when all flows pass again.
func (s *Story) move(at time.Duration, to int) time.Duration {
	old, now := s.uplinks[s.leaf][1-to], s.uplinks[s.leaf][to]
	dark := s.between(200*time.Millisecond, 400*time.Millisecond)
	back := dark + s.between(100*time.Millisecond, 200*time.Millisecond)
	stall := s.between(2*time.Second, 5*time.Second)
	if s.quick {
		stall = s.between(1500*time.Millisecond, 2*time.Second)
	}
	learning, forwards := at+dark/2, at+dark
	s.costs(at, old, now, to)
	old.change(at, func(p *portState) { p.role, p.stp = "alternate", "blocking" })
	now.change(at, func(p *portState) { p.role = "root" })
	now.change(learning, func(p *portState) { p.stp = "learning" })
	now.change(forwards, func(p *portState) { p.stp = "forwarding" })
	s.sayMove(at, learning, forwards, old, now)
	s.moment(s.leaf, old, timeline.EventSTPState, "blocking", at)
	s.moment(s.leaf, now, timeline.EventSTPState, "forwarding", forwards)
	s.moment(s.leaf, nil, timeline.EventTopologyChange, "", forwards)
	s.moment(s.root, nil, timeline.EventTopologyChange, "", forwards+3*time.Millisecond)

	s.path.during(at, forever, func(c *condition) { c.active = to })
	s.path.darken(forward, at, forwards)
	s.path.darken(reverse, at, at+back)
	s.path.during(at, at+stall, func(c *condition) { c.stalled = at })
	s.outage(timeline.SeenByHeartbeat, timeline.Forward, at, forwards)
	s.outage(timeline.SeenByHeartbeat, timeline.Reverse, at, at+back)
	s.outage(timeline.SeenByTCP, timeline.Forward, at, at+stall)
	s.strays(to, forwards, at+stall)
	return at + stall
}

// costs changes the path cost that makes the leaf move: the first firewall's link becomes dear, later cheap again.
func (s *Story) costs(at time.Duration, old, now *port, to int) {
	if to == s.first {
		now.change(at, func(p *portState) { p.cost = 20000 })
	} else {
		old.change(at, func(p *portState) { p.cost = 200000 })
	}
	s.leaf.say(at+s.between(900*time.Millisecond, 2500*time.Millisecond), fmt.Sprintf("%%SYS-5-CONFIG_I: Configured from console by netops on vty0 (%s)", s.admin()))
}

// sayMove writes what the bridges know and log of a move.
func (s *Story) sayMove(at, learning, forwards time.Duration, old, now *port) {
	b := s.leaf.bridge
	b.roots = append(b.roots, rootChange{at, now})
	b.changes = append(b.changes, topologyChange{forwards, now})
	from := s.uplinks[s.root][0]
	for i, p := range s.uplinks[s.leaf] {
		if p == now {
			from = s.uplinks[s.root][i]
		}
	}
	s.root.bridge.changes = append(s.root.bridge.changes, topologyChange{forwards + 3*time.Millisecond, from})
	state := "%%SPANTREE-6-PORT_STATE: Port %s instance 1 moving from %s to %s"
	s.leaf.say(at, fmt.Sprintf(state, shortName(old.name), "forwarding", "blocking"))
	s.leaf.say(at+time.Millisecond, fmt.Sprintf("%%SPANTREE-5-ROOTCHANGE: Root Changed for vlan 1: New Root Port is %s. New Root Mac Address is %s", now.name, ciscoMAC(b.rootMAC)))
	s.leaf.say(learning, fmt.Sprintf(state, shortName(now.name), "blocking", "learning"))
	s.leaf.say(forwards, fmt.Sprintf(state, shortName(now.name), "learning", "forwarding"))
	s.leaf.say(forwards+2*time.Millisecond, "%SPANTREE-5-TOPOTRAP: Topology Change Trap for vlan 1")
	s.root.say(forwards+5*time.Millisecond, "%SPANTREE-5-TOPOTRAP: Topology Change Trap for vlan 1")
}

// strays lets the firewall that took over log the segments of flows that it does not know, at the moments at which
// the sender tries again.
func (s *Story) strays(fw int, from, to time.Duration) {
	wait := 200 * time.Millisecond // TCP's least retransmission time-out on Linux
	for at := from + 20*time.Millisecond; at < to; at += wait {
		s.fws[fw].say(at, fmt.Sprintf("%%FW-6-DROP_PKT: Dropping tcp session %s:%d %s:5201 due to Stray Segment with ip ident 0", s.hostA, 40000+s.IntN(20000), s.hostB))
		wait *= 2
	}
}

// drawBadCable: a receiving port on the path takes frames with a wrong check sequence, in proportion to the traffic
// and in one direction only.
func drawBadCable(s *Story) {
	from := s.begins()
	w := pick(s.draw, forward, forward, reverse)
	list := s.path.cross[s.first][w]
	at := list[pick(s.draw, 0, 2, 4)].port
	ratio := s.real(0.02, 0.05)
	a, b := s.crowd()
	s.users(before, forever, s.first, a, b)
	s.path.losing[w] = losing{at: at, hits: []hit{{at, fcsErrors, 1}, {at, inErrors, 1}}}
	packets := at.rate(inUnicast, from)
	for _, c := range []counter{fcsErrors, inErrors} {
		at.flows = append(at.flows, flow{c, from, forever, packets * ratio})
	}
	s.path.during(from, forever, func(c *condition) {
		c.loss[w] = ratio
		if w == forward {
			c.rate = s.offered * 0.45 // less than what TCP gets by itself at this loss (Mathis), as it can't lose here
		}
	})
	s.blame(at, "bad-cable")
	s.rest(from)
}

// rest ends a story whose trouble goes on until the end, with the distractors somewhere in it.
func (s *Story) rest(from time.Duration) {
	last := from + s.between(9*time.Second, 12*time.Second)
	if s.quick {
		last = from + 4*time.Second
	}
	s.distract(2*time.Second, last)
	s.ends(last)
}

// fastEthernet is what TCP gets of a full 100 Mbit/s link, bit/s of payload: 1448 of 1538 octets on the wire.
const fastEthernet = 94.1e6

// drawSpeedFallback: a gigabit link came up at 100 Mbit/s some time ago, and the probe offers more.
func drawSpeedFallback(s *Story) {
	s.offered = float64(s.number(15, 22)) * 1e7
	s.users(before, forever, s.first, s.real(0.2e6, 1e6), s.real(0.2e6, 1e6))
	list := s.path.cross[s.first][forward]
	p := list[pick(s.draw, 0, 5)].port // to a host: of a link between two devices, both ends would be slow
	p.started.speed = 100e6
	p.started.cost = 200000
	s.path.base.rate = fastEthernet - 1.2e6
	s.blame(p, "speed-fallback")
	s.rest(s.begins())
}

// drawOversubscription: the far host's port is a FastEthernet one, and others begin to send it more than it can.
func drawOversubscription(s *Story) {
	from := s.begins()
	s.steady()
	p := s.farHost
	ratio := s.real(0.02, 0.05)
	gets := s.offered * s.real(0.5, 0.7)
	speed := float64(p.capable)
	others := speed*0.985 - gets*1.065 // the probe's payload with its headers fills the rest
	const frame = 900
	p.flows = append(p.flows, flow{outOctets, from, forever, others / 8}, flow{outUnicast, from, forever, others / 8 / frame},
		flow{outDrops, from, forever, others / 8 / frame * ratio})
	source := s.idle[s.far][2]
	source.flows = append(source.flows, flow{inOctets, from, forever, others / 8 * (1 + ratio)}, flow{inUnicast, from, forever, others / 8 / frame * (1 + ratio)})
	s.path.losing[forward] = losing{at: p, hits: []hit{{p, outDrops, 1}}}
	full := s.between(25*time.Millisecond, 60*time.Millisecond)
	const steps = 10 // the queue fills over a second
	for i := range steps {
		step := full * time.Duration(i+1) / steps
		begin := from + time.Duration(i)*100*time.Millisecond
		end := begin + 100*time.Millisecond
		if i == steps-1 {
			end = forever
		}
		s.path.during(begin, end, func(c *condition) { c.queue[forward], c.rate = step, gets })
	}
	s.path.during(from+time.Second, forever, func(c *condition) { c.loss[forward] = ratio })
	s.blame(p, "oversubscription")
	s.rest(from)
}

// drawPortFlap: a host's port, which spanning tree treats as an edge, loses its carrier a few times.
func drawPortFlap(s *Story) {
	s.steady()
	p := pick(s.draw, s.nearHost, s.farHost)
	d := s.deviceOf(p)
	at := s.begins()
	times := s.number(2, 3)
	if s.quick {
		times = 1
	}
	var last time.Duration
	for range times {
		last = at + s.between(1300*time.Millisecond, 2600*time.Millisecond)
		d.flap(p, at, last)
		s.moment(d, p, timeline.EventOper, "down", at)
		s.moment(d, p, timeline.EventOper, "up", last)
		s.path.darken(forward, at, last)
		s.path.darken(reverse, at, last)
		s.outage(timeline.SeenByHeartbeat, timeline.Both, at, last)
		s.outage(timeline.SeenByTCP, timeline.Forward, at, last)
		at = last + s.between(4*time.Second, 6*time.Second)
	}
	s.blame(p, "port-flap")
	s.distract(2*time.Second, last)
	s.ends(last)
}

// drawDuplexMismatch: the far host is forced to 100 Mbit/s full duplex, so the switch falls to half duplex. What
// both send at once is lost: late collisions here, garbage there.
func drawDuplexMismatch(s *Story) {
	s.steady()
	p, w := s.farHost, forward
	if s.chance(0.4) {
		p, w = s.nearHost, reverse
	}
	p.started.speed, p.started.half, p.started.cost = 100e6, true, 200000
	ratio := s.real(0.02, 0.05)
	// The switch sees late collisions on what it sends; what it receives meanwhile is lost with it.
	s.path.losing[w] = losing{at: p, hits: []hit{{p, lateCollisions, 1}, {p, outErrors, 1}, {p, collisions, 3}, {p, deferred, 2}}}
	s.path.losing[1-w] = losing{at: p, hits: []hit{{p, runts, 1}, {p, inErrors, 1}}}
	s.path.base.loss = [2]float64{ratio, ratio / 2}
	if w == reverse {
		s.path.base.loss = [2]float64{ratio / 2, ratio}
	}
	s.offered = float64(s.number(20, 40)) * 1e6
	s.path.base.rate = s.offered * s.real(0.1, 0.25)
	s.blame(p, "duplex-mismatch")
	s.rest(s.begins())
}

// drawTCPWindow: a long path and a receiver that offers a small window.
func drawTCPWindow(s *Story) {
	s.steady()
	// The round trip stays below the 40 ms for which Linux holds acknowledgements back; see gulp.
	s.path.base.delay = [2]time.Duration{s.between(13*time.Millisecond, 18*time.Millisecond), s.between(13*time.Millisecond, 18*time.Millisecond)}
	s.path.base.window = pick(s.draw, 24, 32, 48) << 10
	s.offered = float64(s.number(30, 60)) * 1e6
	s.Truth.Chain, s.Truth.Verdict, s.Truth.Device = []string{"tcp-window"}, "holds", s.hostBName
	s.rest(s.begins())
}

// drawHostLimit: the program at the far end is busy with something else most of the time.
func drawHostLimit(s *Story) {
	s.steady()
	s.offered = float64(s.number(40, 60)) * 1e6
	s.slow = s.offered * s.real(0.15, 0.3)
	s.Truth.Chain, s.Truth.Verdict, s.Truth.Device = []string{"host-limit"}, "holds", s.hostBName
	s.rest(s.begins())
}

// drawCollectorBlind: a switch stops answering, and then forwards nothing for a while. Nobody else knows why.
func drawCollectorBlind(s *Story) {
	s.steady()
	d := pick(s.draw, s.near, s.far)
	d.blind = s.begins()
	at := d.blind + s.between(3*time.Second, 4500*time.Millisecond)
	if s.quick {
		at = d.blind + 2*time.Second
	}
	dark := s.between(600*time.Millisecond, 1200*time.Millisecond)
	back := dark + s.between(150*time.Millisecond, 400*time.Millisecond)
	s.path.darken(forward, at, at+dark)
	s.path.darken(reverse, at, at+back)
	s.outage(timeline.SeenByHeartbeat, timeline.Forward, at, at+dark)
	s.outage(timeline.SeenByHeartbeat, timeline.Reverse, at, at+back)
	s.path.during(at, at+back, func(c *condition) { c.stalled = at })
	s.outage(timeline.SeenByTCP, timeline.Forward, at, at+back)
	s.Truth.Chain, s.Truth.Verdict, s.Truth.Device = []string{"collector-blind"}, "cannot-tell", d.name
	last := at + 3*time.Second
	if s.quick {
		last = at + back
	}
	s.distract(2*time.Second, last)
	s.ends(last)
}

// drawHealthy: only the distractors happen.
func drawHealthy(s *Story) {
	s.steady()
	s.rest(s.begins())
}
