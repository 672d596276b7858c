package sim

import (
	"time"
)

// queueTales are about queues and limits of rate: what waits, what is dropped for want of room, and what looks like it.
var queueTales = []tale{
	{"microburst-uplink", scenario{help: "short bursts overflow the queue of an uplink that is hardly loaded", draw: drawMicroburst}},
	{"microburst-host", scenario{help: "short bursts overflow the queue towards the far end's host", draw: drawMicroburstHost}},
	{"microburst-few", scenario{help: "a port drops a frame now and then, of hundreds of thousands", draw: drawFewDrops, live: true}},
	{"oversubscription-uplink", scenario{help: "others fill an uplink until the path loses", draw: drawFullUplink, live: true}},
	{"oversubscription-busy", scenario{help: "an uplink is busy, but drops nothing", draw: drawBusyUplink, live: true}},
	{"link-saturated-line", scenario{help: "the probe offers more than a sound 100 Mbit/s line carries", draw: drawSaturated, egress: catalyst2960}},
	{"link-saturated-enough", scenario{help: "the probe offers somewhat less than a 100 Mbit/s line carries", draw: drawNotSaturated, egress: catalyst2960}},
	{"policer-sweep", scenario{help: "a policer between the devices; somebody tries several rates", draw: drawPolicer}},
	{"policer-counted", scenario{help: "a policer on a port of the path that counts what it discards", draw: drawPolicerCounted}},
	{"policer-unreached", scenario{help: "a policer far above what anybody sends", draw: drawPolicerUnreached}},
	{"shaper-sweep", scenario{help: "a shaper between the devices; somebody tries several rates", draw: drawShaper}},
	{"shaper-unreached", scenario{help: "a shaper far above what anybody sends", draw: drawShaperUnreached}},
	{"shallow-buffer-step", scenario{help: "bursts from a gigabit port do not fit into the buffer of a 100 Mbit/s one, which does not count", draw: drawShallowBuffer, egress: catalyst2960}},
	{"shallow-buffer-enough", scenario{help: "bursts from a gigabit port fit into the buffer of a 100 Mbit/s one", draw: drawDeepBuffer, egress: catalyst2960}},
	{"sender-burst-tools", scenario{help: "a program sends its datagrams in batches that a short queue cuts, another paces", draw: drawSenderBurst}},
	{"sender-burst-none", scenario{help: "two programs lose nothing", draw: drawSenderFine}},
	{"flow-control-slow", scenario{help: "a port is held up by pause frames of its neighbour", draw: drawPause}},
	{"flow-control-few", scenario{help: "a link exchanges a few pause frames as it comes up", draw: drawFewPauses}},
	{"input-queue-overrun-router", scenario{help: "a firewall has no room for what arrives", draw: drawOverrun}},
	{"input-queue-overrun-few", scenario{help: "a firewall ignored a few frames", draw: drawFewOverruns}},
	{"qos-queue-class", scenario{help: "the queue of a class drops although its port is not full", draw: drawQueueOfClass}},
	{"qos-queue-fine", scenario{help: "the queues of classes drop nothing", draw: drawClassesFine}},
}

// drops lets a port drop a share of what others send out of it, from a moment on.
func (s *Story) drops(p *port, from time.Duration, ratio float64) {
	p.flows = append(p.flows, flow{outDrops, from, forever, p.rate(outUnicast, from) * ratio})
}

// burstsAt lets a port drop a share of what is sent in bursts: of everybody's, of the probe's flow, and hardly of
// single datagrams.
func (s *Story) burstsAt(p *port, w way, ratio float64) {
	from := s.begins()
	s.drops(p, from, ratio)
	s.path.losing[w] = losing{at: p, hits: []hit{{p, outDrops, 1}}}
	s.path.during(from, forever, func(c *condition) { c.loss[w], c.cut[w] = ratio/4, ratio })
	s.rest(from)
}

func drawMicroburst(s *Story) {
	s.users(before, forever, s.first, s.real(30e6, 200e6), s.real(20e6, 100e6))
	p := pick(s.draw, s.path.cross[s.first][forward][1], s.path.cross[s.first][forward][3]).port
	s.blame(p, "microburst")
	s.burstsAt(p, forward, s.real(1e-3, 5e-3))
}

func drawMicroburstHost(s *Story) {
	s.steady()
	s.farHost.traffic(before, forever, s.real(1e6, 5e6), s.real(10e6, 20e6), 700)
	s.blame(s.farHost, "microburst")
	s.burstsAt(s.farHost, forward, s.real(1e-3, 5e-3))
}

// drawFewDrops stays below one frame in 100 000, of which TCP feels nothing.
func drawFewDrops(s *Story) {
	s.users(before, forever, s.first, s.real(30e6, 200e6), s.real(20e6, 100e6))
	from := s.begins()
	s.drops(s.path.cross[s.first][forward][1].port, from, s.real(1e-6, 6e-6))
	s.rest(from)
}

