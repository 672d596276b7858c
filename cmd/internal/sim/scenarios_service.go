package sim

import (
	"time"

	"whydrop/correlate/timeline"
)

// serviceTales are about what only some traffic feels: filters, limits of echoes, names, tables of sessions and addresses, ways
// that differ by direction, and programs.
var serviceTales = []tale{
	{"acl-block-service", scenario{help: "a new filter refuses connections, and heartbeats pass", draw: drawFilter, egress: arista7124}},
	{"acl-block-silent", scenario{help: "something that is not watched refuses echoes, and everything else passes", draw: drawFilterUnseen}},
	{"acl-block-others", scenario{help: "a filter refuses what is meant to be refused, and nothing of the path", draw: drawFilterOthers, egress: arista7124}},
	{"icmp-rate-limited-echo", scenario{help: "the far end's router answers only some echoes", draw: drawLimited}},
	{"icmp-rate-limited-loss", scenario{help: "echoes are lost as everything else is", draw: drawLossAll}},
	{"name-or-lease-resolver", scenario{help: "the resolver leaves queries unanswered, packets pass", draw: drawResolver}},
	{"name-or-lease-loss", scenario{help: "queries are lost as everything else is", draw: drawQueriesLost}},
	{"session-table-full-scan", scenario{help: "a scan fills the firewall's table: new connections fail, what is established goes on", draw: drawTableFull}},
	{"session-table-full-room", scenario{help: "a firewall holds many sessions, and has room for more", draw: drawTableRoom}},
	{"asymmetric-routing-pair", scenario{help: "the way back leads through the other firewall, which drops what it does not know", draw: drawAsymmetric}},
	{"asymmetric-routing-harmless", scenario{help: "the way back leads through the other router, and none of them keeps a state", draw: drawAsymmetricHarmless}},
	{"fdb-full-flood", scenario{help: "invented addresses fill a switch's table, and it floods", draw: drawTableFlood}},
	{"fdb-full-harmless", scenario{help: "a switch has no room for a few addresses, and nobody feels it", draw: drawTableHarmless}},
	{"application-limit-copy", scenario{help: "a copy is slow where a plain test is not", draw: drawCopy}},
	{"application-limit-feed", scenario{help: "the sending program feeds TCP little at a time", draw: drawFeed}},
	{"application-limit-none", scenario{help: "a copy is as fast as a plain test", draw: drawCopyFine}},
}

// refuses loses every heartbeat of a kind from one moment to another.
func (s *Story) refuses(k kind, from, to time.Duration, share float64) {
	s.kinds = append(s.kinds, k)
	s.path.during(from, to, func(c *condition) { c.kindLoss[k] = share })
}

func drawFilter(s *Story) {
	s.steady()
	from := s.begins()
	s.refuses(connects, from, forever, 1)
	s.farHost.flows = append(s.farHost.flows, flow{aclDrops, before, from, s.real(0, 0.3)})
	p := s.uplinks[s.far][s.first]
	p.flows = append(p.flows, flow{aclDrops, from, forever, float64(time.Second/kindTime) * s.real(1, 3)})
	s.blame(p, "acl-block")
	s.rest(from)
}

func drawFilterUnseen(s *Story) {
	s.steady()
	from := s.begins()
	s.refuses(echoes, from, forever, 1)
	s.kinds = append(s.kinds, connects)
	s.blamePath("acl-block")
	s.rest(from)
}

func drawFilterOthers(s *Story) {
	s.steady()
	s.kinds = []kind{connects, echoes}
	p := s.uplinks[s.far][s.first]
	p.flows = append(p.flows, flow{aclDrops, before, forever, s.real(1, 200)})
	s.rest(s.begins())
}

func drawLimited(s *Story) {
	s.steady()
	s.refuses(echoes, before, forever, s.real(0.05, 0.9))
	s.blamePath("icmp-rate-limited")
	s.rest(s.begins())
}

func drawLossAll(s *Story) {
	drawSilentLoss(s)
	s.kinds = []kind{echoes}
}

func drawQueriesLost(s *Story) {
	drawSilentLoss(s)
	s.kinds = []kind{queries}
}

func drawResolver(s *Story) {
	s.steady()
	from := s.begins()
	s.refuses(queries, from, from+s.between(6*time.Second, 10*time.Second), s.real(0.1, 1))
	s.blamePath("name-or-lease")
	s.rest(from)
}

