package mikrotik_routeros

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// Interfaces reads "interface print detail", "interface print stats-detail" and "interface ethernet print
// stats-detail". The counters of "interface" are those of the processor, which do not see what a switch chip
// forwards; the ones of "interface ethernet" are the port's own, and are to be read first.
func Interfaces(output string, r *devices.Reading) {
	var ports []devices.Interface
	for _, rec := range records(output) {
		p := block.Port{}
		if p.Name = rec.values["name"]; p.Name == "" {
			continue
		}
		p.Alias = rec.comment
		p.Admin, p.Oper = devices.Some("up"), devices.Some("down")
		if strings.Contains(rec.flags, "X") {
			p.Admin = devices.Some("down")
		}
		if strings.Contains(rec.flags, "R") {
			p.Oper = devices.Some("up")
		}
		p.Know("flags", rec.flags)
		for _, name := range rec.names {
			value(&p, name, rec.values[name])
		}
		totals(&p, rec)
		ports = append(ports, p.Interface)
	}
	into.Ports(r, ports)
}

// value reads one value of an entry.
func value(p *block.Port, name, s string) {
	switch name {
	case "name", "default-name", "type":
		p.Know(block.FactName(name), s)
		return
	case "actual-mtu", "mtu":
		if n, rest, ok := text.Uint32(s); ok && rest == "" && (name == "actual-mtu" || !p.MTU.OK) {
			p.MTU = devices.Some(n)
		}
	case "mac-address":
		if m, ok := text.MAC(s); ok {
			p.MAC = m
		}
	case "ifindex":
		if n, rest, ok := text.Uint32(s); ok && rest == "" {
			p.Index = devices.Some(n)
		}
	}
	if w := counters[name]; w != nil {
		text.SetOpt(w(p), text.Count(joined(s)))
	}
	p.Know(block.FactName(name), joined(s))
}

var counters = map[string]block.Where{
	"rx-byte":                func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InOctets },
	"rx-bytes":               func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InOctets },
	"tx-byte":                func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutOctets },
	"tx-bytes":               func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutOctets },
	"rx-packet":              func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InPackets },
	"tx-packet":              func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutPackets },
	"rx-error":               func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InErrors },
	"rx-error-events":        func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InErrors },
	"tx-error":               func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutErrors },
	"rx-drop":                func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InDrops },
	"rx-fcs-error":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.FCS },
	"rx-align-error":         func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Alignment },
	"rx-code-error":          func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Symbol },
	"rx-too-short":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Runts },
	"rx-too-long":            func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Giants },
	"rx-fragment":            func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Fragments },
	"rx-jabber":              func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Jabbers },
	"rx-overflow":            func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Overrun },
	"rx-internal-error":      func(p *block.Port) *devices.Opt[devices.Counter] { return &p.MACIn },
	"tx-internal-error":      func(p *block.Port) *devices.Opt[devices.Counter] { return &p.MACOut },
	"rx-pause":               func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InPause },
	"tx-pause":               func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutPause },
	"rx-broadcast":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InBroadcasts },
	"tx-broadcast":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutBroadcasts },
	"rx-multicast":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InMulticasts },
	"tx-multicast":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutMulticasts },
	"tx-underrun":            func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Underruns },
	"tx-collision":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Collisions },
	"tx-late-collision":      func(p *block.Port) *devices.Opt[devices.Counter] { return &p.LateCollisions },
	"tx-excessive-collision": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.ExcessiveCollisions },
	"tx-deferred":            func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Deferred },
	"tx-carrier-sense-error": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.CarrierSense },
	"link-downs":             func(p *block.Port) *devices.Opt[devices.Counter] { return &p.CarrierTransitions },
}

// sizes lists how frames are counted by their size, with "rx-" or "tx-" before it.
var sizes = []string{"64", "65-127", "128-255", "256-511", "512-1023", "1024-1518", "1519-max", "1024-max"}

// totals draws what is the sum of several values: what was dropped on the way out, by the driver and by the queue
// before it, which only the list of all interfaces has, and the packets of ports that count them by kind or by size.
func totals(p *block.Port, rec record) {
	get := func(name string) devices.Opt[devices.Counter] { return text.Count(joined(rec.values[name])) }
	if rec.values["tx-byte"] != "" {
		text.SetOpt(&p.OutDrops, text.Sum(get("tx-drop"), get("tx-queue-drop")))
	}
	packets := func(way string) devices.Opt[devices.Counter] {
		if u, m, b := get(way+"unicast"), get(way+"multicast"), get(way+"broadcast"); u.OK && m.OK && b.OK {
			return text.Sum(u, m, b)
		}
		var sum devices.Opt[devices.Counter]
		for _, size := range sizes {
			sum = text.Sum(sum, get(way+size))
		}
		return sum
	}
	text.SetOpt(&p.InPackets, packets("rx-"))
	text.SetOpt(&p.OutPackets, packets("tx-"))
}
