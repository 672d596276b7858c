package iperftext

import (
	"math"
	"time"
)

// Test is one run of iperf as one end printed it. Both ends of one run are two tests.
type Test struct {
	From, To int    // where it stands in the text, in bytes
	Tool     string // iperf2 or iperf3
	Form     string // text, csv, json
	Role     string // client, server; "" if the text does not say
	Protocol string // tcp, udp; "" if the text does not say
	Reverse  bool   // the server sends
	Bidir    bool   // both send

	Target      string // whom the client was told to connect to
	Connections []Connection
	Command     map[string]string // the letters of the command line, if it stands there: "w" -> "1M"
	Start       time.Time         // when it began; zero if the text does not say

	Window          *Size // TCP window or UDP buffer of the end that printed, as the system gave it
	WindowDefault   bool  // it was not asked for
	MSSAsked        *int  // octets, where the system gave another
	MSSGot          *int
	Datagram        *int     // octets
	Offered         *float64 // bit/s a UDP sender was told to send; 0 is unlimited
	SenderCPU       *float64 // busy share of one core, as iperf3 reports it
	ReceiverCPU     *float64
	RTT             *float64 // seconds, mean over the test (iperf3) or at its beginning (iperf 2)
	ReceiverWindow  *float64 // bytes the receiver offered at most (iperf3 3.16 and later)
	Congestion      string   // congestion control of the sender
	Intervals       []Interval
	Totals          []Interval // over the whole test: of each stream, then of their sum; sender's and receiver's
	Sent            *int64     // datagrams
	Errors          []string   // what the program complained of
	Cut             bool       // it did not come to its end: no totals
	streamsDeclared int
}

// Connection is one flow of a test.
type Connection struct {
	Local, Remote         string
	LocalPort, RemotePort int
}

// Size is a number of bytes that was printed with few digits.
type Size struct {
	Bytes, Low, High float64
	Printed          string // as it stands in the text: "0.01 MByte"; "" if it was no text
}

// Same says whether two sizes could be the same number, printed differently.
func (s Size) Same(t Size) bool { return s.Low <= t.High && t.Low <= s.High }

// Interval is one line of figures. Times are seconds since the test began.
type Interval struct {
	Stream      string // the number in brackets, or SUM
	From, To    float64
	Bytes       float64
	Rate        float64 // bit/s
	Side        string  // sender, receiver; "" if the line does not say
	Retransmits *int64
	Cwnd        *float64 // bytes
	RTT         *float64 // seconds
	Jitter      *float64 // seconds
	Lost, Total *int64   // datagrams
	Negative    bool     // far fewer than none are said to be lost; Lost is nil then
	OutOfOrder  *int64
	Omitted     bool
}

// Sum says whether the line is about all streams together.
func (i Interval) Sum() bool { return i.Stream == "SUM" }

// Width returns the length of the interval in seconds.
func (i Interval) Width() float64 { return i.To - i.From }

// counts says whether the line's counts of datagrams can be: none of what was sent is lost more than once, or less than never. iperf3
// prints others once its 32-bit counter ran over (-792929/24122).
func (i Interval) counts() bool {
	return !i.Negative && (i.Lost == nil || i.Total == nil || *i.Lost >= 0 && *i.Lost <= *i.Total)
}

// Overran says whether a line of the test counts more lost datagrams than were sent, or fewer than none: its counter ran over, and no
// figure of loss from there on is one.
func (t Test) Overran() bool {
	for _, list := range [][]Interval{t.Totals, t.Intervals} {
		for _, i := range list {
			if !i.counts() {
				return true
			}
		}
	}
	return false
}

// Streams returns how many flows the test had; 0 if that is not known.
func (t Test) Streams() int {
	seen := map[string]bool{}
	for _, list := range [][]Interval{t.Totals, t.Intervals} {
		for _, i := range list {
			if !i.Sum() {
				seen[i.Stream] = true
			}
		}
	}
	n := max(len(seen), t.streamsDeclared)
	if t.Bidir && n > 1 {
		n /= 2
	}
	return n
}

// Received returns what arrived over the whole test: the receiver's own figures where the text has them. Where its counter of
// datagrams ran over, the loss is that of the lines before.
func (t Test) Received() (Interval, bool) {
	out, ok := t.total("receiver")
	if ok && !out.counts() {
		over, _ := t.overIntervals()
		out.Lost, out.Total = over.Lost, over.Total
	}
	return out, ok
}

