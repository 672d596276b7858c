package snmp

import (
	"net/netip"
	"strings"

	"whydrop/devices"
)

// lldp lists the systems at the other ends of links (LLDP-MIB lldpRemTable, lldpRemManAddrTable and lldpLocPortTable,
// IEEE 802.1AB-2005; LLDP-EXT-DOT3-MIB lldpXdot3RemMaxFrameSizeTable, in octets; LLDP-EXT-DOT1-MIB
// lldpXdot1RemTable). Remote rows are indexed by a time mark, the local port's number and a counter; that number is a
// numbering of its own, which lldpLocPortTable explains.
var lldp = Table{
	Name:    "lldpRemTable",
	MIB:     "LLDP-MIB, IEEE 802.1AB",
	Cadence: Slow,
	Roots: []string{
		lldpLocPort + "2", lldpLocPort + "3", lldpLocPort + "4",
		lldpRem + "4", lldpRem + "5", lldpRem + "6", lldpRem + "7", lldpRem + "8", lldpRem + "9", lldpRem + "10",
		lldpRemManAddr, lldpRemPVID, lldpRemFrameSize,
	},
	Part: "Neighbours",
	Fill: fillLLDP,
	Most: 2000,
}

const (
	lldpLocPort      = "1.0.8802.1.1.2.1.3.7.1."
	lldpRem          = "1.0.8802.1.1.2.1.4.1.1."
	lldpRemManAddr   = "1.0.8802.1.1.2.1.4.2.1.3" // its index holds the address
	lldpRemPVID      = "1.0.8802.1.1.2.1.5.32962.1.3.1.1.1"
	lldpRemFrameSize = "1.0.8802.1.1.2.1.5.4623.1.3.4.1.1"
)

func fillLLDP(v View, r *devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = []devices.Neighbour{}
	}
	addresses := map[string]netip.Addr{}
	for _, c := range v.Rows(lldpRemManAddr) {
		if a := addressIn(c.Index, 3); a.IsValid() {
			key := dotted(c.Index[:3])
			if old, ok := addresses[key]; !ok || !old.Is4() && a.Is4() {
				addresses[key] = a
			}
		}
	}
	for _, c := range v.Rows(lldpRem + "7") {
		if len(c.Index) != 3 {
			continue
		}
		at := func(col string) Cell { return v.At(lldpRem+col, c.Index...) }
		r.Neighbours = append(r.Neighbours, devices.Neighbour{
			Port: v.lldpPort(c.Index[1]), Protocol: "lldp", System: at("9").Text(),
			Chassis: lldpID(at("5"), at("4").Number().Value == 4), PortID: lldpID(c, at("6").Number().Value == 3),
			PortText: at("8").Text(), Platform: at("10").Text(), Address: addresses[dotted(c.Index)],
			VLAN: vlanID(v.At(lldpRemPVID, c.Index...)), MTU: frameSize(v.At(lldpRemFrameSize, c.Index...)),
		})
	}
}

// lldpPort returns the name of a local port by its number in LLDP: by what lldpLocPortTable says of it, else as an
// ifIndex, else as a port of the bridge.
func (v View) lldpPort(n uint32) string {
	id, subtype, descr := v.At(lldpLocPort+"3", n), v.At(lldpLocPort+"2", n).Number().Value, v.At(lldpLocPort+"4", n).Text()
	const local = 7 // LldpPortIdSubtype; 5 is interfaceName
	if name := id.Text(); name != "" && subtype != local {
		if i, ok := v.PortNamed(name); ok {
			return v.Port(i)
		}
	}
	if descr != "" {
		if i, ok := v.PortNamed(descr); ok {
			return v.Port(i)
		}
	}
	if m := id.MAC(); m != "" {
		for _, p := range v.ports.ports {
			if p.mac == m {
				return p.name
			}
		}
	}
	if _, ok := v.ports.names[n]; ok {
		return v.Port(n)
	}
	if name := id.Text(); name != "" {
		if i, ok := v.PortNamed(name); ok {
			return v.Port(i)
		}
	}
	if _, ok := v.ports.base[n]; ok {
		return v.BridgePort(n)
	}
	if name := id.Text(); name != "" && id.MAC() == "" {
		return name
	}
	return "lldp port " + dotted([]uint32{n})
}

