package corpus

import (
	"regexp"
	"strings"

	"whydrop/devices"
)

var (
	aoscxHeader    = regexp.MustCompile(`^\s*(?:Interface|Aggregate) \S+ is (?:up|down)`)
	procurveHeader = regexp.MustCompile(`^\s*[A-Z]?\d+\S*\s+[\d,]+\s+[\d,]+\s`)
	vrpHeader      = regexp.MustCompile(`^\S+ current state :`)
	comwareHeader  = regexp.MustCompile(`^\s*[A-Z]\S*\d current state ?:|^Current state:`)
	briefHeader    = regexp.MustCompile(`^\s*[A-Z]?\d+\S*\s[^|]*\|\s+(?:Yes|No)\s`)
)

var hpSets = []Set{
	{Platform: "aruba_aoscx", Dir: "aruba_aoscx/show_interface", Command: "show interface", Header: aoscxHeader.MatchString, Fields: aoscxFields},
	{Platform: "hp_comware", Dir: "hp_comware/display_interface", Command: "display interface", Header: comwareHeader.MatchString, Fields: comwareFields, Misread: "Output:"},
	{Platform: "huawei_vrp", Dir: "huawei_vrp/display_interface", Command: "display interface", Header: vrpHeader.MatchString, Fields: vrpFields},
	{Platform: "hp_procurve", Dir: "hp_procurve/show_interfaces", Command: "show interfaces", Header: procurveHeader.MatchString, Fields: procurveFields},
	{Platform: "hp_procurve", Dir: "hp_procurve/show_interfaces_brief", Command: "show interfaces brief", Header: briefHeader.MatchString, Fields: procurveFields},
}

var comwareFields = map[string]Field{
	"interface": templates["interface"], "description": templates["description"], "bandwidth": Fact("bandwidth"), "duplex": Fact("duplex").As(duplexWord), "hw_address": macs,
	"ip_address": Fact("ip").As(FirstWord), "l2mtu": Fact("frame_length"), "line_status": Fact("status"), "mtu": templates["mtu"], "port_link_type": Fact("port_link_type"),
	"protocol_status": Fact("protocol"), "speed": Fact("speed"), "untagged_vlan_id": Fact("untagged_vlans"), "vlan_native": Fact("pvid"), "vlan_passing": Fact("vlan_passing").As(commas), "vlan_permitted": Fact("vlan_permitted").As(commas),
}

// macs are the hardware addresses of a port, each as often as the text has it.
var macs = Field{Get: func(i *devices.Interface) string {
	var out []string
	for _, f := range i.Facts {
		if f.Name == "mac" {
			out = append(out, f.Value)
		}
	}
	return strings.Join(out, " ")
}}

var vrpFields = map[string]Field{
	"interface": templates["interface"], "interface_description": templates["description"], "aggregated_interfaces": {Get: func(i *devices.Interface) string {
		var out []string
		for _, f := range i.Facts {
			if f.Name == "member" {
				out = append(out, f.Value)
			}
		}
		return strings.Join(out, " ")
	}},
	"current_system_time": Fact("system_time"), "current_work_mode": Fact("work_mode"), "duplex": Fact("duplex"), "hold_timer": Fact("hold_timer").As(Prefix("(")), "ip_address": Fact("ip").As(lastWord), "ip_status": Fact("ip_processing"),
	"last_line_protocol_uptime": Fact("protocol_up"), "last_physical_down_time": Fact("physical_down"), "last_physical_up_time": Fact("physical_up").As(dash), "link_status": Fact("status").As(noEnd), "link_type": Fact("link_type").As(Prefix("(")),
	"loopback": Fact("loopback"), "mac_address": Fact("mac"), "negotiation": Fact("negotiation"), "port_mode": Fact("port_mode").As(Prefix(",")), "port_type": Fact("port_type").As(FirstWord), "protocol_status": Fact("protocol"),
	"mtu": {Get: func(i *devices.Interface) string { // the source calls the longest frame so, too
		if v := i.Fact("mtu"); v != "" {
			return v
		}
		return i.Fact("frame_length")
	}},
	"speed": Fact("speed"), "tpid": Not("the source leaves it out where it stands in a line of its own"), "vlan_id": Fact("pvid"),
}

// noEnd takes off the comma behind a state.
func noEnd(s string) string { return strings.TrimRight(s, " ,") }

// dash takes a source's "-" for what is not given.
func dash(s string) string {
	if s == "-" {
		return ""
	}
	return s
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
