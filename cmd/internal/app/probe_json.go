package app

import (
	"encoding/json"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/probe/iperf3"
	"whydrop/probe/tcpinfo"
)

// probeSchema is the version of the document of probe --format json. Keys may be added; a change of meaning
// raises it.
const probeSchema = 1

type (
	probeDoc struct {
		SchemaVersion int             `json:"schema_version"`
		Measured      bool            `json:"measured"`
		Error         *string         `json:"error"`
		Target        string          `json:"target"`
		Protocol      string          `json:"protocol"`
		Direction     string          `json:"direction"`
		Started       *string         `json:"started"` // RFC 3339, UTC
		Seconds       float64         `json:"seconds"`
		Asked         probeAsked      `json:"asked"`
		FarEnd        probeFar        `json:"far_end"`
		Connections   []probeConn     `json:"connections"`
		Intervals     []probeInterval `json:"intervals"`
		Sent          *probeTotal     `json:"sent"`       // as the sender counted; null: not known
		Received      *probeTotal     `json:"received"`   // as the receiver counted; null: not known
		Datagrams     *probeLoss      `json:"datagrams"`  // of UDP; null: TCP, or the receiver's count is not known
		Directions    []probeWay      `json:"directions"` // the test's, or both; the one from this end first
		Streams       []probeStream   `json:"streams"`
		Stalls        []probeStall    `json:"stalls"`
		Broken        []string        `json:"broken_streams"` // why some did not last as long as the others
		Interrupted   bool            `json:"interrupted"`
	}
	probeAsked struct {
		Streams       int     `json:"streams"`
		Seconds       float64 `json:"seconds"`
		Bytes         uint64  `json:"bytes"`
		BitsPerSecond float64 `json:"bits_per_second"` // per stream; 0: unlimited
		WindowBytes   int     `json:"window_bytes"`
		MSS           int     `json:"mss"`
		Omit          float64 `json:"omit_seconds"`
		Length        int     `json:"length_bytes"` // of a write or a datagram; 0: not asked for
		Burst         int     `json:"burst"`
		TOS           int     `json:"tos"`
	}
	probeWay struct {
		Direction string      `json:"direction"`
		Sent      *probeTotal `json:"sent"`
		Received  *probeTotal `json:"received"`
		Datagrams *probeLoss  `json:"datagrams"`
	}
	// probeLoss is what became of datagrams: received + lost = sent.
	probeLoss struct {
		Sent        uint64   `json:"sent"`
		Received    uint64   `json:"received"`
		Lost        uint64   `json:"lost"`
		Share       *float64 `json:"lost_share"` // 0-1; null: nothing was sent
		OutOfOrder  *uint64  `json:"out_of_order"`
		Duplicates  *uint64  `json:"duplicates"`
		HostDropped *uint64  `json:"host_dropped"` // of lost: dropped by the receiving host
		Jitter      *float64 `json:"jitter_s"`     // null: nothing came
	}
	probePackets struct {
		Packets    uint64   `json:"packets"`
		Lost       *uint64  `json:"lost"` // null where this end sends
		OutOfOrder *uint64  `json:"out_of_order"`
		Duplicates *uint64  `json:"duplicates"`
		Jitter     *float64 `json:"jitter_s"`

		Far *probeFarPackets `json:"far_end,omitempty"` // while this end sends to whydrop
	}
	probeFarPackets struct {
		To          float64  `json:"to_s"` // since the test's start: the figures are of what came up to then, since those before
		Packets     uint64   `json:"packets"`
		Lost        uint64   `json:"lost"`
		OutOfOrder  uint64   `json:"out_of_order"`
		HostDropped uint64   `json:"host_dropped"` // of lost, by the far end's own socket
		Jitter      *float64 `json:"jitter_s"`
	}
	probeFar struct {
		Whydrop bool    `json:"whydrop"`
		Problem *string `json:"problem"` // why its own count is missing
		Output  any     `json:"output"`  // what it printed, if it was asked: text or iperf3's document
	}
	probeConn struct {
		ID         int     `json:"id"`
		Sends      bool    `json:"sends"` // this end sends
		Local      string  `json:"local"`
		Remote     string  `json:"remote"`
		SendBuffer *int    `json:"send_buffer_bytes"`
		RecvBuffer *int    `json:"receive_buffer_bytes"`
		MSS        *int    `json:"mss"`
		Congestion *string `json:"congestion"`
	}
	probeInterval struct {
		From          float64           `json:"from"` // seconds since the start
		To            float64           `json:"to"`
		Omitted       bool              `json:"omitted"` // in no total; its time is one of its own
		Bytes         uint64            `json:"bytes"`
		BitsPerSecond float64           `json:"bits_per_second"`
		Streams       []probeStreamPart `json:"streams"`
	}
	probeStreamPart struct {
		ID            int      `json:"id"`
		Sends         bool     `json:"sends"`
		Bytes         uint64   `json:"bytes"`
		BitsPerSecond float64  `json:"bits_per_second"`
		Retransmits   *uint64  `json:"retransmits"`
		RTT           *float64 `json:"rtt_s"`
		RTTVar        *float64 `json:"rtt_variation_s"`
		Cwnd          *uint64  `json:"cwnd_bytes"`
		SendWindow    *uint64  `json:"send_window_bytes"`
		DeliveryRate  *float64 `json:"delivery_rate_bps"`
		Busy          *float64 `json:"busy_s"` // totals since the connection began
		RwndLimited   *float64 `json:"rwnd_limited_s"`
		SndbufLimited *float64 `json:"sndbuf_limited_s"`

		Datagrams *probePackets `json:"datagrams,omitempty"`
	}
	probeTotal struct {
		Bytes         uint64  `json:"bytes"`
		Seconds       float64 `json:"seconds"`
		BitsPerSecond float64 `json:"bits_per_second"`
		Retransmits   *int64  `json:"retransmits"`
		CPUPercent    float64 `json:"cpu_percent"` // of one core
		Path          *string `json:"kernel_path"` // how bytes went through this end's kernel; null of the far end
	}
	probeStream struct {
		ID        int         `json:"id"`
		Direction string      `json:"direction"`
		Datagrams *probeLoss  `json:"datagrams"`
		Sent      *probeTotal `json:"sent"`
		Received  *probeTotal `json:"received"`
		MinRTT    *float64    `json:"min_rtt_s"`
		MeanRTT   *float64    `json:"mean_rtt_s"`
		MaxRTT    *float64    `json:"max_rtt_s"`
		MaxCwnd   *uint64     `json:"max_cwnd_bytes"`
		MaxWnd    *uint64     `json:"max_send_window_bytes"`
	}
	probeStall struct {
		From    string  `json:"from"`
		To      string  `json:"to"`
		Seconds float64 `json:"seconds"`
		Open    bool    `json:"open"`
	}
)

