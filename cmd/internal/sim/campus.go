package sim

import (
	"fmt"
	"slices"
	"time"
)

// campus is a drawn site:
//
//	hostA -- near == firewall 0 == far -- hostB
//	              == firewall 1 ==
//
// One of the two switches is the spanning tree's root; the other, the leaf, keeps its port to one firewall blocked.
type campus struct {
	draw
	site      string
	near, far *device    // the switches at the probing host and at the far end
	fws       [2]*device // the firewalls
	first     int        // the firewall that forwards at the beginning
	root      *device    // near or far
	leaf      *device    // the other
	nearHost  *port      // to the probing host
	farHost   *port      // to the far end
	uplinks   map[*device][2]*port
	inside    [2]*port // of each firewall, towards near
	outside   [2]*port // towards far
	idle      map[*device][]*port
	hostA     string // addresses in the devices' own words
	hostB     string
	hostBName string
	path      path
}

var (
	siteNames   = []string{"north-campus", "harbour-office", "lakeside", "plant-2", "old-mill", "hospital-west", "library", "town-hall", "depot", "institute"}
	switchNames = []string{"sw-%s-acc", "acc-%s", "dist-%s", "%s-sw1", "edge-%s", "sw%s"}
	places      = []string{"b2", "east", "hall", "lab", "attic", "g01", "annex", "yard", "k3", "west", "f1", "tower"}
	fwNames     = [][2]string{{"fw1", "fw2"}, {"fw-a", "fw-b"}, {"gate-left", "gate-right"}, {"wall-1", "wall-2"}, {"cerberus", "hydra"}}
	hostNames   = []string{"files", "backup", "media", "render", "mirror", "vault"}
	portAliases = []string{"printer room", "desk 14", "AP corridor", "desk 3", "camera gate", "meeting room", "lab bench", "phone hall"}
)

// newCampus draws a site. egress is the model of the far switch; nil lets chance decide.
func newCampus(d draw, egress *model) *campus {
	c := &campus{draw: d, site: pick(d, siteNames...), uplinks: map[*device][2]*port{}, idle: map[*device][]*port{}}
	where := d.Perm(len(places))
	style := d.Perm(len(switchNames))
	// One switch offers only the algorithms of a Catalyst 2960, the other does not.
	models := [2]*model{pick(d, catalyst2960X, catalyst9200), catalyst2960G}
	if egress != nil {
		models[1] = egress
	} else if d.chance(0.5) {
		models[0], models[1] = models[1], models[0]
	}
	c.near, c.nearHost = c.newSwitch(fmt.Sprintf(switchNames[style[0]], places[where[0]]), models[0])
	c.far, c.farHost = c.newSwitch(fmt.Sprintf(switchNames[style[1]], places[where[1]]), models[1])
	names := pick(d, fwNames...)
	for i := range c.fws {
		c.fws[i] = c.newFirewall(i, names[i])
		c.fws[i].peer = names[1-i]
	}
	c.first = d.IntN(2)
	c.root, c.leaf = c.near, c.far
	if d.chance(0.4) {
		c.root, c.leaf = c.far, c.near
	}
	net := d.number(16, 30)
	c.hostA, c.hostB = fmt.Sprintf("172.%d.4.%d", net, d.number(10, 99)), fmt.Sprintf("172.%d.8.%d", net, d.number(10, 99))
	c.hostBName = pick(d, hostNames...)
	c.describe()
	c.wire()
	c.tree()
	c.access()
	c.history()
	return c
}

func (c *campus) newDevice(name, role string, m *model) *device {
	return &device{
		name: name, role: role, model: m, cpu: c.number(3, 17), first: c.number(40, 900),
		uptime: c.between(70*time.Hour, 9000*time.Hour) + time.Duration(c.IntN(1000))*time.Millisecond,
		offset: c.between(-40*time.Second, 40*time.Second), mark: pick(c.draw, "", "", "*", "."), serial: c.chance(0.3),
		community: c.word(10), login: "netops", password: c.word(12),
	}
}

// gbit is the speed of a gigabit port, in bit/s.
const gbit = uint64(1e9)

