package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/sim"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Targets of the stories.
const (
	rightAtLeast      = 0.95 // right cause first, and right port
	falseAlarmsAtMost = 0.01 // of healthy stories with a finding above "suspected"
	wrongAtMost       = 0.01 // of findings above "suspected" that name a cause that is none
	calibrationAtMost = 0.05 // expected calibration error
)

// told is one story and what was made of it.
type told struct {
	scenario string
	seed     uint64
	truth    sim.Truth
	found    []rules.Diagnosis
	err      error
}

// stories tells every scenario with several seeds, without waiting.
//
// WHYDROP_STORIES=first,count[,name] tells other seeds: those from first on, of the scenarios whose names begin so. It is for
// deriving what the figure then judges; see rules/reliability.go.
func stories(ctx context.Context, out io.Writer, full bool) error {
	first, seeds, prefix := uint64(101), 1, ""
	if full {
		seeds = 4
	}
	if v := os.Getenv("WHYDROP_STORIES"); v != "" {
		if n, _ := fmt.Sscanf(v, "%d,%d,%s", &first, &seeds, &prefix); n < 2 {
			return fmt.Errorf("WHYDROP_STORIES is %q, not first,count or first,count,name", v)
		}
	}
	list := drawn(first, seeds, prefix)
	fmt.Fprintf(out, "the truth of %d stories:\n", len(list))
	for i, t := range list {
		if _, err := draw(&list[i]); err != nil {
			return err
		}
		fmt.Fprintf(out, "  %-34s seed %-3d %s\n", t.scenario, t.seed, truthText(list[i].truth))
	}
	fmt.Fprintf(out, "%d stories, %d causes\n", len(list), causesIn(list))
	tellAll(ctx, list)
	if err := ctx.Err(); err != nil {
		return err
	}
	return score(out, list)
}

// causesIn counts the root causes of the stories.
func causesIn(list []told) int {
	seen := map[string]bool{}
	for _, t := range list {
		if len(t.truth.Chain) > 0 {
			seen[t.truth.Chain[0]] = true
		}
	}
	return len(seen)
}

// drawn lists the stories to tell.
func drawn(first uint64, seeds int, prefix string) []told {
	var list []told
	for _, name := range sim.Stories() {
		for s := range seeds {
			if strings.HasPrefix(name, prefix) {
				list = append(list, told{scenario: name, seed: first + uint64(s)})
			}
		}
	}
	return list
}

func draw(t *told) (*sim.Story, error) {
	s, err := sim.Draw(t.scenario, t.seed, sim.Options{})
	if err == nil {
		t.truth = s.Truth
	}
	return s, err
}

func truthText(t sim.Truth) string {
	if len(t.Chain) == 0 {
		return "nothing is wrong"
	}
	return strings.Join(t.Chain, " > ") + " at " + strings.TrimSpace(t.Device+" "+t.Port)
}

// tellAll tells the stories, as many at a time as there are processors.
func tellAll(ctx context.Context, list []told) {
	next := make(chan *told)
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			for t := range next {
				t.found, t.err = tell(ctx, t)
			}
		})
	}
	for i := range list {
		next <- &list[i]
	}
	close(next)
	wg.Wait()
}

// tell tells one story and diagnoses it.
func tell(ctx context.Context, t *told) ([]rules.Diagnosis, error) {
	return tellWith(ctx, t, sim.Options{})
}

