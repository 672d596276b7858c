package parse

import (
	"whydrop/devices"
	"whydrop/devices/parse/cisco_asa"
	"whydrop/devices/parse/cisco_ios"
	"whydrop/devices/parse/cisco_iosxr"
	"whydrop/devices/parse/cisco_nxos"
	"whydrop/devices/parse/cisco_smb"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/tables"
)

// ciscoIOS is of Cisco IOS and IOS-XE.
var ciscoIOS = map[string]Parser{
	"show interfaces":                      ciscoInterfaces,
	"show interfaces flowcontrol":          plain(tables.FlowControl),
	"show interfaces counters errors":      plain(tables.PortErrors),
	"show interfaces status":               plain(tables.PortStatus),
	"show interfaces status err-disabled":  plain(tables.PortStatus),
	"show interfaces transceiver detail":   plain(tables.OpticTables),
	"show errdisable recovery":             plain(tables.Recovery),
	"show spanning-tree detail":            spanningTree,
	"show spanning-tree mst detail":        spanningTree,
	"show spanning-tree inconsistentports": plain(tables.Inconsistent),
	"show standby":                         groups("hsrp"),
	"show standby all":                     groups("hsrp"),
	"show vrrp":                            groups("vrrp"),
	"show redundancy":                      plain(cisco_ios.ShowRedundancy),
	"show switch":                          plain(cisco_ios.ShowSwitch),
	"show etherchannel summary":            plain(tables.Channels),
	"show etherchannel port-channel":       plain(cisco_ios.ShowEtherchannelPort),
	"show pagp neighbor":                   plain(cisco_ios.ShowPAgPNeighbor),
	"show pagp internal":                   plain(cisco_ios.ShowPAgPInternal),
	"show power inline":                    plain(cisco_ios.ShowPowerInline),
	"show power inline detail":             plain(cisco_ios.ShowPowerInlineDetail),
	"show mac address-table":               plain(tables.Stations),
	"show mac address-table address":       plain(tables.Stations),
	"show ip arp":                          plain(tables.Bindings),
	"show lldp neighbors detail":           neighbours("lldp"),
	"show cdp neighbors detail":            neighbours("cdp"),
	"show processes cpu":                   plain(tables.Processor),
	"show storm-control":                   plain(cisco_ios.ShowStormControl),
	"show policy-map interface":            plain(cisco_ios.ShowPolicyMap),
	"show udld neighbors":                  plain(tables.Directions),
	"show cable-diagnostics tdr interface": plain(cisco_ios.ShowCableDiagnostics),
	"show logging":                         ciscoLogging,
	"show clock":                           clock,
	"show version":                         ciscoVersion,
}

// ciscoNXOS is of Cisco NX-OS.
var ciscoNXOS = map[string]Parser{
	"show interface":                     plain(cisco_nxos.ShowInterface),
	"show interface flowcontrol":         plain(tables.FlowControl),
	"show interface counters errors":     plain(tables.PortErrors),
	"show interface status":              plain(tables.PortStatus),
	"show interface status err-disabled": plain(tables.PortStatus),
	"show interface transceiver details": plain(tables.OpticBlocks),
	"show spanning-tree detail":          spanningTree,
	"show hsrp":                          groups("hsrp"),
	"show hsrp detail":                   groups("hsrp"),
	"show vrrp detail":                   groups("vrrp"),
	"show port-channel summary":          plain(tables.Channels),
	"show vpc":                           plain(cisco_nxos.ShowVPC),
	"show mac address-table":             plain(tables.Stations),
	"show ip arp":                        plain(tables.Bindings),
	"show lldp neighbors detail":         neighbours("lldp"),
	"show cdp neighbors detail":          neighbours("cdp"),
	"show processes cpu":                 plain(tables.Processor),
	"show logging logfile":               logLines,
	"show clock":                         clock,
	"show version":                       version("Cisco Nexus", "NX-OS"),
}

// ciscoIOSXR is of Cisco IOS XR.
var ciscoIOSXR = map[string]Parser{
	"show bundle":                plain(cisco_iosxr.ShowBundle),
	"show interfaces":            plain(cisco_iosxr.ShowInterfaces),
	"show spanning-tree mst":     plain(cisco_iosxr.ShowSpanningTree),
	"show spanning-tree pvrst":   plain(cisco_iosxr.ShowSpanningTree),
	"show hsrp detail":           groups("hsrp"),
	"show vrrp detail":           groups("vrrp"),
	"show arp":                   plain(tables.Bindings),
	"show lldp neighbors detail": neighbours("lldp"),
	"show cdp neighbors detail":  neighbours("cdp"),
	"show processes cpu":         plain(tables.Processor),
	"show logging":               logLines,
	"show clock":                 clock,
	"show version":               version("Cisco IOS XR"),
}

// ciscoASA is of Cisco ASA, and of the ASA side of Firepower Threat Defense.
var ciscoASA = map[string]Parser{
	"show interface":                     plain(cisco_asa.ShowInterface),
	"show failover":                      plain(cisco_asa.ShowFailover),
	"show conn count":                    plain(cisco_asa.ShowConnCount),
	"show resource usage resource conns": plain(cisco_asa.ShowResourceUsage),
	"show asp drop":                      plain(cisco_asa.ShowASPDrop),
	"show cpu usage":                     plain(tables.Processor),
	"show arp":                           plain(tables.Bindings),
	"show mac-address-table":             plain(tables.Stations),
	"show logging":                       logLines,
	"show clock":                         clock,
	"show version":                       version("Adaptive Security Appliance", "Firepower"),
}

// ciscoSMB is of Cisco's switches for small businesses.
var ciscoSMB = map[string]Parser{
	"show interfaces status":   plain(cisco_smb.ShowInterfacesStatus),
	"show interfaces counters": plain(cisco_smb.ShowInterfacesCounters),
	"show spanning-tree":       plain(cisco_smb.ShowSpanningTree),
	"show cpu utilization":     plain(tables.Busy),
	"show mac address-table":   plain(tables.Stations),
	"show arp":                 plain(tables.Bindings),
	"show logging":             logLines,
	"show clock":               clock,
	"show version":             version("Version", "version"),
}

func ciscoInterfaces(in Input, r *devices.Reading) {
	ports := cisco_ios.ShowInterfaces(in.Text)
	list := make([]devices.Interface, len(ports))
	for i, p := range ports {
		list[i] = p.Interface
	}
	into.Ports(r, list)
}

func ciscoLogging(in Input, r *devices.Reading) {
	into.Log(r, cisco_ios.ShowLogging(in.Text, in.Span.To))
}

func ciscoVersion(in Input, r *devices.Reading) {
	software, hostname := cisco_ios.ShowVersion(in.Text)
	if software != "" {
		r.SysDescr = devices.Some(software)
	}
	if hostname != "" {
		r.SysName = devices.Some(hostname)
	}
}
