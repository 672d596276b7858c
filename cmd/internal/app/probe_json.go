package app

import (
	"net"
	"runtime"
	"strconv"
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
		Sent          *probeTotal     `json:"sent"`     // as the sender counted; null: not known
		Received      *probeTotal     `json:"received"` // as the receiver counted; null: not known
		Streams       []probeStream   `json:"streams"`
		Stalls        []probeStall    `json:"stalls"`
		Interrupted   bool            `json:"interrupted"`
	}
	probeAsked struct {
		Streams       int     `json:"streams"`
		Seconds       float64 `json:"seconds"`
		Bytes         uint64  `json:"bytes"`
		BitsPerSecond float64 `json:"bits_per_second"` // per stream; 0: unlimited
		WindowBytes   int     `json:"window_bytes"`
		MSS           int     `json:"mss"`
	}
	probeFar struct {
		Whydrop bool    `json:"whydrop"`
		Problem *string `json:"problem"` // why its own count is missing
	}
	probeConn struct {
		ID         int     `json:"id"`
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
		Bytes         uint64            `json:"bytes"`
		BitsPerSecond float64           `json:"bits_per_second"`
		Streams       []probeStreamPart `json:"streams"`
	}
	probeStreamPart struct {
		ID            int      `json:"id"`
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
	}
	probeTotal struct {
		Bytes         uint64  `json:"bytes"`
		Seconds       float64 `json:"seconds"`
		BitsPerSecond float64 `json:"bits_per_second"`
		Retransmits   *int64  `json:"retransmits"`
		CPUPercent    float64 `json:"cpu_percent"` // of one core
	}
	probeStream struct {
		ID       int         `json:"id"`
		Sent     *probeTotal `json:"sent"`
		Received *probeTotal `json:"received"`
		MinRTT   *float64    `json:"min_rtt_s"`
		MeanRTT  *float64    `json:"mean_rtt_s"`
		MaxRTT   *float64    `json:"max_rtt_s"`
		MaxCwnd  *uint64     `json:"max_cwnd_bytes"`
		MaxWnd   *uint64     `json:"max_send_window_bytes"`
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
		Asked:       probeAsked{max(t.Streams, 1), t.Time.Seconds(), t.Bytes, t.Rate, t.Window, t.MSS},
		FarEnd:      probeFar{r.OursFar, errText(r.FarProblem)},
		Connections: []probeConn{}, Intervals: []probeInterval{}, Streams: []probeStream{}, Stalls: []probeStall{},
		Seconds: r.Duration.Seconds(), Interrupted: r.Interrupted,
	}
	if t.Reverse {
		d.Direction = "reverse"
	}
	if err != nil {
		return d
	}
	started := stampText(r.Started)
	d.Started = &started
	d.Sent, d.Received = totalOf(r.Sender()), totalOf(r.Receiver())
	for _, c := range r.Connections {
		d.Connections = append(d.Connections, probeConn{c.ID, c.Local.String(), c.Remote.String(), positive(c.Actual.SendBuffer), positive(c.Actual.RecvBuffer), positive(c.Actual.MSS), notEmpty(c.Actual.Congestion)})
	}
	for _, i := range intervals {
		d.Intervals = append(d.Intervals, probeIntervalOf(i))
	}
	for n, c := range r.Connections {
		s := probeStream{ID: c.ID, Sent: streamTotal(r.Sender(), n), Received: streamTotal(r.Receiver(), n)}
		if n < len(r.TCP) && r.TCP[n].MeanRTT > 0 {
			v := r.TCP[n]
			s.MinRTT, s.MeanRTT, s.MaxRTT = secondsPtr(v.MinRTT), secondsPtr(v.MeanRTT), secondsPtr(v.MaxRTT)
			s.MaxCwnd, s.MaxWnd = given(known(v.MaxCwnd)), given(known(v.MaxSendWindow))
		}
		d.Streams = append(d.Streams, s)
	}
	for _, s := range r.Stalls {
		d.Stalls = append(d.Stalls, probeStall{stampText(s.From), stampText(s.To), s.To.Sub(s.From).Seconds(), s.Open})
	}
	return d
}

func probeIntervalOf(i iperf3.Interval) probeInterval {
	width := (i.To - i.From).Seconds()
	out := probeInterval{From: i.From.Seconds(), To: i.To.Seconds(), Bytes: i.Bytes(), BitsPerSecond: perSecond(i.Bytes(), width), Streams: []probeStreamPart{}}
	for _, s := range i.Streams {
		v := s.Info
		out.Streams = append(out.Streams, probeStreamPart{
			ID: s.ID, Bytes: s.Bytes, BitsPerSecond: perSecond(s.Bytes, width), Retransmits: given(s.Retransmits),
			RTT: seconds(v.RTT), RTTVar: seconds(v.RTTVar), Cwnd: given(v.Cwnd), SendWindow: given(v.SendWindow),
			DeliveryRate: given(v.DeliveryRate), Busy: seconds(v.Busy), RwndLimited: seconds(v.RwndLimited), SndbufLimited: seconds(v.SndbufLimited),
		})
	}
	return out
}

