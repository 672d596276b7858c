package rules

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
)

// line is a rate that Ethernet has (IEEE 802.3).
type line struct {
	bits float64
	name string
}

var ethernet = []line{{10e6, "10 Mbit/s"}, {100e6, "100 Mbit/s"}, {1e9, "1 Gbit/s"}, {2.5e9, "2.5 Gbit/s"}, {5e9, "5 Gbit/s"}, {10e9, "10 Gbit/s"},
	{25e9, "25 Gbit/s"}, {40e9, "40 Gbit/s"}, {100e9, "100 Gbit/s"}}

const (
	// ethernetJumbo is the same with 9000 octets a packet: 8948 of 9038.
	ethernetJumbo = 8948.0 / 9038
	// ceiling is how near to tcpShare a rate must be to tell by itself that a line is full.
	ceiling = 0.01
)

// filled returns the line that a rate fills, if it fills one: between full of what TCP carries, and what it carries
// in the largest frames.
func filled(rate, full float64) (line, bool) {
	for _, l := range ethernet {
		if rate >= full*tcpShare*l.bits && rate <= ethernetJumbo*1.005*l.bits {
			return l, true
		}
	}
	return line{}, false
}

// lineOf returns the line that the text gives a run: its own words, or else the fastest port shown anywhere.
func (e *pasted) lineOf(r Run) (bits float64, own bool) {
	if r.Line != nil {
		return *r.Line, true
	}
	for _, p := range e.Ports {
		if p.Speed != nil {
			bits = max(bits, *p.Speed)
		}
	}
	return bits, false
}

// lines finds runs that fill a line: no fault, unless the line should be faster.
func (e *pasted) lines() {
	byLine := map[float64][]Run{}
	full := newClaim("link-saturated", timeline.Subject{}, 0).limit("full", 0.95)
	for _, r := range e.Runs {
		l, ok := filled(r.Rate, full)
		if !ok || local(r) || r.Protocol == "udp" && !overfull(r) || r.Offered != nil && *r.Offered > 0 && *r.Offered < r.Rate*1.02 {
			continue
		}
		if bits, _ := e.lineOf(r); bits != l.bits && r.clamped() {
			continue // nothing says that there is such a line, and its window allows no more
		}
		e.full[r.Name], e.explained[r.Name] = l, true
		byLine[l.bits] = append(byLine[l.bits], r)
	}
	for _, l := range ethernet {
		var plain, fallen []Run
		for _, r := range byLine[l.bits] {
			if r.Line != nil && *r.Line > l.bits*1.5 {
				fallen = append(fallen, r)
			} else {
				plain = append(plain, r)
			}
		}
		ports := e.slowPorts(l)
		if len(fallen) > 0 || len(plain) > 0 && len(ports) > 0 {
			e.fallback(l, append(fallen, plain...), ports)
		} else if len(plain) > 0 {
			e.saturated(l, plain)
		}
	}
}

// local says whether a run stayed within one host, where there is no line.
func local(r Run) bool {
	a, err := netip.ParseAddr(r.Server)
	return err == nil && a.IsLoopback() || r.Server != "" && r.Server == r.Client
}

// overfull says whether a UDP sender gave more than arrived.
func overfull(r Run) bool {
	return r.Sent != nil && *r.Sent > r.Rate*1.01 || r.Offered != nil && *r.Offered > r.Rate*1.02
}

// slowPorts returns the ports that run at the line's rate although they could run faster.
func (e *pasted) slowPorts(l line) []PortView {
	var out []PortView
	for _, p := range e.Ports {
		if p.Speed != nil && p.SpeedMax != nil && *p.Speed == l.bits && *p.SpeedMax > *p.Speed {
			out = append(out, p)
		}
	}
	return out
}

