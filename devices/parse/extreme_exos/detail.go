package extreme_exos

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowPortsInformationDetail reads "show ports information detail". A port's transitions are its link ups and downs
// together.
func ShowPortsInformationDetail(output string, r *devices.Reading) {
	ports, unread := block.Platform{Header: detailHeader, Line: detailLine}.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

// detailHeader reads "Port:	1:5" and "Port:	1:5(uplink)".
func detailHeader(p *block.Port, line string) bool {
	rest, ok := strings.CutPrefix(line, "Port:")
	if !ok {
		return false
	}
	name, display, _ := strings.Cut(strings.TrimSpace(rest), "(")
	p.Name = strings.TrimSpace(name)
	p.Know("display", strings.TrimSuffix(display, ")"))
	return block.IsPortName(p.Name)
}

// detailLabels are the labels that a field is for; every other label is a fact.
var detailLabels = map[string]func(p *block.Port, value string){
	"Description String": func(p *block.Port, v string) { p.Alias = strings.Trim(v, `"`) },
	"Type":               media, "Admin state": adminState, "Link State": detailState, "Link Ups": linkCount, "Link Downs": linkCount,
	"Jumbo": jumbo, "Flow Control": flowControl, "Name": vlanOf,
}

func detailLine(p *block.Port, line string, _ *text.Lines) bool {
	if strings.Contains(line, ", Mode=") && strings.Contains(line, "State=") {
		return treeState(p, line)
	}
	label, value, ok := strings.Cut(line, ":")
	if !ok {
		return line == "algorithm" // the line before goes on
	}
	value = strings.TrimSpace(value)
	label = strings.TrimSpace(label)
	if label != "Name" {
		p.Know(strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(label, " ", "_"), "-", "_")), value)
	}
	if read := detailLabels[label]; read != nil && value != "" {
		read(p, value)
	}
	return true
}

func media(p *block.Port, v string) {
	if text.Unset(v) {
		return
	}
	text.Set(&p.Media, v)
	if most, ok := text.MediaSpeed(v); ok {
		text.Set(&p.SpeedMax, most)
	}
}

// adminState reads "Enabled with auto-speed sensing auto-duplex" and "Disabled with  10G full-duplex".
func adminState(p *block.Port, v string) {
	word, setting, _ := strings.Cut(v, " ")
	switch word {
	case "Enabled":
		text.Set(&p.Admin, "up")
	case "Disabled":
		text.Set(&p.Admin, "down")
	}
	if strings.Contains(setting, "auto-speed") {
		text.Set(&p.Autoneg, true)
	} else if _, ok := text.Rate(setting); ok {
		text.Set(&p.Autoneg, false)
	}
}

// detailState reads "Active, 10Gbps, full-duplex" and "Ready (local fault)".
func detailState(p *block.Port, v string) {
	word := v
	if i := strings.IndexAny(v, ", ("); i >= 0 {
		word = v[:i]
	}
	linkState(p, word)
	if strings.Contains(v, "remote fault") {
		text.Set(&p.RemoteFault, true)
	}
	for part := range strings.SplitSeq(v, ",") {
		part = strings.TrimSpace(part)
		if bits, ok := text.Rate(part); ok && bits > 0 && bits <= text.MaxSpeed {
			text.Set(&p.Speed, uint64(bits))
		}
		if duplex, ok := strings.CutSuffix(part, "-duplex"); ok && (duplex == "full" || duplex == "half") {
			text.Set(&p.Duplex, duplex)
		}
	}
}

// linkCount reads "7        Last: Thu Jun 23 12:41:45 2022".
func linkCount(p *block.Port, v string) {
	number, _, _ := strings.Cut(v, " ")
	p.CarrierTransitions = text.Sum(p.CarrierTransitions, text.Count(number))
}

// jumbo reads "Enabled, MTU= 9216"; a port without jumbo frames has no number.
func jumbo(p *block.Port, v string) {
	if rest, ok := text.After(v, "MTU="); ok && strings.HasPrefix(v, "Enabled") {
		if n, _, ok := text.Uint32(strings.TrimSpace(rest)); ok {
			text.Set(&p.MTU, n)
		}
	}
}

// flowControl reads "Rx-Pause: Enabled	Tx-Pause: Disabled".
func flowControl(p *block.Port, v string) {
	rx, tx, ok := strings.Cut(v, "Tx-Pause:")
	rx, isRx := strings.CutPrefix(rx, "Rx-Pause:")
	if !ok || !isRx {
		return
	}
	text.Set(&p.FlowIn, strings.HasPrefix(strings.TrimSpace(rx), "Enabled"))
	text.Set(&p.FlowOut, strings.HasPrefix(strings.TrimSpace(tx), "Enabled"))
}

// vlanOf reads "Default, Internal Tag = 1, MAC-limit = No-limit, ...", "VLAN20, 802.1Q Tag = 20, ..." and the line of a
// protocol, which is passed over. A VLAN that is not tagged is the access VLAN.
func vlanOf(p *block.Port, v string) {
	name, rest, ok := strings.Cut(v, ",")
	if !ok {
		return
	}
	p.Know("vlan_name", name)
	if _, tag, ok := strings.Cut(rest, "Internal Tag = "); ok {
		if n, _, ok := text.Uint32(tag); ok && n > 0 && n < 4095 {
			text.Set(&p.AccessVLAN, n)
		}
	} else if _, tag, ok := strings.Cut(rest, "802.1Q Tag = "); ok {
		tag, _, _ = strings.Cut(tag, ",")
		p.Know("vlan", tag)
	}
}

// treeState reads "s1(enable), Tag=(none), Mode=802.1D, State=FORWARDING" of the first domain.
func treeState(p *block.Port, line string) bool {
	p.Know("stp", line)
	_, state, _ := strings.Cut(line, "State=")
	switch state = strings.ToLower(strings.TrimSpace(state)); state {
	case "disabled", "blocking", "listening", "learning", "forwarding":
		text.Set(&p.STPState, state)
	}
	return true
}