// newSwitch draws a switch with two uplinks, a port for the host, which it returns, and three other access ports.
func (c *campus) newSwitch(name string, m *model) (*device, *port) {
	d := c.newDevice(name, "switch", m)
	mac := c.mac()
	d.bridge = &bridge{mac: mac, count: uint32(c.number(3, 90)), since: c.between(3*time.Hour, 60*time.Hour)}
	numbers := c.Perm(20)
	slices.Sort(numbers[:4])
	for _, n := range numbers[:4] {
		if m.fast > 0 {
			d.ports = append(d.ports, c.newPort(d, m.fastName, false, n+1, 100e6))
		} else {
			d.ports = append(d.ports, c.newPort(d, m.gigabit, true, n+1, gbit))
		}
	}
	up := []int{23, 24}
	if m.fast > 0 {
		up = []int{1, 2}
	}
	d.ports = append(d.ports, c.newPort(d, m.gigabit, true, up[0], gbit), c.newPort(d, m.gigabit, true, up[1], gbit))
	order := c.Perm(4)
	c.idle[d] = []*port{d.ports[order[1]], d.ports[order[2]], d.ports[order[3]]}
	host := d.ports[order[0]]
	pair := [2]*port{d.ports[4], d.ports[5]}
	if c.chance(0.5) {
		pair[0], pair[1] = pair[1], pair[0]
	}
	c.uplinks[d] = pair
	d.on = []*port{host, pair[0], pair[1]}
	return d, host
}

// newFirewall draws a firewall; the second speaks SNMP v3.
func (c *campus) newFirewall(i int, name string) *device {
	d := c.newDevice(name, "firewall", isr2911)
	if i == 1 {
		d.community, d.user, d.authPass, d.privPass = "", "watcher", c.word(12), c.word(12)
	}
	for n := range 3 {
		d.ports = append(d.ports, c.newPort(d, isr2911.gigabit, true, n, gbit))
	}
	c.inside[i], c.outside[i] = d.ports[0], d.ports[1]
	d.ports[2].alias, d.ports[2].started.up = "management", true
	d.on = []*port{c.inside[i], c.outside[i]}
	return d
}

func (c *campus) newPort(d *device, prefix string, gigabit bool, n int, speed uint64) *port {
	p := &port{
		name: fmt.Sprintf("%s%d", prefix, n), index: d.model.index(gigabit, n), capable: speed,
		started: portState{up: true, speed: speed}, changed: -c.between(2*time.Hour, 60*time.Hour), mac: c.mac(),
	}
	p.mac[5] = byte(n)
	if d.role == "switch" {
		p.number = n
		if gigabit {
			p.number += d.model.fast
		}
		p.started.role, p.started.stp, p.started.cost = "designated", "forwarding", 20000*uint32(gbit/speed)
	}
	c.totals(p)
	return p
}

// totals draws what the port has counted in its life: old errors too, which must not be blamed.
func (c *campus) totals(p *port) {
	for _, x := range []counter{inUnicast, outUnicast} {
		p.base[x] = c.Uint64N(4e9) + 1e6
	}
	p.base[inOctets] = p.base[inUnicast] * uint64(c.number(200, 900))
	p.base[outOctets] = p.base[outUnicast] * uint64(c.number(200, 900))
	for _, x := range []counter{inMulticast, outMulticast, inBroadcast, outBroadcast} {
		p.base[x] = c.Uint64N(5e6)
	}
	p.base[resets] = c.Uint64N(9)
	p.base[outDrops], p.base[inDrops] = c.Uint64N(20000), c.Uint64N(50)
	if c.chance(0.6) {
		p.base[fcsErrors], p.base[runts] = 1+c.Uint64N(4000), c.Uint64N(60)
		p.base[inErrors] = p.base[fcsErrors] + p.base[runts]
	}
	if c.chance(0.3) {
		p.base[collisions], p.base[lateCollisions], p.base[deferred] = c.Uint64N(900), c.Uint64N(40), c.Uint64N(300)
	}
	hello := flow{inMulticast, before, forever, 0.5} // BPDUs, every two seconds
	p.flows = append(p.flows, hello, flow{inOctets, before, forever, 0.5 * 64}, flow{outMulticast, before, forever, 0.5}, flow{outOctets, before, forever, 0.5 * 64})
}

// describe writes the ports' descriptions as an operator would.
func (c *campus) describe() {
	for _, d := range []*device{c.near, c.far} {
		for i, f := range c.fws {
			c.uplinks[d][i].alias = "to " + f.name
		}
		for i, n := range c.Perm(len(portAliases))[:len(c.idle[d])] {
			c.idle[d][i].alias = portAliases[n]
		}
	}
	c.nearHost.alias, c.farHost.alias = "probe host", "server "+c.hostBName
	for _, f := range c.fws {
		f.on[0].alias, f.on[1].alias = "inside "+c.near.name, "outside "+c.far.name
	}
}

