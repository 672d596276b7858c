package host

import (
	"errors"
	"time"
)

// errNotGiven says that this system does not tell.
var errNotGiven = errors.New("not given on this system")

// Times is how processors spent their time since the system started, in ticks of the kernel. Guests are part of
// User and Nice.
type Times struct{ User, Nice, System, Idle, IOWait, IRQ, SoftIRQ, Steal uint64 }

// Core is one processor.
type Core struct {
	ID int // the kernel's number; numbers are missing where cores are switched off
	Times
}

// CPU is what all processors together and each of them did.
type CPU struct {
	All   Times
	Cores []Core // by their numbers
}

// Shares is what a length of time was spent with, each 0-1 of that time.
type Shares struct {
	Busy    float64 // with anything but idling or waiting for a disk; what the hypervisor took counts
	SoftIRQ float64 // with interrupts and softirqs: packets are taken in there
	Steal   float64 // taken by the hypervisor
	IOWait  float64 // idle while a disk was waited for
}

// Since returns what the time from before to t was spent with. It is not known (false) if no tick passed. A field
// that fell, as iowait may, counts as not moved.
func (t Times) Since(before Times) (Shares, bool) {
	d := func(a, b uint64) float64 {
		if b < a {
			return 0
		}
		return float64(b - a)
	}
	idle, wait, steal := d(before.Idle, t.Idle), d(before.IOWait, t.IOWait), d(before.Steal, t.Steal)
	irq := d(before.IRQ, t.IRQ) + d(before.SoftIRQ, t.SoftIRQ)
	busy := d(before.User, t.User) + d(before.Nice, t.Nice) + d(before.System, t.System) + irq + steal
	all := busy + idle + wait
	if all == 0 {
		return Shares{}, false
	}
	return Shares{Busy: busy / all, SoftIRQ: irq / all, Steal: steal / all, IOWait: wait / all}, true
}

// Busiest returns the greatest busy share and the greatest share of interrupts of any core between two readings.
// They may be those of two cores. It is not known (false) without a core that both readings have.
func (c CPU) Busiest(before CPU) (s Shares, ok bool) {
	i := 0
	for _, core := range c.Cores {
		for i < len(before.Cores) && before.Cores[i].ID < core.ID {
			i++
		}
		if i == len(before.Cores) || before.Cores[i].ID != core.ID {
			continue
		}
		if x, known := core.Since(before.Cores[i].Times); known {
			ok = true
			s.Busy, s.SoftIRQ = max(s.Busy, x.Busy), max(s.SoftIRQ, x.SoftIRQ)
			s.Steal, s.IOWait = max(s.Steal, x.Steal), max(s.IOWait, x.IOWait)
		}
	}
	return s, ok
}

// Use is the processor time of this process, in cores: 1 is one core all the time.
type Use struct{ User, System float64 }

// Total returns user and system time together.
func (u Use) Total() float64 { return u.User + u.System }

// Load measures how busy this host and this process are between two calls of its methods. The zero value is ready;
// it is used by one goroutine at a time.
type Load struct {
	cpu   CPU
	known bool

	user, system time.Duration
	at           time.Time

	waits   Waits
	waited  bool // waits is known
	waitsAt time.Time
}

// Host returns the busy share of all cores since the last call, 0-1. It is not known (false) on the first call and
// where the system does not tell.
func (l *Load) Host() (share float64, ok bool) {
	before, known := l.cpu, l.known
	now, err := ReadCPU()
	l.cpu, l.known = now, err == nil
	if !known || err != nil {
		return 0, false
	}
	s, ok := now.All.Since(before.All)
	return s.Busy, ok
}

// Process returns the processor time of this process since the last call. It is not known (false) on the first call
// and where the system does not tell.
func (l *Load) Process(now time.Time) (Use, bool) {
	user, system, ok := processTime()
	d, du, ds, first := now.Sub(l.at), user-l.user, system-l.system, l.at.IsZero()
	l.user, l.system, l.at = user, system, now
	if !ok || first || d <= 0 {
		return Use{}, false
	}
	return Use{User: du.Seconds() / d.Seconds(), System: ds.Seconds() / d.Seconds()}, true
}
