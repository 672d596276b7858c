package rules

import (
	"fmt"
	"math"
	"slices"

	"whydrop/correlate/timeline"
)

const (
	// fewLost is the share of lost datagrams up to which a receiver's buffer is the first suspect.
	fewLost = 0.02
	// quickly is how soon a socket buffer must run full for a short pause of the receiver to lose datagrams: the
	// time for which a busy system lets a program wait.
	quickly = 0.010
	// noticeable is the least share of lost datagrams that is worth a finding, and several the least number.
	noticeable = 1e-4
	several    = 5
	// fast is the rate from which a receiver's socket buffer is suspected although its size is not known.
	fast = 100e6
)

// datagrams looks at runs over UDP that lost some.
func (e *pasted) datagrams() {
	e.plateau()
	for _, r := range e.Runs {
		if r.Overran {
			e.counterRanOver(r)
		}
		if r.Protocol != "udp" || r.Lost == nil || r.Total == nil || *r.Total <= 0 || *r.Lost < several || e.explained[r.Name] {
			continue
		}
		share := float64(*r.Lost) / float64(*r.Total)
		if share < noticeable {
			continue
		}
		e.explained[r.Name] = true
		if e.enlarged(r, share) || e.portsLost(r, share) {
			continue
		}
		if (share <= fewLost && r.sentRate() >= fast || e.smallBuffer(r)) && !e.ceilingOf(r, share) {
			e.socketBuffer(r, share)
		} else {
			e.lostSomewhere(r, share)
		}
	}
}

// counterRanOver tells that a run's figures of loss cannot be from some line on.
func (e *pasted) counterRanOver(r Run) {
	c := newClaim("tester-artefact", r.Subject, 0.6)
	c.Title = "A counter of the program ran over"
	c.say(0.1, Evidence{Source: r.Source, Subject: r.Subject, Text: "a line counts more lost datagrams than were sent, or fewer than none"})
	c.Missing = []string{"the same test with fewer datagrams (larger ones, or for a shorter time)"}
	c.Summary = "From some line on the loss that is printed cannot be: the program's counter of datagrams ran over (iperf3 counts them in 32 bits unless told --udp-counters-64bit). What it printed before that line stands."
	c.Next = []string{"Repeat with --udp-counters-64bit, larger datagrams or shorter tests."}
	e.add(c, Suspected)
}

// plateau looks for runs of which no more than one rate arrives, whatever is sent: a ceiling on the path.
func (e *pasted) plateau() {
	for i, a := range e.Runs {
		if !e.overflows(a) {
			continue
		}
		group := []Run{a}
		for _, b := range e.Runs[i+1:] {
			if e.overflows(b) && b.Server == a.Server && math.Abs(b.Rate-a.Rate) <= near*a.Rate {
				group = append(group, b)
			}
		}
		least := slices.MinFunc(group, func(x, y Run) int { return compareFloat(x.sentRate(), y.sentRate()) })
		most := slices.MaxFunc(group, func(x, y Run) int { return compareFloat(x.sentRate(), y.sentRate()) })
		if len(group) < 2 || most.sentRate() < 1.2*least.sentRate() {
			continue
		}
		c := newClaim("policer", a.Subject, 0.3)
		c.Title = "Something on the path lets no more than a certain rate through"
		c.say(0.25, most.goodput(fmt.Sprintf("%s arrived of %s sent, and %s of %s: no more than that comes through", rateText(least.Rate), rateText(least.sentRate()), rateText(most.Rate), rateText(most.sentRate()))))
		for _, r := range e.Runs {
			if r.Protocol == "udp" && r.Server == a.Server && r.Lost != nil && r.Total != nil && *r.Total > 0 && float64(*r.Lost) <= 0.001*float64(*r.Total) && r.sentRate() < 1.02*least.Rate {
				c.say(0.1, r.goodput(fmt.Sprintf("below it nothing is lost: %s of %s arrived", rateText(r.Rate), rateText(r.sentRate()))))
				break
			}
		}
		c.Against = []string{"shaper, oversubscription: a queue in front of the same ceiling makes the delay grow before it loses; a policer does not"}
		c.Missing = []string{"the round-trip time while it loses: grown, it is a shaper or a full queue; not grown, a policer", "the rate that was ordered, and the limits configured on the path"}
		c.Summary = fmt.Sprintf("No more than about %s comes through, whatever is sent: a policer, a shaper or a slower link limits the path.", rateText(a.Rate))
		c.Next = []string{"Ask for the rate that was ordered, and look for policers and shapers on the path (show policy-map interface); ping during a test to tell them apart."}
		for _, r := range group {
			e.explained[r.Name] = true
		}
		e.add(c, Suspected)
	}
}

