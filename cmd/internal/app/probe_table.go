package app

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"whydrop/probe/iperf3"
	"whydrop/probe/tcpinfo"
)

// probeTable prints a test as a table like iperf3's. Sender and receiver are labelled.
type probeTable struct {
	w    io.Writer
	unit byte
	test iperf3.Test
	head bool
	rule bool // the last line is a rule
}

const rule = "- - - - - - - - - - - - - - - - - - - - - - - - -"

func (t *probeTable) connected(conns []iperf3.Connection) {
	if t.test.Reverse {
		fmt.Fprintln(t.w, "Reverse mode, the far end is sending")
	}
	for _, c := range conns {
		fmt.Fprintf(t.w, "[%3d] local %v connected to %v", c.ID, c.Local, c.Remote)
		if c.Actual.MSS > 0 {
			fmt.Fprintf(t.w, ", MSS %d", c.Actual.MSS)
		}
		if t.test.Window > 0 && c.Actual.SendBuffer > 0 {
			fmt.Fprintf(t.w, ", buffers %d and %d bytes", c.Actual.SendBuffer, c.Actual.RecvBuffer)
		}
		fmt.Fprintln(t.w)
	}
}

func (t *probeTable) interval(i iperf3.Interval) {
	if !t.head {
		t.head = true
		if t.test.Reverse {
			fmt.Fprintln(t.w, "[ ID] Interval           Transfer     Bitrate")
		} else {
			fmt.Fprintln(t.w, "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd         RTT")
		}
	}
	var retr tcpinfo.Opt[uint64]
	for _, s := range i.Streams {
		end := ""
		if !t.test.Reverse {
			end = fmt.Sprintf(" %4s  %-11s  %s", count(s.Retransmits), size(s.Info.Cwnd), millisOf(s.Info.RTT))
		}
		if s.Retransmits.OK {
			retr.OK, retr.Value = true, retr.Value+s.Retransmits.Value
		}
		t.line(fmt.Sprintf("[%3d]", s.ID), i.From, i.To, s.Bytes, end)
	}
	if len(i.Streams) > 1 {
		end := ""
		if !t.test.Reverse {
			end = fmt.Sprintf(" %4s", count(retr))
		}
		t.line("[SUM]", i.From, i.To, i.Bytes(), end)
		fmt.Fprintln(t.w, rule)
		t.rule = true
	}
}

func (t *probeTable) line(id string, from, to time.Duration, bytes uint64, end string) {
	fmt.Fprintf(t.w, "%s %6.2f-%-6.2f sec  %s  %s%s\n", id, from.Seconds(), to.Seconds(),
		scaled(float64(bytes), 1024, "Bytes", 0), rateColumn(float64(bytes)*8/(to-from).Seconds(), t.unit), end)
}

// result prints the totals as both ends counted them, and what TCP showed.
func (t *probeTable) result(r iperf3.Result) error {
	b := bufio.NewWriter(t.w)
	t.w = b
	if !t.rule {
		fmt.Fprintln(b, rule)
	}
	fmt.Fprintln(b, "[ ID] Interval           Transfer     Bitrate         Retr")
	t.totals("sender", r.Sender(), true)
	t.totals("receiver", r.Receiver(), false)
	if r.Sender() == nil || r.Receiver() == nil {
		fmt.Fprintln(b, "The far end's own count is missing; what stands above is this end's.")
	}
	for _, s := range r.TCP {
		if s.MeanRTT > 0 {
			fmt.Fprintf(b, "[%3d] RTT %.3f/%.3f/%.3f ms (least, mean, most), largest congestion window %s, largest window offered by the receiver %s\n",
				s.ID, ms(s.MinRTT), ms(s.MeanRTT), ms(s.MaxRTT), size(known(s.MaxCwnd)), size(known(s.MaxSendWindow)))
		}
	}
	for _, s := range r.Stalls {
		state := ""
		if s.Open {
			state = ", until the test's end"
		}
		fmt.Fprintf(b, "Nothing arrived for %.2f s from %s%s\n", s.To.Sub(s.From).Seconds(), s.From.UTC().Format("15:04:05.000Z"), state)
	}
	return b.Flush()
}

func (t *probeTable) totals(label string, r *iperf3.Results, sender bool) {
	if r == nil {
		return
	}
	var retr tcpinfo.Opt[uint64]
	var longest float64
	row := func(id string, bytes uint64, seconds float64, retr tcpinfo.Opt[uint64]) {
		end := "     "
		if sender {
			end = fmt.Sprintf(" %4s", count(retr))
		}
		if seconds <= 0 {
			seconds = 1e-9
		}
		t.line(id, 0, time.Duration(seconds*float64(time.Second)), bytes, end+"             "+label)
	}
	for _, s := range r.Streams {
		n := tcpinfo.Opt[uint64]{}
		if s.Retransmits >= 0 {
			n = tcpinfo.Opt[uint64]{Value: uint64(s.Retransmits), OK: true}
			retr.OK, retr.Value = true, retr.Value+n.Value
		}
		longest = max(longest, s.Seconds)
		row(fmt.Sprintf("[%3d]", s.ID), s.Bytes, s.Seconds, n)
	}
	if len(r.Streams) > 1 {
		row("[SUM]", r.Bytes(), longest, retr)
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func known(v uint64) tcpinfo.Opt[uint64] { return tcpinfo.Opt[uint64]{Value: v, OK: v > 0} }

func count(v tcpinfo.Opt[uint64]) string {
	if !v.OK {
		return "?"
	}
	return fmt.Sprint(v.Value)
}

func size(v tcpinfo.Opt[uint64]) string {
	if !v.OK {
		return "?"
	}
	return scaled(float64(v.Value), 1024, "Bytes", 0)
}

func millisOf(v tcpinfo.Opt[time.Duration]) string {
	if !v.OK {
		return "?"
	}
	return fmt.Sprintf("%.3f ms", ms(v.Value))
}

// rateColumn writes a rate as iperf3 does: in the unit asked for, capital letters for bytes, or in the one that fits.
func rateColumn(bitsPerSecond float64, unit byte) string {
	switch unit {
	case 'K', 'M', 'G', 'T':
		return scaled(bitsPerSecond/8, 1024, "Bytes/sec", unit)
	case 'k', 'm', 'g', 't':
		return scaled(bitsPerSecond, 1000, "bits/sec", unit&^0x20)
	}
	return scaled(bitsPerSecond, 1000, "bits/sec", 0)
}

// scaled writes a value with three digits and its unit's prefix: the one given, or the one that fits.
func scaled(v, base float64, unit string, prefix byte) string {
	prefixes := []byte{' ', 'K', 'M', 'G', 'T'}
	i := 0
	for i < len(prefixes)-1 && (prefix == 0 && v >= base*0.9995 || prefix != 0 && prefixes[i] != prefix) {
		v /= base
		i++
	}
	digits := 0
	switch {
	case v < 9.995:
		digits = 2
	case v < 99.95:
		digits = 1
	}
	p := string(prefixes[i])
	if i == 0 {
		p = ""
	}
	return fmt.Sprintf("%4.*f %s%s", digits, v, p, unit)
}