func drawFullUplink(s *Story) {
	from := s.begins()
	w := pick(s.draw, forward, reverse)
	p := s.path.cross[s.first][w][1].port
	ratio, full := s.real(0.01, 0.03), s.real(0.93, 0.975)*float64(gbit)
	a, b := s.crowd()
	s.users(before, from, s.first, a, b)
	if w == forward {
		s.users(from, forever, s.first, full, b)
	} else {
		s.users(from, forever, s.first, a, full)
	}
	s.drops(p, from, ratio)
	s.suffers(from, w, p, ratio, hit{p, outDrops, 1})
	queue := s.between(2*time.Millisecond, 12*time.Millisecond)
	s.path.during(from, forever, func(c *condition) {
		c.queue[w] = queue
		if w == forward {
			c.rate = s.offered * 0.6
		}
	})
	s.blame(p, "oversubscription")
	s.rest(from)
}

func drawBusyUplink(s *Story) {
	s.users(before, forever, s.first, s.real(0.3, 0.75)*float64(gbit), s.real(0.1, 0.5)*float64(gbit))
	s.rest(s.begins())
}

// alone lets next to nobody else use the far host's port.
func (s *Story) alone() {
	s.steady()
	var flows []flow
	for _, f := range s.farHost.flows {
		if f.counter == inMulticast || f.counter == outMulticast {
			flows = append(flows, f)
		}
	}
	s.farHost.flows = flows
	s.farHost.traffic(before, forever, 50e3, 50e3, 300)
}

func drawSaturated(s *Story) {
	s.alone()
	s.offered = s.real(110, 180) * 1e6
	s.path.base.rate = fastEthernet - 0.4e6
	s.blamePath("link-saturated")
	s.rest(s.begins())
}

func drawNotSaturated(s *Story) {
	s.alone()
	s.offered = s.real(40, 75) * 1e6
	s.rest(s.begins())
}

// limited sets a limit of rate between the devices, of which no port tells.
func (s *Story) limited(from time.Duration, w way, limit float64, holds time.Duration) {
	s.path.during(from, forever, func(c *condition) {
		c.limit[w], c.holds = limit, holds
		if w != forward || limit >= s.offered {
			return
		}
		if c.rate = limit * 0.93; holds > 0 {
			c.queue[w] = holds * 8 / 10
		} else {
			c.cut[w] = 0.02
		}
	})
}

func drawPolicer(s *Story) {
	s.steady()
	from, limit := s.begins(), s.offered*s.real(0.3, 0.7)
	s.limited(from, forward, limit, 0)
	last := s.tries(from+8*time.Second, sweep(forward, true, "", limit*s.real(0.5, 0.8), limit*s.real(1.2, 1.6), limit*s.real(2, 3))...)
	s.blamePath("policer")
	s.distract(2*time.Second, from+9*time.Second)
	s.ends(last)
}

// drawPolicerCounted: the port that polices tells of it.
func drawPolicerCounted(s *Story) {
	s.steady()
	p := s.path.cross[s.first][forward][3].port // going out of the firewall, towards the provider
	from, limit := s.begins(), s.offered*s.real(0.3, 0.7)
	s.limited(from, forward, limit, 0)
	d := s.deviceOf(p)
	d.policies = append(d.policies, p)
	s.path.losing[forward] = losing{at: p, hits: []hit{{p, policed, 1}}}
	s.blame(p, "policer")
	s.rest(from)
}

func drawPolicerUnreached(s *Story) {
	s.steady()
	from, limit := s.begins(), s.offered*s.real(3, 5)
	s.limited(from, forward, limit, 0)
	last := s.tries(from+3*time.Second, sweep(forward, true, "", limit*0.2, limit*0.4, limit*0.7)...)
	s.distract(2*time.Second, from+6*time.Second)
	s.ends(last)
}

func drawShaper(s *Story) {
	s.steady()
	from, limit := s.begins(), s.offered*s.real(0.3, 0.7)
	s.limited(from, forward, limit, s.between(40*time.Millisecond, 250*time.Millisecond))
	last := s.tries(from+8*time.Second, append(sweep(forward, true, "", limit*s.real(0.5, 0.8), limit*s.real(1.2, 1.6), limit*s.real(2, 3)),
		trial{proto: "tcp", way: forward})...)
	s.blamePath("shaper")
	s.distract(2*time.Second, from+9*time.Second)
	s.ends(last)
}

func drawShaperUnreached(s *Story) {
	s.steady()
	from, limit := s.begins(), s.offered*s.real(3, 5)
	s.limited(from, forward, limit, 60*time.Millisecond)
	last := s.tries(from+3*time.Second, sweep(forward, true, "", limit*0.2, limit*0.4, limit*0.7)...)
	s.distract(2*time.Second, from+6*time.Second)
	s.ends(last)
}

