package outage

import (
	"net/netip"
	"time"

	"whydrop/correlate/timeline"
)

const (
	// sampleTime is the span of a sample; a slower heartbeat has one sample each.
	sampleTime = 100 * time.Millisecond
	// keepTime is how long heartbeats are kept singly: an answer that is older is not counted.
	keepTime = 30 * time.Second
	// minHold and maxHold bound the time a heartbeat may take before it is held for lost.
	minHold = time.Second
	maxHold = 10 * time.Second
)

// reports is what routers and firewalls said of heartbeats.
type reports struct {
	n    int
	by   netip.Addr // who spoke last
	what string
}

// Config says what a [Book] is about.
type Config struct {
	Path      timeline.Subject // subject of every record
	Collector string           // Origin.Collector of every record, e.g. "stamp:a-b"
	Kind      string           // attribute kind of the events of [Run], e.g. "stamp"
	To        string           // where the heartbeat goes, for the events of [Run]
	Heartbeat time.Duration    // time between two heartbeats; must be positive
	Far       netip.Addr       // if valid, [Run] listens to the carrier of this host's link that leads there
	Hint      string           // what else [Run] says of a far end that never answered; "" means nothing
	Out       timeline.Sink
}

// Answer is what came back for one heartbeat.
type Answer struct {
	Number uint64    // the heartbeat's number, as [Book.Sent] returned it
	At     time.Time // when it arrived, with a monotonic reading
	Exact  bool      // At was taken by the kernel on arrival, not by the program when it read
	Far    *Far      // what the far end says; nil if it says nothing
	// Dropped is how many answers arrived since the one before and found no room in this host: they are not the path's.
	Dropped int
}

// Far is what a reflector says about one heartbeat, on its own clock.
type Far struct {
	Received time.Time     // when the heartbeat arrived there
	Sent     time.Time     // when the answer left
	Error    time.Duration // how wrong the two may be, as it says itself
	Sequence uint32        // the reflector's own number for the answer; wraps
	Counts   bool          // Sequence counts what was reflected; otherwise it repeats the sender's
}

// Book keeps the books of one heartbeat. Its methods must be called from one goroutine at a time, with times that
// carry a monotonic reading. Create it with [New].
type Book struct {
	cfg   Config
	start time.Time
	ref   time.Time // the newest time that is known, for wall-clock labels

	ring   []beat
	sent   uint64 // number of the next heartbeat
	next   uint64 // the oldest heartbeat without a verdict
	told   uint64 // heartbeats below are in the samples
	newest uint64 // the highest number that came back
	came   uint64 // how many came back
	late   bool   // one came back after its verdict

	last    beat // the last heartbeat in order that came back and has its verdict
	lastNum uint64
	have    bool
	refused int           // refusals since last
	refusal time.Duration // when the first of them came
	counts  bool

	refusals int     // in all
	reports  reports // what others said, since last
	failed   int     // heartbeats that could not be sent, since last
	failure  error   // why the last of them could not; nil after one came back
	carriers []carrier

	rtt, transit minimum
	forward      line // arrivals at the far end
	reverse      line // arrivals here; of round trips, if the far end does not count
	win          window
	host         hostGap
	pending      []found
}

// beat is one heartbeat. Times count from the book's start.
type beat struct {
	sent      time.Duration
	answered  bool
	reordered bool
	exact     bool
	counted   bool // seq is of a reflector that counts
	far       bool // there, out and home are known
	coarse    time.Duration
	dropped   int           // answers before it that this host had no room for
	kept      time.Duration // how long the far end kept it
	seq       uint32
	dups      uint32
	rtt       time.Duration // without the time the far end kept it
	there     time.Duration // arrival at the far end
	out, home time.Duration // transit there and back, with the unknown difference of the clocks
}

func (e beat) back() time.Duration { return e.sent + e.rtt }

// New returns a book whose heartbeat begins now.
func New(cfg Config, now time.Time) *Book {
	size := int(keepTime/cfg.Heartbeat) + 1
	b := &Book{cfg: cfg, start: now, ref: now, ring: make([]beat, max(size, 64))}
	b.forward = line{beat: cfg.Heartbeat}
	b.reverse = line{beat: cfg.Heartbeat}
	b.win = window{length: max(sampleTime, cfg.Heartbeat)}
	return b
}

// Sent says that a heartbeat is sent at the given time and returns its number; numbers count from 0. A heartbeat
// that could not be sent because of the network (no route, no carrier) counts like any other: it is lost. [Book.Failed]
// says why.
func (b *Book) Sent(at time.Time) uint64 {
	n := b.sent
	*b.beat(n) = beat{sent: b.offset(at)}
	b.sent++
	return n
}

// Stalled says that the host sent no heartbeat between two moments although some were due. What is too
// short to hide an outage is not written.
func (b *Book) Stalled(from, to time.Time) {
	b.offset(to)
	b.host.add(b, b.offset(from), b.offset(to))
}

// Refused says that the far end's host answered that nobody listens there.
func (b *Book) Refused() {
	if b.refused == 0 {
		b.refusal = b.ref.Sub(b.start)
	}
	b.refused, b.refusals = b.refused+1, b.refusals+1
}

// Reported says that somebody on the path said of a heartbeat that it could not be delivered: it is lost, and the
// outage's text repeats who said what.
func (b *Book) Reported(by netip.Addr, what string) {
	b.reports.n++
	b.reports.by, b.reports.what = by, what
}

