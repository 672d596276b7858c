package correlate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// Recurrence says in which rhythm something comes back. A job, a lease, a timer or a shift does; a bad contact does not.
type Recurrence struct {
	Period time.Duration
	Phase  time.Duration // how long after midnight UTC it first comes in a day, if periods fill a day; else after the first
	Daily  bool          // periods fill a day, so that Phase is a time of day
	Spread time.Duration // how far from the beat it is, in the mean
	Times  int           // how often it came, what came close together counted once
	Beats  int           // how many beats there were from the first to the last
	Chance float64       // the probability that as many that come at any time lie so well on one of the beats that were tried
}

// Limits of a recurrence.
const (
	recursLeast  = 4                // fewer prove no rhythm
	recursBeats  = 3                // as many periods lie between the first and the last
	recursChance = 0.01             // what chance may give at most
	recursSpread = 0.05             // of the period
	shortest     = 10 * time.Second // what comes more often is one thing that goes on
)

// clockwork are the periods that timers and schedules have.
var clockwork = []time.Duration{
	15 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 20 * time.Minute,
	30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, 6 * time.Hour, 8 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour,
}

// freeTrials is what a period that no clock has costs in significance: so many others would have done as well.
const freeTrials = 100

// Recurs looks for the rhythm of begins, in any order: the longest period of a clock on whose beats they lie better than
// chance explains (Rayleigh's test of their phases, each period tried once), else the one that they have among
// themselves. It returns false if there is none.
func Recurs(begins []time.Time) (Recurrence, bool) {
	begins = slices.Clone(begins)
	slices.SortFunc(begins, time.Time.Compare)
	if len(begins) < recursLeast {
		return Recurrence{}, false
	}
	whole := begins[len(begins)-1].Sub(begins[0])
	var tried []time.Duration
	for _, p := range clockwork {
		if whole >= recursBeats*p {
			tried = append(tried, p)
		}
	}
	for _, p := range slices.Backward(tried) {
		if r, ok := onBeat(begins, p, len(tried)); ok {
			r.daily(begins[0])
			return r, true
		}
	}
	p := ownPeriod(begins)
	if p < shortest || whole < recursBeats*p {
		return Recurrence{}, false
	}
	return onBeat(begins, p, len(tried)+freeTrials)
}

// onBeat says how well begins in order lie on the beats of a period, out of so many that are tried.
func onBeat(begins []time.Time, period time.Duration, tried int) (Recurrence, bool) {
	once := apart(begins, period/10)
	n := float64(len(once))
	if len(once) < recursLeast || once[len(once)-1].Sub(once[0]) < (recursBeats-1)*period+period/2 {
		return Recurrence{}, false
	}
	var sin, cos float64
	for _, t := range once {
		a := angle(t.Sub(once[0]), period)
		sin, cos = sin+math.Sin(a), cos+math.Cos(a)
	}
	length := math.Hypot(sin, cos)
	mean := math.Atan2(sin, cos)
	off := 0.0
	for _, t := range once {
		off += math.Abs(math.Remainder(angle(t.Sub(once[0]), period)-mean, 2*math.Pi))
	}
	r := Recurrence{
		Period: period, Phase: turn(mean, period), Times: len(once), Spread: turn(off/n, period),
		Beats: int(math.Round(once[len(once)-1].Sub(once[0]).Seconds()/period.Seconds())) + 1,
		// Zar, Biostatistical Analysis, equation 27.4: exact to some per cent for small n, too.
		Chance: min(1, float64(tried)*math.Exp(math.Sqrt(1+4*n+4*(n*n-length*length))-(1+2*n))),
	}
	return r, r.Chance <= recursChance && r.Spread.Seconds() <= recursSpread*period.Seconds()
}

// apart leaves out what follows another within a time: a thing that goes and comes back is one.
func apart(begins []time.Time, within time.Duration) []time.Time {
	var out []time.Time
	for _, t := range begins {
		if n := len(out); n == 0 || t.Sub(out[n-1]) > within {
			out = append(out, t)
		}
	}
	return out
}

func angle(d, period time.Duration) float64 {
	return 2 * math.Pi * float64(d%period) / float64(period)
}

