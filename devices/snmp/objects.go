package snmp

import (
	"strconv"
	"time"

	"whydrop/devices"
)

func word(n devices.Opt[uint32], words []string) devices.Opt[string] {
	switch {
	case !n.OK:
		return devices.None[string]()
	case n.Value >= 1 && int(n.Value) <= len(words):
		return devices.Some(words[n.Value-1])
	}
	return devices.Some("unknown(" + strconv.FormatUint(uint64(n.Value), 10) + ")")
}

// prefer returns the 64-bit counter, or the 32-bit one where the device has no other or never moves it: some
// agents keep one of the two at 0.
func prefer(hc, lc devices.Opt[devices.Counter]) devices.Opt[devices.Counter] {
	if hc.OK && !(hc.Value.Value == 0 && lc.OK && lc.Value.Value > 0) {
		return hc
	}
	if lc.OK {
		return lc
	}
	return hc
}

// sum adds counters of one kind. The sum of 32-bit counters is kept modulo 2^32, so that a wrap of any of them
// is a wrap of the sum. The first must be given; others count only if they are.
func sum(first devices.Opt[devices.Counter], others ...devices.Opt[devices.Counter]) devices.Opt[devices.Counter] {
	if !first.OK {
		return first
	}
	out := first.Value
	for _, o := range others {
		if o.OK {
			out.Value += o.Value.Value
			out.Bits = min(out.Bits, o.Value.Bits)
		}
	}
	if out.Bits == 32 {
		out.Value &= 1<<32 - 1
	}
	return devices.Some(out)
}

// retryAbsent is how long an object that a device did not have is not asked again.
const retryAbsent = 8 * time.Minute

// objects remembers what a device has, so that it is not asked each second for what it has not.
type objects struct {
	absent map[string]time.Time // by identifier: when to ask again
	size   map[string]int       // octets of the last value of a text
	// version changes when another object is wanted than before.
	version uint64
}

func (o *objects) init() { o.absent, o.size = map[string]time.Time{}, map[string]int{} }

// wanted says whether the object is to be asked for.
func (o *objects) wanted(id string, now time.Time) bool {
	t, ok := o.absent[id]
	return !ok || !now.Before(t)
}

// learn notes what was given and what was not.
func (o *objects) learn(id string, v value, now time.Time) {
	if !v.given() {
		o.skip(id, now)
		return
	}
	if _, ok := o.absent[id]; ok {
		delete(o.absent, id)
		o.version++
	}
	if b, ok := v.other.([]byte); ok {
		o.size[id] = len(b)
	}
}

// skip marks an object as not to be asked for a while, although the device may have it.
func (o *objects) skip(id string, now time.Time) {
	if o.wanted(id, now) {
		o.version++
	}
	o.absent[id] = now.Add(retryAbsent + spread(id))
}

// due says whether an object that was absent is to be asked for again.
func (o *objects) due(now time.Time) bool {
	for _, t := range o.absent {
		if !now.Before(t) {
			return true
		}
	}
	return false
}

// bindSize returns how many octets the object takes in an answer: identifier, value of so many octets at most (0: as
// many as it had last) and three headers.
func (o *objects) bindSize(id string, most int) int {
	if most == 0 {
		const unknown, longHeader = 10, 2
		if most = unknown; o.size[id] > 0 {
			most = o.size[id] + longHeader
		}
	}
	const headers = 6 // in short form, up to 127 octets
	n := headers + most
	for arc, i := uint64(0), 0; i <= len(id); i++ {
		if i < len(id) && id[i] != '.' {
			arc = 10*arc + uint64(id[i]-'0')
			continue
		}
		for n++; arc >= 0x80; n++ { // X.690, section 8.19: seven bits an octet
			arc >>= 7
		}
		arc = 0
	}
	return n
}
