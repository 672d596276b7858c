package iperf3

import (
	"context"
	"time"

	"whydrop/probe/stream"
	"whydrop/probe/tcpinfo"
)

// How long the data that is on its way gets at the end of a test.
const (
	drainQuiet = 3 * time.Second // without progress
	drainMost  = 8 * time.Second // so that a test ends within 10 s of its time
	farDrain   = 8 * time.Second // what the far end takes at most to read what has arrived
	// A stock server counts only what it read before TEST_END, and closes without reading the rest. What is
	// acknowledged is in its kernel, and this is the time for its program to fetch it; more, up to the second, while
	// the window it offers shows that it has not.
	stockGrace     = 150 * time.Millisecond
	stockGraceMost = time.Second
	// datagramGrace is that time for datagrams, which nobody acknowledges.
	datagramGrace = 100 * time.Millisecond
)

// stopSending ends the senders of this end, if they have not ended; receivers go on until the far end has no more.
func (f *flow) stopSending() {
	f.stopSend()
	<-f.sent
}

// drain waits until the far end has acknowledged everything, as far as the system tells, and returns when the last of
// it was.
func (f *flow) drain(ctx context.Context) (last time.Time) {
	start := time.Now()
	last = start
	moved, widest := uint64(0), uint64(0)
	stream.Every(ctx, start, stream.Tick/2, func(now time.Time) bool {
		r := f.read(now)
		if r.moved != moved {
			moved, last = r.moved, now
		}
		widest = max(widest, r.window())
		return r.outstanding && now.Sub(last) < drainQuiet && now.Sub(start) < drainMost
	})
	if !f.ours {
		pause(ctx, stockGrace)
		stream.Every(ctx, time.Now(), stream.Tick, func(now time.Time) bool {
			// A receiver need not tell of a window that has not doubled (RFC 9293, section 3.8.6.2.2).
			return f.read(now).window()*2 < widest && now.Sub(last) < stockGraceMost
		})
		return last
	}
	for _, c := range f.conns {
		if hc, ok := c.conn.(interface{ CloseWrite() error }); ok && c.sends {
			_ = hc.CloseWrite()
		}
	}
	return last
}

// drainReverse reads what the far end sent before it stopped, until it closes its side; datagrams have no end, and
// what is late by more than a moment counts as lost.
func (f *flow) drainReverse(ctx context.Context) {
	if f.test.UDP {
		stream.Every(ctx, time.Now(), stream.Tick, func(now time.Time) bool { return !lateIsLost(f.conns, f.end, now) })
		f.stopRead()
		f.dataWG.Wait()
		return
	}
	late := time.NewTimer(drainQuiet)
	defer late.Stop()
	select {
	case <-f.received:
	case <-late.C:
	case <-ctx.Done():
	}
	f.stopRead()
	f.dataWG.Wait()
}

// reading is what is known of a flow at one moment.
type reading struct {
	at          time.Time
	moved       uint64         // bytes that arrived: acknowledged by the far end, or received from it
	exact       bool           // moved is what the far end acknowledged, not only what the kernel took
	outstanding bool           // data waits to arrive
	shut        bool           // data waits, and none of it is in flight: the peer's window is shut
	rtt         time.Duration  // the largest of the streams; 0: not known
	infos       []tcpinfo.Info // of each stream; nil where the system tells nothing
}

// window returns what the far end offers to take, over all streams; 0 if that is not known.
func (r reading) window() uint64 {
	n, _ := total(r.infos, func(i tcpinfo.Info) tcpinfo.Opt[uint64] { return i.SendWindow })
	return n
}

// read takes a reading.
func (f *flow) read(now time.Time) (r reading) {
	r = reading{at: now, infos: gather(f.conns)}
	for i := range r.infos {
		r.rtt = max(r.rtt, r.infos[i].RTT.Or(0))
	}
	r.exact = len(r.infos) > 0 || f.test.Reverse
	var inFlight uint64
	knowFlight := len(r.infos) > 0 && !f.test.Reverse
	for i, c := range f.conns {
		var info tcpinfo.Info
		if r.infos != nil {
			info = r.infos[i]
		}
		if !c.sends {
			// What the kernel has is what arrived; the own program may not have run since.
			n := c.bytes()
			if info.BytesReceived.OK {
				n = max(n, info.BytesReceived.Value-f.bases[i])
			}
			r.moved += n
			r.outstanding = r.outstanding || !f.test.Bidirectional // the far end should be sending
			continue
		}
		inFlight += info.Unacked.Or(0)
		knowFlight = knowFlight && info.Unacked.OK
		f.readSender(&r, i, c, info)
	}
	r.shut = r.outstanding && knowFlight && inFlight == 0
	return r
}

// readSender adds the i-th stream, on which this end sends, to a reading.
func (f *flow) readSender(r *reading, i int, c *dataConn, info tcpinfo.Info) {
	written := c.bytes()
	r.outstanding = r.outstanding || c.count.Blocked() > stream.Tick
	if waiting, known := info.Outstanding(); known && waiting {
		r.outstanding = true
	}
	switch {
	case info.BytesAcked.OK:
		r.moved += min(info.BytesAcked.Value-f.bases[i], written) // a FIN counts as one byte
	case info.SendQueue.OK:
		r.moved += written - min(info.SendQueue.Value, written)
	default:
		r.moved += written
		r.exact = false
	}
}

// dueTime takes off the time of a stock receiver what this end waited after the last byte: its clock runs to the word of
// the test's end.
func (f *flow) dueTime(far *Results, waited time.Duration) {
	if f.ours || waited == 0 {
		return
	}
	least := f.end.Sub(f.counted).Seconds()
	for i := range far.Streams {
		if s := &far.Streams[i]; !s.Sends && s.Seconds > least {
			s.Seconds = max(least, s.Seconds-waited.Seconds())
		}
	}
}

// results returns what this end counted.
func (f *flow) results() Results {
	var r Results
	now := time.Now()
	r.CPU = cpuUse(&f.cpu, now)
	for _, c := range f.conns {
		r.Streams = append(r.Streams, c.result(f.seconds(c)))
		if !c.udp() {
			r.Congestion = stream.Inspect(c.conn).Congestion
		}
	}
	return r
}

// seconds returns how long a stream carried data that counts: a sender to the end of the test, a receiver to its last
// byte.
func (f *flow) seconds(c *dataConn) float64 {
	end := f.end
	if last := c.last(); !c.sends && last.After(end) {
		end = last
	}
	return max(0, end.Sub(f.counted).Seconds())
}
