package corpus

import (
	"regexp"
	"strings"

	"whydrop/devices"
)

var junosHeader = regexp.MustCompile(`^\s*Physical interface: \S+,|^\s*Logical interface \S+ `)

var juniperSets = []Set{
	{Platform: "juniper_junos", Dir: "juniper_junos/show_interfaces", Command: "show interfaces", Header: junosHeader.MatchString, Fields: junosFields},
	{Platform: "juniper_junos", Dir: "juniper_junos/show_interfaces_extensive", Command: "show interfaces extensive", Header: junosHeader.MatchString, Fields: junosFields},
	{Platform: "juniper_junos", Dir: "juniper_junos/show_interfaces_interface_detail", Command: "show interfaces", Header: junosHeader.MatchString, Fields: junosFields},
	{Platform: "juniper_junos", Dir: "juniper_junos/show_interfaces_statistics", Command: "show interfaces", Header: junosHeader.MatchString, Fields: junosFields},
}

const above = "of a protocol above the interface"

var junosFields = map[string]Field{
	"interface": templates["interface"], "admin_state": Fact("admin_state"), "link_status": Fact("link"), "hardware_type": Fact("link_level_type"), "destination": Not(above), "local": Not(above),
	"name": templates["interface"], "oper-status": Fact("link"), "local-index": index, "snmp-index": Opt(func(i *devices.Interface) devices.Opt[uint32] { return i.Index }),
	"admin-status": Fact("admin_state"), "admin-status.@junos:format": Fact("admin_state"), "description": templates["description"], "mtu": Fact("mtu"), "mru": Fact("mru"), "speed": Fact("speed").As(noComma),
	"link-level-type": Fact("link_level_type"), "link-mode": Fact("link_mode").As(duplexWord), "link-type": Fact("link_type"), "loopback": Fact("loopback").As(noComma), "source-filtering": Fact("source_filtering"),
	"if-flow-control": Fact("flow_control"), "if-auto-negotiation": Fact("auto_negotiation"), "if-remote-fault": Fact("remote_fault"), "bpdu-error": Fact("bpdu_error"),
	"l2pt-error": Fact("mac_rewrite_error"), "ld-pdu-error": Fact("loop_detect_pdu_error"), "eth-switch-error": Fact("ethernet_switching_error"), "mac-rewrite-error": Fact("mac_rewrite_error").As(noComma), "pad-to-minimum-frame-size": Fact("pad_to_minimum_frame_size"),
	"interface-flapped": Fact("last_flapped"), "interface-flapped.#text": Fact("last_flapped"), "statistics-cleared": Opt(func(i *devices.Interface) devices.Opt[string] { return i.LastClear }),
	"current-physical-address": Fact("current_address"), "hardware-physical-address": Fact("hardware_address"), "interface-transmit-statistics": Not("a setting"), "encapsulation": Fact("encapsulation"),
	"traffic-statistics.input-packets": Counter(inPackets), "traffic-statistics.output-packets": Counter(outPackets), "traffic-statistics.input-bytes": Counter(inOctets), "traffic-statistics.output-bytes": Counter(outOctets),
	"traffic-statistics.input-bps": Fact("in_rate"), "traffic-statistics.output-bps": Fact("out_rate"), "traffic-statistics.input-pps": Fact("in_packet_rate"), "traffic-statistics.output-pps": Fact("out_packet_rate"),
	"input-error-count": Counter(inErrors), "output-error-count": Counter(outErrors), "generation": Fact("generation"), "up-hold-time": Fact("hold_time_up").As(FirstWord), "down-hold-time": Fact("hold_time_down").As(FirstWord), "address-family": Not(above), "logical-interface-bandwidth": Fact("bandwidth"),
	"input-error-list.input-errors": Counter(inErrors), "input-error-list.input-drops": Counter(inDrops), "input-error-list.framing-errors": Fact("in_framing_errors"), "input-error-list.input-runts": Counter(runts), "input-error-list.input-giants": Fact("in_giants"),
	"input-error-list.input-discards": Fact("in_policed_discards"), "input-error-list.input-resource-errors": Fact("in_resource_errors"), "input-error-list.input-fifo-errors": Counter(overrun),
	"input-error-list.input-l2-channel-errors": Fact("in_l2_channel_errors"), "input-error-list.input-l2-mismatch-timeouts": Fact("in_l2_mismatch_timeouts"), "input-error-list.input-l3-incompletes": Fact("in_l3_incompletes"),
	"output-error-list.carrier-transitions": Counter(transitions), "output-error-list.mtu-errors": Counter(func(i *devices.Interface) devices.Opt[devices.Counter] { return i.MTUExceeded }), "output-error-list.output-drops": Counter(outDrops), "output-error-list.output-errors": Counter(outErrors),
	"output-error-list.output-resource-errors": Fact("out_resource_errors"), "output-error-list.aged-packets": Fact("out_aged_packets"), "output-error-list.hs-link-crc-errors": Fact("out_hs_link_crc_errors"),
	"output-error-list.output-collisions": Counter(collisions), "output-error-list.output-fifo-errors": Counter(underruns),
	"ethernet-mac-statistics.input-broadcasts": Counter(inBroad), "ethernet-mac-statistics.output-broadcasts": Counter(outBroad), "ethernet-mac-statistics.input-multicasts": Counter(inMulti), "ethernet-mac-statistics.output-multicasts": Counter(outMulti),
	"ethernet-mac-statistics.input-bytes": Fact("in_mac_total_octets"), "ethernet-mac-statistics.output-bytes": Fact("out_mac_total_octets"), "ethernet-mac-statistics.input-packets": Fact("in_mac_total_packets"), "ethernet-mac-statistics.output-packets": Fact("out_mac_total_packets"),
	"ethernet-mac-statistics.input-unicasts": Fact("in_mac_unicast_packets"), "ethernet-mac-statistics.output-unicasts": Fact("out_mac_unicast_packets"), "ethernet-mac-statistics.input-crc-errors": Counter(fcs), "ethernet-mac-statistics.output-crc-errors": Fact("out_mac_crc_align_errors"),
	"ethernet-mac-statistics.input-fifo-errors": Fact("in_mac_fifo_errors"), "ethernet-mac-statistics.output-fifo-errors": Fact("out_mac_fifo_errors"), "ethernet-mac-statistics.input-mac-control-frames": Fact("in_mac_mac_control_frames"), "ethernet-mac-statistics.output-mac-control-frames": Fact("out_mac_mac_control_frames"),
	"ethernet-mac-statistics.input-mac-pause-frames": Counter(inPause), "ethernet-mac-statistics.output-mac-pause-frames": Counter(outPause), "ethernet-mac-statistics.input-oversized-frames": Counter(giants), "ethernet-mac-statistics.input-jabber-frames": Counter(func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Jabbers }),
	"ethernet-mac-statistics.input-fragment-frames": Counter(fragments), "ethernet-mac-statistics.input-vlan-tagged-frames": Fact("in_mac_vlan_tagged_frames"), "ethernet-mac-statistics.input-code-violations": Counter(func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Symbol }),
	"ethernet-mac-statistics.input-total-errors": Fact("in_mac_total_errors"), "ethernet-mac-statistics.output-total-errors": Fact("out_mac_total_errors"),
	"ethernet-pcs-statistics.bit-error-seconds": Fact("pcs_bit_errors"), "ethernet-pcs-statistics.errored-blocks-seconds": Fact("pcs_errored_blocks"),
	"ethernet-fec-statistics.fec_ccw_count": Fact("ethernet_fec_fec_corrected_errors"), "ethernet-fec-statistics.fec_nccw_count": Fact("ethernet_fec_fec_uncorrected_errors"), "ethernet-fec-statistics.fec_ccw_error_rate": Fact("ethernet_fec_fec_corrected_errors_rate"), "ethernet-fec-statistics.fec_nccw_error_rate": Fact("ethernet_fec_fec_uncorrected_errors_rate"),
	"stp-traffic-statistics.stp-input-bytes-dropped": Fact("dropped_traffic_statistics_due_to_stp_state_input_bytes"), "stp-traffic-statistics.stp-output-bytes-dropped": Fact("dropped_traffic_statistics_due_to_stp_state_output_bytes"),
	"stp-traffic-statistics.stp-input-packets-dropped": Fact("dropped_traffic_statistics_due_to_stp_state_input_packets"), "stp-traffic-statistics.stp-output-packets-dropped": Fact("dropped_traffic_statistics_due_to_stp_state_output_packets"),
	"ethernet-filter-statistics.*": Not("a filter's, not the interface's"), "minimum-links-in-aggregate": Fact("minimum_links_needed"), "minimum-bandwidth-in-aggregate": Fact("minimum_bandwidth_needed"),
	"address-family.*": Not(above), "traffic-statistics.ipv6-transit-statistics.*": Not(above), "transit-traffic-statistics.*": Not(above), "lsi-traffic-statistics.*": Not(above), "lag-traffic-statistics.*": Not("of the aggregate's members and LACP, not of the interface"),
	"queue-counters.*": Not("a queue's, not the interface's"), "ingress-queue-counters.*": Not("a queue's, not the interface's"), "cos-information.*": Not("a setting of class of service"), "physical-interface-cos-information.*": Not("a setting of class of service"),
	"if-device-flags.*": Not("one flag as a word of its own"), "if-config-flags.*": Not("one flag as a word of its own"), "if-media-flags.*": Not("one flag as a word of its own"), "active-alarms.*": Not("one flag as a word of its own"), "active-defects.*": Not("one flag as a word of its own"),
	"pfe-information.*": Not("of the forwarding engine, not of the interface"), "allowed-host-inbound-traffic.*": Not("a setting of the zone"), "logical-interface-zone-name": Not("a setting of the zone"), "sonet-mode": Not("a word without a label"), "policer-information.*": Not(above),
}

// index is Junos' own index, which a logical interface has in brackets.
var index = Text(func(i *devices.Interface) string {
	if v := i.Fact("interface_index"); v != "" {
		return v
	}
	return i.Fact("index")
})

// noComma takes off a comma that a source left at the end.
func noComma(s string) string { return strings.TrimRight(s, ",") }
