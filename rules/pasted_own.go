package rules

import (
	"fmt"
	"regexp"
	"slices"

	"whydrop/correlate/timeline"
)

// HostView is what a text shows of a host's own counters.
type HostView struct {
	Subject timeline.Subject
	Source  string
	Counts  map[timeline.Metric]float64 // counted between two readings
	Shares  map[timeline.Metric]float64 // the greatest that was shown, of the time
	Queues  []QueueView
	Said    []string // lines of its kernel's log
}

// QueueView is a queueing discipline of a host: what it did between two readings, or since it was made if there is one.
type QueueView struct {
	Port, Kind string
	Readings   int
	Packets    float64 // sent
	Dropped    float64
	Overlimits float64 // how often it had to wait before it sent
	Backlog    float64 // octets that wait in it
}

// Echo is what a ping summed up.
type Echo struct {
	Source  string
	Subject timeline.Subject // the path that its samples are about
	Host    string
	Loss    float64 // ratio
	RTT     float64 // seconds, mean; 0 if not known
	Spread  float64 // seconds, mean deviation; 0 if not known
	From    string  // of a trace: the hop from which on it is lost; "" if not known
}

// shapers are the queueing disciplines that hold traffic to a configured rate (tc(8)).
var shapers = []string{"htb", "tbf", "hfsc", "cake", "cbq"}

const (
	// waiting is the least that must stand in a queue for it to be one: a few full frames.
	waiting = 15000
	// someFrames is the least number of frames whose loss is worth a finding.
	someFrames = 5
)

// own looks at what hosts count of themselves.
func (e *pasted) own() {
	for _, p := range e.Ports {
		if p.Host {
			n := max(orZero(p.count(timeline.InOverrun)), orZero(p.count(timeline.InNoBuffer)))
			e.noRoom(timeline.Host(p.Subject.Device), p.Source, n, fmt.Sprintf("the receive ring of %s had no room for %s frames %s", p.Subject.Name, trim(n), p.Since), p.count(timeline.InPackets))
		}
	}
	for _, h := range e.Hosts {
		n := h.Counts[timeline.HostNICDrops]
		e.noRoom(h.Subject, h.Source, n, fmt.Sprintf("the kernel's input queue had no room for %s packets between the two readings", trim(n)), nan)
		for _, q := range h.Queues {
			e.shaped(h, q)
		}
		e.hung(h)
		e.waitsForDisk(h)
	}
}

// waitsForDisk: a host stands still for its disks.
func (e *pasted) waitsForDisk(h HostView) {
	const much = 0.3 // one of four cores all the time
	wait := h.Shares[timeline.HostIOWait]
	if _, lost := e.lossyRun(); lost || wait < much {
		return
	}
	c := newClaim("application-limit", h.Subject, 0.35)
	c.say(0.05, Evidence{Source: h.Source, Subject: h.Subject, Metric: string(timeline.HostIOWait), Value: &wait, Unit: "ratio", Text: fmt.Sprintf("its processors waited for disks %s of the time", percentText(wait))})
	for _, r := range e.Runs {
		if r.Protocol == "tcp" && r.Rate > 0 && (r.Retransmits == nil || *r.Retransmits == 0) && !r.paced() {
			c.say(0.05, r.goodput(fmt.Sprintf("%s carried %s and lost nothing", r.Name, rateText(r.Rate))))
			break
		}
	}
	c.Against = []string{"a disk that is waited for need not be the transfer's: another program of the host may read or write"}
	c.Missing = []string{"the same transfer from and to memory (iperf3): if it is fast, the path is not what is slow", "which disk is busy, and who uses it (iostat -x 1, iotop)"}
	c.Summary = fmt.Sprintf("%s waits for its disks %s of the time: what it sends or stores from there is no faster than they are, whatever the path can carry.", h.Subject.Name, percentText(wait))
	c.Next = []string{"Measure the path from memory to memory (iperf3), and the disk by itself (iostat -x 1 while the transfer runs; fio)."}
	e.add(c, Suspected)
}

