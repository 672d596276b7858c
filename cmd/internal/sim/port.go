package sim

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// counter names one lifetime total of a port.
type counter int

const (
	inOctets counter = iota
	outOctets
	inUnicast
	outUnicast
	inMulticast
	outMulticast
	inBroadcast
	outBroadcast
	inErrors
	inDrops
	outErrors
	outDrops
	fcsErrors
	runts
	collisions
	lateCollisions
	deferred
	resets
	giants
	inPause
	outPause
	ignored
	overrun
	noBuffer
	throttles
	classDrops // of a queue of a class, going out
	policed    // by a policer, going out
	macIn      // frames lost in the receiving port itself
	macOut
	carrier // losses and returns of the carrier
	poeAbsent
	poeDenied
	poeOverload
	poeShort
	aclDrops // refused by a filter, coming in
	counters // how many there are
)

// portState is what changes about a port.
type portState struct {
	up    bool
	speed uint64 // bit/s
	half  bool
	role  string // spanning tree: root, designated, alternate, disabled; "" on a port without spanning tree
	stp   string // forwarding, learning, blocking, disabled
	cost  uint32
}

// portChange is a change of a port's state at a moment of the story.
type portChange struct {
	at   time.Duration
	set  func(*portState)
	link bool // the carrier went or came: ifLastChange moves
}

// flow is background traffic or a fault that counts at a steady rate for a while.
type flow struct {
	counter  counter
	from, to time.Duration
	rate     float64 // per second
}

// port is one interface of a device.
type port struct {
	name    string // GigabitEthernet1/0/1
	index   uint32 // ifIndex
	number  int    // dot1dBasePort; 0 if the port is no bridge port
	alias   string
	mac     [6]byte
	capable uint64        // what the hardware offers, bit/s
	mtu     int           // 0 is 1500
	refresh time.Duration // how often its counters move; 0 always
	falls   time.Duration // how often its octets jump back and forth; 0 never
	held    heldCounts
	link    linkSide
	started portState
	changed time.Duration // when the carrier last changed before the story, an offset below 0
	changes []portChange  // in order of time
	flows   []flow
	base    [counters]uint64        // at the story's beginning
	live    [counters]atomic.Uint64 // the probe's own traffic
}

// forever is later than any story.
const forever = 1000 * time.Hour

// before is earlier than any story.
const before = -forever

// state returns the port's state at an offset from the story's beginning.
func (p *port) state(at time.Duration) portState {
	s := p.started
	for _, c := range p.changes {
		if c.at > at {
			break
		}
		c.set(&s)
	}
	return s
}

// linkChanged returns when the carrier last changed, seen from at.
func (p *port) linkChanged(at time.Duration) time.Duration {
	last := p.changed
	for _, c := range p.changes {
		if c.at <= at && c.link {
			last = c.at
		}
	}
	return last
}

// change adds a change and keeps the order.
func (p *port) change(at time.Duration, set func(*portState)) { p.insert(portChange{at: at, set: set}) }

func (p *port) insert(c portChange) {
	i := sort.Search(len(p.changes), func(i int) bool { return p.changes[i].at > c.at })
	p.changes = append(p.changes[:i], append([]portChange{c}, p.changes[i:]...)...)
}

// down takes the carrier away from one moment to another; a flow of background traffic pauses meanwhile.
func (p *port) down(from, to time.Duration) {
	p.insert(portChange{at: from, link: true, set: func(s *portState) { s.up = false }})
	p.insert(portChange{at: to, link: true, set: func(s *portState) { s.up = true }})
	var flows []flow
	for _, f := range p.flows {
		flows = append(flows, cut(f, before, from), cut(f, to, forever))
	}
	p.flows = append(flows, flow{resets, from, from + time.Millisecond, 1000})
	p.once(carrier, from, 1)
	p.once(carrier, to, 1)
}

// cut returns the part of a flow that lies between two moments.
func cut(f flow, from, to time.Duration) flow {
	f.from, f.to = max(f.from, from), max(min(f.to, to), max(f.from, from))
	return f
}

// traffic adds background traffic of bps bits a second each way, in frames of the given mean size.
func (p *port) traffic(from, to time.Duration, inBPS, outBPS, frame float64) {
	for _, x := range []struct {
		octets, packets counter
		bps             float64
	}{{inOctets, inUnicast, inBPS}, {outOctets, outUnicast, outBPS}} {
		p.flows = append(p.flows, flow{x.octets, from, to, x.bps / 8}, flow{x.packets, from, to, x.bps / 8 / frame})
	}
}

// count returns a lifetime total at an offset from the story's beginning.
func (p *port) count(c counter, at time.Duration) uint64 {
	live := p.live[c].Load()
	if p.refresh > 0 {
		at, live = p.held.at(at, p.refresh, p, c)
	}
	total := p.background(c, at) + live
	if p.falls > 0 && (c == inOctets || c == outOctets) && int(at/p.falls)%2 == 1 {
		total -= min(total, 40e6) // an older number, from another card's memory
	}
	return total - min(total, p.zeroed(c, at))
}

// background is what a counter stood at without the probe's own traffic.
func (p *port) background(c counter, at time.Duration) uint64 {
	var sum float64
	for _, f := range p.flows {
		if f.counter != c || at <= f.from {
			continue
		}
		sum += f.rate * (min(at, f.to) - max(f.from, 0)).Seconds()
	}
	return p.base[c] + uint64(max(sum, 0))
}

// heldCounts is what an agent that refreshes its counters seldom shows meanwhile.
type heldCounts struct {
	mu   sync.Mutex
	tick int64
	live [counters]uint64
}

// at returns the moment of the last refresh, and the probe's own traffic counted until then.
func (h *heldCounts) at(at, every time.Duration, p *port, c counter) (time.Duration, uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if tick := int64(at / every); tick != h.tick {
		h.tick = tick
		for i := range h.live {
			h.live[i] = p.live[i].Load()
		}
	}
	return time.Duration(h.tick) * every, h.live[c]
}

// largest is the largest packet that the port sends, bytes.
func (p *port) largest() int {
	if p.mtu > 0 {
		return p.mtu
	}
	return 1500
}

// rate returns the background rate of a counter, per second.
func (p *port) rate(c counter, at time.Duration) float64 {
	var sum float64
	for _, f := range p.flows {
		if f.counter == c && f.from <= at && at < f.to {
			sum += f.rate
		}
	}
	return sum
}
