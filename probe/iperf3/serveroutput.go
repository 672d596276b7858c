package iperf3

import (
	"fmt"
	"strings"
	"time"
)

// serverOutput writes what a client gets that asks for the server's output: lines like iperf3's.
type serverOutput struct {
	t     *session
	b     strings.Builder
	marks []mark
	from  time.Time
}

// maxOutput bounds the text: a test of hours with many streams says no more after it.
const maxOutput = 256 << 10

func newServerOutput(t *session) *serverOutput {
	o := &serverOutput{t: t, marks: make([]mark, len(t.conns))}
	fmt.Fprintf(&o.b, "Accepted connection from %v\n", t.ctl.conn.RemoteAddr())
	for _, c := range t.conns {
		fmt.Fprintf(&o.b, "[%3d] local %v connected to %v\n", c.id, c.conn.LocalAddr(), c.conn.RemoteAddr())
	}
	o.b.WriteString("[ ID] Interval           Transfer     Bitrate\n")
	return o
}

// interval writes a line of each stream for the time since the last.
func (o *serverOutput) interval(now time.Time, omitted bool) {
	if o.b.Len() > maxOutput {
		return
	}
	base := o.t.counted
	if o.from.Before(base) {
		o.from = base
		for i, c := range o.t.conns {
			o.marks[i] = c.base
		}
	}
	for i, c := range o.t.conns {
		m := c.now()
		d := m.since(o.marks[i])
		o.marks[i] = m
		end := ""
		if omitted {
			end = " (omitted)"
		}
		o.line(c, o.from.Sub(base).Seconds(), now.Sub(base).Seconds(), d.bytes, d.lost, d.packets, end)
	}
	o.from = now
}

func (o *serverOutput) line(c *dataConn, from, to float64, bytes, lost, packets uint64, end string) {
	rate := 0.0
	if to > from {
		rate = float64(bytes) * 8 / (to - from) / 1e6
	}
	fmt.Fprintf(&o.b, "[%3d] %6.2f-%-6.2f sec  %.2f MBytes  %.2f Mbits/sec", c.id, from, to, float64(bytes)/(1<<20), rate)
	if c.in != nil {
		fmt.Fprintf(&o.b, "  %.3f ms  %d/%d", c.in.Counts().Jitter.Seconds()*1e3, lost, lost+packets)
	}
	o.b.WriteString(end + "\n")
}

// end writes the totals and returns the text.
func (o *serverOutput) end(r Results) string {
	o.b.WriteString("- - - - - - - - - - - - - - - - - - - - - - - - -\n")
	for i, s := range r.Streams {
		side := "  receiver"
		if s.Sends {
			side = "  sender"
		}
		o.line(o.t.conns[i], 0, s.Seconds, s.Bytes, s.Lost.Or(0), s.Packets, side)
	}
	return o.b.String()
}
