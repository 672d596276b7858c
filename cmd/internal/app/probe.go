package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/probe/iperf3"
)

// ProbeOptions says how an ad-hoc test is carried out and shown.
type ProbeOptions struct {
	Test     iperf3.Test
	Blocks   uint64        // what Test.Bytes was asked for as (-k); 0: it was not
	Interval time.Duration // between lines; 0: only the result
	Format   string        // text, json (our own document), iperf3 (the document of iperf3 -J)
	Unit     byte          // of rates in the table: k m g t (bits), K M G T (bytes); 0: what fits
	Out      io.Writer     // the result
	Progress io.Writer     // what the person should know meanwhile
}

// Probe runs one throughput test and prints what it measured. The error carries the exit code: nil when it
// measured, ExitNotMeasured when it did not, ExitInterrupted when ctx ended first (what was measured is printed).
func Probe(ctx context.Context, opt ProbeOptions) error {
	if err := opt.Test.Check(); err != nil {
		return Exit{ExitUsage, err}
	}
	p := &probing{opt: opt}
	table := &probeTable{w: opt.Out, unit: opt.Unit, test: opt.Test}
	h := iperf3.Handler{Notice: func(text string) { fmt.Fprintln(opt.Progress, "note: "+report.Clean(text)) }}
	if opt.Format == "text" {
		h.Connected, h.Interval = table.connected, table.interval
	} else {
		h.Interval = func(i iperf3.Interval) { p.intervals = append(p.intervals, i) }
	}
	interval := opt.Interval
	if interval <= 0 {
		interval = 365 * 24 * time.Hour
		h.Interval = nil
	}
	res, err := iperf3.Run(ctx, opt.Test, interval, h)
	if perr := p.print(table, res, err); perr != nil {
		return Exit{ExitNotMeasured, perr}
	}
	switch {
	case ctx.Err() != nil:
		return Exit{Code: ExitInterrupted}
	case err != nil:
		return Exit{ExitNotMeasured, err}
	}
	return nil
}

// probing is one run of Probe.
type probing struct {
	opt       ProbeOptions
	intervals []iperf3.Interval
}

func (p *probing) print(table *probeTable, res iperf3.Result, err error) error {
	switch p.opt.Format {
	case "json":
		return p.encode(probeDocument(p.opt, p.intervals, res, err))
	case "iperf3":
		return p.encode(iperf3Document(p.opt, p.intervals, res, err))
	}
	if err != nil {
		return nil // said as the command's error
	}
	return table.result(res)
}

func (p *probing) encode(v any) error {
	enc := json.NewEncoder(p.opt.Out)
	enc.SetIndent("", "\t")
	return enc.Encode(v)
}
