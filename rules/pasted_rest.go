package rules

import (
	"fmt"
	"strings"

	"whydrop/correlate/timeline"
)

// rest says what is left that no finding explains: runs far below their line, stalls, and totals that may be old.
func (e *pasted) rest() {
	for _, r := range e.Runs {
		if r.Stalled > 0 {
			e.stalled(r)
		}
	}
	for _, f := range e.found {
		if f.Verdict != CannotTell {
			return
		}
	}
	for _, r := range e.Runs {
		bits, _ := e.lineOf(r)
		below := bits > 0 && r.Rate < slow*tcpShare*bits
		if r.Protocol == "tcp" && r.Rate > 0 && !e.explained[r.Name] && !r.paced() && (below || bits == 0) {
			e.unexplained(r, bits)
			return
		}
	}
	e.lossyEchoes()
	if len(e.found) == 0 {
		for _, h := range e.Hosts {
			e.resentSegments(h)
		}
	}
	for _, p := range e.Ports {
		if e.oldTotals(p) {
			return
		}
	}
}

// stalled: nothing arrived for a while within a run.
func (e *pasted) stalled(r Run) {
	if len(e.Events) > 0 && len(e.found) > 0 {
		return
	}
	c := newClaim("silent-drop", r.Subject, 0.3)
	c.Verdict, c.Confidence = CannotTell, 0.3
	c.Title = "The flow stood still, and nothing here tells why"
	c.Evidence = []Evidence{r.goodput(fmt.Sprintf("nothing arrived for %s of %s", secondsText(r.Stalled), r.Name))}
	c.Missing = []string{"the logs and counters of the devices on the path for that time (show logging, show interfaces, show spanning-tree detail)"}
	c.Summary = fmt.Sprintf("In %s nothing arrived for %s. The path was interrupted or an end stood still; no reading of a device tells which.", r.Name, secondsText(r.Stalled))
	c.Next = []string{"Collect show logging of the switches and firewalls on the path for that moment, or repeat with whydrop watch, which reads them meanwhile."}
	e.explained[r.Name] = true
	e.found = append(e.found, c.Diagnosis)
}

// unexplained: a rate by itself tells nothing.
func (e *pasted) unexplained(r Run, bits float64) {
	if share := r.resent(); share >= lossy {
		e.lossyTCP(r, share)
		return
	}
	c := newClaim("tcp-window", r.Subject, 0.2)
	c.Verdict, c.Confidence = CannotTell, 0.2
	c.Title = "A rate alone does not tell what limits it"
	text := fmt.Sprintf("%s reached %s", r.Name, rateText(r.Rate))
	if bits > 0 {
		text += fmt.Sprintf(", %s of what TCP carries over %s", percentText(r.Rate/(bits*tcpShare)), rateText(bits))
	}
	c.Evidence = []Evidence{r.goodput(text)}
	if w := r.heldWindow(); w != nil && r.RTT != nil && *r.RTT > 0 {
		c.Against = append(c.Against, fmt.Sprintf("tcp-window: %s per round trip of %s allow %s", w, secondsText(*r.RTT), rateText(w.Bytes*8 / *r.RTT * float64(max(1, r.Streams)))))
	} else if w == nil {
		c.Missing = append(c.Missing, "the window, and the round-trip time")
	} else {
		c.Missing = append(c.Missing, fmt.Sprintf("the round-trip time: %s with a window of %s would take %s", rateText(r.Rate), w, secondsText(w.Bytes*8/r.Rate*float64(max(1, r.Streams)))))
	}
	if r.Retransmits == nil {
		c.Missing = append(c.Missing, "how many segments were sent again (iperf3, iperf -e)")
	}
	c.Missing = append(c.Missing, "the load of both hosts", "speed, duplex, errors and drops of the ports on the path (show interfaces, twice)")
	c.Summary = text + ". A window, a host, a slower link or loss can do that; the readings that would tell them apart are missing."
	c.Next = []string{"Repeat with -P 4 (a window or a host shows), with -R (a direction shows), and with a larger window (-w 1M).", "Read show interfaces of the ports on the path before and after."}
	e.found = append(e.found, c.Diagnosis)
}

// lossy is the share of segments sent again from which loss, and no window, limits a flow.
const lossy = 0.001

// resent returns the share of the segments of a run that were sent again; 0 if that is not known.
func (r Run) resent() float64 {
	if r.Retransmits == nil || r.Rate <= 0 || r.Seconds <= 0 {
		return 0
	}
	const segment = 1448 * 8
	return float64(*r.Retransmits) / (r.Rate * r.Seconds / segment)
}

// lossyTCP: segments are lost, and no port says where.
func (e *pasted) lossyTCP(r Run, share float64) {
	c := newClaim("silent-drop", r.Subject, 0.3)
	c.Verdict, c.Confidence = CannotTell, 0.3
	c.Title = "Segments are lost on the way, and nothing here tells where"
	c.Evidence = []Evidence{r.figure(timeline.TCPRetransmits, float64(*r.Retransmits)/r.Seconds, fmt.Sprintf("%d segments were sent again, some %s of all, at %s", *r.Retransmits, percentText(share), rateText(r.Rate)))}
	c.Against = []string{"tcp-window: a flow that its window limits loses nothing"}
	c.Missing = []string{"errors and drops of every port on the path for the time of the test (show interfaces before and after)", "a UDP test at half and at a quarter of that rate: corruption does not care about the rate, congestion does"}
	c.Summary = fmt.Sprintf("%s lost segments all along: some %s were sent again. A full queue, a policer or a bad link does that; the readings that would tell them apart are missing.", sentence(r.Name), percentText(share))
	c.Next = []string{"Read show interfaces of the ports on the path before and after a test: CRC, output drops, late collisions.", "Repeat with UDP at a low rate and note the loss."}
	e.found = append(e.found, c.Diagnosis)
}

// oldTotals: counters that are not 0, of unknown age.
func (e *pasted) oldTotals(p PortView) bool {
	var what []string
	for _, m := range troubles {
		if v := p.Totals[m]; v > 0 {
			d, _ := timeline.Describe(m)
			what = append(what, fmt.Sprintf("%s %s", trim(v), d.Name))
		}
	}
	if len(what) == 0 {
		return false
	}
	c := newClaim("bad-cable", p.Subject, 0.2)
	c.Verdict, c.Confidence = CannotTell, 0.2
	c.Title = "Counters of unknown age tell nothing about now"
	c.Evidence = []Evidence{{Source: p.Source, Subject: p.Subject, Text: fmt.Sprintf("%s has counted %s since they were last cleared", p.Subject, strings.Join(what, ", "))}}
	c.Missing = []string{fmt.Sprintf("a second show interfaces of %s some minutes later: only what is counted in between is about now", p.Subject)}
	c.Summary = fmt.Sprintf("%s, which may be years old.", c.Evidence[0].Text)
	c.Next = []string{"Run show interfaces again some minutes later, or clear counters before, and analyze both."}
	e.found = append(e.found, c.Diagnosis)
	return true
}
