package syslog

import (
	"strings"

	"whydrop/devices"
)

// messages lists what is understood beyond the header, by facility and mnemonic. A new message is one line here.
var messages = map[string]func(*attrs, string){
	"LINK-UPDOWN":                       linkState,
	"LINK-CHANGED":                      linkState,
	"PKT_INFRA-UPDOWN":                  linkState, // IOS-XR: %PKT_INFRA-LINK-3-UPDOWN
	"LINEPROTO-UPDOWN":                  lineProtocol,
	"ETHPORT-IF_UP":                     portUp, // NX-OS
	"SPANTREE-TOPOTRAP":                 topologyTrap,
	"SPANTREE-PORT_STATE":               portState,
	"SPANTREE-ROOTCHANGE":               rootChange,
	"CDP-DUPLEX_MISMATCH":               duplexMismatch,
	"PM-ERR_DISABLE":                    errDisable,
	"PM-ERR_RECOVER":                    errRecover,
	"SW_MATM-MACFLAP_NOTIF":             macFlap,
	"HSRP-STATECHANGE":                  roleChange,
	"STANDBY-STATECHANGE":               roleChange, // HSRP before IOS 12.4
	"VRRP-STATECHANGE":                  roleChange,
	"ASA-104001":                        failover("active"),
	"ASA-104002":                        failover("standby"),
	"ASA-411001":                        lineProtocol,
	"ASA-411002":                        lineProtocol,
	"FTD-104001":                        failover("active"),
	"FTD-104002":                        failover("standby"),
	"ETHPORT-IF_DOWN_LINK_FAILURE":      portDown,
	"ETHPORT-IF_DOWN_ADMIN_DOWN":        portDown,
	"ETHPORT-IF_DOWN_ERROR_DISABLED":    portDown,
	"ETHPORT-IF_DOWN_INTERFACE_REMOVED": portDown,
	"UDLD-UDLD_PORT_DISABLED":           udld,
}

// attrs collects what a message says.
type attrs struct{ line *devices.LogLine }

// set sets an attribute, unless the value is empty.
func (a attrs) set(key, value string) {
	if value = strings.TrimSpace(value); value == "" {
		return
	}
	if a.line.Attrs == nil {
		a.line.Attrs = map[string]string{}
	}
	a.line.Attrs[key] = value
}

func (a attrs) port(name string) {
	name = strings.Trim(name, " ,.;:()")
	if name != "" && strings.IndexByte(name, ' ') < 0 {
		a.line.Port = name
	}
}

func understand(l *devices.LogLine) {
	a := &attrs{l}
	if f := messages[l.Facility+"-"+l.Mnemonic]; f != nil {
		f(a, l.Message)
		return
	}
	// Any other message that names an interface in the usual words.
	if name, ok := wordAfter(l.Message, "nterface "); ok && strings.ContainsAny(name, "0123456789") {
		a.port(name)
	}
}

// wordAfter returns the word that follows mark.
func wordAfter(s, mark string) (string, bool) {
	_, rest, ok := strings.Cut(s, mark)
	if !ok {
		return "", false
	}
	rest = strings.TrimLeft(rest, " ")
	if i := strings.IndexAny(rest, " ,;"); i >= 0 {
		rest = rest[:i]
	}
	return strings.TrimRight(rest, "."), rest != ""
}

// between returns what stands between two marks; without the second, all that is left.
func between(s, from, to string) string {
	_, rest, ok := strings.Cut(s, from)
	if !ok {
		return ""
	}
	rest, _, _ = strings.Cut(rest, to)
	return strings.TrimSpace(rest)
}

// linkState: "Interface GigabitEthernet1/0/1, changed state to administratively down".
func linkState(a *attrs, m string) {
	name, _ := wordAfter(m, "nterface ")
	a.port(name)
	a.set("layer", "link")
	_, state, ok := strings.Cut(m, "changed state to ")
	if !ok {
		return
	}
	state = strings.ToLower(strings.TrimRight(state, ". "))
	if state == "administratively down" {
		a.set("admin", "down")
		state = "down"
	}
	a.set("state", state)
}

// lineProtocol: "Line protocol on Interface GigabitEthernet1/0/1, changed state to up".
func lineProtocol(a *attrs, m string) {
	linkState(a, m)
	a.set("layer", "protocol")
}

// portUp: "Interface Ethernet1/33 is up in mode trunk".
func portUp(a *attrs, m string) {
	name, _ := wordAfter(m, "nterface ")
	a.port(name)
	a.set("layer", "link")
	a.set("state", "up")
}

// portDown: "Interface Ethernet1/3 is down (Error disabled. Reason:...)".
func portDown(a *attrs, m string) {
	portUp(a, m)
	a.set("state", "down")
}

// topologyTrap: "Topology Change Trap for vlan 10", "... for instance 1".
func topologyTrap(a *attrs, m string) { a.set("instance", instance(m)) }