// overflows says whether a run lost so much that a ceiling may have cut it.
func (e *pasted) overflows(r Run) bool {
	if r.Protocol != "udp" || r.Lost == nil || r.Total == nil || *r.Total <= 0 || e.explained[r.Name] {
		return false
	}
	return float64(*r.Lost) >= 0.02*float64(*r.Total) && r.Rate > 0
}

// smallBuffer says whether the buffer runs full within quickly at the rate sent.
func (e *pasted) smallBuffer(r Run) bool {
	w := r.buffer()
	return w != nil && r.sentRate() > 0 && w.Bytes*8/r.sentRate() <= quickly
}

// buffer returns the receiver's socket buffer where it is known, else that of the end that printed.
func (r Run) buffer() *Window {
	if r.ServerWindow != nil {
		return r.ServerWindow
	}
	return r.Window
}

func (r Run) sentRate() float64 {
	if r.Sent != nil {
		return *r.Sent
	}
	return r.Rate
}

// ceilingOf says whether the loss is what does not fit through something: much was lost and the rest is far
// below what was sent.
func (e *pasted) ceilingOf(r Run, share float64) bool {
	return share > 0.05 && r.sentRate() < fast
}

func lossText(r Run, share float64) string {
	return fmt.Sprintf("%d of %d datagrams were lost (%s) at %s", *r.Lost, *r.Total, percentText(share), rateText(r.sentRate()))
}

func (r Run) loss(share float64, text string) Evidence {
	return r.figure(timeline.LossForward, share, text)
}

// socketBuffer suspects the receiver's own buffer.
func (e *pasted) socketBuffer(r Run, share float64) {
	c := newClaim("receiver-socket-buffer", r.Subject, 0.25)
	if r.Server != "" {
		c.Subject = timeline.Host(r.Server)
	}
	c.say(0.1, r.loss(share, lossText(r, share)))
	if w := r.buffer(); w != nil && r.sentRate() > 0 {
		fill := w.Bytes * 8 / r.sentRate()
		if fill <= quickly {
			c.say(0.15, Evidence{Source: r.Source, Subject: r.Subject, Text: fmt.Sprintf("a UDP buffer of %s runs full in %s at that rate: the receiver need only be away for so long", w, secondsText(fill))})
		}
	}
	for _, o := range e.Runs {
		if o.Protocol == "tcp" && o.Rate >= r.sentRate() && (o.Server == r.Server || o.Server == r.Client) {
			c.say(0.15, o.goodput(fmt.Sprintf("the same path carries more without trouble: %s over TCP in %s", rateText(o.Rate), o.Name)))
			break
		}
	}
	if n := e.cleanPorts(); n != "" {
		c.say(0.1, Evidence{Text: n + " counted no errors and no drops"})
	} else {
		c.Missing = append(c.Missing, "drops and errors of the ports in between, for the time of the test (show interfaces before and after)")
	}
	c.Missing = append([]string{"the receiver's own count of datagrams it had no room for (netstat -su or nstat: RcvbufErrors; /proc/net/udp: drops)"}, c.Missing...)
	c.Against = append(c.Against, "oversubscription, bad-cable: no reading of a device on the path speaks for either; the loss alone blames none")
	c.Summary = fmt.Sprintf("%s, and the same path is not full: most likely the receiver's socket buffer overran. No device is blamed.", sentence(lossText(r, share)))
	c.Next = []string{"Repeat with a larger buffer at the receiver (iperf -s -u -w 4M, net.core.rmem_max): if the loss goes away, it was the buffer.", "Read RcvbufErrors at the receiver before and after."}
	e.add(c, Suspected)
}

