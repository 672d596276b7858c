package sim

import (
	"fmt"
	"time"

	"whydrop/correlate/timeline"
)

// linkTales are about the link at a port: light, contact, copper, the port itself, and guards that shut it.
var linkTales = []tale{
	{"optics-low-power-uplink", scenario{help: "too little light arrives at an uplink, which damages frames", draw: drawDim}},
	{"optics-low-power-fades", scenario{help: "light fades at an uplink until frames are damaged", draw: drawFading}},
	{"bad-cable-bright", scenario{help: "an uplink has enough light and damages frames all the same", draw: drawBrightErrors}},
	{"quiet-reserve", scenario{help: "an uplink has little light in reserve, and damages nothing; nothing is wrong", draw: drawDimClean}},
	{"intermittent-contact-plug", scenario{help: "a plug is loose: errors in clusters, and the carrier goes now and then", draw: drawLoose}},
	{"intermittent-contact-short", scenario{help: "a plug is loose: errors in clusters, and the carrier goes for too short to be seen", draw: drawLooseShort}},
	{"port-flap-dirty", scenario{help: "a cable is pulled and plugged, with a few bad frames each time", draw: drawDirtyFlap}},
	{"bad-port-mac", scenario{help: "a port loses frames inside itself", draw: drawBadPort}},
	{"bad-cable-mac", scenario{help: "a cable damages frames, and the port counts a few losses of its own", draw: drawCableAndPort}},
	{"quiet-mac", scenario{help: "a port lost a few frames inside itself; nothing is wrong", draw: drawFewInternal}},
	{"cable-pair-fault-open", scenario{help: "a link runs at 100 Mbit/s, and a cable test finds a pair broken", draw: drawBrokenPair}},
	{"speed-fallback-tested", scenario{help: "a link runs at 100 Mbit/s, and a cable test finds every pair sound", draw: drawSoundPairs}},
	{"unidirectional-link-udld", scenario{help: "a strand of an uplink dies; UDLD finds it and shuts the port, spanning tree follows", draw: drawOneWay}},
	{"port-flap-udld", scenario{help: "a port of a switch that runs UDLD is pulled", draw: drawUDLDFlap}},
	{"err-disabled-guard", scenario{help: "a guard shuts a port of the path for good", draw: drawGuard}},
	{"err-disabled-recovers", scenario{help: "a guard shuts a port of the path, and the device opens it again", draw: drawGuardRecovers}},
	{"port-flap-shut", scenario{help: "a link flaps until its device shuts the port", draw: drawFlapShut}},
	{"quiet-guard", scenario{help: "a guard shuts a port off the path; nothing is wrong", draw: drawGuardElsewhere}},
}

// damages lets frames arrive damaged at a receiving port for a while: of the probe's traffic and of everybody else's.
func (s *Story) damages(w way, p *port, from, to time.Duration, ratio float64, c counter) {
	s.path.losing[w] = losing{at: p, hits: []hit{{p, c, 1}, {p, inErrors, 1}}}
	packets := p.rate(inUnicast, from)
	for _, x := range []counter{c, inErrors} {
		p.flows = append(p.flows, flow{x, from, to, packets * ratio})
	}
	s.path.during(from, to, func(c *condition) {
		c.loss[w] = ratio
		if w == forward {
			c.rate = min(s.offered, mathis(ratio, c.delay[forward]+c.delay[reverse]))
		}
	})
}

// receiver draws a port that receives frames of the path, and the way they go: of an uplink, or any.
func (s *Story) receiver(uplink bool) (way, *port) {
	w := pick(s.draw, forward, forward, reverse)
	list := s.path.cross[s.first][w]
	if uplink {
		return w, list[4].port // into the second switch
	}
	return w, list[pick(s.draw, 0, 2, 4)].port
}

// lit gives a switch's uplinks modules.
func (s *Story) lit() {
	for _, d := range []*device{s.near, s.far} {
		for _, p := range s.uplinks[d] {
			p.link.optic = &optic{rx: s.real(-8, -4), tx: s.real(-6, -3), rxWarn: -14.1, rxAlarm: -17.1, txWarn: -8.5, txAlarm: -9.5}
		}
	}
}

func drawDim(s *Story) {
	s.steady()
	s.lit()
	w, p := s.receiver(true)
	p.link.optic.rx = s.real(-21, -14.6)
	from := s.begins()
	s.damages(w, p, from, forever, s.real(0.004, 0.05), fcsErrors)
	s.blame(p, "optics-low-power")
	s.rest(from)
}

// drawFading lasts long enough for a table that is read once a minute to show it.
func drawFading(s *Story) {
	s.steady()
	s.lit()
	w, p := s.receiver(true)
	o, from := p.link.optic, s.begins()+10*time.Second
	for i := range 4 {
		o.fades = append(o.fades, fade{from + time.Duration(i)*4*time.Second, s.real(2.8, 3.6)})
	}
	s.damages(w, p, from+12*time.Second, forever, s.real(0.01, 0.05), fcsErrors)
	s.blame(p, "optics-low-power")
	last := from + 100*time.Second
	s.distract(2*time.Second, last)
	s.ends(last)
}

