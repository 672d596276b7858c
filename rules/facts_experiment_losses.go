package rules

import (
	"math"
	"slices"
	"strconv"
)

// What is lost, at which offered rate and in which direction.

func (f *testFacts) losses(rs, steady []result, line float64) {
	f.LossMax, f.LossAt, f.CleanTo, f.LossyFrom, f.LossFlat = nan, nan, nan, nan, nan
	f.Ceiling, f.CeilingSeen, f.OfferedLoad, f.TCPAbove = nan, nan, nan, nan
	told := pick(combined(rs), func(r result) bool { return !math.IsNaN(r.loss) })
	if len(told) == 0 {
		return
	}
	worst := slices.MaxFunc(told, func(a, b result) int { return compareFloat(a.loss, b.loss) })
	f.LossMax, f.LossAt = worst.loss, worst.offered
	lossy := pick(told, func(r result) bool { return r.lossy() })
	f.CleanTo, f.LossyFrom = most(pick(told, func(r result) bool { return r.clean() && r.way() == worst.way() }), offeredOf), least(lossy, offeredOf)
	f.OfferedLoad = f.LossyFrom / line
	if len(lossy) == 0 {
		return
	}
	fast := most(pick(steady, func(r result) bool { return r.hardlyAgain() && (r.way() == worst.way() || r.direction == "") }), rateOf)
	f.TCPAbove = truth(fast >= f.LossyFrom)
	if math.IsNaN(fast) || math.IsNaN(f.LossyFrom) {
		f.TCPAbove = nan
	}
	offered := func(r result) bool { return r.way() == worst.way() && r.offered > 0 && r.proto == "udp" }
	f.ceilings(pick(lossy, offered))
	if flat(pick(told, offered)) {
		f.LossFlat = 1
	}
}

// standsOut says whether a source port loses more than its handful of packets would by chance if all ports lost alike:
// three or more, and four standard deviations above what the others lose. A test that tells no numbers is believed.
func (r result) standsOut(rs []result) bool {
	num := func(r result, key string) float64 {
		v, err := strconv.ParseFloat(r.event.Attrs[key], 64)
		if err != nil {
			return nan
		}
		return v
	}
	lost, total := num(r, "lost"), num(r, "total")
	if math.IsNaN(lost) || math.IsNaN(total) {
		return true
	}
	var others, of float64
	for _, o := range rs {
		if n := num(o, "total"); o.port > 0 && o.port != r.port && n > 0 && num(o, "lost") >= 0 {
			others, of = others+num(o, "lost"), of+n
		}
	}
	if of == 0 {
		return true
	}
	expected := others / of * total
	return lost >= 3 && lost > expected+4*math.Sqrt(expected+0.25)
}

// combined puts the tests that are a handful of packets each (source ports, sizes of a path MTU) together, one result for
// each experiment and direction: their losses by themselves are shares of next to nothing.
func combined(rs []result) []result {
	type key struct{ experiment, way string }
	var out []result
	at := map[key]int{}
	lost, total := map[key]float64{}, map[key]float64{}
	for _, r := range rs {
		k := key{r.event.Attrs["experiment"], r.way()}
		if k.experiment != "ports" {
			if k.experiment != "mtu" && k.experiment != "connect" { // those lose on purpose
				out = append(out, r)
			}
			continue
		}
		n, err := strconv.ParseFloat(r.event.Attrs["total"], 64)
		if err != nil {
			n = 1
		}
		lost[k], total[k] = lost[k]+r.loss*n, total[k]+n
		if _, ok := at[k]; !ok {
			at[k] = len(out)
			r.port = nan
			out = append(out, r)
		}
		out[at[k]].loss = lost[k] / total[k]
	}
	return out
}

// flat says whether as large a share is lost at every rate of three or more, over a factor of two at least: not more than
// twice and a half as much at one as at another, which is what a thousand packets can show, and nowhere next to nothing.
func flat(rs []result) bool {
	if len(rs) < 3 {
		return false
	}
	lost, rates := known(rs, lossOf), known(rs, offeredOf)
	return lost[0] > cleanTo && lost[len(lost)-1] <= 2.5*lost[0] && rates[len(rates)-1] >= 2*rates[0]
}

// ceilings compares lossy tests of different offered rates: as much arrives of each (something lets no more through), or
// as large a share is lost of each (something damages every packet alike).
func (f *testFacts) ceilings(lossy []result) {
	if len(lossy) == 0 {
		return
	}
	slices.SortFunc(lossy, func(a, b result) int { return compareFloat(a.offered, b.offered) })
	low, high := lossy[0], lossy[len(lossy)-1]
	f.Ceiling, f.CeilingSeen = high.rate, 1
	if high.offered < 1.2*low.offered {
		if f.CleanTo >= 0 && f.CleanTo < low.offered {
			f.LossFlat = 0
		}
		return
	}
	f.LossFlat = truth(high.loss < 1.6*low.loss && low.loss < 1.6*high.loss && !(f.CleanTo >= 0.2*low.offered))
	f.CeilingSeen = 0
	arrived := known(lossy, rateOf)
	if mid := arrived[len(arrived)/2]; arrived[0] >= 0.88*mid && arrived[len(arrived)-1] <= 1.12*mid {
		f.Ceiling, f.CeilingSeen, f.LossFlat = mid, float64(len(arrived)), 0
	}
}
