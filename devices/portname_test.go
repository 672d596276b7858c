package devices

import (
	"slices"
	"testing"
)

func TestPortKey(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"long and short":                  {"GigabitEthernet1/0/1", "Gi1/0/1", true},
		"a blank before the number":       {"Gig 1/0/1", "gi1/0/1", true},
		"different numbers":               {"Gi1/0/1", "Gi1/0/11", false},
		"different types":                 {"Te1/0/1", "Gi1/0/1", false},
		"Te is not Twe":                   {"Twe1/0/1", "TwentyFiveGigE1/0/1", true},
		"plain names":                     {"in", "in", true},
		"plain names differ":              {"in", "out", false},
		"a sub-interface is not its port": {"Gi1/0/1.10", "Gi1/0/1", false},
		"a type alone is no port":         {"Gi", "GigabitEthernet", false},
		"VLAN 5 and port 5":               {"vlan5", "5", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := PortKey(c.a) == PortKey(c.b); got != c.same {
				t.Errorf("PortKey(%q) = %q, PortKey(%q) = %q, want same = %v", c.a, PortKey(c.a), c.b, PortKey(c.b), c.same)
			}
		})
	}
}

func TestPortOffers(t *testing.T) {
	for name, want := range map[string]Opt[uint64]{
		"Gi1/0/1": Some[uint64](1e9), "FastEthernet0/1": Some[uint64](100e6), "in": {}, "Ethernet1/1": {}, "Gi": {},
	} {
		if got := PortOffers(name); got != want {
			t.Errorf("PortOffers(%q) = %v, want %v", name, got, want)
		}
	}
}

// TestNamesOfPlatforms has, for each platform, the name that its agent gives a port (ifName or ifDescr) and the names that
// its command line and its log give it.
func TestNamesOfPlatforms(t *testing.T) {
	for _, c := range []struct {
		platform string
		ports    []string // of SNMP
		names    []string // of the command line, of the first port
	}{
		{"Cisco IOS", []string{"Gi1/0/1", "Te1/1/1", "Fa0", "Gi1/0/11", "Gi2/0/1"}, []string{"GigabitEthernet1/0/1", "Gig 1/0/1", "gi1/0/1"}},
		{"Cisco IOS-XE", []string{"Twe1/0/1", "Two1/0/1", "Te1/0/1", "Hu1/0/1"}, []string{"TwentyFiveGigE1/0/1", "Twe1/0/1"}},
		{"Cisco IOS-XE, channels", []string{"Po1", "Po10"}, []string{"Port-channel1", "Po1"}},
		{"Cisco NX-OS", []string{"Ethernet1/1", "Ethernet1/1/1", "port-channel1", "Ethernet1/11"}, []string{"Ethernet1/1", "Eth1/1", "ethernet 1/1"}},
		{"Cisco NX-OS, management", []string{"mgmt0", "loopback0"}, []string{"mgmt0"}},
		{"Cisco IOS XR", []string{"TenGigE0/0/0/1", "GigabitEthernet0/0/0/1", "HundredGigE0/0/0/1"}, []string{"TenGigE0/0/0/1", "Te0/0/0/1"}},
		{"Cisco IOS XR, 25 and 400 Gbit/s", []string{"TwentyFiveGigE0/0/0/1", "FourHundredGigE0/0/0/1"}, []string{"TF0/0/0/1"}},
		{"Cisco IOS XR, bundles", []string{"Bundle-Ether10", "Bundle-Ether1"}, []string{"BE10"}},
		{"Cisco IOS XR, management", []string{"MgmtEth0/RSP0/CPU0/0", "MgmtEth0/RSP0/CPU0/1"}, []string{"Mg0/RSP0/CPU0/0"}},
		{"Cisco SMB", []string{"gi1/0/1", "te1/0/1", "1", "Po1"}, []string{"GigabitEthernet1/0/1", "gi1/0/1"}},
		{"Arista EOS", []string{"Ethernet49/1", "Ethernet49", "Port-Channel1"}, []string{"Et49/1", "Ethernet49/1"}},
		{"Junos", []string{"ge-0/0/0", "ge-0/0/0.0", "xe-0/0/0"}, []string{"ge-0/0/0"}},
		{"AOS-CX", []string{"1/1/1", "1/1/11", "lag1", "vlan1"}, []string{"1/1/1"}},
		{"ProCurve", []string{"1", "A1", "Trk1", "11", "VLAN1"}, []string{"1"}},
		{"Comware", []string{"Ten-GigabitEthernet1/0/1", "GigabitEthernet1/0/1", "Bridge-Aggregation1"}, []string{"XGE1/0/1", "Ten-GigabitEthernet1/0/1"}},
		{"Comware, 25 Gbit/s", []string{"Twenty-FiveGigE1/0/1", "HundredGigE1/0/1"}, []string{"WGE1/0/1"}},
		{"Comware, VLANs", []string{"Vlan-interface10"}, []string{"Vlan10"}},
		{"VRP", []string{"XGigabitEthernet0/0/1", "GigabitEthernet0/0/1", "MEth0/0/1"}, []string{"XGE0/0/1", "XGigabitEthernet0/0/1"}},
		{"VRP, CloudEngine", []string{"10GE1/0/1", "40GE1/0/1", "100GE1/0/1", "GE1/0/1"}, []string{"10GE1/0/1"}},
		{"Dell OS9", []string{"TenGigabitEthernet 1/1", "fortyGigE 1/1", "Port-channel 1"}, []string{"Te 1/1", "TenGigabitEthernet 1/1"}},
		{"Dell OS9, 100 Gbit/s", []string{"hundredGigE 1/1", "TenGigabitEthernet 1/1"}, []string{"Hu 1/1"}},
		{"Dell OS10", []string{"ethernet1/1/1", "ethernet1/1/1:1", "mgmt1/1/1"}, []string{"Ethernet 1/1/1", "Eth 1/1/1", "1/1/1"}},
		{"ExtremeXOS, alone", []string{"1:5", "1:15", "2:5"}, []string{"5", "1:5"}},
		{"FastIron, ifName", []string{"ethernet1/1/1", "ethernet1/1/11", "management1"}, []string{"GigabitEthernet1/1/1", "10GigabitEthernet1/1/1", "1/1/1", "ethernet 1/1/1", "e 1/1/1"}},
		{"FastIron, ifDescr", []string{"GigabitEthernet1/1/1", "10GigabitEthernet1/2/1", "EthernetManagement1", "GigabitEthernet2/1/1"}, []string{"ethernet1/1/1", "1/1/1", "GigabitEthernet1/1/1"}},
		{"FastIron, 10 Gbit/s", []string{"10GigabitEthernet1/2/1", "GigabitEthernet1/1/1"}, []string{"ethernet1/2/1", "1/2/1"}},
		{"FastIron, management", []string{"management1", "ethernet1/1/1"}, []string{"mgmt1", "GigEthernetmgmt1"}},
		{"NetIron, bundles", []string{"LAG5"}, []string{"lg5"}},
		{"FortiOS", []string{"port1", "port11", "wan1"}, []string{"port1"}},
		{"PAN-OS", []string{"ethernet1/1", "ethernet1/1.100", "ae1"}, []string{"ethernet1/1"}},
		{"RouterOS", []string{"sfp-sfpplus1", "ether1"}, []string{"sfp-sfpplus1"}},
		{"Linux", []string{"eth0", "eth0.10", "enp1s0f0"}, []string{"eth0"}},
	} {
		t.Run(c.platform, func(t *testing.T) {
			for _, name := range c.names {
				if got, ok := SamePort(c.ports, name); !ok || got != c.ports[0] {
					t.Errorf("%s is %q, %v; want %s", name, got, ok, c.ports[0])
				}
			}
		})
	}
	for name, c := range map[string]struct {
		ports []string
		name  string
	}{
		"two kinds of the same number": {[]string{"FastEthernet0/1", "GigabitEthernet0/1", "TenGigabitEthernet0/1"}, "Ethernet0/1"},
		"another kind":                 {[]string{"GigabitEthernet0/1"}, "TenGigabitEthernet0/1"},
		"a VLAN of the same number":    {[]string{"vlan1", "lag1"}, "1"},
		"another port":                 {[]string{"ethernet1/1/1"}, "GigabitEthernet1/1/2"},
		"none":                         {nil, "Gi1/0/1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := SamePort(c.ports, c.name); ok || slices.Contains(c.ports, c.name) {
				t.Errorf("%s is %q, want none of %q", c.name, got, c.ports)
			}
		})
	}
}

