package sim

import (
	"time"

	"whydrop/correlate/timeline"
)

// hostTales are about what the hosts at the ends make themselves.
var hostTales = []tale{
	{"tester-artefact-asleep", scenario{help: "the probing host does not get to run for moments", draw: drawAsleep}},
	{"tester-artefact-card", scenario{help: "the probing host's card has no room for what comes back", draw: drawCard}},
	{"tester-artefact-queue", scenario{help: "the probing host's own queue drops what is to be sent", draw: drawOwnQueue}},
	{"tester-artefact-busy", scenario{help: "the probing host is busy, but in time", draw: drawBusyTester}},
	{"receiver-socket-buffer-local", scenario{help: "the probing host's sockets have no room for what comes back", draw: drawSocketLocal}},
	{"receiver-socket-buffer-far", scenario{help: "the far end's socket has no room for what it gets", draw: drawSocketFar}},
	{"receiver-socket-buffer-room", scenario{help: "the far end's socket has room", draw: drawSocketFine}},
	{"tcp-window-enough", scenario{help: "a long path, and a window that is large enough", draw: drawWindowEnough, live: false}},
	{"host-limit-enough", scenario{help: "the far end's program is busy, but quick enough", draw: drawHostEnough}},
}

func drawAsleep(s *Story) {
	s.steady()
	at := s.begins()
	var last time.Duration
	for range s.number(2, 3) {
		first := at
		last = first + s.between(150*time.Millisecond, 600*time.Millisecond)
		gap := last - first
		s.path.darken(forward, first, last)
		s.path.darken(reverse, first, last)
		s.path.during(first-time.Second, last+time.Second, func(c *condition) { c.host.gap, c.host.busy = gap, 0.99 })
		s.outage(timeline.SeenByHeartbeat, timeline.Both, first, last)
		at = last + s.between(3*time.Second, 5*time.Second)
	}
	s.blameHost(timeline.LocalHost, "tester-artefact")
	s.distract(2*time.Second, last)
	s.ends(last)
}

// loses makes a direction lose for a while what no port of the path saw: a host did it.
func (s *Story) loses(w way, from, to time.Duration, ratio float64) {
	s.path.losing[w] = losing{}
	if w == forward {
		s.path.losing[w].at = s.nearHost
	}
	s.path.during(from, to, func(c *condition) { c.loss[w] = ratio })
}

func drawCard(s *Story) {
	s.steady()
	from := s.begins()
	to, ratio := from+s.between(3*time.Second, 6*time.Second), s.real(0.05, 0.2)
	s.loses(reverse, from, to, ratio)
	lost := s.real(60, 400)
	s.path.during(from, to+time.Second, func(c *condition) { c.host.nicDrops, c.host.softirq = lost, 0.95 })
	s.blameHost(timeline.LocalHost, "tester-artefact")
	s.rest(from)
}

func drawOwnQueue(s *Story) {
	s.steady()
	from := s.begins()
	to, ratio := from+s.between(3*time.Second, 6*time.Second), s.real(0.05, 0.2)
	s.loses(forward, from, to, ratio)
	lost := s.real(60, 400)
	s.path.during(from, to+time.Second, func(c *condition) { c.host.ownDrops = lost })
	s.blameHost(timeline.LocalHost, "tester-artefact")
	s.rest(from)
}

func drawBusyTester(s *Story) {
	s.steady()
	from := s.begins()
	gap, busy := s.between(2*time.Millisecond, 20*time.Millisecond), s.real(0.5, 0.8)
	s.path.during(from, forever, func(c *condition) { c.host.gap, c.host.busy = gap, busy })
	s.rest(from)
}

func drawSocketLocal(s *Story) {
	s.steady()
	from := s.begins()
	to, ratio := from+s.between(3*time.Second, 6*time.Second), s.real(0.05, 0.2)
	s.loses(reverse, from, to, ratio)
	lost := s.real(20, 200)
	s.path.during(from, to+time.Second, func(c *condition) { c.host.udpDrops = lost })
	s.blameHost(timeline.LocalHost, "receiver-socket-buffer")
	s.rest(from)
}

func drawSocketFar(s *Story) {
	s.steady()
	from := s.begins()
	to, ratio := from+s.between(4*time.Second, 7*time.Second), s.real(0.05, 0.2)
	s.loses(forward, from, to, ratio)
	s.path.losing[forward].at = nil // all ports saw it pass
	lost := s.real(20, 200)
	s.path.during(from, to+time.Second, func(c *condition) { c.farDrops = lost })
	s.blameHost(s.hostBName, "receiver-socket-buffer")
	s.rest(from)
}

func drawSocketFine(s *Story) {
	s.steady()
	from := s.begins()
	last := s.tries(from, sweep(forward, true, "", s.real(20e6, 40e6), s.real(50e6, 90e6))...)
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawWindowEnough(s *Story) {
	s.steady()
	s.path.base.delay = [2]time.Duration{s.between(13*time.Millisecond, 18*time.Millisecond), s.between(13*time.Millisecond, 18*time.Millisecond)}
	s.path.base.window = pick(s.draw, 512, 768, 1024) << 10
	s.offered = float64(s.number(30, 60)) * 1e6
	s.rest(s.begins())
}

func drawHostEnough(s *Story) {
	s.steady()
	s.slow = s.offered * s.real(1.5, 3)
	s.rest(s.begins())
}
