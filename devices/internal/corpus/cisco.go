package corpus

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"whydrop/devices"
)

var (
	iosHeader  = regexp.MustCompile(`^[ \t>]*[A-Za-z][\w/.:-]*\d[\w/.:-]* is .*, line protocol is |^\s*pseudowire\S+ is `)
	nxosHeader = regexp.MustCompile(`^\s*[A-Za-z][\w-]*\d[\w/.-]* is (?:up|down|trunking|administratively)\b`)
	asaHeader  = regexp.MustCompile(`^\s*Interface \S+ ".*",? is `)
)

var ciscoSets = []Set{
	{Platform: "cisco_ios", Dir: "cisco_ios/show_interfaces", Command: "show interfaces", Header: iosHeader.MatchString, Fields: Merge(templates, trees, iosFields)},
	{Platform: "cisco_iosxe", Dir: "cisco_iosxe/show_interfaces", Command: "show interfaces", Header: iosHeader.MatchString, Fields: Merge(templates, trees, iosFields)},
	{Platform: "cisco_iosxe", Dir: "cisco_iosxe/show_interface_human_readable", Command: "show interfaces", Header: iosHeader.MatchString, Fields: Merge(templates, trees, iosFields)},
	{Platform: "cisco_nxos", Dir: "cisco_nxos/show_interface", Command: "show interface", Header: nxosHeader.MatchString, Fields: Merge(templates, trees, nxosFields)},
	{Platform: "cisco_iosxr", Dir: "cisco_xr/show_interfaces", Command: "show interfaces", Header: iosHeader.MatchString, Fields: Merge(templates, trees, xrFields)},
	{Platform: "cisco_iosxr", Dir: "cisco_xr/show_interfaces_detail", Command: "show interfaces", Header: iosHeader.MatchString, Fields: Merge(templates, trees, xrFields)},
	{Platform: "cisco_asa", Dir: "cisco_asa/show_interface", Command: "show interface", Header: asaHeader.MatchString, Fields: Merge(templates, trees, asaFields)},
	{Platform: "cisco_asa", Dir: "cisco_asa/show_interface_detail", Command: "show interface", Header: asaHeader.MatchString, Fields: Merge(templates, trees, asaFields)},
}

// driverSets are what napalm's drivers read of texts.
var driverSets = []Set{
	{Platform: "cisco_ios", Dir: "cisco_ios/napalm_get_interfaces", Command: "show interfaces", Header: iosHeader.MatchString, Fields: driverFields},
}

var driverFields = map[string]Field{
	"is_up": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Oper }).As(truth), "is_enabled": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Admin }).As(truth),
	"description": templates["description"], "mac_address": Text(func(i *devices.Interface) string { return i.MAC }).As(Lower), "mtu": Opt(func(i *devices.Interface) devices.Opt[uint32] { return i.MTU }),
	"last_flapped": Not("computed by the source"), "speed": Text(megabitsOfBandwidth).As(NoCommas),
}

// megabitsOfBandwidth is the configured bandwidth in Mbit/s.
func megabitsOfBandwidth(i *devices.Interface) string {
	v, err := strconv.ParseFloat(FirstWord(i.Fact("bandwidth")), 64)
	if err != nil {
		return ""
	}
	return strconv.FormatFloat(v/1000, 'f', -1, 64)
}

// statusSets are the tables of the states of ports, and of their errors.
var statusSets = []Set{
	{Platform: "cisco_iosxe", Dir: "cisco_iosxe/show_interfaces_status", Command: "show interfaces status", Header: statusRow, Fields: statusFields},
	{Platform: "cisco_iosxe", Dir: "cisco_iosxe/show_interfaces_status_module", Command: "show interfaces status", Header: statusRow, Fields: statusFields},
	{Platform: "cisco_iosxe", Dir: "cisco_iosxe/show_interfaces_status_err_disabled", Command: "show interfaces status err-disabled", Header: statusRow, Fields: statusFields},
	{Platform: "cisco_iosxe", Dir: "cisco_iosxe/show_interface_counter_errors", Command: "show interfaces counters errors", Fields: errorFields},
	{Platform: "cisco_iosxe", Dir: "cisco_iosxe/show_interfaces_counters_errors", Command: "show interfaces counters errors", Fields: errorFields},
	{Platform: "cisco_nxos", Dir: "cisco_nxos/show_interface_status", Command: "show interface status", Header: statusRow, Fields: statusFields},
	{Platform: "cisco_nxos", Dir: "cisco_nxos/show_interface_counters_errors", Command: "show interface counters errors", Fields: errorFields},
	{Platform: "arista_eos", Dir: "arista_eos/show_interfaces_status", Command: "show interfaces status", Header: statusRow, Fields: statusFields},
	{Platform: "cisco_smb", Dir: "cisco_s300/show_interfaces_status", Command: "show interfaces status", Fields: smbFields},
}

