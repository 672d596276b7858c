package ingest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/probe/iperftext"
	"whydrop/rules"
)

// runAt is a run and what it was made from: one end's view, or both.
type runAt struct {
	rules.Run
	test  iperftext.Test
	other *iperftext.Test
	where string

	socket *sockBlock // what the sending socket says behind it; nil: nothing
	alone  bool       // there is no test: the socket itself is the run
}

// iperf takes in one end's view of a test.
func (b *builder) iperf(t *text, x iperftext.Test, before string) {
	kind := x.Tool
	if x.Tool == "iperf3" {
		kind += "-" + x.Form
	}
	got, measured := x.Received()
	if !measured || got.Rate == 0 && len(x.Errors) > 0 {
		b.block(t.where(x.From), kind, headerText(x))
		b.header(x)
		return
	}
	if i := b.otherEnd(x); i >= 0 {
		r := &b.runs[i]
		r.other = &x
		b.block(t.where(x.From), kind, fmt.Sprintf("the other end of %s: %s", r.Name, viewText(x)))
		if l := lineOf(nearest(before)); l != nil && r.Line == nil {
			r.Line = l
		}
		return
	}
	if len(b.runs) == maxRuns {
		b.Notes = appendOnce(b.Notes, fmt.Sprintf("Only the first %d runs were compared.", maxRuns))
		return
	}
	r := runAt{test: x, where: t.where(x.From)}
	r.Name = fmt.Sprintf("run %d", len(b.runs)+1)
	r.Subject, r.Source = timeline.Path(r.Name), t.source(x.From)
	b.context(&r.Run, x, nearest(before))
	b.block(r.where, kind, fmt.Sprintf("%s: %s", r.Name, viewText(x)))
	b.runs = append(b.runs, r)
	b.previous = &b.runs[len(b.runs)-1].Run
	if x.Role != "server" {
		r := &b.runs[len(b.runs)-1].Run
		r.ServerWindow = b.server
		if x.Protocol == "udp" {
			r.ServerWindow = b.udp
		}
	}
}

// header keeps the window of a server that says nothing but that it listens.
func (b *builder) header(x iperftext.Test) {
	if x.Role != "server" || x.Window == nil {
		return
	}
	if x.Protocol == "udp" {
		b.udp = windowOf(x)
	} else {
		b.server = windowOf(x)
	}
}

// context takes over what the words in front say; a run between the same hosts as the one before, about which they
// say nothing, was made like that.
func (b *builder) context(r *rules.Run, x iperftext.Test, lines []string) {
	r.Client, r.Server = ends(x)
	r.Medium, r.Line = mediumOf(lines), lineOf(lines)
	got, _ := x.Received()
	if p := b.previous; p != nil && p.Client == r.Client && p.Server == r.Server && r.Server != "" {
		if r.Medium == rules.MediumUnknown {
			r.Medium = p.Medium
		}
		if r.Line == nil && p.Line != nil && got.Rate <= *p.Line {
			r.Line = p.Line
		}
	}
}

// ends returns who sends and who receives.
func ends(x iperftext.Test) (sender, receiver string) {
	client, server := "", x.Target
	if len(x.Connections) > 0 {
		c := x.Connections[0]
		client, server = c.Local, c.Remote
		if x.Role == "server" || x.Role == "" && (c.LocalPort == 5001 || c.LocalPort == 5201) {
			client, server = server, client
		}
	}
	client, _, _ = strings.Cut(client, "%")
	server, _, _ = strings.Cut(server, "%")
	if x.Reverse {
		return server, client
	}
	return client, server
}

// otherEnd returns the run whose connection is this one's seen from the other side; -1 if there is none.
func (b *builder) otherEnd(x iperftext.Test) int {
	for i := len(b.runs) - 1; i >= max(0, len(b.runs)-64); i-- {
		r := b.runs[i]
		if r.other != nil || r.test.Protocol != x.Protocol {
			continue
		}
		for _, a := range r.test.Connections {
			for _, c := range x.Connections {
				if a.LocalPort == c.RemotePort && a.RemotePort == c.LocalPort && a.LocalPort != 0 && a.Local == c.Remote && a.Remote == c.Local {
					return i
				}
			}
		}
	}
	return -1
}

// finishRuns makes runs of views, and records of runs.
func (b *builder) finishRuns() {
	for i := range b.runs {
		r := &b.runs[i]
		if !r.alone {
			r.fill()
		}
		r.fromSocket()
		if r.RTT == nil {
			r.RTT = b.roundTrip(r.Client, r.Server)
		}
		b.records(r)
		b.Pasted.Runs = append(b.Pasted.Runs, r.Run)
	}
}