// probeDocument is what probe --format json prints. What is not known is null, lists never are.
func probeDocument(opt ProbeOptions, intervals []iperf3.Interval, r iperf3.Result, err error) probeDoc {
	t := opt.Test
	d := probeDoc{
		SchemaVersion: probeSchema, Measured: err == nil, Error: errText(err), Target: t.Address, Protocol: "tcp", Direction: "forward",
		Asked:       probeAsked{max(t.Streams, 1), t.Time.Seconds(), t.Bytes, t.Rate, t.Window, t.MSS, t.Omit.Seconds(), t.Length, t.Burst, t.TOS},
		FarEnd:      probeFar{r.OursFar, errText(missingPeer(r)), serverOutput(r)},
		Connections: []probeConn{}, Intervals: []probeInterval{}, Streams: []probeStream{}, Stalls: []probeStall{}, Broken: []string{}, Directions: []probeWay{},
		Seconds: r.Duration.Seconds(), Interrupted: r.Interrupted,
	}
	d.Direction = directionName(t.Reverse)
	if t.Bidirectional {
		d.Direction = "both"
	}
	if t.UDP {
		d.Protocol = "udp"
	}
	if err != nil {
		return d
	}
	started := stampText(r.Started)
	d.Started = &started
	ways := r.Directions()
	for _, w := range ways {
		d.Directions = append(d.Directions, probeWay{directionName(w.Reverse), totalOf(w.Sent), totalOf(w.Received), lossPtr(w.TotalLoss())})
	}
	d.Sent, d.Received, d.Datagrams = d.Directions[0].Sent, d.Directions[0].Received, d.Directions[0].Datagrams
	for _, c := range r.Connections {
		d.Connections = append(d.Connections, probeConn{c.ID, c.Sends, c.Local.String(), c.Remote.String(), positive(c.Actual.SendBuffer), positive(c.Actual.RecvBuffer), positive(c.Actual.MSS), notEmpty(c.Actual.Congestion)})
	}
	for _, i := range intervals {
		d.Intervals = append(d.Intervals, probeIntervalOf(i))
	}
	for _, w := range ways {
		d.Streams = append(d.Streams, probeStreams(r, w)...)
	}
	for _, e := range r.Broken {
		d.Broken = append(d.Broken, *errText(e))
	}
	for _, s := range r.Stalls {
		d.Stalls = append(d.Stalls, probeStall{stampText(s.From), stampText(s.To), s.To.Sub(s.From).Seconds(), s.Open})
	}
	return d
}

