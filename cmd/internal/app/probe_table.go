package app

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/probe/iperf3"
	"whydrop/probe/tcpinfo"
	"whydrop/rules"
)

// probeTable prints a test as a table like iperf3's. Sender and receiver are labelled; what the receiver counted is
// what arrived.
type probeTable struct {
	w    io.Writer
	opt  ProbeOptions
	unit byte
	test iperf3.Test
	head bool
	rule bool // the last line is a rule
}

const rule = "- - - - - - - - - - - - - - - - - - - - - - - - -"

func newProbeTable(opt ProbeOptions) *probeTable {
	t := &probeTable{w: opt.Out, opt: opt, unit: opt.Unit, test: opt.Test}
	if opt.Title != "" || opt.Stamp != "" {
		t.w = &linePrefix{w: opt.Out, prefix: func() string {
			p := ""
			if opt.Stamp != "" {
				p = strftime(opt.Stamp, time.Now())
			}
			if opt.Title != "" {
				p += opt.Title + ":  "
			}
			return p
		}}
	}
	return t
}

func (t *probeTable) connected(conns []iperf3.Connection) {
	if t.opt.Verbose {
		fmt.Fprintf(t.w, "whydrop on %s %s\nTime: %s\nConnecting to %s\n", runtime.GOOS, runtime.GOARCH, time.Now().UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"), t.test.Address)
	}
	if t.test.Reverse {
		fmt.Fprintln(t.w, "Reverse mode, the far end is sending")
	}
	for _, c := range conns {
		fmt.Fprintf(t.w, "[%3d]%s local %v connected to %v%s\n", c.ID, t.role(c.Sends), c.Local, c.Remote, t.granted(c))
	}
	if !t.opt.Verbose {
		return
	}
	what := fmt.Sprintf("%g second test", t.test.Time.Seconds())
	switch {
	case t.opt.Blocks > 0:
		what = fmt.Sprintf("%d blocks to send", t.opt.Blocks)
	case t.test.Bytes > 0:
		what = fmt.Sprintf("%d bytes to send", t.test.Bytes)
	}
	fmt.Fprintf(t.w, "Starting Test: protocol: %s, %s, omitting %g seconds, %s, tos %d\n", protocolName(t.test), rules.Plural(max(t.test.Streams, 1), "stream"), t.test.Omit.Seconds(), what, t.test.TOS)
}

// granted says what a socket got, beside what was asked for.
func (t *probeTable) granted(c iperf3.Connection) (s string) {
	switch {
	case c.Actual.MSS <= 0 || t.test.UDP:
	case t.test.MSS > 0:
		s += fmt.Sprintf(", MSS %d asked, %d got", t.test.MSS, c.Actual.MSS)
	default:
		s += fmt.Sprintf(", MSS %d", c.Actual.MSS)
	}
	if t.test.Window > 0 && c.Actual.SendBuffer > 0 {
		s += fmt.Sprintf(", window %d asked, buffers of %d (send) and %d bytes (receive) got", t.test.Window, c.Actual.SendBuffer, c.Actual.RecvBuffer)
	}
	if t.test.UDP && !c.Sends && t.test.Window == 0 && c.Actual.RecvBuffer > 0 {
		s += fmt.Sprintf(", receive buffer of %d bytes got", c.Actual.RecvBuffer)
	}
	if c.Length > 0 && t.test.UDP {
		if t.test.Length > 0 {
			s += fmt.Sprintf(", datagrams of %d bytes asked, %d got", t.test.Length, c.Length)
		} else {
			s += fmt.Sprintf(", datagrams of %d bytes", c.Length)
		}
	}
	return s
}

// role is what tells the directions of a test in both apart, as iperf3 does.
func (t *probeTable) role(sends bool) string {
	switch {
	case !t.test.Bidirectional:
		return ""
	case sends:
		return "[TX-C]"
	}
	return "[RX-C]"
}

// heading prints the names of the columns; each line has those of its direction.
func (t *probeTable) heading(total bool) {
	end := ""
	switch {
	case t.test.UDP && t.test.Reverse || t.test.UDP && (total || t.test.Bidirectional):
		end = "         Jitter    Lost/Total Datagrams"
	case t.test.UDP:
		end = "         Total Datagrams"
	case total:
		end = "         Retr"
	case !t.test.Reverse:
		end = "         Retr  Cwnd         RTT"
	}
	role := ""
	if t.test.Bidirectional {
		role = "[Role]"
	}
	fmt.Fprintf(t.w, "[ ID]%s Interval           Transfer     Bitrate%s\n", role, end)
}

func (t *probeTable) interval(i iperf3.Interval) {
	if !t.head {
		t.head = true
		t.heading(false)
	}
	omitted := ""
	if i.Omitted {
		omitted = "  (omitted)"
	}
	for _, sends := range []bool{true, false} {
		t.rows(i, sends, omitted)
	}
	if len(i.Streams) > 1 {
		fmt.Fprintln(t.w, rule)
		t.rule = true
	}
}

// rows prints the streams of one direction in an interval, and their sum.
func (t *probeTable) rows(i iperf3.Interval, sends bool, omitted string) {
	var sum iperf3.StreamInterval
	n := 0
	for _, s := range i.Streams {
		if s.Sends != sends {
			continue
		}
		end := ""
		switch {
		case s.Datagrams != nil:
			end = packetsText(*s.Datagrams, sends)
		case sends:
			end = fmt.Sprintf(" %4s  %-11s  %s", count(s.Retransmits), size(s.Info.Cwnd), millisOf(s.Info.RTT))
		}
		t.line(fmt.Sprintf("[%3d]%s", s.ID, t.role(sends)), i.From, i.To, s.Bytes, end+omitted)
		add(&sum, s)
		n++
	}
	if n < 2 {
		return
	}
	end := ""
	switch {
	case sum.Datagrams != nil:
		end = packetsText(*sum.Datagrams, sends)
	case sends:
		end = fmt.Sprintf(" %4s", count(sum.Retransmits))
	}
	t.line("[SUM]"+t.role(sends), i.From, i.To, sum.Bytes, end+omitted)
}

// add adds a stream to a sum. A sum has no jitter.
func add(sum *iperf3.StreamInterval, s iperf3.StreamInterval) {
	sum.Bytes += s.Bytes
	if s.Retransmits.OK {
		sum.Retransmits.OK, sum.Retransmits.Value = true, sum.Retransmits.Value+s.Retransmits.Value
	}
	if d := s.Datagrams; d != nil {
		if sum.Datagrams == nil {
			sum.Datagrams = &iperf3.DatagramInterval{}
		}
		sum.Datagrams.Packets += d.Packets
		sum.Datagrams.Lost += d.Lost
		sum.Datagrams.OutOfOrder += d.OutOfOrder
		if f := d.Far; f != nil {
			if sum.Datagrams.Far == nil {
				sum.Datagrams.Far = &iperf3.FarInterval{}
			}
			all := sum.Datagrams.Far
			all.To, all.Packets, all.Lost = f.To, all.Packets+f.Packets, all.Lost+f.Lost
			all.OutOfOrder, all.HostDropped = all.OutOfOrder+f.OutOfOrder, all.HostDropped+f.HostDropped
		}
	}
}

func packetsText(d iperf3.DatagramInterval, sends bool) string {
	if f := d.Far; sends && f != nil {
		got := iperf3.Loss{Sent: f.Packets + f.Lost, Lost: f.Lost, OutOfOrder: tcpinfo.Opt[uint64]{Value: f.OutOfOrder, OK: true}, Jitter: f.Jitter}
		return fmt.Sprintf("  %d; at the far end, to %.2f s: %s", d.Packets, f.To.Seconds(), strings.TrimSpace(lossText(got)))
	}
	if sends {
		return fmt.Sprintf("  %d", d.Packets)
	}
	return lossText(iperf3.Loss{Sent: d.Packets + d.Lost, Lost: d.Lost, OutOfOrder: tcpinfo.Opt[uint64]{Value: d.OutOfOrder, OK: true}, Jitter: d.Jitter})
}

// lossText says what became of datagrams, as iperf3 does; what is not known is "?".
func lossText(l iperf3.Loss) string {
	share := "?"
	if v, ok := l.Share(); ok {
		share = fmt.Sprintf("%.2g", 100*v)
		if v >= 0.1 { // no exponents
			share = fmt.Sprintf("%.0f", 100*v)
		}
	}
	s := fmt.Sprintf("  %s  %d/%d (%s%%)", millisOf(l.Jitter), l.Lost, l.Sent, share)
	if l.OutOfOrder.Or(0) > 0 {
		s += fmt.Sprintf("  %d out of order", l.OutOfOrder.Value)
	}
	return s
}

func (t *probeTable) line(id string, from, to time.Duration, bytes uint64, end string) {
	fmt.Fprintf(t.w, "%s %6.2f-%-6.2f sec  %s  %s%s\n", id, from.Seconds(), to.Seconds(),
		scaled(float64(bytes), 1024, "Bytes", 0), rateColumn(perSecond(bytes, (to-from).Seconds()), t.unit), end)
}

// result prints the totals as both ends counted them, and what TCP showed.
func (t *probeTable) result(r iperf3.Result) error {
	b := bufio.NewWriter(t.w)
	t.w = b
	if !t.rule {
		fmt.Fprintln(b, rule)
	}
	t.heading(true)
	for _, w := range r.Directions() {
		t.totals("sender", w.Sent, w)
		t.totals("receiver", w.Received, w)
	}
	if p := missingPeer(r); p != nil {
		fmt.Fprintf(b, "%s. What stands above is this end's own count.\n", report.Clean(p.Error()))
		if r.UDP && !t.test.Reverse {
			fmt.Fprintln(b, "What was lost is not known.")
		}
	}
	for _, w := range r.Directions() {
		if w.Received == nil || !t.test.Verify {
			continue
		}
		for _, s := range w.Received.Streams {
			if s.Damaged.OK {
				fmt.Fprintf(b, "[%3d] %d of the bytes that arrived were not those that were sent\n", s.ID, s.Damaged.Value)
			}
		}
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
	t.more(r)
	return b.Flush()
}

// more prints what -V and --get-server-output ask for.
func (t *probeTable) more(r iperf3.Result) {
	if t.opt.Verbose {
		c := r.Local.CPU
		fmt.Fprintf(t.w, "CPU Utilization: local %.1f%% (%.1f%%u/%.1f%%s)", c.Total, c.User, c.System)
		if r.Far != nil {
			c = r.Far.CPU
			fmt.Fprintf(t.w, ", remote %.1f%% (%.1f%%u/%.1f%%s)", c.Total, c.User, c.System)
		}
		fmt.Fprintln(t.w)
		for _, s := range r.Local.Streams {
			fmt.Fprintf(t.w, "[%3d] kernel path here: %s\n", s.ID, s.Path)
		}
		for i, res := range []*iperf3.Results{r.Sender(), r.Receiver()} {
			if res != nil && res.Congestion != "" {
				fmt.Fprintf(t.w, "%s_tcp_congestion %s\n", []string{"snd", "rcv"}[i], report.Clean(res.Congestion))
			}
		}
	}
	if !t.test.ServerOutput {
		return
	}
	switch out := serverOutput(r).(type) {
	case nil:
		fmt.Fprintln(t.w, "\nThe far end gave no output.")
	case string:
		fmt.Fprintf(t.w, "\nServer output:\n%s\n", out)
	default:
		b, _ := json.MarshalIndent(out, "", "\t")
		fmt.Fprintf(t.w, "\nServer JSON output:\n%s\n", b)
	}
}

// totals prints what one end counted of one direction.
func (t *probeTable) totals(label string, r *iperf3.Results, w iperf3.Direction) {
	if r == nil {
		return
	}
	var sum iperf3.StreamResult
	var retr tcpinfo.Opt[uint64]
	row := func(id string, s iperf3.StreamResult, retr tcpinfo.Opt[uint64], loss iperf3.Loss, ok bool) {
		end := "     "
		switch {
		case t.test.UDP && label == "sender":
			end = fmt.Sprintf("  %d sent", s.Packets)
		case t.test.UDP && ok:
			end = lossText(loss)
			if loss.HostDropped.Or(0) > 0 {
				end += fmt.Sprintf("  %d of them by the receiving host", loss.HostDropped.Value)
			}
		case !t.test.UDP && label == "sender":
			end = fmt.Sprintf(" %4s", count(retr))
		}
		if !t.test.UDP {
			end += "           "
		}
		t.line(id, 0, time.Duration(s.Seconds*float64(time.Second)), s.Bytes, end+"  "+label)
	}
	for i, s := range r.Streams {
		n := tcpinfo.Opt[uint64]{}
		if s.Retransmits >= 0 {
			n = tcpinfo.Opt[uint64]{Value: uint64(s.Retransmits), OK: true}
			retr.OK, retr.Value = true, retr.Value+n.Value
		}
		sum.Seconds, sum.Bytes, sum.Packets = max(sum.Seconds, s.Seconds), sum.Bytes+s.Bytes, sum.Packets+s.Packets
		loss, ok := w.Loss(i)
		row(fmt.Sprintf("[%3d]%s", s.ID, t.role(!w.Reverse)), s, n, loss, ok)
	}
	if len(r.Streams) > 1 {
		loss, ok := w.TotalLoss()
		row("[SUM]"+t.role(!w.Reverse), sum, retr, loss, ok)
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