// fill takes the figures of both views: what arrived from the receiver's, the rest from the sender's.
func (r *runAt) fill() {
	sender, receiver := r.test, r.test
	if r.other != nil {
		if (r.test.Role == "server") != r.test.Reverse {
			sender = *r.other
		} else {
			receiver = *r.other
		}
	}
	got, _ := receiver.Received()
	sent, _ := sender.Offering()
	r.Protocol, r.Streams = r.test.Protocol, max(sender.Streams(), receiver.Streams())
	r.Rate, r.Seconds = got.Rate, got.Width()
	if sent.Rate > 0 && sent.Rate != got.Rate {
		r.Sent = &sent.Rate
	}
	r.Offered, r.Retransmits = sender.Offered, sent.Retransmits
	if r.Offered == nil {
		r.Offered = receiver.Offered
	}
	r.Lost, r.Total, r.OutOfOrder = got.Lost, got.Total, got.OutOfOrder
	r.Overran = receiver.Overran()
	r.SenderCPU, r.ReceiverCPU = sender.SenderCPU, sender.ReceiverCPU
	if r.RTT = sender.RTT; r.RTT == nil {
		r.RTT = sent.RTT
	}
	r.MSSAsked, r.MSSGot = sender.MSSAsked, sender.MSSGot
	r.Window = windowOf(sender)
	if w, ok := sender.Steady(); ok {
		const digits = 0.005 // three are printed
		r.Steady = &rules.Window{Bytes: w, Low: w * (1 - digits), High: w * (1 + digits)}
	}
	if r.other != nil {
		if w := windowOf(receiver); w != nil {
			r.ServerWindow = w
		}
	}
	if r.ServerWindow == nil && sender.ReceiverWindow != nil {
		w := *sender.ReceiverWindow
		r.ServerWindow = &rules.Window{Bytes: w, Low: w, High: w, Default: r.Window == nil}
	}
	per := receiver.PerSecond()
	r.Spread, r.Stalled = spread(per), stalled(per, r.Protocol)
}

// fromSocket takes over what the sending socket says and the test does not.
func (r *runAt) fromSocket() {
	s := r.socket
	if s == nil {
		return
	}
	if r.RTT == nil && s.rtt > 0 {
		r.RTT = &s.rtt
	}
	if r.Window == nil && r.ServerWindow == nil && s.window > 0 && s.waits() {
		r.ServerWindow = &rules.Window{Bytes: s.window, Low: s.window, High: s.window, Printed: fmt.Sprintf("%.0f bytes", s.window)}
	}
}

func windowOf(x iperftext.Test) *rules.Window {
	if x.Window == nil {
		return nil
	}
	return &rules.Window{Bytes: x.Window.Bytes, Low: x.Window.Low, High: x.Window.High, Printed: x.Window.Printed, Default: x.WindowDefault}
}

// spread is the standard deviation of a rate over time as a share of its mean; nil for fewer than five figures.
func spread(per []iperftext.Interval) *float64 {
	if len(per) < 5 {
		return nil
	}
	var sum, squares float64
	for _, i := range per {
		sum += i.Rate
		squares += i.Rate * i.Rate
	}
	n := float64(len(per))
	mean := sum / n
	if mean <= 0 {
		return nil
	}
	s := math.Sqrt(max(0, squares/n-mean*mean)) / mean
	return &s
}

// stalled is for how long nothing arrived between two lines in which something did.
func stalled(per []iperftext.Interval, protocol string) float64 {
	var total, run float64
	flowed := false
	for _, i := range per {
		switch {
		case i.Bytes > 0 || i.Rate > 0:
			if flowed {
				total += run
			}
			flowed, run = true, 0
		case flowed:
			run += i.Width()
		}
	}
	if protocol == "udp" || total < 0.5 {
		return 0
	}
	return total
}

// records writes a run's figures as samples, at their time if the text gives one.
func (b *builder) records(r *runAt) {
	start := r.start()
	b.dated = b.dated || !start.IsZero()
	if start.IsZero() {
		start, b.made = b.clock, true
		b.clock = b.clock.Add(time.Duration(r.Seconds*float64(time.Second)) + time.Minute).Truncate(time.Minute)
	}
	o := timeline.Origin{Collector: r.Source, Exchange: 1}
	at := func(from, to float64) timeline.Span {
		return timeline.Span{From: start.Add(seconds(from)), To: start.Add(seconds(to))}
	}
	put := func(sub timeline.Subject, m timeline.Metric, sp timeline.Span, v float64) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			b.Records = append(b.Records, timeline.Sample{Subject: sub, Metric: m, Span: sp, Value: v, Origin: o})
		}
	}
	view := r.test
	if r.other != nil && (r.test.Role == "server") == r.test.Reverse {
		view = *r.other // the receiver's
	}
	per := view.PerSecond()
	for _, i := range per {
		put(r.Subject, timeline.GoodputForward, at(i.From, i.To), i.Rate)
		if i.RTT != nil {
			put(r.Subject, timeline.TCPRTT, at(i.From, i.To), *i.RTT)
		}
		if i.Cwnd != nil {
			put(r.Subject, timeline.TCPCwnd, at(i.From, i.To), *i.Cwnd)
		}
		if i.Retransmits != nil && i.Width() > 0 {
			put(r.Subject, timeline.TCPRetransmits, at(i.From, i.To), float64(*i.Retransmits)/i.Width())
		}
	}
	if r.Stalled > 0 && !b.undated(r) {
		b.outages(r, per, at, o)
	}
	whole := at(0, r.Seconds)
	if len(per) == 0 {
		put(r.Subject, timeline.GoodputForward, whole, r.Rate)
		if r.RTT != nil {
			put(r.Subject, timeline.TCPRTT, whole, *r.RTT)
		}
		if r.Retransmits != nil && r.Seconds > 0 {
			put(r.Subject, timeline.TCPRetransmits, whole, float64(*r.Retransmits)/r.Seconds)
		}
	}
	if r.Protocol == "udp" && r.Lost != nil && r.Total != nil && *r.Total > 0 {
		put(r.Subject, timeline.LossForward, whole, float64(*r.Lost)/float64(*r.Total))
	}
	if r.Offered != nil && *r.Offered > 0 {
		put(r.Subject, timeline.OfferedForward, whole, *r.Offered)
	}
	for _, cpu := range []struct {
		host string
		v    *float64
	}{{r.Client, r.SenderCPU}, {r.Server, r.ReceiverCPU}} {
		if cpu.v != nil && cpu.host != "" {
			put(timeline.Host(cpu.host), timeline.HostProcessCPU, whole, *cpu.v)
		}
	}
}