func drawShallowBuffer(s *Story) {
	s.alone()
	from := s.begins()
	ratio := s.real(0.02, 0.2)
	s.path.base.burst[forward] = ratio
	rates := []float64{s.real(5e6, 9e6), s.real(12e6, 20e6), s.real(22e6, 30e6)}
	list := append(sweep(forward, false, "", rates...), sweep(reverse, false, "", rates...)...)
	last := s.tries(from, append(list, trial{proto: "udp", way: forward, offered: rates[1], paced: true})...)
	s.blamePath("shallow-buffer")
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawDeepBuffer(s *Story) {
	s.alone()
	from := s.begins()
	s.path.base.burst[forward] = s.real(0, 0.0006)
	rates := []float64{s.real(5e6, 9e6), s.real(12e6, 20e6), s.real(22e6, 30e6)}
	last := s.tries(from, append(sweep(forward, false, "", rates...), sweep(reverse, false, "", rates...)...)...)
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawSenderBurst(s *Story) {
	s.steady()
	from := s.begins()
	s.path.base.burst[forward] = s.real(0.03, 0.3)
	rate := s.real(30e6, 90e6)
	last := s.tries(from,
		trial{proto: "udp", way: forward, offered: rate, note: "iperf3 3.1"}, trial{proto: "udp", way: forward, offered: rate, paced: true, note: "iperf2"},
		trial{proto: "udp", way: forward, offered: rate, note: "iperf3 3.1"}, trial{proto: "udp", way: forward, offered: rate, paced: true, note: "iperf2"})
	s.blamePath("sender-burst")
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawSenderFine(s *Story) {
	s.steady()
	from := s.begins()
	s.path.base.burst[forward] = s.real(0, 0.0005)
	rate := s.real(30e6, 90e6)
	last := s.tries(from, trial{proto: "udp", way: forward, offered: rate, note: "iperf3 3.1"}, trial{proto: "udp", way: forward, offered: rate, paced: true, note: "iperf2"})
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawPause(s *Story) {
	s.steady()
	from := s.begins()
	p := pick(s.draw, s.farHost, s.path.cross[s.first][forward][1].port)
	p.flows = append(p.flows, flow{inPause, from, forever, s.real(50, 900)})
	gets, queue := s.offered*s.real(0.3, 0.75), s.between(3*time.Millisecond, 20*time.Millisecond)
	s.path.during(from, forever, func(c *condition) { c.rate, c.queue[forward] = gets, queue })
	s.blame(p, "flow-control")
	s.rest(from)
}

func drawFewPauses(s *Story) {
	s.steady()
	from := s.begins()
	s.farHost.flows = append(s.farHost.flows, flow{inPause, from, from + time.Second, s.real(1, 6)})
	s.rest(from)
}

func drawOverrun(s *Story) {
	s.steady()
	from := s.begins()
	w := pick(s.draw, forward, reverse)
	p := s.path.cross[s.first][w][2].port
	ratio := s.real(0.005, 0.04)
	a, b := pick(s.draw, ignored, overrun), s.real(0.2, 0.8)
	lost := p.rate(inUnicast, from) * ratio
	p.flows = append(p.flows, flow{inErrors, from, forever, lost}, flow{a, from, forever, lost}, flow{noBuffer, from, forever, lost * b})
	if s.chance(0.5) {
		p.flows = append(p.flows, flow{throttles, from, forever, 0.5})
	}
	s.suffers(from, w, p, ratio, hit{p, inErrors, 1}, hit{p, a, 1})
	s.blame(p, "input-queue-overrun")
	s.rest(from)
}

func drawFewOverruns(s *Story) {
	s.steady()
	from := s.begins()
	p := s.path.cross[s.first][forward][2].port
	p.flows = append(p.flows, flow{ignored, from, from + 2*time.Second, s.real(1, 8)})
	s.rest(from)
}

func drawQueueOfClass(s *Story) {
	s.steady()
	from := s.begins()
	p := s.path.cross[s.first][forward][3].port
	d := s.deviceOf(p)
	d.policies = append(d.policies, p)
	ratio := s.real(0.004, 0.02)
	p.flows = append(p.flows, flow{classDrops, from, forever, p.rate(outUnicast, from) * ratio})
	s.suffers(from, forward, p, ratio, hit{p, classDrops, 1})
	s.blame(p, "qos-queue")
	s.rest(from)
}

func drawClassesFine(s *Story) {
	s.steady()
	p := s.path.cross[s.first][forward][3].port
	d := s.deviceOf(p)
	d.policies = append(d.policies, p)
	s.rest(s.begins())
}
