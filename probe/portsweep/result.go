package portsweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

var log10Significant = math.Log10(significant)

// result counts what is known; packets that may still be answered do not count.
func (s *sweep) result() Result {
	r := Result{Started: s.started.Round(0).UTC(), Seconds: s.seconds, Rounds: s.rounds, Ports: s.ports}
	oldest := time.Now().Add(-answerTime)
	for i := range s.ports {
		p := &r.Ports[i]
		for n, at := range s.sent[i] {
			if !s.done[i][n] && at.After(oldest) {
				continue
			}
			p.Sent++
			if !s.done[i][n] {
				p.Lost++
			}
		}
		p.There, p.Back = s.ways(i)
		slices.Sort(p.times)
		if len(p.times) > 0 {
			p.RTT = p.times[len(p.times)/2]
		}
	}
	r.judge()
	return r
}

// ways tells the lost packets of a port apart by the far end's count, as far as it goes: up to its newest answer.
func (s *sweep) ways(i int) (there, back int) {
	a := s.last[i]
	if !a.counts || a.count > a.n { // it began anew
		return -1, -1
	}
	lost := 0
	for n := range a.n {
		if !s.done[i][n] {
			lost++
		}
	}
	there = min(a.n-a.count, lost)
	return there, lost - there
}

// judge finds the clusters.
func (r *Result) judge() {
	lost := make([]tally, len(r.Ports))
	for i, p := range r.Ports {
		lost[i] = tally{p.Sent, p.Lost}
	}
	r.Loss = r.cluster(lost)
	if r.LateIs = r.late(); r.LateIs == 0 {
		return
	}
	late := make([]tally, len(r.Ports))
	for i := range r.Ports {
		p := &r.Ports[i]
		for _, d := range p.times {
			if d > r.LateIs {
				p.Late++
			}
		}
		late[i] = tally{len(p.times), p.Late}
	}
	r.Delay = r.cluster(late)
}

func (r *Result) cluster(t []tally) Cluster {
	members, log10 := cluster(t)
	c := Cluster{Log10: log10}
	for _, i := range members {
		c.Ports = append(c.Ports, r.Ports[i].Number)
	}
	slices.Sort(c.Ports)
	return c
}

// late returns the time from which an answer is late: well beyond what most of them took. 0 means that there are too
// few to say.
func (r *Result) late() time.Duration {
	const least = 2 * time.Millisecond // timers and processors explain less
	var all []time.Duration
	for _, p := range r.Ports {
		all = append(all, p.times...)
	}
	if len(all) < minPorts {
		return 0
	}
	slices.Sort(all)
	// The lower quartile and its distance from the least: on a bad member may be more than half of the ports.
	quartile := all[len(all)/4]
	return quartile + max(least, 5*(quartile-all[0]))
}

// totals adds up the packets of some of the ports and of the others.
func (r Result) totals(ports []uint16) (in, out Port) {
	for _, p := range r.Ports {
		t := &out
		if slices.Contains(ports, p.Number) {
			t = &in
		}
		t.Sent, t.Lost, t.Late = t.Sent+p.Sent, t.Lost+p.Lost, t.Late+p.Late
		t.There, t.Back = t.There+max(p.There, 0), t.Back+max(p.Back, 0)
	}
	return in, out
}

// Meaning says in a few sentences what was found.
func (r Result) Meaning() string {
	_, all := r.totals(nil)
	switch {
	case all.Sent == 0:
		return "Nothing was sent."
	case all.Lost == all.Sent:
		return fmt.Sprintf("None of %d packets from %d source ports was answered: the path is dark for all of them.", all.Sent, len(r.Ports))
	case r.Loss.Found():
		return r.badMember(r.Loss, "lost", func(p Port) int { return p.Lost })
	case r.Delay.Found():
		return r.badMember(r.Delay, "answered late", func(p Port) int { return p.Late })
	case all.Lost == 0:
		return fmt.Sprintf("None of %d packets from %d source ports was lost, and none of the ports is slower than the others: no bad member of a bundle shows.", all.Sent, len(r.Ports))
	}
	return fmt.Sprintf("%d of %d packets were lost, spread over the source ports as chance would (%s): no bad member of a bundle shows; whatever loses them loses them from every flow.", all.Lost, all.Sent, r.Loss.chance())
}

func (r Result) badMember(c Cluster, what string, bad func(Port) int) string {
	in, out := r.totals(c.Ports)
	k, m := len(c.Ports), len(r.Ports)
	text := fmt.Sprintf("%d of %d source ports %s %s of their packets, the others %s: %s that chance does that. One member of a bundle on the path is bad, which carries about %d %% of the flows%s.",
		k, m, verb(what), share(bad(in), in.Sent), share(bad(out), out.Sent), c.chance(), int(math.Round(100*float64(k)/float64(m))), members(k, m))
	switch {
	case what != "lost" || in.There+in.Back == 0:
		text += " Whether that is on the way there or back, the answers do not tell: each way has its own hash."
	case in.Back == 0:
		text += " It is on the way there."
	case in.There == 0:
		text += " It is on the way back."
	default:
		text += fmt.Sprintf(" Of the lost packets %d are known to be lost on the way there, %d on the way back.", in.There, in.Back)
	}
	return text
}

func verb(what string) string {
	if what == "lost" {
		return "lost"
	}
	return "had late answers to"
}

// members says how many a bundle has of which one carries k of m flows, if the hash spreads them evenly: within two
// standard deviations.
func members(k, m int) string {
	p := float64(k) / float64(m)
	d := 2 * math.Sqrt(p*(1-p)/float64(m))
	low, high := math.Max(p-d, 0.5/float64(m)), p+d
	if p > 0.6 {
		return ""
	}
	a, b := int(math.Max(math.Round(1/high), 2)), int(math.Round(1/low))
	if a == b {
		return fmt.Sprintf(" (one of %d members, if they are spread evenly)", a)
	}
	return fmt.Sprintf(" (one of %d to %d members, if they are spread evenly)", a, b)
}

// chance says the bound in words.
func (c Cluster) chance() string {
	switch {
	case c.Log10 >= -0.05:
		return "probability up to 1"
	case c.Log10 > -4:
		return "probability below " + strconv.FormatFloat(math.Ceil(math.Pow(10, c.Log10)*1e4)/1e4, 'g', 3, 64)
	}
	return fmt.Sprintf("probability below 10^%d", int(math.Ceil(c.Log10)))
}

func share(n, of int) string {
	if of == 0 {
		return "none"
	}
	switch p := 100 * float64(n) / float64(of); {
	case n == 0:
		return "none"
	case n == of:
		return "all"
	case p < 1:
		return fmt.Sprintf("%.2f %%", p)
	default:
		return fmt.Sprintf("%.0f %%", p)
	}
}

// List writes ports as a person would: rows of neighbours as a range.
func List(ports []uint16) string {
	var out []string
	for i := 0; i < len(ports); {
		j := i
		for j+1 < len(ports) && ports[j+1] == ports[j]+1 {
			j++
		}
		if j-i >= 2 {
			out = append(out, fmt.Sprintf("%d-%d", ports[i], ports[j]))
		} else {
			for k := i; k <= j; k++ {
				out = append(out, strconv.Itoa(int(ports[k])))
			}
		}
		i = j + 1
	}
	return strings.Join(out, " ")
}
