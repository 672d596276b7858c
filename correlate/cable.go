package correlate

import (
	"fmt"
	"math"
	"time"

	"whydrop/correlate/timeline"
)

// CableVerdict is what a certificate says of a link or one direction of it.
type CableVerdict string

// The verdicts, from the best to the worst.
const (
	CablePass      CableVerdict = "pass"
	CableUndecided CableVerdict = "undecided" // too few bits so far
	CableUnseen    CableVerdict = "not seen"  // the receiver's counters were not read
	CableWarn      CableVerdict = "warn"      // works, but is worse than it should be
	CableFail      CableVerdict = "fail"
)

// CableFacts is what is known of a port beyond the timeline. What is not known is zero.
type CableFacts struct {
	Media   string                     // as the device says; hostile text
	Offers  float64                    // the highest speed that this end offers, bit/s
	Old     map[timeline.Metric]uint64 // what its error counters stood at before the test
	Pairs   []CablePair                // of the last cable test that the device holds; nothing starts one
	HalfFar bool                       // its neighbour says, or offers nothing but, half duplex
}

// CablePair is one pair of a copper cable as the last cable test saw it.
type CablePair struct {
	Pair, Status string
	Metres       float64 // to the end or the fault; NaN if not told
}

// sound says whether a cable test found nothing wrong with the pair.
func (p CablePair) sound() bool { return p.Status == "normal" || p.Status == "ok" || p.Status == "" }

// CableLink is a link to judge: A is a port that is read; B is the one at its other end, the zero Subject if no device
// that is read has it.
type CableLink struct {
	A, B  timeline.Subject
	Far   string        // what is known of the other end where B is not: "sw3 Gi0/1", "printer"; "" if nothing; hostile text
	Facts [2]CableFacts // of A and of B
}

// Both says whether both ends are read.
func (l CableLink) Both() bool { return l.B != timeline.Subject{} }

// End returns A for 0 and B for 1.
func (l CableLink) End(i int) timeline.Subject { return [2]timeline.Subject{l.A, l.B}[i] }

// EndName returns what the end is called; the other end may be known by name only.
func (l CableLink) EndName(i int) string {
	switch {
	case i == 0 || l.Both():
		return l.End(i).String()
	case l.Far != "":
		return l.Far
	}
	return "the other end"
}

// CableWay is one direction of a link: what the port at its end received.
type CableWay struct {
	To      int     // the receiving end: 0 is A
	Seen    bool    // the receiver's counters were read
	Bits    float64 // that came, Ethernet header and FCS with them, those of bad frames too
	Frames  float64 // that came, bad ones too
	Bad     float64 // frames damaged on this link
	Seconds float64 // for which the counters are known

	BER, Low, High float64 // bit error ratio with its 95 % interval: every bad frame counts as one bit error, the least it can have; NaN without traffic
	Pass, Fail     float64 // limits of the link's speed
	Verdict        CableVerdict
	Settled        bool          // more time is not expected to change the verdict
	More           time.Duration // until it is settled, if errors and traffic go on as they did
	MoreKnown      bool

	Counter timeline.Metric // what bad frames were counted by: if.in.fcs, or if.in.errors where the device has no other
	Refresh float64         // how often the receiver's device refreshes its counters, seconds; 0 if not known
	Stomped float64         // bad frames that an earlier switch had marked; not counted
	Other   float64         // input errors of no known kind; not counted
	Symbols float64         // bad symbols, between frames too
	Polls   int             // readings of the counters
	BadIn   int             // readings in which there were bad frames
}

// blur is by what share the bits of a direction are not known.
func (w CableWay) blur() float64 {
	if w.Refresh < slowRefresh || w.Seconds <= 0 {
		return 0
	}
	return w.Refresh / w.Seconds
}

// slowRefresh is from how many seconds on a refresh period matters.
const slowRefresh = 1.5

// atLeast is how many seconds a test must last for its counters to have been refreshed often enough.
func (w CableWay) atLeast() float64 {
	if w.Refresh < slowRefresh {
		return 0
	}
	const refreshes = 3
	return refreshes * w.Refresh
}

// FrameRatio returns the share of bad frames with its 95 % interval; NaN without frames.
func (w CableWay) FrameRatio() (ratio, low, high float64) { return berOf(w.Bad, w.Frames, w.blur()) }

