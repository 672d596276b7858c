package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"whydrop/probe/wire"
)

// Values of the kinds.
var (
	// The windows from the smallest that any system grants to the largest that iperf3 asks for, and the system's own (0).
	defaultWindows = []float64{2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 4 << 20, 512 << 20, 0}
	defaultStreams = []float64{1, 2, 4, 8, 16}
	defaultBursts  = []float64{1, 8, 32, 128, 512} // datagrams
)

const (
	rateSteps  = 8
	rateFactor = 1.6 // between two rates: 8 steps span a factor of 27
	rateRefine = 4   // times halving the gap: to 3 % of the rate
	// defaultTop is the highest rate where neither a cap nor the own link says one: what far ends grant without a token.
	defaultTop = 1e9
	sizeRate   = 1000 // datagrams a second: 12 Mbit/s of the largest that Ethernet takes
	// maxDatagram is the longest payload of UDP over IPv4 (RFC 768, RFC 791).
	maxDatagram = 65507
	// udpShare of what TCP carried is what UDP is to carry without loss by its own fault.
	udpShare = 0.5
)

// tcp returns a step over TCP, with the cap shared by its streams.
func (o Options) tcp(name string, value float64, streams int, length time.Duration) Step {
	s := Step{Name: name, Value: value, Test: o.Test}
	s.Test.UDP, s.Test.Streams, s.Test.Time, s.Test.Bytes = false, streams, length, 0
	s.Test.Rate = o.Rate / float64(streams)
	return s
}

// udp returns a step over UDP.
func (o Options) udp(name string, value, rate float64, size int, length time.Duration) Step {
	s := Step{Name: name, Value: value, Test: o.Test}
	s.Test.UDP, s.Test.Streams, s.Test.Time, s.Test.Bytes, s.Test.Rate, s.Test.Length = true, 1, length, 0, rate, size
	s.Test.MSS, s.Test.Congestion, s.Test.Window = 0, "", 0
	return s
}

// values returns what is swept over, checked.
func (o Options) values(own []float64, least, most float64) ([]float64, error) {
	if len(o.Values) == 0 {
		return own, nil
	}
	for _, v := range o.Values {
		if !(v >= least && v <= most) {
			return nil, fmt.Errorf("a step of %v, want %v to %v", v, least, most)
		}
	}
	return o.Values, nil
}

func planWindow(o Options) (Plan, error) {
	values, err := o.values(defaultWindows, 0, math.MaxInt32)
	var p Plan
	for _, w := range values {
		name := "own tuning"
		if w > 0 {
			name = Bytes(w)
		}
		s := o.tcp(name, w, 1, 2*time.Second)
		s.Test.Window = int(w)
		p.Steps = append(p.Steps, s)
	}
	return p, err
}

func planRate(o Options) (Plan, error) {
	top := o.bound()
	if top == 0 {
		top = defaultTop
	}
	if o.Rate == 0 { // the link's speed counts what is around the payload too
		top = o.framing(false).MaxGoodput(top, o.Test.Length)
	}
	var own []float64
	for i := range rateSteps {
		own = append(own, top/math.Pow(rateFactor, float64(rateSteps-1-i)))
	}
	values, err := o.values(own, 1000, 1e12)
	if err != nil {
		return Plan{}, err
	}
	values = slices.Sorted(slices.Values(values))
	p := Plan{refine: rateRefine}
	if len(o.Values) > 0 {
		p.refine = 0
	}
	for _, r := range values {
		if o.Rate > 0 {
			r = min(r, o.Rate)
		}
		p.Steps = append(p.Steps, o.udp(Bits(r), r, r, o.Test.Length, 3*time.Second))
	}
	return p, nil
}

