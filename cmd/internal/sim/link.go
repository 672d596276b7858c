package sim

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// linkSide is what a port shows of its link beyond counters and state; the zero value is plain copper.
type linkSide struct {
	optic   *optic          // nil: copper
	powered bool            // it can give power: it has a row in pethPsePortTable
	oneWay  []stretch       // when UDLD finds the link unidirectional
	udld    bool            // UDLD runs on it
	tested  []cableTest     // results of cable tests in order of time
	group   *port           // the aggregate that it is a member of; nil: none
	outside []stretch       // when it is out of step with its aggregate
	shut    []shutting      // when the device shut it by itself
	zeroes  []time.Duration // when its counters were set to zero, in order

	mu    sync.Mutex
	marks map[time.Duration][counters]uint64 // the probe's own traffic counted until a zeroing
}

// optic is a module with diagnostics, in dBm.
type optic struct {
	rx, tx          float64
	rxWarn, rxAlarm float64
	txWarn, txAlarm float64
	fades           []fade
}

// fade is light that is lost from a moment on.
type fade struct {
	at time.Duration
	dB float64
}

// received is the power that arrives at a moment.
func (o *optic) received(at time.Duration) float64 {
	v := o.rx
	for _, f := range o.fades {
		if f.at <= at {
			v -= f.dB
		}
	}
	return v
}

// cableTest is what a reflectometer found: the status of each pair as CISCO-CABLE-DIAG-MIB numbers it, and the metres to
// its end or fault.
type cableTest struct {
	at     time.Duration
	status [4]int
	metres [4]int
}

// shutting is a time for which a guard kept a port shut.
type shutting struct {
	from, to time.Duration
	cause    int // CErrDisableFeatureID
}

// Causes of a shutting (CErrDisableFeatureID), with the words of the command line.
const (
	causeUDLD        = 1
	causeBPDUGuard   = 2
	causeLinkFlap    = 6
	causeSecurity    = 9
	causeInlinePower = 15
	causeInspection  = 16
)

var causeWords = map[int]string{
	causeUDLD: "udld", causeBPDUGuard: "bpduguard", causeLinkFlap: "link-flap", causeSecurity: "psecure-violation",
	causeInlinePower: "inline-power", causeInspection: "arp-inspection",
}

// shutBy lets a guard shut a port from one moment to another, with what the device logs of it.
func (d *device) shutBy(p *port, cause int, from, to time.Duration) {
	p.link.shut = append(p.link.shut, shutting{from, to, cause})
	d.say(from, "%PM-4-ERR_DISABLE: "+causeWords[cause]+" error detected on "+p.ifName()+", putting "+p.ifName()+" in err-disable state")
	if to < forever {
		d.say(to, "%PM-4-ERR_RECOVER: Attempting to recover from "+causeWords[cause]+" err-disable state on "+p.ifName())
	}
	d.flap(p, from+5*time.Millisecond, to+40*time.Millisecond)
}

// Statuses of a pair (ccdTdrIfResultPairStatus).
const (
	pairSound = 2
	pairOpen  = 5
	pairShort = 6
)

func during(list []stretch, at time.Duration) bool {
	return slices.ContainsFunc(list, func(x stretch) bool { return x.from <= at && at < x.to })
}

// zeroed returns what a counter stood at when it was last set to zero.
func (p *port) zeroed(c counter, at time.Duration) uint64 {
	l := &p.link
	zero, found := time.Duration(0), false
	for _, z := range l.zeroes {
		if z <= at {
			zero, found = z, true
		}
	}
	if !found {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	mark, ok := l.marks[zero]
	if !ok {
		for i := range mark {
			mark[i] = p.live[i].Load()
		}
		if l.marks == nil {
			l.marks = map[time.Duration][counters]uint64{}
		}
		l.marks[zero] = mark
	}
	return p.background(c, zero) + mark[c]
}

// lifeSide is what happens to a device as a whole.
type lifeSide struct {
	gone   []stretch       // when it answers nothing
	boots  []time.Duration // when its clock begins anew, in order
	stack  bool            // it is a stack of two switches
	parted []stretch       // when the second one is not there
}

// booted returns when the device's clock began, seen from at.
func (d *device) booted(at time.Duration) time.Duration {
	began := -d.uptime
	for _, b := range d.life.boots {
		if b <= at {
			began = b
		}
	}
	return began
}

// forgotten says whether a line was logged before the device last started: its buffer is gone.
func (d *device) forgotten(line, at time.Duration) bool {
	for _, g := range d.life.gone {
		if line < g.from && g.to <= at {
			return true
		}
	}
	return false
}

// mute lets nothing of everybody else's traffic come in at a port from one moment to another.
func (p *port) mute(from, to time.Duration) {
	var flows []flow
	for _, f := range p.flows {
		switch f.counter {
		case inOctets, inUnicast, inMulticast, inBroadcast:
			flows = append(flows, cut(f, before, from), cut(f, to, forever))
		default:
			flows = append(flows, f)
		}
	}
	p.flows = flows
}

// quiet lets nothing of everybody else's traffic pass a port from one moment to another.
func (p *port) quiet(from, to time.Duration) {
	var flows []flow
	for _, f := range p.flows {
		flows = append(flows, cut(f, before, from), cut(f, to, forever))
	}
	p.flows = flows
}

// once counts n within a moment.
func (p *port) once(c counter, at time.Duration, n float64) {
	p.flows = append(p.flows, flow{c, at, at + time.Millisecond, n * 1000})
}

// stacked says whether the device is of a family whose switches form stacks and give power.
func (d *device) stacked() bool { return strings.HasSuffix(d.model.gigabit, "1/0/") }

// stackable returns the one of the two switches that is of such a family, and its port to a host.
func (s *Story) stackable() (*device, *port) {
	if s.near.stacked() {
		return s.near, s.nearHost
	}
	return s.far, s.farHost
}
