package rules

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
)

const (
	// largestWindow is the most that TCP can offer: 65535 octets with a scale of 14 (RFC 7323, section 2.3).
	largestWindow = 65535 << 14
	// usualTest is how long iperf sends when nobody says how long.
	usualTest = 10.0
	// grows is the slope of rate over window, in a double logarithmic plot, from which the window limits. It is 1
	// where nothing else does.
	grows = 0.3
	// steep is the slope that a limiting window has at the small end.
	steep = 0.6
	// alike is how far two ratios may lie apart that should be the same: rates swing by some per cent.
	alike = 0.25
)

// sweeps looks at tables of window and rate: where the rate grows with the window, the window is the limit.
func (e *pasted) sweeps() {
	for _, l := range e.Lists {
		if l.Window {
			e.sweep(l)
		}
	}
}

// Implausible says why a row cannot be what it claims; "" if it can.
func (p Point) Implausible() string {
	switch {
	case p.Size >= largestWindow:
		return fmt.Sprintf("the row %q is implausible: TCP can offer at most %s (RFC 7323: 65535 x 2^14 octets)", p.Text, "1,073,725,440 bytes")
	case p.Size*8 >= p.Rate*usualTest:
		return fmt.Sprintf("the row %q is implausible: the window would hold more than a whole test of %.0f s carries", p.Text, usualTest)
	}
	return ""
}

func (e *pasted) sweep(l List) bool {
	var points []Point
	var odd []string
	for _, p := range l.Points {
		if why := p.Implausible(); why != "" {
			odd = append(odd, why)
		} else {
			points = append(points, p)
		}
	}
	slices.SortStableFunc(points, func(a, b Point) int { return compareFloat(a.Size, b.Size) })
	if len(points) < 3 {
		return false
	}
	slopes := make([]float64, len(points)-1)
	for i := range slopes {
		slopes[i] = slope(points[i], points[i+1])
	}
	knee := 0 // points below it are limited by their window
	for knee < len(slopes) && slopes[knee] >= grows {
		knee++
	}
	first, last := points[0], points[len(points)-1]
	if knee == 0 || slopes[0] < steep {
		return false
	}
	c := newClaim("tcp-window", l.Subject, 0.35)
	value := first.Rate
	c.say(0.2, Evidence{Source: l.Source, Subject: l.Subject, Metric: string(timeline.GoodputForward), Value: &value, Unit: "bit/s",
		Text: fmt.Sprintf("the rate grows with the window: %s", pointsText(points[:knee+1]))})
	if knee >= 2 {
		c.say(0.15, Evidence{Source: l.Source, Subject: l.Subject, Text: fmt.Sprintf("%d steps in a row: twice the window gives %s times the rate at the small end", knee, trim2(points[1].Rate/points[0].Rate))})
	}
	if last.Rate >= 2*first.Rate {
		c.say(0.15, Evidence{Source: l.Source, Subject: l.Subject, Text: fmt.Sprintf("the same path carries %s with %s, so it is not the limit at %s", rateText(last.Rate), sizeText(last.Size), rateText(first.Rate))})
	}
	rtt := first.Size * 8 / first.Rate
	c.Evidence = append(c.Evidence, Evidence{Source: l.Source, Subject: l.Subject, Text: fmt.Sprintf("window over rate at the small end gives a round trip of %s", secondsText(rtt))})
	for _, why := range odd {
		c.Evidence = append(c.Evidence, Evidence{Source: l.Source, Subject: l.Subject, Text: why})
		c.Against = append(c.Against, why+"; it was left out")
	}
	if slopes[knee-1] < steep {
		c.Against = append(c.Against, fmt.Sprintf("near %s the rate grows less than the window: something else begins to limit there", sizeText(points[knee].Size)))
	}
	c.Missing = []string{fmt.Sprintf("the round-trip time: %s would confirm it (ping, iperf -e, iperf3 -J)", secondsText(rtt))}
	limit := sizeText(points[knee].Size)
	c.Summary = fmt.Sprintf("Windows below %s limit TCP on this path: the rate grows with the window from %s at %s to %s at %s. No device is at fault.", limit, rateText(first.Rate), sizeText(first.Size), rateText(points[knee].Rate), limit)
	c.Next = []string{
		fmt.Sprintf("Use a window of %s or more (-w, SO_RCVBUF, net.ipv4.tcp_rmem), or leave it to the system, which lets it grow.", limit),
		"Measure the round-trip time and multiply by the rate wanted: the window must hold that much.",
	}
	return e.add(c, Holds)
}

// slope is how the rate grows from one point to the next, in powers of the window.
func slope(a, b Point) float64 {
	if a.Size <= 0 || b.Size <= a.Size || a.Rate <= 0 || b.Rate <= 0 {
		return 0
	}
	return math.Log(b.Rate/a.Rate) / math.Log(b.Size/a.Size)
}

func pointsText(points []Point) string {
	var out []string
	for _, p := range points {
		out = append(out, sizeText(p.Size)+": "+rateText(p.Rate))
	}
	return strings.Join(out, ", ")
}

