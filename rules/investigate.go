package rules

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// outcomes says how an experiment comes out if a cause is at work, in words: two causes whose words differ are told
// apart by it. A cause that an experiment does not name leaves its outcome as it would be on a sound path.
var outcomes = map[string]map[string]string{
	"direction": {
		"bad-cable": "one direction loses", "optics-low-power": "one direction loses", "bad-port": "one direction loses", "intermittent-contact": "one direction loses in clusters",
		"duplex-mismatch": "far worse both ways at once", "half-duplex-segment": "both ways at once share one rate", "unidirectional-link": "one direction is dead",
		"asymmetric-routing": "one direction stalls after it began", "oversubscription": "the busy direction loses", "shaper": "one direction has a ceiling", "policer": "one direction loses above a rate",
		"wifi-hop": "both directions swing", "host-limit": "one host is slow in one direction", "lag-member": "some flows lose",
	},
	"rate": {
		"bad-cable": "as much is lost at every rate", "optics-low-power": "as much is lost at every rate", "bad-port": "as much is lost at every rate", "silent-drop": "as much is lost at every rate",
		"oversubscription": "loss above a rate, after the delay rose", "policer": "loss above a rate, while the delay did not rise", "shaper": "a ceiling, with delay and no loss below it",
		"receiver-socket-buffer": "the receiving host loses", "packet-rate-limit": "loss above a number of packets", "microburst": "no loss when paced", "shallow-buffer": "no loss when paced",
		"link-saturated": "the line is the ceiling", "qos-queue": "loss above a rate in one class",
	},
	"size": {
		"mtu-mismatch": "nothing above a size", "pmtu-blackhole": "nothing above a size, and nobody says so", "packet-rate-limit": "the same number of packets at every size",
		"bad-cable": "long frames are lost more", "optics-low-power": "long frames are lost more", "silent-drop": "the size does not matter", "policer": "bits are limited, not packets", "encapsulation-overhead": "a step at a size below 1500",
	},
	"mtu": {
		"mtu-mismatch": "a path MTU below the links'", "pmtu-blackhole": "a black hole at a size", "encapsulation-overhead": "a path MTU a header smaller",
	},
	"window": {
		"tcp-window": "the rate follows the window", "window-scaling-stripped": "no rate above 64 KiB in flight", "shallow-buffer": "larger windows lose", "host-limit": "the window does not matter", "shaper": "a ceiling that larger windows only delay", "oversubscription": "larger windows lose and wait",
	},
	"streams": {
		"tcp-window": "n flows carry n times one", "window-scaling-stripped": "n flows carry n times one", "host-limit": "more flows carry no more, or the other cores do", "lag-hash": "more flows carry more, up to several members",
		"lag-member": "some flows lose and others do not", "policer": "more flows carry no more", "shaper": "more flows carry no more", "shallow-buffer": "more flows carry more", "bad-cable": "more flows carry more", "optics-low-power": "more flows carry more", "silent-drop": "more flows carry more",
	},
	"pacing": {
		"microburst": "bursts lose, paced does not", "shallow-buffer": "bursts lose, paced does not", "sender-burst": "bursts lose, paced does not", "bad-cable": "paced loses as much", "optics-low-power": "paced loses as much",
		"silent-drop": "paced loses as much", "policer": "bursts pass up to the bucket", "oversubscription": "both lose",
	},
	"ports": {
		"lag-member": "some source ports lose, and always the same", "lag-hash": "all source ports pass, at unequal rates", "silent-drop": "all source ports lose alike", "bad-cable": "all source ports lose alike", "optics-low-power": "all source ports lose alike", "acl-block": "some ports never pass",
	},
	"connect": {
		"session-table-full": "new sessions fail, old ones go on", "firewall-failover": "old sessions fail, new ones pass", "acl-block": "new sessions never pass", "asymmetric-routing": "new sessions open and then stand", "silent-drop": "new and old lose alike",
	},
}

// Experiments returns the names of the experiments that tell causes apart, sorted. They are those of a probe's sweeps,
// and mtu (the path's MTU) and connect (a rate of new sessions).
func Experiments() []string { return slices.Sorted(maps.Keys(outcomes)) }

// Undecided returns the causes that still fit what was found, the likeliest first, as ids. One cause that holds is
// alone; nothing found is nil. Where the path suffers and no cause was found, every cause that an experiment would show
// fits.
func Undecided(found []Diagnosis, catalogue []Rule) []string {
	rule := map[string]*Rule{}
	for i := range catalogue {
		rule[catalogue[i].ID] = &catalogue[i]
	}
	var open []string
	add := func(id string) {
		if !slices.Contains(open, id) {
			open = append(open, id)
		}
	}
	residual := false
	for _, d := range found {
		r := rule[d.ID()]
		switch {
		case r != nil && r.Residual:
			residual = true
		case d.Verdict == Holds:
			return []string{d.ID()}
		}
	}
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b Diagnosis) int { return cmp.Compare(b.Confidence, a.Confidence) })
	for _, d := range sorted {
		add(d.ID())
		if r := rule[d.ID()]; r != nil && !r.Residual {
			for _, rival := range r.Rivals {
				add(rival)
			}
		}
	}
	if residual && len(open) <= 1 {
		for _, name := range Experiments() {
			for _, id := range slices.Sorted(maps.Keys(outcomes[name])) {
				add(id)
			}
		}
	}
	return open
}

// Trial is an experiment and what it would settle.
type Trial struct {
	Experiment string
	Apart      int    // how well it tells the open causes apart: two a pair of which it names both, one of which it names one
	Why        string // the outcomes that it would show, in words
}

// cheapest is the order of experiments that settle as much: what they put on the path, least first.
var cheapest = []string{"mtu", "ports", "connect", "direction", "pacing", "rate", "size", "streams", "window"}

// Trials returns the experiments that would tell some of the open causes apart, the one that does so best first. Those in
// done are left out.
func Trials(open, done []string) []Trial {
	var out []Trial
	for _, name := range cheapest {
		if slices.Contains(done, name) {
			continue
		}
		t := Trial{Experiment: name}
		groups := map[string][]string{} // by outcome
		for i, a := range open {
			x := outcomes[name][a]
			groups[x] = append(groups[x], a)
			for _, b := range open[:i] {
				switch y := outcomes[name][b]; {
				case x == y:
				case x != "" && y != "":
					t.Apart += 2
				default:
					t.Apart++
				}
			}
		}
		var why []string
		for _, outcome := range slices.Sorted(maps.Keys(groups)) {
			if outcome != "" {
				why = append(why, outcome+": "+strings.Join(groups[outcome], " or "))
			}
		}
		t.Why = strings.Join(why, "; ")
		if t.Apart > 0 {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b Trial) int { return cmp.Compare(b.Apart, a.Apart) })
	return out
}

// ByHand returns what a person must try where no experiment is left: the first steps of the open causes, likeliest
// first.
func ByHand(found []Diagnosis) []string {
	var out []string
	for _, d := range found {
		if len(d.Next) > 0 && !slices.Contains(out, d.Next[0]) {
			out = append(out, d.Next[0])
		}
	}
	return out
}
