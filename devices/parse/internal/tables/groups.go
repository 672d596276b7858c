package tables

import (
	"net/netip"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
)

// Groups reads groups of routers of which one is active, in detail, as IOS, NX-OS, IOS XR and EOS print them: HSRP
// (RFC 2281) and VRRP (RFC 5798). Their states are in the words of devices.Redundancy: VRRP's master is active, its
// backup is standby.
func Groups(output, protocol string, r *devices.Reading) {
	if r.Redundancy == nil {
		r.Redundancy = []devices.Redundancy{}
	}
	var cur *devices.Redundancy
	for line := range text.Each(output) {
		if port, group, ok := groupHeader(line); ok {
			r.Redundancy = append(r.Redundancy, devices.Redundancy{Protocol: protocol, Port: port, Group: group})
			cur = &r.Redundancy[len(r.Redundancy)-1]
		} else if cur != nil && line != "" {
			groupLine(cur, line)
		}
	}
}

// groupHeader reads "Vlan111 - Group 1", "GigabitEthernet0/0/0/1 - IPv4 Group 5 (version 1)", "Vlan11 - Group 2 -
// Address-Family IPv6" and "Vlan100 - Group 1 (VRRP-V2)".
func groupHeader(line string) (port, group string, ok bool) {
	port, rest, ok := strings.Cut(line, " - ")
	if !ok || !block.IsPortName(port) {
		return "", "", false
	}
	_, rest, ok = strings.Cut(rest, "Group ")
	if !ok {
		return "", "", false
	}
	group, more, _ := strings.Cut(rest, " ")
	if _, after, ok := strings.Cut(more, "Address-Family "); ok && strings.HasPrefix(after, "IPv6") {
		group += " IPv6"
	}
	return port, group, group != "" && text.IsDigit(group[0])
}

func groupLine(g *devices.Redundancy, line string) {
	lower := strings.ToLower(line)
	switch {
	case strings.HasPrefix(lower, "state is "), strings.HasPrefix(lower, "local state is "), strings.HasPrefix(lower, "state: "):
		groupState(g, line)
	case strings.HasPrefix(lower, "state duration "):
		if d, ok := text.Ago(line[len("state duration "):]); ok {
			text.Set(&g.Since, d)
		}
	case strings.HasPrefix(lower, "state change reason is "):
		g.Reason = line[len("state change reason is "):]
	case strings.Contains(lower, "ip address is "):
		_, v, _ := strings.Cut(line, "address is ")
		v, _, _ = strings.Cut(strings.TrimSpace(v), " ")
		if ip, err := netip.ParseAddr(strings.TrimRight(v, ",")); err == nil && !g.Virtual.IsValid() {
			g.Virtual = ip
		}
	case strings.HasPrefix(lower, "active router is "), strings.HasPrefix(lower, "master router is "):
		g.Active = unknownRouter(line[len("active router is "):])
	case strings.HasPrefix(lower, "standby router is "):
		if who := unknownRouter(line[len("standby router is "):]); who != "" && who != "local" {
			g.Peer = "standby"
		}
	case strings.HasPrefix(lower, "priority is "):
		priority(g, line[len("priority is "):])
	case strings.HasPrefix(lower, "priority "):
		priority(g, line[len("priority "):])
	case strings.Contains(lower, "state change"):
		changes(g, line)
	}
}

// groupState reads "State is Active" and "Local state is Initial(Interface Down), priority 110 (Cfged 110)".
func groupState(g *devices.Redundancy, line string) {
	_, v, ok := strings.Cut(line, "tate is ")
	if !ok {
		_, v, _ = strings.Cut(line, ": ")
	}
	v, rest, _ := strings.Cut(v, ",")
	state, why, _ := strings.Cut(v, "(")
	g.State = GroupState(strings.TrimSpace(state))
	if why = strings.Trim(why, ") "); why != "" && g.Reason == "" {
		g.Reason = why
	}
	if _, p, ok := strings.Cut(rest, "priority "); ok {
		priority(g, p)
	}
}

// GroupState returns a state in the words of devices.Redundancy, or in the device's own.
func GroupState(s string) string {
	switch lower := strings.ToLower(s); lower {
	case "active", "master", "primary":
		return "active"
	case "standby", "backup", "secondary", "hot standby":
		return "standby"
	case "init", "initial", "initialize":
		return "init"
	case "listen", "speak", "learn", "disabled", "failed":
		return lower
	}
	return s
}

// unknownRouter returns an address, "local", or "" for one that is unknown.
func unknownRouter(s string) string {
	s = strings.TrimSpace(s)
	local := strings.Contains(s, "(local)")
	s, _, _ = strings.Cut(s, ",")
	s, _, _ = strings.Cut(s, " ")
	switch {
	case s == "unknown", s == "":
		return ""
	case local:
		return "local"
	}
	return s
}

func priority(g *devices.Redundancy, s string) {
	if n, _, ok := text.Uint32(s); ok {
		text.Set(&g.Priority, n)
	}
}

// changes reads "1 state change, last state change 26w2d".
func changes(g *devices.Redundancy, line string) {
	n, _, ok := text.Number(line)
	if !ok {
		return
	}
	text.SetOpt(&g.Changes, n)
	if v, ok := text.After(line, "last state change "); ok {
		if d, ok := text.Ago(v); ok {
			text.Set(&g.Since, d)
		}
	}
}
