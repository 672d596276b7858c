package app

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/devices/poll"
	"whydrop/probe/runner"
)

// probeCheck is how long `check` lets a path's probes run at most: long enough for a fallback to be tried. With a
// heartbeat back and probeSamples figures of the stream (100 ms each) it has seen enough.
const (
	probeCheck   = 6 * time.Second
	probeSamples = 15
)

// Check tries every device and every probe of the plan at once and writes a line per step to w, all of a device or
// path together as soon as it is done. It returns an Exit: ExitOK if all passed, ExitPartial if some failed,
// ExitNotMeasured if all did. When ctx ends, what was found until then is written and it is ExitInterrupted.
//
// Paths that are to be learnt are learnt first, so that the devices are asked for the ports found.
func Check(ctx context.Context, plan Plan, w io.Writer) error {
	done := checked{w: w}
	learnt := checkLearning(ctx, &plan)
	var wg sync.WaitGroup
	for _, d := range plan.Devices {
		wg.Go(func() { done.put(d.Name, poll.Check(ctx, d)) })
	}
	for _, spec := range plan.Probes {
		wg.Go(func() {
			results := append(learnt[spec.Path], checkProbe(ctx, spec)...)
			for i, r := range results {
				results[i].Cut = !r.OK && ctx.Err() != nil
			}
			done.put("path "+spec.Path, results)
		})
	}
	wg.Wait()
	receivers := checkReceivers(plan)
	for _, name := range slices.Sorted(maps.Keys(receivers)) {
		done.put(name, receivers[name])
	}
	for _, warning := range plan.Warnings {
		fmt.Fprintf(w, "NOTE  %s\n", report.Clean(warning))
	}
	fmt.Fprintf(w, "\n%d of %d passed\n", done.passed, len(plan.Devices)+len(plan.Probes)+len(receivers))
	switch {
	case ctx.Err() != nil:
		return Exit{ExitInterrupted, fmt.Errorf("interrupted")}
	case done.failed == 0:
		return nil
	case done.passed == 0:
		return Exit{Code: ExitNotMeasured}
	}
	return Exit{Code: ExitPartial}
}

// checked writes results as they come and counts what they are of.
type checked struct {
	mu             sync.Mutex
	w              io.Writer
	passed, failed int
}

// put writes all results of one device or path, but for what was cut off.
func (c *checked) put(who string, results []poll.Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ok, cut := len(results) > 0, false
	for _, r := range results {
		ok, cut = ok && r.OK, cut || r.Cut
		if !r.Cut {
			writeResult(c.w, r)
		}
	}
	switch {
	case cut:
		fmt.Fprintf(c.w, "cut   %-14s interrupted before it was done\n", report.Clean(who))
	case ok:
		c.passed++
	default:
		c.failed++
	}
}

func writeResult(w io.Writer, r poll.Result) {
	word := "ok  "
	if !r.OK {
		word = "FAIL"
	}
	text := report.Clean(r.Text)
	if r.Took >= time.Millisecond {
		text += fmt.Sprintf(" (%d ms)", r.Took.Milliseconds())
	}
	if !r.OK && r.Key != "" {
		text += "; change " + r.Key
	}
	fmt.Fprintf(w, "%s  %-14s %-14s %s\n", word, report.Clean(r.Device), r.Step, text)
}

// checkLearning learns the paths that the site file leaves open, completes the plan by them, and says of each whether it
// is known. Why one is not is among the plan's warnings.
func checkLearning(ctx context.Context, plan *Plan) map[string][]poll.Result {
	if len(plan.Learn) == 0 {
		return nil
	}
	w := newPathWatcher(plan)
	defer w.reader.close()
	w.start(ctx)
	out := map[string][]poll.Result{}
	for _, l := range plan.Learn {
		r := poll.Result{Device: "path " + l.Path, Step: "hops", Key: "hops"}
		found := w.last[l.Path].path
		var hops []string
		for _, h := range siteHops(found) {
			hops = append(hops, strings.Join(h, "|"))
		}
		switch known := strings.Join(hops, " > "); {
		case found.Complete:
			r.OK, r.Text = true, "learnt: "+known
		case known != "":
			r.Text = "learnt in part only: " + known + "; the notes below say what is missing"
		default:
			r.Text = "nothing of the path could be learnt; the notes below say why"
		}
		out[l.Path] = append(out[l.Path], r)
	}
	return out
}

// checkProbe runs one path's probes for a moment and says what they measured.
func checkProbe(ctx context.Context, spec runner.Spec) []poll.Result {
	name := "path " + spec.Path
	probers, err := runner.Probers(spec)
	if err != nil {
		return []poll.Result{{Device: name, Step: "probe", Text: err.Error(), Key: "probe"}}
	}
	ctx, cancel := context.WithTimeout(ctx, probeCheck)
	defer cancel()
	var store timeline.Store
	sub := timeline.Path(spec.Path)
	enough := func(r timeline.Record) {
		store.Put(r)
		if v, ok := r.(timeline.Sample); ok && v.Metric == timeline.RTT && len(store.Snapshot().Series(sub, timeline.GoodputForward)) >= probeSamples {
			cancel()
		}
	}
	if err := runner.Run(ctx, probers, timeline.SinkFunc(enough)); err != nil {
		return []poll.Result{{Device: name, Step: "probe", Text: err.Error(), Key: "probe"}}
	}
	s := store.Snapshot()
	return []poll.Result{checkStream(s, sub), checkHeartbeat(s, sub)}
}

func checkStream(s timeline.Snapshot, path timeline.Subject) poll.Result {
	r := poll.Result{Device: path.String(), Step: "tcp stream", Key: "probe.to, probe.port, probe.token"}
	var best float64
	for _, v := range s.Series(path, timeline.GoodputForward) {
		best = max(best, v.Value)
	}
	if r.OK = best > 0; r.OK {
		r.Text = "goodput up to " + report.Rate(best)
	} else {
		const far = "does `whydrop serve` or `iperf3 -s` run at the far end?"
		r.Text = lastProblem(s, path, "iperf3", "no data went through; "+far)
		if strings.HasSuffix(r.Text, syscall.ECONNREFUSED.Error()) {
			r.Text += "; " + far
		}
	}
	return r
}

func checkHeartbeat(s timeline.Snapshot, path timeline.Subject) poll.Result {
	r := poll.Result{Device: path.String(), Step: "heartbeat", Key: "probe.to, probe.stamp_port, probe.stamp_key"}
	rtts := s.Series(path, timeline.RTT)
	if r.OK = len(rtts) > 0; !r.OK {
		r.Text = lastProblem(s, path, "", "nothing came back")
		return r
	}
	kind := "heartbeat"
	for _, e := range s.EventsOf(path, timeline.EventProbeStart) {
		if k := e.Attrs["kind"]; k != "" && k != "iperf3" {
			kind = k
		}
	}
	r.Text = fmt.Sprintf("%s answers, RTT %.2f ms", kind, rtts[len(rtts)-1].Value*1e3)
	if kind != "stamp" && kind != "heartbeat" {
		r.Text += "; no STAMP reflector, so the two directions can't be told apart"
	}
	return r
}

// lastProblem returns the last thing a probe of that kind complained about, or otherwise.
func lastProblem(s timeline.Snapshot, path timeline.Subject, kind, otherwise string) string {
	text := otherwise
	for _, e := range s.EventsOf(path, timeline.EventProbeProblem) {
		if (kind == "" || e.Attrs["kind"] == kind) && e.Text != "" {
			text = e.Text
		}
	}
	return text
}
