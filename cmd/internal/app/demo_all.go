package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/sim"
)

// DemoDocument is the answer sheet of a demo: every scenario's expected answer and, if it was run, the found one.
type DemoDocument struct {
	SchemaVersion int            `json:"schema_version"` // as that of the report documents in it
	Seed          uint64         `json:"seed"`
	Scenarios     []DemoScenario `json:"scenarios"`

	Figures *DemoFigures `json:"figures,omitempty"` // nil if nothing was run
}

// DemoFigures sum the scenarios up.
type DemoFigures struct {
	Right          int      `json:"right"`
	Of             int      `json:"of"`
	OutageErrorMS  *float64 `json:"median_outage_error_ms"` // nil: no outage was found
	DatingErrorMS  *float64 `json:"median_event_dating_error_ms"`
	WithinBounds   bool     `json:"within_bounds"`
	Seconds        float64  `json:"seconds"`
	outage, dating []time.Duration
}

// DemoScenario is one line of the answer sheet.
type DemoScenario struct {
	Name     string           `json:"name"`
	Expected DemoExpected     `json:"expected"`
	Found    *report.Document `json:"found,omitempty"` // nil: not run
	Right    *bool            `json:"right,omitempty"`
	Wrong    []string         `json:"wrong,omitempty"` // what differs
	Late     []string         `json:"late,omitempty"`  // which outages differ because this host was too busy

	OutageErrorMS *float64 `json:"median_outage_error_ms,omitempty"`
	DatingErrorMS *float64 `json:"median_event_dating_error_ms,omitempty"`

	help string
}

// DemoExpected is the right answer to a scenario.
type DemoExpected struct {
	Chain   []string     `json:"chain"`
	Device  string       `json:"device"`
	Port    string       `json:"port"`
	Outages []DemoOutage `json:"outages"`
}

// DemoOutage is an outage of the story. Its offsets count from the story's beginning; the moments are null in a
// story that was not run.
type DemoOutage struct {
	From       *time.Time `json:"from"`
	To         *time.Time `json:"to"`
	FromMS     int64      `json:"from_ms"`
	ToMS       int64      `json:"to_ms"`
	DurationMS int64      `json:"duration_ms"`
	Direction  string     `json:"direction"`
	SeenBy     string     `json:"seen_by"`
}

// DemoList draws every scenario for a seed without running it.
func DemoList(seed uint64) (DemoDocument, error) {
	d := DemoDocument{SchemaVersion: report.SchemaVersion, Seed: seed}
	for _, name := range sim.Names() {
		story, err := sim.Draw(name, seed, sim.Options{})
		if err != nil {
			return d, err
		}
		d.Scenarios = append(d.Scenarios, DemoScenario{Name: name, Expected: expected(story.Truth, nil), help: story.Help})
	}
	return d, nil
}

func expected(t sim.Truth, begun *time.Time) DemoExpected {
	e := DemoExpected{Chain: append([]string{}, t.Chain...), Device: t.Device, Port: t.Port, Outages: []DemoOutage{}}
	for _, o := range t.Outages {
		x := DemoOutage{
			FromMS: o.From.Milliseconds(), ToMS: o.To.Milliseconds(), DurationMS: (o.To - o.From).Milliseconds(),
			Direction: o.Direction, SeenBy: o.SeenBy,
		}
		if begun != nil {
			from, to := begun.Add(o.From).UTC(), begun.Add(o.To).UTC()
			x.From, x.To = &from, &to
		}
		e.Outages = append(e.Outages, x)
	}
	return e
}

// demosAtOnce is how many scenarios run at the same time: each needs about a fifth of a core, and they must not
// disturb each other on two.
const demosAtOnce = 4

// betweenDemos is the time between two starts: logging in everywhere and compiling the rules takes most of a core
// for a moment.
const betweenDemos = 1200 * time.Millisecond