// statusRow says whether a line is a row of a table of port states: the name of a port, then more.
func statusRow(line string) bool { return portRow.MatchString(line) && !strings.Contains(line, "#") }

var portRow = regexp.MustCompile(`^ *[A-Za-z][A-Za-z-]*\d[\d/.]* `)

var statusFields = map[string]Field{
	"port": templates["interface"], "name": Text(func(i *devices.Interface) string { return i.Alias }).As(noDashes), "status": Fact("status"), "vlan": Fact("vlan"), "vlan_id": Fact("vlan"),
	"duplex": Fact("duplex"), "duplex_code": Fact("duplex"), "speed": Fact("speed"), "port_speed": Fact("speed"), "type": Fact("type").As(noDashes), "flags": Fact("flags"), "encapsulation": Fact("encapsulation"),
	"reason": Text(func(i *devices.Interface) string { return i.ErrDisabled }), "fc_mode": Not("of Fibre Channel"), "reason_description": Not("of a tunnel's table, which is another"),
}

var errorFields = map[string]Field{
	"align_err": Counter(alignment), "fcs_err": Counter(fcs), "xmit_err": Counter(outErrors), "rcv_err": Counter(inErrors), "under_size": Counter(runts), "undersize": Counter(runts),
	"out_discards": Counter(outDrops), "in_discards": Counter(inDrops), "single_col": Fact("single_col"), "multi_col": Fact("multi_col"), "late_col": Counter(late),
	"excess_col": Counter(excessive), "exces_col": Counter(excessive), "carri_sen": Counter(lostCarrier), "runts": Counter(fragments), "giants": Counter(giants), "over_size": Counter(giants), "oversize": Counter(giants),
	"sqetest_err": Fact("sqetest_err").As(noDashes), "deffered_tx": Counter(deferred), "intmactx_er": Counter(macOut), "intmacrx_er": Counter(macIn), "symbol_err": Counter(symbol), "stomped_crc": Counter(stomped),
}

var smbFields = map[string]Field{
	"port": templates["interface"], "type": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Media }), "duplex": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Duplex }).As(noDashesLower),
	"speed": Opt(func(i *devices.Interface) devices.Opt[uint64] { return i.Speed }).As(megabits), "neg": Opt(func(i *devices.Interface) devices.Opt[bool] { return i.Autoneg }).As(switched), "flow_control": Opt(func(i *devices.Interface) devices.Opt[bool] { return i.FlowIn }).As(switched), "flow_ctrl": Opt(func(i *devices.Interface) devices.Opt[bool] { return i.FlowIn }).As(switched),
	"link_state": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Oper }).As(Lower), "state": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Oper }).As(Lower),
	"mdixmode": Fact("mdix_mode").As(noDashes), "linkstate": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Oper }).As(Lower), "flowctrl": Opt(func(i *devices.Interface) devices.Opt[bool] { return i.FlowIn }).As(switched), "backpressure": Fact("back_pressure").As(noDashes),
	"back_pressure": Fact("back_pressure").As(noDashes), "mdix_mode": Fact("mdix_mode").As(noDashes),
}

var (
	excessive counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.ExcessiveCollisions }
	macIn     counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.MACIn }
	macOut    counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.MACOut }
	symbol    counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Symbol }
)

// noDashes takes "--" for no value.
func noDashes(s string) string {
	if strings.Trim(s, "-") == "" {
		return ""
	}
	return s
}

func noDashesLower(s string) string { return strings.ToLower(noDashes(s)) }

// megabits brings "100" and 100000000 to one.
func megabits(s string) string { return strings.TrimSuffix(noDashes(s), "000000") }

// switched brings "Enabled", "On" and "true" to one.
func switched(s string) string {
	switch strings.ToLower(noDashes(s)) {
	case "enabled", "on", "true":
		return "true"
	case "disabled", "off", "false":
		return "false"
	}
	return noDashes(s)
}

var aristaSets = []Set{
	{Platform: "arista_eos", Dir: "arista_eos/show_interfaces", Command: "show interfaces", Header: iosHeader.MatchString, Fields: Merge(templates, trees, eosFields)},
}

