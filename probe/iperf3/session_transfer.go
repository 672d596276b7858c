package iperf3

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"whydrop/probe/stream"
	"whydrop/probe/tcpinfo"
)

// transfer moves the data until the client says that the test is over, or until a limit is reached.
func (t *session) transfer(ctx context.Context, words <-chan word) error {
	if t.answering != nil {
		t.answering()
		t.answering = nil
	}
	if err := t.ctl.send(testStart, nil); err != nil {
		return err
	}
	if err := t.ctl.send(testRunning, nil); err != nil {
		return err
	}
	data, cancel := context.WithCancel(ctx) // of receivers
	sending, stopSend := context.WithCancel(data)
	defer stopSend()
	slow, done := t.fileChunk()
	defer done()
	var wg sync.WaitGroup
	over := make(chan struct{}) // closed when all receivers have ended by themselves
	defer wg.Wait()
	defer cancel()
	t.start = time.Now()
	t.counted = t.start
	t.cpu.Process(t.start)
	if !t.authenticated {
		t.readLimit = stream.NewLimit(t.server.cfg.MaxRate)
	}
	var senders, receivers sync.WaitGroup
	budget := t.budget()
	for _, c := range t.conns {
		if c.sends {
			senders.Go(func() { t.move(sending, c, budget, slow) })
		} else {
			receivers.Go(func() { t.move(data, c, nil, slow) })
		}
	}
	wg.Go(func() { receivers.Wait(); close(over) })

	if err := t.watch(ctx, words); err != nil {
		_ = t.ctl.send(serverTerminate, nil)
		return err
	}
	t.end = time.Now()
	stopSend()
	senders.Wait()
	if !t.params.reverse {
		t.drain(over)
	}
	cancel()
	wg.Wait()
	for _, c := range t.conns {
		if hc, ok := c.conn.(interface{ CloseWrite() error }); ok && c.sends {
			_ = hc.CloseWrite()
		}
	}
	return nil
}

// budget returns how much is sent, all streams together; nil: as much as goes.
func (t *session) budget() *stream.Budget {
	if !t.params.reverse || t.params.omit > 0 || t.params.total == 0 {
		return nil
	}
	// The client ends the test at this many bytes; more would be sent for nothing.
	size := uint64(1)
	if t.params.udp {
		size = uint64(t.params.length)
	}
	return stream.NewBudget((t.params.total + size - 1) / size * size)
}

// move carries one stream's data. That a stream breaks ends it alone; the client decides about the test.
func (t *session) move(ctx context.Context, c *dataConn, budget *stream.Budget, slow func(n int)) {
	cfg, p := t.server.cfg, t.params
	rate := p.rate
	if !t.authenticated {
		if most := cfg.MaxRate / float64(p.streams); rate == 0 || rate > most {
			rate = most
		}
	}
	if p.udp && p.rate == 0 && p.ours == nil { // a stock client reads one datagram at a time
		if most := stream.PlainReceiverRate / float64(p.streams); rate == 0 || rate > most {
			rate = most
		}
	}
	switch {
	case p.udp:
		err := c.moveDatagrams(ctx, datagrams{rate: rate, length: p.length, burst: p.burst, wide: p.counters64, budget: budget})
		if err != nil {
			t.server.log("%v: stream %d: %v", c.conn.RemoteAddr(), c.id, err)
		}
	case !c.sends:
		_ = (&stream.Receiver{Length: p.length, Slow: slow, Verify: p.verify(), Limit: t.readLimit, Count: &c.count}).Run(ctx, c.conn)
	case p.burst > 1 && p.rate > 0:
		_ = (&stream.Sender{Rate: rate, Length: burstLength(p.burst, p.length), Exact: true, Verify: p.verify(), Budget: budget, Slow: slow, Count: &c.count}).Run(ctx, c.conn)
	default:
		_ = (&stream.Sender{Rate: rate, Length: p.length, Verify: p.verify(), Budget: budget, Slow: slow, Count: &c.count}).Run(ctx, c.conn)
	}
}

// errLimit says that a test was ended by a limit of the server.
var errLimit = errors.New("the test was ended")

// firstWait is how long a test may go without its first data, or beyond its time, while it keeps others from theirs.
const firstWait = 5 * time.Second

// How often a session looks at its streams, and when a report is due and nothing comes.
const (
	watchEvery  = 100 * time.Millisecond
	listenEvery = 20 * time.Millisecond
)

