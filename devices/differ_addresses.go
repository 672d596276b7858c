package devices

import (
	"maps"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
)

func sortedKeys(ms ...map[string]string) []string {
	all := map[string]bool{}
	for _, m := range ms {
		for k := range m {
			all[k] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// neighbours tells that a port's neighbour is another one. A port may have several: a phone and what is behind it.
func (w *writer) neighbours() {
	if w.reading.Neighbours == nil {
		return
	}
	now := map[string]string{}
	for _, n := range w.reading.Neighbours {
		k := n.Port + "\x00" + n.Protocol
		now[k] = joined(now[k], strings.TrimSpace(firstOf(n.System, n.Chassis, n.Address.String())+" "+n.PortID))
	}
	w.rowsTurned("neighbours", now, func(key, from, to string, between timeline.Span) {
		port, protocol, _ := strings.Cut(key, "\x00")
		text := strings.ToUpper(protocol) + " neighbour of " + port + ": "
		switch {
		case from == "":
			text += to + " appeared"
		case to == "":
			text += from + " went"
		default:
			text += to + " instead of " + from
		}
		w.event(timeline.Port(w.reading.Device, port), timeline.EventNeighbour, between, text, map[string]string{"protocol": protocol, "from": from, "to": to})
	})
}

func firstOf(words ...string) string {
	for _, s := range words {
		if s != "" {
			return s
		}
	}
	return ""
}

// joined adds a name to a list of names in alphabetic order.
func joined(list, name string) string {
	if list == "" {
		return name
	}
	names := append(strings.Split(list, ", "), name)
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// stations tells that addresses moved between ports: those that took the same way are one event.
func (w *writer) stations() {
	if w.reading.Stations == nil {
		return
	}
	now := map[string]string{}
	for _, s := range w.reading.Stations {
		if s.Port == "" || s.Status == "self" || s.Status == "invalid" {
			continue
		}
		vlan := ""
		if s.VLAN.OK {
			vlan = s.VLAN.String()
		}
		now[s.MAC+" "+vlan] = s.Port
	}
	type way struct{ from, to string }
	moves := map[way][]string{}
	var order []way
	var span timeline.Span
	w.rowsTurned("stations", now, func(key, from, to string, between timeline.Span) {
		if from == "" || to == "" {
			return // learned or aged out
		}
		k := way{from, to}
		if moves[k] == nil {
			order = append(order, k)
		}
		moves[k], span = append(moves[k], key), between
	})
	for _, k := range order {
		mac, vlan, _ := strings.Cut(moves[k][0], " ")
		attrs := map[string]string{"mac": mac, "vlan": vlan, "from": k.from, "to": k.to}
		text := mac + " moved from " + k.from + " to " + k.to
		if n := len(moves[k]); n > 1 {
			attrs["count"] = count(uint64(n))
			text += ", and " + count(uint64(n-1)) + " more"
		}
		w.event(w.device, timeline.EventMACMove, span, text, attrs)
	}
}

// bindings tells that an IP address belongs to another MAC address.
func (w *writer) bindings() {
	if w.reading.Bindings == nil {
		return
	}
	now := map[string]string{}
	for _, b := range w.reading.Bindings {
		if b.MAC != "" && b.Kind != "invalid" {
			k := b.IP.String() + " " + b.Port
			now[k] = joined(now[k], b.MAC)
		}
	}
	w.rowsTurned("bindings", now, func(key, from, to string, between timeline.Span) {
		if from == "" || to == "" {
			return // learned or aged out
		}
		ip, port, _ := strings.Cut(key, " ")
		w.event(w.device, timeline.EventBinding, between, ip+" is at "+to+" instead of "+from, map[string]string{"ip": ip, "from": from, "to": to, "port": port})
	})
}
