package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
)

// results holds the outcomes of a group at a place, by contest, in order of rounds; a round that failed is NaN.
type results struct {
	group    group
	place    place
	outcomes map[string][]outcome
	problems map[string]error
}

// span is a median and its range.
type span struct{ median, least, most float64 }

func spanOf(values []float64) span {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(values) == 0 {
		return span{math.NaN(), math.NaN(), math.NaN()}
	}
	slices.Sort(values)
	n := len(values)
	return span{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}
}

func (s span) String() string {
	if math.IsNaN(s.median) {
		return "?"
	}
	return fmt.Sprintf("%.3g (%.3g-%.3g)", s.median, s.least, s.most)
}

func (o outcome) perSecond() float64 { return o.units / o.seconds }

func (o outcome) perUnit(only string) float64 {
	switch only {
	case "server":
		return o.cpuServer / o.units
	case "client":
		return o.cpuClient / o.units
	}
	return (o.cpuServer + o.cpuClient) / o.units
}

func each(of []outcome, f func(outcome) float64) []float64 {
	v := make([]float64, len(of))
	for i, o := range of {
		if v[i] = math.NaN(); o.units > 0 {
			v[i] = f(o)
		}
	}
	return v
}

// paired returns the ratios of two contests round by round.
func paired(a, b []outcome, f func(outcome) float64) span {
	x, y := each(a, f), each(b, f)
	ratios := make([]float64, min(len(x), len(y)))
	for i := range ratios {
		ratios[i] = x[i] / y[i]
	}
	return spanOf(ratios)
}

// print prints the table of a group at a place and returns how many goals were met, of how many, and what is broken:
// contests that could not be measured, and those far below their goal.
func (r results) print(w io.Writer) (met, of int, broken []string) {
	g := r.group
	fmt.Fprintf(w, "\n%s, %s, %d rounds\n", g.name, r.place.name, len(r.outcomes[g.contests[0].name]))
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "contest\t%s\tboth ends' CPU, %s\tlost\tby this host\t10 ms windows\tjitter\tkernel path, send > receive\n", g.unit, g.per)
	for _, c := range g.contests {
		if err := r.problems[c.name]; err != nil {
			fmt.Fprintf(t, "%s\tnot measured: %v\n", c.name, err)
			broken = append(broken, fmt.Sprintf("%s, %s: %s was not measured", g.name, r.place.name, c.name))
			continue
		}
		r.row(t, c.name)
	}
	t.Flush()
	t = tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "pairs\t\tgoal\tCPU per unit\tgoal\t\n")
	for _, l := range g.goals {
		of++
		a, b := r.outcomes[l.contest], r.outcomes[l.against]
		if r.problems[l.contest] != nil || r.problems[l.against] != nil {
			fmt.Fprintf(t, "%s / %s\t?\n", l.contest, l.against)
			continue
		}
		what, wanted, cpu, cpuGoal, ok := l.judge(a, b)
		verdict := "missed"
		switch rate := paired(a, b, outcome.perSecond).median; {
		case ok:
			verdict = "met"
			met++
		case rate < l.floor:
			verdict = "far below"
			broken = append(broken, fmt.Sprintf("%s, %s: %s has %.2g times the throughput of %s, less than %g", g.name, r.place.name, l.contest, rate, l.against, l.floor))
		}
		fmt.Fprintf(t, "%s / %s\t%s\t%s\t%s\t%s\t%s\n", l.contest, l.against, what, wanted, cpu, cpuGoal, verdict)
	}
	t.Flush()
	return met, of, broken
}

// row prints what one contest carried.
func (r results) row(w io.Writer, name string) {
	g, o := r.group, r.outcomes[name]
	rate := spanOf(each(o, func(o outcome) float64 { return o.perSecond() * g.scale }))
	cpu := spanOf(each(o, func(o outcome) float64 { return o.perUnit("") * g.perScale }))
	percent := func(f func(outcome) float64) string {
		return fmt.Sprintf("%.2f %%", spanOf(each(o, f)).median*100)
	}
	lost, own, windows, jitter, path := "", "", "", "", "?"
	if g.unit == "kpps" {
		lost = percent(func(o outcome) float64 { return o.lost })
		jitter = fmt.Sprintf("%.1f us", spanOf(each(o, func(o outcome) float64 { return o.jitter * 1e6 })).median)
	}
	if p := o[len(o)-1].path; p != "" {
		path = p
		if g.unit == "kpps" {
			own = percent(func(o outcome) float64 { return o.own })
		}
	}
	if g.rate > 0 {
		windows = percent(func(o outcome) float64 { return o.windowsGood })
	}
	fmt.Fprintf(w, "%s\t%v\t%v\t%s\t%s\t%s\t%s\t%s\n", name, rate, cpu, lost, own, windows, jitter, path)
}

// judge compares two contests as a goal wants it.
func (l goal) judge(a, b []outcome) (what, wanted, cpu, cpuGoal string, ok bool) {
	used := paired(a, b, func(o outcome) float64 { return o.perUnit(l.only) })
	cpu = used.String()
	switch {
	case l.windows:
		good := func(o outcome) float64 { return o.windowsGood }
		s := paired(a, b, good)
		return "windows " + s.String(), ">= 1", cpu, "", s.median >= 1
	case l.jitter > 0:
		jitter := func(o outcome) float64 { return o.jitter }
		s, own := paired(a, b, jitter), spanOf(each(a, jitter)).median
		wanted = fmt.Sprintf("<= %g, and <= %g us", l.jitter, maxJitter*1e6)
		return "jitter " + s.String(), wanted, cpu, "", s.median <= l.jitter && own <= maxJitter
	}
	rate := paired(a, b, outcome.perSecond)
	if l.cpu > 0 {
		cpuGoal = fmt.Sprintf("<= %g", l.cpu)
		if l.only != "" {
			cpuGoal += " (" + l.only + ")"
		}
	}
	ok = rate.median >= l.least && (l.cpu == 0 || used.median <= l.cpu)
	return "throughput " + rate.String(), fmt.Sprintf(">= %g", l.least), cpu, cpuGoal, ok
}