// DemoAll runs every scenario, some at once, the longest first; the recordings lie in one folder. Its document lists
// them in their usual order. If ctx ends, it returns what is complete, and the context's error.
func DemoAll(ctx context.Context, opt DemoOptions) (DemoDocument, error) {
	began := time.Now()
	order, err := longestFirst(opt)
	if err != nil {
		return DemoDocument{}, err
	}
	keep := opt.Dir != ""
	if !keep {
		if opt.Dir, err = newDemoDir(); err != nil {
			return DemoDocument{}, err
		}
		defer os.RemoveAll(opt.Dir) // nobody is told of it
	}
	runs, err := runDemos(ctx, order, opt, began)
	d := DemoDocument{SchemaVersion: report.SchemaVersion, Seed: opt.Seed, Figures: &DemoFigures{}}
	if err != nil {
		return d, err
	}
	for _, n := range sim.Names() {
		if run, ok := runs[n]; ok && run.Complete {
			if !keep {
				run.Result.Document.Session = nil
			}
			d.add(run)
		}
	}
	d.Figures.sum(len(order), time.Since(began))
	return d, ctx.Err()
}

// longestFirst returns the scenarios' names, the longest story first, so that the last to end is a short one.
func longestFirst(opt DemoOptions) ([]string, error) {
	order := sim.Names()
	length := map[string]time.Duration{}
	for _, n := range order {
		story, err := sim.Draw(n, opt.Seed, sim.Options{Quick: opt.Quick})
		if err != nil {
			return nil, err
		}
		length[n] = story.Length
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(length[b], length[a]) })
	return order, nil
}

// runDemos runs scenarios, demosAtOnce at a time, and says of each to opt.Progress how it came out.
func runDemos(ctx context.Context, order []string, opt DemoOptions, began time.Time) (map[string]DemoRun, error) {
	runs := map[string]DemoRun{}
	var errs []error
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := semaphore.NewWeighted(demosAtOnce)
	for i, n := range order {
		if slots.Acquire(ctx, 1) != nil || i > 0 && !pause(ctx, betweenDemos) {
			break
		}
		wg.Go(func() {
			defer slots.Release(1)
			one := opt
			one.UI, one.Progress = false, nil
			run, err := Demo(ctx, n, one)
			mu.Lock()
			defer mu.Unlock()
			if runs[n] = run; err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", n, err))
			}
			if opt.Progress != nil && ctx.Err() == nil {
				fmt.Fprintf(opt.Progress, "%6.1f s  %-18s %s\n", time.Since(began).Seconds(), n, outcome(run, err))
			}
		})
	}
	wg.Wait()
	return runs, errors.Join(errs...)
}

// pause waits for d, or returns false if ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func outcome(run DemoRun, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case run.Judgement.Right:
		return "right"
	}
	return "wrong"
}

// Scenario returns the run as a line of an answer sheet.
func (r DemoRun) Scenario() DemoScenario {
	doc := r.Result.Document
	s := DemoScenario{
		Name: r.Story.Name, Expected: expected(r.Story.Truth, &r.Begun), Found: &doc, Right: &r.Judgement.Right, Wrong: r.Judgement.Wrong, Late: r.Judgement.Late, help: r.Story.Help,
		OutageErrorMS: milliseconds(r.Judgement.Outage), DatingErrorMS: milliseconds(r.Judgement.Dating),
	}
	return s
}

func (d *DemoDocument) add(r DemoRun) {
	d.Scenarios = append(d.Scenarios, r.Scenario())
	f := d.Figures
	if r.Judgement.Right {
		f.Right++
	}
	f.outage, f.dating = append(f.outage, r.Judgement.Outage...), append(f.dating, r.Judgement.Dating...)
}

func (f *DemoFigures) sum(of int, took time.Duration) {
	f.Of, f.Seconds = of, took.Seconds()
	f.OutageErrorMS, f.DatingErrorMS = milliseconds(f.outage), milliseconds(f.dating)
	outage, _ := median(f.outage)
	dating, _ := median(f.dating)
	f.WithinBounds = outage <= MaxOutageError && dating <= MaxDatingError
}

// milliseconds returns the median; nil if there is none.
func milliseconds(v []time.Duration) *float64 {
	m, ok := median(v)
	if !ok {
		return nil
	}
	ms := float64(m) / float64(time.Millisecond)
	return &ms
}

// Exit returns the exit of a demo of all scenarios: 1 if any answer is wrong or the figures are beyond their bounds.
func (d DemoDocument) Exit() error {
	if f := d.Figures; f != nil && (f.Right < f.Of || !f.WithinBounds) {
		return Exit{Code: ExitFound}
	}
	return nil
}
