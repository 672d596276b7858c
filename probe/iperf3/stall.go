package iperf3

import (
	"time"

	"whydrop/probe/stream"
	"whydrop/probe/tcpinfo"
)

// minStall is the shortest silence that counts as a stall: Linux's shortest retransmission time-out (TCP_RTO_MIN
// of include/net/tcp.h), below which one lost segment is repaired without a pause.
const minStall = 200 * time.Millisecond

// stall is a stretch without progress of a flow that had data to deliver.
type stall struct {
	from, to time.Time
	err      time.Duration // half width of the dating error
	timeouts uint64        // retransmission time-outs, if known
	known    bool
	// backoff is how long before the end the retransmission before the successful one was sent. The path came
	// back within it, so it is the most that was spent waiting for the timer with the path in order. 0: no
	// time-out was seen.
	backoff time.Duration
	// windowShut says that nothing was in flight: the peer acknowledged everything and offered no window. Either
	// its program did not read, or something between the ends answers in its stead.
	windowShut bool
}

// detector finds stalls in the readings of consecutive flows. It is pure: time is what the readings say.
type detector struct {
	least time.Duration // shortest stall beside minStall, e.g. where a sender's blocks come far apart

	flowing  bool      // a flow is there
	ever     bool      // progress was seen at all
	last     reading   // the last reading
	progress time.Time // when progress was last seen
	width    time.Duration
	offered  time.Time // since when data has waited without progress; zero: none waits
	stalled  bool

	timeouts, baseTimeouts uint64
	knowTimeouts           bool
	retrans                uint64
	sent                   []time.Time // when retransmissions were seen in this silence, oldest first, the last few

	shut, inFlight int // readings of this silence without and with data in flight

	late time.Time // when this host was last late with a reading; zero: never
}

// A stall of less than shortShut with the window shut and nothing in flight lost nothing on its way. If this host was
// late with a reading (by more than lateReading) then or up to alarm before, it proves nothing: the window may have
// been opened late for want of processor time, here or in a program on the path that this host runs.
const (
	shortShut   = 600 * time.Millisecond
	lateReading = 10 * time.Millisecond // idle hosts are late by less than 5 ms, overloaded ones by 40 ms and more
	alarm       = 500 * time.Millisecond
)

// keptSent is how many retransmissions are remembered: those of the last time-out, and what its acknowledgement
// sets off.
const keptSent = 6

// begin tells that a new flow starts, whose bytes count from 0.
func (d *detector) begin(r reading) {
	d.flowing, d.last = true, r
	d.offered = time.Time{}
	d.retrans, _ = total(r.infos, func(i tcpinfo.Info) tcpinfo.Opt[uint64] { return i.Retransmitted })
	d.baseTimeouts, _ = total(r.infos, timeoutsOf)
	if !d.stalled {
		d.sent = d.sent[:0]
	}
}

// end tells that the flow is over. A stall that goes on goes on.
func (d *detector) end() { d.flowing, d.offered = false, time.Time{} }

func timeoutsOf(i tcpinfo.Info) tcpinfo.Opt[uint64] { return i.Timeouts }

// observe takes in the next reading. ended is the stall that it ends, if it ends one.
func (d *detector) observe(r reading) (ended *stall) {
	before := d.last
	d.last = r
	if r.at.Sub(before.at) > stream.Tick+lateReading {
		d.late = r.at
	}
	d.followTimers(r)
	if r.moved > before.moved {
		return d.moved(before, r)
	}
	if !r.outstanding {
		if !d.stalled {
			d.offered = time.Time{}
		}
		return nil
	}
	if r.shut {
		d.shut++
	} else {
		d.inFlight++
	}
	if d.offered.IsZero() {
		d.offered = r.at
		if before.outstanding {
			d.offered = before.at
		}
	}
	since := d.offered
	if d.progress.After(since) {
		since = d.progress
	}
	if !d.stalled && d.ever && r.at.Sub(since) >= d.threshold(r) {
		d.stalled = true
	}
	return nil
}

func (d *detector) threshold(r reading) time.Duration { return max(minStall, d.least, 4*r.rtt) }

func (d *detector) moved(before, r reading) (ended *stall) {
	at, width := middle(before.at, r.at)
	if d.stalled {
		ended = d.close(at, max(width, d.width), r)
		if ended.windowShut && ended.to.Sub(ended.from) < shortShut && d.late.After(ended.from.Add(-alarm)) {
			ended = nil
		}
	}
	d.ever, d.stalled, d.offered = true, false, time.Time{}
	d.progress, d.width = at, width
	d.sent, d.shut, d.inFlight = d.sent[:0], 0, 0
	d.baseTimeouts = d.timeouts
	return ended
}

// middle returns the middle of two readings and half the distance to either. If the host was late with a
// reading, the middle is off by no more than that.
func middle(a, b time.Time) (time.Time, time.Duration) {
	half := b.Sub(a) / 2
	return a.Add(half), half
}

func (d *detector) close(at time.Time, width time.Duration, r reading) *stall {
	s := d.describe(at, width+r.rtt/2)
	// The retransmission that got through was sent a round trip ago. It was seen about then, or it was too quick
	// to be seen before its acknowledgement; those seen later were set off by that.
	success := r.at.Add(-r.rtt)
	slack := 3*stream.Tick + r.rtt/2
	previous := time.Time{}
	for _, t := range d.sent {
		if t.Before(success.Add(-slack)) {
			previous = t
		}
	}
	if !previous.IsZero() {
		s.backoff = success.Sub(previous)
	}
	return s
}

func (d *detector) describe(to time.Time, err time.Duration) *stall {
	s := &stall{from: d.progress, to: to, err: err, known: d.knowTimeouts, windowShut: d.shut > d.inFlight}
	if d.timeouts > d.baseTimeouts {
		s.timeouts = d.timeouts - d.baseTimeouts
	}
	return s
}

// followTimers notes retransmissions and time-outs during a silence.
func (d *detector) followTimers(r reading) {
	n, ok := total(r.infos, func(i tcpinfo.Info) tcpinfo.Opt[uint64] { return i.Retransmitted })
	if ok {
		if n > d.retrans && d.flowing {
			if len(d.sent) == keptSent {
				d.sent = append(d.sent[:0], d.sent[1:]...)
			}
			d.sent = append(d.sent, r.at)
		}
		d.retrans = n
	}
	d.timeouts, d.knowTimeouts = total(r.infos, timeoutsOf)
}

// open returns the stall that goes on at now; nil if none does.
func (d *detector) open(now time.Time) *stall {
	if !d.stalled {
		return nil
	}
	return d.describe(now, d.width+d.last.rtt/2)
}

// lasted returns for how long the stall that goes on has lasted at now; 0 if none does.
func (d *detector) lasted(now time.Time) time.Duration {
	if !d.stalled {
		return 0
	}
	return now.Sub(d.progress)
}
