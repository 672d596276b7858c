package experiment

import (
	"fmt"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/iperf3"
	"whydrop/probe/tcpinfo"
)

// Row is what one step showed. Rates are goodput in bit/s.
type Row struct {
	Step   Step
	Span   timeline.Span
	Reason string // why nothing was measured; "": it was

	Asked   float64 // of the sender, all streams together; 0: as much as goes
	Sent    float64 // by the sender
	Arrived float64 // at the receiver; what was sent if the receiver's count is not known
	Counted bool    // Arrived is the receiver's own count
	Back    float64 // of a step in both directions: what arrived from the far end

	Loss        tcpinfo.Opt[float64] // share of the datagrams that the path lost, 0-1; what a host dropped is not in it
	Lost, Total uint64               // datagrams, what a host dropped included
	HostDrops   tcpinfo.Opt[uint64]  // datagrams that arrived and found no room in the receiver's socket
	BackLoss    tcpinfo.Opt[float64] // of a step in both directions
	Reordered   tcpinfo.Opt[uint64]
	Jitter      tcpinfo.Opt[time.Duration]

	Retransmits tcpinfo.Opt[uint64] // segments; only where this end sends TCP
	MSS         int                 // payload of a segment; 0: not known
	Size        int                 // payload of a datagram; 0: TCP
	Granted     int                 // bytes of the send buffer that the system gave, as it counts; 0: not known
	PeerWindow  uint64              // the most that the receiver ever offered, bytes; 0: not known
	Cwnd        uint64              // the largest congestion window, bytes; 0: not known
	TCPRTT      time.Duration       // mean of the smoothed round-trip time; 0: not known
	MinRTT      time.Duration

	IdleRTT   time.Duration // of the heartbeat before the first step; 0: not known
	LoadedRTT time.Duration // of the heartbeat while the step ran: its median; 0: not known

	SenderCPU, ReceiverCPU tcpinfo.Opt[float64]       // of one core
	FileTime               tcpinfo.Opt[time.Duration] // that this end spent on its file; only of a step with one
	Seconds                float64
	OffPace                bool    // this host did not send at the rate asked for
	FarRate                float64 // bit/s that the far end allows at most; 0: not known
}

// rowOf takes from a test's result what belongs in a row.
func rowOf(s Step, res iperf3.Result) Row {
	r := Row{Step: s, Span: timeline.Span{From: res.Started, To: res.Started.Add(res.Duration)}, Seconds: res.Duration.Seconds(), FarRate: res.FarRate}
	ways := res.Directions()
	way := ways[0]
	r.Asked = s.Test.Rate * float64(max(s.Test.Streams, 1))
	r.Sent, r.Arrived = rate(way.Sent), rate(way.Received)
	if r.Counted = way.Received != nil; !r.Counted {
		r.Arrived = r.Sent
	}
	if len(ways) > 1 {
		r.Back = rate(ways[1].Received)
	}
	if res.UDP {
		r.datagrams(res, ways)
	} else {
		r.tcp(res, way)
	}
	if way.Sent != nil {
		r.SenderCPU = tcpinfo.Opt[float64]{Value: way.Sent.CPU.Total / 100, OK: true}
	}
	if way.Received != nil {
		r.ReceiverCPU = tcpinfo.Opt[float64]{Value: way.Received.CPU.Total / 100, OK: true}
	}
	r.OffPace = !way.Reverse && r.Asked > 0 && res.UDP && r.Sent < 0.95*r.Asked
	return r
}

func rate(r *iperf3.Results) (sum float64) {
	if r == nil {
		return 0
	}
	for _, s := range r.Streams {
		if s.Seconds > 0 {
			sum += float64(s.Bytes) * 8 / s.Seconds
		}
	}
	return sum
}

func (r *Row) datagrams(res iperf3.Result, ways []iperf3.Direction) {
	r.Size = res.Length
	if l, ok := ways[0].TotalLoss(); ok {
		r.Lost, r.Total, r.HostDrops, r.Reordered, r.Jitter = l.Lost, l.Sent, l.HostDropped, l.OutOfOrder, l.Jitter
		r.Loss = pathLoss(l)
	}
	if len(ways) > 1 {
		if l, ok := ways[1].TotalLoss(); ok {
			r.BackLoss = pathLoss(l)
		}
	}
}

// pathLoss returns the share that was lost before it arrived at a host.
func pathLoss(l iperf3.Loss) tcpinfo.Opt[float64] {
	if l.Sent == 0 {
		return tcpinfo.Opt[float64]{}
	}
	return tcpinfo.Opt[float64]{Value: float64(l.Lost-min(l.Lost, l.HostDropped.Or(0))) / float64(l.Sent), OK: true}
}

