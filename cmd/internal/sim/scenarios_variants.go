package sim

import (
	"time"

	"whydrop/correlate/timeline"
)

// variantTales are other ways in which causes show that have a story already.
var variantTales = []tale{
	{"duplex-mismatch-told", scenario{help: "a duplex mismatch that the switch itself tells of", draw: drawMismatchTold}},
	{"oversubscription-shaped", scenario{help: "a port that is nearly idle holds the path to a rate below its speed, and drops the rest", draw: drawShapedPort}},
	{"flow-control-full", scenario{help: "a port has no room and asks its neighbour to wait", draw: drawPauseOut}},
	{"tcp-window-plain", scenario{help: "an old end without window scaling, on a long path", draw: drawWindowPlain}},
	{"input-queue-overrun-punted", scenario{help: "a firewall's input queue drops what is for its processor", draw: drawPunted}},
	{"bad-cable-sweep", scenario{help: "a bad cable; somebody tries several rates", draw: drawCableSweep}},
	{"oversubscription-sweep", scenario{help: "a slow port is offered more than it carries; somebody tries several rates", draw: drawLineSweep, egress: catalyst2960}},
	{"silent-drop-sweep", scenario{help: "something that is not watched loses packets at every rate", draw: drawSilentSweep}},
	{"firewall-failover-alone", scenario{help: "a firewall takes over by itself and does not know the connections", draw: drawFailover}},
	{"firewall-failover-synchronised", scenario{help: "a firewall takes over by itself and knows the connections", draw: drawFailoverKnown}},
	{"counters-wrap", scenario{help: "a counter of 32 bits wraps once", draw: drawWrap, live: true}},
}

func drawMismatchTold(s *Story) {
	drawFullEnd(s)
	d := s.deviceOf(s.farHost)
	for at := s.between(500*time.Millisecond, 2*time.Second); at < s.Length; at += s.between(6*time.Second, 9*time.Second) {
		d.say(at, "%CDP-4-DUPLEX_MISMATCH: duplex mismatch discovered on "+s.farHost.name+" (not half duplex), with "+s.hostBName+" eth0 (half duplex).")
	}
}

func drawShapedPort(s *Story) {
	s.steady()
	from := s.begins()
	p := s.path.cross[s.first][forward][3].port
	gets, ratio := s.offered*s.real(0.3, 0.7), s.real(0.01, 0.03)
	s.drops(p, from, ratio)
	s.suffers(from, forward, p, ratio/3, hit{p, outDrops, 1})
	queue := s.between(20*time.Millisecond, 80*time.Millisecond)
	s.path.during(from, forever, func(c *condition) { c.rate, c.cut[forward], c.queue[forward] = gets, ratio, queue })
	s.blame(p, "oversubscription")
	s.rest(from)
}

func drawPauseOut(s *Story) {
	s.steady()
	from := s.begins()
	p := s.path.cross[s.first][forward][pick(s.draw, 0, 4)].port // where the data come in
	p.flows = append(p.flows, flow{outPause, from, forever, s.real(50, 900)})
	gets, queue := s.offered*s.real(0.3, 0.75), s.between(3*time.Millisecond, 20*time.Millisecond)
	s.path.during(from, forever, func(c *condition) { c.rate, c.queue[forward] = gets, queue })
	s.blame(p, "flow-control")
	s.rest(from)
}

func drawWindowPlain(s *Story) {
	s.steady()
	s.path.base.delay = [2]time.Duration{s.between(13*time.Millisecond, 18*time.Millisecond), s.between(13*time.Millisecond, 18*time.Millisecond)}
	s.path.base.window = 65535
	s.offered = float64(s.number(30, 60)) * 1e6
	from := s.begins()
	s.blameHost(s.hostBName, "tcp-window")
	last := s.tries(from+4*time.Second, trial{proto: "tcp", way: forward, streams: 1}, trial{proto: "tcp", way: forward, streams: 4})
	s.distract(2*time.Second, from+9*time.Second)
	s.ends(last)
}

