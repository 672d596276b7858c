package corpus

import (
	"regexp"
	"strings"

	"whydrop/devices"
)

var (
	ironHeader = regexp.MustCompile(`^(?:Lag )?\S*\d is [a-zA-Z() -]+, line protocol is `)
	briefRow   = regexp.MustCompile(`^(?:\d+(?:/\d+)*|lg\d+|mgmt\d+|ve?\d+|lb\d+|loopback\d+|tn\d+) +(?:Up|Down|Disable|Disabled|ERR-DIS\S*) `)
)

var brocadeSets = []Set{
	{Platform: "brocade_netiron", Dir: "brocade_netiron/show_interfaces", Command: "show interfaces", Header: ironHeader.MatchString, Fields: netironFields},
	{Platform: "brocade_netiron", Dir: "brocade_netiron/show_interfaces_brief", Command: "show interfaces brief", Header: briefRow.MatchString, Fields: briefFields},
	{Platform: "brocade_fastiron", Dir: "ruckus_fastiron/show_interfaces", Command: "show interfaces", Header: ironHeader.MatchString, Fields: Merge(templates, map[string]Field{"interface_up_time": Fact("since"), "giants": giantsOrLong})},
	{Platform: "brocade_fastiron", Dir: "ruckus_fastiron/show_interfaces_brief", Command: "show interfaces brief", Header: briefRow.MatchString, Fields: briefFields},
	{Platform: "brocade_fastiron", Dir: "brocade_fastiron/show_interfaces_brief", Command: "show interfaces brief", Header: briefRow.MatchString, Fields: briefFields},
}

var briefFields = map[string]Field{
	"interface": templates["interface"], "port": templates["interface"], "duplex": Fact("dupl"), "link": Fact("link"), "linkstate": Fact("link"), "mac": Fact("mac"), "mac_address": Fact("mac"),
	"name": templates["description"].As(FirstWord), "portstate": Fact("state"), "state": {Get: func(i *devices.Interface) string { return i.Fact("state") + i.Fact("port_state") }}, "description": templates["description"], "priority": Fact("pri"), "pvid": Fact("pvid"), "vlan_id": Fact("pvid"), "speed": Fact("speed"),
	"tag": Fact("tag"), "tagonly": Fact("tag"), "trunk": Fact("trunk"), "trunkid": Fact("trunk"),
}

// netironFields is what the template calls its fields. It has the MTU and the encapsulation of two kinds of line apart.
var netironFields = map[string]Field{
	"interface": templates["interface"], "portname": templates["description"], "intstate": Fact("status"), "protostate": Fact("protocol"), "hardwaretype": Fact("hardware"), "mac": Fact("mac"), "bia": Fact("bia"), "ipaddress": Fact("ip"),
	"actualspeed": Fact("speed"), "actualduplex": Fact("duplex"), "conffiberspeed": Fact("configured_speed"), "conffiberduplex": Fact("configured_duplex"), "confcopperspeed": Fact("configured_copper_speed"), "confcopperduplex": Fact("configured_copper_duplex"),
	"l2portstate": Fact("port_state"), "l2portmode": word("vlans", "port is in ").As(Prefix(" ")), "l2mtubytes": of(physical, templates["mtu"]), "l3mtubytes": of(virtual, templates["mtu"]),
	"encapsulation": of(physical, templates["encapsulation"]), "ipencapsulation": of(virtual, templates["encapsulation"]), "numtaggedvlans": Not("a setting of VLANs"), "untaggedvlan": Not("a setting of VLANs"),
	"stpconfstate": Fact("stp").As(Prefix(",")), "priority": word("stp", "Priority is "), "flowcontrolstate": Fact("flow_control"), "stprootguard": word("guards", "STP Root Guard is "), "stpbpduguard": word("guards", "STP BPDU Guard is "),
	"priorityforcedstate": Fact("priority_force").As(Prefix(",")), "dropprecedencelevel": word("priority_force", "Drop precedence level "), "dropprecedenceforcestate": word("priority_force", "Drop precedence force "), "dhcpsnooptrust": Fact("dhcp_snooping_trust"),
	"lacpbpduforward": Fact("lacp_forwarding"), "lldpbpduforward": Fact("lldp_forwarding"), "clusterl2protoforwarding": Fact("cluster_l2_forwarding"), "mirrorstate": word("mirror", "mirror "), "monitorstate": word("mirror", "monitor "),
	"openflowopstate": Fact("openflow").As(Prefix(",")), "openflowindex": word("openflow", "Openflow Index "), "activelagports": Fact("trunk").As(Prefix(",")), "conflagports": Fact("configured_trunk").As(Prefix(",")),
	"activelagrole": word("trunk", ", ").As(Prefix(" port")), "conflagrole": word("configured_trunk", ", ").As(Prefix(" port")), "activelagprimaryport": word("trunk", "primary port is "), "conflagprimaryport": word("configured_trunk", "primary port is "),
	"loadinterval": Fact("interval").As(Prefix(" ")), "inputbitssec": Fact("in_rate"), "outputbitssec": Fact("out_rate"), "inputpacketssec": Fact("in_packet_rate"), "outputpacketssec": Fact("out_packet_rate"),
	"inputpercentutilization": Fact("in_utilization").As(Prefix("%")), "outputpercentutilization": Fact("out_utilization").As(Prefix("%")),
	"inputpacketstotal": Counter(inPackets), "outputpacketstotal": Counter(outPackets), "inputbytestotal": Counter(inOctets), "outputbytestotal": Counter(outOctets), "inputnobuffers": Counter(noBuffer),
	"inputbroadcasts": Counter(inBroad), "outputbroadcasts": Counter(outBroad), "inputmulticasts": Counter(inMulti), "outputmulticasts": Counter(outMulti), "inputunicasts": Fact("in_unicast_packets"), "outputunicasts": Fact("out_unicast_packets"),
	"inputerrors": Counter(inErrors), "inputcrcerrors": Counter(fcs), "inputframeerrors": Counter(alignment), "inputignorederrors": Counter(ignored), "inputrunts": Counter(runts), "inputgiants": giantsOrLong,
	"outputerrors": Counter(outErrors), "outputcollisions": Counter(collisions), "outputunderruns": Counter(underruns), "inputnpingressdroppedpackets": Counter(inDrops),
	"inputnpreceivedpackets": Fact("np_received"), "inputsenttotmpackets": Fact("np_sent_to_tm"), "outputnptransmittedpackets": Fact("np_transmitted"), "outputreceivedfromtmpackets": Fact("np_received_from_tm"),
}

// giantsOrLong is the giants of a port; where they are well, they are a fact alone.
var giantsOrLong = Field{Get: func(i *devices.Interface) string {
	if i.Giants.OK {
		return Counter(giants).Get(i)
	}
	return i.Fact("giants")
}}

func physical(i *devices.Interface) bool {
	return strings.HasSuffix(i.Fact("hardware"), "GigabitEthernet")
}

func virtual(i *devices.Interface) bool { return !physical(i) }

// of is a field of one kind of interface: the template has another name for it on the other kind.
func of(kind func(i *devices.Interface) bool, f Field) Field {
	return Field{Get: func(i *devices.Interface) string {
		if kind(i) {
			return f.Get(i)
		}
		return ""
	}}
}

// word returns a field that is a word of a fact: the one behind a mark, up to a comma.
func word(fact, mark string) Field {
	return Field{Get: func(i *devices.Interface) string {
		_, rest, _ := strings.Cut(i.Fact(fact), mark)
		rest, _, _ = strings.Cut(rest, ",")
		return rest
	}}
}
