// Package parse turns the text that a device prints for a command into a [devices.Reading].
//
// [Parsers] is the visible list: one line per platform and command. The parsers are in one package per platform;
// each says in its comment what it reads and what it leaves alone. No parser fails: what is not in a text is not
// in the reading.
//
// What it leaves to others: sending commands (cli), and comparing readings (devices.Differ).
package parse

import (
	"fmt"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/parse/cisco_ios"
)

// Input is a command's output and when it was asked.
type Input struct {
	Text string
	Span timeline.Span // from the question to the last byte of the answer, on the probe's clock
	// Command is as it was sent, for answers that do not name the port they are about; [Into] gives it.
	Command string
}

// Parser puts what a text says into a reading that others may have begun.
type Parser func(Input, *devices.Reading)

// Parsers lists the parsers by platform and by command, without what a command names: an interface, an address.
var Parsers = map[string]map[string]Parser{
	"cisco_ios":         ciscoIOS,
	"cisco_iosxe":       ciscoIOS,
	"cisco_nxos":        ciscoNXOS,
	"cisco_iosxr":       ciscoIOSXR,
	"cisco_asa":         ciscoASA,
	"cisco_smb":         ciscoSMB,
	"juniper_junos":     juniperJunos,
	"hp_comware":        hpComware,
	"huawei_vrp":        huaweiVRP,
	"aruba_aoscx":       arubaAOSCX,
	"hp_procurve":       hpProcurve,
	"arista_eos":        aristaEOS,
	"dell_force10":      dellForce10,
	"dell_os10":         dellOS10,
	"extreme_exos":      extremeEXOS,
	"brocade_fastiron":  brocadeFastIron,
	"brocade_netiron":   brocadeNetIron,
	"linux":             linuxHost,
	"fortios":           fortinetFortiOS,
	"paloalto_panos":    paloAltoPANOS,
	"mikrotik_routeros": mikrotikRouterOS,
}

// Aliases lists other names for a platform, by which site files and inventories know it.
var Aliases = map[string]string{
	"ios":             "cisco_ios",
	"iosxe":           "cisco_iosxe",
	"cisco_xe":        "cisco_iosxe",
	"nxos":            "cisco_nxos",
	"nxos_ssh":        "cisco_nxos",
	"iosxr":           "cisco_iosxr",
	"cisco_xr":        "cisco_iosxr",
	"cisco_ftd":       "cisco_asa",
	"cisco_s300":      "cisco_smb",
	"cisco_cbs":       "cisco_smb",
	"eos":             "arista_eos",
	"junos":           "juniper_junos",
	"juniper":         "juniper_junos",
	"comware":         "hp_comware",
	"h3c_comware":     "hp_comware",
	"hpe_comware":     "hp_comware",
	"vrp":             "huawei_vrp",
	"huawei":          "huawei_vrp",
	"huawei_vrpv8":    "huawei_vrp",
	"dell_os9":        "dell_force10",
	"dell_dnos9":      "dell_force10",
	"force10":         "dell_force10",
	"os10":            "dell_os10",
	"exos":            "extreme_exos",
	"extreme":         "extreme_exos",
	"ruckus_fastiron": "brocade_fastiron",
	"ruckus_icx":      "brocade_fastiron",
	"icx":             "brocade_fastiron",
	"ironware":        "brocade_netiron",
	"aoscx":           "aruba_aoscx",
	"aruba_cx":        "aruba_aoscx",
	"procurve":        "hp_procurve",
	"aruba_aoss":      "hp_procurve",
	"aruba_osswitch":  "hp_procurve",
	"fortinet":        "fortios",
	"panos":           "paloalto_panos",
	"routeros":        "mikrotik_routeros",
}

// Canonical returns the name by which [Parsers] knows a platform; a name that is unknown is its own.
func Canonical(platform string) string {
	if name, ok := Aliases[platform]; ok {
		return name
	}
	return platform
}

// Into parses the output of a command and puts it into r. The command may name an interface or an address where
// the listed one does not. The error says that there is no parser for the command on the platform.
func Into(platform, command string, in Input, r *devices.Reading) error {
	if p := find(Parsers[Canonical(platform)], command); p != nil {
		in.Command = command
		p(in, r)
		return nil
	}
	return fmt.Errorf("parse: no parser for %q on platform %q", command, platform)
}

// find returns the parser of a command: of the command itself, or of it without one word or two that belong
// together, the last ones first.
func find(list map[string]Parser, command string) Parser {
	if p := list[command]; p != nil {
		return p
	}
	words := strings.Fields(command)
	for n := 1; n <= 2; n++ {
		for i := len(words) - n; i > 0; i-- {
			if p := list[strings.Join(slices.Concat(words[:i], words[i+n:]), " ")]; p != nil {
				return p
			}
		}
	}
	return nil
}

// plain makes a parser of a function that needs no time.
func plain(f func(string, *devices.Reading)) Parser {
	return func(in Input, r *devices.Reading) { f(in.Text, r) }
}

// Found is a block of show interfaces in a text.
type Found struct {
	From, To  int // where it begins and ends in the text, in bytes
	Interface devices.Interface
	Extra     cisco_ios.Extra // rates with their interval, loads, and the words of the header
}

// FindInterfaces finds the blocks of show interfaces that stand anywhere in a text, between sentences in any
// language, in their order. Two blocks of the same port are two snapshots of it.
func FindInterfaces(text string) []Found {
	var out []Found
	for _, p := range cisco_ios.FindInterfaces(text) {
		out = append(out, Found{p.From, p.To, p.Interface, p.Extra})
	}
	return out
}