var iosFields = map[string]Field{
	"protocol_status": protocolReason, "overrun": Less(overrun, ignored), "last_output_hang": Fact("output_hang"), "output_hang": Fact("output_hang"),
	"queue_drops": Counter(queueDrops), "queue_output_drops": Counter(outDrops), "queue_size": Fact("in_queue_size"), "queue_max": Fact("in_queue_max"),
	"queue_flushes": Fact("in_queue_flushes"), "queue_strategy": Fact("queue_strategy"), "vlan_id_inner": Fact("second_vlan"), "vlan_id_outer": Fact("outer_vlan"),
	"queues.input_queue_drops": Counter(queueDrops), "queues.total_output_drop": Counter(outDrops), "queues.input_queue_size": Fact("in_queue_size"),
	"queues.input_queue_max": Fact("in_queue_max"), "queues.input_queue_flushes": Fact("in_queue_flushes"), "queues.queue_strategy": Fact("queue_strategy"),
	"queues.output_queue_size": Fact("out_queue_size"), "queues.output_queue_max": Fact("out_queue_max"), "counters.out_unknown_protocl_drops": Counter(unknown),
	"counters.in_ignored": Counter(ignored), "link_type": Fact("link_type"),
	"tunnel_source_ip": Fact("tunnel_source").As(FirstWord), "tunnel_destination_ip": Fact("tunnel_destination"), "tunnel_protocol": Fact("tunnel_protocol"),
	"tunnel_receive_bandwidth": Fact("tunnel_receive_bandwidth").As(FirstWord), "tunnel_transmit_bandwidth": Fact("tunnel_transmit_bandwidth").As(FirstWord), "tunnel_transport_mtu": Fact("tunnel_mtu").As(FirstWord), "tunnel_ttl": Fact("tunnel_ttl"),
	"tunnel_source_interface": {Get: func(i *devices.Interface) string {
		_, name, _ := strings.Cut(i.Fact("tunnel_source"), "(")
		return strings.Trim(name, ")")
	}},
	"ipv4.unnumbered.interface_ref": {Get: func(i *devices.Interface) string {
		_, name, _ := strings.Cut(i.Fact("unnumbered"), "of ")
		name, _, _ = strings.Cut(name, " ")
		return name
	}},
	"serial_signals.cts": Fact("signal_cts"), "serial_signals.dcd": Fact("signal_dcd"), "serial_signals.dsr": Fact("signal_dsr"), "serial_signals.dtr": Fact("signal_dtr"), "serial_signals.rts": Fact("signal_rts"),
	"x25.*": Not("of X.25 over the line, not of the interface"), "lapb.*": Not("of LAPB over the line, not of the interface"),
	"counters.in_drops": Counter(inDrops), "counters.out_drops": Counter(outDrops), "queues.threshold": Fact("out_queue_threshold"), "queues.drops": Fact("out_queue_drops"), "peer_ip": Fact("peer_ip"), "vc_id": Fact("vc_id"),
	"connected": hasReason("connected"), "suspended": hasReason("suspended"), "err_disabled": hasReason("err-disabled"), "autostate": Fact("autostate").As(onTrue),
	"port_channel.active_members": Fact("member_count"), "port_channel.port_channel_member_intfs": Fact("members"), "port_channel.num_of_pf_jumbo_supported_members": Fact("jumbo_members"),
}

// hasReason says whether the state has this reason in brackets.
func hasReason(reason string) Field {
	return Text(func(i *devices.Interface) string { return fmt.Sprint(i.Fact("reason") == reason) })
}

// protocolReason is the state of the line protocol with its reason in brackets.
var protocolReason = Text(func(i *devices.Interface) string {
	if r := i.Fact("reason"); r != "" {
		return i.Fact("protocol") + " (" + r + ")"
	}
	return i.Fact("protocol")
})