// CableEnd is the state of one end during the test; what is not known is NaN.
type CableEnd struct {
	Speed, Half, Offers      float64 // bit/s; 1 is half duplex
	Rx, RxWarn, RxAlarm      float64 // dBm: received power and the module's own thresholds
	Tx, TxWarn               float64 // dBm
	Flaps                    int     // times that the link went down; only where Watched
	LateCollisions, Overruns float64 // NaN if not counted
	Down, Unidirectional     bool    // at the end of the test; by UDLD
	Interrupted              bool    // its counters were reset during the test
	Watched                  bool    // whether it was up was read, or told, during the test
}

// CableResult is a link judged.
type CableResult struct {
	Link       CableLink
	Span       timeline.Span
	Speed      float64     // bit/s, 0 if not known
	Ways       [2]CableWay // from A to B, from B to A
	Ends       [2]CableEnd
	Verdict    CableVerdict
	Settled    bool
	Reasons    []string // why the verdict is no better
	First      string   // what to look at first; "" if nothing is wrong
	Notes      []string // what limits the certificate
	Confidence float64  // 0 to 1
}

// OneSided says whether one direction alone was seen, so that the verdict is of that one.
func (r CableResult) OneSided() bool { return r.Ways[0].Seen != r.Ways[1].Seen }

// JudgeCable judges a link by what its ports counted within the span. It takes only what rose within it: what the
// counters stood at before is shown and never counted.
func JudgeCable(s timeline.Snapshot, l CableLink, sp timeline.Span) CableResult {
	r := CableResult{Link: l, Span: sp}
	for i := range r.Ends {
		r.Ends[i] = cableEnd(s, l, i, sp)
		if v := r.Ends[i].Speed; v > 0 && (r.Speed == 0 || v < r.Speed) {
			r.Speed = v
		}
	}
	pass, fail := CableLimits(r.Speed)
	r.Settled = true
	for i := range r.Ways {
		w := &r.Ways[i]
		*w = cableWay(s, l.End(1-i), sp)
		w.To, w.Pass, w.Fail = 1-i, pass, fail
		w.judge()
		r.Settled = r.Settled && (w.Settled || w.To == 1 && !l.Both())
	}
	r.conclude()
	return r
}

// judge gives a direction its verdict.
func (w *CableWay) judge() {
	if !w.Seen {
		w.Verdict, w.BER, w.Low, w.High = CableUnseen, math.NaN(), math.NaN(), math.NaN()
		return
	}
	w.BER, w.Low, w.High = berOf(w.Bad, w.Bits, w.blur())
	w.Verdict, w.Settled = decide(w.Low, w.High, w.Pass, w.Fail)
	if w.Seconds < w.atLeast() {
		w.Verdict, w.Settled = CableUndecided, false
	}
	if w.MoreKnown = w.Settled; !w.Settled {
		w.More, w.MoreKnown = moreTime(*w)
	}
}

// otherErrors lists what else than damaged frames a device may count among its input errors.
var otherErrors = []timeline.Metric{timeline.InRunts, timeline.InGiants, timeline.InOverrun, timeline.InIgnored, timeline.InNoBuffer, timeline.InMACErrors}

// cableWay counts what a port received.
func cableWay(s timeline.Snapshot, port timeline.Subject, sp timeline.Span) CableWay {
	w := CableWay{Counter: timeline.InFCS}
	series := s.Between(port, timeline.InFCS, sp)
	if len(series) == 0 {
		w.Counter = timeline.InErrors
		series = s.Between(port, timeline.InErrors, sp)
	}
	total := func(m timeline.Metric) float64 { return whole(s.Between(port, m, sp)) }
	for _, x := range series {
		bits := Total(s.Between(port, timeline.InBits, x.Span), x.Span)
		if math.IsNaN(bits) {
			continue // how much came is not known, so neither is the share
		}
		w.Seen = true
		n := math.Round(x.Value * x.Span.Width().Seconds())
		w.Bits, w.Bad, w.Seconds, w.Polls = w.Bits+bits, w.Bad+n, w.Seconds+x.Span.Width().Seconds(), w.Polls+1
		if f := Total(s.Between(port, timeline.InPackets, x.Span), x.Span); !math.IsNaN(f) {
			w.Frames += math.Round(f)
		}
		if n > 0 {
			w.BadIn++
		}
	}
	if !w.Seen {
		return w
	}
	known := 0.0
	for _, m := range otherErrors {
		known += total(m)
	}
	if w.Counter == timeline.InFCS {
		w.Bad += total(timeline.InAlignment)
		w.Other = max(0, total(timeline.InErrors)-w.Bad-known)
		w.Stomped = min(w.Bad, total(timeline.InStomped))
		w.Bad -= w.Stomped
	} else {
		w.Bad = max(0, w.Bad-known)
	}
	w.Symbols = total(timeline.InSymbol)
	if w.Frames > 0 {
		w.Bits += w.Bad * w.Bits / w.Frames // octets of bad frames are not in the octets counted
	}
	w.Frames += w.Bad + w.Stomped
	if v, ok := s.Last(timeline.Device(port.Device), timeline.RefreshPeriod); ok {
		w.Refresh = v.Value
	}
	return w
}

