package corpus

import (
	"regexp"
	"strconv"
	"strings"

	"whydrop/devices"
)

var (
	fortiHeader  = regexp.MustCompile(`^\s*==\[.+\]$`)
	fortiConfig  = regexp.MustCompile(`^== \[ .+ \]$`)
	panHardware  = regexp.MustCompile(`^[a-z][\w/.-]*\s+\d+\s+\S+/\S+/\S+\s+[0-9a-f]{2}:`)
	panLogical   = regexp.MustCompile(`^[a-z][\w/.-]*\s+\d+\s+\d+\s`)
	routerRecord = regexp.MustCompile(`^\s*\d+ .*(?:;;;|name=)`)
	routerName   = regexp.MustCompile(`^\s*name: `)
)

// hostSets are the interfaces of firewalls and hosts.
var hostSets = []Set{
	{Platform: "fortios", Dir: "fortinet/get_system_interface_physical", Command: "get system interface physical", Header: fortiHeader.MatchString, Fields: fortiFields},
	{Platform: "fortios", Dir: "fortinet/get_system_interface", Command: "get system interface", Header: fortiConfig.MatchString, Fields: Merge(fortiFields, fortiConfigFields)},
	{Platform: "paloalto_panos", Dir: "paloalto_panos/show_interface_hardware", Command: "show interface hardware", Header: panHardware.MatchString, Fields: panFields},
	{Platform: "paloalto_panos", Dir: "paloalto_panos/show_interface_logical", Command: "show interface logical", Header: panLogical.MatchString, Fields: panFields},
	{Platform: "paloalto_panos", Dir: "paloalto_panos/show_interface_all", Command: "show interface all", Fields: panFields, Parts: true},
	{Platform: "mikrotik_routeros", Dir: "mikrotik_routeros/interface_print_detail", Command: "interface print detail without-paging", Header: routerRecord.MatchString, Fields: routerFields},
	{Platform: "mikrotik_routeros", Dir: "mikrotik_routeros/interface_vlan_print_detail", Command: "interface vlan print detail without-paging", Header: routerRecord.MatchString, Fields: routerFields},
	{Platform: "mikrotik_routeros", Dir: "mikrotik_routeros/interface_ethernet_monitor_name_once", Command: "interface ethernet monitor once", Header: routerName.MatchString, Fields: monitorFields},
}

var fortiFields = map[string]Field{
	"name": Text(func(i *devices.Interface) string { return i.Name }), "mode": Fact("mode"), "fec": Fact("fec"), "fec_cap": Fact("fec_cap"),
	"duplex": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Duplex }).As(notSaid), "speed": Text(speedInMegabits).As(notSaid),
	"status": Opt(func(i *devices.Interface) devices.Opt[string] { return i.Oper }), "ip_address": Fact("ip").As(Prefix(" ")), "netmask": Fact("ip").As(lastWord),
	"ipv6_address": Fact("ipv6").As(Prefix("/")), "ipv6netmask": Fact("ipv6").As(behindSlash),
}

var fortiConfigFields = map[string]Field{
	"status":     Opt(func(i *devices.Interface) devices.Opt[string] { return i.Admin }),
	"ip_address": fortiFields["ip_address"], "management_ip": Fact("management_ip").As(Prefix(" ")), "management_netmask": Fact("management_ip").As(lastWord),
	"drop_fragment": Fact("drop_fragment"), "drop_overlapped_fragment": Fact("drop_overlapped_fragment"), "explicit_ftp_proxy": Fact("explicit_ftp_proxy"), "explicit_web_proxy": Fact("explicit_web_proxy"),
	"mtu_override": Fact("mtu_override"), "netbios_forward": Fact("netbios_forward"), "ring_rx": Fact("ring_rx"), "ring_tx": Fact("ring_tx"), "netflow_sampler": Fact("netflow_sampler"),
	"proxy_captive_portal": Fact("proxy_captive_portal"), "scan_botnet_connections": Fact("scan_botnet_connections"), "sflow_sampler": Fact("sflow_sampler"), "src_check": Fact("src_check"),
	"switch_controller_feature": Fact("switch_controller_feature"), "type": Fact("type"), "wccp": Fact("wccp"),
}

var panFields = map[string]Field{
	"interface": Text(func(i *devices.Interface) string { return i.Name }), "id": Fact("id"), "mac_address": Text(func(i *devices.Interface) string { return i.MAC }),
	"speed": Fact("speed"), "duplex": Fact("duplex"), "state": Fact("state"), "fec": Fact("fec"), "vsys": Fact("vsys"), "zone": Fact("zone"), "forwarding": Fact("forwarding"), "vlan_id": Fact("tag"),
	"ip_address": Text(func(i *devices.Interface) string { return i.Fact("ip") + " " + i.Fact("ip_2") }),
}

var routerFields = map[string]Field{
	"name": Text(func(i *devices.Interface) string { return i.Name }), "id": Not("the number of the row"), "description": Text(func(i *devices.Interface) string { return i.Alias }),
	"mtu": Fact("mtu"), "actual_mtu": Fact("actual_mtu"), "l2mtu": Fact("l2mtu"), "max_l2mtu": Fact("max_l2mtu"), "mac_address": Text(func(i *devices.Interface) string { return i.MAC }).As(Lower),
	"default_name": Fact("default_name"), "type": Fact("type"), "vrf": Fact("vrf"), "last_link_down_time": Fact("last_link_down_time"), "last_link_up_time": Fact("last_link_up_time"), "link_downs": Counter(transitions),
	"status": flag("RX"), "dynamic": flag("D"), "slave": flag("S"), "vlan_id": Fact("vlan_id"), "parent_interface": Fact("interface"), "service_tag": Fact("use_service_tag"),
}

// flag is those of some flags that an interface has.
func flag(of string) Field {
	return Text(func(i *devices.Interface) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(of, r) {
				return r
			}
			return -1
		}, i.Fact("flags"))
	})
}

// monitorFields are all facts of the same name.
var monitorFields = func() map[string]Field {
	out := map[string]Field{"eeprom": Not("the bytes of the module's memory")}
	for name := range strings.FieldsSeq(`name status auto_negotiation rate full_duplex tx_flow_control rx_flow_control supported advertising link_partner_advertising default_cable_settings combo_state
		sfp_module_present sfp_rx_loss sfp_tx_fault sfp_type sfp_connector_type sfp_link_length_9um sfp_link_length_copper sfp_link_length_50um sfp_link_length_62um sfp_vendor_name sfp_vendor_part_number
		sfp_vendor_revision sfp_vendor_serial sfp_manufacturing_date sfp_wavelength sfp_temperature sfp_supply_voltage sfp_tx_bias_current sfp_tx_power sfp_rx_power eeprom_checksum`) {
		out[name] = Fact(name)
	}
	return out
}()

// speedInMegabits is the speed in Mbit/s.
func speedInMegabits(i *devices.Interface) string {
	if !i.Speed.OK {
		return ""
	}
	return strconv.FormatUint(i.Speed.Value/1e6, 10)
}

// notSaid takes a source's "n/a" for what is not given.
func notSaid(s string) string {
	if s == "n/a" {
		return ""
	}
	return s
}

func behindSlash(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