var nxosFields = map[string]Field{
	"admin_state": adminText, "link_state": Fact("status"), "link_status": statusReason,
	"watchdog": Fact("in_watchdog"), "tx_jumbo_packets": Fact("out_jumbo_packets"), "rx_jumbo_packets": Fact("in_jumbo_packets"),
	"storm_suppression_bytes": Fact("in_storm_suppression_bytes"), "stomped_crc": Counter(stomped), "short_frame": Counter(fragments),
	"packet_output_rate": lastFact("out_packet_rate"), "packet_input_rate": lastFact("in_packet_rate"), "bandwidth_output_rate": lastFact("out_rate"), "bandwidth_input_rate": lastFact("in_rate"),
	"no_carrier": Fact("out_no_carrier"), "mode": Fact("port_mode"), "interface_down_drop": Fact("in_if_down_drop"), "dribble": Fact("in_dribble"),
	"bad_proto_drop": Counter(unknown), "bad_etype_drop": Fact("in_bad_etype_drop"), "babble": Fact("out_babble"),
	"medium": Fact("medium"), "link_down_reason": Fact("reason"), "last_clear_counters": Opt(func(i *devices.Interface) devices.Opt[string] { return i.LastClear }),
	"ethertype": Fact("ethertype"), "dedicated_interface": Fact("dedicated"), "auto_mdix": Fact("auto_mdix"), "port_mode": Fact("port_mode"),
	"switchport_monitor": Fact("switchport_monitor"), "interface_reset": Counter(resets), "counters.out_jumbo_packets": Fact("out_jumbo_packets"),
	"counters.in_jumbo_packets": Fact("in_jumbo_packets"), "counters.in_underrun": Counter(underruns), "counters.in_short_frame": Counter(fragments),
	"counters.in_oversize_frame": Counter(giants), "counters.in_if_down_drop": Fact("in_if_down_drop"), "counters.in_bad_etype_drop": Fact("in_bad_etype_drop"),
	"beacon": Fact("beacon"), "counters.rate.out_rate_pps": Fact("out_packet_rate_rounded").As(Number), "counters.rate.in_rate_pps": Fact("in_packet_rate_rounded").As(Number),
	"counters.rate.out_rate_bps": Fact("out_rate_rounded").As(Number), "counters.rate.in_rate_bps": Fact("in_rate_rounded").As(Number),
	"port_speed_unit": Fact("speed").As(lastWord), "port_speed": Fact("speed").As(FirstWord), "efficient_ethernet": Fact("eee"),
	"counters.in_storm_suppression_packets": Counter(storm), "counters.in_storm_suppression_bytes": Fact("in_storm_suppression_bytes"),
	"autostate": Fact("autostate").As(onTrue), "parent_interface": Fact("parent"), "fec_mode": Fact("fec_mode"),
	"ipv4.*.secondary":            {Get: func(i *devices.Interface) string { return fmt.Sprint(strings.Contains(i.Fact("ip"), "secondary")) }},
	"ipv4.*.route_tag":            {Get: func(i *devices.Interface) string { _, tag, _ := strings.Cut(i.Fact("ip"), "tag "); return tag }},
	"counters.rate.load_interval": Fact("interval").As(seconds), "enabled": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Admin }).As(truth),
}

var xrFields = map[string]Field{
	"admin_state": Fact("status"), "link_status": Fact("protocol"), "interface_state": Fact("state_transitions"), "interface_state_transitions": Fact("state_transitions"),
	"hardware_media": Fact("media"), "duplex": Fact("duplex").As(duplexWord), "location": Fact("media"), "carrier_delay": Fact("carrier_delay").As(FirstWord),
	"hardware_type": Fact("hardware").As(plainHardware), "types": Fact("hardware").As(plainHardware), "ip_address": Fact("ip"),
	"bandwidth_max":             {Get: func(i *devices.Interface) string { _, max, _ := strings.Cut(i.Fact("bandwidth"), "(Max: "); return max }, Same: FirstWord},
	"port_channel.member_count": Fact("member_count"), "port_channel.members.*.interface": member(0), "port_channel.members.*.duplex_mode": member(1),
	"port_channel.members.*.speed": member(2), "port_channel.members.*.state": member(3),
}

