package iperf3

import (
	"context"
	"errors"
	"fmt"
	"time"

	"whydrop/probe/stream"
	"whydrop/probe/tcpinfo"
)

// Handler is told of a test while it runs, from one goroutine. Each may be nil.
type Handler struct {
	Connected func([]Connection)
	Begun     func(Result) // the data begins to flow; what a Result says of the test itself is there
	Interval  func(Interval)
	Notice    func(text string) // something the person should know: a limit, a problem
}

// Run runs one test and tells h of it every interval (at least 10 ms). When ctx ends it returns soon, with what
// was measured. An error means that nothing was measured; that the far end did not deliver its results is in
// Result.FarProblem. A test ends at most 10 s after its time.
func Run(ctx context.Context, t Test, interval time.Duration, h Handler) (Result, error) {
	t = t.withDefaults()
	f, err := openFlow(ctx, t)
	for try := 0; try < openTries && ctx.Err() == nil && (errors.Is(err, ErrRefused) || errors.Is(err, ErrBusy)); try++ {
		pause(ctx, openPause)
		f, err = openFlow(ctx, t)
	}
	if err != nil {
		return Result{}, err
	}
	defer f.abort()
	r := &run{f: f, h: h, every: max(interval, stream.Tick), result: Result{Cookie: f.cookie, Reverse: t.Reverse, UDP: t.UDP, Length: f.test.length(), OursFar: f.ours, FarRate: f.rate}}
	r.connected()
	f.begin()
	r.result.Started = f.start
	if h.Begun != nil {
		h.Begun(r.result)
	}
	r.ends = t.Time
	if f.limit > 0 && (t.Time == 0 || t.Time > f.limit) { // what is omitted is beside it
		r.ends = f.limit
		r.notice(fmt.Sprintf("the far end limits the test to %v without its token", f.limit))
	}
	if f.rate > 0 && t.Rate == 0 {
		r.notice(fmt.Sprintf("the far end limits the test to %.4g Mbit/s without its token", f.rate/1e6))
	}
	if t.Verify && !f.ours {
		r.notice("the far end is not whydrop: it cannot compare what arrives")
	}
	ended := r.measure(ctx)
	if err := r.end(ctx, ended); err != nil {
		return Result{}, err
	}
	return r.result, nil
}

// A stock server closes its listening socket between two tests: who comes then is refused, or told that it is busy.
const (
	openTries = 3
	openPause = 150 * time.Millisecond
)

// run is a test of Run while it goes on.
type run struct {
	f      *flow
	h      Handler
	every  time.Duration
	ends   time.Duration // 0: never by time
	result Result
	det    detector

	from    time.Duration // where the interval that goes on began
	omits   bool          // the beginning that does not count goes on
	marks   []mark        // of each stream when the interval began
	retrans []uint64
	far     farCounts
}

func (r *run) notice(text string) {
	if r.h.Notice != nil {
		r.h.Notice(text)
	}
}

func (r *run) connected() {
	for _, c := range r.f.conns {
		n := 0
		if c.udp() {
			n = r.f.test.length()
		}
		r.result.Connections = append(r.result.Connections, Connection{c.id, c.sends, c.conn.LocalAddr(), c.conn.RemoteAddr(), stream.Inspect(c.conn), n})
		r.result.TCP = append(r.result.TCP, Summary{ID: c.id})
	}
	r.marks, r.retrans = make([]mark, len(r.f.conns)), make([]uint64, len(r.f.conns))
	r.omits = r.f.test.Omit > 0
	if r.h.Connected != nil {
		r.h.Connected(r.result.Connections)
	}
}

// measure follows the test until its end and returns why it ended; nil: it was over.
func (r *run) measure(ctx context.Context) error {
	f := r.f
	first := f.read(f.start)
	for i, info := range first.infos {
		r.retrans[i] = info.Retransmitted.Or(0)
	}
	if (f.test.Reverse || f.test.UDP) && f.test.Rate > 0 {
		r.det.least = time.Duration(4 * 8 * float64(f.test.length()) / f.test.Rate * float64(time.Second))
	}
	r.det.begin(first)
	tick := time.NewTicker(stream.Tick)
	defer tick.Stop()
	sent := f.sent
	if f.test.Reverse {
		sent = nil
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-sent:
			return nil
		case err := <-f.broken:
			if r.result.Broken = append(r.result.Broken, err); len(r.result.Broken) == len(f.conns) {
				return err
			}
			r.notice(fmt.Sprintf("%v; the others go on", err))
		case m, ok := <-f.messages:
			switch err := problem(m); {
			case !ok:
				return fmt.Errorf("the control connection ended: %w", f.ended)
			case err != nil:
				return err
			case m.state != stateReport:
				return fmt.Errorf("%w: %v in the middle of a test", errProtocol, m.state)
			default:
				r.far.hear(m.text)
			}
		case <-tick.C:
			if r.tick(time.Now()) {
				return nil
			}
		}
	}
}

