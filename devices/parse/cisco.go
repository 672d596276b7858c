package parse

import (
	"whydrop/devices"
	"whydrop/devices/parse/cisco_ios"
	"whydrop/devices/parse/internal/into"
)

// ciscoIOS is of Cisco IOS and IOS-XE.
var ciscoIOS = map[string]Parser{
	"show interfaces":           ciscoInterfaces,
	"show spanning-tree detail": ciscoSpanningTree,
	"show logging":              ciscoLogging,
	"show clock":                ciscoClock,
	"show version":              ciscoVersion,
}

func ciscoInterfaces(in Input, r *devices.Reading) {
	ports := cisco_ios.ShowInterfaces(in.Text)
	list := make([]devices.Interface, len(ports))
	for i, p := range ports {
		list[i] = p.Interface
	}
	into.Ports(r, list)
}

func ciscoSpanningTree(in Input, r *devices.Reading) {
	bridge, ports := cisco_ios.Combine(cisco_ios.ShowSpanningTreeDetail(in.Text))
	if bridge == nil {
		return
	}
	r.Bridge = bridge
	into.Ports(r, ports)
}

func ciscoLogging(in Input, r *devices.Reading) {
	into.Log(r, cisco_ios.ShowLogging(in.Text, in.Span.To))
}

func ciscoClock(in Input, r *devices.Reading) {
	if c, ok := cisco_ios.ShowClock(in.Text); ok {
		r.LocalClock = devices.Some(devices.LocalClock{Time: c.Time, Span: in.Span, Quality: c.Quality})
	}
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
