package iperf3

import (
	"time"

	"whydrop/probe/host"
)

// reporter makes the reports that a client of ours gets.
type reporter struct {
	t      *session
	load   host.Load
	at     time.Time
	waited time.Duration // sum over the streams, at the last report
}

func newReporter(t *session) *reporter {
	r := &reporter{t: t, at: t.start}
	r.load.Host()
	r.load.Process(t.start)
	r.load.Waiting(t.start)
	return r
}

// report returns what happened since the last report.
func (r *reporter) report(now time.Time) report {
	out := r.counts(now)
	var waited time.Duration
	for _, c := range r.t.conns {
		waited += c.count.Waited()
	}
	out.CPU = ptr(r.load.Host())
	if use, ok := r.load.Process(now); ok {
		out.ProcessCPU = ptr(use.Total(), true)
	}
	if w, ok := r.load.Waiting(now); ok {
		out.CPUWait, out.Throttled = &w.Ready, ptr(w.Throttled, w.Limited)
	}
	if d := now.Sub(r.at); d > 0 && !r.t.params.reverse && !r.t.params.bidirectional && !r.t.params.udp {
		share := float64(waited-r.waited) / float64(d) / float64(len(r.t.conns))
		stall := min(1, max(0, 1-share))
		out.ReadStall = &stall
	}
	if r.t.params.reverse {
		out.TCP = tcpReport(gather(r.t.conns))
	}
	r.at, r.waited = now, waited
	return out
}

// counts returns what the streams have carried, and nothing else.
func (r *reporter) counts(now time.Time) report {
	out := report{Seconds: now.Sub(r.t.start).Seconds(), Streams: make([]reportStream, 0, len(r.t.conns))}
	for _, c := range r.t.conns {
		out.Streams = append(out.Streams, reportOf(c))
	}
	return out
}