var asaFields = map[string]Field{
	"tunnel_source_ip": Fact("tunnel_source_ip"), "tunnel_source_interface": Fact("tunnel_source"), "tunnel_mode": Fact("tunnel_mode"),
	"tunnel_ipsec_profile": Fact("ipsec_profile"), "tunnel_destination_ip": Fact("tunnel_destination_ip"), "netmask": Fact("netmask"),
	"interface_zone": Fact("nameif"), "bonded_port": Fact("member_of"), "bonded_port_members": Fact("members_active"),
	"onemin_out_rate": bytesFact("1_minute_output_rate"), "onemin_in_rate": bytesFact("1_minute_input_rate"), "onemin_out_pps": Fact("1_minute_output_packet_rate"),
	"onemin_in_pps": Fact("1_minute_input_packet_rate"), "onemin_drop_rate": Fact("1_minute_drop_packet_rate"),
	"fivemin_out_rate": bytesFact("5_minute_output_rate"), "fivemin_in_rate": bytesFact("5_minute_input_rate"), "fivemin_out_pps": Fact("5_minute_output_packet_rate"),
	"fivemin_in_pps": Fact("5_minute_input_packet_rate"), "fivemin_drop_rate": Fact("5_minute_drop_packet_rate"),
	"name": Fact("nameif"), "interface_state": Fact("protocol").As(truth), "link_status": Fact("status").As(truth), "line_protocol": Fact("protocol").As(truth),
	"control_point_states.interface.interface_number": Fact("control_interface_number"), "control_point_states.interface.interface_state": Fact("control_interface_state"),
	"control_point_states.interface.interface_config_status": Fact("control_interface_config_status"),
	"control_point_states.*.interface_vlan_config_status":    Fact("control_interface_vlan_config_status"), "control_point_states.*.interface_vlan_state": Fact("control_interface_vlan_state").As(Prefix(" (")),
	"traffic_statistics.packets_output": Fact("traffic_out_packets"), "traffic_statistics.packets_input": Fact("traffic_in_packets"), "traffic_statistics.packets_dropped": Fact("traffic_dropped"),
	"traffic_statistics.bytes_output": Fact("traffic_out_bytes"), "traffic_statistics.bytes_input": Fact("traffic_in_bytes"), "subnet": Fact("netmask"),
	"config_issue": Fact("not_configured").As(lastWord), "config_status": {Get: func(i *devices.Interface) string { return fmt.Sprint(i.Fact("not_configured") == "") }},
	"vlan_id": Fact("vlan").As(unassigned), "duplex": duplexText, "speed": speedText, "ip_address": Fact("ip").As(unassigned),
}

var eosFields = map[string]Field{
	"ip_address": Fact("ip"), "protocol_status": {Get: func(i *devices.Interface) string {
		return strings.TrimSpace(i.Fact("protocol") + " (" + i.Fact("reason") + ")")
	}},
	"link_status_change": Counter(transitions), "last_link_flapped": {Get: func(i *devices.Interface) string { return i.Fact("up") + i.Fact("down") }},
	"description": Text(func(i *devices.Interface) string { return i.Alias }).As(func(s string) string { return strings.Trim(s, "\"") }),
}

// adminText is the administrative state, or where there is none the state.
var adminText = Text(func(i *devices.Interface) string {
	if a := i.Fact("admin_state"); a != "" || !strings.HasPrefix(i.Name, "Vlan") {
		return a
	}
	return i.Fact("status")
})

// lastFact is a rate of the last of several intervals.
func lastFact(name string) Field {
	return Text(func(i *devices.Interface) string {
		if v := i.Fact("further_" + name); v != "" {
			return v
		}
		return i.Fact(name)
	})
}

// statusReason is a state with its reason in brackets.
var statusReason = Text(func(i *devices.Interface) string {
	if r := i.Fact("reason"); r != "" {
		return i.Fact("status") + " (" + r + ")"
	}
	return i.Fact("status")
})

// duplexText is what is negotiated, or else what is set.
var duplexText = Text(func(i *devices.Interface) string {
	if d := i.Fact("duplex"); d != "" {
		return d
	}
	return i.Fact("duplex_set")
})

var speedText = Text(func(i *devices.Interface) string {
	if s := i.Fact("speed"); s != "" {
		return s
	}
	return i.Fact("speed_set")
})

// member is a word of the line of a bundle's member.
func member(n int) Field {
	return Text(func(i *devices.Interface) string {
		if f := strings.Fields(i.Fact("member")); n < len(f) {
			return f[n]
		}
		return ""
	})
}

// bytesFact is a rate of bits that the source leaves in bytes.
func bytesFact(name string) Field {
	return Text(func(i *devices.Interface) string {
		v, err := strconv.ParseFloat(i.Fact(name), 64)
		if err != nil {
			return ""
		}
		return strconv.FormatFloat(v/8, 'f', -1, 64)
	})
}

func lastWord(s string) string { return s[strings.LastIndex(s, " ")+1:] }

// onTrue brings "enabled" and "true" to one.
func onTrue(s string) string {
	if s == "enabled" {
		return "true"
	}
	return s
}

// plainHardware brings "Loopback interface(s)" and "Loopback" to one.
func plainHardware(s string) string {
	s = strings.ToLower(s)
	for _, cut := range []string{"interface(s)", "interface", "(s)"} {
		s = strings.ReplaceAll(s, cut, "")
	}
	return strings.TrimSpace(s)
}

// unassigned is no address.
func unassigned(s string) string {
	if s == "unassigned" || s == "none" {
		return ""
	}
	return s
}