func (e *pasted) saturated(l line, runs []Run) {
	c := newClaim("link-saturated", runs[0].Subject, 0.45)
	best := slices.MaxFunc(runs, func(a, b Run) int { return compareFloat(a.Rate, b.Rate) })
	atCeiling := slices.ContainsFunc(runs, func(r Run) bool { return math.Abs(r.Rate/l.bits-tcpShare) <= ceiling })
	text := fmt.Sprintf("%s, %s of the %s that TCP carries over a line of %s", rateText(best.Rate), percentText(best.Rate/(l.bits*tcpShare)), rateText(l.bits*tcpShare), l.name)
	weight := 0.0
	if atCeiling {
		weight = 0.3
	}
	c.say(weight, best.goodput(text))
	said := slices.ContainsFunc(runs, func(r Run) bool { return r.Line != nil && *r.Line == l.bits })
	shown := slices.ContainsFunc(e.Ports, func(p PortView) bool { return p.Speed != nil && *p.Speed == l.bits })
	switch {
	case said:
		c.say(0.25, Evidence{Source: best.Source, Subject: best.Subject, Text: "the text calls it a line of " + l.name})
	case shown:
		c.say(0.2, Evidence{Source: best.Source, Subject: best.Subject, Text: "a port of " + l.name + " is shown"})
	case l.bits > 1e9:
		c.but(0.2, "host-limit, tcp-window: a host or a window can stop at that rate by chance; nothing says that the line has "+l.name)
		c.Missing = append(c.Missing, "the speed of the ports on the path (show interfaces, ethtool)")
	case l.bits <= 100e6:
		c.but(0.15, "speed-fallback: if both ends could run at 1 Gbit/s, the link has fallen back to "+l.name)
		c.Missing = append(c.Missing, "the speed that both ends of the link negotiated, and what they are capable of (show interfaces, ethtool)")
	}
	if len(runs) > 1 {
		c.say(0.1, Evidence{Source: runs[1].Source, Subject: runs[1].Subject, Text: fmt.Sprintf("%s agree: %s", runNames(runs), ratesText(runs))})
	}
	c.Summary = fmt.Sprintf("%s %s %s: the line of %s is full. This is no fault; more than %s does not fit.", sentence(runNames(runs)), verb(runs, "reaches", "reach"), ratesText(runs), l.name, rateText(l.bits*tcpShare))
	c.Next = []string{"If more is needed, give the path a faster line; otherwise leave it."}
	e.add(c, Holds)
}

// fallback says that a link runs below what it could.
func (e *pasted) fallback(l line, runs []Run, ports []PortView) {
	subject := runs[0].Subject
	if len(ports) > 0 {
		subject = ports[0].Subject
	}
	c := newClaim("speed-fallback", subject, 0.25)
	c.say(0.2, runs[0].goodput(fmt.Sprintf("%s %s %s: what a line of %s carries", runNames(runs), verb(runs, "reaches", "reach"), ratesText(runs), l.name)))
	for _, r := range runs {
		if r.Line != nil && *r.Line > l.bits {
			c.say(0.15, Evidence{Source: r.Source, Subject: r.Subject, Text: fmt.Sprintf("the text speaks of a line of %s", rateText(*r.Line))})
			break
		}
	}
	for _, p := range ports {
		c.say(0.35, Evidence{Source: p.Source, Subject: p.Subject, Metric: string(timeline.Speed), Value: p.Speed, Unit: "bit/s",
			Text: fmt.Sprintf("%s runs at %s and is capable of %s", p.Subject, rateText(*p.Speed), rateText(*p.SpeedMax))})
	}
	if len(ports) == 0 {
		c.Missing = append(c.Missing, "the negotiated speed of the ports on the path (show interfaces, ethtool)")
	}
	c.Summary = fmt.Sprintf("A link on the path runs at %s although it should run faster: %s.", l.name, ratesText(runs))
	c.Next = []string{"Read the negotiated speed at both ends; where it is " + l.name + ", change the cable (all four pairs are needed for 1 Gbit/s), then the port, and set both ends to autonegotiation."}
	e.add(c, Holds)
}

func ratesText(runs []Run) string {
	var out []string
	for _, r := range runs {
		if t := rateText(r.Rate); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return list(out)
}

func verb(runs []Run, one, many string) string {
	if len(runs) == 1 {
		return one
	}
	return many
}

// sentence makes the first letter a capital.
func sentence(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