// lldpID writes a chassis or port id: a MAC address as one, whether it came as six octets or as text, else as text.
func lldpID(c Cell, isMAC bool) string {
	if b := c.Octets(); isMAC && len(b) == 6 {
		return mac(b)
	}
	t := c.Text()
	if isMAC {
		if m := macOf(t); m != "" {
			return m
		}
	}
	if b := c.Octets(); !printable(b) && len(b) == 6 {
		return mac(b)
	}
	return t
}

// macOf returns a MAC address that was written as text; "" if it is none.
func macOf(s string) string {
	digits := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(":-. ", r):
			return -1
		case r >= 'A' && r <= 'F':
			return r + 'a' - 'A'
		}
		return r
	}, s)
	if len(digits) != 12 || strings.Trim(digits, "0123456789abcdef") != "" {
		return ""
	}
	var out []string
	for n := 0; n < 12; n += 2 {
		out = append(out, digits[n:n+2])
	}
	return strings.Join(out, ":")
}

// addressIn reads an address whose family (1 IPv4, 2 IPv6) stands in an index at n, before its length.
func addressIn(index []uint32, n int) netip.Addr {
	if len(index) < n+2 {
		return netip.Addr{}
	}
	family, rest := index[n], index[n+2:]
	if int(index[n+1]) != len(rest) || family != 1 && family != 2 {
		return netip.Addr{}
	}
	a, _ := netip.AddrFromSlice(octetsOf(rest))
	return a
}

func vlanID(c Cell) devices.Opt[uint32] {
	if n := c.Number(); n.OK && n.Value >= 1 && n.Value <= 4094 {
		return n
	}
	return devices.None[uint32]()
}

func frameSize(c Cell) devices.Opt[uint32] {
	if n := c.Number(); n.OK && n.Value >= 64 {
		return n
	}
	return devices.None[uint32]()
}

// lldpV2 lists the same for agents of IEEE 802.1AB-2009 (LLDP-V2-MIB lldpV2RemTable): indexed by a time mark, ifIndex,
// the destination address's number and a counter.
var lldpV2 = Table{
	Name:    "lldpV2RemTable",
	MIB:     "LLDP-V2-MIB, IEEE 802.1AB-2009",
	Unseen:  true,
	Cadence: Slow,
	Roots: []string{
		lldpV2Rem + "5", lldpV2Rem + "6", lldpV2Rem + "7", lldpV2Rem + "8", lldpV2Rem + "9", lldpV2Rem + "10", lldpV2Rem + "11",
	},
	Part: "Neighbours",
	Fill: func(v View, r *devices.Reading) {
		if len(v.Rows(lldpRem+"7")) > 0 {
			return // the same neighbours
		}
		if r.Neighbours == nil {
			r.Neighbours = []devices.Neighbour{}
		}
		for _, c := range v.Rows(lldpV2Rem + "8") {
			if len(c.Index) != 4 {
				continue
			}
			at := func(col string) Cell { return v.At(lldpV2Rem+col, c.Index...) }
			r.Neighbours = append(r.Neighbours, devices.Neighbour{
				Port: v.Port(c.Index[1]), Protocol: "lldp", System: at("10").Text(),
				Chassis: lldpID(at("6"), at("5").Number().Value == 4), PortID: lldpID(c, at("7").Number().Value == 3),
				PortText: at("9").Text(), Platform: at("11").Text(),
			})
		}
	},
	Most: 2000,
}

const lldpV2Rem = "1.3.111.2.802.1.1.13.1.4.1.1."