// tick takes a reading and says whether the test is over.
func (r *run) tick(now time.Time) bool {
	v := r.f.read(now)
	if s := r.det.observe(v); s != nil {
		r.result.Stalls = append(r.result.Stalls, Stall{From: s.from, To: s.to})
		r.notice(fmt.Sprintf("nothing arrived for %.2f s", s.to.Sub(s.from).Seconds()))
	}
	if r.omits && now.Sub(r.f.start) >= r.f.test.Omit {
		r.interval(now.Sub(r.f.start), v)
		r.omits, r.from = false, 0
		r.f.omitHead(now, v.moved, r.marks)
	}
	at := now.Sub(r.f.counted)
	r.summarise(v)
	if r.omits {
		if at-r.from >= r.every-stream.Tick/2 && r.f.test.Omit-at >= 2*stream.Tick {
			r.interval(at, v)
		}
		return false
	}
	last := r.ends > 0 && r.ends-at < 2*stream.Tick // the end follows at once and takes this interval along
	if at-r.from >= r.every-stream.Tick/2 && !last {
		r.interval(at, v)
	}
	if r.f.test.Reverse && r.f.test.Bytes > 0 && v.moved-r.f.omitted >= r.f.test.Bytes {
		return true
	}
	return r.ends > 0 && at >= r.ends
}

func (r *run) summarise(v reading) {
	for i, info := range v.infos {
		if !r.f.conns[i].sends {
			continue
		}
		s := &r.result.TCP[i]
		s.MaxCwnd = max(s.MaxCwnd, info.Cwnd.Or(0))
		s.MaxSendWindow = max(s.MaxSendWindow, info.SendWindow.Or(0))
		if rtt := info.RTT.Or(0); rtt > 0 {
			s.MaxRTT = max(s.MaxRTT, rtt)
			if s.MinRTT == 0 || rtt < s.MinRTT {
				s.MinRTT = rtt
			}
			s.rttSum += rtt
			s.rttCount++
			s.MeanRTT = s.rttSum / time.Duration(s.rttCount)
		}
	}
}

// interval tells of the interval that ends at the time given.
func (r *run) interval(to time.Duration, v reading) {
	iv := Interval{From: r.from, To: to, Omitted: r.omits}
	for i, c := range r.f.conns {
		m := c.now()
		d := m.since(r.marks[i])
		s := StreamInterval{ID: c.id, Sends: c.sends, Bytes: d.bytes}
		if c.udp() {
			s.Datagrams = &DatagramInterval{Packets: d.packets, Lost: d.lost, OutOfOrder: d.reordered, Duplicates: d.duplicates}
		}
		if c.out != nil {
			s.Datagrams.Far = r.far.since(c.id, m.packets)
		}
		if c.in != nil {
			if a := c.in.Counts(); a.Datagrams > 1 {
				s.Datagrams.Jitter = tcpinfo.Opt[time.Duration]{Value: a.Jitter, OK: true}
			}
		}
		r.marks[i] = m
		if v.infos != nil {
			s.Info = v.infos[i]
			if total := s.Info.Retransmitted; total.OK && c.sends {
				s.Retransmits = tcpinfo.Opt[uint64]{Value: total.Value - r.retrans[i], OK: true}
				r.retrans[i] = total.Value
			}
		}
		iv.Streams = append(iv.Streams, s)
	}
	r.from = to
	if r.h.Interval != nil {
		r.h.Interval(iv)
	}
}

// end finishes the test and completes the result.
func (r *run) end(ctx context.Context, ended error) error {
	f := r.f
	f.stopSending()
	f.end = time.Now()
	r.result.Duration = f.end.Sub(f.counted)
	if to := r.result.Duration; to-r.from > stream.Tick || r.unreported() {
		r.interval(to, f.read(f.end))
	}
	if r.omits { // it ended before anything counted
		f.omitHead(f.end, 0, r.marks)
		r.result.Duration = 0
	}
	if s := r.det.open(f.end); s != nil {
		r.result.Stalls = append(r.result.Stalls, Stall{From: s.from, To: s.to, Open: true})
	}
	switch {
	case ended == nil:
		fctx, cancel := context.WithTimeout(ctx, endMost)
		defer cancel()
		far, err := f.finish(fctx)
		if err == nil {
			r.result.Far = &far
		} else if ended = err; errors.Is(err, context.DeadlineExceeded) {
			ended = fmt.Errorf("%w to the end of the test", ErrNoAnswer)
		}
		r.result.Local = f.results()
	default:
		r.result.Local = f.results()
		f.terminate()
	}
	r.result.Interrupted = ctx.Err() != nil
	r.result.FarProblem = ended
	if r.nothing() && ended != nil {
		return fmt.Errorf("iperf3: %s: nothing was measured: %w", f.test.Address, ended)
	}
	if far := r.result.Far; far != nil && far.Bytes() == 0 && r.nothing() {
		return fmt.Errorf("iperf3: %s: nothing was measured: %w", f.test.Address, errNothingSent)
	}
	if ended != nil && !r.result.Interrupted {
		r.notice(fmt.Sprintf("the far end's result is missing: %v", ended))
	}
	return nil
}

// errNothingSent says that a test came to its end without a byte. Where the far end sends, its own log says why.
var errNothingSent = errors.New("neither end sent a byte")

// nothing says whether no byte moved at all, those of what was omitted included.
func (r *run) nothing() bool {
	for _, c := range r.f.conns {
		if c.bytes() > 0 {
			return false
		}
	}
	return true
}

// unreported says whether bytes were counted that are in no interval yet.
func (r *run) unreported() bool {
	for i, c := range r.f.conns {
		if c.bytes() != r.marks[i].bytes {
			return true
		}
	}
	return false
}

// endMost bounds the end of a test: waiting for what is on its way, and the results.
const endMost = 9500 * time.Millisecond
