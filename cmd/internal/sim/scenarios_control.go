package sim

import (
	"fmt"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// controlTales are about who forwards and where addresses are: gateways, moves of addresses, loops, guards and topology
// changes of spanning tree, two owners of one address, and routes.
var controlTales = []tale{
	{"gateway-failover-hold", scenario{help: "the active router of a gateway's group falls silent, and the other takes over when its hold time is over", draw: drawGateway}},
	{"gateway-failover-flap", scenario{help: "a router's link to the switch fails, and the other router takes the gateway over", draw: drawGatewayFlap}},
	{"gateway-failover-planned", scenario{help: "somebody hands the gateway to the other router, and nothing is lost", draw: drawGatewayPlanned}},
	{"mac-move-machine", scenario{help: "a virtual machine at the far end moves to another port, and announces itself late", draw: drawMachineMoves}},
	{"mac-move-roaming", scenario{help: "a station roams between two ports, and the path feels nothing", draw: drawRoaming}},
	{"l2-loop-patch", scenario{help: "somebody joins two ports with a patch lead: addresses flap and broadcasts go round", draw: drawLoop}},
	{"l2-loop-none", scenario{help: "many stations roam at a change of shift, while broadcasts are as usual", draw: drawShift}},
	{"arp-conflict-copy", scenario{help: "a copied machine answers for the far end's address", draw: drawConflict}},
	{"arp-conflict-elsewhere", scenario{help: "two printers use one address; the path has nothing to do with it", draw: drawConflictElsewhere}},
	{"stp-guard-block-root", scenario{help: "root guard blocks a port of the path until a foreign bridge is quiet", draw: drawTreeGuard}},
	{"stp-guard-block-edge", scenario{help: "loop guard blocks a port that carries nothing of the path", draw: drawTreeGuardEdge}},
	{"topology-change-storm-edge", scenario{help: "an access port that is no edge comes and goes, and everybody forgets addresses each time", draw: drawStorm}},
	{"topology-change-storm-chance", scenario{help: "spanning tree is busy elsewhere while something unknown goes dark once", draw: drawStormChance}},
	{"routing-change-neighbour", scenario{help: "a routing neighbour's dead timer ends, and packets take a longer way", draw: drawRoute}},
	{"gateway-failover-chance", scenario{help: "a gateway goes to and fro for nothing, while something unknown goes dark at times of its own", draw: byChance(chanceGateway)}},
	{"mac-move-chance", scenario{help: "stations roam, while something unknown goes dark at times of its own", draw: byChance(chanceRoaming)}},
	{"arp-conflict-chance", scenario{help: "two printers use one address, while something unknown goes dark at times of its own", draw: byChance(chanceConflict)}},
	{"routing-change-chance", scenario{help: "a routing neighbour comes and goes, while something unknown goes dark at times of its own", draw: byChance(chanceRoute)}},
	{"routing-change-harmless", scenario{help: "a routing neighbour goes and comes, and its routes were not used", draw: drawRouteHarmless}},
}

// dark darkens both ways for a while, as heartbeats and an established flow see it.
func (s *Story) dark(from, to time.Duration) {
	s.path.darken(forward, from, to)
	s.path.darken(reverse, from, to)
	s.outage(timeline.SeenByHeartbeat, timeline.Both, from, to)
	s.outage(timeline.SeenByTCP, timeline.Forward, from, to)
}

// takesOver lets the other router become active at a moment; the first one says so at another.
func (s *Story) takesOver(gives, takes time.Duration, word string) {
	old, now := s.fws[s.first], s.fws[1-s.first]
	group, a := s.number(1, 90), pick(s.draw, 0, 1)
	name := pick(s.draw, "HSRP-5-STATECHANGE", "VRRP-6-STATECHANGE")
	states := [4]string{"Active", "Init", "Standby", "Active"}
	if name[0] == 'V' {
		states = [4]string{"Master", "Init", "Backup", "Master"}
	}
	if word != "" {
		states[1] = word
	}
	say := func(d *device, at time.Duration, from, to string) {
		d.say(at, fmt.Sprintf("%%%s: %s Grp %d state %s -> %s", name, shortName(d.on[a].name), group, from, to))
	}
	say(old, gives, states[0], states[1])
	say(now, takes, states[2], states[3])
	s.path.during(takes, forever, func(c *condition) { c.active = 1 - s.first })
}

func drawGateway(s *Story) {
	at := s.begins()
	hold := pick(s.draw, s.between(3*time.Second, 3700*time.Millisecond), s.between(7*time.Second, 10*time.Second))
	back := at + hold + s.between(20*time.Millisecond, 200*time.Millisecond)
	a, b := s.crowd()
	s.users(before, at, s.first, a, b)
	s.users(back, forever, 1-s.first, a, b)
	s.dark(at, back)
	s.takesOver(at+s.between(10*time.Millisecond, hold/2), at+hold, "")
	s.blameDevice(s.fws[s.first], "gateway-failover")
	s.distract(2*time.Second, back)
	s.ends(back + 4*time.Second)
}

func drawGatewayFlap(s *Story) {
	at := s.begins()
	hold := s.between(3*time.Second, 3700*time.Millisecond)
	a, b := s.crowd()
	s.users(before, at, s.first, a, b)
	s.users(at+hold, forever, 1-s.first, a, b)
	p := s.uplinks[s.near][s.first]
	s.near.flap(p, at, at+20*time.Second)
	s.fws[s.first].flap(s.inside[s.first], at, at+20*time.Second)
	s.moment(s.near, p, timeline.EventOper, "down", at)
	s.dark(at, at+hold)
	s.takesOver(at+s.between(10*time.Millisecond, 300*time.Millisecond), at+hold, "")
	s.blame(p, "port-flap", "gateway-failover")
	s.distract(2*time.Second, at+hold)
	s.ends(at + 21*time.Second)
}

func drawGatewayPlanned(s *Story) {
	at := s.begins()
	a, b := s.crowd()
	s.users(before, at, s.first, a, b)
	s.users(at, forever, 1-s.first, a, b)
	s.takesOver(at+5*time.Millisecond, at, "Speak")
	s.fws[s.first].say(at-2*time.Second, fmt.Sprintf("%%SYS-5-CONFIG_I: Configured from console by netops on vty0 (%s)", s.admin()))
	s.rest(at)
}

// station is the address of some station, not of a device.
func (s *Story) station() [6]byte {
	return [6]byte{0x00, 0x50, 0x56, byte(s.IntN(256)), byte(s.IntN(256)), byte(s.IntN(256))}
}

func drawMachineMoves(s *Story) {
	s.steady()
	at := s.begins()
	late := s.between(900*time.Millisecond, 4*time.Second)
	s.path.darken(forward, at, at+late)
	s.outage(timeline.SeenByHeartbeat, timeline.Forward, at, at+late)
	s.outage(timeline.SeenByTCP, timeline.Forward, at, at+late)
	s.far.control.moves = []addressMove{{at + late, s.station(), s.idle[s.far][1], s.farHost}}
	s.blameDevice(s.far, "mac-move")
	s.rest(at + late)
}

func drawRoaming(s *Story) {
	s.steady()
	at := s.begins()
	mac := s.station()
	for i := range s.number(1, 4) {
		from, to := s.idle[s.near][i%2], s.idle[s.near][1-i%2]
		s.near.control.moves = append(s.near.control.moves, addressMove{at + time.Duration(i)*2500*time.Millisecond, mac, from, to})
	}
	s.rest(at)
}

// macFlap logs that an address is seen on two ports.
func (d *device) macFlap(at time.Duration, mac [6]byte, a, b *port) {
	d.say(at, fmt.Sprintf("%%SW_MATM-4-MACFLAP_NOTIF: Host %s in vlan 10 is flapping between port %s and port %s", ciscoMAC(mac), shortName(a.name), shortName(b.name)))
}

func drawLoop(s *Story) {
	s.steady()
	from := s.begins()
	to := from + s.between(8*time.Second, 14*time.Second)
	d := pick(s.draw, s.near, s.far)
	a, b := s.uplinks[d][s.first], s.idle[d][2]
	rate, loss := s.real(8000, 60000), s.real(0.08, 0.6)
	for _, p := range []*port{a, b} {
		p.flows = append(p.flows, flow{inBroadcast, from, to, rate}, flow{inOctets, from, to, rate * 84}, flow{outBroadcast, from, to, rate}, flow{outOctets, from, to, rate * 84})
	}
	for at := from + s.between(100*time.Millisecond, 900*time.Millisecond); at < to; at += s.between(150*time.Millisecond, 700*time.Millisecond) {
		d.macFlap(at, s.station(), a, b)
	}
	if s.chance(0.6) {
		d.say(from+s.between(300*time.Millisecond, time.Second), fmt.Sprintf("%%STORM_CONTROL-3-FILTERED: A Broadcast storm detected on %s. A packet filter action has been applied on the interface.", shortName(a.name)))
	}
	d.loads = append(d.loads, stretch{from, to, s.number(70, 99)})
	s.path.during(from, to, func(c *condition) {
		c.loss = [2]float64{loss, loss}
		c.rate = mathis(loss, c.delay[forward]+c.delay[reverse])
	})
	s.blameDevice(d, "l2-loop")
	s.distract(2*time.Second, to)
	s.ends(to)
}

func drawShift(s *Story) {
	s.steady()
	from := s.begins()
	for at := from; at < from+8*time.Second; at += s.between(300*time.Millisecond, 1200*time.Millisecond) {
		s.near.macFlap(at, s.station(), s.idle[s.near][0], s.idle[s.near][1])
	}
	s.rest(from)
}

func drawConflict(s *Story) {
	s.steady()
	at := s.begins()
	d := s.fws[s.first]
	mac := s.station()
	var last time.Duration
	for range s.number(2, 3) {
		last = at + s.between(1200*time.Millisecond, 4*time.Second)
		s.path.darken(forward, at, last)
		s.outage(timeline.SeenByHeartbeat, timeline.Forward, at, last)
		s.outage(timeline.SeenByTCP, timeline.Forward, at, last)
		d.say(at+s.between(5*time.Millisecond, 400*time.Millisecond), fmt.Sprintf("%%IP-4-DUPADDR: Duplicate address %s on %s, sourced by %s", s.hostB, s.outside[s.first].name, ciscoMAC(mac)))
		at = last + s.between(4*time.Second, 7*time.Second)
	}
	s.blameDevice(d, "arp-conflict")
	s.distract(2*time.Second, last)
	s.ends(last)
}

func drawConflictElsewhere(s *Story) {
	s.steady()
	at := s.begins()
	d := pick(s.draw, s.fws[0], s.fws[1])
	for i := range s.number(1, 5) {
		d.say(at+time.Duration(i)*1700*time.Millisecond, fmt.Sprintf("%%IP-4-DUPADDR: Duplicate address 172.20.%d.%d on %s, sourced by %s", s.number(1, 200), s.number(2, 250), d.on[0].name, ciscoMAC(s.station())))
	}
	s.rest(at)
}

func drawTreeGuard(s *Story) {
	s.steady()
	at := s.begins()
	back := at + s.between(4*time.Second, 16*time.Second)
	p := s.uplinks[s.root][s.first]
	vlan := pick(s.draw, "VLAN0001", "MST0")
	s.root.say(at+3*time.Millisecond, fmt.Sprintf("%%SPANTREE-2-ROOTGUARD_BLOCK: Root guard blocking port %s on %s.", p.name, vlan))
	s.root.say(back, fmt.Sprintf("%%SPANTREE-2-ROOTGUARD_UNBLOCK: Root guard unblocking port %s on %s.", p.name, vlan))
	p.change(at, func(x *portState) { x.stp = "blocking" })
	p.change(back, func(x *portState) { x.stp = "forwarding" })
	s.dark(at, back+s.between(5*time.Millisecond, 60*time.Millisecond))
	s.blame(p, "stp-guard-block")
	s.distract(2*time.Second, back)
	s.ends(back)
}

func drawTreeGuardEdge(s *Story) {
	s.steady()
	at := s.begins()
	d := pick(s.draw, s.near, s.far)
	d.say(at, fmt.Sprintf("%%SPANTREE-2-LOOPGUARD_BLOCK: Loop guard blocking port %s on VLAN0001.", s.idle[d][2].name))
	s.rest(at)
}

func drawStorm(s *Story) {
	s.steady()
	at := s.begins()
	d := pick(s.draw, s.near, s.far)
	p := s.idle[d][2]
	d.off = append(d.off, p)
	other := s.near
	if d == s.near {
		other = s.far
	}
	var last time.Duration
	for range s.number(5, 8) {
		up := at + s.between(500*time.Millisecond, 1200*time.Millisecond)
		d.flap(p, at, up)
		d.bridge.changes = append(d.bridge.changes, topologyChange{up, p})
		other.bridge.changes = append(other.bridge.changes, topologyChange{up + 3*time.Millisecond, s.uplinks[other][s.first]})
		for _, x := range []*device{d, other} {
			x.say(up+5*time.Millisecond, "%SPANTREE-5-TOPOTRAP: Topology Change Trap for vlan 1")
		}
		last = up + s.between(120*time.Millisecond, 450*time.Millisecond)
		s.path.darken(forward, up, last)
		s.outage(timeline.SeenByHeartbeat, timeline.Forward, up, last)
		at = last + s.between(2500*time.Millisecond, 5*time.Second)
	}
	s.blame(p, "topology-change-storm")
	s.ends(last)
}

func drawStormChance(s *Story) {
	s.steady()
	at := s.begins()
	for _, d := range []*device{s.near, s.far} {
		for x := s.between(0, 4*time.Second); x < at+14*time.Second; x += s.between(4*time.Second, 9*time.Second) {
			d.bridge.changes = append(d.bridge.changes, topologyChange{x, s.idle[d][2]})
			d.say(x+4*time.Millisecond, "%SPANTREE-5-TOPOTRAP: Topology Change Trap for vlan 1")
		}
		slices.SortStableFunc(d.bridge.changes, func(a, b topologyChange) int { return int(a.at - b.at) })
	}
	s.dark(at, at+s.between(400*time.Millisecond, 900*time.Millisecond))
	s.blamePath("silent-drop")
	s.rest(at)
}

func drawRoute(s *Story) {
	s.steady()
	at := s.begins()
	d := s.fws[s.first]
	dark := s.between(700*time.Millisecond, 5*time.Second)
	longer := s.between(4*time.Millisecond, 14*time.Millisecond)
	nbr, p := fmt.Sprintf("10.%d.0.%d", s.number(1, 250), s.number(1, 250)), shortName(s.outside[s.first].name)
	told := at + dark - s.between(50*time.Millisecond, 500*time.Millisecond)
	if s.chance(0.5) {
		d.say(told, fmt.Sprintf("%%OSPF-5-ADJCHG: Process 1, Nbr %s on %s from FULL to DOWN, Neighbor Down: Dead timer expired", nbr, p))
	} else {
		d.say(told, fmt.Sprintf("%%BGP-5-ADJCHANGE: neighbor %s Down BGP Notification sent", nbr))
	}
	s.dark(at, at+dark)
	s.path.during(at+dark, forever, func(c *condition) { c.delay[forward] += longer })
	s.blameDevice(d, "routing-change")
	s.rest(at + dark)
}

func drawRouteHarmless(s *Story) {
	s.steady()
	at := s.begins()
	d := pick(s.draw, s.fws[0], s.fws[1])
	nbr := fmt.Sprintf("10.%d.0.%d", s.number(1, 250), s.number(1, 250))
	for range s.number(1, 3) {
		d.say(at, fmt.Sprintf("%%BGP-5-ADJCHANGE: neighbor %s Down Peer closed the session", nbr))
		at += s.between(time.Second, 3*time.Second)
		d.say(at, fmt.Sprintf("%%BGP-5-ADJCHANGE: neighbor %s Up", nbr))
		at += s.between(time.Second, 3*time.Second)
	}
	s.rest(at)
}

// byChance returns a story in which something unknown goes dark a few times, and something else happens meanwhile.
func byChance(meanwhile func(s *Story, at time.Duration)) func(*Story) {
	return func(s *Story) {
		s.steady()
		at := s.begins()
		for range s.number(3, 5) {
			end := at + s.between(400*time.Millisecond, 1500*time.Millisecond)
			s.dark(at, end)
			at = end + s.between(6*time.Second, 9*time.Second)
		}
		s.blamePath("silent-drop")
		s.ends(at)
		for range s.number(1, 3) {
			meanwhile(s, s.between(3*time.Second, at))
		}
	}
}

func chanceGateway(s *Story, at time.Duration) {
	d := s.fws[1-s.first]
	d.say(at, fmt.Sprintf("%%HSRP-5-STATECHANGE: %s Grp 7 state Standby -> Active", shortName(d.on[0].name)))
	d.say(at+400*time.Millisecond, fmt.Sprintf("%%HSRP-5-STATECHANGE: %s Grp 7 state Active -> Speak", shortName(d.on[0].name)))
}

func chanceRoaming(s *Story, at time.Duration) {
	s.near.control.moves = append(s.near.control.moves, addressMove{at, s.station(), s.idle[s.near][0], s.idle[s.near][1]})
	slices.SortFunc(s.near.control.moves, func(a, b addressMove) int { return int(a.at - b.at) })
}

func chanceConflict(s *Story, at time.Duration) {
	d := s.fws[s.first]
	d.say(at, fmt.Sprintf("%%IP-4-DUPADDR: Duplicate address 172.20.9.9 on %s, sourced by 0011.85aa.0102", d.on[0].name))
}

func chanceRoute(s *Story, at time.Duration) {
	d := s.fws[s.first]
	d.say(at, "%BGP-5-ADJCHANGE: neighbor 10.9.9.9 Down Peer closed the session")
	d.say(at+s.between(200*time.Millisecond, 900*time.Millisecond), "%BGP-5-ADJCHANGE: neighbor 10.9.9.9 Up")
}
