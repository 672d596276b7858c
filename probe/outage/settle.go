package outage

import (
	"fmt"
	"time"

	"whydrop/correlate/timeline"
)

// restartSlack is by how much a reflector's numbers may be out of step because of reordering and duplicates
// before they are taken for the numbers of a new session.
const restartSlack = 64

// fate is what became of a heartbeat.
type fate uint8

const (
	lostForward fate = iota
	lostReverse
	lostSomewhere
)

// settle gives every heartbeat its verdict that has come back or was sent longer than hold ago.
func (b *Book) settle(now, hold time.Duration) {
	if b.late {
		b.late = false
		b.meetLate()
	}
	for b.next < b.sent {
		e := b.beat(b.next)
		if !e.answered && now-e.sent < hold {
			break
		}
		b.next++
		if e.answered {
			b.meet(b.next - 1)
		}
	}
	if b.came == 0 || b.newest < b.next {
		b.tellUndecided()
	}
	if b.next == b.sent {
		b.win.passed(b, now)
	}
	b.host.passed(b, now)
}

// meetLate takes up answers that came after their verdict, out of a queue.
func (b *Book) meetLate() {
	from := b.oldest()
	if b.have {
		from = max(from, b.lastNum+1)
	}
	for n := from; n < b.next; n++ {
		if b.beat(n).answered {
			b.meet(n)
		}
	}
}

// tellUndecided writes the loss of heartbeats after which none came back yet, so that a long outage is seen while
// it lasts. Which way they were lost is not known then.
func (b *Book) tellUndecided() {
	for ; b.told < b.next; b.told++ {
		if b.refused == 0 {
			b.win.lost(b, b.beat(b.told).sent, lostSomewhere)
		}
	}
}

// meet settles the stretch from the last heartbeat that came back to n, which came back too.
func (b *Book) meet(n uint64) {
	e := *b.beat(n)
	s := segment{to: n, toBeat: e}
	if b.have {
		s.from, s.fromBeat, s.missing = b.lastNum+1, b.last, n-b.lastNum-1
		s.split(b.rtt.value(), b.cfg.Heartbeat)
	}
	switch {
	case !b.have:
		b.tellFirst(n)
		b.arrive(e)
	case s.missing > 0 && (b.isPeer(s) || s.isHost()):
		if s.isHost() {
			b.reportHost(s)
		} else {
			b.reportPeer(s)
		}
		b.forward.restart()
		b.reverse.restart()
		b.arrive(e)
	default:
		if s.missing > 0 {
			note := b.note(s)
			b.forward.note, b.reverse.note = note, note
		}
		b.walk(s)
		b.arrive(e)
	}
	if b.told <= n {
		b.told = n + 1
		b.win.came(b, e)
	}
	b.last, b.lastNum, b.have, b.refused = e, n, true, 0
	b.failed, b.failure, b.reports = 0, nil, reports{}
	b.collect()
}

// note returns what is to be said of a gap beside its figures.
func (b *Book) note(s segment) string {
	var text string
	if b.failed > 0 {
		text = fmt.Sprintf("; this host could not send %d: %v", b.failed, b.failure)
	}
	if r := b.reports; r.n > 0 {
		text += fmt.Sprintf("; %s said %q of %d", r.by, r.what, r.n)
	}
	if b.refused > 0 {
		text += fmt.Sprintf("; the far end's host refused %d of them at the end", b.refused)
	}
	if s.restarted {
		text += "; the far end's numbers began anew meanwhile, so the direction is less sure"
	}
	return text
}

// tellFirst writes the loss before the first heartbeat that ever came back.
func (b *Book) tellFirst(n uint64) {
	for b.told = max(b.told, b.oldest()); b.told < n; b.told++ {
		if b.refused == 0 {
			b.win.lost(b, b.beat(b.told).sent, lostSomewhere)
		}
	}
}

// arrive enters a heartbeat that came back in the lines.
func (b *Book) arrive(e beat) {
	base := b.rtt.value()
	if e.kept > startled { // the far end is short of processor time
		b.forward.doubt(e.sent)
		b.reverse.doubt(e.sent)
	}
	if !e.far {
		b.reverse.arrived(e.sent, e.sent+base, e.back(), e.exact)
		return
	}
	b.forward.arrived(e.sent, e.sent+base/2, e.there, e.coarse < lateGap)
	b.reverse.arrived(e.sent, e.there+base/2, e.back(), e.exact)
}

// isPeer says whether the missing heartbeats of s were refused by the far end's host: it was there, its reflector
// was not. Hosts limit how often they say so (Linux: icmp_ratelimit, once a second), so one refusal stands for
// all heartbeats of two seconds. A host that is silent at first and refuses then was away itself: it started anew.
func (b *Book) isPeer(s segment) bool {
	dark := s.toBeat.sent - s.fromBeat.sent
	if b.refused > 0 && dark < 2*time.Second && b.refusal-s.fromBeat.back() > b.prompt() {
		return false
	}
	return b.refused > 0 && (2*uint64(b.refused) >= s.missing || time.Duration(b.refused)*2*time.Second >= dark)
}

// prompt is how soon after the last answer the host of a reflector that ended refuses the next heartbeats, at the latest.
func (b *Book) prompt() time.Duration {
	const slack = 200 * time.Millisecond
	return slack + 4*b.cfg.Heartbeat + 2*b.rtt.value()
}