func drawBrightErrors(s *Story) {
	s.steady()
	s.lit()
	w, p := s.receiver(true)
	p.link.optic.rx = s.real(-13.8, -5)
	from := s.begins()
	s.damages(w, p, from, forever, s.real(0.004, 0.05), fcsErrors)
	s.blame(p, "bad-cable")
	s.rest(from)
}

func drawDimClean(s *Story) {
	s.steady()
	s.lit()
	_, p := s.receiver(true)
	p.link.optic.rx = s.real(-16, -14.3)
	s.rest(s.begins())
}

// loose lets a contact come and go: clusters of bad frames, in some of which the carrier goes for a while.
func (s *Story) loose(gone func() time.Duration) {
	s.steady()
	w, p := forward, s.nearHost // from a host, whose port spanning tree leaves alone
	if s.chance(0.5) {
		w, p = reverse, s.farHost
	}
	d := s.deviceOf(p)
	at, last := s.begins(), time.Duration(0)
	for i := range s.number(3, 5) {
		lasts := s.between(600*time.Millisecond, 1800*time.Millisecond)
		s.damages(w, p, at, at+lasts, s.real(0.1, 0.4), fcsErrors)
		last = at + lasts
		if down := gone(); i%2 == 1 {
			if down >= time.Second {
				d.flap(p, last, last+down)
				s.path.darken(forward, last, last+down)
				s.path.darken(reverse, last, last+down)
				s.outage(timeline.SeenByHeartbeat, timeline.Both, last, last+down)
				last += down
			} else {
				p.once(carrier, last, 2)
			}
		}
		at = last + s.between(3500*time.Millisecond, 6*time.Second)
	}
	s.blame(p, "intermittent-contact")
	s.distract(2*time.Second, last)
	s.ends(last)
}

func drawLoose(s *Story) {
	s.loose(func() time.Duration { return s.between(1200*time.Millisecond, 2500*time.Millisecond) })
}

func drawLooseShort(s *Story) {
	s.loose(func() time.Duration { return 0 })
}

// drawDirtyFlap: what a port counts as it is plugged is no sign of a loose contact.
func drawDirtyFlap(s *Story) {
	drawPortFlap(s)
	p := s.deviceOfName(s.Truth.Device).portShort(s.Truth.Port)
	for _, c := range p.changes {
		if c.link {
			p.once(fcsErrors, c.at+5*time.Millisecond, float64(s.number(1, 4)))
		}
	}
}

func (s *Story) deviceOfName(name string) *device {
	for _, d := range s.devices() {
		if d.name == name {
			return d
		}
	}
	return nil
}

// portShort returns the device's port of that ifName; nil if there is none.
func (d *device) portShort(name string) *port {
	for _, p := range d.ports {
		if p.ifName() == name {
			return p
		}
	}
	return nil
}

func drawBadPort(s *Story) {
	s.steady()
	w, p := s.receiver(false)
	from := s.begins()
	s.damages(w, p, from, forever, s.real(0.004, 0.05), macIn)
	s.blame(p, "bad-port")
	s.rest(from)
}

func drawCableAndPort(s *Story) {
	s.steady()
	w, p := s.receiver(false)
	from := s.begins()
	s.damages(w, p, from, forever, s.real(0.01, 0.05), fcsErrors)
	p.flows = append(p.flows, flow{macIn, from, forever, s.real(0.3, 1.5)})
	s.blame(p, "bad-cable")
	s.rest(from)
}

func drawFewInternal(s *Story) {
	s.steady()
	_, p := s.receiver(false)
	p.once(macIn, s.begins(), float64(s.number(1, 4)))
	s.rest(s.begins())
}

// tested lets a port run at 100 Mbit/s, and somebody test its cable: what was sound before is as status says.
func (s *Story) tested(status [4]int) *port {
	s.offered = float64(s.number(15, 22)) * 1e7
	s.users(before, forever, s.first, s.real(0.2e6, 1e6), s.real(0.2e6, 1e6))
	p := s.farHost
	if s.chance(0.5) {
		p = s.nearHost
	}
	p.started.speed, p.started.cost = 100e6, 200000
	s.path.base.rate = fastEthernet - 1.2e6
	length := s.number(20, 80)
	before := cableTest{at: -time.Hour, status: [4]int{pairSound, pairSound, pairSound, pairSound}, metres: [4]int{length, length, length, length}}
	after := cableTest{at: s.begins(), status: status, metres: before.metres}
	for i, x := range status {
		if x != pairSound {
			after.metres[i] = s.number(2, length-1)
		}
	}
	p.link.tested = []cableTest{before, after}
	last := after.at + 85*time.Second // a table that is read once a minute
	s.distract(2*time.Second, last)
	s.ends(last)
	return p
}

