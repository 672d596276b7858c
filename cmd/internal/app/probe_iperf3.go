package app

import (
	"net"
	"runtime"
	"strconv"
	"time"

	"whydrop/probe/iperf3"
	"whydrop/probe/tcpinfo"
)

// iperf3Doc is the document of iperf3 -J, in its order.
type iperf3Doc struct {
	Title      string         `json:"title,omitempty"`
	Start      map[string]any `json:"start"`
	Intervals  []any          `json:"intervals"`
	End        map[string]any `json:"end"`
	ServerText *string        `json:"server_output_text,omitempty"`
	ServerJSON any            `json:"server_output_json,omitempty"`
	Error      *string        `json:"error,omitempty"`
}

// iperf3Document is what probe -J prints: the document of iperf3 -J, so that what reads that can read this. What
// iperf3 does not know stands there as null.
func iperf3Document(opt ProbeOptions, intervals []iperf3.Interval, r iperf3.Result, err error) iperf3Doc {
	doc := iperf3Doc{Title: opt.Title, Start: iperf3Start(opt, r), Intervals: []any{}, End: map[string]any{}, Error: errText(err)}
	if err != nil {
		return doc
	}
	for _, i := range intervals {
		doc.Intervals = append(doc.Intervals, iperf3Interval(i, opt.Test))
	}
	doc.End = iperf3End(opt, r)
	doc.Error = errText(missingPeer(r))
	switch out := serverOutput(r).(type) {
	case nil:
	case string:
		doc.ServerText = &out
	default:
		doc.ServerJSON = out
	}
	return doc
}