func instance(m string) string {
	for _, mark := range []string{"vlan ", "instance ", "VLAN"} {
		if w, ok := wordAfter(m, mark); ok {
			return strings.TrimRight(w, ":")
		}
	}
	return ""
}

// portState: "Port Gi1/0/1 instance 1 moving from blocking to forwarding".
func portState(a *attrs, m string) {
	name, _ := wordAfter(m, "ort ")
	a.port(name)
	a.set("instance", instance(m))
	a.set("from", strings.ToLower(between(m, " from ", " to ")))
	to, _ := wordAfter(m, " to ")
	a.set("to", strings.ToLower(to))
}

// rootChange: "Root Changed for vlan 10: New Root Port is GigabitEthernet1/0/1. New Root Mac Address is
// 0011.2233.4455".
func rootChange(a *attrs, m string) {
	a.set("instance", instance(m))
	if name, ok := wordAfter(m, "New Root Port is "); ok {
		a.set("root_port", name)
		a.port(name)
	}
	mac, _ := wordAfter(m, "New Root Mac Address is ")
	a.set("root", mac)
}

// duplexMismatch: "duplex mismatch discovered on FastEthernet0/1 (not full duplex), with SW2 GigabitEthernet0/24
// (full duplex)."
func duplexMismatch(a *attrs, m string) {
	name, _ := wordAfter(m, "discovered on ")
	a.port(name)
	own, peer, _ := strings.Cut(m, "), with ")
	a.set("duplex", duplexWord(own))
	if peer == "" {
		return
	}
	who, how, _ := strings.Cut(peer, "(")
	if i := strings.LastIndexByte(strings.TrimSpace(who), ' '); i > 0 {
		a.set("neighbor", who[:i])
		a.set("neighbor_port", who[i:])
	}
	a.set("neighbor_duplex", duplexWord("("+how))
}

// duplexWord reads "(not full duplex" or "(half duplex)".
func duplexWord(s string) string {
	_, s, _ = strings.Cut(s, "(")
	not := strings.HasPrefix(s, "not ")
	full := strings.Contains(s, "full")
	if !full && !strings.Contains(s, "half") {
		return ""
	}
	if full != not {
		return "full"
	}
	return "half"
}

// errDisable: "link-flap error detected on Gi1/0/1, putting Gi1/0/1 in err-disable state".
func errDisable(a *attrs, m string) {
	cause, rest, ok := strings.Cut(m, " error detected on ")
	if ok {
		a.set("cause", cause)
		name, _ := wordAfter(" "+rest, " ")
		a.port(name)
	}
	a.set("state", "err-disabled")
}

// errRecover: "Attempting to recover from link-flap err-disable state on Gi1/0/1".
func errRecover(a *attrs, m string) {
	a.set("cause", between(m, "recover from ", " err-disable"))
	name, _ := wordAfter(m, " state on ")
	a.port(name)
}

// macFlap: "Host f03a.b216.7ad7 in vlan 10 is flapping between port Gi0/5 and port Gi0/15".
func macFlap(a *attrs, m string) {
	mac, _ := wordAfter(m, "Host ")
	a.set("mac", mac)
	a.set("instance", instance(m))
	name, _ := wordAfter(m, "between port ")
	a.port(name)
	other, _ := wordAfter(m, "and port ")
	a.set("other_port", other)
}

// roles maps the states of HSRP (RFC 2281) and VRRP (RFC 5798) that are roles.
var roles = map[string]string{"active": "active", "master": "active", "standby": "standby", "backup": "standby"}

// roleChange: "GigabitEthernet0/1 Grp 1  state Active -> Speak".
func roleChange(a *attrs, m string) {
	name, _, _ := strings.Cut(m, " ")
	a.port(name)
	group, _ := wordAfter(m, "Grp ")
	a.set("group", group)
	from, to, ok := strings.Cut(m, "->")
	if !ok {
		return
	}
	_, from, _ = strings.Cut(from, " state ")
	to = strings.ToLower(strings.TrimSpace(to))
	a.set("from", strings.ToLower(from))
	a.set("to", to)
	a.set("role", roles[to])
}

// udld: "UDLD disabled interface Gi0/1, unidirectional link detected".
func udld(a *attrs, m string) {
	name, _ := wordAfter(m, "nterface ")
	a.port(name)
	a.set("state", "err-disabled")
	a.set("cause", "udld")
}

// failover: "(Primary) Switching to ACTIVE - HELLO not heard from mate." or "(Secondary) Switching to STANDBY
// (cause: ...)".
func failover(role string) func(*attrs, string) {
	return func(a *attrs, m string) {
		a.set("role", role)
		if strings.HasPrefix(m, "(") {
			a.set("unit", strings.ToLower(between(m, "(", ")")))
		}
		reason := between(m, "cause:", ")")
		if reason == "" {
			_, reason, _ = strings.Cut(m, " - ")
		}
		a.set("reason", strings.TrimRight(reason, ". "))
	}
}
