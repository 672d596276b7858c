package sim

import (
	"slices"
	"sync"
	"time"
)

// way is a direction of the path.
type way int

const (
	forward way = iota // probing host to far end
	reverse
)

// condition is what the path is like at one moment.
type condition struct {
	active   int              // which firewall forwards
	delay    [2]time.Duration // of each way, without queues
	queue    [2]time.Duration // how long a full queue holds each way up
	dark     [2]bool          // nothing passes this way
	loss     [2]float64       // share of frames lost
	cut      [2]float64       // share of TCP's segments lost in bursts of its own, beyond loss
	rate     float64          // what TCP gets, bit/s of payload; 0 is no limit
	sway     [2]time.Duration // by how much each way's delay varies, on average
	limit    [2]float64       // what passes each way at most, bit/s; 0 is no limit
	holds    time.Duration    // how long the queue in front of the limit is; 0: what exceeds it is discarded
	burst    [2]float64       // share of datagrams lost of those that are sent in bursts
	fits     int              // largest IP packet that passes; 0 is any
	farDrops float64          // datagrams/s that the far end's kernel discards of the heartbeats
	takes    float64          // what the far end's program takes of datagrams, bit/s; 0 is all
	perFlow  float64          // what one flow gets at most, bit/s; 0 is no limit
	kindLoss [kinds]float64   // share lost of each further kind of heartbeat, beyond loss
	feeds    float64          // what the sending program feeds TCP, bit/s; 0 is all it takes
	host     hostState        // of the probing host
	window   int              // receive buffer of the far end's TCP in bytes; 0 is plenty
	stalled  time.Duration    // TCP flows opened before this offset don't pass; 0 is none
}

// hostState is how the probing host fares, beyond what a host at ease shows.
type hostState struct {
	busy     float64       // share of its CPU
	gap      time.Duration // for how long it does not get to run at a stretch
	steal    float64       // share that the hypervisor takes
	udpDrops float64       // datagrams/s that its kernel discards
	nicDrops float64       // frames/s that its card has no room for
	ownDrops float64       // packets/s that its own queue discards
	softirq  float64       // share of a core that takes in packets
}

// effect is a change of the path's condition for a while.
type effect struct {
	from, to time.Duration
	apply    func(*condition)
}

// crossing is a port that a frame passes on its way.
type crossing struct {
	port *port
	in   bool
}

// hit is a counter that a lost frame falls under.
type hit struct {
	port    *port
	counter counter
	share   float64 // how many per lost frame
}

// losing says where on a way frames are lost.
type losing struct {
	at   *port // the first port that does not count the frame any more; nil: all do
	hits []hit
}

// path is the way between the two hosts: what it is like, and the ports that count what crosses it.
type path struct {
	base    condition
	effects []effect
	cross   [2][2][]crossing // by active firewall and way
	losing  [2]losing        // by way

	mu   sync.Mutex
	part map[part]float64 // fractions of counts not yet whole
}

type part struct {
	port    *port
	counter counter
}

// at returns the path's condition at an offset from the story's beginning.
func (p *path) at(t time.Duration) condition {
	c := p.base
	for _, e := range p.effects {
		if e.from <= t && t < e.to {
			e.apply(&c)
		}
	}
	return c
}

// next returns the next moment after t at which the condition may change; forever if there is none.
func (p *path) next(t time.Duration) time.Duration {
	out := forever
	for _, e := range p.effects {
		if e.from > t {
			out = min(out, e.from)
		}
		if e.to > t {
			out = min(out, e.to)
		}
	}
	return out
}

// rates returns the TCP rates that the path has at one time or another, in bit/s; 0 is no limit.
func (p *path) rates() []float64 {
	out := []float64{p.base.rate}
	for _, e := range p.effects {
		out = append(out, p.at(e.from).rate)
	}
	return out
}

func (p *path) during(from, to time.Duration, apply func(*condition)) {
	p.effects = append(p.effects, effect{from, to, apply})
}

// darken makes one way carry nothing for a while.
func (p *path) darken(w way, from, to time.Duration) {
	p.during(from, to, func(c *condition) { c.dark[w] = true })
}

// Sizes of what surrounds a payload on the wire, in octets.
const (
	etherOverhead = 18          // header and check sequence (IEEE 802.3), as ifInOctets counts them
	udpOverhead   = 28          // IPv4 and UDP
	tcpOverhead   = 52          // IPv4, TCP and its time stamps
	segmentSize   = 1448        // payload of a full segment at an MTU of 1500
	ackSize       = tcpOverhead // an acknowledgement, per two segments
)

// carried counts frames of the probe on every port of a way. Of lost frames, the ports before the place of loss
// count, the others don't, and the counters there rise.
func (p *path) carried(w way, active int, frames, octets, lost float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	where := p.losing[w]
	mean := 0.0
	if frames > 0 {
		mean = octets / frames
	} else if lost > 0 {
		frames, mean = 0, octets/lost
	}
	gone := false
	for _, c := range p.cross[active][w] {
		gone = gone || c.port == where.at
		n := frames
		if !gone {
			n += lost
		}
		packets, bytes := outUnicast, outOctets
		if c.in {
			packets, bytes = inUnicast, inOctets
		}
		p.add(c.port, packets, n)
		p.add(c.port, bytes, n*mean)
	}
	for _, h := range where.hits {
		p.add(h.port, h.counter, lost*h.share)
	}
}

// add counts n, keeping the fraction for the next time.
func (p *path) add(to *port, c counter, n float64) {
	if p.part == nil {
		p.part = map[part]float64{}
	}
	k := part{to, c}
	n += p.part[k]
	whole := uint64(n)
	p.part[k] = n - float64(whole)
	to.live[c].Add(whole)
}

// datagram counts one datagram of the given payload that passed, or was lost.
func (p *path) datagram(w way, active, payload int, lost bool) {
	octets := float64(payload + udpOverhead + etherOverhead)
	if lost {
		p.carried(w, active, 0, octets, 1)
		return
	}
	p.carried(w, active, 1, octets, 0)
}

// segments counts TCP payload that passed, with its headers, the segments that had to be sent twice because of
// loss, and the acknowledgements the other way.
func (p *path) segments(w way, c condition, payload int) {
	n := float64((payload + segmentSize - 1) / segmentSize)
	again := n * (c.loss[w] + c.cut[w])
	size := float64(payload)/n + tcpOverhead + etherOverhead
	p.carried(w, c.active, n, (n+again)*size*n/(n+again), again)
	acks := max(1, n/2)
	p.carried(1-w, c.active, acks, acks*(ackSize+etherOverhead), 0)
}

// ports returns every port that a way may cross.
func (p *path) ports() []*port {
	var out []*port
	for _, byWay := range p.cross {
		for _, list := range byWay {
			for _, c := range list {
				if !slices.Contains(out, c.port) {
					out = append(out, c.port)
				}
			}
		}
	}
	return out
}