// windows looks at single runs: pairs with different windows, and runs whose round trip is known.
func (e *pasted) windows() {
	var runs []Run
	for _, r := range e.Runs {
		if _, full := e.full[r.Name]; r.Protocol == "tcp" && r.Rate > 0 && !full && !r.paced() {
			runs = append(runs, r)
		}
	}
	for _, group := range byHosts(runs) {
		if !e.known(group) && !e.series(group) {
			e.pairs(group)
		}
	}
}

// series looks at runs between the same ends with three windows or more as at a table.
func (e *pasted) series(runs []Run) bool {
	l := List{Name: runNames(runs), Source: runs[0].Source, Subject: runs[0].Subject, Window: true}
	var windows []*Window
	for _, r := range runs {
		w := r.limitWindow()
		if w == nil || max(1, r.Streams) != max(1, runs[0].Streams) {
			continue
		}
		if !slices.ContainsFunc(windows, w.same) {
			windows = append(windows, w)
			l.Points = append(l.Points, Point{Text: fmt.Sprintf("%s, %s: %s", r.Name, w, rateText(r.Rate)), Size: w.Bytes, Low: w.Low, High: w.High, Rate: r.Rate})
		}
	}
	if len(windows) < 3 || !e.sweep(l) {
		return false
	}
	for _, r := range runs {
		e.explained[r.Name] = true
	}
	return true
}

// paced says whether the sender was told to send no more than it did.
func (r Run) paced() bool { return r.Offered != nil && *r.Offered > 0 && r.Rate >= 0.95**r.Offered }

// limitWindow returns the window that limits the run: the smaller of both ends'.
func (r Run) limitWindow() *Window {
	w := r.Window
	if w == nil || r.ServerWindow != nil && r.ServerWindow.Bytes < w.Bytes && !r.ServerWindow.Default {
		w = r.ServerWindow
	}
	return w
}

// heldWindow returns the window that held the run: one that an end printed, or the one that the sender never grew beyond. The
// latter tells something only together with the round trip.
func (r Run) heldWindow() *Window {
	if w := r.limitWindow(); w != nil {
		return w
	}
	return r.Steady
}

// clamped says whether one steady window per round trip is what the run carried, to the accuracy of both.
func (r Run) clamped() bool {
	const close = 0.1
	if r.Steady == nil || r.RTT == nil || *r.RTT <= 0 {
		return false
	}
	return math.Abs(r.Rate/(r.Steady.Bytes*8 / *r.RTT * float64(max(1, r.Streams)))-1) <= close
}

