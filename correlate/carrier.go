package correlate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// CarrierLoss is one time that a port went out of operation.
type CarrierLoss struct {
	Port    timeline.Subject
	Down    timeline.Span    // when it went down
	Up      *timeline.Span   // when it came back; nil if it had not
	Carried float64          // its share of the probe's own rate just before, 0-1 and above; NaN if not known
	Changes []timeline.Event // the one or two changes
}

// Lasted returns the stretch from going down to coming back, or to end if it had not come back.
func (l CarrierLoss) Lasted(end time.Time) timeline.Span {
	if l.Up != nil {
		return timeline.Span{From: l.Down.From, To: l.Up.To}
	}
	return timeline.Span{From: l.Down.From, To: end}
}

// before is how long before a moment rates are looked at to see what was normal: several refreshes of a slow
// agent (cBR supervisors refresh every 5 s).
const before = 6 * time.Second

// CarrierLosses returns each time a port on a path went down, in order.
func CarrierLosses(s timeline.Snapshot, t Topology, changes []Change) []CarrierLoss {
	var out []CarrierLoss
	open := map[timeline.Subject]int{}
	for _, c := range changes {
		if c.Type != timeline.EventOper || c.Kind != timeline.KindPort || !c.OnPath {
			continue
		}
		i, isOpen := open[c.Subject]
		switch up := c.Attrs["to"] == "up"; {
		case up && isOpen:
			sp := c.Span
			out[i].Up = &sp
			out[i].Changes = append(out[i].Changes, c.Event)
			delete(open, c.Subject)
		case !up && !isOpen && c.Attrs["from"] != "down" && c.Attrs["from"] != "lowerLayerDown":
			open[c.Subject] = len(out)
			out = append(out, CarrierLoss{Port: c.Subject, Down: c.Span, Carried: carried(s, t, c), Changes: []timeline.Event{c.Event}})
		}
	}
	return out
}

// carried returns the port's rate before it went down as a share of the probe's.
func carried(s timeline.Snapshot, t Topology, c Change) float64 {
	sp := timeline.Span{From: c.Span.From.Add(-before), To: c.Span.From.Add(-Slack)}
	port := PortRate(s, c.Subject, sp)
	probe := 0.0
	for _, p := range t.Paths {
		if r := ProbeRate(s, p.Name, sp); p.Crosses(c.Device) && r > probe {
			probe = r
		}
	}
	if probe == 0 {
		return math.NaN()
	}
	return port / probe
}

// CarrierGroup is what lost its carrier at one time: the two ends of a link, or every port of a device that
// lost power.
type CarrierGroup struct {
	Main   CarrierLoss   // the one to look at first
	Losses []CarrierLoss // all of them, Main first
	Span   timeline.Span // from the first going down to the last coming back, or to the end of the record
}

// CarrierGroups puts losses that happened at one time together. Main is the port of a switch rather than of a
// firewall, and of those the one nearest the far end.
func CarrierGroups(losses []CarrierLoss, t Topology, end time.Time) []CarrierGroup {
	var out []CarrierGroup
	for _, l := range losses {
		i := slices.IndexFunc(out, func(g CarrierGroup) bool {
			return slices.ContainsFunc(g.Losses, func(o CarrierLoss) bool {
				return o.Port != l.Port && o.Down.Overlaps(l.Down.Widen(Slack, Slack))
			}) && !slices.ContainsFunc(g.Losses, func(o CarrierLoss) bool { return o.Port == l.Port })
		})
		if i < 0 {
			out = append(out, CarrierGroup{})
			i = len(out) - 1
		}
		out[i].Losses = append(out[i].Losses, l)
		out[i].Span = out[i].Span.Union(l.Lasted(end))
	}
	for i := range out {
		slices.SortStableFunc(out[i].Losses, func(a, b CarrierLoss) int {
			return cmp.Or(t.rank(a.Port.Device)-t.rank(b.Port.Device), -cmp.Compare(t.position(a.Port.Device), t.position(b.Port.Device)),
				a.Port.Compare(b.Port))
		})
		out[i].Main = out[i].Losses[0]
	}
	return out
}

// rank orders devices by where one looks first: a switch or router tells more of its port than a firewall.
func (t Topology) rank(device string) int {
	switch d, _ := t.Device(device); d.Role {
	case "", "switch":
		return 0
	case "router":
		return 1
	}
	return 2
}

// position returns the device's place along the first path that crosses it, -1 if none does.
func (t Topology) position(device string) int {
	for _, p := range t.Paths {
		for i, h := range p.Hops {
			if slices.Contains(h, device) {
				return i
			}
		}
	}
	return -1
}