// wire lists what a frame crosses each way, by the firewall that forwards.
func (c *campus) wire() {
	for i := range c.fws {
		a, b := c.uplinks[c.near][i], c.uplinks[c.far][i]
		c.path.cross[i][forward] = []crossing{{c.nearHost, true}, {a, false}, {c.inside[i], true}, {c.outside[i], false}, {b, true}, {c.farHost, false}}
		c.path.cross[i][reverse] = []crossing{{c.farHost, true}, {b, false}, {c.outside[i], true}, {c.inside[i], false}, {a, true}, {c.nearHost, false}}
	}
	c.path.base.active = c.first
	c.path.base.delay = [2]time.Duration{c.between(1500*time.Microsecond, 4*time.Millisecond), c.between(1500*time.Microsecond, 4*time.Millisecond)}
}

// tree sets the spanning tree up: the leaf's port to the first firewall is its root port, the other is blocked.
func (c *campus) tree() {
	r, l := c.root.bridge, c.leaf.bridge
	r.priority, r.isRoot, l.priority = 4097, true, 32769
	for _, b := range []*bridge{r, l} {
		b.rootMAC, b.rootPrio = r.mac, r.priority
	}
	up := c.uplinks[c.leaf]
	up[c.first].started.role = "root"
	up[1-c.first].started.role, up[1-c.first].started.stp = "alternate", "blocking"
	l.roots = []rootChange{{before, up[c.first]}}
}

// access gives every port that is not an uplink some traffic of its own.
func (c *campus) access() {
	for _, d := range []*device{c.near, c.far} {
		for _, p := range c.idle[d] {
			p.traffic(before, forever, c.real(0.05e6, 3e6), c.real(0.1e6, 6e6), c.real(180, 700))
		}
	}
	c.nearHost.traffic(before, forever, c.real(0.02e6, 0.2e6), c.real(0.02e6, 0.3e6), c.real(150, 400))
	c.farHost.traffic(before, forever, c.real(0.1e6, 2e6), c.real(0.1e6, 2e6), c.real(200, 700))
	for _, f := range c.fws {
		f.ports[2].traffic(before, forever, 4e3, 9e3, 200)
	}
}

// users is the traffic of everybody else, from one moment to another, through one firewall.
func (c *campus) users(from, to time.Duration, fw int, towardsFar, towardsNear float64) {
	const frame = 640
	c.uplinks[c.near][fw].traffic(from, to, towardsNear, towardsFar, frame)
	c.inside[fw].traffic(from, to, towardsFar, towardsNear, frame)
	c.outside[fw].traffic(from, to, towardsNear, towardsFar, frame)
	c.uplinks[c.far][fw].traffic(from, to, towardsFar, towardsNear, frame)
}

// history fills the logs with old lines, an old flap of a path port among them.
func (c *campus) history() {
	for _, d := range c.devices() {
		at := -c.between(20*time.Hour, 40*time.Hour)
		d.say(at, fmt.Sprintf("%%SYS-5-CONFIG_I: Configured from console by netops on vty0 (%s)", c.admin()))
		p := d.on[c.IntN(len(d.on))]
		at += c.between(time.Hour, 9*time.Hour)
		d.say(at, "%LINEPROTO-5-UPDOWN: Line protocol on Interface "+p.name+", changed state to down")
		d.say(at+lineDelay, "%LINK-3-UPDOWN: Interface "+p.name+", changed state to down")
		at += c.between(4*time.Second, 90*time.Second)
		d.say(at, "%LINK-3-UPDOWN: Interface "+p.name+", changed state to up")
		d.say(at+lineDelay, "%LINEPROTO-5-UPDOWN: Line protocol on Interface "+p.name+", changed state to up")
		p.changed = at
	}
}

// admin is the address somebody configured a device from.
func (c *campus) admin() string { return fmt.Sprintf("172.20.1.%d", c.number(2, 250)) }

// devices returns the devices in the order of the path.
func (c *campus) devices() []*device { return []*device{c.near, c.fws[0], c.fws[1], c.far} }

// deviceOf returns the device a port belongs to.
func (c *campus) deviceOf(p *port) *device {
	for _, d := range c.devices() {
		if slices.Contains(d.ports, p) {
			return d
		}
	}
	return nil
}
