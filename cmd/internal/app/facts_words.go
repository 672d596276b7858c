package app

import (
	"slices"
	"strings"

	"whydrop/correlate/timeline"
)

// Words of facts have one canonical spelling each, which the schema lists. What people write for the same thing is taken for it
// where it can mean nothing else.

// wordsForProto are other words for a kind of test.
var wordsForProto = map[string]string{
	"ping": "icmp", "icmpv6": "icmp", "icmp6": "icmp", "https": "http", "tcp-connect": "connect", "syn": "connect", "twamp": "stamp", "twamp-light": "stamp",
}

// wordsForDirection are other words for a direction, seen from who measures.
var wordsForDirection = map[string]string{
	"fwd": timeline.Forward, "up": timeline.Forward, "upload": timeline.Forward, "upstream": timeline.Forward, "tx": timeline.Forward, "send": timeline.Forward,
	"outbound": timeline.Forward, "c2s": timeline.Forward, "client-to-server": timeline.Forward,
	"rev": timeline.Reverse, "down": timeline.Reverse, "download": timeline.Reverse, "downstream": timeline.Reverse, "rx": timeline.Reverse,
	"receive": timeline.Reverse, "inbound": timeline.Reverse, "s2c": timeline.Reverse, "server-to-client": timeline.Reverse, "-r": timeline.Reverse,
	"bidir": timeline.Both, "bidirectional": timeline.Both, "--bidir": timeline.Both, "two-way": timeline.Both, "dual": timeline.Both, "duplex": timeline.Both,
}

// eventWord is what a word for a type of event says: the type, and perhaps an attribute.
type eventWord struct {
	typ        timeline.EventType
	key, value string
}

// wordsForEvents are the words of logs, traps and people for types of events, with dots between their parts.
var wordsForEvents = spelled(map[eventWord][]string{
	{timeline.EventOper, "to", "down"}:            {"link.down", "linkdown", "port.down", "if.down", "interface.down", "carrier.lost", "link.flap", "linkflap", "port.flap", "if.flap", "flap"},
	{timeline.EventOper, "to", "up"}:              {"link.up", "linkup", "port.up", "if.up", "interface.up"},
	{typ: timeline.EventSpeed}:                    {"speed", "speed.change", "link.speed"},
	{typ: timeline.EventDuplex}:                   {"duplex", "duplex.change"},
	{typ: timeline.EventTopologyChange}:           {"topology.change", "topologychange", "tc", "tcn", "stp.tc", "stp.tcn", "stp.topology"},
	{typ: timeline.EventSTPState}:                 {"stp.port.state", "port.state", "stp"},
	{typ: timeline.EventSTPRole}:                  {"stp.port.role", "port.role"},
	{typ: timeline.EventRootBridge}:               {"root.change", "new.root", "newroot", "stp.root", "stp.root.change", "stp.new.root"},
	{typ: timeline.EventFailover}:                 {"failover", "ha", "ha.switchover", "ha.switch", "ha.state", "firewall.failover", "switchover"},
	{typ: timeline.EventMACMove}:                  {"mac.move", "mac.moved", "mac.flap", "macflap", "mac.flapping", "fdb.move"},
	{typ: timeline.EventRestart}:                  {"reboot", "restart", "reload", "cold.start", "coldstart", "warm.start", "crash", "device.reboot", "device.restart"},
	{timeline.EventErrDisabled, "to", "disabled"}: {"err.disable", "errdisable", "err.disabled", "errdisabled", "port.err.disabled"},
	{typ: timeline.EventDuplexMismatch}:           {"duplex.mismatch"},
	{typ: timeline.EventGateway}:                  {"gateway", "gateway.change", "gateway.failover", "fhrp", "glbp"},
	{timeline.EventGateway, "protocol", "hsrp"}:   {"hsrp", "hsrp.state", "hsrp.change"},
	{timeline.EventGateway, "protocol", "vrrp"}:   {"vrrp", "vrrp.state", "vrrp.change"},
	{typ: timeline.EventMember}:                   {"stack", "stack.change"},
	{typ: timeline.EventLAGMember}:                {"lag", "lacp", "lacp.state", "bundle.member"},
	{typ: timeline.EventUDLD}:                     {"udld"},
	{typ: timeline.EventStorm}:                    {"storm", "broadcast.storm", "stormcontrol"},
	{typ: timeline.EventPower}:                    {"poe", "power"},
	{typ: timeline.EventNeighbour}:                {"lldp", "cdp", "neighbour", "neighbor", "lldp.neighbor", "cdp.neighbor", "cdp.neighbour"},
	{typ: timeline.EventBinding}:                  {"arp", "arp.change", "arp.flap"},
	{timeline.EventBinding, "conflict", "true"}:   {"duplicate.address", "duplicate.ip", "ip.conflict", "arp.conflict", "address.conflict"},
	{typ: timeline.EventRoute}:                    {"route", "routing", "routing.change", "route.flap"},
	{timeline.EventRoute, "protocol", "bgp"}:      {"bgp", "bgp.state", "bgp.down", "bgp.flap"},
	{timeline.EventRoute, "protocol", "ospf"}:     {"ospf", "ospf.state", "ospf.down", "ospf.flap"},
	{timeline.EventRoute, "protocol", "isis"}:     {"isis"},
	{typ: timeline.EventOptics}:                   {"optics", "dom"},
	{typ: timeline.EventOutage}:                   {"outage", "stall"},
	{typ: timeline.EventSyslog}:                   {"log", "log.line"},
	{typ: timeline.EventMark}:                     {"note", "comment", "remark", "observation", "config.change", "change"},
	{typ: timeline.EventCleared}:                  {"counters.cleared", "clear.counters"},
	{typ: timeline.EventCable}:                    {"tdr", "cable.test", "cable.diagnostics"},
})

func spelled(words map[eventWord][]string) map[string]eventWord {
	out := map[string]eventWord{}
	for w, spellings := range words {
		for _, s := range spellings {
			out[s] = w
		}
	}
	return out
}

// useCanonicalWords puts the canonical word in the place of each other word for the same.
func (f *factsFile) useCanonicalWords() {
	for i := range f.Ports {
		f.Ports[i].Duplex.canonical(nil)
	}
	for i := range f.Probes {
		f.Probes[i].Proto.canonical(wordsForProto)
		f.Probes[i].Direction.canonical(wordsForDirection)
	}
	types := eventNames()
	for i := range f.Events {
		e := &f.Events[i]
		for _, t := range types {
			if strings.EqualFold(t, e.Type.text) {
				e.Type.text = t
			}
		}
		w, ok := wordsForEvents[withDots(e.Type.text)]
		if !ok || slices.Contains(types, e.Type.text) {
			continue
		}
		e.Type.text = string(w.typ)
		if w.key != "" {
			e.word = map[string]string{w.key: w.value}
		}
	}
}

// canonical puts the canonical word in the scalar's place.
func (s *scalar) canonical(words map[string]string) {
	word := strings.ToLower(strings.TrimSpace(s.text))
	if w, ok := words[strings.Join(strings.FieldsFunc(word, func(r rune) bool { return r == ' ' || r == '_' }), "-")]; ok {
		word = w
	}
	s.text = word
}

// withDots writes a word with dots between its parts.
func withDots(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" ._-", r) }), ".")
}