// whole returns the count behind the samples of a counter's rate; 0 if there are none.
func whole(v []timeline.Sample) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Round(x.Value * x.Span.Width().Seconds())
	}
	return sum
}

// cableEnd gathers the state of one end.
func cableEnd(s timeline.Snapshot, l CableLink, i int, sp timeline.Span) CableEnd {
	port := l.End(i)
	last := func(m timeline.Metric) float64 {
		if v := s.Between(port, m, sp); len(v) > 0 {
			return v[len(v)-1].Value
		}
		return math.NaN()
	}
	count := func(m timeline.Metric) float64 {
		v := s.Between(port, m, sp)
		if len(v) == 0 {
			return math.NaN()
		}
		return whole(v)
	}
	e := CableEnd{
		Speed: last(timeline.Speed), Half: last(timeline.HalfDuplex), Offers: offers(s, l, i, sp),
		Rx: last(timeline.RxPower), RxWarn: last(timeline.RxLowWarn), RxAlarm: last(timeline.RxLowAlarm),
		Tx: last(timeline.TxPower), TxWarn: last(timeline.TxLowWarn),
		LateCollisions: count(timeline.LateCollisions), Overruns: count(timeline.InOverrun),
	}
	e.Down = last(timeline.Oper) == 0
	for _, ev := range s.EventsOf(port) {
		if !ev.Span.To.After(sp.From) || ev.Span.From.After(sp.To) {
			continue
		}
		switch {
		case ev.Type == timeline.EventOper && ev.Attrs["to"] != "up":
			e.Flaps++
		case ev.Type == timeline.EventUDLD:
			e.Unidirectional = ev.Attrs["to"] == "unidirectional"
		case ev.Type == timeline.EventCleared, ev.Type == timeline.EventUnreliable, ev.Type == timeline.EventRenumbered:
			e.Interrupted = true
		}
	}
	// A link that went away and came back between two readings is counted only by the device.
	if n := count(timeline.CarrierTransitions); n >= 2 {
		e.Flaps = max(e.Flaps, int(n/2))
	}
	e.Watched = e.Flaps > 0 || !math.IsNaN(last(timeline.Oper))
	return e
}

// offers returns the highest speed that an end offers: what its neighbour heard of it, else what its hardware can.
func offers(s timeline.Snapshot, l CableLink, i int, sp timeline.Span) float64 {
	if other := l.End(1 - i); other != (timeline.Subject{}) {
		if v := s.Between(other, timeline.NeighbourSpeed, sp); len(v) > 0 {
			return v[len(v)-1].Value
		}
	}
	if v := s.Between(l.End(i), timeline.SpeedMax, sp); len(v) > 0 {
		return v[len(v)-1].Value
	}
	if v := l.Facts[i].Offers; v > 0 {
		return v
	}
	return math.NaN()
}

// counterWord names a counter of bad frames.
func counterWord(m timeline.Metric) string {
	if m == timeline.InErrors {
		return "input errors (the device counts no FCS errors)"
	}
	return "FCS and alignment errors"
}

// Method says in a sentence how the figures of a direction were made.
func (w CableWay) Method() string {
	word := "readings"
	if w.Polls == 1 {
		word = "reading"
	}
	return fmt.Sprintf("%s of the receiving port, %d %s over %.0f s", counterWord(w.Counter), w.Polls, word, w.Seconds)
}