// probeStreams is what the document says of the streams of one direction.
func probeStreams(r iperf3.Result, w iperf3.Direction) (out []probeStream) {
	counted := w.Sent
	if counted == nil {
		counted = w.Received
	}
	for n, k := range counted.Streams {
		s := probeStream{ID: k.ID, Direction: directionName(w.Reverse), Sent: streamTotal(w.Sent, n), Received: streamTotal(w.Received, n), Datagrams: lossPtr(w.Loss(n))}
		if v, ok := summaryOf(r, k.ID); ok {
			s.MinRTT, s.MeanRTT, s.MaxRTT = secondsPtr(v.MinRTT), secondsPtr(v.MeanRTT), secondsPtr(v.MaxRTT)
			s.MaxCwnd, s.MaxWnd = given(known(v.MaxCwnd)), given(known(v.MaxSendWindow))
		}
		out = append(out, s)
	}
	return out
}

// summaryOf returns what this end's TCP showed of a stream; ok is false if it is not known.
func summaryOf(r iperf3.Result, id int) (iperf3.Summary, bool) {
	for _, s := range r.TCP {
		if s.ID == id && s.MeanRTT > 0 {
			return s, true
		}
	}
	return iperf3.Summary{}, false
}

func lossPtr(l iperf3.Loss, ok bool) *probeLoss {
	if !ok {
		return nil
	}
	out := probeLoss{Sent: l.Sent, Received: l.Received, Lost: l.Lost, OutOfOrder: given(l.OutOfOrder), Duplicates: given(l.Duplicates), HostDropped: given(l.HostDropped), Jitter: seconds(l.Jitter)}
	if share, ok := l.Share(); ok {
		out.Share = &share
	}
	return &out
}

func directionName(reverse bool) string {
	if reverse {
		return "reverse"
	}
	return "forward"
}

// serverOutput returns what the far end printed, made safe to show; nil if it was not asked or said nothing.
func serverOutput(r iperf3.Result) any {
	switch f := r.Far; {
	case f == nil:
		return nil
	case f.OutputText != "":
		return cleanLines(f.OutputText)
	case len(f.OutputJSON) > 0:
		return cleanJSON(f.OutputJSON)
	}
	return nil
}

// cleanLines makes a far end's lines safe to show.
func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = report.Clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

