package pmtu

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"whydrop/probe/icmperr"
)

const (
	// attempts is how many packets of a size must be unanswered: at 10 % of loss that happens by chance to one
	// size in a thousand.
	attempts = 3

	minPatience = 100 * time.Millisecond
	maxPatience = time.Second
	// returnTime is how long a path may be dark meanwhile.
	returnTime = 10 * time.Second
)

// errDark says that not even small packets are answered any more.
var errDark = errors.New("the path went dark during the measurement: small packets are not answered any more")

// carrier sends packets that are not to be fragmented. Its methods are called from one goroutine.
type carrier interface {
	// send sends packet n, so many bytes long, IP header included.
	send(size, n int) error
	// receive gives what arrives until then. It may return earlier, not later.
	receive(until time.Time, give func(reply))
	// pause is the least time between two packets.
	pause() time.Duration
	close()
}

// reply is what came back for a packet.
type reply struct {
	n        int             // which; -1 if that is not known
	notice   *icmperr.Notice // of somebody on the way; nil: the target answered
	at       time.Time
	size     int    // of the answer, IP header included; 0: it says nothing about the way back
	fragment int    // length of the longest fragment it came in; 0: in one piece
	count    uint32 // how many packets the far end had got before, by its own count
	counts   bool   // it counts
}

// tester finds out what becomes of packets of a size.
type tester struct {
	c    carrier
	rtt  time.Duration // the longest round trip so far
	sent int
	last time.Time // when the last packet was sent

	count  uint32 // by the far end's count, at the newest answer
	counts bool
	since  int // packets sent after the one that was answered then
}

func newTester(c carrier) *tester { return &tester{c: c, rtt: maxPatience / 4} }

// patience is how long an answer is waited for.
func (t *tester) patience() time.Duration { return min(max(4*t.rtt, minPatience), maxPatience) }

// outcome is what became of the packets of one size.
type outcome struct {
	Step
	back     int // the largest answer that came back in one piece; 0: none, or it says nothing
	fragment int // the longest fragment an answer came in; 0: none came in fragments
	unsent   error
}

// alive says whether small packets are answered, and how quickly.
func (t *tester) alive(ctx context.Context) bool {
	t.rtt = maxPatience / 4
	var longest time.Duration
	for range attempts {
		if o, rtt := t.once(ctx, controlSize); o.Answered > 0 {
			longest = max(longest, rtt)
			t.rtt = longest
			return true
		}
	}
	return false
}

// test sends packets of a size until one is answered, three at most. An error means that it cannot be told.
func (t *tester) test(ctx context.Context, size int) (outcome, error) {
	deadline := time.Now().Add(returnTime)
	for {
		o := outcome{Step: Step{Size: size, Arrived: -1}}
		for range attempts {
			p, rtt := t.once(ctx, size)
			o.merge(p)
			if p.Answered > 0 {
				t.rtt = max(t.rtt/2, rtt, time.Millisecond)
				o.Arrived = -1
				if t.counts {
					o.Arrived = o.Answered
				}
				return o, nil
			}
			if p.unsent != nil || len(o.Said) > 0 {
				break
			}
		}
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		if o.Sent == 0 && o.unsent != nil { // larger than the own link takes
			return o, nil
		}
		before, counts, since, small := t.count, t.counts, t.since, t.sent
		if t.alive(ctx) {
			if counts && t.counts {
				o.Arrived = arrived(before, t.count, since, o.Sent, t.sent-small)
			}
			return o, nil
		}
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		if time.Now().After(deadline) {
			return o, errDark
		}
	}
}

// arrived says how many of the packets of a size reached a far end that counts; -1 if it cannot be told. It had
// counted so many before, and so many now that it answered a small packet again. Since the answer before, so many
// packets went out, the last sent of them of the size in question, and then small ones, of which the last was answered.
func arrived(before, now uint32, since, sent, small int) int {
	n := int(int32(now - before - 1)) // without the small one that was answered
	switch {
	case n < 0 || n > since+small-1: // it began anew
		return -1
	case n > 0 && small > 1: // perhaps small ones, whose answers were lost
		return -1
	}
	return min(n, sent)
}

// once sends a packet and waits for its answer. A notice does not end the waiting at once: the answer counts more.
func (t *tester) once(ctx context.Context, size int) (o outcome, rtt time.Duration) {
	o = outcome{Step: Step{Size: size, Arrived: -1}}
	for ctx.Err() == nil && time.Since(t.last) < t.c.pause() {
		t.c.receive(soon(t.last.Add(t.c.pause())), func(reply) {})
	}
	n := t.sent
	now := time.Now()
	if err := t.c.send(size, n); err != nil {
		o.unsent = err
		return o, 0
	}
	t.sent, t.last = t.sent+1, now
	t.since++
	o.Sent = 1
	until := now.Add(t.patience())
	for ctx.Err() == nil && o.Answered == 0 && time.Now().Before(until) {
		t.c.receive(soon(until), func(r reply) {
			if r.n >= 0 && r.n != n {
				return
			}
			if r.notice != nil {
				if r.notice.Kind() == icmperr.TooBig {
					o.say(Said{r.notice.By, r.notice.MTU, 1})
					until = earlier(until, time.Now().Add(min(2*t.rtt, minPatience)))
				}
				return
			}
			o.Answered, rtt = 1, r.at.Sub(now)
			if r.fragment > 0 {
				o.fragment = r.fragment
			} else {
				o.back = r.size
			}
			if r.counts {
				t.count, t.counts, t.since = r.count, true, 0
			}
		})
	}
	return o, rtt
}

func soon(t time.Time) time.Time { return earlier(t, time.Now().Add(50*time.Millisecond)) }

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func (o *outcome) merge(p outcome) {
	o.Sent += p.Sent
	o.Answered += p.Answered
	o.back, o.fragment = max(o.back, p.back), max(o.fragment, p.fragment)
	if p.unsent != nil {
		o.unsent = p.unsent
	}
	for _, s := range p.Said {
		o.say(s)
	}
}

// say counts what somebody said.
func (s *Step) say(what Said) {
	for i := range s.Said {
		if s.Said[i].By == what.By && s.Said[i].MTU == what.MTU {
			s.Said[i].Times += what.Times
			return
		}
	}
	s.Said = append(s.Said, what)
}

// who returns an author in words.
func who(a netip.Addr) string {
	if !a.IsValid() {
		return "a router"
	}
	return a.String()
}
