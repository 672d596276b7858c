package iperf2

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"whydrop/probe/stream"
)

// peers holds what clients may do at once, and which of them are known to be where their datagrams say.
type peers struct {
	maxStreams int     // of one address
	maxRate    float64 // bit/s of one address, each way
	trusted    []netip.Prefix

	mu    sync.Mutex
	all   int
	by    map[netip.Addr]*peer
	known map[netip.Addr]time.Time // when a TCP connection last showed that the address is real
}

const (
	maxAllStreams = 256
	maxKnown      = 4096
	knownFor      = 10 * time.Minute
	// packetFloor is what a datagram costs at least against a rate, bytes: a frame's minimum and its gaps
	// (IEEE 802.3: 64 + 8 + 12).
	packetFloor = 84
)

// peer is an address with streams.
type peer struct {
	streams int
	sending float64       // bit/s that streams towards it may use
	limit   *stream.Limit // of what is read from it
	flows   []*flow       // of TCP, received from it
	finals  []Figures     // of streams that are over while others run, for the sum
}

// enter takes a place for a stream of addr, or says why there is none. leave must follow.
func (p *peers) enter(addr netip.Addr) (*peer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.by[addr]
	switch {
	case c != nil && c.streams >= p.maxStreams:
		return nil, fmt.Errorf("%d streams run already, as many as one client may have", c.streams)
	case p.all >= maxAllStreams:
		return nil, fmt.Errorf("%d streams run already, as many as there may be", p.all)
	}
	if c == nil {
		c = &peer{limit: stream.NewLimit(p.maxRate)}
		if p.by == nil {
			p.by = map[netip.Addr]*peer{}
		}
		p.by[addr] = c
	}
	c.streams++
	p.all++
	return c, nil
}

// leave gives a place back. When it was the last of several streams that were received from the address, it returns
// all their figures.
func (p *peers) leave(addr netip.Addr, c *peer, f *Figures) []Figures {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.streams--
	p.all--
	if f != nil {
		c.finals = append(c.finals, *f)
	}
	if c.streams > 0 {
		return nil
	}
	delete(p.by, addr)
	if len(c.finals) < 2 || slices.ContainsFunc(c.finals, func(f Figures) bool { return f.Received != c.finals[0].Received }) {
		return nil
	}
	return c.finals
}

// watch notes a stream that may have to make room; done must be called when it is over.
func (p *peers) watch(c *peer, f *flow) (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.flows = append(c.flows, f)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		c.flows = slices.DeleteFunc(c.flows, func(o *flow) bool { return o == f })
	}
}

// idleLong is the silence after which a stream makes room for another.
const idleLong = 5 * time.Second

// evict ends the stream of an address, or of any if all places are taken, that is idle longest. It returns false if
// none is idle long.
func (p *peers) evict(addr netip.Addr) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	var worst *flow
	longest := idleLong
	for a, c := range p.by {
		if a != addr && p.all < maxAllStreams {
			continue
		}
		for _, f := range c.flows {
			if d := f.tcp.Blocked(); d > longest {
				worst, longest = f, d
			}
		}
	}
	if worst == nil {
		return false
	}
	worst.finish(time.Now(), "made room for another stream")
	worst.conn.Close()
	return true
}

// allot returns the rate in bit/s at which a stream may be sent to a peer: what it asks for (0: all there is), at
// most its share of n, within what is left. giveBack must follow. It is 0 if nothing is left.
func (p *peers) allot(c *peer, asked float64, n uint32) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	share := p.maxRate / float64(min(max(n, 1), uint32(p.maxStreams)))
	rate := min(share, p.maxRate-c.sending)
	if asked > 0 {
		rate = min(rate, asked)
	}
	if rate < 1000 {
		return 0
	}
	c.sending += rate
	return rate
}

func (p *peers) giveBack(c *peer, rate float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.sending -= rate
}

// meet notes that a TCP connection of addr sent data: the address is real.
func (p *peers) meet(addr netip.Addr, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[netip.Addr]time.Time{}
	}
	if len(p.known) >= maxKnown {
		for a, at := range p.known {
			if now.Sub(at) > knownFor {
				delete(p.known, a)
			}
		}
	}
	if len(p.known) >= maxKnown {
		for a := range p.known { // any one makes room
			delete(p.known, a)
			break
		}
	}
	p.known[addr] = now
}

// mayFlood says whether more may be sent to an address than came from it, on the word of a datagram: only if its
// sender cannot be forged or was seen by TCP.
func (p *peers) mayFlood(addr netip.Addr, now time.Time) bool {
	if addr.IsLoopback() {
		return true
	}
	for _, t := range p.trusted {
		if t.Contains(addr.WithZone("")) {
			return true
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.known[addr]
	return ok && now.Sub(at) <= knownFor
}