func drawBrokenPair(s *Story) {
	status := [4]int{pairSound, pairSound, pairSound, pairSound}
	status[2+s.IntN(2)] = pick(s.draw, pairOpen, pairShort)
	s.blame(s.tested(status), "cable-pair-fault")
}

func drawSoundPairs(s *Story) {
	s.blame(s.tested([4]int{pairSound, pairSound, pairSound, pairSound}), "speed-fallback")
}

// drawOneWay: frames towards the leaf die on one strand of its root port. It is up and sends until UDLD shuts it.
func drawOneWay(s *Story) {
	p, w := s.uplinks[s.leaf][s.first], forward
	if s.leaf == s.near {
		w = reverse
	}
	for _, q := range s.uplinks[s.leaf] {
		q.link.udld = true
	}
	from := s.begins() + s.between(time.Second, 3*time.Second)
	found := from + s.between(7*time.Second, 12*time.Second)
	a, b := s.crowd()
	s.users(before, from, s.first, a, b)
	p.traffic(from, found, a, b, 640)
	p.mute(from, forever)
	s.path.darken(w, from, found)
	s.outage(timeline.SeenByHeartbeat, w.String(), from, found)
	p.link.oneWay = []stretch{{from: found, to: forever}}
	s.leaf.say(found, fmt.Sprintf("%%UDLD-4-UDLD_PORT_DISABLED: UDLD disabled interface %s, unidirectional link detected", p.ifName()))
	s.leaf.shutBy(p, causeUDLD, found+2*time.Millisecond, forever)
	last := s.move(found+5*time.Millisecond, 1-s.first)
	s.users(found, forever, 1-s.first, a, b)
	s.blame(p, "unidirectional-link")
	s.distract(2*time.Second, last)
	s.ends(last)
}

func drawUDLDFlap(s *Story) {
	for _, d := range []*device{s.near, s.far} {
		for _, q := range s.uplinks[d] {
			q.link.udld = true
		}
	}
	drawPortFlap(s)
}

// shutHost draws the port of a host, and the guard that shuts it.
func (s *Story) shutHost() (*device, *port, int) {
	p := pick(s.draw, s.nearHost, s.farHost)
	return s.deviceOf(p), p, pick(s.draw, causeBPDUGuard, causeSecurity, causeInspection)
}

// gone darkens the path both ways, for a flow too.
func (s *Story) gone(from, to time.Duration) {
	s.path.darken(forward, from, to)
	s.path.darken(reverse, from, to)
	s.outage(timeline.SeenByHeartbeat, timeline.Both, from, to)
	s.outage(timeline.SeenByTCP, timeline.Forward, from, to)
}

func drawGuard(s *Story) {
	s.steady()
	d, p, cause := s.shutHost()
	from := s.begins()
	if cause == causeBPDUGuard {
		d.say(from-2*time.Millisecond, "%SPANTREE-2-BLOCK_BPDUGUARD: Received BPDU on port "+p.ifName()+" with BPDU Guard enabled. Disabling port.")
	}
	d.shutBy(p, cause, from, forever)
	last := from + s.between(12*time.Second, 16*time.Second)
	s.gone(from, last+time.Hour)
	s.blame(p, "err-disabled")
	s.distract(2*time.Second, last)
	s.ends(last)
}

func drawGuardRecovers(s *Story) {
	s.steady()
	d, p, cause := s.shutHost()
	from := s.begins()
	to := from + 30*time.Second // the shortest time after which IOS tries again
	d.shutBy(p, cause, from, to)
	s.gone(from, to+100*time.Millisecond)
	s.blame(p, "err-disabled")
	s.distract(2*time.Second, to)
	s.ends(to + 2*time.Second)
}

func drawFlapShut(s *Story) {
	s.steady()
	p := pick(s.draw, s.nearHost, s.farHost)
	d := s.deviceOf(p)
	at := s.begins()
	for range s.number(3, 4) {
		up := at + s.between(1100*time.Millisecond, 1500*time.Millisecond)
		d.flap(p, at, up)
		s.gone(at, up)
		at = up + s.between(2500*time.Millisecond, 3500*time.Millisecond)
	}
	d.shutBy(p, causeLinkFlap, at, forever)
	last := at + 8*time.Second
	s.gone(at, last+time.Hour)
	s.blame(p, "port-flap")
	s.distract(2*time.Second, last)
	s.ends(last)
}

func drawGuardElsewhere(s *Story) {
	s.steady()
	from := s.begins()
	s.rest(from)
	d := pick(s.draw, s.near, s.far)
	p := s.idle[d][2]
	d.off = append(d.off, p)
	d.shutBy(p, pick(s.draw, causeBPDUGuard, causeSecurity), from, forever)
}
