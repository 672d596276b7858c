package fortios

import (
	"net/netip"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// HAStatus reads "get system ha status": the state of the unit that was asked, which the vcluster line gives, who is
// the primary, and whether all units hold the same configuration. A unit that stands alone has none.
func HAStatus(output string, r *devices.Reading) {
	g := devices.Redundancy{Protocol: "fortigate", Group: "ha"}
	lines := text.NewLines(output)
	alone, others, section := true, false, ""
	for {
		line, _, _, ok := lines.Next()
		if !ok {
			break
		}
		label, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		label, value = strings.TrimSpace(label), strings.TrimSpace(value)
		if value == "" && !strings.Contains(label, "(updated") {
			section = label
		}
		switch {
		case label == "Mode":
			alone = strings.HasPrefix(value, "Standalone")
			if strings.HasPrefix(value, "HA A-A") {
				g.Group = "ha active-active"
			}
		case section == "Configuration Status" && strings.Contains(label, "(updated"):
			g.Synced = devices.Some(value == "in-sync" && (!g.Synced.OK || g.Synced.Value))
		case (label == "Master" || label == "Primary") && g.Active == "":
			g.Active = serial(value)
		case label == "Slave" || label == "Secondary":
			others = true
		case strings.HasPrefix(label, "vcluster ") && g.State == "":
			word, _, _ := strings.Cut(value, " ")
			g.State = haState(word)
		case strings.HasSuffix(section, "selected using") && g.Reason == "" && strings.HasPrefix(line, "<"):
			_, g.Reason, _ = strings.Cut(line, "> ")
		}
	}
	if alone || g.State == "" && g.Active == "" {
		return
	}
	if g.State == "active" && others {
		g.Peer = "standby"
	} else if g.State == "standby" && g.Active != "" {
		g.Peer = "active"
	}
	r.Redundancy = append(r.Redundancy, g)
}

// haState returns FortiOS' word for a state in those of devices.Redundancy.
func haState(word string) string {
	switch word {
	case "work":
		return "active"
	case "hello":
		return "init"
	}
	return word
}

// serial returns the serial number in "fw-a, FGT60F0000000001, HA cluster index = 1" and in "FGT60F0000000001, HA
// operating index = 0".
func serial(s string) string {
	parts := strings.Split(s, ",")
	if len(parts) > 2 {
		return strings.TrimSpace(parts[1])
	}
	return strings.TrimSpace(parts[0])
}

// SessionInfo reads "session_count=24" of "get system session-info statistics".
func SessionInfo(output string, r *devices.Reading) {
	_, rest, ok := strings.Cut(output, "session_count=")
	if !ok {
		return
	}
	if n, _, ok := text.Number(rest); ok && n.OK {
		r.Sessions = &devices.Sessions{Active: devices.Some(n.Value.Value)}
	}
}

// Performance reads "get system performance status": "CPU states: 0% user 1% system 0% nice 99% idle ..." and
// "Memory: 2058256k total, 917544k used (44.6%), ...". Its sessions are averages, and left alone.
func Performance(output string, r *devices.Reading) {
	for line := range text.Each(output) {
		if rest, ok := strings.CutPrefix(line, "CPU states: "); ok {
			before, _, ok := strings.Cut(rest, "% idle")
			if v, end, isNumber := text.Float(before[strings.LastIndexByte(before, ' ')+1:]); ok && isNumber && end == "" && v >= 0 && v <= 100 {
				text.Set(&r.CPU, 1-v/100)
			}
		} else if rest, ok := strings.CutPrefix(line, "Memory: "); ok {
			_, share, _ := strings.Cut(rest, "used (")
			if v, end, ok := text.Float(share); ok && strings.HasPrefix(end, "%)") && v >= 0 && v <= 100 {
				text.Set(&r.Memory, v/100)
			}
		}
	}
}

// ARP reads "get system arp": address, age in minutes, hardware address and interface, whose name may be any word.
func ARP(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < 4 {
			continue
		}
		ip, err := netip.ParseAddr(f[0])
		mac, isMAC := text.MAC(f[2])
		if err != nil || !isMAC {
			continue
		}
		b := devices.Binding{IP: ip.WithZone(""), MAC: mac, Port: f[3], Kind: "dynamic"}
		if n, rest, ok := text.Uint32(f[1]); ok && rest == "" && n < 1<<20 {
			b.Age = devices.Some(time.Duration(n) * time.Minute)
		} else if f[1] == "-" {
			b.Kind = "static"
		}
		r.Bindings = append(r.Bindings, b)
	}
}
