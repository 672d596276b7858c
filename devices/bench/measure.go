package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"time"
)

// series is what one contest gave in each round.
type series []float64

func (s series) median() float64 {
	o := slices.Sorted(slices.Values(s))
	if len(o) == 0 {
		return 0
	}
	return (o[(len(o)-1)/2] + o[len(o)/2]) / 2
}

// text writes the median and the range.
func (s series) text(format string) string {
	return fmt.Sprintf(format+" ("+format+"-"+format+")", s.median(), slices.Min(s), slices.Max(s))
}

// over divides round by round.
func (s series) over(t series) series {
	var out series
	for i := range min(len(s), len(t)) {
		if t[i] > 0 {
			out = append(out, s[i]/t[i])
		}
	}
	return out
}

// goals collects what was missed.
type goals struct{ missed []string }

// most says whether a value is at most what was wanted, and remembers it if not.
func (g *goals) most(what string, got, want float64) string {
	if got <= want {
		return fmt.Sprintf("goal <= %.2f: met", want)
	}
	g.missed = append(g.missed, fmt.Sprintf("%s: %.3f, goal %.2f", what, got, want))
	return fmt.Sprintf("goal <= %.2f: NOT met", want)
}

// err says what was missed; nil if nothing was.
func (g *goals) err() error {
	if len(g.missed) == 0 {
		return nil
	}
	return errors.New(strings.Join(g.missed, "; "))
}

// profiles is where profiles of the processor time are written; "" is nowhere.
var profiles string

// profiled is how many were written.
var profiled int

// spent returns the processor time of this process that f takes.
func spent(f func() error) (time.Duration, error) {
	if profiles != "" {
		profiled++
		file, err := os.Create(fmt.Sprintf("%s.%d", profiles, profiled))
		if err != nil {
			return 0, err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return 0, err
		}
		defer pprof.StopCPUProfile()
	}
	from := processorTime()
	err := f()
	return processorTime() - from, err
}