// Offering returns what was sent over the whole test: the sender's figures where the text has them.
func (t Test) Offering() (Interval, bool) { return t.total("sender") }

// total adds up the totals of a side; those of the other side stand in where there are none.
func (t Test) total(side string) (Interval, bool) {
	for _, sides := range [][]string{{side}, {""}, {"sender", "receiver"}} {
		out, ok := addUp(t.Totals, sides)
		if !ok || out.Bytes == 0 && t.Protocol != "udp" && len(sides) == 1 && t.flowed() {
			continue // iperf3 prints 0 where the other end's figures are missing
		}
		return out, true
	}
	return t.overIntervals()
}

// flowed says whether any line of figures shows that something was carried.
func (t Test) flowed() bool {
	for _, list := range [][]Interval{t.Totals, t.Intervals} {
		for _, i := range list {
			if i.Bytes > 0 {
				return true
			}
		}
	}
	return false
}

// addUp returns the sum line of the sides, or else the sum of their streams.
func addUp(list []Interval, sides []string) (Interval, bool) {
	var out Interval
	n := 0
	for _, i := range list {
		if !contains(sides, i.Side) {
			continue
		}
		if i.Sum() {
			return i, true
		}
		if n == 0 {
			out = i
		} else {
			out.add(i)
		}
		n++
	}
	return out, n > 0
}

func (i *Interval) add(o Interval) {
	i.Bytes += o.Bytes
	i.Rate += o.Rate
	i.From, i.To = math.Min(i.From, o.From), math.Max(i.To, o.To)
	i.Retransmits = plus(i.Retransmits, o.Retransmits)
	i.Lost, i.Total, i.OutOfOrder = plus(i.Lost, o.Lost), plus(i.Total, o.Total), plus(i.OutOfOrder, o.OutOfOrder)
	i.Negative = i.Negative || o.Negative
	i.Stream = "SUM"
}

func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	n := *a + *b
	return &n
}

// overIntervals is the mean of a test whose end is missing.
func (t Test) overIntervals() (Interval, bool) {
	out, n := Interval{From: math.Inf(1)}, 0
	weight := 0.0
	var lost, total int64
	whole := true // no counter ran over so far
	out.Retransmits = new(int64)
	for _, i := range t.PerSecond() {
		out.Retransmits = plus(out.Retransmits, i.Retransmits)
		out.From, out.To = math.Min(out.From, i.From), math.Max(out.To, i.To)
		out.Bytes += i.Bytes
		out.Rate += i.Rate * i.Width()
		weight += i.Width()
		if n++; i.Lost != nil && i.Total != nil && i.counts() && whole {
			if lost, total = lost+*i.Lost, total+*i.Total; total > 0 {
				out.Lost, out.Total = &lost, &total
			}
		}
		whole = whole && i.counts()
	}
	if n == 0 || weight <= 0 {
		return Interval{}, false
	}
	out.Rate /= weight
	return out, true
}

// PerSecond returns the figures over time of all streams together, in order, without what was omitted.
func (t Test) PerSecond() []Interval {
	sums := false
	for _, i := range t.Intervals {
		sums = sums || i.Sum()
	}
	var out []Interval
	for _, i := range t.Intervals {
		if i.Omitted || sums && !i.Sum() {
			continue
		}
		if n := len(out); !sums && n > 0 && out[n-1].From == i.From && out[n-1].To == i.To && out[n-1].Stream != i.Stream {
			out[n-1].add(i)
			continue
		}
		out = append(out, i)
	}
	return out
}

// Steady returns the congestion window of each stream, in bytes, if it stayed at one value from the second line on, in all
// streams, while nothing was sent again: it could have grown and did not, so something else held the flow. ok is false
// where the lines do not say so; a few of them say nothing.
func (t Test) Steady() (bytes float64, ok bool) {
	const fewest, digits = 5, 0.01 // lines, and how far two prints of one window differ
	n := 0
	for _, i := range t.Intervals {
		if i.Retransmits != nil && *i.Retransmits > 0 {
			return 0, false
		}
		if i.Sum() || i.Omitted || i.From == 0 {
			continue
		}
		if i.Cwnd == nil || i.Retransmits == nil || n > 0 && math.Abs(*i.Cwnd-bytes) > digits*bytes {
			return 0, false
		}
		bytes = max(bytes, *i.Cwnd)
		n++
	}
	return bytes, n >= fewest && bytes > 0
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