// Failed says that the heartbeat sent last did not leave this host.
func (b *Book) Failed(err error) { b.failed, b.failure = b.failed+1, err }

// carrier is a change of this host's own link.
type carrier struct {
	at   time.Duration
	card string
	up   bool
}

// Carrier says that a card of this host, on the way to the far end, lost its carrier or has it again.
func (b *Book) Carrier(at time.Time, card string, up bool) {
	const most = 32 // more than a verdict waits for; a flapping link has no end
	if len(b.carriers) == most {
		b.carriers = b.carriers[1:]
	}
	b.carriers = append(b.carriers, carrier{b.offset(at), card, up})
}

// Answered says how many heartbeats came back so far.
func (b *Book) Answered() uint64 { return b.came }

// Answer enters what came back. It reports whether the heartbeat is known and had not come back before.
func (b *Book) Answer(a Answer) bool {
	if a.Number >= b.sent || b.sent-a.Number > uint64(len(b.ring)) {
		return false
	}
	e := b.beat(a.Number)
	if e.answered {
		e.dups++
		return false
	}
	at := b.offset(a.At)
	if at < e.sent { // the kernel's time of arrival, and the clock was set forward since
		at, a.Exact = e.sent+b.rtt.value(), false
	}
	whole := at - e.sent
	var kept time.Duration
	if a.Far != nil {
		kept = min(max(a.Far.Sent.Sub(a.Far.Received), 0), whole)
	}
	e.answered, e.exact, e.rtt, e.kept, e.dropped = true, a.Exact, whole-kept, kept, a.Dropped
	b.rtt.add(at, e.rtt)
	if a.Far != nil {
		b.enterFar(e, at, *a.Far)
	}
	if b.came > 0 && a.Number < b.newest {
		e.reordered = true
	}
	b.newest = max(b.newest, a.Number)
	b.came++
	b.late = b.late || a.Number < b.next
	return true
}

// enterFar estimates when the heartbeat arrived there, on our clock: half the shortest round trip after it was
// sent, plus what it took longer than the quickest, as far as the round trip was longer too.
func (b *Book) enterFar(e *beat, at time.Duration, f Far) {
	const stepped = 10 * time.Millisecond // more than the round trip explains: the far clock was set
	e.far, e.counted, e.seq, e.coarse = true, f.Counts, f.Sequence, f.Error
	b.counts = f.Counts
	e.out = f.Received.Sub(b.start) - e.sent
	e.home = at - f.Sent.Sub(b.start)
	excess := e.rtt - b.rtt.value()
	if b.transit.known() && e.out-b.transit.value() > excess+stepped {
		b.transit = minimum{}
	}
	b.transit.add(at, e.out)
	e.there = e.sent + b.rtt.value()/2 + min(max(e.out-b.transit.value(), 0), excess)
}

// Advance draws the conclusions that are due and writes them. It is to be called at least every 100 ms.
func (b *Book) Advance(now time.Time) {
	b.settle(b.offset(now), b.hold())
}

// Close writes what is left when the heartbeat ends: an outage that goes on is marked as open. The book must not
// be used afterwards.
func (b *Book) Close(now time.Time) {
	at := b.offset(now)
	grace := max(100*time.Millisecond, 2*b.rtt.value()) // shorter than hold: nobody waits for us any more
	b.settle(at, grace)
	b.forward.finish()
	b.reverse.finish()
	b.collect()
	b.report()
	b.reportOpen(at)
	b.win.emit(b)
	b.host.emit(b)
}

// hold is how long a heartbeat may take before it is held for lost.
func (b *Book) hold() time.Duration { return min(max(minHold, 4*b.rtt.value()), maxHold) }

func (b *Book) beat(n uint64) *beat { return &b.ring[n%uint64(len(b.ring))] }

// oldest is the number of the oldest heartbeat that is still kept singly.
func (b *Book) oldest() uint64 {
	if n := uint64(len(b.ring)); b.sent > n {
		return b.sent - n
	}
	return 0
}

// offset returns the monotonic time since the book's start and takes note of the newest wall-clock time.
func (b *Book) offset(t time.Time) time.Duration {
	if t.After(b.ref) {
		b.ref = t
	}
	return t.Sub(b.start)
}

// wall returns the wall-clock time of an offset, by the newest relation of the two clocks.
func (b *Book) wall(d time.Duration) time.Time {
	return b.ref.Add(d - b.ref.Sub(b.start)).Round(0).UTC()
}

func (b *Book) span(from, to time.Duration) timeline.Span {
	return timeline.Span{From: b.wall(from), To: b.wall(to)}
}

func (b *Book) origin() timeline.Origin { return timeline.Origin{Collector: b.cfg.Collector} }

func (b *Book) sample(m timeline.Metric, sp timeline.Span, v float64) {
	b.cfg.Out.Put(timeline.Sample{Subject: b.cfg.Path, Metric: m, Span: sp, Value: v, Origin: b.origin()})
}

func (b *Book) gap(m timeline.Metric, sp timeline.Span, why timeline.Reason, text string) {
	b.cfg.Out.Put(timeline.Gap{Subject: b.cfg.Path, Metric: m, Span: sp, Reason: why, Text: text, Origin: b.origin()})
}