func planSize(o Options) (Plan, error) {
	most := o.framing(false).MaxPayload()
	var own []float64
	for _, n := range []int{64, 256, 512, 1000, 1200, 1300, 1372, 1400, 1432, 1464, 1472, 2000, 4000, 8000, 8972} {
		if n < most {
			own = append(own, float64(n))
		}
	}
	for _, n := range []int{most, most + 1} {
		if n <= maxDatagram {
			own = append(own, float64(n))
		}
	}
	values, err := o.values(own, 16, maxDatagram)
	var p Plan
	for _, n := range values {
		rate := n * 8 * sizeRate
		if o.Rate > 0 {
			rate = min(rate, o.Rate)
		}
		s := o.udp(fmt.Sprintf("%.0f bytes", n), n, rate, int(n), 2*time.Second)
		s.Test.DontFragment = true
		p.Steps = append(p.Steps, s)
	}
	return p, err
}

func planStreams(o Options) (Plan, error) {
	values, err := o.values(defaultStreams, 1, 128)
	var p Plan
	for _, n := range values {
		name := fmt.Sprintf("%.0f streams", n)
		if n == 1 {
			name = "1 stream"
		}
		p.Steps = append(p.Steps, o.tcp(name, n, int(n), 4*time.Second))
	}
	return p, err
}

func planDirection(o Options) (Plan, error) {
	if len(o.Values) > 0 {
		return Plan{}, errors.New("it has no values to choose")
	}
	var p Plan
	for _, way := range []struct {
		name       string
		udp, r, bi bool
	}{
		{"TCP there", false, false, false}, {"TCP back", false, true, false}, {"TCP both ways", false, false, true},
		{"UDP there", true, false, false}, {"UDP back", true, true, false}, {"UDP both ways", true, false, true},
	} {
		s := o.tcp(way.name, 0, 1, 4*time.Second)
		if way.udp {
			s = o.udp(way.name, 0, 0, o.Test.Length, 4*time.Second)
			s.Share = udpShare
		}
		s.Test.Reverse, s.Test.Bidirectional = way.r, way.bi
		p.Steps = append(p.Steps, s)
	}
	return p, nil
}

func planPacing(o Options) (Plan, error) {
	values, err := o.values(defaultBursts, 1, 1000)
	p := Plan{Steps: []Step{o.tcp("TCP", 0, 1, 3*time.Second)}}
	for _, n := range values {
		name := fmt.Sprintf("bursts of %.0f", n)
		if n == 1 {
			name = "paced"
		}
		s := o.udp(name, n, 0, o.Test.Length, 4*time.Second)
		s.Test.Burst, s.Share = int(n), udpShare
		p.Steps = append(p.Steps, s)
	}
	return p, err
}

func planDisk(o Options) (Plan, error) {
	if o.File == "" {
		return Plan{}, errors.New("name the file")
	}
	if len(o.Values) > 0 {
		return Plan{}, errors.New("it has no values to choose")
	}
	file := o.tcp("file", 1, 1, 5*time.Second)
	file.Test.File = o.File
	return Plan{Steps: []Step{o.tcp("memory", 0, 1, 5*time.Second), file, o.tcp("memory again", 0, 1, 5*time.Second)}}, nil
}

// framing returns how the own link packs what the experiment sends.
func (o Options) framing(tcp bool) wire.Framing {
	return wire.Framing{TCP: tcp, IPv6: o.IPv6, MTU: o.MTU}
}

// Bits writes a rate as a person reads it, in powers of 1000: "938 Mbit/s".
func Bits(rate float64) string {
	return scale(rate, 1000, []string{"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"})
}

// Bytes writes an amount as a person reads it, in powers of 1024: "64 KiB".
func Bytes(n float64) string { return scale(n, 1024, []string{"bytes", "KiB", "MiB", "GiB", "TiB"}) }

func scale(v, base float64, units []string) string {
	i := 0
	for ; i < len(units)-1 && v >= base*0.9995; i++ {
		v /= base
	}
	digits := 0
	switch {
	case v == math.Trunc(v):
	case v < 9.995:
		digits = 2
	case v < 99.95:
		digits = 1
	}
	return fmt.Sprintf("%.*f %s", digits, v, units[i])
}
