package iperftext

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"whydrop/probe/iperfjson"
)

// document is the part of iperf3's JSON that is read. Every figure may be missing.
type document struct {
	Start struct {
		Connected []struct {
			LocalHost  string `json:"local_host"`
			LocalPort  int    `json:"local_port"`
			RemoteHost string `json:"remote_host"`
			RemotePort int    `json:"remote_port"`
		} `json:"connected"`
		ConnectingTo struct {
			Host string `json:"host"`
		} `json:"connecting_to"`
		Accepted *struct {
			Host string `json:"host"`
		} `json:"accepted_connection"`
		Timestamp struct {
			Seconds float64 `json:"timesecs"`
		} `json:"timestamp"`
		SockBuf *float64 `json:"sock_bufsize"`
		SndBuf  *float64 `json:"sndbuf_actual"`
		RcvBuf  *float64 `json:"rcvbuf_actual"`
		Test    struct {
			Protocol string   `json:"protocol"`
			Streams  int      `json:"num_streams"`
			Block    int      `json:"blksize"`
			Reverse  int      `json:"reverse"`
			Bidir    int      `json:"bidir"`
			Target   *float64 `json:"target_bitrate"`
		} `json:"test_start"`
	} `json:"start"`
	Intervals []struct {
		Streams []figures `json:"streams"`
		Sum     figures   `json:"sum"`
	} `json:"intervals"`
	End   end    `json:"end"`
	Error string `json:"error"`
}

type end struct {
	Streams []struct {
		Sender   *figures `json:"sender"`
		Receiver *figures `json:"receiver"`
		UDP      *figures `json:"udp"`
	} `json:"streams"`
	Sum         *figures `json:"sum"`
	SumSent     *figures `json:"sum_sent"`
	SumReceived *figures `json:"sum_received"`
	CPU         *struct {
		Host   *float64 `json:"host_total"`
		Remote *float64 `json:"remote_total"`
	} `json:"cpu_utilization_percent"`
	Congestion string `json:"sender_tcp_congestion"`
}

// figures is any of iperf3's lists of figures.
type figures struct {
	Start       float64  `json:"start"`
	End         float64  `json:"end"`
	Bytes       float64  `json:"bytes"`
	Rate        *float64 `json:"bits_per_second"`
	Retransmits *float64 `json:"retransmits"`
	Cwnd        *float64 `json:"snd_cwnd"`
	Window      *float64 `json:"snd_wnd"`
	MaxWindow   *float64 `json:"max_snd_wnd"`
	RTT         *float64 `json:"rtt"`      // microseconds
	MeanRTT     *float64 `json:"mean_rtt"` // microseconds
	Jitter      *float64 `json:"jitter_ms"`
	Lost        *float64 `json:"lost_packets"`
	Packets     *float64 `json:"packets"`
	OutOfOrder  *float64 `json:"out_of_order"`
	Omitted     bool     `json:"omitted"`
}

// findJSON finds iperf3's documents in a text: whole ones, those that were cut short are left out, and streams of
// events, one a line.
func findJSON(text string) []Test {
	var out []Test
	unread := 0 // documents that do not end or do not read
	for at := 0; unread < maxUnread; {
		i := strings.IndexByte(text[at:], '{')
		if i < 0 {
			return out
		}
		from := at + i
		at = from + 1
		head := text[from:min(len(text), from+400)]
		switch {
		case strings.Contains(head, `"start"`) && startsDocument.MatchString(head):
			if t, n := readDocument(text[from:]); n > 0 {
				t.From, t.To = from, from+n
				out, at = append(out, t), from+n
			} else {
				unread++
			}
		case startsStream.MatchString(head):
			if t, n := readStream(text[from:]); n > 0 {
				t.From, t.To = from, from+n
				out, at = append(out, t), from+n
			}
		}
	}
	return out
}

// maxUnread is how many documents that lead nowhere are looked at before the search ends.
const maxUnread = 16

var (
	startsDocument = regexp.MustCompile(`^\{\s*(?:"title":\s*"[^"]{0,200}",\s*)?"start":\s*\{`)
	startsStream   = regexp.MustCompile(`^\{\s*"event":\s*"start"`)
)

// readDocument reads one document and returns how long it is; 0 if it does not read.
func readDocument(text string) (Test, int) {
	n := valueLength(text)
	if n == 0 {
		return Test{}, 0
	}
	var d document
	if err := json.Unmarshal(iperfjson.Clean([]byte(text[:n])), &d); err != nil {
		return Test{}, 0
	}
	return d.test(), n
}