func (r *Row) tcp(res iperf3.Result, way iperf3.Direction) {
	if len(res.Connections) > 0 {
		r.MSS, r.Granted = res.Connections[0].Actual.MSS, res.Connections[0].Actual.SendBuffer
	}
	var again uint64
	known := way.Sent != nil
	if known {
		for _, s := range way.Sent.Streams {
			known = known && s.Retransmits >= 0
			again += uint64(max(s.Retransmits, 0))
		}
	}
	r.Retransmits = tcpinfo.Opt[uint64]{Value: again, OK: known}
	if len(res.Local.Streams) > 0 {
		r.FileTime = res.Local.Streams[0].FileTime
	}
	if way.Reverse {
		return
	}
	for _, s := range res.TCP {
		r.PeerWindow, r.Cwnd = max(r.PeerWindow, s.MaxSendWindow), max(r.Cwnd, s.MaxCwnd)
		r.TCPRTT = max(r.TCPRTT, s.MeanRTT)
		if s.MinRTT > 0 && (r.MinRTT == 0 || s.MinRTT < r.MinRTT) {
			r.MinRTT = s.MinRTT
		}
	}
}

// text says in one line what the row shows.
func (r Row) text(kind Kind) string {
	if r.Reason != "" {
		return fmt.Sprintf("%s sweep, %s: %s", kind, r.Step.Name, r.Reason)
	}
	text := fmt.Sprintf("%s sweep, %s: %s", kind, r.Step.Name, Bits(r.Arrived))
	if r.Step.Test.Bidirectional {
		text += fmt.Sprintf(" and %s back", Bits(r.Back))
	}
	if r.Loss.OK {
		text += fmt.Sprintf(", %s lost", percent(r.Loss.Value))
	}
	if n := r.HostDrops.Or(0); n > 0 {
		text += fmt.Sprintf(", %d dropped by the receiving host", n)
	}
	return text
}

// Event returns the row as a record of an experiment about a path.
func (r Row) Event(path string, kind Kind, exchange uint64) timeline.Event {
	a := map[string]string{"experiment": string(kind), "streams": strconv.Itoa(max(r.Step.Test.Streams, 1)), "direction": timeline.Forward, "proto": "tcp"}
	t := r.Step.Test
	switch {
	case r.Step.alone(): // nothing went over the path
		a = map[string]string{"experiment": string(kind)}
	case t.Bidirectional:
		a["direction"] = timeline.Both
	case t.Reverse:
		a["direction"] = timeline.Reverse
	}
	num := func(key string, v float64, ok bool) {
		if ok {
			a[key] = strconv.FormatFloat(v, 'g', 6, 64)
		}
	}
	count := func(key string, v uint64, ok bool) {
		if ok {
			a[key] = strconv.FormatUint(v, 10)
		}
	}
	millis := func(key string, d time.Duration) { num(key, float64(d)/1e6, d > 0) }
	measured := r.Reason == ""
	num("rate_bps", r.Arrived, measured && r.Counted)
	num("offered_bps", r.Asked, r.Asked > 0)
	num("loss_ratio", r.Loss.Value, r.Loss.OK)
	count("lost", r.Lost, r.Loss.OK)
	count("total", r.Total, r.Loss.OK)
	count("reordered", r.Reordered.Value, r.Reordered.OK)
	count("retransmits", r.Retransmits.Value, r.Retransmits.OK)
	count("host_drops", r.HostDrops.Value, r.HostDrops.OK)
	count("window_bytes", uint64(t.Window), t.Window > 0)
	count("granted_bytes", uint64(r.Granted), t.Window > 0 && r.Granted > 0)
	count("size_bytes", uint64(r.Size), r.Size > 0)
	count("mss_bytes", uint64(r.MSS), r.MSS > 0)
	count("burst_bytes", uint64(t.Burst*r.Size), t.Burst > 1 && r.Size > 0)
	num("jitter_ms", float64(r.Jitter.Value)/1e6, r.Jitter.OK)
	num("sender_cpu", r.SenderCPU.Value, r.SenderCPU.OK)
	num("receiver_cpu", r.ReceiverCPU.Value, r.ReceiverCPU.OK)
	num("duration_s", r.Seconds, measured)
	millis("rtt_ms", r.IdleRTT)
	millis("rtt_loaded_ms", r.LoadedRTT)
	for key, on := range map[string]bool{"df": t.UDP && t.DontFragment, "paced": kind == Pacing && t.Burst == 1, "disk": t.File != "" || r.Step.alone()} {
		if on {
			a[key] = "true"
		}
	}
	if t.UDP {
		a["proto"] = "udp"
	}
	if !measured {
		a["note"] = r.Reason
	}
	text := r.text(kind)
	return timeline.Event{Subject: timeline.Path(path), Type: timeline.EventResult, Span: r.Span, Text: text, Attrs: a,
		Origin: timeline.Origin{Collector: "experiment:" + path, Exchange: exchange}}
}