// resentSegments: a host sends segments again, and nothing else was shown.
func (e *pasted) resentSegments(h HostView) {
	n, sent := h.Counts[timeline.TCPRetransmits], h.Counts[timeline.OutPackets]
	if n < someFrames || sent > 0 && n/sent < lossy {
		return
	}
	text := fmt.Sprintf("%s segments were sent again between the two readings", trim(n))
	if sent > 0 {
		text = fmt.Sprintf("%s of %s segments (%s) were sent again between the two readings", trim(n), trim(sent), percentText(n/sent))
	}
	c := newClaim("silent-drop", h.Subject, 0.3)
	c.Verdict, c.Confidence = CannotTell, 0.3
	c.Title = "Segments are sent again, and nothing here tells where they are lost"
	c.Evidence = []Evidence{{Source: h.Source, Subject: h.Subject, Metric: string(timeline.TCPRetransmits), Value: &n, Unit: "segments", Text: text}}
	c.Missing = []string{"which connections they are of: to all destinations, or to one (ss -ti, twice)", "errors and drops of the ports on the way for the same time (ethtool -S, show interfaces, twice)",
		"how long the time between the readings was, and how much was lost on the way (ping, mtr, a test with UDP)"}
	c.Summary = fmt.Sprintf("On %s %s. Loss, reordering or delay on any of its ways does that; a host's own counter does not tell on which.", h.Subject.Name, text)
	c.Next = []string{"See whose segments they are (ss -ti, sorted by retrans), then measure the way to that destination and read its ports before and after."}
	e.found = append(e.found, c.Diagnosis)
}

// noRoom: a host did not take in what its card received.
func (e *pasted) noRoom(host timeline.Subject, source string, n float64, text string, of float64) {
	if !(n >= someFrames) || n/(n+of) < 1e-5 {
		return
	}
	c := newClaim("host-limit", host, 0.35)
	c.say(0.15, Evidence{Source: source, Subject: host, Metric: string(timeline.HostNICDrops), Value: &n, Unit: "packets", Text: text})
	if of > 0 {
		c.say(0.05, Evidence{Source: source, Subject: host, Text: fmt.Sprintf("that is %s of what came: they arrived undamaged, and the host was too slow to take them", percentText(n/(n+of)))})
	}
	if r, ok := e.lossyRun(); ok {
		c.say(0.1, r)
	}
	c.Missing = []string{"the load of each core while it counts (mpstat -P ALL 1), and which core takes the card's interrupts"}
	c.Summary = fmt.Sprintf("On %s %s.", host.Name, text)
	c.Next = []string{"Enlarge the receive ring (ethtool -g, ethtool -G), spread the card's queues over more cores (RSS, RPS, irqbalance), and see whether the counter stands still."}
	e.add(c, Suspected)
}

// hangs are how drivers and the kernel say that a card stopped sending (net/sched/sch_generic.c, e1000e, igb, ixgbe, r8169).
var hangs = regexp.MustCompile(`(?i)Detected (?:Hardware Unit|Tx Unit) Hang|transmit queue \d+ timed out|Reset adapter unexpectedly|tx timeout|rtl_\w+_cond == \d`)

// hung: a host's own card stops, says its kernel.
func (e *pasted) hung(h HostView) {
	var said []string
	for _, l := range h.Said {
		if hangs.MatchString(l) {
			said = append(said, l)
		}
	}
	if len(said) == 0 {
		return
	}
	c := newClaim("bad-port", h.Subject, 0.4)
	c.say(0.1, Evidence{Source: h.Source, Subject: h.Subject, Text: said[0]})
	if len(said) > 1 {
		c.say(0.05, Evidence{Source: h.Source, Subject: h.Subject, Text: fmt.Sprintf("it says so %d times", len(said))})
	}
	c.Missing = []string{"whether another card, driver or firmware in the same place does it, too"}
	c.Summary = fmt.Sprintf("The network card of %s stops sending and is started anew by its driver; nothing passes meanwhile.", h.Subject.Name)
	c.Next = []string{"Update driver and firmware of the card, and switch its offloads (ethtool -K tso off gso off) and power saving (EEE, ASPM) off as an experiment; then change the card."}
	e.add(c, Suspected)
}

