package outage

import "time"

const (
	minLost = 3                      // fewer lost heartbeats in a row are loss, not an outage
	maxDark = 50 * time.Millisecond  // a gap as long as this is one, however slow the heartbeat
	lateGap = 100 * time.Millisecond // without enough loss, a gap must be this long
	// A host that sends a heartbeat later than this is short of processor time. What arrived late about then, and
	// was not lost, may have waited for the same reason: here, or in a program on the path that this host runs.
	// Timers of a host that is not, are a few milliseconds late (measured: at most 5 ms idle, 40 to 250 ms with
	// eight busy programs for each core).
	startled = 10 * time.Millisecond
	// alarm is how long after that late arrivals prove nothing.
	alarm = 500 * time.Millisecond
)

// minDark is how long a gap must be: four heartbeats, so that three lost ones lie in it, or 50 ms if that is less.
func minDark(beat time.Duration) time.Duration { return min(4*beat, maxDark) }

// line is one direction's arrivals, entered in the order in which the heartbeats were sent. It finds the gaps
// between arrivals that lost or late heartbeats vouch for.
type line struct {
	beat time.Duration

	have    bool
	at      time.Duration // the newest arrival
	sent    time.Duration // when the heartbeat entered last was sent
	any     bool          // sent is known
	apart   time.Duration // how long before the heartbeat entered last another was sent
	stalled bool          // the host did not send for a while before the heartbeat entered last
	late    time.Duration // when a host last was late: this one to send, or the far end to answer
	wasLate bool          // late is known

	// Since the newest arrival:
	n                    int           // lost
	unknown              int           // of those, lost somewhere on the round trip
	firstDue, lastDue    time.Duration // when the first and the last of them should have arrived
	unsent               time.Duration // the host did not send
	away                 time.Duration // heartbeats that could not be seen on this line
	headLate             time.Duration // how long before the first lost one another was sent; what is more than a heartbeat is not dark
	headStall, tailStall bool          // the host did not send before the first lost one, after the last lost one

	open bool // gap ended, but heartbeats that were due in it are still to be entered
	gap  found
	note string // for the text of the gap, if one ends with the next arrival
	done []found
}

// found is a gap in a line's arrivals.
type found struct {
	from, to   time.Duration
	seen, next time.Duration // arrivals before and after
	proven     time.Duration // dark by number: from when the first lost heartbeat was due until one after the last
	direction  string
	dark       time.Duration // what heartbeats vouch for
	hostLate   time.Duration // by how much this host was late to send at its ends: it may be as much longer
	lost, late int
	unknown    bool // the direction could not be told
	exact      bool // it is not the reading program that was late
	longer     bool // the heartbeats after it are late too: the path became longer, nothing stood still
	note       string
}

// step takes note of when a heartbeat was sent.
func (l *line) step(first, last time.Duration) {
	d := first - l.sent
	l.apart = 0
	if l.any {
		l.apart = d
	}
	l.stalled = l.any && d > 2*l.beat+5*time.Millisecond // no timer here is later than that without being starved
	if l.stalled {
		l.unsent += d - l.beat
	}
	if l.any && d > l.beat+startled {
		l.doubt(first)
	}
	l.sent, l.any = last, true
}

// doubt takes note that a host at either end was short of processor time.
func (l *line) doubt(at time.Duration) { l.late, l.wasLate = max(l.late, at), true }

// arrived enters a heartbeat that was due at one time and arrived at another.
func (l *line) arrived(sent, due, at time.Duration, exact bool) {
	l.step(sent, sent)
	if l.open && due < l.gap.to-l.beat && at-l.at < lateGap {
		if at < l.gap.to {
			l.gap.dark -= l.gap.to - at
			l.gap.to = at
		}
		l.gap.late++
		l.pass(at)
		return
	}
	if l.open && at-due > l.gap.dark/2 {
		l.gap.longer = true
	}
	l.finish()
	late := at-due > l.beat
	if l.have && at > l.at && (l.n > 0 || late) {
		l.tailStall = l.stalled && !late
		l.begin(at, late, exact)
	}
	l.pass(at)
}

// arrivedUnseen enters heartbeats that are known to have arrived, but not when.
func (l *line) arrivedUnseen(n int, first, last, delay time.Duration) {
	if l.open && first+delay < l.gap.to {
		l.step(first, last)
		return
	}
	l.arrived(first, first+delay, first+delay, true)
	if n > 1 {
		l.sent = last
		l.finish()
		l.pass(last + delay)
	}
}

// lose enters n lost heartbeats, sent from first to last, each due delay after it was sent.
func (l *line) lose(n int, first, last, delay time.Duration, unknown bool) {
	l.step(first, last)
	if l.open {
		if first+delay < l.gap.to-l.beat {
			l.gap.lost += n
			return
		}
		l.finish()
	}
	if l.n == 0 {
		l.firstDue, l.headStall, l.headLate = first+delay, l.stalled, l.apart
	}
	l.lastDue = last + delay
	l.n += n
	if unknown {
		l.unknown += n
	}
}

// absent enters n heartbeats of which this line cannot know anything.
func (l *line) absent(n int, first, last time.Duration) {
	l.step(first, last)
	l.away += last - first + l.beat
}

// begin notes the gap that ends with the arrival at the given time.
func (l *line) begin(at time.Duration, late, exact bool) {
	g := found{from: l.at, to: at, seen: l.at, next: at, lost: l.n, unknown: l.unknown > 0, exact: exact, note: l.note}
	g.dark = at - l.at - l.unsent - l.away
	if late {
		g.late = 1
	}
	if l.n > 0 {
		g.proven = l.lastDue - l.firstDue + l.beat
	}
	switch {
	case l.headStall:
		g.from = max(g.from, l.firstDue-l.beat)
	case l.n > 0:
		g.from += max(l.headLate-l.beat, 0)
	}
	switch {
	case l.tailStall:
		g.to = min(g.to, l.lastDue+l.beat)
	case l.n > 0 && !late:
		g.to -= max(l.apart-l.beat, 0)
	}
	g.hostLate = g.from - g.seen + g.next - g.to
	l.gap, l.open = g, true
}

// finish closes the gap: everything that was due in it is entered.
func (l *line) finish() {
	if !l.open {
		return
	}
	l.open = false
	g := l.gap
	// n heartbeats can all be lost in a dark time of n+1 of their distances, or little more than n-1.
	lost := g.lost >= minLost && g.dark+l.beat >= minDark(l.beat)
	late := g.exact && !g.longer && g.lost+g.late >= minLost && g.dark >= lateGap && !(l.wasLate && l.late >= g.from-alarm)
	if lost || late {
		l.done = append(l.done, g)
	}
}

// pass makes at the newest arrival.
func (l *line) pass(at time.Duration) {
	l.at, l.have = max(l.at, at), true
	l.n, l.unknown, l.unsent, l.away = 0, 0, 0, 0
	l.headStall, l.tailStall, l.headLate, l.note = false, false, 0, ""
}

// restart forgets everything but the gaps that are found: what lies before says nothing about what comes.
func (l *line) restart() {
	l.finish()
	*l = line{beat: l.beat, done: l.done, late: l.late, wasLate: l.wasLate}
}
