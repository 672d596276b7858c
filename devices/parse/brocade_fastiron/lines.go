package brocade_fastiron

import (
	"strings"

	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
)

// processor reads what NetIron's network processor counted: "NP received 28253040 packets, Sent to TM 28252946 packets",
// "NP Ingress dropped 94 packets".
func processor(p *block.Port, line string) bool {
	rest, ok := strings.CutPrefix(line, "NP ")
	if !ok {
		return false
	}
	for part := range strings.SplitSeq(rest, ",") {
		part = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(part), " packets"))
		i := strings.LastIndexByte(part, ' ')
		n := text.Count(part[i+1:])
		if i < 0 || !n.OK {
			continue
		}
		label := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(part[:i]), " ", "_"))
		p.KnowOnce("np_"+label, part[i+1:])
		if label == "ingress_dropped" {
			text.SetOpt(&p.InDrops, n)
		}
	}
	return true
}

// speed reads "Configured speed auto, actual 1Gbit, configured duplex fdx, actual fdx" and the line of a port for both
// copper and fibre: "Configured fiber speed auto, configured copper speed auto, actual unknown, configured fiber duplex
// fdx, ...". What is actual is of the speed before the first duplex.
func speed(p *block.Port, line string) bool {
	if !strings.HasPrefix(line, "Configured ") || !strings.Contains(line, "speed ") {
		return false
	}
	duplex := false
	for part := range strings.SplitSeq(line, ",") {
		i := strings.LastIndexByte(part, ' ')
		label, value := strings.ToLower(strings.TrimSpace(part[:max(i, 0)])), part[i+1:]
		duplex = duplex || strings.HasSuffix(label, "duplex")
		switch {
		case label != "actual":
			p.KnowOnce(strings.ReplaceAll(label, " ", "_"), value)
			if strings.HasSuffix(label, "speed") {
				text.Set(&p.Autoneg, value == "auto")
			}
		case duplex:
			p.KnowOnce("duplex", value)
			if word := map[string]string{"fdx": "full", "hdx": "half"}[value]; word != "" {
				text.Set(&p.Duplex, word)
			}
		default:
			p.KnowOnce("speed", value)
			if v, ok := text.Rate(value); ok && v > 0 && v <= text.MaxSpeed {
				text.Set(&p.Speed, uint64(v))
			}
		}
	}
	return true
}

// member reads "Member of Control VLAN 4095, VLAN 1 (untagged), port is in untagged mode, port state is Forwarding" and
// "Stacking Port, port state is FORWARDING".
func member(p *block.Port, line string) bool {
	_, state, ok := strings.Cut(line, "port state is ")
	if !ok {
		if strings.HasPrefix(line, "Member of ") && strings.Contains(line, "VLAN") { // it goes on
			p.KnowOnce("vlans", line)
			return true
		}
		return false
	}
	p.KnowOnce("vlans", line)
	p.KnowOnce("port_state", state)
	if word := portState(state); word != "" {
		text.Set(&p.STPState, word)
	}
	return true
}

// portState returns a spanning tree state in the words of devices.Interface; "" for what is none.
func portState(s string) string {
	switch s = strings.ToLower(strings.TrimSpace(s)); s {
	case "forward", "forwarding":
		return "forwarding"
	case "blocking", "blocked", "listening", "learning", "disabled":
		return strings.Replace(s, "blocked", "blocking", 1)
	case "listen":
		return "listening"
	case "learn":
		return "learning"
	}
	return ""
}

// spanning reads the settings of the spanning tree and of flow control.
func spanning(p *block.Port, line string) bool {
	switch {
	case strings.HasPrefix(line, "STP Root Guard is "), strings.HasPrefix(line, "BPDU guard is "):
		p.KnowOnce("guards", line)
		return true
	case strings.HasPrefix(line, "STP configured to "):
		p.KnowOnce("stp", strings.TrimPrefix(line, "STP configured to "))
	case !strings.HasPrefix(line, "Openflow is ") && !strings.HasPrefix(line, "Flow Control is "):
		return false
	default:
		p.KnowOnce("openflow", line)
	}
	// "flow control enabled" is the setting; "Flow Control is config enabled, oper disabled, negotiation disabled" says
	// what came of it.
	_, rest, ok := strings.Cut(strings.ToLower(line), "flow control ")
	if !ok {
		return true
	}
	p.KnowOnce("flow_control", rest)
	if _, oper, ok := strings.Cut(rest, "oper "); ok && p.Oper.OK && p.Oper.Value == "up" {
		on := strings.HasPrefix(oper, "enabled")
		text.Set(&p.FlowIn, on)
		text.Set(&p.FlowOut, on)
	}
	return true
}

// hardware reads "Hardware is GigabitEthernet, address is 0024.38a5.1c00 (bia 0024.38a5.1c00)".
func hardware(p *block.Port, line string) bool {
	rest, ok := strings.CutPrefix(line, "Hardware is ")
	if !ok {
		return false
	}
	kind, addr, _ := strings.Cut(rest, ", address is ")
	p.KnowOnce("hardware", kind)
	mac, bia, _ := strings.Cut(addr, " (bia ")
	p.KnowOnce("mac", mac)
	p.KnowOnce("bia", strings.TrimRight(bia, ")"))
	if m, ok := text.MAC(strings.TrimSpace(mac)); ok {
		p.MAC = m
	}
	if v := hardwareSpeed(kind); v > 0 {
		text.Set(&p.SpeedMax, v)
	}
	return true
}

// hardwareSpeed returns what the hardware of a kind offers: "10GigabitEthernet" is 10 Gbit/s, "GigabitEthernet" 1.
func hardwareSpeed(kind string) uint64 {
	n, rest, ok := text.Uint32(kind)
	switch {
	case ok && n > 0 && n <= 800 && rest == "GigabitEthernet":
		return uint64(n) * 1e9
	case kind == "GigabitEthernet" || kind == "GigEthernet":
		return 1e9
	}
	return 0
}

// names reads "Port name is to core 1", "No port name" and "Port up for 128 day(s) 19 hour(s)".
func names(p *block.Port, line string) bool {
	if name, ok := strings.CutPrefix(line, "Port name is "); ok {
		if p.Alias == "" {
			p.Alias = strings.TrimSpace(name)
		}
		return true
	}
	for _, state := range []string{"up", "down"} {
		if since, ok := strings.CutPrefix(line, "Port "+state+" for "); ok {
			p.KnowOnce("since", since)
			return true
		}
	}
	return line == "No port name"
}

// addressing reads "Internet address is 10.0.0.1/24, IP MTU 1500 bytes, encapsulation ethernet" and its parts.
func addressing(p *block.Port, line string) bool {
	known := block.Figures(p, line)
	for part := range strings.SplitSeq(line, ",") {
		part = strings.TrimSpace(part)
		if ip, ok := strings.CutPrefix(part, "Internet address is "); ok {
			p.KnowOnce("ip", ip)
			known = true
		}
		if kind, ok := strings.CutPrefix(part, "encapsulation "); ok {
			p.KnowOnce("encapsulation", kind)
			known = true
		}
	}
	return known
}
