package block

import "whydrop/devices"

// Common lists labels that mean the same on several platforms.
var Common = map[string]Where{
	"packets input":   func(p *Port) *devices.Opt[devices.Counter] { p.Out = false; return &p.InPackets },
	"packets output":  func(p *Port) *devices.Opt[devices.Counter] { p.Out = true; return &p.OutPackets },
	"input packets":   func(p *Port) *devices.Opt[devices.Counter] { p.Out = false; return &p.InPackets },
	"output packets":  func(p *Port) *devices.Opt[devices.Counter] { p.Out = true; return &p.OutPackets },
	"bytes":           Either(func(p *Port) *devices.Opt[devices.Counter] { return &p.InOctets }, func(p *Port) *devices.Opt[devices.Counter] { return &p.OutOctets }),
	"input errors":    func(p *Port) *devices.Opt[devices.Counter] { return &p.InErrors },
	"input error":     func(p *Port) *devices.Opt[devices.Counter] { return &p.InErrors },
	"output errors":   func(p *Port) *devices.Opt[devices.Counter] { return &p.OutErrors },
	"output error":    func(p *Port) *devices.Opt[devices.Counter] { return &p.OutErrors },
	"CRC":             func(p *Port) *devices.Opt[devices.Counter] { return &p.FCS },
	"CRC/FCS":         func(p *Port) *devices.Opt[devices.Counter] { return &p.FCS },
	"frame":           func(p *Port) *devices.Opt[devices.Counter] { return &p.Alignment },
	"alignment":       func(p *Port) *devices.Opt[devices.Counter] { return &p.Alignment },
	"symbol":          func(p *Port) *devices.Opt[devices.Counter] { return &p.Symbol },
	"overrun":         func(p *Port) *devices.Opt[devices.Counter] { return &p.Overrun },
	"ignored":         func(p *Port) *devices.Opt[devices.Counter] { return &p.Ignored },
	"runts":           func(p *Port) *devices.Opt[devices.Counter] { return &p.Runts },
	"giants":          func(p *Port) *devices.Opt[devices.Counter] { return &p.Giants },
	"throttles":       func(p *Port) *devices.Opt[devices.Counter] { return &p.Throttles },
	"no buffer":       func(p *Port) *devices.Opt[devices.Counter] { return &p.NoBuffer },
	"collisions":      func(p *Port) *devices.Opt[devices.Counter] { return &p.Collisions },
	"collision":       func(p *Port) *devices.Opt[devices.Counter] { return &p.Collisions },
	"late collision":  func(p *Port) *devices.Opt[devices.Counter] { return &p.LateCollisions },
	"late collisions": func(p *Port) *devices.Opt[devices.Counter] { return &p.LateCollisions },
	"deferred":        func(p *Port) *devices.Opt[devices.Counter] { return &p.Deferred },
	"underruns":       func(p *Port) *devices.Opt[devices.Counter] { return &p.Underruns },
	"lost carrier":    func(p *Port) *devices.Opt[devices.Counter] { return &p.CarrierSense },

	"input discard":             func(p *Port) *devices.Opt[devices.Counter] { return &p.InDrops },
	"input discards":            func(p *Port) *devices.Opt[devices.Counter] { return &p.InDrops },
	"output discard":            func(p *Port) *devices.Opt[devices.Counter] { return &p.OutDrops },
	"output discards":           func(p *Port) *devices.Opt[devices.Counter] { return &p.OutDrops },
	"total input drops":         func(p *Port) *devices.Opt[devices.Counter] { return &p.InDrops },
	"total output drops":        func(p *Port) *devices.Opt[devices.Counter] { return &p.OutDrops },
	"Rx pause":                  func(p *Port) *devices.Opt[devices.Counter] { return &p.InPause },
	"Tx pause":                  func(p *Port) *devices.Opt[devices.Counter] { return &p.OutPause },
	"pause input":               func(p *Port) *devices.Opt[devices.Counter] { return &p.InPause },
	"pause output":              func(p *Port) *devices.Opt[devices.Counter] { return &p.OutPause },
	"PAUSE input":               func(p *Port) *devices.Opt[devices.Counter] { return &p.InPause },
	"PAUSE output":              func(p *Port) *devices.Opt[devices.Counter] { return &p.OutPause },
	"Stomped CRC":               func(p *Port) *devices.Opt[devices.Counter] { return &p.Stomped },
	"interface resets":          func(p *Port) *devices.Opt[devices.Counter] { return &p.Resets },
	"carrier transitions":       func(p *Port) *devices.Opt[devices.Counter] { return &p.CarrierTransitions },
	"unknown protocol drops":    func(p *Port) *devices.Opt[devices.Counter] { return &p.UnknownProtos },
	"storm suppression packets": func(p *Port) *devices.Opt[devices.Counter] { return &p.StormDrops },

	"broadcast packets": Either(func(p *Port) *devices.Opt[devices.Counter] { return &p.InBroadcasts }, func(p *Port) *devices.Opt[devices.Counter] { return &p.OutBroadcasts }),
	"broadcasts":        Either(func(p *Port) *devices.Opt[devices.Counter] { return &p.InBroadcasts }, func(p *Port) *devices.Opt[devices.Counter] { return &p.OutBroadcasts }),
	"multicast packets": Either(func(p *Port) *devices.Opt[devices.Counter] { return &p.InMulticasts }, func(p *Port) *devices.Opt[devices.Counter] { return &p.OutMulticasts }),
	"multicast":         Either(func(p *Port) *devices.Opt[devices.Counter] { return &p.InMulticasts }, func(p *Port) *devices.Opt[devices.Counter] { return &p.OutMulticasts }),
}

// Either is of the direction that the lines are about.
func Either(in, out Where) Where {
	return func(p *Port) *devices.Opt[devices.Counter] {
		if p.Out {
			return out(p)
		}
		return in(p)
	}
}

// With returns the common labels and others; of two for the same label, the other one counts.
func With(others map[string]Where) map[string]Where {
	out := make(map[string]Where, len(Common)+len(others))
	for k, v := range Common {
		out[k] = v
	}
	for k, v := range others {
		out[k] = v
	}
	return out
}
