package rules

import (
	"fmt"
	"math"
	"slices"

	"whydrop/correlate/timeline"
)

const (
	// near is how far the rates of two runs may lie apart that are limited by the same thing.
	near = 0.15
	// slow is the share of what TCP carries of the line below which something limits that is not the line.
	slow = 0.8
	// faster is how much more another pair of hosts must reach to clear the path.
	faster = 1.5
	// busyCore is the share of one core from which a host's CPU is the limit: iperf3 before 3.16 runs in one thread.
	busyCore = 0.9
)

// hosts looks for runs that an end limits: the same rate with and without a switch, ports that counted nothing,
// other hosts that reach more over the same devices, a core that is full.
func (e *pasted) hosts() {
	e.between()
	for _, group := range byServer(e.slowRuns()) {
		e.host(group)
	}
}

// between looks for runs that are far faster over a direct cable: what lies in between is the limit.
func (e *pasted) between() {
	for _, t := range e.Runs {
		for _, d := range e.Runs {
			if t.Protocol != "tcp" || d.Protocol != "tcp" || d.Medium != MediumDirect || t.Medium == MediumDirect || e.explained[t.Name] || t.Rate <= 0 || t.paced() ||
				d.Server != t.Server || d.Rate < faster*t.Rate || !t.limitWindow().same(d.limitWindow()) && t.limitWindow() != d.limitWindow() {
				continue
			}
			c := newClaim("silent-drop", t.Subject, 0.3)
			c.Verdict, c.Confidence = CannotTell, 0.3
			c.Title = "What lies between the hosts is the limit, and nothing here tells what"
			c.Evidence = []Evidence{d.goodput(fmt.Sprintf("%s over a direct cable (%s), %s otherwise (%s)", rateText(d.Rate), d.Name, rateText(t.Rate), t.Name))}
			c.Against = []string{"host-limit, tcp-window: the same hosts reach more over a direct cable"}
			c.Missing = []string{"speed, duplex, errors and drops of the ports in between (show interfaces before and after a test)"}
			c.Summary = fmt.Sprintf("The hosts reach %s over a direct cable and %s through the network: the limit lies in between.", rateText(d.Rate), rateText(t.Rate))
			c.Next = []string{"Read show interfaces of every port in between before and after a test, then put the devices out of the way one after the other."}
			e.found = append(e.found, c.Diagnosis)
			e.explained[t.Name] = true
			break
		}
	}
}

// slowRuns returns the runs over TCP that are far below their line, or whose host is busy, and which no other
// finding explains.
func (e *pasted) slowRuns() []Run {
	var out []Run
	for _, r := range e.Runs {
		bits, _ := e.lineOf(r)
		busy := cpuOf(r) >= busyCore
		below := bits > 0 && r.Rate < slow*tcpShare*bits
		if r.Protocol == "tcp" && r.Rate > 0 && !e.explained[r.Name] && !r.paced() && (below || busy) {
			out = append(out, r)
		}
	}
	return out
}

