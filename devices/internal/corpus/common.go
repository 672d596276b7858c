package corpus

import (
	"strings"

	"whydrop/devices"
)

type counterOf = func(i *devices.Interface) devices.Opt[devices.Counter]

// Where counters are in an interface.
var (
	inPackets   counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.InPackets }
	outPackets  counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.OutPackets }
	inOctets    counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.InOctets }
	outOctets   counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.OutOctets }
	inErrors    counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.InErrors }
	outErrors   counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.OutErrors }
	inDrops     counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.InDrops }
	outDrops    counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.OutDrops }
	inBroad     counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.InBroadcasts }
	outBroad    counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.OutBroadcasts }
	inMulti     counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.InMulticasts }
	outMulti    counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.OutMulticasts }
	fcs         counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.FCS }
	alignment   counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Alignment }
	runts       counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Runts }
	giants      counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Giants }
	overrun     counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Overrun }
	ignored     counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Ignored }
	throttles   counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Throttles }
	noBuffer    counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.NoBuffer }
	underruns   counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Underruns }
	collisions  counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Collisions }
	late        counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.LateCollisions }
	deferred    counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Deferred }
	lostCarrier counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.CarrierSense }
	inPause     counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.InPause }
	outPause    counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.OutPause }
	unknown     counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.UnknownProtos }
	resets      counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Resets }
	transitions counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.CarrierTransitions }
	stomped     counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Stomped }
	fragments   counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Fragments }
	storm       counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.StormDrops }
	queueDrops  counterOf = func(i *devices.Interface) devices.Opt[devices.Counter] { return i.InputQueueDrop }
)

// templates is what the templates of Cisco-like platforms call their fields.
var templates = map[string]Field{
	"interface":   Text(func(i *devices.Interface) string { return i.Name }).As(devices.PortKey),
	"description": Text(func(i *devices.Interface) string { return i.Alias }),
	"mtu":         Opt(func(i *devices.Interface) devices.Opt[uint32] { return i.MTU }),
	"bandwidth":   Fact("bandwidth").As(FirstWord), "delay": Fact("delay"), "encapsulation": Fact("encapsulation"),
	"hardware_type": Fact("hardware"), "mac_address": Fact("mac"), "bia": Fact("bia"), "media_type": Fact("media"),
	"link_status": Fact("status"), "protocol_status": Fact("protocol"), "last_link_flapped": Fact("last_link_flapped"),
	"last_input": Fact("last_input"), "last_output": Fact("last_output"), "speed": Fact("speed"), "duplex": Fact("duplex"),
	"ip_address": Fact("ip").As(Prefix("/")), "prefix_length": {Get: func(i *devices.Interface) string {
		_, n, _ := strings.Cut(i.Fact("ip"), "/")
		n, _, _ = strings.Cut(n, " ")
		return n
	}},
	"vlan_id":       Fact("vlan").As(Prefix(".")),
	"input_packets": Counter(inPackets), "output_packets": Counter(outPackets), "input_errors": Counter(inErrors),
	"output_errors": Counter(outErrors), "crc": Counter(fcs), "frame": Counter(alignment), "runts": Counter(runts), "giants": Counter(giants),
	"overrun": Less(overrun, ignored), "ignored": Counter(ignored), "no_buffer": Counter(noBuffer), "underrun": Counter(underruns),
	"collisions": Counter(collisions), "late_collisions": Counter(late), "deferred": Counter(deferred), "lost_carrier": Counter(lostCarrier),
	"input_discards": Counter(inDrops), "output_discards": Counter(outDrops), "rx_pause": Counter(inPause), "tx_pause": Counter(outPause),
	"input_rate": Fact("in_rate").As(Number), "output_rate": Fact("out_rate").As(Number),
	"input_pps": Fact("in_packet_rate").As(Number), "output_pps": Fact("out_packet_rate").As(Number),
	"abort": Fact("in_abort"),
}