func drawPunted(s *Story) {
	s.steady()
	from := s.begins()
	w := pick(s.draw, forward, reverse)
	p := s.path.cross[s.first][w][2].port
	ratio := s.real(0.005, 0.03)
	lost := p.rate(inUnicast, from) * ratio
	p.flows = append(p.flows, flow{inDrops, from, forever, lost}, flow{throttles, from, forever, 1})
	d := s.deviceOf(p)
	d.loads = append(d.loads, stretch{from, forever, s.number(60, 80)})
	s.suffers(from, w, p, ratio, hit{p, inDrops, 1})
	s.blame(p, "input-queue-overrun")
	s.rest(from)
}

func drawCableSweep(s *Story) {
	drawBadCable(s)
	rate := s.real(5e6, 15e6)
	s.ends(s.tries(s.Length-tail, sweep(forward, true, "", rate, rate*2, rate*4)...))
}

func drawLineSweep(s *Story) {
	s.alone()
	from := s.begins()
	s.path.base.limit[forward], s.path.base.holds = 98e6, s.between(5*time.Millisecond, 15*time.Millisecond)
	last := s.tries(from, sweep(forward, true, "", s.real(30e6, 60e6), s.real(120e6, 150e6), s.real(180e6, 250e6))...)
	s.blamePath("oversubscription")
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawSilentSweep(s *Story) {
	drawSilentLoss(s)
	rate := s.real(5e6, 15e6)
	s.ends(s.tries(s.Length-tail, sweep(pick(s.draw, forward, reverse), true, "", rate, rate*2, rate*4)...))
}

// takeover lets the other firewall become active, with nothing said by spanning tree: the switches learn the addresses
// anew from its announcement. Established flows stall for a while.
func (s *Story) takeover(at, dark, stall time.Duration) time.Duration {
	to := 1 - s.first
	p := s.uplinks[s.leaf][to] // a standby forwards nothing, so spanning tree need not block it
	p.started.role, p.started.stp = "designated", "forwarding"
	s.fws[to].say(at+dark/2, "%ASA-1-104001: (Secondary) Switching to ACTIVE - Other unit wants me Active")
	s.fws[s.first].say(at+10*time.Millisecond, "%ASA-1-104002: (Primary) Switching to STANDBY - Interface check failure")
	s.path.during(at+dark, forever, func(c *condition) { c.active = to })
	s.path.darken(forward, at, at+dark)
	s.path.darken(reverse, at, at+dark)
	s.outage(timeline.SeenByHeartbeat, timeline.Both, at, at+dark)
	last := at + dark
	if stall > dark {
		s.path.during(at, at+stall, func(c *condition) { c.stalled = at })
		last = at + stall
	}
	s.outage(timeline.SeenByTCP, timeline.Forward, at, last)
	a, b := s.crowd()
	s.users(before, at, s.first, a, b)
	s.users(at+dark, forever, to, a, b)
	return last
}

func drawFailover(s *Story) {
	from := s.begins()
	last := s.takeover(from, s.between(300*time.Millisecond, 1200*time.Millisecond), s.between(2500*time.Millisecond, 6*time.Second))
	s.blameFirewall()
	s.distract(2*time.Second, last+2*time.Second)
	s.ends(last + 2*time.Second)
}

func drawFailoverKnown(s *Story) {
	from := s.begins()
	last := s.takeover(from, s.between(600*time.Millisecond, 1200*time.Millisecond), 0)
	s.blameFirewall()
	s.distract(2*time.Second, last+2*time.Second)
	s.ends(last + 4*time.Second)
}

// blameFirewall names the firewall that gave up: it spoke first.
func (s *Story) blameFirewall() { s.blameDevice(s.fws[s.first], "firewall-failover") }

// drawWrap lets the 32-bit counter of octets wrap while it is watched; the 64-bit one does not.
func drawWrap(s *Story) {
	s.steady()
	p := s.path.cross[s.first][forward][1].port
	p.base[outOctets] = p.base[outOctets]&^(1<<32-1) | (1<<32 - 1 - s.Uint64N(20e6))
	s.rest(s.begins())
}