// byServer groups runs to the same receiver, in the order of their first.
func byServer(runs []Run) [][]Run {
	var out [][]Run
	at := map[string]int{}
	for _, r := range runs {
		i, ok := at[r.Server]
		if !ok {
			i = len(out)
			at[r.Server] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

func cpuOf(r Run) float64 {
	busy := 0.0
	for _, v := range []*float64{r.SenderCPU, r.ReceiverCPU} {
		if v != nil {
			busy = max(busy, *v)
		}
	}
	return busy
}

func (e *pasted) host(runs []Run) {
	r := runs[0]
	subject := r.Subject
	if r.Server != "" {
		subject = timeline.Host(r.Server)
	}
	c := newClaim("host-limit", subject, 0.2)
	through, direct, paired := mediaPair(runs)
	if paired {
		c.say(0.35, direct.goodput(fmt.Sprintf("%s over a direct cable (%s), %s through the switch (%s): the switch makes no difference", rateText(direct.Rate), direct.Name, rateText(through.Rate), through.Name)))
	}
	e.clean(c, r, paired)
	more := e.others(c, runs)
	if i := slices.IndexFunc(runs, func(x Run) bool { return cpuOf(x) >= busyCore }); i >= 0 {
		r = runs[i]
		e.busy(c, r)
	}
	if spread := swings(runs); spread > 0.05 && c.total > 0.25 {
		c.say(0.05, r.goodput(fmt.Sprintf("the rate swings by %s from second to second, as a busy host's does", percentText(spread))))
	}
	if w := r.limitWindow(); w != nil && !e.sayWindow(c, runs, *w) && paired {
		c.but(0, fmt.Sprintf("tcp-window: the window of %s (%s) could limit, too; the round-trip time is missing to tell", w, r.Name))
	}
	for _, x := range runs {
		if x.Retransmits != nil && *x.Retransmits > 0 && x.Seconds > 0 && float64(*x.Retransmits)*1448*8 > 0.001*x.Rate*x.Seconds {
			c.but(0.2, fmt.Sprintf("host-limit: %d segments were sent again in %s; a busy host loses none", *x.Retransmits, x.Name))
			break
		}
	}
	if cpuOf(r) == 0 {
		c.Missing = append(c.Missing, "the load of both hosts during the test (one core full? disk? driver?), as top or the task manager shows it")
	}
	where := orWord(r.Server, "the receiver")
	c.Summary = fmt.Sprintf("The hosts are the limit, not the network: %s to %s %s %s%s.", runNames(runs), where, verb(runs, "reaches", "reach"), ratesText(runs), lineWords(e, r))
	c.Next = []string{
		fmt.Sprintf("Look at %s and its peer while the test runs: CPU of one core, network card and driver, disk, other programs; try another card or host on the same port.", where),
		"Repeat with several flows and with a window of 1 MiB (-P 4, -w 1M): if neither helps, it is the card or the machine.",
	}
	if !paired && !more && cpuOf(r) < busyCore {
		return // ports that counted nothing do not accuse a host
	}
	if e.add(c, Holds) {
		for _, x := range runs {
			e.explained[x.Name] = true
		}
	}
}

func lineWords(e *pasted, r Run) string {
	if bits, _ := e.lineOf(r); bits > 0 {
		return fmt.Sprintf(" of the %s that a line of %s carries", rateText(bits*tcpShare), rateText(bits))
	}
	return ""
}

// mediaPair finds a run over a direct cable and one through a switch with the same rate.
func mediaPair(runs []Run) (through, direct Run, ok bool) {
	for _, d := range runs {
		if d.Medium != MediumDirect {
			continue
		}
		for _, t := range runs {
			if t.Medium != MediumDirect && math.Abs(t.Rate-d.Rate) <= near*math.Max(t.Rate, d.Rate) && t.Name != d.Name {
				return t, d, true
			}
		}
	}
	return Run{}, Run{}, false
}

// clean says that the ports that are shown counted nothing and run at the line's rate.
func (e *pasted) clean(c *claim, r Run, paired bool) {
	bits, _ := e.lineOf(r)
	var names []string
	for _, p := range e.Ports {
		if !p.clean() || p.Speed != nil && *p.Speed < bits {
			return
		}
		if n := p.Subject.String(); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		if paired {
			c.Missing = append(c.Missing, "show interfaces of the switch ports between the hosts")
		}
		return
	}
	p := e.Ports[0]
	c.say(0.15, Evidence{Source: p.Source, Subject: p.Subject, Metric: string(timeline.InErrors), Text: fmt.Sprintf("%s counted no errors and no drops, and %s at full duplex", list(names), verbs(len(names), "runs", "run"))})
}

func verbs(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// troubles are the counters that a port with trouble counts in.
var troubles = []timeline.Metric{timeline.InErrors, timeline.OutErrors, timeline.InFCS, timeline.InDrops, timeline.OutDrops, timeline.InRunts, timeline.InGiants,
	timeline.InOverrun, timeline.LateCollisions, timeline.Collisions, timeline.InAlignment}

// clean says whether the port was read and nothing on it is wrong: a total of 0 is 0 over any time.
func (p PortView) clean() bool {
	if p.HalfDuplex == nil || *p.HalfDuplex || p.Oper == nil || !*p.Oper {
		return false
	}
	read := 0
	for _, m := range troubles {
		v, ok := p.Counts[m]
		if !ok {
			v, ok = p.Totals[m]
		}
		if ok && v > 0 {
			return false
		}
		if ok {
			read++
		}
	}
	return read >= 4
}

// others compares with runs between other hosts over the same devices.
func (e *pasted) others(c *claim, runs []Run) bool {
	best := Run{}
	for _, o := range e.Runs {
		if o.Protocol == "tcp" && o.Server != runs[0].Server && o.Server != "" && o.Medium != MediumDirect && o.Rate > best.Rate {
			best = o
		}
	}
	r := fastest(runs)
	if best.Rate < faster*r.Rate {
		return false
	}
	c.say(0.15, best.goodput(fmt.Sprintf("other hosts reach more over the same network: %s in %s", rateText(best.Rate), best.Name)))
	return true
}

func fastest(runs []Run) Run {
	return slices.MaxFunc(runs, func(a, b Run) int { return compareFloat(a.Rate, b.Rate) })
}

// sayWindow says that others reach more with the same window, so that the window is not the limit.
func (e *pasted) sayWindow(c *claim, runs []Run, w Window) bool {
	r := fastest(runs)
	for _, o := range e.Runs {
		if o.Protocol == "tcp" && o.Server != r.Server && o.Rate >= faster*r.Rate && o.limitWindow().same(&w) && max(1, o.Streams) == max(1, r.Streams) {
			c.total += 0.1
			c.Against = append(c.Against, fmt.Sprintf("tcp-window: %s reached %s with the same window (%s), so the window does not limit %s to %s", o.Name, rateText(o.Rate), o.limitWindow(), runNames(runs), ratesText(runs)))
			return true
		}
	}
	return false
}

func (e *pasted) busy(c *claim, r Run) {
	for _, end := range []struct {
		who string
		cpu *float64
	}{{"sender", r.SenderCPU}, {"receiver", r.ReceiverCPU}} {
		if end.cpu == nil || *end.cpu < busyCore {
			continue
		}
		c.say(0.4, r.figure(timeline.HostProcessCPU, *end.cpu, fmt.Sprintf("iperf took %s of a core at the %s in %s", percentText(*end.cpu), end.who, r.Name)))
		host := r.Server
		if end.who == "sender" {
			host = r.Client
		}
		if host != "" {
			c.Subject = timeline.Host(host)
		}
		if r.Retransmits != nil && *r.Retransmits == 0 {
			c.say(0.1, r.figure(timeline.TCPRetransmits, 0, "no segment was sent again"))
		}
	}
}

// swings returns the median of how much the rates swing.
func swings(runs []Run) float64 {
	var v []float64
	for _, r := range runs {
		if r.Spread != nil {
			v = append(v, *r.Spread)
		}
	}
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}
