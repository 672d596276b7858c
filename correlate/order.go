package correlate

import (
	"time"

	"whydrop/correlate/timeline"
)

// Ordering says which of two things came first, as far as their datings allow it.
type Ordering int

// The orderings of two spans.
const (
	Unclear Ordering = iota // their datings overlap
	Before
	After
)

// Order compares two things that happened somewhere within their spans.
func Order(a, b timeline.Span) Ordering {
	switch {
	case a.To.Before(b.From):
		return Before
	case b.To.Before(a.From):
		return After
	}
	return Unclear
}

// Leads says whether cause may have come before effect, and not longer than within before it. The datings' own
// widths are honoured, and Slack for a device that notices late: a cause dated after the effect by less than
// that still may have come first.
func Leads(cause, effect timeline.Span, within time.Duration) bool {
	return cause.Overlaps(effect.Widen(within, Slack))
}

// Coincides says whether an event may lie at or in an episode: from a moment before it began, the dating slack
// of a device, to its end.
func Coincides(event, episode timeline.Span) bool { return event.Overlaps(episode.Widen(Slack, Slack)) }