// trees is what the parsers of Cisco-like platforms call theirs.
var trees = map[string]Field{
	"description": templates["description"], "mtu": templates["mtu"], "bandwidth": templates["bandwidth"], "delay": Fact("delay").As(FirstWord),
	"line_protocol": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Oper }).As(operWord),
	"oper_status":   Fact("status").As(operWord), "enabled": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Admin }).As(truth),
	"mac_address": Fact("mac"), "phys_address": Fact("bia"), "type": Fact("hardware"), "types": Fact("hardware").As(Lower),
	"reliability": Fact("reliability").As(known), "txload": Fact("txload").As(known), "rxload": Fact("rxload").As(known),
	"encapsulations.encapsulation": Fact("encapsulation").As(encapsulation), "encapsulations.first_dot1q": Fact("vlan").As(Prefix(".")), "encapsulations.second_dot1q": Fact("second_vlan"),
	"duplex_mode": Fact("duplex").As(duplexWord), "port_speed": Fact("speed").As(Letters), "media_type": Fact("media"),
	"last_link_flapped": Fact("last_link_flapped"), "last_input": Fact("last_input"), "last_output": Fact("last_output"),
	"arp_type": Fact("arp_type").As(Lower), "arp_timeout": Fact("arp_timeout"), "keepalive": Fact("keepalive"), "loopback": Fact("loopback"),
	"flow_control.receive": Opt(func(i *devices.Interface) devices.Opt[bool] { return i.FlowIn }), "flow_control.send": Opt(func(i *devices.Interface) devices.Opt[bool] { return i.FlowOut }),
	"flow_control.flow_control_receive": Opt(func(i *devices.Interface) devices.Opt[bool] { return i.FlowIn }), "flow_control.flow_control_send": Opt(func(i *devices.Interface) devices.Opt[bool] { return i.FlowOut }),
	"auto_negotiate":   Opt(func(i *devices.Interface) devices.Opt[bool] { return i.Autoneg }),
	"counters.in_pkts": Counter(inPackets), "counters.out_pkts": Counter(outPackets), "counters.in_octets": Counter(inOctets), "counters.out_octets": Counter(outOctets),
	"counters.in_errors": Counter(inErrors), "counters.out_errors": Counter(outErrors), "counters.in_crc_errors": Counter(fcs), "counters.in_frame": Counter(alignment), "counters.in_frame_errors": Counter(alignment),
	"counters.in_overrun": Less(overrun, ignored), "counters.in_ignored": Counter(ignored), "counters.in_runts": Counter(runts), "counters.in_giants": Counter(giants),
	"counters.in_throttles": Counter(throttles), "counters.in_no_buffer": Counter(noBuffer), "counters.in_multicast_pkts": Counter(inMulti), "counters.in_broadcast_pkts": Counter(inBroad),
	"counters.out_multicast_pkts": Counter(outMulti), "counters.out_broadcast_pkts": Counter(outBroad), "counters.in_unicast_pkts": Fact("in_unicast_packets"), "counters.out_unicast_pkts": Fact("out_unicast_packets"),
	"counters.in_mac_pause_frames": Counter(inPause), "counters.out_mac_pause_frames": Counter(outPause), "counters.out_collision": Counter(collisions),
	"counters.out_late_collision": Counter(late), "counters.out_deferred": Counter(deferred), "counters.out_lost_carrier": Counter(lostCarrier), "counters.out_no_carrier": Fact("out_no_carrier"),
	"counters.out_underruns": Counter(underruns), "counters.out_interface_resets": Counter(resets), "counters.out_resets": Counter(resets), "counters.in_unknown_protos": Counter(unknown),
	"counters.in_total_drops": Counter(inDrops), "counters.out_total_drops": Counter(outDrops), "counters.in_discards": Counter(inDrops), "counters.out_discards": Counter(outDrops),
	"counters.in_discard": Counter(inDrops), "counters.out_discard": Counter(outDrops), "counters.carrier_transitions": Counter(transitions), "carrier_transitions": Counter(transitions),
	"counters.out_buffer_failure": Fact("out_buffer_failures"), "counters.out_buffer_failures": Fact("out_buffer_failures"), "counters.out_buffers_swapped": Fact("out_buffers_swapped"), "counters.out_buffer_swapped_out": Fact("out_buffers_swapped"),
	"counters.out_babble": Fact("out_babble"), "counters.in_watchdog": Fact("in_watchdog"), "counters.in_abort": Fact("in_abort"), "counters.in_with_dribble": Fact("in_dribble"),
	"counters.in_parity": Fact("in_parity"), "counters.out_applique": Fact("out_applique"),
	"counters.last_clear":         Opt(func(i *devices.Interface) devices.Opt[string] { return i.LastClear }),
	"counters.rate.load_interval": Fact("interval").As(seconds), "counters.rate.in_rate": Fact("in_rate").As(Number), "counters.rate.out_rate": Fact("out_rate").As(Number),
	"counters.rate.in_rate_pkts": Fact("in_packet_rate").As(Number), "counters.rate.out_rate_pkts": Fact("out_packet_rate").As(Number),
	"ipv4.*.ip": Fact("ip").As(address), "ipv4.*.prefix_length": {Get: templates["prefix_length"].Get},
	"is_deleted": Not("the source's own conclusion"), "port_channel.port_channel_member": Not("the source's own conclusion"),
	"counters.rx": Not("the source's own conclusion"), "counters.tx": Not("the source's own conclusion"),
}

// operWord brings the words for a state to one.
func operWord(s string) string {
	switch s = strings.ToLower(strings.TrimSpace(s)); {
	case strings.HasPrefix(s, "admin"), s == "deleted":
		return "down"
	}
	return s
}

// truth brings "up" and "true" to one.
func truth(s string) string {
	switch strings.ToLower(s) {
	case "up", "true":
		return "true"
	case "down", "false", "administratively down":
		return "false"
	}
	return s
}

// encapsulation brings "802.1Q Virtual LAN" and "dot1q" to one.
func encapsulation(s string) string {
	s = strings.ToLower(s)
	if strings.HasPrefix(s, "802.1q") {
		return "dot1q"
	}
	return s
}

// duplexWord brings "Full-duplex" and "full" to one.
func duplexWord(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, cut := range []string{"-duplex", " duplex", "duplex "} {
		s = strings.ReplaceAll(s, cut, "")
	}
	return s
}

// seconds brings "5 minute" and "300" to one.
func seconds(s string) string {
	n, unit, ok := strings.Cut(s, " ")
	if !ok || !strings.HasPrefix(unit, "minute") {
		return n
	}
	return map[string]string{"1": "60", "5": "300", "2": "120", "10": "600"}[n]
}

// address cuts off a prefix length, and "secondary".
func address(s string) string {
	s, _, _ = strings.Cut(s, "/")
	s, _, _ = strings.Cut(s, " ")
	return s
}

// known takes a source's "unknown" for what is not given.
func known(s string) string {
	if strings.EqualFold(s, "unknown") {
		return ""
	}
	return s
}