// byHosts groups runs between the same two ends, in the order of their first.
func byHosts(runs []Run) [][]Run {
	var out [][]Run
	at := map[string]int{}
	for _, r := range runs {
		k := r.Client + ">" + r.Server
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// known looks for runs whose rate is what their window allows in their known round trip.
func (e *pasted) known(runs []Run) bool {
	for _, r := range runs {
		w := r.heldWindow()
		if w == nil || r.RTT == nil || *r.RTT <= 0 {
			continue
		}
		c := newClaim("tcp-window", r.Subject, 0.3)
		expected := w.Bytes * 8 / *r.RTT * float64(max(1, r.Streams))
		ratio := r.Rate / expected
		if ratio < c.limit("fits_from", 0.65) || ratio > c.limit("fits_to", 1.5) {
			continue
		}
		c.say(0.3, r.figure(timeline.TCPSendWindow, w.Bytes, fmt.Sprintf("%s per round trip of %s allow %s; %s reached %s", w, secondsText(*r.RTT), rateText(expected), r.Name, rateText(r.Rate))))
		if w == r.Steady {
			c.say(0.05, r.figure(timeline.TCPCwnd, w.Bytes, fmt.Sprintf("the sender's congestion window stayed at %s from the second line on, although nothing was lost: the receiver's window or the sender's buffer is as large", w)))
		}
		if r.Retransmits == nil {
			c.Missing = append(c.Missing, "whether segments were sent again (iperf3, iperf -e): a flow that its window limits loses none")
		} else if *r.Retransmits == 0 {
			c.say(0.15, r.figure(timeline.TCPRetransmits, 0, "no segment was sent again"))
		} else {
			c.but(0.15, fmt.Sprintf("tcp-window: %d segments were sent again; a flow that its window limits loses none", *r.Retransmits))
		}
		if r.Spread != nil && *r.Spread <= c.limit("flat", 0.25) {
			c.say(0.1, r.goodput("the rate lay flat"))
		}
		c.Summary = fmt.Sprintf("The window of %s limits %s to %s: one window per round trip of %s. No device on the path is at fault.", w, r.Name, rateText(r.Rate), secondsText(*r.RTT))
		c.Next = []string{"Give both ends larger buffers (-w, SO_RCVBUF, SO_SNDBUF, net.ipv4.tcp_rmem, net.ipv4.tcp_wmem): rate times round trip must fit.", "Prove it with several flows at once (-P 4): the sum grows with their number."}
		if e.add(c, Holds) {
			e.explained[r.Name] = true
			return true
		}
	}
	return false
}

// pairs looks for two runs between the same ends whose rates are as their windows, or as their numbers of flows.
func (e *pasted) pairs(runs []Run) {
	for i, a := range runs {
		for _, b := range runs[i+1:] {
			if e.byWindow(a, b) || e.byStreams(a, b) {
				return
			}
		}
	}
}

func (e *pasted) byWindow(a, b Run) bool {
	wa, wb := a.limitWindow(), b.limitWindow()
	if wa == nil || wb == nil || wa.same(wb) || max(1, a.Streams) != max(1, b.Streams) {
		return false
	}
	if wa.Bytes > wb.Bytes {
		a, b, wa, wb = b, a, wb, wa
	}
	if a.RTT != nil || b.RTT != nil {
		return false // the round trip is known, and is not the window's
	}
	windows, rates := wb.Bytes/wa.Bytes, b.Rate/a.Rate
	if windows < 1.15 || rates < windows*(1-alike) || rates > windows*(1+alike) {
		return false
	}
	c := newClaim("tcp-window", a.Subject, 0.3)
	c.say(0.25, b.goodput(fmt.Sprintf("%s with %s: %s; %s with %s: %s. The window is %s times as large, the rate %s times", a.Name, wa, rateText(a.Rate), b.Name, wb, rateText(b.Rate), trim2(windows), trim2(rates))))
	rtt := wa.Bytes * 8 / a.Rate
	c.Missing = []string{fmt.Sprintf("the round-trip time (ping from %s to %s while nothing else runs): about %s would confirm it", orWord(a.Client, "the client"), orWord(a.Server, "the server"), secondsText(rtt)),
		"the same test with a window of 1 MiB, and with several flows (-P 4)"}
	if rtt > 0.005 && sameNet(a.Client, a.Server) {
		c.but(0.1, fmt.Sprintf("tcp-window: it takes a round trip of %s, which is long between two hosts of one network (%s, %s); a radio link or a slow host would make the same rates", secondsText(rtt), a.Client, a.Server))
	}
	c.Summary = fmt.Sprintf("The rate follows the window: %s with %s, %s with %s. That is what a window that is too small for the round trip looks like; the round-trip time is missing to prove it.", rateText(a.Rate), wa, rateText(b.Rate), wb)
	c.Next = []string{"Measure the round-trip time, then repeat the test with a larger window (-w 1M at both ends): if the rate grows with it, the window was the limit.", "If it does not grow, look at the hosts and at the link between them (speed, errors, radio)."}
	e.explained[a.Name], e.explained[b.Name] = true, true
	return e.add(c, Suspected)
}

// byStreams looks for a limit per flow: several flows carry as many times more.
func (e *pasted) byStreams(a, b Run) bool {
	if a.Streams < 1 || b.Streams < 1 || a.Streams == b.Streams {
		return false
	}
	if a.Streams > b.Streams {
		a, b = b, a
	}
	flows, rates := float64(b.Streams)/float64(a.Streams), b.Rate/a.Rate
	if rates < 0.7*flows || rates > 1.3*flows {
		return false
	}
	c := newClaim("tcp-window", a.Subject, 0.25)
	c.say(0.2, b.goodput(fmt.Sprintf("%s with %s: %s; %s with %s: %s. Each flow carries the same", a.Name, flowsText(a.Streams), rateText(a.Rate), b.Name, flowsText(b.Streams), rateText(b.Rate))))
	c.Against = append(c.Against, "policer: a limit for each flow in a middlebox looks the same")
	c.Missing = []string{"the round-trip time and the window: their quotient would have to be " + rateText(a.Rate/float64(a.Streams))}
	c.Summary = fmt.Sprintf("Every flow is limited for itself to about %s, as a window that is too small for the round trip does; several flows add up.", rateText(a.Rate/float64(a.Streams)))
	c.Next = []string{"Measure the round-trip time and repeat with a larger window (-w 4M at both ends)."}
	e.explained[a.Name], e.explained[b.Name] = true, true
	return e.add(c, Suspected)
}

func flowsText(n int) string {
	if n == 1 {
		return "one flow"
	}
	return fmt.Sprintf("%d flows", n)
}

func trim2(v float64) string { return fmt.Sprintf("%.2f", v) }

func orWord(s, word string) string {
	if s == "" {
		return word
	}
	return s
}

// sameNet says whether two addresses lie in one small network: the same 24 bits of IPv4, or 64 of IPv6.
func sameNet(a, b string) bool {
	x, err1 := netip.ParseAddr(a)
	y, err2 := netip.ParseAddr(b)
	if err1 != nil || err2 != nil || x.BitLen() != y.BitLen() {
		return false
	}
	bits := 24
	if x.BitLen() == 128 {
		bits = 64
	}
	p, err := x.WithZone("").Prefix(bits)
	return err == nil && p.Contains(y.WithZone(""))
}
