package tui

import (
	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// hops returns the path's hops. A device that the site does not describe is shown all the same, as not read.
func (m *Model) hops(s timeline.Snapshot, p correlate.Path) []Hop {
	var out []Hop
	for _, names := range p.Hops {
		var h Hop
		for _, n := range names {
			d := m.device(n)
			if d == nil {
				d = &Device{Name: report.Clean(n), Health: HealthUnknown, Word: "not watched", Short: "unwatched", OnPath: true, subject: timeline.Device(n)}
			}
			h.Members = append(h.Members, d)
		}
		h.judge(s)
		out = append(out, h)
	}
	return out
}

func (m *Model) device(name string) *Device {
	for _, d := range m.Devices {
		if d.subject.Device == name {
			return d
		}
	}
	return nil
}

// clearly is how many times more traffic the forwarding unit carries than any other of its group: keep-alives and
// management are little beside a probe.
const clearly = 4

// judge says which unit of a group forwards: the one that carries clearly more than the others; where traffic does
// not tell, the one that last said it took over; otherwise it is not known.
func (h Hop) judge(s timeline.Snapshot) {
	if len(h.Members) < 2 {
		return
	}
	winner := h.busiest()
	if winner == nil {
		winner = h.tookOver(s)
	}
	for _, d := range h.Members {
		switch {
		case winner == nil:
			d.Forwards = ForwardsUnknown
		case d == winner:
			d.Forwards = ForwardsYes
		default:
			d.Forwards = ForwardsNo
		}
	}
}

func (h Hop) busiest() *Device {
	const trickle = 20e3 // bit/s: below that nothing is said
	var winner *Device
	first, second := 0.0, 0.0
	for _, d := range h.Members {
		t := 0.0
		for _, p := range d.Ports {
			if v := p.Traffic(); v != nil {
				t += *v
			}
		}
		switch {
		case t > first:
			winner, first, second = d, t, first
		case t > second:
			second = t
		}
	}
	if first < trickle || first < clearly*second {
		return nil
	}
	return winner
}

func (h Hop) tookOver(s timeline.Snapshot) *Device {
	var winner *Device
	for _, e := range s.Events() {
		if e.Type != timeline.EventFailover || e.Attrs["to"] != "active" {
			continue
		}
		for _, d := range h.Members {
			if d.subject.Device == e.Device {
				winner = d
			}
		}
	}
	return winner
}