func (b *Book) reportPeer(s segment) {
	sp := b.span(s.fromBeat.back(), s.toBeat.back())
	text := fmt.Sprintf("the far end refused heartbeats: no reflector ran there (%d unanswered)", s.missing)
	for _, m := range b.metrics() {
		b.gap(m, sp, timeline.ReasonPeer, text)
	}
	b.told = max(b.told, s.to)
}

// isHost says whether this host lost the missing answers of s itself: they arrived, and its program was not there to take
// them.
func (s *segment) isHost() bool {
	return s.toBeat.dropped > 0 && 2*uint64(s.toBeat.dropped) >= s.missing
}

func (b *Book) reportHost(s segment) {
	text := fmt.Sprintf("this host had no room for %d answers that had arrived: its program did not run", s.toBeat.dropped)
	for _, m := range b.metrics() {
		b.gap(m, b.span(s.fromBeat.back(), s.toBeat.back()), timeline.ReasonHost, text)
	}
	b.told = max(b.told, s.to)
}

// metrics lists what a heartbeat measures.
func (b *Book) metrics() []timeline.Metric {
	if b.counts {
		return []timeline.Metric{timeline.RTT, timeline.LossForward, timeline.LossReverse}
	}
	return []timeline.Metric{timeline.RTT, timeline.LossRoundTrip}
}

// segment is a stretch of missing heartbeats between two that came back.
type segment struct {
	from, to         uint64 // the first missing one; the one that came back after it
	fromBeat, toBeat beat   // those that came back before and after
	missing          uint64
	known            bool   // the reflector told the ways apart
	restarted        bool   // the reflector's numbers began anew in between
	head, fwd        uint64 // first so many lost on the way back, then so many on the way there, the rest back
}

// split finds out how many of the missing heartbeats were reflected.
func (s *segment) split(rtt, heartbeat time.Duration) {
	p, q := s.fromBeat, s.toBeat
	if !p.counted || !q.counted {
		return
	}
	s.known = true
	step := int64(int32(q.seq - p.seq))
	reflected := step - 1 - int64(p.dups)
	if step < -restartSlack || reflected > int64(s.missing)+restartSlack {
		// It counts from 0 again: a new process, or a translator on the path gave us another address.
		s.restarted = true
		reflected = int64(q.seq)
	}
	back := uint64(min(max(reflected, 0), int64(s.missing)))
	s.fwd = s.missing - back
	if inFlight := uint64((rtt + heartbeat/2) / heartbeat); s.fwd > 0 && back <= inFlight {
		s.head = back
	}
}

// fate returns what became of the i-th missing heartbeat, and up to which one the same holds.
func (s *segment) fate(i uint64) (fate, uint64) {
	switch {
	case !s.known:
		return lostSomewhere, s.missing
	case i < s.head:
		return lostReverse, s.head
	case i < s.head+s.fwd:
		return lostForward, s.head + s.fwd
	}
	return lostReverse, s.missing
}

// walk enters the missing heartbeats of s in the lines and in the samples.
func (b *Book) walk(s segment) {
	var late tally // of heartbeats whose loss was written before its direction was known
	oldest := b.oldest()
	for i := uint64(0); i < s.missing; {
		f, end := s.fate(i)
		n := s.from + i
		count := uint64(1)
		if n < oldest { // those are not kept singly any more
			count = min(end-i, oldest-n)
		}
		first, last := b.sentAt(n, s), b.sentAt(n+count-1, s)
		b.lose(f, int(count), first, last)
		if n < b.told {
			late.add(f, count)
		} else {
			b.told = n + count
			b.win.lost(b, first, f)
		}
		i += count
	}
	if late.sent > 0 && s.known {
		late.emit(b, b.span(b.sentAt(s.from, s), s.toBeat.sent))
	}
}

// sentAt returns when heartbeat n of s was sent; of one that is not kept any more, when it was due.
func (b *Book) sentAt(n uint64, s segment) time.Duration {
	oldest := b.oldest()
	if n >= oldest {
		return b.beat(n).sent
	}
	known := b.beat(oldest).sent
	whole, part := oldest+1-s.from, n+1-s.from // s.fromBeat is number 0
	return s.fromBeat.sent + time.Duration(float64(known-s.fromBeat.sent)*float64(part)/float64(whole))
}

// lose enters heartbeats with one fate, sent from first to last, in the lines.
func (b *Book) lose(f fate, n int, first, last time.Duration) {
	base := b.rtt.value()
	switch f {
	case lostForward:
		b.forward.lose(n, first, last, base/2, false)
		b.reverse.absent(n, first, last)
	case lostReverse:
		b.forward.arrivedUnseen(n, first, last, base/2)
		b.reverse.lose(n, first, last, base, false)
	case lostSomewhere:
		b.forward.absent(n, first, last)
		b.reverse.lose(n, first, last, base, true)
	}
}

// tally is the loss over a stretch that was written without direction.
type tally struct{ sent, fwd, back uint64 }

func (t *tally) add(f fate, n uint64) {
	t.sent += n
	switch f {
	case lostForward:
		t.fwd += n
	case lostReverse:
		t.back += n
	}
}

func (t tally) emit(b *Book, sp timeline.Span) {
	b.sample(timeline.LossForward, sp, float64(t.fwd)/float64(t.sent))
	if there := t.sent - t.fwd; there > 0 {
		b.sample(timeline.LossReverse, sp, float64(t.back)/float64(there))
	}
}
