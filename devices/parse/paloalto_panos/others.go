package paloalto_panos

import (
	"net/netip"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// HighAvailability reads "show high-availability state" and "show high-availability all": the states of both units
// and since when, and whether they hold the same configuration and sessions. A unit that stands alone has none.
func HighAvailability(output string, r *devices.Reading) {
	g := devices.Redundancy{Protocol: "panos", Group: "ha"}
	peer := false
	synced := func(ok bool) { g.Synced = devices.Some(ok && (!g.Synced.OK || g.Synced.Value)) }
	for line := range text.Each(output) {
		label, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch {
		case label == "Local Information":
			peer = false
		case label == "Peer Information":
			peer = true
		case label == "State" && peer:
			word, _, _ := strings.Cut(value, " ")
			g.Peer = haState(word)
		case label == "State":
			word, rest, _ := strings.Cut(value, " ")
			g.State = haState(word)
			if d, ok := text.Ago(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(rest), "(last "), ")")); ok {
				g.Since = devices.Some(d)
			}
		case label == "Last suspended state reason" && !peer, label == "State Reason" && !peer, label == "Last non-functional state reason" && !peer:
			g.Reason = value
		case label == "Priority" && !peer:
			if n, rest, ok := text.Uint32(value); ok && rest == "" {
				g.Priority = devices.Some(n)
			}
		case label == "State Synchronization":
			word, _, _ := strings.Cut(value, ";")
			synced(strings.EqualFold(word, "complete"))
		case label == "Running Configuration":
			word, _, _ := strings.Cut(value, " ")
			synced(word == "synchronized")
		}
	}
	if g.State == "" {
		return
	}
	r.Redundancy = append(r.Redundancy, g)
}

// haState returns PAN-OS' word for a state in those of devices.Redundancy.
func haState(word string) string {
	switch word {
	case "active-primary", "active-secondary":
		return "active"
	case "passive":
		return "standby"
	case "initial":
		return "init"
	case "non-functional":
		return "failed"
	}
	return word
}

// SessionInfo reads "show session info": how many sessions there are and may be, of all data planes together.
func SessionInfo(output string, r *devices.Reading) {
	s := devices.Sessions{}
	add := func(o *devices.Opt[uint64], value string) {
		if n := text.Count(value); n.OK {
			*o = devices.Some(o.Value + n.Value.Value)
		}
	}
	for line := range text.Each(output) {
		label, value, _ := strings.Cut(line, ":")
		switch label {
		case "Number of sessions supported":
			add(&s.Limit, value)
		case "Number of allocated sessions":
			add(&s.Active, value)
		}
	}
	if s.Active.OK || s.Limit.OK {
		r.Sessions = &s
	}
}

// ARP reads "show arp all": interface, address, hardware address or "(incomplete)", port, status and the seconds that
// are left of the row's time.
func ARP(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		ip, err := netip.ParseAddr(f[1])
		if err != nil {
			continue
		}
		b := devices.Binding{IP: ip.WithZone(""), Port: f[0], Kind: "dynamic"}
		if mac, ok := text.MAC(f[2]); ok {
			b.MAC = mac
		} else {
			b.Kind = "invalid"
		}
		if b.MAC != "" && f[len(f)-2] == "s" {
			b.Kind = "static"
		}
		r.Bindings = append(r.Bindings, b)
	}
}

// SystemInfo reads "show system info": the host's name, the model and the release.
func SystemInfo(output string, r *devices.Reading) {
	model, release := "", ""
	for line := range text.Each(output) {
		label, value, _ := strings.Cut(line, ": ")
		switch value = strings.TrimSpace(value); label {
		case "hostname":
			if value != "" {
				text.Set(&r.SysName, value)
			}
		case "model":
			model = value
		case "sw-version":
			release = value
		}
	}
	if model != "" || release != "" {
		text.Set(&r.SysDescr, strings.TrimSpace("Palo Alto Networks "+model+" PAN-OS "+release))
	}
}
