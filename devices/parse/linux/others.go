package linux

import (
	"net/netip"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// BridgeLink reads "bridge -d link": the spanning-tree state of the ports of bridges.
func BridgeLink(output string, r *devices.Reading) {
	ports, unread := block.Platform{Header: header, Line: bridgeLine}.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

// bridgeLine reads "hairpin off guard off root_block off fastleave off learning on flood on".
func bridgeLine(p *block.Port, line string, _ *text.Lines) bool {
	p.Know("bridge_port", line)
	return strings.HasPrefix(line, "hairpin ") || strings.Contains(line, "neigh_suppress ")
}

// IPNeighbours reads "ip neigh": "192.0.2.1 dev eth0 lladdr 00:00:5e:00:53:01 REACHABLE". A neighbour that did not
// answer has no hardware address.
func IPNeighbours(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < 4 || f[1] != "dev" {
			continue
		}
		ip, err := netip.ParseAddr(f[0])
		if err != nil {
			continue
		}
		b := devices.Binding{IP: ip.WithZone(""), Port: f[2], Kind: "dynamic"}
		for i, word := range f {
			switch word {
			case "lladdr":
				if i+1 < len(f) {
					b.MAC, _ = text.MAC(f[i+1])
				}
			case "PERMANENT":
				b.Kind = "static"
			case "NOARP":
				b.Kind = "other"
			}
		}
		if b.MAC == "" {
			b.Kind = "invalid"
		}
		r.Bindings = append(r.Bindings, b)
	}
}

// BridgeFDB reads "bridge fdb show": "00:11:22:33:44:55 dev eth1 vlan 10 master br0". Addresses of groups are left out.
func BridgeFDB(output string, r *devices.Reading) {
	if r.Stations == nil {
		r.Stations = []devices.Station{}
	}
	for line := range text.Each(output) {
		const fewest = 3
		f := strings.Fields(line)
		if len(f) < fewest || f[1] != "dev" {
			continue
		}
		mac, ok := text.MAC(f[0])
		const group = 1 // IEEE 802: the lowest bit of the first octet
		if !ok || strings.IndexByte("13579bdf", mac[group]) >= 0 {
			continue
		}
		s := devices.Station{MAC: mac, Port: f[2], Status: "learned"}
		for i := fewest; i < len(f); i++ {
			switch {
			case f[i] == "vlan" && i+1 < len(f):
				if n, rest, ok := text.Uint32(f[i+1]); ok && rest == "" && n < 4095 {
					s.VLAN = devices.Some(n)
				}
			case f[i] == "permanent":
				s.Status = "self"
			case f[i] == "static", f[i] == "sticky":
				s.Status = "static"
			}
		}
		r.Stations = append(r.Stations, s)
	}
}
