package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Targets of the laboratory. Those of stories apply to the cause and the place.
const (
	labFalseAlarmsAtMost = 1.0 / 30               // of healthy runs with a finding above "suspected"
	lengthWithin         = 100 * time.Millisecond // an outage's length of the packet capture's
)

// How often a fault and a healthy run are taken with --full.
const (
	labRepeats = 5
	labHealthy = 10
)

// labVariable picks faults by their names, with commas, each once: WHYDROP_LAB=link,crc,none.
const labVariable = "WHYDROP_LAB"

// labFault is a fault as the laboratory is asked for it.
type labFault struct {
	name  string
	args  []string // of `lab fault`
	quick bool     // it is one of --quick
	rate  string   // that the probe sends at
	load  bool     // other traffic runs beside the probe

	// until, if not 0, is when the watch ends, counted from the begin of the fault: before the laboratory gives the firewalls
	// their state back, which stops the flow once more and is no part of the fault.
	until time.Duration
}

// usualRate is what the probe sends at where the fault asks for no other.
const usualRate = "20M"

// labFaults lists every fault of the laboratory, and the run in which nothing is wrong.
var labFaults = []labFault{
	{name: "link", args: words("failover via=link hold=8 settle=6"), quick: true},
	{name: "linkA", args: words("failover via=linkA hold=8 settle=8")},
	{name: "fwdown", args: words("failover via=fwdown hold=10 settle=6")},
	{name: "cost", args: words("failover via=cost hold=10 settle=6")},
	{name: "bpdu", args: words("failover via=bpdu hold=8 settle=6")},
	{name: "noresync", args: words("failover via=link hold=10 settle=6 resync=-1")},
	{name: "stateless", args: words("failover via=link hold=6 settle=12 state=off"), until: 15 * time.Second},
	{name: "stateless-cost", args: words("failover via=cost hold=6 settle=12 state=off"), until: 15 * time.Second},
	{name: "fwlearn", args: words("failover via=link hold=8 settle=14 state=off fwlearn=on"), until: 20 * time.Second},
	{name: "flap", args: words("flap via=bpdu count=2 hold=6 gap=8,10")},
	{name: "crc", args: words("crc rate=0.01 for=12"), quick: true},
	{name: "crc-few", args: words("crc rate=0.001 for=12")},
	{name: "crc-far", args: words("crc link=L7 dir=ba rate=0.01 for=12")},
	{name: "outdrops", args: words("outdrops mbit=10 limit_kb=30 for=12"), quick: true},
	{name: "linkflap", args: words("linkflap link=L2 count=3 down=1 gap=5")},
	{name: "duplex-host", args: words("duplex half=host for=12")},
	{name: "duplex-switch", args: words("duplex half=switch for=12")},
	{name: "loss", args: words("loss rate=0.01 for=12")},
	{name: "delay", args: words("delay ms=50 for=12")},
	// The least that the laboratory can leave a host takes in more than the usual rate. Without a limit its switches lose.
	{name: "hostcpu", args: words("hostcpu quota=1 for=12"), rate: "200M"},
	{name: "none", args: words("none for=10"), quick: true, load: true},
}

func words(s string) []string { return strings.Fields(s) }

// labRun is one fault that was injected, and what was made of it.
type labRun struct {
	fault   labFault
	truth   labTruth
	found   report.Document
	lengths []lengthCheck
	longest time.Duration // of the gaps in the capture
	err     error
}

