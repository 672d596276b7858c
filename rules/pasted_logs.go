package rules

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

const (
	// afterwards is how long after a link's loss a change of spanning tree, and after that of a firewall, counts as
	// its consequence.
	afterwards = 10 * time.Second
	// often is how many losses of carrier are no accident: FortiSwitch takes 5 in 30 s, HPE 3 to 10 in 10 s.
	often = 3
)

// logs looks at what logs tell by themselves.
func (e *pasted) logs() {
	var ports []timeline.Subject
	byPort := map[timeline.Subject][]timeline.Event{}
	for _, ev := range e.Events {
		if ev.Subject.Kind == timeline.KindPort {
			if byPort[ev.Subject] == nil {
				ports = append(ports, ev.Subject)
			}
			byPort[ev.Subject] = append(byPort[ev.Subject], ev)
		}
	}
	taken := map[int]bool{}
	for _, p := range ports {
		e.flaps(p, byPort[p], taken)
		e.mismatched(p, byPort[p])
		e.disabled(p, byPort[p])
	}
	e.moved(taken)
	e.looped()
	e.restarted()
}

func ofType(events []timeline.Event, t timeline.EventType, attr, value string) []timeline.Event {
	var out []timeline.Event
	for _, ev := range events {
		if ev.Type == t && (attr == "" || ev.Attrs[attr] == value) {
			out = append(out, ev)
		}
	}
	return out
}

func told(ev timeline.Event) Evidence {
	return Evidence{Source: ev.Origin.Collector, Subject: ev.Subject, Metric: string(ev.Type), Span: ev.Span, Text: ev.Text}
}

// flaps: a port lost its carrier.
func (e *pasted) flaps(p timeline.Subject, events []timeline.Event, taken map[int]bool) {
	downs := ofType(events, timeline.EventOper, "to", "down")
	if len(downs) == 0 {
		return
	}
	c := newClaim("port-flap", p, 0.35)
	first, last := downs[0], downs[len(downs)-1]
	c.say(0.1, told(first))
	window := last.Span.Mid().Sub(first.Span.Mid())
	if len(downs) >= often {
		c.say(0.3, Evidence{Source: first.Origin.Collector, Subject: p, Metric: string(timeline.EventOper), Span: first.Span.Union(last.Span), Text: fmt.Sprintf("it went down %d times%s", len(downs), within(window))})
	} else if len(downs) == 2 {
		c.say(0.15, told(last))
	}
	c.Events, c.Span = append(c.Events, downs...), first.Span.Union(last.Span)
	what := fmt.Sprintf("%s lost its carrier", p)
	if len(downs) > 1 {
		what += fmt.Sprintf(" %d times%s", len(downs), within(window))
	}
	c.Summary = what + "."
	e.follow(c, downs, taken)
	if len(e.Runs) == 0 {
		c.Missing = append(c.Missing, "whether traffic that matters goes through that port, and what a probe saw at those times")
	}
	c.Missing = append(c.Missing, fmt.Sprintf("the far end of the link at %s: its log at the same times", p))
	c.Next = []string{fmt.Sprintf("Reseat and change the cable or transceiver at %s, then look at the device at its other end: its power, its own log.", p)}
	e.add(c, Holds)
}

// within says how long several lines of a log took, unless they give no time.
func within(d time.Duration) string {
	if d = d.Round(time.Second); d > 0 {
		return " within " + d.String()
	}
	return ""
}

