package correlate

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
)

// Outage is one stretch without delivery on a path, as a probe dated it.
type Outage struct {
	Path      string
	Span      timeline.Span  // from the last thing that arrived to the first that arrived afterwards
	Direction string         // timeline.Forward, Reverse or Both
	SeenBy    string         // timeline.SeenByHeartbeat or SeenByTCP
	Error     time.Duration  // half width of the dating error of either end; 0 if the probe did not say
	Backoff   *time.Duration // for tcp: the part spent waiting for the retransmission timer; nil if not known
	Lost      *int64         // for heartbeat: how many were lost; nil if not known
	Open      bool           // it had not ended when the record was made
	Event     timeline.Event // the record it was read from
}

// Outages returns the outages of every path in order of their beginning.
//
// A heartbeat that does not reach the reflector says nothing about the way back. So an outage that was proven
// in one direction only becomes Both where a port on the path lost its carrier as it began: a link without
// carrier carries nothing either way. Outages of the TCP flow keep the direction of the data.
func Outages(s timeline.Snapshot, t Topology) []Outage {
	return outages(s, t, CarrierLosses(s, t, Changes(s, t)))
}

func outages(s timeline.Snapshot, t Topology, losses []CarrierLoss) []Outage {
	var out []Outage
	for _, e := range s.Events() {
		if e.Type == timeline.EventOutage && e.Kind == timeline.KindPath {
			out = append(out, outageOf(e, t, losses))
		}
	}
	all := slices.Clone(out)
	out = slices.DeleteFunc(out, func(o Outage) bool { return o.Open && grew(o, all) })
	slices.SortStableFunc(out, func(a, b Outage) int {
		return cmp.Or(a.Span.From.Compare(b.Span.From), a.Span.To.Compare(b.Span.To), cmp.Compare(a.SeenBy, b.SeenBy))
	})
	return out
}

// grew says whether an open outage was told again later, with the same beginning.
func grew(o Outage, all []Outage) bool {
	return slices.ContainsFunc(all, func(a Outage) bool {
		return a.Path == o.Path && a.SeenBy == o.SeenBy && a.Span.From.Equal(o.Span.From) && a.Span.To.After(o.Span.To)
	})
}

func outageOf(e timeline.Event, t Topology, losses []CarrierLoss) Outage {
	o := Outage{Path: e.Name, Span: e.Span, Direction: e.Attrs["direction"], SeenBy: e.Attrs["seen_by"], Open: e.Attrs["open"] == "true", Event: e}
	if ms, err := strconv.ParseFloat(e.Attrs["error_ms"], 64); err == nil {
		o.Error = milliseconds(ms)
	}
	if ms, err := strconv.ParseFloat(e.Attrs["backoff_ms"], 64); err == nil {
		d := milliseconds(ms)
		o.Backoff = &d
	}
	if n, err := strconv.ParseInt(e.Attrs["lost"], 10, 64); err == nil {
		o.Lost = &n
	}
	if o.SeenBy == timeline.SeenByHeartbeat && o.Direction != timeline.Both && carrierGone(o, t, losses) {
		o.Direction = timeline.Both
	}
	return o
}

// carrierGone says whether a port of the outage's path lost its carrier when the outage began.
func carrierGone(o Outage, t Topology, losses []CarrierLoss) bool {
	p, _ := t.Path(o.Path)
	return slices.ContainsFunc(losses, func(l CarrierLoss) bool {
		began := timeline.Span{From: o.Span.From.Add(-o.Error), To: o.Span.From.Add(o.Error)}
		return p.Crosses(l.Port.Device) && l.Down.Overlaps(began.Widen(Slack, Slack))
	})
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