// stateful makes the two firewalls those that tell their sessions.
func (s *Story) stateful(sessions, limit int) {
	for _, f := range s.fws {
		f.model = pa850
		f.control.sessions, f.control.limit = sessions, limit
	}
}

func drawTableFull(s *Story) {
	s.steady()
	from := s.begins()
	to := from + s.between(8*time.Second, 14*time.Second)
	limit := pick(s.draw, 65536, 131072, 192000)
	s.stateful(limit*s.number(10, 50)/100, limit)
	f := s.fws[s.first]
	f.control.crowds = []stretch{{from, to, s.number(97, 100)}}
	s.refuses(connects, from, to, s.real(0.2, 0.9))
	s.blameDevice(f, "session-table-full")
	s.distract(2*time.Second, to)
	s.ends(to)
}

func drawTableRoom(s *Story) {
	s.steady()
	limit := pick(s.draw, 65536, 131072, 192000)
	s.stateful(limit*s.number(30, 99)/100, limit)
	s.kinds = []kind{connects}
	s.rest(s.begins())
}

// asymmetric sends everything back through the other firewall.
func (s *Story) asymmetric() {
	s.path.cross[s.first][reverse] = s.path.cross[1-s.first][reverse]
	a, b := s.crowd()
	s.users(before, forever, s.first, a, 0)
	s.users(before, forever, 1-s.first, 0, b)
}

func drawAsymmetric(s *Story) {
	s.asymmetric()
	at := s.begins()
	var last time.Duration
	for range s.number(1, 3) {
		stands := at
		last = at + s.between(3*time.Second, 9*time.Second)
		s.path.during(at, last, func(c *condition) { c.stalled = stands })
		s.outage(timeline.SeenByTCP, timeline.Forward, at, last)
		s.strays(1-s.first, at, last)
		at = last + s.between(4*time.Second, 6*time.Second)
	}
	s.blameDevice(s.fws[1-s.first], "asymmetric-routing")
	s.distract(2*time.Second, last)
	s.ends(last)
}

func drawAsymmetricHarmless(s *Story) {
	s.asymmetric()
	s.rest(s.begins())
}

func drawTableFlood(s *Story) {
	s.steady()
	from := s.begins()
	d := pick(s.draw, s.near, s.far)
	d.control.crowded = []stretch{{from, forever, s.number(5, 400)}}
	loss := s.real(0.01, 0.06)
	for _, p := range s.idle[d] {
		d.off = append(d.off, p)
		p.flows = append(p.flows, flow{outOctets, from, forever, s.offered / 8 * 1.06}, flow{outUnicast, from, forever, s.offered / 8 / segmentSize})
	}
	s.path.during(from, forever, func(c *condition) {
		c.loss[forward] = loss
		c.rate = mathis(loss, c.delay[forward]+c.delay[reverse])
	})
	s.blameDevice(d, "fdb-full")
	s.ends(from + 12*time.Second)
}

func drawTableHarmless(s *Story) {
	s.steady()
	from := s.begins()
	pick(s.draw, s.near, s.far).control.crowded = []stretch{{from, from + 3*time.Second, s.number(1, 40)}}
	s.rest(from)
}

// copies are a transfer of a program and plain tests before and after it.
func copies(program string, most float64) []trial {
	return []trial{
		{proto: "tcp", way: forward, note: "memory to memory"},
		{proto: "tcp", way: forward, note: program, switched: func(c *condition) { c.perFlow = most }},
		{proto: "tcp", way: forward, note: "memory to memory, again"},
	}
}

func drawCopy(s *Story) {
	s.steady()
	from := s.begins()
	last := s.tries(from, copies(pick(s.draw, "scp of a large file", "backup over smb", "rsync over ssh", "sftp upload"), s.line()*s.real(0.03, 0.5))...)
	s.blamePath("application-limit")
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawCopyFine(s *Story) {
	s.steady()
	from := s.begins()
	last := s.tries(from, copies("scp of a large file", s.line()*s.real(0.85, 2))...)
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawFeed(s *Story) {
	s.steady()
	from := s.begins()
	feeds := s.offered * s.real(0.1, 0.7)
	s.path.during(from, forever, func(c *condition) { c.feeds = feeds })
	s.blamePath("application-limit")
	s.rest(from)
}