func totalOf(r *iperf3.Results) *probeTotal {
	if r == nil {
		return nil
	}
	t := probeTotal{Bytes: r.Bytes(), CPUPercent: r.CPU.Total}
	for _, s := range r.Streams {
		t.Seconds = max(t.Seconds, s.Seconds)
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

// iperf3Document is what probe -J prints: the document of iperf3 -J, so that what reads that can read this.
func iperf3Document(opt ProbeOptions, intervals []iperf3.Interval, r iperf3.Result, err error) map[string]any {
	host, port, _ := net.SplitHostPort(opt.Test.Address)
	portNumber, _ := strconv.Atoi(port)
	start := map[string]any{
		"connected": []any{}, "version": "whydrop", "system_info": runtime.GOOS + " " + runtime.GOARCH,
		"connecting_to": map[string]any{"host": host, "port": portNumber},
	}
	doc := map[string]any{"start": start, "intervals": []any{}, "end": map[string]any{}}
	if err != nil {
		doc["error"] = *errText(err)
		return doc
	}
	iperf3Start(start, opt, r)
	sender := !opt.Test.Reverse
	rows := []any{}
	for _, i := range intervals {
		rows = append(rows, iperf3Interval(i, sender))
	}
	doc["intervals"] = rows
	doc["end"] = iperf3End(r, sender)
	if r.FarProblem != nil {
		doc["error"] = *errText(r.FarProblem)
	}
	return doc
}

func iperf3Start(start map[string]any, opt ProbeOptions, r iperf3.Result) {
	t := opt.Test
	var conns []any
	for _, c := range r.Connections {
		conn := map[string]any{"socket": c.ID}
		for name, a := range map[string]net.Addr{"local": c.Local, "remote": c.Remote} {
			if ta, ok := a.(*net.TCPAddr); ok {
				conn[name+"_host"], conn[name+"_port"] = ta.IP.String(), ta.Port
			}
		}
		conns = append(conns, conn)
		start["tcp_mss_default"], start["sndbuf_actual"], start["rcvbuf_actual"] = c.Actual.MSS, c.Actual.SendBuffer, c.Actual.RecvBuffer
	}
	length := t.Length
	if length == 0 {
		length = 128 << 10
	}
	reverse := 0
	if t.Reverse {
		reverse = 1
	}
	start["connected"] = conns
	start["timestamp"] = map[string]any{"time": r.Started.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"), "timesecs": r.Started.Unix()}
	start["cookie"], start["sock_bufsize"], start["target_bitrate"] = r.Cookie, t.Window, t.Rate
	start["test_start"] = map[string]any{
		"protocol": "TCP", "num_streams": max(t.Streams, 1), "blksize": length, "omit": 0, "duration": t.Time.Seconds(),
		"bytes": t.Bytes, "blocks": opt.Blocks, "reverse": reverse, "tos": 0, "target_bitrate": t.Rate,
	}
}

// iperf3Span is the part that every figure of iperf3's document has.
func iperf3Span(from, to float64, bytes uint64, sender bool) map[string]any {
	return map[string]any{"start": from, "end": to, "seconds": to - from, "bytes": bytes, "bits_per_second": perSecond(bytes, to-from), "sender": sender}
}

func iperf3Interval(i iperf3.Interval, sender bool) map[string]any {
	from, to := i.From.Seconds(), i.To.Seconds()
	streams := []any{}
	var retransmits uint64
	for _, s := range i.Streams {
		row := iperf3Span(from, to, s.Bytes, sender)
		row["socket"], row["omitted"] = s.ID, false
		if s.Retransmits.OK {
			retransmits += s.Retransmits.Value
			row["retransmits"], row["snd_cwnd"], row["snd_wnd"] = s.Retransmits.Value, s.Info.Cwnd.Or(0), s.Info.SendWindow.Or(0)
			row["rtt"], row["rttvar"], row["pmtu"] = s.Info.RTT.Or(0).Microseconds(), s.Info.RTTVar.Or(0).Microseconds(), s.Info.PathMTU.Or(0)
		}
		streams = append(streams, row)
	}
	sum := iperf3Span(from, to, i.Bytes(), sender)
	sum["omitted"] = false
	if sender {
		sum["retransmits"] = retransmits
	}
	return map[string]any{"streams": streams, "sum": sum}
}

func iperf3End(r iperf3.Result, sender bool) map[string]any {
	end := map[string]any{}
	streams := []any{}
	for n := range r.Connections {
		both := map[string]any{}
		for name, res := range map[string]*iperf3.Results{"sender": r.Sender(), "receiver": r.Receiver()} {
			if res == nil || n >= len(res.Streams) {
				continue
			}
			s := res.Streams[n]
			row := iperf3Span(0, s.Seconds, s.Bytes, sender)
			row["socket"] = s.ID
			if name == "sender" {
				row["retransmits"] = max(s.Retransmits, 0)
				if n < len(r.TCP) {
					v := r.TCP[n]
					row["max_snd_cwnd"], row["max_snd_wnd"] = v.MaxCwnd, v.MaxSendWindow
					row["max_rtt"], row["min_rtt"], row["mean_rtt"] = v.MaxRTT.Microseconds(), v.MinRTT.Microseconds(), v.MeanRTT.Microseconds()
				}
			}
			both[name] = row
		}
		streams = append(streams, both)
	}
	end["streams"] = streams
	for name, res := range map[string]*iperf3.Results{"sum_sent": r.Sender(), "sum_received": r.Receiver()} {
		if t := totalOf(res); t != nil {
			row := iperf3Span(0, t.Seconds, t.Bytes, sender)
			if t.Retransmits != nil {
				row["retransmits"] = *t.Retransmits
			}
			end[name] = row
		}
	}
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
