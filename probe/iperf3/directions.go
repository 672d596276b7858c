package iperf3

import (
	"time"

	"whydrop/probe/tcpinfo"
)

// Direction is what both ends counted of the streams that go one way.
type Direction struct {
	Reverse        bool     // from the far end to this one
	Sent, Received *Results // by the sender and by the receiver; nil: not known
	length         int      // bytes of a datagram; 0: TCP
}

// Directions returns the test's direction, or both, the one from this end first.
func (r Result) Directions() []Direction {
	var out []Direction
	for _, reverse := range []bool{false, true} {
		local := r.Local.of(!reverse)
		if len(local.Streams) == 0 && (len(r.Local.Streams) > 0 || reverse != r.Reverse) {
			continue
		}
		var far *Results
		if r.Far != nil {
			f := r.Far.of(reverse)
			far = &f
		}
		d := Direction{Reverse: reverse, Sent: &local, Received: far}
		if reverse {
			d.Sent, d.Received = far, &local
		}
		if r.UDP {
			d.length = r.Length
		}
		out = append(out, d)
	}
	return out
}

// of returns the part of the results on whose streams the end that counted sends, or does not.
func (r Results) of(sends bool) Results {
	out := r
	out.Streams = nil
	for _, s := range r.Streams {
		if s.Sends == sends {
			out.Streams = append(out.Streams, s)
		}
	}
	return out
}

// Loss is what became of datagrams. Received plus Lost is always Sent.
type Loss struct {
	Sent, Received, Lost                uint64
	OutOfOrder, Duplicates, HostDropped tcpinfo.Opt[uint64] // counted by the receiver, if it says; HostDropped is of Lost
	Jitter                              tcpinfo.Opt[time.Duration]
}

// Share returns the part that was lost, 0-1; ok is false if nothing was sent.
func (l Loss) Share() (share float64, ok bool) {
	if l.Sent == 0 {
		return 0, false
	}
	return float64(l.Lost) / float64(l.Sent), true
}

// Loss returns what became of the i-th stream's datagrams; ok is false if the receiver's count is not known: then
// nothing is known of loss.
func (d Direction) Loss(i int) (l Loss, ok bool) {
	if d.length == 0 || d.Received == nil || i >= len(d.Received.Streams) {
		return Loss{}, false
	}
	r := d.Received.Streams[i]
	l = Loss{Received: r.Packets, Lost: r.Lost.Or(0), OutOfOrder: r.OutOfOrder, Duplicates: r.Duplicates, HostDropped: r.HostDropped, Jitter: r.Jitter}
	if d.Sent == nil || i >= len(d.Sent.Streams) {
		l.Sent = l.Received + l.Lost
		return l, true
	}
	sent := d.Sent.Streams[i].Packets
	switch {
	case sent > l.Received: // what was lost at the end leaves no gap in the numbers
		l.Lost = sent - l.Received
	case l.Lost > sent:
		l.Lost = 0 // numbers that were never sent
	case l.Lost > 0 && sent == l.Received: // duplicates stand in the place of what was lost
		l.Received -= l.Lost
	}
	l.Sent = l.Received + l.Lost
	return l, true
}

// TotalLoss returns the sum over the streams, with the mean of their jitters.
func (d Direction) TotalLoss() (sum Loss, ok bool) {
	if d.Received == nil {
		return Loss{}, false
	}
	var jitter time.Duration
	jitters := 0
	for i := range d.Received.Streams {
		l, known := d.Loss(i)
		if !known {
			return Loss{}, false
		}
		sum.Sent, sum.Received, sum.Lost = sum.Sent+l.Sent, sum.Received+l.Received, sum.Lost+l.Lost
		sum.OutOfOrder, sum.Duplicates = plus(i, sum.OutOfOrder, l.OutOfOrder), plus(i, sum.Duplicates, l.Duplicates)
		sum.HostDropped = plus(i, sum.HostDropped, l.HostDropped)
		if l.Jitter.OK {
			jitter += l.Jitter.Value
			jitters++
		}
	}
	if jitters > 0 {
		sum.Jitter = tcpinfo.Opt[time.Duration]{Value: jitter / time.Duration(jitters), OK: true}
	}
	return sum, len(d.Received.Streams) > 0
}

// plus adds the i-th value, counted from 0, to the sum of those before it; what one does not give, the sum does not.
func plus(i int, sum, v tcpinfo.Opt[uint64]) tcpinfo.Opt[uint64] {
	if i == 0 {
		return v
	}
	return tcpinfo.Opt[uint64]{Value: sum.Value + v.Value, OK: sum.OK && v.OK}
}