// start returns when a run began; zero if the text does not say.
func (r *runAt) start() time.Time {
	if r.test.Start.IsZero() && r.other != nil {
		return r.other.Start
	}
	return r.test.Start
}

func (b *builder) undated(r *runAt) bool { return r.start().IsZero() }

// outages writes the stretches of a dated run in which nothing arrived as outages of its path.
func (b *builder) outages(r *runAt, per []iperftext.Interval, at func(from, to float64) timeline.Span, o timeline.Origin) {
	for i := 0; i < len(per); i++ {
		j := i
		for j < len(per) && per[j].Bytes == 0 && per[j].Rate == 0 {
			j++
		}
		if j > i && i > 0 && j < len(per) {
			half := per[i].Width() * 1e3 // it began and ended within an interval of the text
			b.Records = append(b.Records, timeline.Event{Subject: r.Subject, Type: timeline.EventOutage, Span: at(per[i].From, per[j-1].To), Text: "nothing arrived", Origin: o,
				Attrs: map[string]string{"direction": timeline.Forward, "seen_by": timeline.SeenByTCP, "error_ms": strconv.FormatFloat(half, 'f', 0, 64)}})
		}
		i = j
	}
}

func seconds(v float64) time.Duration {
	const most = 1e9 // some thirty years
	return time.Duration(min(max(v, 0), most) * float64(time.Second))
}

// viewText says in one sentence what one end printed.
func viewText(x iperftext.Test) string {
	from, to := ends(x)
	got, _ := x.Received()
	var b strings.Builder
	fmt.Fprintf(&b, "%s", strings.ToUpper(x.Protocol))
	if from != "" && to != "" {
		fmt.Fprintf(&b, " from %s to %s", from, to)
	} else if to != "" {
		fmt.Fprintf(&b, " to %s", to)
	}
	fmt.Fprintf(&b, ", %s over %s", report.Rate(got.Rate), report.RoundLength(seconds(got.Width())))
	if n := x.Streams(); n > 1 {
		fmt.Fprintf(&b, " in %d streams", n)
	}
	if x.Window != nil {
		what := "window"
		if x.Protocol == "udp" {
			what = "buffer"
		}
		fmt.Fprintf(&b, ", %s %s", what, windowOf(x))
		if x.WindowDefault {
			b.WriteString(" (default)")
		}
	}
	if x.MSSAsked != nil && x.MSSGot != nil {
		fmt.Fprintf(&b, ", segments of %d octets asked and %d got", *x.MSSAsked, *x.MSSGot)
	}
	if got.Lost != nil && got.Total != nil && *got.Total > 0 {
		fmt.Fprintf(&b, ", %d of %d datagrams lost (%s)", *got.Lost, *got.Total, report.Percent(float64(*got.Lost)/float64(*got.Total)))
	}
	if got.OutOfOrder != nil && *got.OutOfOrder > 0 {
		fmt.Fprintf(&b, ", %d out of order", *got.OutOfOrder)
	}
	if s, ok := x.Offering(); ok && s.Retransmits != nil {
		fmt.Fprintf(&b, ", %s sent again", rules.Plural(int(*s.Retransmits), "segment"))
	}
	if x.Cut {
		b.WriteString(", cut short")
	}
	for _, e := range x.Errors {
		b.WriteString("; it says: " + e)
	}
	return b.String()
}

// headerText says what stands there of a test that measured nothing.
func headerText(x iperftext.Test) string {
	var parts []string
	if x.Window != nil {
		who := "an end's"
		if x.Role != "" {
			who = "the " + x.Role + "'s"
		}
		def := ""
		if x.WindowDefault {
			def = " (default)"
		}
		parts = append(parts, fmt.Sprintf("%s window of %s%s", who, windowOf(x), def))
	}
	for _, e := range x.Errors {
		parts = append(parts, "it failed: "+e)
	}
	return strings.Join(append(parts, "no measurement"), ", ")
}
