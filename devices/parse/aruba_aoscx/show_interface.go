package aruba_aoscx

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowInterface reads "show interface", of all ports or of one. Its table of counters has a column for each
// direction; "n/a" is not counted.
func ShowInterface(output string, r *devices.Reading) {
	ports, unread := platform.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

var platform = block.Platform{Header: header, Line: line, End: end}

// header reads "Interface 1/1/1 is up", "Interface 1/1/1 is down (Administratively down)" and "Aggregate lag1 is up".
func header(p *block.Port, line string) bool {
	rest, ok := strings.CutPrefix(line, "Interface ")
	if !ok {
		if rest, ok = strings.CutPrefix(line, "Aggregate "); !ok {
			return false
		}
	}
	name, state, ok := strings.Cut(rest, " is ")
	if !ok || !block.IsPortName(name) && name != "mgmt" {
		return false
	}
	p.Name = name
	state, reason, _ := strings.Cut(strings.ToLower(strings.TrimSpace(state)), "(")
	state = strings.TrimSpace(state)
	p.Know("status", state)
	p.Know("reason", strings.TrimRight(reason, ")"))
	p.Oper = block.Oper(state)
	return true
}

// row is a line of the table of counters: where its two columns belong.
type row struct {
	in, out block.Where
	fact    string // the name of a fact, for what no field is for
}

var rows = map[string]row{
	"Packets":      {in: func(p *block.Port) *counter { return &p.InPackets }, out: func(p *block.Port) *counter { return &p.OutPackets }},
	"Bytes":        {in: func(p *block.Port) *counter { return &p.InOctets }, out: func(p *block.Port) *counter { return &p.OutOctets }},
	"Unicast":      {fact: "unicast_packets"},
	"Multicast":    {in: func(p *block.Port) *counter { return &p.InMulticasts }, out: func(p *block.Port) *counter { return &p.OutMulticasts }},
	"Broadcast":    {in: func(p *block.Port) *counter { return &p.InBroadcasts }, out: func(p *block.Port) *counter { return &p.OutBroadcasts }},
	"Jumbos":       {fact: "jumbos"},
	"Dropped":      {in: func(p *block.Port) *counter { return &p.InDrops }, out: func(p *block.Port) *counter { return &p.OutDrops }},
	"Filtered":     {fact: "filtered"},
	"Pause Frames": {in: func(p *block.Port) *counter { return &p.InPause }, out: func(p *block.Port) *counter { return &p.OutPause }},
	"Errors":       {in: func(p *block.Port) *counter { return &p.InErrors }, out: func(p *block.Port) *counter { return &p.OutErrors }},
	"CRC/FCS":      {in: func(p *block.Port) *counter { return &p.FCS }},
	"Collision":    {out: func(p *block.Port) *counter { return &p.Collisions }},
	"Runts":        {in: func(p *block.Port) *counter { return &p.Runts }},
	"Giants":       {in: func(p *block.Port) *counter { return &p.Giants }},
	"Jabbers":      {in: func(p *block.Port) *counter { return &p.Jabbers }},
	"Fragments":    {in: func(p *block.Port) *counter { return &p.Fragments }},
}

type counter = devices.Opt[devices.Counter]

// figures reads "Dropped  0  17  17" and "Pause Frames  0  0  0": a label, and what was received, sent and both.
func figures(p *block.Port, line string) bool {
	const columns = 3
	f := strings.Fields(line)
	if len(f) <= columns {
		return false
	}
	label := strings.Join(f[:len(f)-columns], " ")
	values := f[len(f)-columns:]
	if p.Section == "rates" {
		rate(p, label, values)
		return true
	}
	w, ok := rows[label]
	if !ok {
		return false
	}
	for i, where := range []block.Where{w.in, w.out} {
		n := text.Count(values[i])
		p.Out = i == 1
		if where != nil {
			text.SetOpt(where(p), n)
		} else if w.fact != "" && n.OK {
			p.Know("_"+w.fact, values[i])
		}
	}
	return true
}

// rate reads a line of the table of rates, whose figures are of megabits and thousands of packets.
func rate(p *block.Port, label string, values []string) {
	name, scale := "", 0.0
	switch label {
	case "Mbits / sec":
		name, scale = "_rate", 1e6
	case "KPkts / sec":
		name, scale = "_packet_rate", 1e3
	default:
		return
	}
	for i, v := range values[:2] {
		p.Out = i == 1
		if x, rest, ok := text.Decimal(v); ok && rest == "" {
			p.Know(name, text.Plain(x*scale))
		}
	}
}

// prefixes lists how lines begin whose rest is a fact.
var prefixes = []struct{ begin, name string }{
	{"Link state: ", "link_state"}, {"qos trust ", "qos_trust"}, {"rate-limit ", "rate_limit"}, {"Error-control: ", "error_control"}, {"MDI mode: ", "mdi_mode"},
	{"VLAN Mode: ", "vlan_mode"}, {"Native VLAN: ", "native_vlan"}, {"Allowed VLAN List: ", "vlan_list"}, {"Rate collection interval: ", "interval"},
	{"State information: ", "state_information"}, {"Persona:", "persona"}, {"VRF name is ", "vrf"}, {"IPv4 address ", "ip"}, {"IPv6 address ", "ipv6"}, {"L3 Counters: ", "l3_counters"},
	{"Leader-follower mode: ", "leader_follower"}, {"Aggregated-interfaces", "member"}, {"Aggregation-key", "aggregation_key"}, {"Aggregate mode", "aggregate_mode"},
	{"Downshift", "downshift"}, {"FEC", "fec"}, {"Loopback", "loopback"}, {"MACsec", "macsec"}, {"Remote-Fault", "remote_fault"},
}

func line(p *block.Port, line string, _ *text.Lines) bool {
	switch {
	case strings.HasPrefix(line, "Rate "):
		if strings.Contains(line, "RX") {
			p.Section = "rates"
			return true
		}
	case strings.HasPrefix(line, "Statistic "):
		p.Section = "counters"
		return true
	case strings.HasPrefix(line, "----"):
		return true
	}
	if p.Section != "" {
		return figures(p, line)
	}
	if setting(p, line) {
		return true
	}
	for _, f := range prefixes {
		if rest, ok := strings.CutPrefix(line, f.begin); ok {
			p.Know(f.name, strings.TrimLeft(rest, " :"))
			return true
		}
	}
	return false
}

// setting reads the lines above the tables that fields are for.
func setting(p *block.Port, line string) bool {
	label, value, _ := strings.Cut(line, ":")
	label, value = strings.TrimSpace(label), strings.TrimSpace(value)
	switch {
	case strings.HasPrefix(line, "Admin state is "):
		text.Set(&p.Admin, strings.ToLower(strings.TrimSpace(line[len("Admin state is "):])))
	case label == "Description":
		p.Alias = value
	case label == "Link transitions":
		p.CarrierTransitions = text.Count(value)
	case label == "MAC Address":
		address(p, value)
	case label == "Hardware":
		kind, mac, _ := strings.Cut(value, ", MAC Address: ")
		p.Know("hardware", kind)
		address(p, mac)
	case strings.HasPrefix(line, "MTU "):
		block.Figures(p, line)
	case strings.HasPrefix(line, "Type "):
		kind := strings.TrimSpace(line[len("Type "):])
		p.Know("type", kind)
		if !text.Unset(kind) {
			text.Set(&p.Media, kind)
		}
	case label == "Full-duplex", label == "Half-duplex":
		p.Know("duplex", label)
		text.Set(&p.Duplex, strings.ToLower(label[:len("full")]))
	case strings.HasPrefix(line, "Speed "):
		speed := strings.TrimLeft(line[len("Speed "):], " :")
		p.Know("speed", speed)
		if v, ok := text.Rate(speed); ok && v > 0 && v <= text.MaxSpeed {
			text.Set(&p.Speed, uint64(v))
		}
	case strings.HasPrefix(line, "Auto-negotiation is "):
		word := strings.TrimSpace(line[len("Auto-negotiation is "):])
		p.Know("auto_negotiation", word)
		text.Set(&p.Autoneg, word == "on")
	case strings.HasPrefix(line, "Energy-Efficient Ethernet is "):
		text.Set(&p.EEE, strings.HasSuffix(line, " enabled"))
	case label == "Flow-control":
		p.Know("flow_control", value)
		text.Set(&p.FlowIn, strings.Contains(value, "rx"))
		text.Set(&p.FlowOut, strings.Contains(value, "tx"))
	case label == "Access VLAN":
		p.Know("access_vlan", value)
		if n, rest, ok := text.Uint32(value); ok && rest == "" {
			text.Set(&p.AccessVLAN, n)
		}
	default:
		return false
	}
	return true
}

func address(p *block.Port, mac string) {
	p.KnowOnce("mac", mac)
	if m, ok := text.MAC(strings.TrimSpace(mac)); ok && p.MAC == "" {
		p.MAC = m
	}
}

// blockers lists what the state information says of a port that the switch shut by itself.
var blockers = []struct{ words, cause string }{
	{"loop-protect", "loop-protect"}, {"loop protect", "loop-protect"}, {"bpdu", "bpduguard"}, {"link-flap", "link-flap"}, {"link flap", "link-flap"},
	{"udld", "udld"}, {"fault-monitor", "fault-monitor"}, {"fault monitor", "fault-monitor"}, {"port-security", "port-security"},
}

func end(p *block.Port) {
	info := strings.ToLower(p.Fact("state_information") + " " + p.Fact("reason"))
	for _, b := range blockers {
		if strings.Contains(info, b.words) && p.Oper.Value == "down" && p.ErrDisabled == "" {
			p.ErrDisabled = b.cause
		}
	}
}