// follow adds what came shortly after: spanning tree, then a firewall's change of roles.
func (e *pasted) follow(c *claim, causes []timeline.Event, taken map[int]bool) {
	for _, step := range []struct {
		id    string
		types []timeline.EventType
		say   string
	}{
		{"stp-reconvergence", []timeline.EventType{timeline.EventTopologyChange, timeline.EventSTPState, timeline.EventSTPRole, timeline.EventRootPort, timeline.EventRootBridge}, "Spanning tree changed with it."},
		{"firewall-failover", []timeline.EventType{timeline.EventFailover, timeline.EventGateway}, "A redundant unit took over after that."},
	} {
		var after []timeline.Event
		for i, ev := range e.Events {
			if slices.Contains(step.types, ev.Type) && slices.ContainsFunc(causes, func(d timeline.Event) bool {
				gap := ev.Span.Mid().Sub(d.Span.Mid())
				return gap >= -time.Second && gap <= afterwards
			}) {
				after, taken[i] = append(after, ev), true
			}
		}
		if len(after) == 0 {
			continue
		}
		c.Chain = append(c.Chain, step.id)
		c.say(0.05, told(after[0]))
		c.Events = append(c.Events, after...)
		c.Summary += " " + step.say
		causes = after
	}
}

// gatewayCode tells the messages of redundant gateways from those of firewalls.
var gatewayCode = regexp.MustCompile(`%(HSRP|VRRP|STANDBY|GLBP)`)

// moved: spanning tree or a redundant pair changed without a link that went down.
func (e *pasted) moved(taken map[int]bool) {
	var stp, ha []timeline.Event
	for i, ev := range e.Events {
		switch {
		case taken[i]:
		case ev.Type == timeline.EventFailover, ev.Type == timeline.EventGateway:
			ha = append(ha, ev)
		case ev.Type == timeline.EventTopologyChange, ev.Type == timeline.EventRootPort, ev.Type == timeline.EventRootBridge,
			ev.Type == timeline.EventSTPRole, ev.Type == timeline.EventSTPState && ev.Attrs["to"] == "forwarding":
			stp = append(stp, ev)
		}
	}
	if len(stp) > 0 {
		c := newClaim("stp-reconvergence", stp[0].Subject, 0.35)
		c.say(0.1, told(stp[0]))
		c.Events, c.Span = stp, stp[0].Span.Union(stp[len(stp)-1].Span)
		c.Summary = fmt.Sprintf("Spanning tree changed %d times by the log of %s.", len(stp), stp[0].Subject.Device)
		taken = map[int]bool{}
		e.follow(c, stp, taken)
		c.Missing = []string{"what changed: the port the change came from (show spanning-tree detail), and whether the path was interrupted then"}
		c.Next = []string{"Find the port that the topology change came from (show spanning-tree detail | include from), and make ports to hosts edge ports."}
		e.add(c, Suspected)
		if len(c.Chain) > 1 {
			ha = nil
		}
	}
	if len(ha) > 0 {
		id := "firewall-failover"
		if gatewayCode.MatchString(ha[0].Text) {
			id = "gateway-failover"
		}
		c := newClaim(id, ha[0].Subject, 0.4)
		if id == "gateway-failover" {
			c.Title = "A gateway took over or gave up (HSRP, VRRP)"
		}
		c.say(0.15, told(ha[0]))
		c.Events, c.Span = ha, ha[0].Span.Union(ha[len(ha)-1].Span)
		c.Summary = fmt.Sprintf("%s changed its role to %s.", ha[0].Subject.Device, ha[0].Attrs["to"])
		c.Missing = []string{"why: what its peer and its links say of the same moment", "how long traffic was interrupted (a probe)"}
		c.Next = []string{"Read the reason of the failover on both units (show failover history), and check that the state is replicated."}
		e.add(c, Suspected)
	}
}

