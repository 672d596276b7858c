package sim

import (
	"math"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// tale is a scenario that only the figures tell, so that a demo keeps its ten. Its name is that of the cause, a dash
// and what is special about it: a positive story, a look-alike, or "quiet-" and a kind of noise.
type tale struct {
	name string
	scenario
}

// tales lists them by subject: a new subject is a file scenarios_<subject>.go and one line here.
var tales = slices.Concat(queueTales, hiddenTales, hostTales, switchedTales, controlTales, serviceTales, quietTales, variantTales, linkTales, lifeTales)

func figureOnly(name string) (scenario, bool) {
	i := slices.IndexFunc(tales, func(t tale) bool { return t.name == name })
	if i < 0 {
		return scenario{}, false
	}
	return tales[i].scenario, true
}

// Stories returns the names of all scenarios: those of Names, and those that only the figures tell.
func Stories() []string {
	out := Names()
	for _, t := range tales {
		out = append(out, t.name)
	}
	return out
}

// Sockets returns the names of the scenarios that can be told over sockets, too.
func Sockets() []string {
	out := Names()
	for _, t := range tales {
		if t.live {
			out = append(out, t.name)
		}
	}
	return out
}

// blamePath sets a right answer that is about the path as a whole.
func (s *Story) blamePath(chain ...string) {
	s.Truth.Chain, s.Truth.Verdict, s.Truth.Port = chain, "holds", s.pathName()
}

// blameHost sets a right answer that is about a host: that at the far end, or timeline.LocalHost.
func (s *Story) blameHost(name string, chain ...string) {
	s.Truth.Chain, s.Truth.Verdict, s.Truth.Device = chain, "holds", name
}

// blameDevice sets a right answer that is about a device as a whole.
func (s *Story) blameDevice(d *device, chain ...string) {
	s.Truth.Chain, s.Truth.Verdict, s.Truth.Device = chain, "holds", d.name
}

// suffers makes one direction lose frames at a port from a moment on, of the probe's as of everybody's, and slows TCP
// down if the direction is that of its data. hits are the counters that each lost frame falls under.
func (s *Story) suffers(from time.Duration, w way, at *port, ratio float64, hits ...hit) {
	s.path.losing[w] = losing{at: at, hits: hits}
	s.path.during(from, forever, func(c *condition) {
		c.loss[w] = ratio
		if w == forward {
			c.rate = mathis(ratio, c.delay[forward]+c.delay[reverse])
		}
	})
}

// mathis is what TCP reaches at most at a loss ratio and a round trip, bit/s (Mathis 1997): 1.22 MSS/(RTT sqrt(p)).
func mathis(loss float64, rtt time.Duration) float64 {
	if loss <= 0 {
		return 0
	}
	return 1.22 * segmentSize * 8 / (rtt.Seconds() * math.Sqrt(loss))
}

// String is the direction as the timeline names it.
func (w way) String() string {
	if w == reverse {
		return timeline.Reverse
	}
	return timeline.Forward
}
