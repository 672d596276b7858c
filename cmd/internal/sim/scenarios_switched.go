package sim

import (
	"time"
)

// switchedTales are about what only a comparison shows: somebody switches something and tests again.
var switchedTales = []tale{
	{"energy-efficient-ethernet-off", scenario{help: "a sleeping link loses packets on waking; with EEE off it does not", draw: drawEEE}},
	{"energy-efficient-ethernet-same", scenario{help: "a bad cable; EEE on or off makes no difference", draw: drawEEESame}},
	{"nic-offload-off", scenario{help: "a card's offload harms; with it off all is well", draw: slowed("nic-offload", 0.05, 0.4, "lro on", "lro off")}},
	{"nic-offload-same", scenario{help: "an offload is on or off, and nothing changes", draw: indifferent("lro on", "lro off")}},
	{"encapsulation-overhead-tunnel", scenario{help: "a tunnel in user space costs most of the rate", draw: slowed("encapsulation-overhead", 0.1, 0.5, "through the overlay, user space", "without the overlay")}},
	{"encapsulation-overhead-headers", scenario{help: "a tunnel that costs its headers", draw: drawHeaders}},
	{"inline-middlebox-inspection", scenario{help: "a box that inspects each flow carries less than the lines", draw: slowed("inline-middlebox", 0.1, 0.5, "through the ids", "ids bypassed")}},
	{"inline-middlebox-same", scenario{help: "bypassing a box makes no difference", draw: indifferent("through the ids", "ids bypassed")}},
	{"wrong-path-radio", scenario{help: "the test went over the air although a cable was meant", draw: slowed("wrong-path", 0.1, 0.5, "wlan", "with the cable plugged in")}},
	{"wrong-path-same", scenario{help: "over the air and over the cable it is the same", draw: indifferent("wlan", "with the cable plugged in")}},
	{"window-scaling-stripped-box", scenario{help: "a box removes the option that lets windows grow", draw: drawScaling}},
	{"lag-hash-flows", scenario{help: "one flow fills one member of an aggregate, several fill more", draw: drawLAG}},
	{"lag-hash-spread", scenario{help: "flows over an aggregate, all of them as fast as their line", draw: drawLAGFine}},
}

// compares lets somebody test twice in each of two states.
func (s *Story) compares(from time.Duration, one, other string, switched func(*condition)) time.Duration {
	a := trial{proto: "tcp", way: forward, note: one}
	b := trial{proto: "tcp", way: forward, note: other, switched: switched}
	return s.tries(from, a, b, a, b)
}

// comparison ends a story with a comparison, after what is compared was watched for a while.
func (s *Story) comparison(from time.Duration, one, other string, switched func(*condition)) {
	last := s.compares(from+4*time.Second, one, other, switched)
	s.distract(2*time.Second, from+9*time.Second)
	s.ends(last)
}

func drawEEE(s *Story) {
	s.steady()
	from, ratio := s.begins(), s.real(0.01, 0.04)
	s.suffers(from, forward, s.path.cross[s.first][forward][4].port, ratio)
	s.blamePath("energy-efficient-ethernet")
	s.comparison(from, "eee on", "eee off", func(c *condition) { c.loss[forward] = 0 })
}

func drawEEESame(s *Story) {
	drawBadCable(s)
	s.trials = nil
	last := s.compares(s.Length-tail, "eee on", "eee off", nil)
	s.ends(last)
}

// slowly holds every flow to a rate from a moment on.
func (s *Story) slowly(from time.Duration, rate float64) {
	s.path.during(from, forever, func(c *condition) { c.perFlow = rate })
}

func faster(c *condition) { c.perFlow = 0 }

// slowed draws a cause that holds every flow to a share of what is offered, between two bounds, until it is switched:
// worse and better are how a person tells of the two states.
func slowed(cause string, least, most float64, worse, better string) func(*Story) {
	return func(s *Story) {
		s.steady()
		from := s.begins()
		s.slowly(from, s.offered*s.real(least, most))
		s.blamePath(cause)
		s.comparison(from, worse, better, faster)
	}
}

// indifferent draws a switch between two states that changes nothing.
func indifferent(one, other string) func(*Story) {
	return func(s *Story) {
		s.steady()
		s.comparison(s.begins(), one, other, nil)
	}
}

func drawHeaders(s *Story) {
	s.steady()
	s.comparison(s.begins(), "through the overlay", "without the overlay", func(c *condition) { c.perFlow = 925e6 })
}

func drawScaling(s *Story) {
	s.steady()
	s.path.base.delay = [2]time.Duration{s.between(13*time.Millisecond, 18*time.Millisecond), s.between(13*time.Millisecond, 18*time.Millisecond)}
	s.path.base.window = 65535
	s.offered = float64(s.number(30, 60)) * 1e6
	from := s.begins()
	s.blamePath("window-scaling-stripped")
	s.comparison(from, "the syn arrives without window scaling", "around the box, window scaling arrives", func(c *condition) { c.window = 0 })
}

func drawLAG(s *Story) {
	s.steady()
	from, member := s.begins(), 94e6
	s.slowly(from, member)
	s.blamePath("lag-hash")
	last := s.tries(from, trial{proto: "tcp", way: forward, streams: 1, note: "port-channel of 100 mbit/s links"}, trial{proto: "tcp", way: forward, streams: 4, note: "port-channel of 100 mbit/s links"},
		trial{proto: "tcp", way: forward, streams: 8, note: "port-channel of 100 mbit/s links"})
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}

func drawLAGFine(s *Story) {
	s.steady()
	from := s.begins()
	last := s.tries(from, trial{proto: "tcp", way: forward, streams: 1, note: "port-channel"}, trial{proto: "tcp", way: forward, streams: 4, note: "port-channel"})
	s.distract(2*time.Second, from+8*time.Second)
	s.ends(last)
}
