package correlate

import (
	"math"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// Vanishing is a place on a path that more packets reached than left, beyond what its ports admit to have discarded and
// beyond what is uncertain: what is lost there, no counter tells.
type Vanishing struct {
	From, To timeline.Subject // the port that counted them and the one that should have: two of a device, or the ends of a link
	Sent     float64          // packets that From counted
	Lost     float64          // of them, those that To did not count and nobody admits
	Doubt    float64          // half the width of the 95 % interval of Lost
}

// Share returns the share of the packets that vanishes.
func (v Vanishing) Share() float64 { return v.Lost / v.Sent }

const (
	// readApart is how far apart two counters may have been read that somebody read by hand, or rarely.
	readApart = time.Second
	// leastBooked is how many packets must have vanished: a table that is learned costs some.
	leastBooked = 20
	// leastShare is the least share that is looked at: frames of the devices themselves (hellos, LLDP) come and go
	// unpaired, a few a second at most.
	leastShare = 0.001
)

// Ledger follows packets through the ports of a path within a span, and returns where they vanish. What leaves one end of a
// link must arrive at the other. What enters a device must leave it; since ports of it that are not watched may take
// some, that is believed only if as large a share vanishes as the probe lost (0-1; NaN if it is not known).
func Ledger(s timeline.Snapshot, t Topology, p Path, sp timeline.Span, lost float64) []Vanishing {
	l := ledger{s, sp}
	var out []Vanishing
	add := func(from, to timeline.Subject, sent, arrived timeline.Metric, admitted ...float64) {
		if v, ok := l.compare(from, to, sent, arrived, admitted...); ok {
			out = append(out, v)
		}
	}
	for _, k := range t.Links {
		if !p.Crosses(k.A[0]) || !p.Crosses(k.B[0]) {
			continue
		}
		a, b := timeline.Port(k.A[0], k.A[1]), timeline.Port(k.B[0], k.B[1])
		for _, x := range [][2]timeline.Subject{{a, b}, {b, a}} {
			add(x[0], x[1], timeline.OutPackets, timeline.InPackets,
				l.total(x[0], timeline.OutDrops), l.total(x[0], timeline.OutErrors), l.bad(x[1]), l.total(x[1], timeline.InDrops))
		}
	}
	for _, d := range t.Devices {
		if !p.Crosses(d.Name) || d.Name == timeline.LocalHost || len(d.Ports) != 2 {
			continue
		}
		if l.fed(d.Name, d.Ports[0], d.Ports[1]) || l.fed(d.Name, d.Ports[1], d.Ports[0]) {
			continue // it has more ports than these, so that what enters here need not leave there
		}
		for _, x := range [][2]string{{d.Ports[0], d.Ports[1]}, {d.Ports[1], d.Ports[0]}} {
			from, to := timeline.Port(d.Name, x[0]), timeline.Port(d.Name, x[1])
			n := len(out)
			add(from, to, timeline.InPackets, timeline.OutPackets, l.total(from, timeline.InDrops), l.total(to, timeline.OutDrops), l.total(to, timeline.OutErrors))
			if len(out) > n && !(math.Abs(out[n].Share()-lost) <= max(lost/2, out[n].Doubt/out[n].Sent)) {
				out = out[:n]
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Vanishing) int {
		switch {
		case a.Lost > b.Lost:
			return -1
		case a.Lost < b.Lost:
			return 1
		}
		return 0
	})
	return out
}

// ledger is a stretch of what was counted.
type ledger struct {
	s  timeline.Snapshot
	sp timeline.Span
}

// fed says whether a device sends out far more at one port than it takes in at another: that comes from elsewhere.
func (l ledger) fed(device, in, out string) bool {
	const far = 1.5
	taken, sent := l.total(timeline.Port(device, in), timeline.InPackets), l.total(timeline.Port(device, out), timeline.OutPackets)
	return taken > 0 && sent >= far*taken && sent-taken >= leastBooked
}

// total returns what a port counted, 0 if it was not read.
func (l ledger) total(port timeline.Subject, m timeline.Metric) float64 {
	n := Total(l.s.Between(port, m, l.sp), l.sp)
	if math.IsNaN(n) {
		return 0
	}
	return n
}

// bad returns the frames that a port received and did not take for their damage.
func (l ledger) bad(port timeline.Subject) float64 {
	return max(l.total(port, timeline.InErrors), l.total(port, timeline.InFCS))
}

// compare books what one port counted against what another did, in the seconds in which both are known.
func (l ledger) compare(from, to timeline.Subject, sent, arrived timeline.Metric, admitted ...float64) (Vanishing, bool) {
	a, b := l.s.Between(from, sent, l.sp), l.s.Between(to, arrived, l.sp)
	v := Vanishing{From: from, To: to}
	if len(a) == 0 || len(b) == 0 {
		return v, false
	}
	had, got := Resample(a, l.sp, time.Second), Resample(b, l.sp, time.Second)
	n, sum, squares := 0.0, 0.0, 0.0
	for i := range had.Values {
		d := had.Values[i] - got.Values[i]
		if math.IsNaN(d) {
			continue
		}
		n++
		v.Sent += had.Values[i]
		sum += d
		squares += d * d
	}
	if n == 0 {
		return v, false
	}
	v.Lost = sum
	for _, x := range admitted {
		v.Lost -= x
	}
	// Two counters that are read at different moments differ by what passed between: over a series that scatters the
	// differences of the seconds, which even out; of one reading nothing is known but the rate.
	v.Doubt = 2 * math.Sqrt(max(0, squares-sum*sum/n))
	if min(len(a), len(b)) < 10 {
		v.Doubt = v.Sent / n * readApart.Seconds()
	}
	return v, v.Lost >= leastBooked && v.Lost > v.Doubt && v.Share() >= leastShare
}
