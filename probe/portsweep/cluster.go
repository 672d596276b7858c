package portsweep

import (
	"cmp"
	"math"
	"slices"
)

// significant is the probability by chance below which a cluster is taken for one.
const significant = 0.001

// tally counts what happened to the packets of one port.
type tally struct {
	sent, bad int
}

// cluster returns the ports, by index, that what is bad keeps to, and a bound of the decimal logarithm of the
// probability that it would keep to as many ports as well by chance; 0 or more is no bound at all. Without anything
// bad there is no cluster.
func cluster(ports []tally) (members []int, log10 float64) {
	order := make([]int, 0, len(ports))
	sent, bad := 0, 0
	for i, p := range ports {
		if p.sent > 0 {
			order = append(order, i)
			sent, bad = sent+p.sent, bad+p.bad
		}
	}
	m := len(order)
	if bad == 0 || bad == sent || m < 2 {
		return nil, 0
	}
	share := func(i int) float64 { return float64(ports[i].bad) / float64(ports[i].sent) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(share(b), share(a)) })
	best, size := math.Inf(1), 0
	in, badIn := 0, 0
	for k := 1; k < m; k++ {
		p := ports[order[k-1]]
		in, badIn = in+p.sent, badIn+p.bad
		if l := logChoose(m, k) + logTail(sent, in, bad, badIn); l < best {
			best, size = l, k
		}
	}
	log10 = (best + math.Log(float64(m-1))) / math.Ln10
	members = slices.Clone(order[:size])
	slices.Sort(members)
	return members, min(log10, 0)
}

// logChoose returns the logarithm of the number of ways to choose k of n.
func logChoose(n, k int) float64 {
	if k < 0 || k > n {
		return math.Inf(-1)
	}
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// logTail returns the logarithm of the probability that of bad packets, chosen at random from sent, at least so many
// are among certain in of them.
func logTail(sent, in, bad, least int) float64 {
	total := logChoose(sent, bad)
	sum := math.Inf(-1)
	for x := least; x <= min(in, bad); x++ {
		sum = logAdd(sum, logChoose(in, x)+logChoose(sent-in, bad-x)-total)
	}
	return min(sum, 0)
}

// logAdd returns the logarithm of the sum of two numbers given by theirs.
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}