// lab injects the faults of the laboratory beside the checkout, one after the other, while the program watches.
//
// WHYDROP_LAB_KEEP names a directory in which report, recording and capture of every run are left.
func lab(ctx context.Context, out io.Writer, full bool) error {
	list, err := labPicked(os.Getenv(labVariable), full)
	if err != nil {
		return err
	}
	l, err := openLaboratory(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	if err := l.prepare(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d runs; the truth is the laboratory's own, the lengths are held against a capture at the receiver:\n", len(list))
	var runs []labRun
	for i, f := range list {
		r := l.take(ctx, f, fmt.Sprintf("%02d-%s", i+1, f.name))
		if ctx.Err() != nil { // what was taken counts
			fmt.Fprintf(out, "interrupted after %d runs\n", i)
			return errors.Join(ctx.Err(), scoreLab(out, runs))
		}
		fmt.Fprint(out, r.text())
		runs = append(runs, r)
	}
	return scoreLab(out, runs)
}

// labPicked lists the runs to take, in rounds of all faults, so that some of each were taken whenever it is interrupted.
func labPicked(names string, full bool) ([]labFault, error) {
	var list []labFault
	if names != "" {
		for name := range strings.SplitSeq(names, ",") {
			i := slices.IndexFunc(labFaults, func(f labFault) bool { return f.name == name })
			if i < 0 {
				return nil, fmt.Errorf("%s: the laboratory has no fault %q", labVariable, name)
			}
			list = append(list, labFaults[i])
		}
		return list, nil
	}
	rounds := labRepeats
	if !full {
		rounds = 1
	}
	for range rounds {
		for _, f := range labFaults {
			switch {
			case !full && !f.quick:
			case full && f.healthy():
				list = append(list, slices.Repeat([]labFault{f}, labHealthy/labRepeats)...)
			default:
				list = append(list, f)
			}
		}
	}
	return list, nil
}

// healthy says whether nothing is injected.
func (f labFault) healthy() bool { return f.args[0] == "none" }

// text is the run's line in the output.
func (r labRun) text() string {
	mark := "right"
	switch {
	case r.err != nil:
		return fmt.Sprintf("  WRONG %-14s %v\n", r.fault.name, r.err)
	case r.unharmed():
		mark = "-"
	case !r.chainRight() || !r.placeRight():
		mark = "WRONG"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  %-5s %-14s truth: %s\n", mark, r.fault.name, r.truth)
	if len(r.found.Findings) == 0 {
		fmt.Fprintf(&b, "        found: %s\n", r.found.Verdict)
	}
	for _, f := range r.found.Findings {
		fmt.Fprintf(&b, "        found: %s (%s %.2f) at %s\n", strings.Join(f.Chain, " > "), f.Verdict, f.Confidence, strings.TrimSpace(f.Subject.Device+" "+f.Subject.Port))
	}
	for _, p := range r.found.Problems {
		fmt.Fprintf(&b, "        problem: %s\n", p)
	}
	for _, c := range r.lengths {
		fmt.Fprintf(&b, "        %s\n", c)
	}
	if r.unharmed() {
		fmt.Fprintf(&b, "        the fault stopped nothing for longer than %v: there is nothing to explain\n", r.longest.Round(time.Millisecond))
	}
	return b.String()
}

// scoreLab prints what was right and wrong, and how far confidence can be believed.
func scoreLab(out io.Writer, runs []labRun) error {
	var faults, chains, places, healthy, alarms, lengths, close, claims, wrongClaims int
	var worst time.Duration
	var judged []belief
	var failed error
	for _, r := range runs {
		if r.err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", r.fault.name, r.err))
			continue
		}
		for _, f := range r.found.Findings {
			right := slices.Contains(r.truth.Chain, f.ID)
			// What the measuring host did to itself is no part of the truth: all of the laboratory runs on it.
			if f.Verdict != string(rules.CannotTell) && f.Subject.Device != timeline.LocalHost {
				judged = append(judged, belief{f.Confidence, right})
			}
			if f.Verdict == string(rules.Holds) && f.Fault {
				claims++
				wrongClaims += count(!right)
			}
		}
		for _, c := range r.lengths {
			lengths++
			close += count(c.off() <= lengthWithin)
			worst = max(worst, c.off())
		}
		switch {
		case r.fault.healthy():
			healthy++
			alarms += count(!r.chainRight())
		case !r.unharmed():
			faults++
			chains += count(r.chainRight())
			places += count(r.placeRight())
		}
	}
	fmt.Fprintf(out, "\nright chain first %d of %d, right device and port %d of %d, false alarms %d of %d, wrong causes above suspected %d of %d\n",
		chains, faults, places, faults, alarms, healthy, wrongClaims, claims)
	fmt.Fprintf(out, "outages of %v and longer: %d, of which within %v of the capture %d, worst %v\n", outageFrom, lengths, lengthWithin, close, worst.Round(time.Millisecond))
	table, _ := reliability(judged)
	fmt.Fprint(out, table)
	believed["lab"] = judged
	switch {
	case failed != nil:
		return failed
	case faults > 0 && (share(chains, faults) < rightAtLeast || share(places, faults) < rightAtLeast):
		return fmt.Errorf("%w: right at least %.0f %%", errMissed, 100*rightAtLeast)
	case share(alarms, healthy) > labFalseAlarmsAtMost:
		return fmt.Errorf("%w: false alarms at most %.1f %%", errMissed, 100*labFalseAlarmsAtMost)
	case close < lengths:
		return fmt.Errorf("%w: outage lengths within %v of the capture", errMissed, lengthWithin)
	}
	return nil
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
