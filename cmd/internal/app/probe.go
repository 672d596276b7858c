package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/probe/iperf3"
)

// ProbeOptions says how an ad-hoc test is carried out and shown.
type ProbeOptions struct {
	Test     iperf3.Test
	Blocks   uint64        // what Test.Bytes was asked for as (-k); 0: it was not
	Interval time.Duration // between lines; 0: only the result
	Format   string        // text, json (our own document), iperf3 (the document of iperf3 -J), stream (iperf3 --json-stream)
	Unit     byte          // of rates in the table: k m g t (bits), K M G T (bytes); 0: what fits
	Verbose  bool          // the table says more
	Title    string        // before each line of the table
	Pcap     string        // file for the headers of the test's packets; "": none
	Stamp    string        // of each line of the table, as of strftime(3); "": none
	Out      io.Writer     // the result
	Progress io.Writer     // what the person should know meanwhile
}

// Probe runs one throughput test and prints what it measured. The error carries the exit code: nil when it
// measured, ExitPartial when the far end's own count is missing, ExitNotMeasured when it did not, ExitInterrupted when ctx ended first (what was measured is printed).
func Probe(ctx context.Context, opt ProbeOptions) error {
	if err := opt.Test.Check(); err != nil {
		return Exit{ExitUsage, err}
	}
	p := &probing{opt: opt}
	table := newProbeTable(opt)
	h := iperf3.Handler{Notice: func(text string) { fmt.Fprintln(opt.Progress, "note: "+report.Clean(text)) }}
	switch opt.Format {
	case "text":
		h.Connected, h.Interval = table.connected, table.interval
	case "stream":
		h.Begun = func(r iperf3.Result) { p.event("start", iperf3Start(opt, r)) }
		h.Interval = func(i iperf3.Interval) { p.event("interval", iperf3Interval(i, opt.Test)) }
	default:
		h.Interval = func(i iperf3.Interval) { p.intervals = append(p.intervals, i) }
	}
	interval := opt.Interval
	if interval <= 0 {
		interval = 365 * 24 * time.Hour
		h.Interval = nil
	}
	own, err := watchTester(ctx, opt)
	if err != nil {
		return err
	}
	res, err := iperf3.Run(ctx, opt.Test, interval, h)
	own.end(res)
	p.offPace(res)
	if perr := p.print(table, res, err); perr != nil {
		return Exit{ExitNotMeasured, perr}
	}
	switch {
	case ctx.Err() != nil:
		return Exit{Code: ExitInterrupted}
	case errors.Is(err, syscall.ECONNREFUSED):
		return Exit{ExitNotMeasured, fmt.Errorf("%w; does whydrop serve or iperf3 -s run there, on that port?", err)}
	case err != nil:
		return Exit{ExitNotMeasured, err}
	case res.FarProblem != nil: // said in the result
		return Exit{Code: ExitPartial}
	}
	return nil
}

// probing is one run of Probe.
type probing struct {
	opt       ProbeOptions
	intervals []iperf3.Interval
	broken    error // of writing events
}

// event writes one line of iperf3 --json-stream.
func (p *probing) event(name string, data any) {
	b, err := json.Marshal(struct {
		Event string `json:"event"`
		Data  any    `json:"data"`
	}{name, data})
	if err == nil {
		_, err = p.opt.Out.Write(append(b, '\n'))
	}
	p.broken = errors.Join(p.broken, err)
}

// offPace says if this end did not send at the rate asked for.
func (p *probing) offPace(r iperf3.Result) {
	t := p.opt.Test
	if t.Rate == 0 || t.Bytes > 0 || r.Duration < time.Second || r.Interrupted || len(r.Stalls) > 0 {
		return
	}
	for _, d := range r.Directions() {
		if d.Reverse || d.Sent == nil {
			continue
		}
		sent, asked := float64(d.Sent.Bytes())*8/r.Duration.Seconds(), t.Rate*float64(max(t.Streams, 1))
		if sent < 0.95*asked || sent > 1.05*asked {
			fmt.Fprintf(p.opt.Progress, "note: asked for %s, sent %s\n", strings.TrimSpace(rateColumn(asked, 0)), strings.TrimSpace(rateColumn(sent, 0)))
		}
	}
}

func (p *probing) print(table *probeTable, res iperf3.Result, err error) error {
	switch p.opt.Format {
	case "json":
		return p.encode(probeDocument(p.opt, p.intervals, res, err))
	case "iperf3":
		return p.encode(iperf3Document(p.opt, p.intervals, res, err))
	case "stream":
		return p.endStream(res, err)
	}
	if err != nil {
		return nil // said as the command's error
	}
	return table.result(res)
}

// endStream writes the last events.
func (p *probing) endStream(res iperf3.Result, err error) error {
	problem := err
	if problem == nil {
		problem = missingPeer(res)
	}
	if problem != nil {
		p.event("error", *errText(problem))
	}
	if err == nil {
		p.event("end", iperf3End(p.opt, res))
		if f := res.Far; f != nil && f.OutputText != "" {
			p.event("server_output_text", cleanLines(f.OutputText))
		}
	}
	return p.broken
}

// missingPeer returns why the far end's own count is missing, as those are told who read it; nil if it is there.
func missingPeer(r iperf3.Result) error {
	if r.FarProblem == nil {
		return nil
	}
	if errors.Is(r.FarProblem, context.Canceled) {
		return errors.New("interrupted: the far end's own count is missing")
	}
	return fmt.Errorf("peer result missing: %w", r.FarProblem)
}

func (p *probing) encode(v any) error {
	enc := json.NewEncoder(p.opt.Out)
	enc.SetIndent("", "\t")
	return enc.Encode(v)
}
