package huawei_vrp

import (
	"net/netip"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// DisplayARP reads "display arp": address, hardware address, minutes until it expires, kind and interface. The line
// below that may hold the VLAN is left alone.
func DisplayARP(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for f := range tables.Rows(output) {
		const fewest = 4
		ip, err := netip.ParseAddr(f[0])
		if err != nil || len(f) < fewest {
			continue
		}
		b := devices.Binding{IP: ip.WithZone("")}
		if mac, ok := text.MAC(f[1]); ok {
			b.MAC = mac
		} else if !strings.EqualFold(f[1], "Incomplete") {
			continue
		}
		for n, word := range f[2:] {
			kind, _, _ := strings.Cut(word, "-")
			switch {
			case b.Kind == "" && kinds[kind] != "":
				b.Kind = kinds[kind]
			case n > 0 && b.Port == "" && text.IsLetter(word[0]) && block.IsPortName(word), n > 0 && b.Port == "" && text.IsDigit(word[0]) && strings.Contains(word, "GE") && block.IsPortName(word):
				b.Port = word
			}
		}
		if b.MAC == "" {
			b.Kind = "invalid"
		}
		if b.Kind == "" {
			b.Kind = "other"
		}
		r.Bindings = append(r.Bindings, b)
	}
}

// kinds lists the letters of the column TYPE, which the slot may follow: "D-0".
var kinds = map[string]string{"D": "dynamic", "S": "static", "I": "local", "DF": "dynamic", "SF": "static", "RB": "other", "OF": "other"}

// DisplayLLDPNeighbor reads "display lldp neighbor": for each port, "GigabitEthernet0/0/1  has 1 neighbor(s):" and its
// neighbours by their labels.
func DisplayLLDPNeighbor(output string, r *devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = []devices.Neighbour{}
	}
	port, have := "", false
	var cur devices.Neighbour
	finish := func() {
		if have && (cur.Chassis != "" || cur.System != "") {
			r.Neighbours = append(r.Neighbours, cur)
		}
		cur, have = devices.Neighbour{Port: port, Protocol: "lldp"}, false
	}
	for line := range text.Each(output) {
		if name, _, ok := strings.Cut(line, " has "); ok && strings.Contains(line, "neighbor") && block.IsPortName(strings.TrimSpace(name)) {
			finish()
			port = strings.TrimSpace(name)
			cur.Port = port
			continue
		}
		if strings.HasPrefix(line, "Neighbor index") {
			finish()
			continue
		}
		if label, value, ok := strings.Cut(line, ":"); ok && port != "" {
			have = neighbour(&cur, strings.ToLower(strings.TrimSpace(label)), strings.TrimSpace(value)) || have
		}
	}
	finish()
}

// neighbour reads one label of a neighbour, and says whether it knew it.
func neighbour(n *devices.Neighbour, label, value string) bool {
	if text.Unset(value) {
		return false
	}
	switch label {
	case "chassis id", "port id":
		if mac, ok := text.MAC(value); ok {
			value = mac
		}
		if label == "port id" {
			n.PortID = value
		} else {
			n.Chassis = value
		}
	case "port description":
		n.PortText = value
	case "system name":
		n.System = value
	case "system description":
		n.Platform = value
	case "management address", "management address value":
		value, _, _ = strings.Cut(value, " ")
		if ip, err := netip.ParseAddr(value); err == nil && !n.Address.IsValid() {
			n.Address = ip.WithZone("")
		}
	case "maximum frame size", "maximum frame length":
		if size, _, ok := text.Uint32(value); ok {
			n.MTU = devices.Some(size)
		}
	case "port vlan id(pvid)":
		if id, rest, ok := text.Uint32(value); ok && rest == "" && id < 4095 {
			n.VLAN = devices.Some(id)
		}
	default:
		return false
	}
	return true
}

// DisplayClock reads the first line of "display clock", "2026-11-30 14:02:05+01:00", with or without its zone.
func DisplayClock(output string) (time.Time, bool) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		for _, layout := range []string{"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05"} {
			if t, err := time.Parse(layout, line); err == nil {
				return t, true
			}
		}
	}
	return time.Time{}, false
}
