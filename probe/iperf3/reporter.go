package iperf3

import (
	"time"
)

// reporter makes the reports that a client of ours gets.
type reporter struct {
	t      *session
	load   hostLoad
	at     time.Time
	waited time.Duration // sum over the streams, at the last report
}

func newReporter(t *session) *reporter {
	r := &reporter{t: t, at: t.start}
	r.load.host()
	r.load.process(t.start)
	return r
}

// report returns what happened since the last report.
func (r *reporter) report(now time.Time) report {
	out := report{Seconds: now.Sub(r.t.start).Seconds(), Streams: make([]reportStream, 0, len(r.t.conns))}
	var waited time.Duration
	for _, c := range r.t.conns {
		out.Streams = append(out.Streams, reportStream{c.id, c.bytes()})
		waited += c.count.Waited()
	}
	out.CPU = ptr(r.load.host())
	out.ProcessCPU = ptr(r.load.process(now))
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