// looped: many addresses go to and fro between two ports, or few very fast.
func (e *pasted) looped() {
	type pair struct{ device, ports string }
	var order []pair
	pairs := map[pair][]timeline.Event{}
	for _, ev := range e.Events {
		if ev.Type != timeline.EventMACMove {
			continue
		}
		ports := []string{ev.Attrs["from"], ev.Attrs["to"]}
		slices.Sort(ports)
		key := pair{ev.Device, list(ports)}
		if pairs[key] == nil {
			order = append(order, key)
		}
		pairs[key] = append(pairs[key], ev)
	}
	for _, key := range order {
		moves := pairs[key]
		macs := map[string]bool{}
		for _, ev := range moves {
			macs[ev.Attrs["mac"]] = true
		}
		first, last := moves[0], moves[len(moves)-1]
		c := newClaim("l2-loop", timeline.Device(first.Device), 0.3)
		if float64(len(macs)) < c.limit("many", 5) && float64(len(moves)) < c.limit("fast", 6) {
			continue
		}
		c.say(0.1, told(first))
		c.say(0.15, Evidence{Source: first.Origin.Collector, Subject: c.Subject, Metric: string(timeline.EventMACMove), Span: first.Span.Union(last.Span),
			Text: fmt.Sprintf("%s moved between %s %s%s", Plural(len(macs), "address"), key.ports, Plural(len(moves), "time"), within(last.Span.Mid().Sub(first.Span.Mid())))})
		c.Events, c.Span = moves, first.Span.Union(last.Span)
		c.Missing = []string{"broadcasts received by both ports, and what storm control says", "what is plugged in behind both ports"}
		c.Summary = fmt.Sprintf("%s learns the same addresses now on one port, now on the other (%s): frames go round between them.", first.Device, key.ports)
		c.Next = []string{fmt.Sprintf("Shut one of the two ports (%s) and see whether the messages end; then find the cable that joins them.", key.ports)}
		e.add(c, Suspected)
	}
}

// mismatched: the device says that its neighbour's duplex differs.
func (e *pasted) mismatched(p timeline.Subject, events []timeline.Event) {
	said := ofType(events, timeline.EventDuplexMismatch, "", "")
	if len(said) == 0 {
		return
	}
	c := newClaim("duplex-mismatch", p, 0.55)
	c.say(0.1, told(said[0]))
	if len(said) > 1 {
		c.say(0.1, Evidence{Source: said[0].Origin.Collector, Subject: p, Metric: string(timeline.EventDuplexMismatch), Text: fmt.Sprintf("it says so %d times", len(said))})
	}
	for _, v := range e.Ports {
		if v.Subject == p && v.HalfDuplex != nil && *v.HalfDuplex {
			c.say(0.15, Evidence{Source: v.Source, Subject: p, Metric: string(timeline.HalfDuplex), Text: fmt.Sprintf("%s runs at half duplex", p)})
		}
	}
	c.Events = said
	c.Missing = []string{"late collisions at the half-duplex end and CRC errors at the other, between two snapshots"}
	c.Summary = fmt.Sprintf("%s reports that its neighbour has another duplex. Traffic in both directions at once collides.", p)
	c.Next = []string{"Set both ends of that link to autonegotiation, or both to the same speed and duplex."}
	e.add(c, Holds)
}

// disabled: the device switched a port off.
func (e *pasted) disabled(p timeline.Subject, events []timeline.Event) {
	for _, ev := range events {
		if ev.Type != timeline.EventErrDisabled || ev.Attrs["to"] != "disabled" {
			continue
		}
		c := newClaim("err-disabled", p, 0.7)
		c.Title = "A device switched a port off for its own protection"
		c.say(0.1, told(ev))
		c.Events, c.Span = []timeline.Event{ev}, ev.Span
		c.Summary = fmt.Sprintf("%s was switched off by its device: %s", p, ev.Text)
		c.Next = []string{"Remove the cause that the message names, then shut and no shut the port (show errdisable recovery)."}
		e.add(c, Holds)
		return
	}
}

// restarted: a device began anew.
func (e *pasted) restarted() {
	for _, ev := range e.Events {
		if ev.Type != timeline.EventRestart && !(ev.Type == timeline.EventSyslog && ev.Attrs["facility"] == "SYS" && ev.Attrs["mnemonic"] == "RESTART") {
			continue
		}
		c := newClaim("device-reboot", timeline.Device(ev.Subject.Device), 0.7)
		c.Title = "A device restarted"
		c.say(0.1, told(ev))
		c.Events, c.Span = []timeline.Event{ev}, ev.Span
		c.Summary = fmt.Sprintf("%s restarted.", ev.Subject.Device)
		c.Missing = []string{"why it restarted (show version: system returned to ROM by)"}
		c.Next = []string{"Read why it restarted (show version, crashinfo), and its power."}
		e.add(c, Holds)
		return
	}
}