// cleanJSON returns a far end's document with its texts made safe to show; nil if it is none.
func cleanJSON(b []byte) any {
	var v any
	if json.Unmarshal(b, &v) != nil {
		return nil
	}
	return cleanValue(v)
}

func cleanValue(v any) any {
	switch x := v.(type) {
	case string:
		return report.Clean(x)
	case []any:
		for i := range x {
			x[i] = cleanValue(x[i])
		}
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[report.Clean(k)] = cleanValue(e)
		}
		return out
	}
	return v
}

func probeIntervalOf(i iperf3.Interval) probeInterval {
	width := (i.To - i.From).Seconds()
	out := probeInterval{From: i.From.Seconds(), To: i.To.Seconds(), Bytes: i.Bytes(), BitsPerSecond: perSecond(i.Bytes(), width), Omitted: i.Omitted, Streams: []probeStreamPart{}}
	for _, s := range i.Streams {
		v := s.Info
		out.Streams = append(out.Streams, probeStreamPart{
			ID: s.ID, Sends: s.Sends, Datagrams: packetsOf(s), Bytes: s.Bytes, BitsPerSecond: perSecond(s.Bytes, width), Retransmits: given(s.Retransmits),
			RTT: seconds(v.RTT), RTTVar: seconds(v.RTTVar), Cwnd: given(v.Cwnd), SendWindow: given(v.SendWindow),
			DeliveryRate: given(v.DeliveryRate), Busy: seconds(v.Busy), RwndLimited: seconds(v.RwndLimited), SndbufLimited: seconds(v.SndbufLimited),
		})
	}
	return out
}

func packetsOf(s iperf3.StreamInterval) *probePackets {
	d := s.Datagrams
	switch {
	case d == nil:
		return nil
	case s.Sends:
		return &probePackets{Packets: d.Packets, Far: farPackets(d.Far)}
	}
	return &probePackets{Packets: d.Packets, Lost: &d.Lost, OutOfOrder: &d.OutOfOrder, Duplicates: &d.Duplicates, Jitter: seconds(d.Jitter)}
}

func farPackets(f *iperf3.FarInterval) *probeFarPackets {
	if f == nil {
		return nil
	}
	return &probeFarPackets{f.To.Seconds(), f.Packets, f.Lost, f.OutOfOrder, f.HostDropped, seconds(f.Jitter)}
}

func totalOf(r *iperf3.Results) *probeTotal {
	if r == nil {
		return nil
	}
	t := probeTotal{Bytes: r.Bytes(), CPUPercent: r.CPU.Total}
	for _, s := range r.Streams {
		t.Seconds = max(t.Seconds, s.Seconds)
		t.Path = notEmpty(s.Path)
		if s.Retransmits >= 0 {
			n := s.Retransmits
			if t.Retransmits != nil {
				n += *t.Retransmits
			}
			t.Retransmits = &n
		}
	}
	t.BitsPerSecond = perSecond(t.Bytes, t.Seconds)
	return &t
}

func streamTotal(r *iperf3.Results, n int) *probeTotal {
	if r == nil || n >= len(r.Streams) {
		return nil
	}
	return totalOf(&iperf3.Results{Streams: r.Streams[n : n+1], CPU: r.CPU})
}

func perSecond(bytes uint64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(bytes) * 8 / seconds
}

func given[T any](v tcpinfo.Opt[T]) *T {
	if !v.OK {
		return nil
	}
	return &v.Value
}

func seconds(v tcpinfo.Opt[time.Duration]) *float64 {
	if !v.OK {
		return nil
	}
	return secondsPtr(v.Value)
}

func secondsPtr(d time.Duration) *float64 { s := d.Seconds(); return &s }

func positive(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

func notEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func errText(err error) *string {
	if err == nil {
		return nil
	}
	s := report.Clean(err.Error())
	return &s
}

func stampText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
