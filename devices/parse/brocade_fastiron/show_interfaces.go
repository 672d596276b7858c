package brocade_fastiron

import (
	"strconv"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowInterfaces reads "show interfaces", of all ports or of one. The dropped packets of the egress queues are in
// Reading.Queues; where the port prints no drops of its own, their sum is its output drops.
func ShowInterfaces(output string, r *devices.Reading) {
	s := scanner{r: r}
	ports, unread := block.Platform{Header: header, Line: s.line, End: s.end}.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

// scanner is a reading's queues while its interfaces are read.
type scanner struct {
	r       *devices.Reading
	dropped devices.Opt[devices.Counter] // of the port's queues so far
}

// header reads "10GigabitEthernet1/1 is disabled, line protocol is down" and "Lag lg10 is up, line protocol is up".
func header(p *block.Port, line string) bool {
	name, status, protocol, reason, ok := block.Header(strings.TrimPrefix(line, "Lag "))
	if !ok || protocol == "" {
		return false
	}
	p.Name = name
	p.Know("status", status)
	p.Know("protocol", protocol)
	p.Know("reason", reason)
	p.Oper = block.Oper(protocol)
	p.Admin = devices.Some("up")
	switch lower := strings.ToLower(status + " " + reason); {
	case strings.Contains(lower, "err-dis"), strings.Contains(lower, "errdis"):
		p.ErrDisabled = "err-disabled"
	case strings.HasPrefix(lower, "disabled"), strings.HasPrefix(lower, "admin"):
		p.Admin = devices.Some("down")
	}
	return true
}

var (
	fields = block.With(map[string]block.Where{
		"multicasts": func(p *block.Port) *devices.Opt[devices.Counter] {
			if p.Out {
				return &p.OutMulticasts
			}
			return &p.InMulticasts
		},
	})
	facts = map[string]string{"unicasts": "_unicast_packets", "link failures": "link_failures"}
)

// prefixes lists how lines begin whose rest is a fact.
var prefixes = []struct{ begin, name string }{
	{"Loopback: ", "loopback"}, {"Interface type is ", "media"}, {"Configured mdi mode ", "mdi"}, {"Stacking Port", "stacking"}, {"Link Error Dampening is ", "dampening"},
	{"Openflow", "openflow"}, {"Mac-notification is ", "mac_notification"}, {"Not member of any active trunks", "no_trunk"}, {"Not member of any configured trunks", "no_configured_trunk"},
	{"Member of active trunk ports ", "trunk"}, {"Member of configured trunk ports ", "configured_trunk"}, {"IPG MII ", "ipg"}, {"MMU Mode is ", "mmu"},
	{"Relay Agent Information option: ", "relay"}, {"Protected: ", "protected"}, {"MAC Port Security: ", "port_security"}, {"Priority force ", "priority_force"},
	{"dhcp-snooping-trust configured to ", "dhcp_snooping_trust"}, {"LACP BPDU Forwarding:", "lacp_forwarding"}, {"LLDP BPDU Forwarding:", "lldp_forwarding"},
	{"Port is not enabled to receive all vlan packets for pbr", "no_pbr"}, {"Port is enabled to receive all vlan packets for pbr", "pbr"}, {"Cluster L2 protocol forwarding ", "cluster_l2_forwarding"},
	{"Configured BW is ", "bandwidth"}, {"Type is ", "type"}, {"Vlan id: ", "vlan"}, {"This port is not being", "queues_not_monitored"},
	{"UC Egress queues", "unicast_queues"}, {"MC Egress queues", "multicast_queues"}, {"Egress queues", "queues"}, {"Oversubscribed ingress drop counters", "oversubscribed"},
	{"High priority drop", "in_high_priority_drops"}, {"Low priority drop", "in_low_priority_drops"}, {"Port is ", "port"}, {"ACL", "acl"}, {"Tunnel ", "tunnel"}, {"Keepalive ", "keepalive"}, {"LAG ", "lag"}, {"Is part of ", "part_of"},
	{"Path MTU Discovery", "path_mtu"}, {"Inline power is ", "inline_power"}, {"Multi-rate", "multi_rate"}, {"Not a Member of ", "no_vlan"},
}

func (s *scanner) line(p *block.Port, line string, _ *text.Lines) bool {
	if strings.HasSuffix(line, "gress queues:") {
		p.Section, _, _ = strings.Cut(line, " ")
		return true
	}
	if strings.HasPrefix(line, "Queue counters") {
		return true
	}
	if text.IsDigit(line[0]) {
		if p.Section != "" && s.queue(p, strings.Fields(line)) {
			return true
		}
		return utilization(p, line) || block.Counters(p, line, fields, facts)
	}
	for _, read := range []func(*block.Port, string) bool{processor, speed, member, spanning, hardware, names, addressing} {
		if read(p, line) {
			return true
		}
	}
	switch {
	case strings.HasPrefix(line, "Received "), strings.HasPrefix(line, "Transmitted "):
		p.Out = line[0] == 'T'
		return block.Counters(p, line, fields, facts)
	case strings.HasPrefix(line, "Total drop "):
		text.SetOpt(&p.InDrops, text.Count(line[len("Total drop "):]))
		return true
	case strings.HasPrefix(strings.ToLower(line), "mirror "):
		p.KnowOnce("mirror", line)
		return true
	}
	for _, f := range prefixes {
		if rest, ok := strings.CutPrefix(line, f.begin); ok {
			p.Know(f.name, strings.TrimLeft(rest, ": "))
			return true
		}
	}
	return false
}

// utilization reads "300 second input rate: 25496 bits/sec, 18 packets/sec, 0.01% utilization".
func utilization(p *block.Port, line string) bool {
	every, rest, ok := strings.Cut(line, "put rate: ")
	if !ok || !block.Rate(p, every+"put rate "+rest) {
		return false
	}
	share := strings.TrimSpace(rest[strings.LastIndexByte(rest, ',')+1:])
	v, unit, ok := text.Float(share)
	if ok && strings.HasPrefix(unit, "% utilization") && v >= 0 && v <= 100 {
		way := "in_utilization"
		if strings.HasSuffix(every, "out") {
			way = "out_utilization"
		}
		p.KnowOnce(way, share)
		if v /= 100; !p.Load.OK || v > p.Load.Value {
			p.Load = devices.Some(v)
		}
	}
	return true
}

// queue reads "6  12959867  14": the queue's number, its packets and those it dropped.
func (s *scanner) queue(p *block.Port, f []string) bool {
	if len(f) != 3 {
		return false
	}
	number, rest, ok := text.Uint32(f[0])
	drops := text.Count(f[2])
	if !ok || rest != "" || number > 63 || !text.Count(f[1]).OK || !drops.OK {
		return false
	}
	if p.Fact("queues_not_monitored") != "" {
		return true // its zeros mean nothing
	}
	name := strings.ToLower(p.Section) + " " + f[0]
	if strings.HasPrefix(p.Section, "Egress") {
		name = f[0]
	}
	s.r.Queues = append(s.r.Queues, devices.Queue{Port: p.Name, Name: name, Way: "out", Kind: "queue", Drops: drops})
	s.dropped = text.Sum(s.dropped, drops)
	return true
}

func (s *scanner) end(p *block.Port) {
	text.SetOpt(&p.OutDrops, s.dropped)
	s.dropped = devices.None[devices.Counter]()
	// Both count as giants what is longer than 1518 octets, whatever the port accepts (FastIron Administration Guide,
	// oversize packets): on a port with an MTU of 9216, a NetIron showed 16192705827 giants among 74818592872 packets and
	// no input error. Such frames are well.
	const standard = 1522 // IEEE 802.3: the longest frame, with a VLAN's tag
	if jumbo := p.MTU.Value > standard; p.Giants.OK && (jumbo || p.Giants.Value.Value > p.InErrors.Value.Value) {
		p.Know("giants", strconv.FormatUint(p.Giants.Value.Value, 10))
		p.Giants = devices.None[devices.Counter]()
	}
}
