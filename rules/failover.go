package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// tookOver are the causes in which something takes over from something else: their interruptions are taken apart.
var tookOver = []string{"stp-reconvergence", "firewall-failover", "gateway-failover", "stale-arp-fdb", "stack-member-loss", "device-reboot", "port-flap", "stp-guard-block"}

// remedies say what shortens each term of a failover.
var remedies = map[correlate.Term]string{
	correlate.TermDetection:  "let faults be noticed sooner: loss of carrier on both ends instead of missing hellos (UDLD, BFD, link-state tracking), shorter hello and hold times",
	correlate.TermForwarding: "let ports forward sooner: RSTP or MSTP on every bridge (one that speaks 802.1D waits twice its forward delay), point-to-point links, edge ports (portfast) where hosts are",
	correlate.TermRole:       "let the other unit take over sooner: shorter poll and hold times of the redundant pair, interface monitoring, no preemption back",
	correlate.TermRelearning: "let the new place be learned sooner: gratuitous ARP by the unit that takes over, a flush of MAC tables on topology change by every switch, shorter ARP times",
	correlate.TermState:      "keep the state of flows: session synchronisation between the units (stateful failover, session pick-up), or rules that let established flows in again",
	correlate.TermBackoff:    "nothing to repair by itself: TCP waits the longer the longer it was interrupted, so shorten what came before it",
}

// failovers takes the interruptions apart that belong to a chain in which something took over.
func (e *evaluation) failovers(chain []string, hits []correlate.Episode) (out []correlate.Failover) {
	if !slices.ContainsFunc(chain, func(id string) bool { return slices.Contains(tookOver, id) }) {
		return nil
	}
	for _, h := range hits {
		p, ok := e.topo.Path(h.Path)
		if !ok || h.Kind != correlate.Stall {
			continue
		}
		if f, ok := correlate.TakeApart(h.Incident, p, e.moves, e.changes); ok {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b correlate.Failover) int { return a.Span.From.Compare(b.Span.From) })
	return out
}

// Remedy says what a failover took longest for, and what shortens that; "" if nothing is known of it.
func Remedy(f correlate.Failover) string {
	worst := f.Worst()
	most, ok := worst.Largest()
	if !ok {
		return ""
	}
	who := "the " + strings.ReplaceAll(worst.Direction, timeline.Both, "two-way") + " outage"
	if worst.SeenBy == timeline.SeenByTCP {
		who = "the stall of the TCP flow"
	}
	words := make([]string, len(most.Terms))
	for i, t := range most.Terms {
		words[i] = string(t)
	}
	bound := ""
	if most.AtLeast {
		bound = "at least "
	}
	return fmt.Sprintf("Shorten what took longest, %s (%s%s of %s of %s): %s.", strings.Join(words, " and "), bound,
		secondsText(most.Span.Width().Seconds()), secondsText(worst.Span.Width().Seconds()), who, remedies[most.Terms[0]])
}

// worstFailover is the one that took longest.
func worstFailover(all []correlate.Failover) correlate.Failover {
	return slices.MaxFunc(all, func(a, b correlate.Failover) int { return cmp.Compare(a.Worst().Span.Width(), b.Worst().Span.Width()) })
}
