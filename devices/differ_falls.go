package devices

import (
	"time"

	"whydrop/correlate/timeline"
)

// A counter that falls was cleared, or began anew. One that falls again and again is none: nothing that it says is
// believed until it has risen for a while.
const (
	fallsWithin = 2 * time.Minute
	fallsMost   = 3 // within that time

	fallsAgain = "the counter falls again and again; not believed"
)

// fallsAgain notes which counters of the port fell, marks those that fall again and again as not believed, and says
// whether one that fell now is among them. The first time it writes an event.
func (w *writer) fallsAgain(p *portState, sub timeline.Subject, deltas []delta) (fell bool) {
	now := w.now.To
	for n := range deltas {
		dl := &deltas[n]
		falls := dl.state.falls
		if dl.fell {
			falls = append(falls, now)
		} else if len(falls) == 0 {
			continue
		}
		for len(falls) > 0 && (now.Sub(falls[0]) > fallsWithin || len(falls) > fallsMost+1) {
			falls = falls[1:]
		}
		dl.state.falls = falls
		if len(falls) <= fallsMost {
			continue
		}
		dl.text = fallsAgain
		fell = fell || dl.fell
		if !p.unreliable {
			p.unreliable = true
			w.event(sub, timeline.EventUnreliable, timeline.Span{From: falls[0], To: now}, fallsAgain, map[string]string{"metric": string(dl.metric)})
		}
	}
	return fell
}
