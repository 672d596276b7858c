package intake

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"whydrop/correlate/timeline"
)

// Message is what came from one sender at one time.
type Message struct {
	From     netip.AddrPort
	Received time.Time
	Data     []byte
	Way      string       // udp, tcp, tls
	Answer   func([]byte) // sends an answer to the sender; nil if there is none
	source   *source      // who is counted
}

// Counts says what became of everything that came.
type Counts struct {
	Received uint64            // messages that came, whole or not
	Stored   uint64            // records that were written
	Dropped  map[string]uint64 // messages that were not kept, by reason
	Unknown  uint64            // of those received, from addresses that are no device's
}

// Lost returns how many messages were not kept, for whatever reason.
func (c Counts) Lost() (n uint64) {
	for _, v := range c.Dropped {
		n += v
	}
	return n
}

// String tells the counts in a line: "812 received, 800 kept, 12 dropped (queue full)".
func (c Counts) String() string {
	s := fmt.Sprintf("%d received, %d kept", c.Received, c.Stored)
	if c.Unknown > 0 {
		s += fmt.Sprintf(" (%d from addresses that are no device's)", c.Unknown)
	}
	var lost []string
	for _, why := range slices.Sorted(maps.Keys(c.Dropped)) {
		lost = append(lost, fmt.Sprintf("%d %s", c.Dropped[why], why))
	}
	if len(lost) > 0 {
		s += ", dropped: " + strings.Join(lost, ", ")
	}
	return s
}

// Limits of the queue and of what is kept.
const (
	room = 8192 // messages that wait; with the longest datagrams some 64 MB, usually 2 MB
	// most is the most senders that are told apart; what comes from others is counted together.
	most = 4096
	// perSecond and burst bound how many records that tell of nothing in particular are kept: a device that debugs
	// at full speed must not fill the memory.
	perSecond = 500
	burst     = 5000
	// typedPerSecond is the same of those that tell of something.
	typedPerSecond = 2000
	tellEvery      = time.Second
)

// Reasons for which a message is not kept, as Counts has them. Receivers add their own.
const (
	QueueFull = "queue full"
	TooMany   = "too many at once"
)

// Queue stands between sockets and the timeline. Put and Wait may be called from several goroutines.
type Queue struct {
	Out  timeline.Sink
	Name string // of the receiver: syslog, trap

	in      chan Message
	mu      sync.Mutex
	counts  Counts
	sources map[netip.Addr]*source
	others  *source
	tokens  map[bool]float64 // of typed records, and of the rest
	filled  time.Time
}

// source is one sender, or all that are too many to be told apart.
type source struct {
	device  string // its name in the site, or Unknown
	waiting int
	dropped uint64 // since it was last told
	why     string // of the last
}

// NewQueue returns a queue that writes to out.
func NewQueue(name string, out timeline.Sink) *Queue {
	return &Queue{
		Out: out, Name: name, in: make(chan Message, room), counts: Counts{Dropped: map[string]uint64{}}, sources: map[netip.Addr]*source{}, others: &source{device: "unknown senders"},
		tokens: map[bool]float64{true: typedPerSecond, false: burst}, filled: time.Now(),
	}
}

// source returns the counts of a sender. The caller holds mu.
func (q *Queue) source(a netip.Addr) *source {
	a = plain(a)
	s := q.sources[a]
	if s == nil {
		if len(q.sources) >= most {
			return q.others
		}
		s = &source{device: Unknown(a)}
		q.sources[a] = s
	}
	return s
}

// Put takes a message in, or drops it if there is no room: in all, or because its sender fills half of it alone.
func (q *Queue) Put(m Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.counts.Received++
	m.source = q.source(m.From.Addr())
	if m.source.waiting < room/2 {
		select {
		case q.in <- m:
			m.source.waiting++
			return
		default:
		}
	}
	q.drop(m.source, QueueFull)
}

