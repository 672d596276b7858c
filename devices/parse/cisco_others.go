package parse

import (
	"whydrop/devices/parse/arista_eos"
	"whydrop/devices/parse/cisco_asa"
	"whydrop/devices/parse/cisco_iosxr"
	"whydrop/devices/parse/cisco_nxos"
	"whydrop/devices/parse/juniper_junos"
)

// ciscoNXOS is of Cisco NX-OS.
var ciscoNXOS = map[string]Parser{
	"show interface": plain(cisco_nxos.ShowInterface),
}

// ciscoIOSXR is of Cisco IOS XR.
var ciscoIOSXR = map[string]Parser{
	"show interfaces": plain(cisco_iosxr.ShowInterfaces),
}

// ciscoASA is of Cisco ASA, and of the ASA side of Firepower Threat Defense.
var ciscoASA = map[string]Parser{
	"show interface": plain(cisco_asa.ShowInterface),
}

// aristaEOS is of Arista EOS.
var aristaEOS = map[string]Parser{
	"show interfaces": plain(arista_eos.ShowInterfaces),
}

// juniperJunos is of Juniper Junos.
var juniperJunos = map[string]Parser{
	"show interfaces":           plain(juniper_junos.ShowInterfaces),
	"show interfaces extensive": plain(juniper_junos.ShowInterfaces),
}