func TestPortLikeThoseWatched(t *testing.T) {
	for name, c := range map[string]struct {
		ports      []string
		name, want string
	}{
		"short like the others":              {[]string{"Te1/1/1", "Gi1/0/1"}, "GigabitEthernet1/0/7", "Gi1/0/7"},
		"long like the others":               {[]string{"GigabitEthernet1/0/1"}, "gi1/0/7", "GigabitEthernet1/0/7"},
		"with a blank like the others":       {[]string{"TenGigabitEthernet 1/1"}, "Te1/7", "TenGigabitEthernet 1/7"},
		"without its kind like the others":   {[]string{"1/1/1"}, "Ethernet1/1/7", "1/1/7"},
		"of a kind that begins with a speed": {[]string{"10GE1/0/1"}, "10GE1/0/7", "10GE1/0/7"},
		"a sub-interface":                    {[]string{"Gi1/0/1"}, "GigabitEthernet1/0/7.100", "Gi1/0/7.100"},
		"no other of its kind":               {[]string{"Gi1/0/1"}, "TenGigabitEthernet1/1/7", "TenGigabitEthernet1/1/7"},
		"of no known kind":                   {[]string{"ge-0/0/0", "in"}, "xe-0/0/7", "xe-0/0/7"},
		"no port":                            {[]string{"Gi1/0/1"}, "CPU", "CPU"},
		"nothing is watched":                 {nil, "GigabitEthernet1/0/7", "GigabitEthernet1/0/7"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := PortLike(c.ports, c.name); got != c.want {
				t.Errorf("%s is %q, want %q", c.name, got, c.want)
			}
		})
	}
}
