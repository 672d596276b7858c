package corpus

import (
	"regexp"
	"strings"

	"whydrop/devices"
)

var (
	aoscxHeader    = regexp.MustCompile(`^\s*(?:Interface|Aggregate) \S+ is (?:up|down)`)
	procurveHeader = regexp.MustCompile(`^\s*[A-Z]?\d+\S*\s+[\d,]+\s+[\d,]+\s`)
	briefHeader    = regexp.MustCompile(`^\s*[A-Z]?\d+\S*\s[^|]*\|\s+(?:Yes|No)\s`)
)

var hpSets = []Set{
	{Platform: "aruba_aoscx", Dir: "aruba_aoscx/show_interface", Command: "show interface", Header: aoscxHeader.MatchString, Fields: aoscxFields},
	{Platform: "hp_procurve", Dir: "hp_procurve/show_interfaces", Command: "show interfaces", Header: procurveHeader.MatchString, Fields: procurveFields},
	{Platform: "hp_procurve", Dir: "hp_procurve/show_interfaces_brief", Command: "show interfaces brief", Header: briefHeader.MatchString, Fields: procurveFields},
}

var aoscxFields = map[string]Field{
	"interface": templates["interface"], "interface_desc": templates["description"], "aggregated_interfaces": Fact("member"), "auto_neg": Fact("auto_negotiation"),
	"duplex": Fact("duplex").As(duplexWord), "error_control": Fact("error_control"), "flow_control": Fact("flow_control"), "hw_type": Fact("hardware"), "if_type": Fact("type").As(Prefix(" / ")),
	"ip_address": Fact("ip"), "secondary_ip_address": Not("a second address of a protocol above the interface"), "link_admin": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Admin }),
	"link_state_info": Fact("state_information"), "link_status": Fact("status"), "link_transitions": Counter(transitions), "mac_address": Fact("mac"), "mtu": templates["mtu"], "qos_trust": Fact("qos_trust"),
	"rx_broadcast_packets": Counter(inBroad), "rx_crc_fcs": Counter(fcs), "rx_dropped": Counter(inDrops), "rx_errors": Counter(inErrors), "rx_filtered": Fact("in_filtered"), "rx_mcast_packets": Counter(inMulti),
	"rx_total_bytes": Counter(inOctets), "rx_total_packets": Counter(inPackets), "rx_unicast_packets": Fact("in_unicast_packets"), "speed": Fact("speed"),
	"tx_broadcast_packets": Counter(outBroad), "tx_collision": Counter(collisions), "tx_crc_fcs": {Get: func(*devices.Interface) string { return "" }, Same: uncounted},
	"tx_dropped": Counter(outDrops), "tx_errors": Counter(outErrors), "tx_filtered": Fact("out_filtered"), "tx_mcast_packets": Counter(outMulti), "tx_total_bytes": Counter(outOctets),
	"tx_total_packets": Counter(outPackets), "tx_unicast_packets": Fact("out_unicast_packets"),
	"vlan_access": Fact("access_vlan"), "vlan_mode": Fact("vlan_mode"), "vlan_native": Fact("native_vlan"), "vlan_trunk": Fact("vlan_list").As(commas), "vrf": Fact("vrf"),
}

var procurveFields = map[string]Field{
	"port": templates["interface"], "total_bytes": Fact("total_bytes"), "total_frames": Fact("total_frames"), "errors_rx": Counter(inErrors), "drops_tx": Counter(outDrops),
	"flow_ctrl": Fact("flow_control"), "bcast_limit": Fact("broadcast_limit"), "enabled": Fact("enabled"), "intrusion_alert": Fact("intrusion_alert"), "mdi_mode": Fact("mdi"),
	"mode": Fact("mode"), "status": Fact("status").As(Lower), "type": Fact("type"),
}

// uncounted takes a source's "n/a" for what is not given.
func uncounted(s string) string {
	if s == "n/a" {
		return ""
	}
	return s
}

// commas brings "1,20" and a list of both to one.
func commas(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }), " ")
}
