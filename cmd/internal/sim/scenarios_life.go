package sim

import (
	"fmt"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// lifeTales are about power, units, aggregates and devices as a whole, ceilings of packets, and radio hops.
var lifeTales = []tale{
	{"poe-brownout-overload", scenario{help: "the power over a port is overloaded, and what it feeds boots anew", draw: drawOverload}},
	{"poe-brownout-budget", scenario{help: "the power of a port is cut and refused for want of budget for a while", draw: drawBudget}},
	{"port-flap-powered", scenario{help: "the plug of a powered device is pulled", draw: drawPoweredFlap}},
	{"stack-member-loss-member", scenario{help: "a switch of a stack goes, and with it a port of the path", draw: drawMember}},
	{"quiet-member", scenario{help: "a switch of a stack goes that the path does not use; nothing is wrong", draw: drawOtherMember}},
	{"device-reboot-switch", scenario{help: "a switch of the path starts anew", draw: drawReboot}},
	{"quiet-agent", scenario{help: "the agent of a device begins anew, and nothing else; nothing is wrong", draw: drawAgent}},
	{"port-flap-agent", scenario{help: "an agent begins anew while a port elsewhere on the path flaps", draw: drawAgentAndFlap}},
	{"counters-cleared-port", scenario{help: "somebody clears the counters of a port", draw: drawCleared}},
	{"bad-cable-cleared", scenario{help: "a cable damages frames, and somebody clears the counters", draw: drawClearedCable}},
	{"lag-member-step", scenario{help: "a link falls out of step with its aggregate, and takes flows with it", draw: drawOutOfStep}},
	{"quiet-lag", scenario{help: "a link leaves its aggregate and the other takes its flows; nothing is wrong", draw: drawLeaves}},
	{"packet-rate-limit-firewall", scenario{help: "small packets exhaust a firewall's processor on idle lines", draw: drawPackets}},
	{"packet-rate-limit-below", scenario{help: "a firewall handles many small packets and drops none", draw: drawPacketsBelow}},
	{"wifi-hop-swing", scenario{help: "a radio hop between the devices swings", draw: drawRadio}},
	{"wifi-hop-calm", scenario{help: "a radio hop between the devices is calm", draw: drawCalmRadio}},
}

// boot is how long a small powered device or a switch that starts quickly takes, in a story.
func (s *Story) boot() time.Duration { return s.between(24*time.Second, 30*time.Second) }

// unpowered takes the power of a host's port away for a boot, and returns the device, the port and the moments.
func (s *Story) unpowered() (d *device, p *port, from, to time.Duration) {
	s.steady()
	d, p = s.stackable()
	p.link.powered = true
	from = s.begins()
	to = from + s.boot()
	p.once(poeAbsent, from, 1)
	d.flap(p, from+8*time.Millisecond, to)
	s.gone(from+8*time.Millisecond, to)
	s.blame(p, "poe-brownout")
	s.distract(2*time.Second, to)
	s.ends(to)
	return d, p, from, to
}

func drawOverload(s *Story) {
	d, p, from, _ := s.unpowered()
	fault, text := poeOverload, "Imax"
	if s.chance(0.4) {
		fault, text = poeShort, "short circuit"
	}
	p.once(fault, from, 1)
	d.say(from+2*time.Millisecond, fmt.Sprintf("%%ILPOWER-3-CONTROLLER_PORT_ERR: Controller port error, Interface %s: Power Controller reports power %s error detected", p.ifName(), text))
}

func drawBudget(s *Story) {
	d, p, from, to := s.unpowered()
	for at := from + time.Second; at < to-6*time.Second; at += s.between(3*time.Second, 6*time.Second) {
		p.once(poeDenied, at, 1)
		d.say(at, fmt.Sprintf("%%ILPOWER-5-ILPOWER_POWER_DENY: Interface %s: inline power denied. Reason: insufficient power", p.ifName()))
	}
}

// drawPoweredFlap: the switch counts that the powered device is gone whenever somebody pulls its plug.
func drawPoweredFlap(s *Story) {
	drawPortFlap(s)
	d := s.deviceOfName(s.Truth.Device)
	p := d.portShort(s.Truth.Port)
	if !d.stacked() {
		return // no power there: a plain flap
	}
	p.link.powered = true
	for _, c := range p.changes {
		if c.link && !p.state(c.at).up {
			p.once(poeAbsent, c.at, 1)
			d.say(c.at, fmt.Sprintf("%%ILPOWER-5-IEEE_DISCONNECT: Interface %s: PD removed", p.ifName()))
		}
	}
}

// part takes the second switch of a stack away.
func (d *device) part(from, to time.Duration) {
	d.life.stack = true
	d.life.parted = append(d.life.parted, stretch{from: from, to: to})
	d.say(from+40*time.Millisecond, "%STACKMGR-4-SWITCH_REMOVED: Switch 2 has been REMOVED from the stack")
	if to < forever {
		d.say(to-2*time.Second, "%STACKMGR-4-SWITCH_ADDED: Switch 2 has been ADDED to the stack")
	}
}

func drawMember(s *Story) {
	s.steady()
	d, p := s.stackable()
	p.name = strings.Replace(p.name, "1/0/", "2/0/", 1)
	p.index += 500
	from := s.begins()
	to := from + s.boot()
	d.part(from, to)
	d.flap(p, from, to)
	s.gone(from, to)
	s.blameDevice(d, "stack-member-loss")
	s.distract(2*time.Second, to)
	s.ends(to)
}

func drawOtherMember(s *Story) {
	s.steady()
	from := s.begins()
	s.rest(from)
	d, _ := s.stackable()
	d.part(from, forever)
}

func drawReboot(s *Story) {
	s.steady()
	side := s.IntN(2)
	d, ends := s.near, s.inside
	if side == 1 {
		d, ends = s.far, s.outside
	}
	from := s.begins()
	to := from + s.boot()
	up := to - s.between(2*time.Second, 4*time.Second)
	d.life.gone = append(d.life.gone, stretch{from: from, to: to})
	d.life.boots = append(d.life.boots, up)
	for _, p := range d.ports {
		p.quiet(from, up)
		p.link.zeroes = append(p.link.zeroes, up)
	}
	for i, p := range ends {
		s.fws[i].flap(p, from, up)
	}
	if s.chance(0.5) {
		d.say(up+time.Second, "%SYS-5-RESTART: System restarted --")
	}
	s.gone(from, to+200*time.Millisecond)
	s.blameDevice(d, "device-reboot")
	s.distract(2*time.Second, from-time.Second)
	s.ends(to + 2*time.Second)
}

func drawAgent(s *Story) {
	s.steady()
	from := s.begins()
	s.rest(from)
	d := pick(s.draw, s.near, s.far)
	d.life.boots = append(d.life.boots, from)
}

func drawAgentAndFlap(s *Story) {
	drawPortFlap(s)
	d := s.near
	if s.Truth.Device == d.name {
		d = s.far
	}
	d.life.boots = append(d.life.boots, s.begins())
}

// clears sets a port's counters to zero at a moment.
func (s *Story) clears(p *port, at time.Duration) {
	p.link.zeroes = append(p.link.zeroes, at)
	s.deviceOf(p).say(at-3*time.Millisecond, "%CLEAR-5-COUNTERS: Clear counter on interface "+p.name+" by netops on vty0 ("+s.admin()+")")
}

func drawCleared(s *Story) {
	s.steady()
	_, p := s.receiver(false)
	from := s.begins()
	s.clears(p, from)
	s.blame(p, "counters-cleared")
	s.rest(from)
}

func drawClearedCable(s *Story) {
	drawBadCable(s)
	p := s.deviceOfName(s.Truth.Device).portShort(s.Truth.Port)
	s.clears(p, s.begins()+4*time.Second)
	s.Truth.Also = []string{"counters-cleared"}
}

// bundled makes a host's port a member of an aggregate, together with another one.
func (s *Story) bundled() (*device, *port) {
	p := pick(s.draw, s.nearHost, s.farHost)
	d := s.deviceOf(p)
	group := s.newPort(d, "Port-channel", true, 1, 2*gbit)
	group.index, group.number, group.alias = 5001, 0, "both links of a host"
	group.started.role, group.started.stp = "", ""
	d.ports = append(d.ports, group)
	p.link.group, s.idle[d][2].link.group = group, group
	return d, p
}

// outOfStep suspends a member for a while.
func (d *device) outOfStep(p *port, from, to time.Duration) {
	p.link.outside = append(p.link.outside, stretch{from: from, to: to})
	d.say(from+time.Second, "%EC-5-L3DONTBNDL2: "+p.ifName()+" suspended: LACP currently not enabled on the remote port.")
	d.say(to+time.Second, "%EC-5-BUNDLE: Interface "+p.ifName()+" joined port-channel Po1")
}

func drawOutOfStep(s *Story) {
	s.steady()
	d, p := s.bundled()
	at, last := s.begins(), time.Duration(0)
	for range s.number(1, 2) {
		last = at + s.between(6*time.Second, 9*time.Second)
		d.outOfStep(p, at, last)
		dark := s.between(900*time.Millisecond, 3*time.Second) // LACP with fast time-outs gives up after three seconds
		w := pick(s.draw, forward, reverse)
		s.path.darken(w, at, at+dark)
		s.outage(timeline.SeenByHeartbeat, w.String(), at, at+dark)
		at = last + s.between(4*time.Second, 6*time.Second)
	}
	s.blame(p, "lag-member")
	s.distract(2*time.Second, last)
	s.ends(last)
}

func drawLeaves(s *Story) {
	s.steady()
	d, p := s.bundled()
	from := s.begins()
	d.outOfStep(p, from, from+5*time.Second)
	s.rest(from)
}

// small sends small packets through the first firewall from a moment on, and keeps its processor busy.
func (s *Story) small(from time.Duration, rate, size float64, busy int) {
	i := s.first
	bps := rate * size * 8
	s.fws[i].loads = append(s.fws[i].loads, stretch{from, forever, busy})
	s.uplinks[s.near][i].traffic(from, forever, 0.5e6, bps, size)
	s.inside[i].traffic(from, forever, bps, 0.5e6, size)
	s.outside[i].traffic(from, forever, 0.5e6, bps, size)
	s.uplinks[s.far][i].traffic(from, forever, bps, 0.5e6, size)
}

func drawPackets(s *Story) {
	s.steady()
	from := s.begins()
	rate := s.real(40e3, 120e3)
	s.small(from, rate, s.real(80, 160), s.number(90, 99))
	p, ratio := s.inside[s.first], s.real(0.004, 0.03)
	p.flows = append(p.flows, flow{inDrops, from, forever, rate * ratio})
	s.suffers(from, forward, s.outside[s.first], ratio, hit{p, inDrops, 1})
	s.blame(p, "packet-rate-limit")
	s.rest(from)
}

func drawPacketsBelow(s *Story) {
	s.steady()
	from := s.begins()
	s.small(from, s.real(20e3, 60e3), s.real(80, 160), s.number(50, 88))
	s.rest(from)
}

// drawRadio: rate and delay change by themselves, frame by frame and second by second.
func drawRadio(s *Story) {
	s.steady()
	s.offered = float64(s.number(25, 60)) * 1e6
	sway := s.between(3*time.Millisecond, 9*time.Millisecond)
	last := s.begins() + 24*time.Second
	for at := time.Duration(0); at < last+tail; {
		lasts := s.between(700*time.Millisecond, 2500*time.Millisecond)
		rate, loss, more := s.offered*s.real(0.3, 1), s.real(0, 0.002), s.between(0, 6*time.Millisecond)
		s.path.during(at, at+lasts, func(c *condition) {
			c.rate, c.loss = rate, [2]float64{loss, loss}
			c.sway = [2]time.Duration{sway, sway * 3 / 4}
			c.queue = [2]time.Duration{more, more / 2}
		})
		at += lasts
	}
	s.blamePath("wifi-hop")
	s.distract(2*time.Second, last)
	s.ends(last)
}

func drawCalmRadio(s *Story) {
	s.steady()
	sway := s.between(200*time.Microsecond, 1500*time.Microsecond)
	s.path.during(0, forever, func(c *condition) { c.sway = [2]time.Duration{sway, sway} })
	s.rest(s.begins())
}
