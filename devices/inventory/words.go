package inventory

import (
	"slices"
	"strings"

	"whydrop/devices/cli"
	"whydrop/devices/parse"
)

// platformWords are what other programs call the platforms: Ansible's network_os (with its collection), drivers of
// NAPALM and Netmiko, kinds of containerlab and slugs of NetBox.
var platformWords = map[string]string{
	"ios": "cisco_ios", "cisco-ios": "cisco_ios", "cisco.ios.ios": "cisco_ios", "cisco_iol": "cisco_ios", "cisco_vios": "cisco_ios",
	"iosxe": "cisco_iosxe", "ios-xe": "cisco_iosxe", "cisco-ios-xe": "cisco_iosxe", "cisco_xe": "cisco_iosxe", "cisco_csr1000v": "cisco_iosxe", "cisco_c8000v": "cisco_iosxe", "cisco_cat9kv": "cisco_iosxe",
	"nxos": "cisco_nxos", "nx-os": "cisco_nxos", "nxos_ssh": "cisco_nxos", "cisco.nxos.nxos": "cisco_nxos", "cisco-nx-os": "cisco_nxos", "cisco_n9kv": "cisco_nxos",
	"iosxr": "cisco_iosxr", "ios-xr": "cisco_iosxr", "cisco.iosxr.iosxr": "cisco_iosxr", "cisco-ios-xr": "cisco_iosxr", "cisco_xr": "cisco_iosxr", "cisco_xrd": "cisco_iosxr", "xrd": "cisco_iosxr", "cisco_xrv9k": "cisco_iosxr", "cisco_xrv": "cisco_iosxr",
	"asa": "cisco_asa", "cisco.asa.asa": "cisco_asa", "cisco-asa": "cisco_asa", "cisco_asav": "cisco_asa", "cisco_ftd": "cisco_asa",
	"cisco_s300": "cisco_smb", "ciscosmb": "cisco_smb", "community.ciscosmb.ciscosmb": "cisco_smb",
	"eos": "arista_eos", "arista.eos.eos": "arista_eos", "arista-eos": "arista_eos", "ceos": "arista_eos", "arista_ceos": "arista_eos", "vr-veos": "arista_eos", "arista_veos": "arista_eos",
	"dellemc.os9.os9": "dell_force10", "dellos9": "dell_force10", "dell_ftos": "dell_force10", "dellemc.os10.os10": "dell_os10", "dellos10": "dell_os10",
	"community.network.exos": "extreme_exos", "extreme-exos": "extreme_exos",
	"community.network.icx": "brocade_fastiron", "commscope.icx.icx": "brocade_fastiron", "fastiron": "brocade_fastiron", "community.network.ironware": "brocade_netiron", "netiron": "brocade_netiron", "extreme_netiron": "brocade_netiron",
	"arubanetworks.aoscx.aoscx": "aruba_aoscx", "arubaoscx": "aruba_aoscx", "aruba_arubaos-cx": "aruba_aoscx", "vr-aoscx": "aruba_aoscx",
	"comware": "hp_comware", "community.network.ce": "huawei_vrp", "community.network.cloudengine": "huawei_vrp", "ce": "huawei_vrp",
	"junos": "juniper_junos", "junipernetworks.junos.junos": "juniper_junos", "juniper-junos": "juniper_junos", "juniper": "juniper_junos", "juniper_crpd": "juniper_junos", "crpd": "juniper_junos",
	"juniper_vmx": "juniper_junos", "juniper_vqfx": "juniper_junos", "juniper_vsrx": "juniper_junos", "juniper_vjunosswitch": "juniper_junos", "juniper_vjunosrouter": "juniper_junos", "juniper_vjunosevolved": "juniper_junos",
}

// platformOf returns our name of a platform that another program calls word; ok is false if it is none of ours.
func platformOf(word string) (name string, ok bool) {
	w := strings.ToLower(strings.TrimSpace(word))
	if p, known := platformWords[w]; known {
		w = p
	}
	for _, name := range []string{w, strings.ReplaceAll(w, "-", "_")} {
		if slices.Contains(cli.Names(), name) || slices.Contains(cli.Names(), parse.Canonical(name)) {
			return name, true
		}
	}
	return "", false
}

// roleWords are what networks call the roles of devices.
var roleWords = []struct{ role, word string }{
	{"firewall", "firewall"}, {"firewall", "fw"}, {"router", "router"}, {"router", "rtr"}, {"router", "gateway"},
	{"switch", "switch"}, {"switch", "leaf"}, {"switch", "spine"}, {"host", "server"}, {"host", "host"}, {"host", "hypervisor"},
}

// roleOf returns the role that a word of another program means; "" if it means none.
func roleOf(word string) string {
	w := strings.ToLower(word)
	for _, r := range roleWords {
		if strings.Contains(w, r.word) {
			return r.role
		}
	}
	return ""
}

// platform takes what another program calls a platform.
func (r *reader) platform(v value, owner string) string {
	if v.text == "" {
		return ""
	}
	name, ok := platformOf(v.text)
	if !ok {
		r.notef(v.file, v.line, "%s: platform %q has no command line that is known here; left out", owner, clip(v.text))
	}
	return name
}
