package cli

import (
	"maps"
	"regexp"
	"slices"

	"whydrop/devices"
	"whydrop/devices/parse"
)

// Platforms lists what the command line of each kind of device is asked. A new platform is a line here, a Platform
// in a file of its vendor, and the parsers of its commands in parse.Parsers. Other names of a platform stand in
// parse.Aliases.
var Platforms = map[string]Platform{
	"cisco_ios":         ciscoIOS,
	"cisco_iosxe":       ciscoIOSXE,
	"cisco_nxos":        ciscoNXOS,
	"cisco_iosxr":       ciscoIOSXR,
	"cisco_asa":         ciscoASA,
	"cisco_smb":         ciscoSMB,
	"arista_eos":        aristaEOS,
	"dell_force10":      dellForce10,
	"dell_os10":         dellOS10,
	"extreme_exos":      extremeEXOS,
	"brocade_fastiron":  brocadeFastIron,
	"brocade_netiron":   brocadeNetIron,
	"juniper_junos":     juniperJunos,
	"hp_comware":        hpComware,
	"huawei_vrp":        huaweiVRP,
	"aruba_aoscx":       arubaAOSCX,
	"hp_procurve":       hpProcurve,
	"linux":             linuxHost,
	"fortios":           fortinetFortiOS,
	"paloalto_panos":    paloAltoPANOS,
	"mikrotik_routeros": mikrotikRouterOS,
}

// Platform is the command line of one kind of device.
//
// In a command, NAME stands for an interface, MAC for a hardware address and IP for an address; what is put in is
// checked, so that none can carry a second command. "[NAME]" may be left out: the command is asked once for each
// port that the site file names, or once without a name if it names none. Every command listed may be sent to a
// device of the platform, and no other.
type Platform struct {
	Setup    []string // after login: paging off, a wide terminal; a device may refuse them
	Counters []string // at each poll: the interfaces, first of all their counters; a device that refuses one is reported
	States   []string // at each poll: spanning tree, redundancy, what NAME's link is; not asked again of a device that refuses them
	Log      []string // at each reading of the log: its lines and the clock
	LogToo   []string // with Log: what a device may lack; not asked again of one that refuses it
	Slow     []string // now and then: neighbours, optics, processor, nothing that is read into interfaces; not asked again of a device that refuses them
	Once     []string // at the first poll: the version
	// OnRequest may be asked by Ask alone: tables of addresses, what is long.
	OnRequest []string

	Marks // tell the platform where the site file does not

	Exit   string // logs out; "" is exit
	Enable string // asks for more rights; sent only to a device whose prompt ends in ">" and that has an enable secret in the site file
	// UserSuffix is added to the user's name at the login, where the device takes options there.
	UserSuffix string
	// Volatile matches what changes in a prompt from one command to the next: a count, the state of a pair.
	Volatile *regexp.Regexp
	// Unsaved stands before the prompt while the configuration was not saved; it comes and goes.
	Unsaved string
	// Refused matches what the device says, in one of the first lines, when it does not know or allow a command,
	// beyond lines that begin with "% ".
	Refused *regexp.Regexp
	// Lacks matches such words where another platform's are alike: they are no sign that the device is of another.
	Lacks *regexp.Regexp
}

// Names returns the names of all platforms, with the other names of each, in alphabetical order.
func Names() []string {
	names := slices.Collect(maps.Keys(Platforms))
	for alias, name := range parse.Aliases {
		if _, ok := Platforms[name]; ok {
			names = append(names, alias)
		}
	}
	slices.Sort(names)
	return names
}

// defaultPlatform is what a device is taken for that tells nothing of itself.
const defaultPlatform = "cisco_iosxe"

// platformOf returns the name of a device's platform in Platforms; "" if the site file does not give it.
func platformOf(d devices.Device) string { return parse.Canonical(d.Platform) }