// iperf3Start is the part that is known when the test begins, or when it could not.
func iperf3Start(opt ProbeOptions, r iperf3.Result) map[string]any {
	t := opt.Test
	host, port, _ := net.SplitHostPort(t.Address)
	portNumber, _ := strconv.Atoi(port)
	conns := []any{}
	start := map[string]any{
		"version": "whydrop", "system_info": runtime.GOOS + " " + runtime.GOARCH,
		"connecting_to": map[string]any{"host": host, "port": portNumber},
	}
	for _, c := range r.Connections {
		conn := map[string]any{"socket": c.ID}
		for name, a := range map[string]net.Addr{"local": c.Local, "remote": c.Remote} {
			switch ta := a.(type) {
			case *net.TCPAddr:
				conn[name+"_host"], conn[name+"_port"] = ta.AddrPort().Addr().Unmap().String(), ta.Port
			case *net.UDPAddr:
				conn[name+"_host"], conn[name+"_port"] = ta.AddrPort().Addr().Unmap().String(), ta.Port
			}
		}
		conns = append(conns, conn)
		start["sndbuf_actual"], start["rcvbuf_actual"] = c.Actual.SendBuffer, c.Actual.RecvBuffer
		switch {
		case t.UDP:
		case t.MSS > 0:
			start["tcp_mss"], start["tcp_mss_actual"] = t.MSS, c.Actual.MSS
		default:
			start["tcp_mss_default"] = c.Actual.MSS
		}
	}
	start["connected"] = conns
	if len(conns) == 0 {
		return start
	}
	start["timestamp"] = map[string]any{"time": r.Started.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"), "timesecs": r.Started.Unix()}
	start["cookie"], start["sock_bufsize"], start["target_bitrate"] = r.Cookie, t.Window, t.Rate
	start["test_start"] = map[string]any{
		"protocol": protocolName(t), "num_streams": max(t.Streams, 1), "blksize": blockSize(t, r), "omit": t.Omit.Seconds(), "duration": t.Time.Seconds(),
		"bytes": t.Bytes, "blocks": opt.Blocks, "reverse": oneIf(t.Reverse), "bidir": oneIf(t.Bidirectional), "tos": t.TOS, "target_bitrate": t.Rate,
	}
	return start
}

func protocolName(t iperf3.Test) string {
	if t.UDP {
		return "UDP"
	}
	return "TCP"
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func blockSize(t iperf3.Test, r iperf3.Result) int {
	switch {
	case t.Length > 0:
		return t.Length
	case t.UDP:
		return r.Length
	}
	return 128 << 10
}

// iperf3Span is the part that every figure of iperf3's document has.
func iperf3Span(from, to float64, bytes uint64, sender bool) map[string]any {
	return map[string]any{"start": from, "end": to, "seconds": to - from, "bytes": bytes, "bits_per_second": perSecond(bytes, to-from), "sender": sender}
}

func iperf3Interval(i iperf3.Interval, t iperf3.Test) map[string]any {
	streams := []any{}
	for _, s := range i.Streams {
		row := iperf3Span(i.From.Seconds(), i.To.Seconds(), s.Bytes, s.Sends)
		row["socket"], row["omitted"] = s.ID, i.Omitted
		if s.Retransmits.OK {
			row["retransmits"], row["snd_cwnd"], row["snd_wnd"] = s.Retransmits.Value, s.Info.Cwnd.Or(0), s.Info.SendWindow.Or(0)
			row["rtt"], row["rttvar"], row["pmtu"] = s.Info.RTT.Or(0).Microseconds(), s.Info.RTTVar.Or(0).Microseconds(), s.Info.PathMTU.Or(0)
		}
		addPackets(row, s.Datagrams, s.Sends)
		streams = append(streams, row)
	}
	out := map[string]any{"streams": streams, "sum": iperf3Sum(i, !t.Reverse)}
	if t.Bidirectional {
		out["sum_bidir_reverse"] = iperf3Sum(i, false)
	}
	return out
}

// iperf3Sum adds up an interval's streams on which this end sends, or does not.
func iperf3Sum(i iperf3.Interval, sends bool) map[string]any {
	var bytes, retransmits uint64
	var d *iperf3.DatagramInterval
	var jitter tcpinfo.Opt[time.Duration]
	n := 0
	for _, s := range i.Streams {
		if s.Sends != sends {
			continue
		}
		bytes, retransmits = bytes+s.Bytes, retransmits+s.Retransmits.Or(0)
		if s.Datagrams == nil {
			continue
		}
		if d == nil {
			d = &iperf3.DatagramInterval{}
		}
		d.Packets, d.Lost = d.Packets+s.Datagrams.Packets, d.Lost+s.Datagrams.Lost
		if j := s.Datagrams.Jitter; j.OK {
			jitter.Value, jitter.OK = jitter.Value+j.Value, true
			n++
		}
	}
	if n > 0 {
		jitter.Value /= time.Duration(n)
		d.Jitter = jitter
	}
	sum := iperf3Span(i.From.Seconds(), i.To.Seconds(), bytes, sends)
	sum["omitted"] = i.Omitted
	if sends && d == nil {
		sum["retransmits"] = retransmits
	}
	addPackets(sum, d, sends)
	return sum
}

// addPackets adds what is about datagrams in an interval.
func addPackets(row map[string]any, d *iperf3.DatagramInterval, sends bool) {
	switch {
	case d == nil:
		return
	case sends:
		row["packets"] = d.Packets
		return
	}
	row["packets"], row["lost_packets"], row["lost_percent"] = d.Packets+d.Lost, d.Lost, percent(d.Lost, d.Packets+d.Lost)
	row["jitter_ms"] = millisPtr(d.Jitter)
}

// percent returns 0 to 100; nil if there is nothing to have a share of.
func percent(part, whole uint64) any {
	if whole == 0 {
		return nil
	}
	return 100 * float64(part) / float64(whole)
}

func millisPtr(v tcpinfo.Opt[time.Duration]) any {
	if !v.OK {
		return nil
	}
	return ms(v.Value)
}

func iperf3End(opt ProbeOptions, r iperf3.Result) map[string]any {
	end := map[string]any{}
	streams := []any{}
	for _, w := range r.Directions() {
		suffix := ""
		if opt.Test.Bidirectional && w.Reverse {
			suffix = "_bidir_reverse"
		}
		known := w.Sent
		if known == nil {
			known = w.Received
		}
		for n := range known.Streams {
			if r.UDP {
				streams = append(streams, map[string]any{"udp": iperf3Datagrams(w, n)})
			} else {
				streams = append(streams, iperf3Streams(r, w, n))
			}
		}
		iperf3Totals(end, suffix, r, w)
	}
	end["streams"] = streams
	cpu := map[string]any{"host_total": r.Local.CPU.Total, "host_user": r.Local.CPU.User, "host_system": r.Local.CPU.System}
	if r.Far != nil {
		cpu["remote_total"], cpu["remote_user"], cpu["remote_system"] = r.Far.CPU.Total, r.Far.CPU.User, r.Far.CPU.System
	}
	end["cpu_utilization_percent"] = cpu
	if s := r.Sender(); s != nil && s.Congestion != "" {
		end["sender_tcp_congestion"] = s.Congestion
	}
	if s := r.Receiver(); s != nil && s.Congestion != "" {
		end["receiver_tcp_congestion"] = s.Congestion
	}
	return end
}

// iperf3Streams is what both ends counted of the n-th TCP stream of a direction.
func iperf3Streams(r iperf3.Result, w iperf3.Direction, n int) map[string]any {
	both := map[string]any{}
	for name, res := range map[string]*iperf3.Results{"sender": w.Sent, "receiver": w.Received} {
		if res == nil || n >= len(res.Streams) {
			continue
		}
		s := res.Streams[n]
		row := iperf3Span(0, s.Seconds, s.Bytes, !w.Reverse)
		row["socket"] = s.ID
		if name == "sender" {
			row["retransmits"] = nil
			if s.Retransmits >= 0 {
				row["retransmits"] = s.Retransmits
			}
			if v, ok := summaryOf(r, s.ID); ok {
				row["max_snd_cwnd"], row["max_snd_wnd"] = v.MaxCwnd, v.MaxSendWindow
				row["max_rtt"], row["min_rtt"], row["mean_rtt"] = v.MaxRTT.Microseconds(), v.MinRTT.Microseconds(), v.MeanRTT.Microseconds()
			}
		}
		both[name] = row
	}
	return both
}

// iperf3Datagrams is what became of the n-th UDP stream of a direction: the sender's bytes, the receiver's losses.
func iperf3Datagrams(w iperf3.Direction, n int) map[string]any {
	known := w.Sent
	if known == nil {
		known = w.Received
	}
	s := known.Streams[n]
	row := iperf3Span(0, s.Seconds, s.Bytes, !w.Reverse)
	row["socket"] = s.ID
	addLoss(row)(w.Loss(n))
	if row["packets"] == nil {
		row["packets"] = s.Packets
	}
	return row
}

// addLoss adds what the receiver tells; null is not known.
func addLoss(row map[string]any) func(iperf3.Loss, bool) {
	return func(l iperf3.Loss, ok bool) {
		row["packets"], row["lost_packets"], row["lost_percent"], row["jitter_ms"], row["out_of_order"] = nil, nil, nil, nil, nil
		if !ok {
			return
		}
		row["packets"], row["lost_packets"], row["lost_percent"], row["jitter_ms"] = l.Sent, l.Lost, percent(l.Lost, l.Sent), millisPtr(l.Jitter)
		row["out_of_order"] = given(l.OutOfOrder)
	}
}

// iperf3Totals adds the sums of a direction.
func iperf3Totals(end map[string]any, suffix string, r iperf3.Result, w iperf3.Direction) {
	for name, res := range map[string]*iperf3.Results{"sum_sent": w.Sent, "sum_received": w.Received} {
		t := totalOf(res)
		if t == nil {
			continue
		}
		// Of UDP sender says which end's figures they are, of TCP which end sends.
		sender := !w.Reverse
		if r.UDP {
			sender = name == "sum_sent"
		}
		row := iperf3Span(0, t.Seconds, t.Bytes, sender)
		if t.Retransmits != nil {
			row["retransmits"] = *t.Retransmits
		}
		if r.UDP {
			addLoss(row)(w.TotalLoss())
		}
		end[name+suffix] = row
	}
	if !r.UDP {
		return
	}
	known := w.Sent
	if known == nil {
		known = w.Received
	}
	t := totalOf(known)
	sum := iperf3Span(0, t.Seconds, t.Bytes, !w.Reverse)
	addLoss(sum)(w.TotalLoss())
	if w.Received != nil && !w.Reverse {
		sum["end"], sum["seconds"] = totalOf(w.Received).Seconds, totalOf(w.Received).Seconds
	}
	end["sum"+suffix] = sum
}
