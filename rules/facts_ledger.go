package rules

import (
	"math"

	"whydrop/correlate"
)

// ledgerFacts are about where packets of the path vanish without any counter telling: the ports' own packet counters,
// booked one against the next.
type ledgerFacts struct {
	Places []string // in words, that of most packets first
	Lost   float64  // packets, there
	Sent   float64
	Doubt  float64 // half the width of the 95 % interval of Lost
}

// ledgerFunctions gives what is asked about where packets vanish; it is computed when it is first asked for.
func (sc *scene) ledgerFunctions(f *pathFacts, ps *pathScene) {
	var known *ledgerFacts
	get := func() *ledgerFacts {
		if known == nil {
			known = sc.ledger(f, ps)
		}
		return known
	}
	f.Vanished = func() float64 { return get().Lost }
	f.VanishedOf = func() float64 { return get().Sent }
	f.VanishedDoubt = func() float64 { return get().Doubt }
	f.VanishedAt = func() string { return list(get().Places) }
}

// ledger books the packets of the path while it lost some.
func (sc *scene) ledger(f *pathFacts, ps *pathScene) *ledgerFacts {
	sp, lost := f.LossSpan, f.LossPeak
	if sp.IsZero() {
		sp, lost = sc.span, max(orZero(f.LossForward), orZero(f.LossReverse))
	}
	if t := sc.testFacts(ps); t.Watched == 0 {
		lost = t.LossMax
	}
	out := &ledgerFacts{}
	if math.IsNaN(lost) || lost <= 0 {
		return out
	}
	for i, v := range correlate.Ledger(sc.snap, sc.topo, ps.Path, sp, lost) {
		if i == 0 {
			out.Lost, out.Sent, out.Doubt = v.Lost, v.Sent, v.Doubt
		}
		where := "between " + v.From.String() + " and " + v.To.String()
		if v.From.Device == v.To.Device {
			where = "inside " + v.From.Device + " between " + v.From.Name + " and " + v.To.Name
		}
		out.Places = append(out.Places, where)
	}
	return out
}
