package iperf3

import (
	"fmt"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
)

// heldOutage waits for the far end's word on whether its program read.
type heldOutage struct {
	stall    stall
	switched bool
	since    time.Time
}

const (
	// holdMost is how long an outage waits for a report; reports come each second.
	holdMost = 2500 * time.Millisecond
	// notReading is the share of time away from reading from which the far end's program is the cause.
	notReading = 0.3
)

// outage writes a stall to the sink. Where the peer's window was shut and the far end can say whether its program
// read, it is asked first: a program that does not read is no outage of the path.
func (w *watch) outage(s stall, open bool) {
	if s.windowShut && open && w.samples.readStall >= notReading && s.to.Sub(w.samples.reported) < holdMost {
		return
	}
	if s.windowShut && !open && w.flow != nil && w.flow.ours {
		w.held = append(w.held, heldOutage{s, w.switched, time.Now()})
		w.releaseHeld(time.Now(), false)
		return
	}
	w.putOutage(s, open, w.switched)
}

// releaseHeld decides on the outages for which the far end has spoken, or on all.
func (w *watch) releaseHeld(now time.Time, all bool) {
	kept := w.held[:0]
	for _, h := range w.held {
		spoken := w.samples.reported.After(h.stall.from.Add(time.Second)) && w.samples.reported.After(h.stall.to.Add(-time.Second/2))
		switch {
		case w.samples.readStall >= notReading && (spoken || all && w.samples.reported.After(h.stall.from)):
		case spoken || all || now.Sub(h.since) > holdMost:
			w.putOutage(h.stall, false, h.switched)
		default:
			kept = append(kept, h)
		}
	}
	w.held = kept
}

func (w *watch) putOutage(s stall, open, reconnected bool) {
	direction := timeline.Forward
	if w.c.Reverse {
		direction = timeline.Reverse
	}
	attrs := map[string]string{
		"direction": direction, "seen_by": timeline.SeenByTCP, "error_ms": millis(s.err),
	}
	if s.known && !reconnected && !w.c.Reverse { // the far end's timers are not known here
		attrs["rto"] = strconv.FormatUint(s.timeouts, 10)
	}
	if s.backoff > 0 && !reconnected {
		attrs["backoff_ms"] = millis(s.backoff)
	}
	if s.windowShut {
		attrs["window_shut"] = "true"
	}
	if reconnected {
		attrs["reconnected"] = "true"
	}
	text := fmt.Sprintf("TCP stood still for %.2f s", s.to.Sub(s.from).Seconds())
	if open {
		attrs["open"] = "true"
		text = fmt.Sprintf("TCP has stood still for %.2f s", s.to.Sub(s.from).Seconds())
	}
	w.event(timeline.EventOutage, timeline.Span{From: s.from, To: s.to}, text, attrs)
}

func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64)
}