// shaped: a host holds what it sends to a configured rate.
func (e *pasted) shaped(h HostView, q QueueView) {
	if !slices.Contains(shapers, q.Kind) || q.Overlimits < someFrames {
		return
	}
	var stands float64 // in this queue, or in those below it on the same port
	for _, o := range h.Queues {
		if o.Port == q.Port {
			stands = max(stands, o.Backlog)
		}
	}
	if q.Dropped < someFrames && stands < waiting {
		return // it smoothed what it sent, and nothing waited long
	}
	where := h.Subject.Name
	if q.Port != "" {
		where += " " + q.Port
	}
	c := newClaim("shaper", h.Subject, 0.3)
	when := "between the two readings"
	if q.Readings < 2 {
		when = "since it was set up"
	}
	c.say(0.1, Evidence{Source: h.Source, Subject: h.Subject, Metric: string(timeline.HostQueue), Text: fmt.Sprintf("the queueing discipline %s of %s had to wait %s times %s", q.Kind, where, trim(q.Overlimits), when)})
	if stands >= waiting {
		c.say(0.1, Evidence{Source: h.Source, Subject: h.Subject, Metric: string(timeline.HostQueue), Value: &stands, Unit: "byte", Text: fmt.Sprintf("%s stand in its queue", sizeText(stands))})
	}
	if q.Dropped >= someFrames {
		c.say(0.1, Evidence{Source: h.Source, Subject: h.Subject, Metric: string(timeline.HostQueueDrops), Value: &q.Dropped, Unit: "packets", Text: fmt.Sprintf("it dropped %s packets %s", trim(q.Dropped), when)})
	}
	if q.Readings < 2 {
		c.but(0.1, "shaper: one reading tells nothing of now")
		c.Missing = append(c.Missing, "the same counters a minute later, during a test")
	}
	for _, r := range e.Runs {
		if r.Protocol == "tcp" && r.Rate > 0 && r.Retransmits != nil && *r.Retransmits == 0 && stands >= waiting {
			c.say(0.1, r.goodput(fmt.Sprintf("%s ran at %s and nothing was sent again: what exceeds the rate waits", r.Name, rateText(r.Rate))))
			break
		}
	}
	c.Missing = append(c.Missing, "the rate that is configured (tc class show, tc -d qdisc show) and the one that was ordered")
	c.Summary = fmt.Sprintf("%s shapes what it sends: its queue is longer than the rate that it is set to lets out.", where)
	c.Next = []string{"Compare the rate of the shaper with that of the line (tc -s class show), and raise it if the line carries more; where delay matters, put a short queue below it (fq_codel)."}
	e.add(c, Suspected)
}

// lossyEchoes: echoes were lost, and nothing that is shown tells where.
func (e *pasted) lossyEchoes() {
	const some = 0.005 // the share from which a loss is no accident of a single packet
	for _, p := range e.Echoes {
		if p.Loss < some {
			continue
		}
		c := newClaim("silent-drop", p.Subject, 0.25)
		c.Verdict, c.Confidence = CannotTell, 0.25
		c.Title = "Echoes are lost, and nothing here tells where"
		loss := p.Loss
		c.Evidence = []Evidence{{Source: p.Source, Subject: p.Subject, Metric: string(timeline.LossRoundTrip), Value: &loss, Unit: "ratio", Text: fmt.Sprintf("%s of the echoes%s were not answered", percentText(p.Loss), toHost(p.Host))}}
		if p.From != "" {
			c.Evidence = append(c.Evidence, Evidence{Source: p.Source, Subject: p.Subject, Text: fmt.Sprintf("they are lost from %s on: it, the link in front of it, or the way back from there", p.From)})
		}
		c.Missing = []string{"whether other traffic is lost as well: a device may answer only some echoes (iperf3, or a ping to what lies behind it)", "errors and drops of every port on the path, twice (show interfaces)"}
		c.Summary = fmt.Sprintf("%s of the echoes%s were not answered; the readings that would tell where are missing.", percentText(p.Loss), toHost(p.Host))
		c.Next = []string{"Ping each hop of the path, and what lies behind the last one, at the same time; read the counters of the ports on the path before and after."}
		e.found = append(e.found, c.Diagnosis)
		return
	}
}

func toHost(name string) string {
	if name == "" {
		return ""
	}
	return " to " + name
}
