package devices

import "whydrop/correlate/timeline"

// figure is one counter of a port and the metric that its rate is.
type figure struct {
	metric timeline.Metric
	get    func(*Interface) Opt[Counter]
	scale  float64
	limit  func(speed float64) float64 // the highest rate that the line can have; nil: packets
	usual  bool                        // its absence is worth a gap
}

// figures lists the counters of a port, those of traffic first. A new counter is one line here.
var figures = []figure{
	{timeline.InBits, func(i *Interface) Opt[Counter] { return i.InOctets }, 8, bitsAtMost, true},
	{timeline.OutBits, func(i *Interface) Opt[Counter] { return i.OutOctets }, 8, bitsAtMost, true},
	{timeline.InPackets, func(i *Interface) Opt[Counter] { return i.InPackets }, 1, nil, true},
	{timeline.OutPackets, func(i *Interface) Opt[Counter] { return i.OutPackets }, 1, nil, true},
	{timeline.InErrors, func(i *Interface) Opt[Counter] { return i.InErrors }, 1, nil, true},
	{timeline.OutErrors, func(i *Interface) Opt[Counter] { return i.OutErrors }, 1, nil, true},
	{timeline.InDrops, inDrops, 1, nil, true},
	{timeline.OutDrops, func(i *Interface) Opt[Counter] { return i.OutDrops }, 1, fanIn, true},
	{timeline.InFCS, func(i *Interface) Opt[Counter] { return i.FCS }, 1, nil, true},
	{timeline.InAlignment, func(i *Interface) Opt[Counter] { return i.Alignment }, 1, nil, false},
	{timeline.InSymbol, func(i *Interface) Opt[Counter] { return i.Symbol }, 1, bitsAtMost, false},
	{timeline.InRunts, func(i *Interface) Opt[Counter] { return i.Runts }, 1, nil, false},
	{timeline.InGiants, func(i *Interface) Opt[Counter] { return i.Giants }, 1, nil, false},
	{timeline.InOverrun, func(i *Interface) Opt[Counter] { return i.Overrun }, 1, nil, false},
	{timeline.LateCollisions, func(i *Interface) Opt[Counter] { return i.LateCollisions }, 1, nil, false},
	{timeline.Collisions, func(i *Interface) Opt[Counter] { return i.Collisions }, 1, nil, false},
	{timeline.InPause, func(i *Interface) Opt[Counter] { return i.InPause }, 1, nil, false},
	{timeline.OutPause, func(i *Interface) Opt[Counter] { return i.OutPause }, 1, nil, false},
	{timeline.InQueueDrops, func(i *Interface) Opt[Counter] { return i.InputQueueDrop }, 1, nil, false},
	{timeline.InUnknownProtos, func(i *Interface) Opt[Counter] { return i.UnknownProtos }, 1, nil, false},
	{timeline.InBroadcasts, func(i *Interface) Opt[Counter] { return i.InBroadcasts }, 1, nil, false},
	{timeline.OutBroadcasts, func(i *Interface) Opt[Counter] { return i.OutBroadcasts }, 1, nil, false},
	{timeline.InMulticasts, func(i *Interface) Opt[Counter] { return i.InMulticasts }, 1, nil, false},
	{timeline.OutMulticasts, func(i *Interface) Opt[Counter] { return i.OutMulticasts }, 1, nil, false},
	{timeline.InFragments, func(i *Interface) Opt[Counter] { return i.Fragments }, 1, bitsAtMost, false}, // shorter than a frame
	{timeline.InJabbers, func(i *Interface) Opt[Counter] { return i.Jabbers }, 1, nil, false},
	{timeline.InStomped, func(i *Interface) Opt[Counter] { return i.Stomped }, 1, nil, false},
	{timeline.InIgnored, func(i *Interface) Opt[Counter] { return i.Ignored }, 1, nil, false},
	{timeline.InNoBuffer, func(i *Interface) Opt[Counter] { return i.NoBuffer }, 1, nil, false},
	{timeline.InThrottles, func(i *Interface) Opt[Counter] { return i.Throttles }, 1, nil, false},
	{timeline.OutUnderruns, func(i *Interface) Opt[Counter] { return i.Underruns }, 1, nil, false},
	{timeline.InMACErrors, func(i *Interface) Opt[Counter] { return i.MACIn }, 1, nil, false},
	{timeline.OutMACErrors, func(i *Interface) Opt[Counter] { return i.MACOut }, 1, nil, false},
	{timeline.CarrierSense, func(i *Interface) Opt[Counter] { return i.CarrierSense }, 1, nil, false},
	{timeline.Deferred, func(i *Interface) Opt[Counter] { return i.Deferred }, 1, nil, false},
	{timeline.ExcessiveCollisions, func(i *Interface) Opt[Counter] { return i.ExcessiveCollisions }, 1, nil, false},
	{timeline.CarrierTransitions, func(i *Interface) Opt[Counter] { return i.CarrierTransitions }, 1, nil, false},
	{timeline.Resets, func(i *Interface) Opt[Counter] { return i.Resets }, 1, nil, false},
	{timeline.MTUExceeded, func(i *Interface) Opt[Counter] { return i.MTUExceeded }, 1, fanIn, false},
	{timeline.StormDrops, func(i *Interface) Opt[Counter] { return i.StormDrops }, 1, nil, false},
	{timeline.PolicerDrops, func(i *Interface) Opt[Counter] { return i.PolicerDrops }, 1, fanIn, false},
	{timeline.ACLDrops, func(i *Interface) Opt[Counter] { return i.ACLDrops }, 1, fanIn, false},
	{timeline.PoEDenied, func(i *Interface) Opt[Counter] { return i.PoEDenied }, 1, nil, false},
	{timeline.PoEOverload, func(i *Interface) Opt[Counter] { return i.PoEOverload }, 1, nil, false},
	{timeline.PoEShort, func(i *Interface) Opt[Counter] { return i.PoEShort }, 1, nil, false},
	{timeline.PoEAbsent, func(i *Interface) Opt[Counter] { return i.PoEAbsent }, 1, nil, false},
}

func inDrops(i *Interface) Opt[Counter] {
	if i.InDrops.OK {
		return i.InDrops
	}
	return i.InputQueueDrop
}

// tolerance is how far beyond the line rate a rate may be, for polls that are not read at one moment.
const tolerance = 1.1

// shortest is the shortest frame on the wire in bits: 64 octets, preamble and gap (IEEE 802.3: 8 and 12 octets).
const shortest = (64 + 20) * 8

func bitsAtMost(speed float64) float64 { return speed * tolerance }

func packetsAtMost(speed float64) float64 { return speed / shortest * tolerance }

// fanIn bounds what can be dropped on its way out of a slow port: it came in on another, faster one.
func fanIn(speed float64) float64 { return packetsAtMost(max(speed, 1e9)) }

func (f *figure) most(speed float64) float64 {
	if f.limit != nil {
		return f.limit(speed)
	}
	return packetsAtMost(speed)
}