// valueLength returns the length of the JSON object at the beginning of the text; 0 if it does not end.
func valueLength(text string) int {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// readStream reads lines of {"event": ..., "data": ...} for as long as they go on.
func readStream(text string) (Test, int) {
	var d document
	n := 0
	for n < len(text) {
		line, _, _ := strings.Cut(text[n:], "\n")
		var e struct {
			Event string          `json:"event"`
			Data  json.RawMessage `json:"data"`
		}
		if json.Unmarshal(iperfjson.Clean([]byte(line)), &e) != nil || e.Event == "" || e.Event == "start" && n > 0 {
			break
		}
		switch e.Event {
		case "start":
			json.Unmarshal(e.Data, &d.Start) // what does not read stays unknown
		case "interval":
			d.Intervals = append(d.Intervals, struct {
				Streams []figures `json:"streams"`
				Sum     figures   `json:"sum"`
			}{})
			json.Unmarshal(e.Data, &d.Intervals[len(d.Intervals)-1])
		case "end":
			json.Unmarshal(e.Data, &d.End)
		case "error":
			json.Unmarshal(e.Data, &d.Error)
		}
		n = min(len(text), n+len(line)+1)
	}
	if n == 0 {
		return Test{}, 0
	}
	return d.test(), n
}

func (d *document) test() Test {
	t := Test{Tool: "iperf3", Form: "json", Role: "client", Protocol: strings.ToLower(d.Start.Test.Protocol), Target: d.Start.ConnectingTo.Host,
		Reverse: d.Start.Test.Reverse != 0, Bidir: d.Start.Test.Bidir != 0, streamsDeclared: max(0, min(d.Start.Test.Streams, 1000)), Congestion: d.End.Congestion}
	if d.Start.Accepted != nil {
		t.Role = "server"
	}
	for _, c := range d.Start.Connected {
		t.Connections = append(t.Connections, Connection{c.LocalHost, c.RemoteHost, c.LocalPort, c.RemotePort})
	}
	if s := d.Start.Timestamp.Seconds; s > 0 && s < 1e11 {
		t.Start = time.Unix(int64(s), 0).UTC()
	}
	d.window(&t)
	if t.Protocol == "udp" {
		if b := d.Start.Test.Block; b > 0 {
			t.Datagram = &b
		}
		t.Offered = d.Start.Test.Target
	} else if v := d.Start.Test.Target; v != nil && *v > 0 {
		t.Offered = v
	}
	if d.Error != "" {
		t.Errors = append(t.Errors, d.Error)
	}
	for _, i := range d.Intervals {
		x := i.Sum.interval("SUM", "")
		x.RTT, x.Cwnd = meanRTT(i.Streams), sumCwnd(i.Streams)
		if x.To > x.From {
			t.Intervals = append(t.Intervals, x)
		}
	}
	d.totals(&t)
	t.Cut = len(t.Totals) == 0
	return t
}

// window tells the buffer that was asked for: without -w the system chooses and lets it grow.
func (d *document) window(t *Test) {
	asked := d.Start.SockBuf
	if asked == nil || *asked <= 0 {
		return
	}
	b := *asked
	t.Window = &Size{Bytes: b, Low: b, High: b}
}

func (d *document) totals(t *Test) {
	e := d.End
	add := func(f *figures, side string) {
		if f != nil && f.End > f.Start {
			t.Totals = append(t.Totals, f.interval("SUM", side))
		}
	}
	if t.Protocol == "udp" {
		// Before 3.14 the one sum holds what was sent and the receiver's loss.
		if e.SumReceived != nil && e.SumReceived.Packets != nil {
			add(e.SumSent, "sender")
			add(e.SumReceived, "receiver")
		} else if e.Sum != nil {
			add(e.Sum, "sender")
			got := *e.Sum
			if got.Lost != nil && got.Packets != nil && *got.Packets > 0 && got.Rate != nil {
				share := 1 - *got.Lost / *got.Packets
				rate := *got.Rate * share
				got.Rate, got.Bytes = &rate, got.Bytes*share
			}
			add(&got, "receiver")
		}
	} else {
		add(e.SumSent, "sender")
		add(e.SumReceived, "receiver")
	}
	if e.CPU != nil {
		sender, receiver := e.CPU.Host, e.CPU.Remote
		if t.Reverse != (t.Role == "server") {
			sender, receiver = receiver, sender
		}
		t.SenderCPU, t.ReceiverCPU = share(sender), share(receiver)
	}
	var rtts []float64
	for _, s := range e.Streams {
		if s.Sender == nil {
			continue
		}
		if v := s.Sender.MeanRTT; v != nil && *v > 0 {
			rtts = append(rtts, *v/1e6)
		}
		if v := s.Sender.MaxWindow; v != nil && *v > 0 && (t.ReceiverWindow == nil || *v > *t.ReceiverWindow) {
			t.ReceiverWindow = v
		}
	}
	t.RTT = mean(rtts)
}

func share(percent *float64) *float64 {
	if percent == nil {
		return nil
	}
	v := *percent / 100
	return &v
}

func mean(v []float64) *float64 {
	if len(v) == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	sum /= float64(len(v))
	return &sum
}

func meanRTT(streams []figures) *float64 {
	var v []float64
	for _, s := range streams {
		if s.RTT != nil && *s.RTT > 0 {
			v = append(v, *s.RTT/1e6)
		}
	}
	return mean(v)
}

func sumCwnd(streams []figures) *float64 {
	sum := 0.0
	for _, s := range streams {
		if s.Cwnd == nil {
			return nil
		}
		sum += *s.Cwnd
	}
	if len(streams) == 0 {
		return nil
	}
	return &sum
}

func (f figures) interval(stream, side string) Interval {
	i := Interval{Stream: stream, Side: side, From: f.Start, To: f.End, Bytes: f.Bytes, Omitted: f.Omitted}
	if f.Rate != nil && *f.Rate > 0 {
		i.Rate = *f.Rate
	}
	i.Bytes = max(0, i.Bytes)
	i.Retransmits, i.Lost, i.Total, i.OutOfOrder = whole(f.Retransmits), whole(f.Lost), whole(f.Packets), whole(f.OutOfOrder)
	if f.Jitter != nil {
		s := *f.Jitter / 1e3
		i.Jitter = &s
	}
	return i
}

// whole returns a count; iperf3 has printed negative ones, which are not believed.
func whole(v *float64) *int64 {
	if v == nil || *v < 0 || *v > 1e15 {
		return nil
	}
	n := int64(*v)
	return &n
}
