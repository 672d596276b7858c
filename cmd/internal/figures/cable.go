package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// Targets of cabling: of so many runs the 95 % interval covers the injected rate in at least so many.
const (
	cableRuns    = 100
	cableCovered = 90
)

// cable prints how often the interval of a link test covers the rate that was injected, and with --full whether the
// bad frames of the laboratory's link L2 are counted to the last one.
func cable(ctx context.Context, out io.Writer, full bool) error {
	missed := false
	fmt.Fprintf(out, "%-12s  %-8s  %9s  %-9s  %s\n", "per frame", "refresh", "frames", "covered", "mean bad frames")
	for _, c := range []struct {
		rate    float64
		refresh int // seconds
		polls   int
	}{{1e-3, 1, 60}, {1e-4, 1, 60}, {1e-5, 1, 60}, {1e-6, 1, 60}, {1e-7, 1, 120}, {1e-8, 1, 600}, {1e-5, 7, 120}} {
		covered, bad := 0, 0.0
		frames := 0.0
		for run := range cableRuns {
			if err := ctx.Err(); err != nil {
				return err
			}
			w := virtualLink(c.rate, c.refresh, c.polls, uint64(run))
			_, low, high := w.FrameRatio()
			if low <= c.rate && c.rate <= high {
				covered++
			}
			bad, frames = bad+w.Bad/cableRuns, w.Frames
		}
		missed = missed || covered < cableCovered
		fmt.Fprintf(out, "%-12.0e  %-8s  %9.2g  %3d/%d    %.1f\n", c.rate, fmt.Sprintf("%d s", c.refresh), frames, covered, cableRuns, bad)
	}
	if !full {
		fmt.Fprintln(out, "the laboratory is asked with --full only")
	} else if err := cableLab(ctx, out); err != nil {
		return err
	}
	if missed {
		return errMissed
	}
	return nil
}

// virtualLink lets a port count frames of which a share is damaged, reads it once a second as a device is read, and
// judges the link.
func virtualLink(rate float64, refresh, polls int, seed uint64) correlate.CableWay {
	const speed, perFrame = 10e9, 12000.0 // bit/s, bits
	const framesPerPoll = speed / perFrame
	rng := rand.New(rand.NewPCG(seed, uint64(rate*1e12)))
	gap := func() float64 { return 1 + math.Floor(math.Log(1-rng.Float64())/math.Log1p(-rate)) }
	begun := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	var differ devices.Differ
	var store timeline.Store
	var frames, bad uint64
	next := gap()
	for poll := range polls + 1 {
		if poll%refresh == 0 {
			frames = uint64(float64(poll) * framesPerPoll)
			for next <= float64(frames) {
				bad++
				next += gap()
			}
		}
		at := begun.Add(time.Duration(poll) * time.Second)
		good := frames - bad
		sp := timeline.Span{From: at, To: at.Add(10 * time.Millisecond)}
		for _, r := range differ.Records(devices.Reading{
			Device: "sw1", Span: sp, Origin: timeline.Origin{Collector: "snmp:sw1", Exchange: uint64(poll + 1)},
			Clock: devices.Some(devices.Clock{Ticks: uint32(poll * 100), Span: sp}),
			Interfaces: []devices.Interface{{
				Name: "Te1/1/1", Speed: devices.Some(uint64(speed)), Oper: devices.Some("up"),
				InOctets: devices.C64(good * perFrame / 8), OutOctets: devices.C64(good * perFrame / 8),
				InPackets: devices.C64(good), OutPackets: devices.C64(good), InErrors: devices.C32(bad), FCS: devices.C32(bad),
			}},
		}) {
			store.Put(r)
		}
	}
	whole := timeline.Span{From: begun, To: begun.Add(time.Duration(polls+1) * time.Second)}
	return correlate.JudgeCable(store.Snapshot(), correlate.CableLink{A: timeline.Port("sw1", "Te1/1/1")}, whole).Ways[1]
}
