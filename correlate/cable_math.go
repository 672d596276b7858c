package correlate

import (
	"math"
	"time"
)

// Limits of bit error ratio, from the loosest to the strictest. A link that is worse than the limit of its speed is out
// of its specification; one that is worse than the next looser limit fails.
const (
	berLoose  = 1e-8  // IEEE 802.3 for 10 and 100 Mbit/s; the default alarm of switches that have one
	berTight  = 1e-10 // 1000BASE-T (IEEE 802.3, clause 40)
	berStrict = 1e-12 // 10 Gbit/s and above, 1000BASE-X
)

// CableLimits returns what a link of that speed (bit/s) is judged against: with a bit error ratio of at most pass it
// passes, above fail it fails, between the two it is a warning. An unknown speed (0) is judged as 1 Gbit/s.
func CableLimits(speed float64) (pass, fail float64) {
	switch {
	case speed > 0 && speed < 1e9:
		return berLoose, berLoose
	case speed > 1e9:
		return berStrict, berTight
	}
	return berTight, berLoose
}

// PoissonInterval returns the exact 95 % interval of a Poisson mean of which count events were seen (Garwood, 1936).
// Of no event at all it is one-sided, the rule of three: below 3.
func PoissonInterval(count float64) (low, high float64) {
	if count <= 0 {
		return 0, -math.Log(0.05)
	}
	return gammaPoint(count, 0.025), gammaPoint(count+1, 0.975)
}

// gammaPoint is gammaQuantile, by the cube-root transformation (Wilson and Hilferty, 1931) where that is exact enough:
// above a shape of 10000 to a millionth.
func gammaPoint(k, q float64) float64 {
	const many = 1e4
	if k < many {
		return gammaQuantile(k, q)
	}
	z := 1.9599639845400545 // of 0.975
	if q < 0.5 {
		z = -z
	}
	c := 1 / (9 * k)
	return k * math.Pow(1-c+z*math.Sqrt(c), 3)
}

// berOf returns a bit error ratio with its 95 % interval. blur is by what share the bits are not known: the counters
// of errors and of octets may have been refreshed at different moments.
func berOf(bad, bits, blur float64) (ber, low, high float64) {
	if !(bits > 0) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	low, high = PoissonInterval(bad)
	return bad / bits, low / (bits * (1 + blur)), min(1, high/(bits*max(1-blur, 0.1)))
}

// decide judges an interval of bit error ratios. It is settled when more time is not expected to change the verdict.
func decide(low, high, pass, fail float64) (v CableVerdict, settled bool) {
	switch {
	case math.IsNaN(low):
		return CableUndecided, false
	case high <= pass:
		return CablePass, true
	case low > fail:
		return CableFail, true
	case low > pass:
		return CableWarn, high <= fail
	}
	return CableUndecided, false
}

// moreTime returns how much longer a test must run until its interval lies on one side of the limits, if errors come as
// they came. ok is false where no time would do: nothing flows, or the ratio is too near to a limit.
func moreTime(w CableWay) (more time.Duration, ok bool) {
	if !(w.Bits > 0) || w.Seconds <= 0 {
		return 0, false
	}
	settled := func(times float64) bool {
		_, low, high := berOf(w.Bad*times, w.Bits*times, w.blur()/times)
		_, done := decide(low, high, w.Pass, w.Fail)
		return done && w.Seconds*times >= w.atLeast()
	}
	const most = 1 << 20
	hi := 1.0
	for !settled(hi) {
		if hi *= 2; hi > most {
			return 0, false
		}
	}
	lo := hi / 2
	for range 30 {
		if mid := (lo + hi) / 2; settled(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	sec := w.Seconds * max(hi-1, 0)
	if sec > 10*365*24*3600 {
		return 0, false
	}
	return time.Duration(sec * float64(time.Second)), true
}
