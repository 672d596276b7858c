package iperf3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/stream"
)

// DefaultRate is what a watch sends at where nobody asks for another rate, in bit/s: enough to see a stall within
// 10 ms, and not enough to fill a path in use.
const DefaultRate = 10e6

// DefaultTestTime is how long one test of a watch lasts where the far end sets no limit.
const DefaultTestTime = time.Hour

// Client watches a path by a TCP flow that never ends: test after test, reconnecting when a flow dies. It is a
// [probe.Prober]. Only Name and Address are needed.
//
// Every 100 ms it writes the goodput, measured by what the far end acknowledged where the system tells (Linux),
// and every second what TCP knows of the flow. A stall (no progress for 200 ms, or four round trips if that is
// longer, although data was to be delivered) becomes a path.outage when it ends; while it lasts, goodput is a
// measured 0.
type Client struct {
	Name    string // of the path
	Address string // "host:port" of the far end
	FarName string // the far end's name as a host; "" is Address's host

	Rate       float64 // bit/s, all streams together; 0: unlimited
	Streams    int     // 0 is 1
	Reverse    bool    // the far end sends
	Token      string  // lifts the limits of a far end of ours; "": none
	TestTime   time.Duration
	Length     int // bytes per write; 0: what 4 ms at the rate come to
	Window     int // bytes, both socket buffers; 0: the system's tuning
	MSS        int // 0: the path's
	Congestion string
	// Dial, if not nil, is used instead of a dialer of our own.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

var _ probe.Prober = (*Client)(nil)

// Path returns the path that is watched.
func (c *Client) Path() timeline.Subject { return timeline.Path(c.Name) }

// Probe watches until ctx ends, then returns nil. It returns an error only if the configuration cannot be: a far
// end that refuses or is busy is an event, and tried again.
func (c *Client) Probe(ctx context.Context, out timeline.Sink) error {
	if err := c.test("").Check(); err != nil {
		return err
	}
	w := newWatch(c, out)
	w.run(ctx)
	return nil
}

func (c *Client) test(replaces string) Test {
	n := max(c.Streams, 1)
	t := Test{
		Address: c.Address, Streams: n, Reverse: c.Reverse, Time: c.TestTime, Rate: c.Rate / float64(n), Length: c.Length,
		Window: c.Window, MSS: c.MSS, Congestion: c.Congestion, Token: c.Token, Dial: c.Dial, replaces: replaces, smooth: true,
	}
	if t.Time <= 0 {
		t.Time = DefaultTestTime
	}
	return t
}

// Times of a watch.
const (
	retryLeast = 200 * time.Millisecond // between attempts to reconnect, doubled each time
	retryMost  = 2 * time.Second
	// silentTooLong is how long the far end may leave an attempt to reconnect unanswered before the path is to
	// blame: a lost SYN alone costs 1 s (RFC 6298, section 2.1).
	silentTooLong = 1500 * time.Millisecond
	// reopenAfter is how long a flow may stall before another one is tried beside it: a device that lost the
	// flow's state may never let it through again. TCP's own timer gets its chance before.
	reopenAfter = 10 * time.Second
	// betweenTests is how long a far end may take to be ready for the next test.
	betweenTests = 2 * time.Second
	// shortTest is the length asked for where a far end finds the default too long.
	shortTest = 60 * time.Second
)

// gap is the time between two flows.
type gap struct {
	lost bool // the flow before broke; else its test was over
	peer bool // the far end answered meanwhile that it does not want us
	path bool // the far end did not answer meanwhile
	from time.Time
}

// watch is the state of one Probe. All its fields belong to the goroutine in run but heard and queued.
type watch struct {
	c    *Client
	out  timeline.Sink
	path timeline.Subject
	far  timeline.Subject

	det     detector
	samples sampler
	held    []heldOutage

	flow      *flow
	ends      time.Time // when the flow's test is over
	finishing bool
	finished  chan error
	opened    chan openResult
	opening   context.CancelFunc // nil: no attempt goes on
	heard     atomic.Int64       // when an attempt last got an answer, Unix nanoseconds
	queued    atomic.Bool        // that answer was that another test runs
	retry     <-chan time.Time
	backoff   time.Duration
	gap       *gap
	switched  bool // the stall that goes on has seen more than one flow
	testTime  time.Duration
	tests     uint64
	problem   string // the last one told
}

type openResult struct {
	flow *flow
	err  error
}

func newWatch(c *Client, out timeline.Sink) *watch {
	far := c.FarName
	if far == "" {
		far, _, _ = net.SplitHostPort(c.Address)
	}
	w := &watch{c: c, out: out, path: c.Path(), far: timeline.Host(far), finished: make(chan error, 1), opened: make(chan openResult, 1), backoff: retryLeast, testTime: c.test("").Time}
	if c.Reverse {
		// The far end's blocks may come far apart at a low rate.
		if t := c.test(""); t.Rate > 0 {
			w.det.least = time.Duration(4 * 8 * float64(t.length()) / t.Rate * float64(time.Second))
		}
	}
	w.samples = sampler{w: w}
	return w
}

func (w *watch) origin() timeline.Origin {
	return timeline.Origin{Collector: "iperf3:" + w.c.Name, Exchange: max(w.tests, 1)}
}

func (w *watch) event(t timeline.EventType, sp timeline.Span, text string, attrs map[string]string) {
	w.out.Put(timeline.Event{Subject: w.path, Type: t, Span: sp, Text: text, Attrs: attrs, Origin: w.origin()})
}

func (w *watch) run(ctx context.Context) {
	w.started()
	tick := time.NewTicker(stream.Tick)
	defer tick.Stop()
	w.open(ctx)
	for {
		var messages <-chan message
		var broken <-chan error
		if w.flow != nil && !w.finishing {
			messages, broken = w.flow.messages, w.flow.broken
		}
		select {
		case <-ctx.Done():
			w.stop()
			return
		case <-tick.C:
			w.tick(ctx, time.Now())
		case m, ok := <-messages:
			w.message(ctx, m, ok)
		case err := <-broken:
			w.lose(ctx, err)
		case o := <-w.opened:
			w.onOpened(ctx, o)
		case err := <-w.finished:
			w.onFinished(ctx, err)
		case <-w.retry:
			w.open(ctx)
		}
	}
}

func (w *watch) started() {
	attrs := map[string]string{"kind": "iperf3", "to": w.c.Address}
	text := "TCP as fast as it goes to " + w.c.Address
	if w.c.Rate > 0 {
		attrs["rate_bps"] = strconv.FormatFloat(w.c.Rate, 'f', -1, 64)
		text = fmt.Sprintf("TCP at %.4g Mbit/s to %s", w.c.Rate/1e6, w.c.Address)
	}
	w.event(timeline.EventProbeStart, timeline.At(time.Now()), text, attrs)
}

// stop ends what goes on. It returns when the watch's goroutines are gone.
func (w *watch) stop() {
	now := time.Now()
	w.releaseHeld(now, true)
	if s := w.det.open(now); s != nil {
		w.outage(*s, true)
	}
	if w.opening != nil {
		w.opening()
		if o := <-w.opened; o.flow != nil {
			o.flow.terminate()
		}
	}
	if w.flow != nil {
		w.flow.terminate()
		if w.finishing {
			<-w.finished
		}
	}
	w.event(timeline.EventProbeStop, timeline.At(now), "stopped", map[string]string{"reason": "stopped"})
}

// open begins an attempt to open a flow.
func (w *watch) open(ctx context.Context) {
	w.retry = nil
	if w.opening != nil || w.flow != nil && !w.det.stalled { // the flow came back by itself
		return
	}
	octx, cancel := context.WithCancel(ctx)
	w.opening = cancel
	w.heard.Store(time.Now().UnixNano())
	w.queued.Store(false)
	t := w.c.test("")
	t.Time = w.testTime
	t.heard = func(queued bool) {
		w.heard.Store(time.Now().UnixNano())
		w.queued.Store(queued)
	}
	if w.flow != nil {
		t.replaces = w.flow.cookie
	}
	go func() { // its one result is read by run, or by stop
		f, err := openFlow(octx, t)
		w.opened <- openResult{f, err}
	}()
}

func (w *watch) onOpened(ctx context.Context, o openResult) {
	w.opening()
	w.opening = nil
	if o.err != nil {
		w.onFailed(ctx, o.err)
		return
	}
	if w.flow != nil { // the old flow never came back
		w.flow.abort()
		w.flowEnded(true)
	}
	if w.finishing {
		<-w.finished
		w.finishing = false
	}
	w.flow, w.problem = o.flow, ""
	w.tests++
	if w.det.stalled {
		w.switched = true
	}
	o.flow.begin()
	now := time.Now()
	w.ends = now.Add(w.testTime)
	if l := o.flow.limit; l > 0 && l < w.testTime {
		w.ends = now.Add(l)
	}
	r := o.flow.read(now)
	w.det.begin(r)
	w.samples.begin(r)
}

// onFailed decides what an attempt that failed means and tries again later.
func (w *watch) onFailed(ctx context.Context, err error) {
	now := time.Now()
	if w.flow != nil {
		w.onBesideFailed(ctx, now, err)
		return
	}
	var tooLong tooLongError
	if errors.As(err, &tooLong) && w.testTime > shortTest {
		w.testTime = shortTest
		w.open(ctx)
		return
	}
	answered := !errors.Is(err, ErrNoAnswer) && (errors.Is(err, ErrRefused) || errors.Is(err, ErrBusy) || errors.Is(err, errProtocol) || errors.Is(err, ErrEnded))
	if w.gap != nil && !w.gap.lost && answered && now.Sub(w.gap.from) < betweenTests {
		w.retry = time.After(openPause / 3)
		return
	}
	if w.gap != nil {
		w.gap.peer = w.gap.peer || answered
		w.gap.path = w.gap.path || errors.Is(err, ErrNoAnswer)
	}
	if answered && w.det.stalled {
		// The path carries again, the far end's program is the problem now.
		if s := w.det.open(now); s != nil {
			w.outage(*s, false)
		}
		w.det.stalled = false
	}
	w.tell(now, err)
	w.later()
}

// onBesideFailed is onFailed for an attempt beside a flow that stalls.
func (w *watch) onBesideFailed(ctx context.Context, now time.Time, err error) {
	switch {
	case !w.det.stalled:
	case errors.Is(err, ErrBusy) && w.det.lasted(now) > 2*reopenAfter:
		// The far end answers, and is busy with the flow that does not move. Only its end frees the place.
		w.lose(ctx, err)
	default:
		w.later()
	}
}

// tell reports a problem once, until it changes or a flow runs.
func (w *watch) tell(now time.Time, err error) {
	if text := err.Error(); text != w.problem {
		w.problem = text
		w.event(timeline.EventProbeProblem, timeline.At(now), text, map[string]string{"kind": "iperf3", "reason": text})
	}
}

func (w *watch) later() {
	w.retry = time.After(w.backoff)
	w.backoff = min(2*w.backoff, retryMost)
}

// flowEnded notes that there is no flow.
func (w *watch) flowEnded(lost bool) {
	w.flow = nil
	w.det.end()
	w.samples.end()
	if w.gap == nil {
		w.gap = &gap{from: time.Now()}
	}
	w.gap.lost = w.gap.lost || lost
}

// lose gives up a flow that broke, and tries again.
func (w *watch) lose(ctx context.Context, err error) {
	young := time.Since(w.flow.start) < time.Second
	w.flow.abort()
	ended := errors.Is(err, ErrEnded)
	w.flowEnded(!ended)
	switch {
	case w.opening != nil: // an attempt goes on already
	case ended && !young:
		w.open(ctx)
	default:
		w.later()
	}
}

func (w *watch) message(ctx context.Context, m message, ok bool) {
	switch {
	case !ok:
		w.lose(ctx, fmt.Errorf("the control connection ended: %w", w.flow.ended))
	case m.state == stateReport:
		w.samples.report(time.Now(), m.text)
		w.releaseHeld(time.Now(), false)
	default:
		err := problem(m)
		if err == nil {
			err = fmt.Errorf("%w: %v in the middle of a test", errProtocol, m.state)
		}
		w.lose(ctx, err)
	}
}

// tick takes a reading and acts on it.
func (w *watch) tick(ctx context.Context, now time.Time) {
	w.releaseHeld(now, false)
	if w.flow == nil {
		w.tickWithout(now)
		return
	}
	r := w.flow.read(now)
	first := w.gap != nil && r.moved > w.det.last.moved
	before, ever := w.det.progress, w.det.ever
	ended := w.det.observe(r)
	switch {
	case ended != nil:
		w.outage(*ended, false)
		if w.opening != nil { // an attempt beside it is not needed any more
			w.opening()
		}
	case first && ever && w.gapWasOutage(before):
		w.switched = true
		w.outage(stall{from: before, to: w.det.progress, err: w.det.width + r.rtt/2}, false)
	}
	if first {
		w.closeGap(before, ever)
	}
	if w.finishing && !w.det.stalled && now.Sub(time.Unix(0, w.heard.Load())) >= w.patience() {
		w.det.stalled, w.switched = true, true
	}
	if !w.det.stalled {
		w.switched = false
		if first || now.Sub(w.flow.start) > time.Second {
			w.backoff = retryLeast
		}
	}
	w.samples.tick(now, r, !w.finishing || w.det.stalled)
	switch {
	case !w.finishing && !w.det.stalled && now.After(w.ends):
		w.finish(ctx)
	case w.det.lasted(now) > reopenAfter && w.opening == nil && w.retry == nil:
		w.later()
	}
}

// errQueued is told where the far end lets us wait.
var errQueued = fmt.Errorf("%w with another test; this one waits for its turn", ErrBusy)

// patience is how long the far end may be silent at the end of a test. One whose program is slow reads first
// what has arrived.
func (w *watch) patience() time.Duration {
	if w.flow.ours && w.samples.readStall >= notReading {
		return silentTooLong + farDrain
	}
	return silentTooLong
}

// tickWithout watches over the time without a flow.
func (w *watch) tickWithout(now time.Time) {
	if w.queued.Load() {
		w.tell(now, errQueued)
		if w.gap != nil {
			w.gap.peer = true
		}
	}
	if !w.det.stalled && w.det.ever && w.gap != nil && !w.gap.peer {
		silence := now.Sub(time.Unix(0, w.heard.Load()))
		if w.opening != nil && silence >= silentTooLong || w.gap.lost && w.gap.path {
			w.det.stalled, w.switched = true, true
		}
	}
	if w.det.stalled {
		w.samples.nothing(now, w.det.progress)
	}
}

// gapWasOutage says whether the time between two flows is the path's doing.
func (w *watch) gapWasOutage(before time.Time) bool {
	if w.gap.peer || w.det.progress.Sub(before) < minStall {
		return false
	}
	return w.gap.lost || w.gap.path
}

// closeGap tells that nothing was measured while the far end did not take us.
func (w *watch) closeGap(before time.Time, ever bool) {
	g := w.gap
	w.gap = nil
	if !g.peer || !ever {
		return
	}
	w.out.Put(timeline.Gap{Subject: w.path, Metric: w.samples.goodput(), Span: timeline.Span{From: before, To: w.det.progress}, Reason: timeline.ReasonPeer, Text: "the far end took no test", Origin: w.origin()})
}

// finish ends a test whose time is over. run reads the result.
func (w *watch) finish(ctx context.Context) {
	w.finishing = true
	w.heard.Store(time.Now().UnixNano())
	f := w.flow
	go func() {
		_, err := f.finish(ctx)
		w.finished <- err
	}()
}

func (w *watch) onFinished(ctx context.Context, err error) {
	w.finishing = false
	if w.flow == nil {
		return
	}
	if err != nil {
		w.lose(ctx, err)
		return
	}
	w.flow.abort()
	w.flowEnded(false)
	if w.opening == nil {
		w.open(ctx)
	}
}