func tellWith(ctx context.Context, t *told, opt sim.Options) ([]rules.Diagnosis, error) {
	story, err := sim.Draw(t.scenario, t.seed, opt)
	if err != nil {
		return nil, err
	}
	v, err := sim.StartVirtual(story, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	if err != nil {
		return nil, err
	}
	defer v.Close()
	plan, err := app.ParseSite("the simulated site's file", v.YAML(), &app.Secrets{Prompt: v.Secret})
	if err != nil {
		return nil, err
	}
	var store timeline.Store
	if err := v.Run(ctx, plan.Devices, &store); err != nil {
		return nil, err
	}
	return rules.Evaluate(rules.Default(), store.Snapshot(), plan.Topology), nil
}

// score prints what was right and wrong, and how far confidence can be believed.
func score(out io.Writer, list []told) error {
	var causes, causeRight, portRight, healthy, alarms, claims, wrongClaims int
	var judged []belief
	fmt.Fprintln(out, "\nwhat was made of them:")
	for _, t := range list {
		if t.err != nil {
			return fmt.Errorf("%s, seed %d: %w", t.scenario, t.seed, t.err)
		}
		for _, d := range t.found {
			if d.Verdict == rules.CannotTell {
				continue
			}
			right := slices.Contains(t.truth.Chain, d.ID()) || slices.Contains(t.truth.Also, d.ID())
			judged = append(judged, belief{d.Confidence, right})
			if d.Verdict == rules.Holds && d.Fault {
				claims++
				if !right {
					wrongClaims++
				}
			}
		}
		ok, where := t.right()
		if len(t.truth.Chain) == 0 {
			healthy++
			if !ok {
				alarms++
			}
		} else {
			causes++
			if ok {
				causeRight++
			}
			if where {
				portRight++
			}
		}
		mark := "right"
		if !ok || !where {
			mark = "WRONG"
		}
		fmt.Fprintf(out, "  %-5s %-34s seed %-3d %s\n", mark, t.scenario, t.seed, foundText(t.found))
	}
	table, ece := reliability(judged)
	fmt.Fprintf(out, "\nright cause first %d of %d, right device and port %d of %d, false alarms %d of %d, wrong causes above suspected %d of %d\n",
		causeRight, causes, portRight, causes, alarms, healthy, wrongClaims, claims)
	fmt.Fprint(out, table)
	believed["stories"] = judged
	switch {
	case share(causeRight, causes) < rightAtLeast, share(portRight, causes) < rightAtLeast:
		return fmt.Errorf("%w: right at least %.0f %%", errMissed, 100*rightAtLeast)
	case share(alarms, healthy) > falseAlarmsAtMost:
		return fmt.Errorf("%w: false alarms at most %.0f %%", errMissed, 100*falseAlarmsAtMost)
	case share(wrongClaims, claims) > wrongAtMost:
		return fmt.Errorf("%w: wrong causes above suspected at most %.0f %%", errMissed, 100*wrongAtMost)
	case ece > calibrationAtMost:
		return fmt.Errorf("%w: calibration error at most %.2f", errMissed, calibrationAtMost)
	}
	return nil
}

// right says whether the first finding names the root cause, and whether it names the place.
func (t told) right() (cause, place bool) {
	if len(t.truth.Chain) == 0 {
		ok := !slices.ContainsFunc(t.found, func(d rules.Diagnosis) bool { return d.Verdict == rules.Holds && d.Fault })
		return ok, ok
	}
	if len(t.found) == 0 {
		return false, false
	}
	d := t.found[0]
	device, port := placeOf(d.Subject)
	return d.ID() == t.truth.Chain[0], device == t.truth.Device && port == t.truth.Port
}

// placeOf names a finding's place as a truth does: a host stands for a device.
func placeOf(s timeline.Subject) (device, port string) {
	if s.Kind == timeline.KindHost {
		return s.Name, ""
	}
	return s.Device, s.Name
}

func foundText(found []rules.Diagnosis) string {
	if len(found) == 0 {
		return "nothing found"
	}
	var out []string
	for _, d := range found {
		out = append(out, fmt.Sprintf("%s (%s %.2f) at %s", strings.Join(d.Chain, " > "), d.Verdict, d.Confidence, d.Subject))
	}
	return strings.Join(out, "; ")
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// belief is a finding's confidence and whether it was right.
type belief struct {
	confidence float64
	right      bool
}

// reliability returns a table of how often findings were right, by their confidence, and the expected calibration
// error: the mean distance between the two, weighted by how many findings there are.
func reliability(all []belief) (table string, ece float64) {
	const bins = 10
	var n, right [bins]int
	var sum [bins]float64
	for _, b := range all {
		i := min(int(b.confidence*bins), bins-1)
		n[i]++
		sum[i] += b.confidence
		if b.right {
			right[i]++
		}
	}
	var b strings.Builder
	fmt.Fprintln(&b, "confidence   findings   mean   right")
	for i := range n {
		if n[i] == 0 {
			continue
		}
		mean, got := sum[i]/float64(n[i]), share(right[i], n[i])
		ece += math.Abs(mean-got) * share(n[i], len(all))
		fmt.Fprintf(&b, "%.1f-%.1f      %8d   %.2f   %.2f\n", float64(i)/bins, float64(i+1)/bins, n[i], mean, got)
	}
	fmt.Fprintf(&b, "expected calibration error %.3f over %d findings\n", ece, len(all))
	return b.String(), ece
}
