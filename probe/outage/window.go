package outage

import (
	"fmt"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// window gathers what was sent within one span of a sample.
type window struct {
	length time.Duration

	index               int64
	used                bool
	sent, back          int
	fwd, rev, somewhere int
	counted             bool // every heartbeat that came back was counted there
	reordered           int
	rtts                []time.Duration
	outs, homes         []time.Duration // differences of consecutive transit times

	prev beat // the heartbeat that came back last
}

// open makes the window the one in which a heartbeat was sent; heartbeats come in order.
func (w *window) open(b *Book, sent time.Duration) {
	if i := int64(sent / w.length); !w.used || i != w.index {
		w.emit(b)
		w.index, w.used, w.counted = i, true, b.counts
	}
	w.sent++
}

func (w *window) lost(b *Book, sent time.Duration, f fate) {
	w.open(b, sent)
	switch f {
	case lostForward:
		w.fwd++
	case lostReverse:
		w.rev++
	case lostSomewhere:
		w.somewhere++
	}
}

func (w *window) came(b *Book, e beat) {
	w.open(b, e.sent)
	w.back++
	w.counted = w.counted && e.counted
	if e.reordered {
		w.reordered++
	}
	w.rtts = append(w.rtts, e.rtt)
	if e.far && w.prev.far {
		w.jitter(e)
	}
	w.prev = e
}

// jitter enters the differences of transit times, unless the far end's clock was set in between: then one way
// seems to have grown by what the other lost, and the round trip knows nothing of it.
func (w *window) jitter(e beat) {
	const set = 100 * time.Millisecond
	out, home := e.out-w.prev.out, e.home-w.prev.home
	if out.Abs() > set && (out+home).Abs() < out.Abs()/2 {
		return
	}
	w.outs = append(w.outs, out.Abs())
	w.homes = append(w.homes, home.Abs())
}

// passed writes the window if its time is over and all heartbeats of it have been entered.
func (w *window) passed(b *Book, now time.Duration) {
	if w.used && now >= time.Duration(w.index+1)*w.length {
		w.emit(b)
	}
}

func (w *window) emit(b *Book) {
	if w.sent > 0 {
		w.write(b, b.span(time.Duration(w.index)*w.length, time.Duration(w.index+1)*w.length))
	}
	*w = window{length: w.length, prev: w.prev, rtts: w.rtts[:0], outs: w.outs[:0], homes: w.homes[:0]}
}

func (w *window) write(b *Book, sp timeline.Span) {
	ratio := func(m timeline.Metric, n, of int) {
		if of > 0 {
			b.sample(m, sp, float64(n)/float64(of))
		}
	}
	if len(w.rtts) > 0 {
		slices.Sort(w.rtts)
		b.sample(timeline.RTT, sp, w.rtts[len(w.rtts)/2].Seconds())
	}
	if w.counted && w.somewhere == 0 {
		ratio(timeline.LossForward, w.fwd, w.sent)
		ratio(timeline.LossReverse, w.rev, w.sent-w.fwd)
	} else {
		ratio(timeline.LossRoundTrip, w.fwd+w.rev+w.somewhere, w.sent)
	}
	if len(w.outs) > 0 {
		b.sample(timeline.JitterForward, sp, mean(w.outs).Seconds())
		b.sample(timeline.JitterReverse, sp, mean(w.homes).Seconds())
	}
	ratio(timeline.Reordered, w.reordered, w.back)
}

func mean(ds []time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range ds {
		sum += d
	}
	return sum / time.Duration(len(ds))
}

// hostGap gathers the moments in which the host did not send: those that follow each other are one gap.
type hostGap struct {
	used     bool
	from, to time.Duration
}

func (h *hostGap) add(b *Book, from, to time.Duration) {
	if to-from < minDark(b.cfg.Heartbeat) {
		return // it can hide no outage
	}
	if h.used && from > h.to {
		h.emit(b)
	}
	if !h.used {
		h.used, h.from = true, from
	}
	h.to = to
}

func (h *hostGap) passed(b *Book, now time.Duration) {
	if h.used && now > h.to {
		h.emit(b)
	}
}

func (h *hostGap) emit(b *Book) {
	if !h.used {
		return
	}
	h.used = false
	text := fmt.Sprintf("this host sent no heartbeat for %s: it was busy or asleep", (h.to - h.from).Round(time.Millisecond))
	for _, m := range b.metrics() {
		b.gap(m, b.span(h.from, h.to), timeline.ReasonHost, text)
	}
}