func turn(angle float64, period time.Duration) time.Duration {
	return time.Duration(angle / (2 * math.Pi) * float64(period))
}

// ownPeriod returns the period that begins in order have among themselves: the usual distance, fitted to all of them.
func ownPeriod(begins []time.Time) time.Duration {
	gaps := make([]time.Duration, 0, len(begins))
	for i := 1; i < len(begins); i++ {
		if d := begins[i].Sub(begins[i-1]); d >= shortest {
			gaps = append(gaps, d)
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	usual := gaps[len(gaps)/2].Seconds()
	var kt, kk float64
	for _, t := range begins {
		d := t.Sub(begins[0]).Seconds()
		k := math.Round(d / usual)
		kt, kk = kt+k*d, kk+k*k
	}
	if kk == 0 {
		return 0
	}
	return time.Duration(kt / kk * float64(time.Second))
}

// daily turns the phase into a time of day where periods fill one.
func (r *Recurrence) daily(first time.Time) {
	const day = 24 * time.Hour
	if day%r.Period != 0 {
		return
	}
	r.Daily = true
	r.Phase = first.Add(r.Phase).Sub(first.UTC().Truncate(day)) % r.Period
	if r.Phase < 0 {
		r.Phase += r.Period
	}
}

// Loaded says how often something begins while the path is busy.
type Loaded struct {
	Times  int     // begins before which the load is known
	Busy   int     // of those, in the busiest fifth of the time
	Chance float64 // the probability that chance alone gives Busy or more
	Limit  float64 // from which load on the time is that fifth: a share of the busiest port's speed
}

const (
	// busiest is the share of time that is called busy, and loadBefore how long before a begin the load is taken: the last
	// polls of a device that is asked once a second.
	busiest    = 0.2
	loadBefore = 5 * time.Second
	// loadVaries is by how much the load must rise for its busy time: a share of the speed.
	loadVaries = 0.1
)

// UnderLoad holds the begins of trouble against a load, see [BusiestPort], the trouble itself left out. It returns false if
// the load is not known or hardly varies, or if there are too few.
func UnderLoad(load Bins, trouble []timeline.Span) (Loaded, bool) {
	if len(trouble) < recursLeast {
		return Loaded{}, false
	}
	usual := load.Without(trouble)
	slices.Sort(usual)
	if len(usual) < 10*int(loadBefore/binWidth) {
		return Loaded{}, false
	}
	out := Loaded{Limit: usual[len(usual)-1-int(busiest*float64(len(usual)))]}
	if out.Limit-usual[len(usual)/5] < loadVaries {
		return Loaded{}, false
	}
	for _, sp := range trouble {
		before := load.Within(timeline.Span{From: sp.From.Add(-loadBefore), To: sp.From})
		if len(before) == 0 {
			continue
		}
		out.Times++
		if Quantile(before, 0.5) >= out.Limit {
			out.Busy++
		}
	}
	first, _ := slices.BinarySearch(usual, out.Limit)
	share := float64(len(usual)-first) / float64(len(usual)) // more than a fifth where many seconds are alike
	out.Chance = atLeast(slices.Repeat([]float64{share}, out.Times), out.Busy)
	return out, out.Times >= recursLeast
}

// BusiestPort returns the utilisation of the busiest of a path's ports in each second, a share of its speed.
func BusiestPort(s timeline.Snapshot, t Topology, p Path) Bins {
	all := Watched(s)
	var out Bins
	for _, d := range t.Devices {
		if !p.Crosses(d.Name) {
			continue
		}
		for _, port := range d.Ports {
			b := Resample(s.Series(timeline.Port(d.Name, port), timeline.Utilisation), all, binWidth)
			if out.Values == nil {
				out = b
				continue
			}
			for i, v := range b.Values {
				if math.IsNaN(out.Values[i]) || v > out.Values[i] {
					out.Values[i] = v
				}
			}
		}
	}
	return out
}

// Begins returns when spans begin, in order.
func Begins(spans []timeline.Span) []time.Time {
	out := make([]time.Time, len(spans))
	for i, sp := range spans {
		out[i] = sp.From
	}
	slices.SortFunc(out, func(a, b time.Time) int { return cmp.Compare(a.UnixNano(), b.UnixNano()) })
	return out
}
