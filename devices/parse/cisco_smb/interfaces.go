package cisco_smb

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowInterfacesStatus reads "show interfaces status": Port, Type, Duplex, Speed, Neg, flow control, link state.
func ShowInterfacesStatus(output string, r *devices.Reading) {
	var ports []devices.Interface
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < 7 || !block.IsPortName(f[0]) || !stateWord(f[6]) {
			continue
		}
		i := devices.Interface{Name: f[0]}
		i.Media = devices.Some(f[1])
		i.Oper = devices.Some(strings.ToLower(f[6]))
		if d := strings.ToLower(f[2]); d == "full" || d == "half" {
			i.Duplex = devices.Some(d)
		}
		if n, rest, ok := text.Uint32(f[3]); ok && rest == "" && n > 0 && uint64(n)*1e6 <= text.MaxSpeed {
			i.Speed = devices.Some(uint64(n) * 1e6)
		}
		if !text.Unset(f[4]) {
			i.Autoneg = devices.Some(f[4] == "Enabled")
		}
		if f[5] == "On" || f[5] == "Off" {
			i.FlowIn, i.FlowOut = devices.Some(f[5] == "On"), devices.Some(f[5] == "On")
		}
		i.SpeedMax = kindSpeed(f[1])
		if len(f) > 8 {
			i.Facts = []devices.Fact{{Name: "back_pressure", Value: f[7]}, {Name: "mdix_mode", Value: f[8]}}
		}
		ports = append(ports, i)
	}
	into.Ports(r, ports)
}

func stateWord(s string) bool {
	switch s {
	case "Up", "Down", "Suspended", "Not", "NotPresent":
		return true
	}
	return false
}

// kindSpeed reads the type: "1G-Copper", "100M-Copper", "10G-Fiber".
func kindSpeed(s string) devices.Opt[uint64] {
	n, rest, ok := text.Uint32(s)
	switch {
	case ok && strings.HasPrefix(rest, "G-"):
		return devices.Some(uint64(n) * 1e9)
	case ok && strings.HasPrefix(rest, "M-"):
		return devices.Some(uint64(n) * 1e6)
	}
	return devices.None[uint64]()
}

// labels lists the lines of "show interfaces counters" for one port.
var labels = map[string]func(i *devices.Interface) *devices.Opt[devices.Counter]{
	"Alignment Errors":              func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Alignment },
	"FCS Errors":                    func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.FCS },
	"Late Collisions":               func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.LateCollisions },
	"Excessive Collisions":          func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.ExcessiveCollisions },
	"Deferred Transmissions":        func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Deferred },
	"Carrier Sense Errors":          func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.CarrierSense },
	"Oversize Packets":              func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Giants },
	"Internal MAC Rx Errors":        func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.MACIn },
	"Internal MAC Tx Errors":        func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.MACOut },
	"Symbol Errors":                 func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Symbol },
	"Received Pause Frames":         func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InPause },
	"Transmitted Pause Frames":      func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutPause },
	"Single Collision Frames":       nil,
	"Multiple Collision Frames":     nil,
	"SQE Test Errors":               nil,
	"Received Discarded Packets":    func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InDrops },
	"Transmitted Discarded Packets": func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutDrops },
}

// columns lists the columns of the tables of "show interfaces counters".
var columns = map[string]struct {
	to      func(i *devices.Interface) *devices.Opt[devices.Counter]
	packets bool
}{
	"InOctets":     {func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InOctets }, false},
	"OutOctets":    {func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutOctets }, false},
	"InMcastPkts":  {func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InMulticasts }, true},
	"OutMcastPkts": {func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutMulticasts }, true},
	"InBcastPkts":  {func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InBroadcasts }, true},
	"OutBcastPkts": {func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutBroadcasts }, true},
	"InUcastPkts":  {nil, true},
	"OutUcastPkts": {nil, true},
}

// ShowInterfacesCounters reads "show interfaces counters", of all ports (octets and packets) or of one (with its
// errors as well). Where the kinds of packets are counted apart, the sum is InPackets or OutPackets.
func ShowInterfacesCounters(output string, r *devices.Reading) {
	var ports []devices.Interface
	at := map[string]int{}
	var titles []string
	last := -1
	for line := range text.Each(output) {
		f := strings.Fields(line)
		switch {
		case len(f) > 1 && f[0] == "Port" && columnsKnown(f[1:]):
			titles = f[1:]
		case len(f) > 1 && titles != nil && len(f)-1 == len(titles) && block.IsPortName(f[0]):
			i, ok := at[f[0]]
			if !ok {
				i = len(ports)
				at[f[0]] = i
				ports = append(ports, devices.Interface{Name: f[0]})
			}
			last = i
			row(&ports[i], titles, f[1:])
		case last >= 0:
			label, value, ok := strings.Cut(line, ":")
			if to := labels[strings.TrimSpace(label)]; ok && to != nil {
				text.SetOpt(to(&ports[last]), text.Count(value))
			}
		}
	}
	into.Ports(r, ports)
}

func columnsKnown(titles []string) bool {
	for _, t := range titles {
		if _, ok := columns[t]; !ok {
			return false
		}
	}
	return true
}

func row(i *devices.Interface, titles, cells []string) {
	var packets devices.Opt[devices.Counter]
	in := false
	for n, title := range titles {
		v := text.Count(cells[n])
		c := columns[title]
		if c.to != nil {
			text.SetOpt(c.to(i), v)
		}
		in = in || strings.HasPrefix(title, "In")
		if c.packets {
			packets = text.Sum(packets, v)
		}
	}
	if in {
		text.SetOpt(&i.InPackets, packets)
	} else {
		text.SetOpt(&i.OutPackets, packets)
	}
}
