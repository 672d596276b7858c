package portsweep

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// even returns so many ports that sent 10 packets each, of which the given ones lost so many.
func even(m int, bad map[int]int) []tally {
	out := make([]tally, m)
	for i := range out {
		out[i] = tally{10, bad[i]}
	}
	return out
}

func TestClusters(t *testing.T) {
	all := map[int]int{}
	quarter, some, spread := map[int]int{}, map[int]int{}, map[int]int{}
	for i := range 64 {
		all[i] = 10
		if i%4 == 1 {
			quarter[i] = 10
		}
		if i%8 == 3 {
			some[i] = 2 + i%3
		}
		if i%2 == 0 {
			spread[i] = 1
		}
	}
	tests := []struct {
		name    string
		bad     map[int]int
		members int
		least   float64 // the logarithm must lie between these
		most    float64
	}{
		{"nothing lost", nil, 0, 0, 0},
		{"everything lost", all, 0, 0, 0},
		{"one member of four is dead", quarter, 16, -200, -100},
		{"one member of eight loses a third", some, 8, -40, -10},
		{"one packet lost", map[int]int{7: 1}, 1, 0, 0},
		{"two packets of one port lost", map[int]int{7: 2}, 1, -0.5, 0},
		{"one port is dead", map[int]int{7: 10}, 1, -25, -10},
		{"half of the ports lost one packet each, as in one short outage", spread, 0, 0, 0},
	}
	for _, tt := range tests {
		got, l := cluster(even(64, tt.bad))
		if l < tt.least || l > tt.most || tt.members > 0 && len(got) != tt.members {
			t.Errorf("%s: %d ports, 10^%.1f; want %d, between 10^%.1f and 10^%.1f", tt.name, len(got), l, tt.members, tt.least, tt.most)
		}
		if tt.members > 1 {
			for _, i := range got {
				if tt.bad[i] == 0 {
					t.Errorf("%s: port %d lost nothing", tt.name, i)
				}
			}
		}
	}
}

// Losses at random are taken for a cluster in fewer than one run of a thousand, whatever their rate.
func TestChanceIsBounded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, p := range []float64{0.003, 0.02, 0.1, 0.5, 0.95} {
		found := 0
		const runs = 400
		for range runs {
			ports := make([]tally, 64)
			for i := range ports {
				ports[i].sent = 10
				for range 10 {
					if random.Float64() < p {
						ports[i].bad++
					}
				}
			}
			if _, l := cluster(ports); l < math.Log10(significant) {
				found++
			}
		}
		if found > 3 { // of 0.4 expected at most
			t.Errorf("loss of %g at random: %d clusters in %d runs", p, found, runs)
		}
	}
}

// A member that loses a tenth of its packets stands out from a path that loses one of a hundred.
func TestAMemberThatLosesLittle(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	found, right, wrong := 0, 0, 0
	for range 100 {
		ports := make([]tally, 64)
		for i := range ports {
			ports[i].sent = 50
			p := 0.003
			if i%4 == 2 {
				p = 0.1
			}
			for range ports[i].sent {
				if random.Float64() < p {
					ports[i].bad++
				}
			}
		}
		members, l := cluster(ports)
		if l < math.Log10(significant) {
			found++
			for _, i := range members {
				if i%4 == 2 {
					right++
				} else {
					wrong++
				}
			}
		}
	}
	if found < 95 || wrong*20 > right {
		t.Errorf("found in %d of 100 runs, %d ports right, %d wrong", found, right, wrong)
	}
}

func TestTheTailIsThatOfTheHypergeometricDistribution(t *testing.T) {
	// 4 of 10 are bad; 3 are chosen: at least 2 of the bad among certain 3 is (C(3,2) C(7,2) + C(3,3) C(7,1)) / C(10,4) = 70/210.
	if got := math.Exp(logTail(10, 3, 4, 2)); math.Abs(got-70.0/210) > 1e-9 {
		t.Errorf("%g, want %g", got, 70.0/210)
	}
	if got := math.Exp(logTail(10, 3, 4, 0)); math.Abs(got-1) > 1e-9 {
		t.Errorf("at least none: %g", got)
	}
	if !math.IsInf(logTail(10, 3, 4, 4), -1) {
		t.Error("four of three")
	}
	if got := math.Exp(logChoose(64, 16)); math.Abs(got/488526937079580-1) > 1e-9 {
		t.Errorf("64 over 16 is %g", got)
	}
	if ports := []tally{{}, {10, 5}, {10, 0}}; true {
		if got, _ := cluster(ports); !slices.Equal(got, []int{1}) {
			t.Errorf("a port that sent nothing: %v", got)
		}
	}
}