// watch waits for the end of the test. It sends reports to a client of ours and enforces time limit and idle limit.
func (t *session) watch(ctx context.Context, words <-chan word) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	idle := t.server.cfg.idle
	if t.params.rate > 0 { // a slow test writes its blocks far apart
		idle = max(idle, time.Duration(3*8*float64(t.params.length)/t.params.rate*float64(time.Second)))
	}
	load := newReporter(t)
	omitted := t.params.omit == 0
	next := t.start.Add(time.Second) // that a report is due
	for shown := next; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case w := <-words:
			if w.err == nil && w.state == testEnd {
				return nil
			}
			return w.problem()
		case now := <-tick.C:
			if !omitted && now.Sub(t.start) >= t.params.omit {
				omitted = true
				t.counted = now
				t.cpu.Process(now)
				for _, c := range t.conns {
					c.base = c.now()
				}
			}
			if err := t.limits(now, idle); err != nil {
				return err
			}
			if t.output != nil && !now.Before(shown) {
				t.output.interval(now, !omitted)
				shown = shown.Add(time.Second)
			}
			full := !now.Before(next)
			if t.params.ours == nil || !full && !t.countsOften() {
				continue
			}
			if t.hearsNothing() {
				tick.Reset(listenEvery)
				continue
			}
			tick.Reset(watchEvery)
			said := load.counts(now)
			if full {
				said = load.report(now)
				if next = next.Add(time.Second); next.Before(now) {
					next = now.Add(time.Second)
				}
			}
			if err := t.ctl.send(stateReport, said); err != nil {
				return err
			}
		}
	}
}

// countsOften says whether the client is told ten times a second what arrived of its datagrams.
func (t *session) countsOften() bool {
	return t.params.udp && (!t.params.reverse || t.params.bidirectional)
}

// hearsNothing says that this end only receives and nothing comes. Then it says nothing of itself: a frame of ours would
// teach bridges on the way where we are, and end an outage that a stale entry makes and that lasts for whoever just
// listens. What is held back is said as soon as something comes.
func (t *session) hearsNothing() bool {
	if t.params.reverse || t.params.bidirectional {
		return false
	}
	for _, c := range t.conns {
		if c.in != nil && time.Since(c.in.Counts().Last) < listenEvery || c.in == nil && c.count.Blocked() < listenEvery {
			return false
		}
	}
	return true
}

// overLimit is what a client may run over the limit: its clock began later, and its host may be busy.
const overLimit = 3 * time.Second

func (t *session) limits(now time.Time, idle time.Duration) error {
	last, waiting := t.start, t.server.queue.Waiting()
	began := false
	for _, c := range t.conns {
		if l := c.last(); l.After(last) {
			last, began = l, true
		}
	}
	ran := now.Sub(t.start)
	switch {
	case t.params.udp && !t.authenticated && ran > time.Second && t.arrived()/ran.Seconds() > 1.2*t.server.cfg.MaxRate:
		return fmt.Errorf("%w: it sends more than the %.4g Mbit/s that are allowed without the token", errLimit, t.server.cfg.MaxRate/1e6)
	// A test that stands still is left to the idle limit: its path may come back.
	case t.limit > 0 && ran > t.limit+overLimit && now.Sub(last) < 500*time.Millisecond:
		return fmt.Errorf("%w: it ran %v, %v are allowed", errLimit, ran.Round(time.Second), t.limit)
	case now.Sub(last) > idle:
		return fmt.Errorf("%w: no data for %v", errLimit, idle)
	case waiting > 0 && t.params.time > 0 && ran > t.params.time+t.params.omit+firstWait:
		return fmt.Errorf("%w: it was to take %v and others wait", errLimit, t.params.time)
	case !began && waiting > 0 && ran > firstWait:
		return fmt.Errorf("%w: it did not begin and others wait", errLimit)
	}
	return nil
}

// arrived returns the bits of all datagrams that arrived.
func (t *session) arrived() (bits float64) {
	for _, c := range t.conns {
		if c.in != nil {
			bits += float64(c.in.Counts().Bytes) * 8
		}
	}
	return bits
}

// drain lets the receivers read what was sent before the end of the test. A client of ours closes its side; a
// stock client does not, so there it has to do that all receivers wait for data in vain.
func (t *session) drain(over <-chan struct{}) {
	const quiet, most = 150 * time.Millisecond, 8 * time.Second
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case now := <-tick.C:
			if t.params.udp {
				if lateIsLost(t.conns, t.end, now) {
					return
				}
				continue
			}
			waiting := now.Sub(t.end) >= quiet
			for _, c := range t.conns {
				waiting = waiting && (c.sends || c.count.Blocked() >= quiet && !unread(c))
			}
			if waiting || now.Sub(t.end) >= most {
				return
			}
		}
	}
}

// unread says whether the kernel holds data that the program has not fetched, where the system tells: on a busy
// host a receiver waits for the processor, not for data.
func unread(c *dataConn) bool {
	info, err := tcpinfo.Get(c.conn)
	return err == nil && info.BytesReceived.OK && info.BytesReceived.Value > cookieSize+c.count.Bytes()+1
}