func (e *pasted) cleanPorts() string {
	var names []string
	for _, p := range e.Ports {
		if !p.clean() {
			return ""
		}
		names = append(names, p.Subject.String())
	}
	if len(names) == 0 {
		return ""
	}
	return list(names)
}

// enlarged looks for a run like this one that lost far less with a larger buffer.
func (e *pasted) enlarged(r Run, share float64) bool {
	for _, o := range e.Runs {
		if o.Protocol != "udp" || o.Total == nil || o.Lost == nil || *o.Total <= 0 || o.Server != r.Server || o.buffer() == nil || r.buffer() == nil ||
			o.buffer().Bytes < 1.5*r.buffer().Bytes || o.sentRate() < 0.9*r.sentRate() || float64(*o.Lost)/float64(*o.Total) > 0.2*share {
			continue
		}
		c := newClaim("receiver-socket-buffer", r.Subject, 0.4)
		if r.Server != "" {
			c.Subject = timeline.Host(r.Server)
		}
		c.say(0.15, r.loss(share, fmt.Sprintf("with a buffer of %s: %s", sizeText(r.buffer().Bytes), lossText(r, share))))
		after := float64(*o.Lost) / float64(*o.Total)
		c.say(0.25, o.loss(after, fmt.Sprintf("with a buffer of %s: %s", sizeText(o.buffer().Bytes), lossText(o, after))))
		c.Summary = fmt.Sprintf("The receiver's socket buffer overran: with %s instead of %s the loss fell from %s to %s.", sizeText(o.buffer().Bytes), sizeText(r.buffer().Bytes), percentText(share), percentText(after))
		c.Next = []string{"Leave the receiver the larger buffer (net.core.rmem_max, SO_RCVBUF)."}
		return e.add(c, Holds)
	}
	return false
}

// portsLost says whether ports that are shown counted lost frames: then the loss is theirs, and their finding says so.
func (e *pasted) portsLost(r Run, share float64) bool {
	for _, p := range e.Ports {
		if p.Counts[timeline.InFCS] > 0 || p.Counts[timeline.OutDrops] > 0 || p.Counts[timeline.InErrors] > 0 || p.Counts[timeline.InDrops] > 0 {
			return true
		}
	}
	return false
}

// lostSomewhere says that datagrams were lost and nothing tells where.
func (e *pasted) lostSomewhere(r Run, share float64) {
	c := newClaim("silent-drop", r.Subject, 0.3)
	c.Verdict, c.Confidence = CannotTell, 0.3
	c.Title = "Datagrams were lost, and nothing here tells where"
	c.Evidence = []Evidence{r.loss(share, lossText(r, share))}
	c.Missing = []string{"drops and errors of every port on the path for the time of the test (show interfaces before and after)", "the same test at half the rate: congestion and policers depend on it, corruption does not", "the receiver's RcvbufErrors"}
	c.Against = []string{"receiver-socket-buffer: at " + rateText(r.sentRate()) + " a socket buffer does not overrun by so much"}
	c.Summary = fmt.Sprintf("%s. Congestion, a policer, a bad cable or the receiver can do that; the readings that would tell are missing.", sentence(lossText(r, share)))
	c.Next = []string{"Repeat at half and at a quarter of the rate, and note the loss.", "Read show interfaces of the ports on the path before and after."}
	e.found = append(e.found, c.Diagnosis)
}