// Wait takes a message in, and waits until there is room: for senders that can be held back.
func (q *Queue) Wait(ctx context.Context, m Message) error {
	q.mu.Lock()
	q.counts.Received++
	m.source = q.source(m.From.Addr())
	m.source.waiting++
	q.mu.Unlock()
	select {
	case q.in <- m:
		return nil
	case <-ctx.Done():
		q.mu.Lock()
		defer q.mu.Unlock()
		m.source.waiting--
		q.drop(m.source, "stopped")
		return ctx.Err()
	}
}

// drop counts a message that is not kept. The caller holds mu.
func (q *Queue) drop(s *source, why string) {
	q.counts.Dropped[why]++
	s.dropped++
	s.why = why
}

// Drop counts a message that is not kept for a reason of the receiver's.
func (q *Queue) Drop(m Message, why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if m.source == nil {
		m.source = q.source(m.From.Addr())
	}
	q.drop(m.source, why)
}

// Pass counts a message that holds nothing to be kept: a question that was answered, or one that came again.
func (q *Queue) Pass(why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.counts.Dropped[why]++
}

// Keep writes the record of a message, unless there are too many. known says whether its sender is a device.
func (q *Queue) Keep(m Message, e timeline.Event, known bool) {
	typed := e.Type != timeline.EventSyslog
	q.mu.Lock()
	if m.source != nil && known {
		m.source.device = e.Device
	}
	if !q.afford(typed, m.Received) {
		q.drop(m.source, TooMany)
		q.mu.Unlock()
		return
	}
	q.counts.Stored++
	if !known {
		q.counts.Unknown++
	}
	q.mu.Unlock()
	q.Out.Put(e)
}

// afford takes a token, and fills them up by the time that has passed. The caller holds mu.
func (q *Queue) afford(typed bool, now time.Time) bool {
	if d := now.Sub(q.filled).Seconds(); d > 0 {
		q.tokens[true] = min(typedPerSecond, q.tokens[true]+d*typedPerSecond)
		q.tokens[false] = min(burst, q.tokens[false]+d*perSecond)
		q.filled = now
	}
	if q.tokens[typed] < 1 {
		return false
	}
	q.tokens[typed]--
	return true
}

// Counts returns what became of everything so far.
func (q *Queue) Counts() Counts {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.counts
	c.Dropped = maps.Clone(c.Dropped)
	return c
}

// Run hands each message to take, in order, until ctx ends and what waits is done. Now and then it writes gaps for
// what was dropped. A panic of take is the message's fault and counted; it ends nothing.
func (q *Queue) Run(ctx context.Context, take func(Message)) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	defer q.tell()
	for {
		select {
		case m := <-q.in:
			q.one(m, take)
		case <-tick.C:
			q.tell()
		case <-ctx.Done():
			for {
				select {
				case m := <-q.in:
					q.one(m, take)
				default:
					return
				}
			}
		}
	}
}

func (q *Queue) one(m Message, take func(Message)) {
	q.mu.Lock()
	m.source.waiting--
	q.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			q.Drop(m, "fault while reading it")
		}
	}()
	take(m)
}

// tell writes a gap with a count for every sender of whom something was dropped since it was told last.
func (q *Queue) tell() {
	now := time.Now().UTC()
	q.mu.Lock()
	var out []timeline.Record
	for _, s := range append(slices.Collect(maps.Values(q.sources)), q.others) {
		if s.dropped == 0 {
			continue
		}
		sub, sp := timeline.Device(s.device), timeline.Span{From: now.Add(-tellEvery), To: now}
		origin := timeline.Origin{Collector: q.Name + ":" + s.device}
		out = append(out, timeline.Gap{
			Subject: sub, Metric: timeline.MessagesDropped, Span: sp, Reason: timeline.ReasonHost, Origin: origin,
			Text: fmt.Sprintf("%d messages (%s) were not kept: %s", s.dropped, q.Name, s.why),
		})
		s.dropped = 0
	}
	q.mu.Unlock()
	for _, r := range out {
		q.Out.Put(r)
	}
}
