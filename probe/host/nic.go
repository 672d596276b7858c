package host

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Link is one network card of this host, or what stands for one, as the system describes it at one moment.
type Link struct {
	Index int
	Name  string
	Kind  string // of one made by software: veth, vlan, bond, ...; "" for hardware, or not known
	MTU   int
	Up    bool
	// Ethernet says that its frames have an Ethernet header.
	Ethernet bool
	Parent   int // index of the card below, of a VLAN and the like; 0 if there is none

	Downs    uint32 // how often it lost its carrier since it was made
	HasDowns bool   // Downs is known
	Counters *LinkCounters
}

// LinkCounters is what a card counted since its driver was loaded (struct rtnl_link_stats64).
type LinkCounters struct {
	InBytes, OutBytes     uint64 // with the Ethernet header, without the check sequence
	InPackets, OutPackets uint64
	InErrors, OutErrors   uint64
	InDrops, OutDrops     uint64 // InDrops counts frames of protocols that the host does not speak, too
	Collisions            uint64
	FCS                   uint64 // rx_crc_errors
	Over, Fifo, Missed    uint64 // the receive ring was full; drivers count it under different names
}

// NoRoom returns the frames for which the receive ring had no room. Drivers count one frame under several names, so
// the greatest is taken.
func (c *LinkCounters) NoRoom() uint64 { return max(c.Over, c.Fifo, c.Missed) }

// Setup is how a card is set up. What is not known is zero.
type Setup struct {
	Driver    string
	SpeedBits float64 // bit/s
	Duplex    string  // full or half
	On, Off   []string
}

// Queue is the queueing discipline of a card, with what it counted.
type Queue struct {
	Kind       string // fq_codel, tbf, mq, noqueue, ...
	Drops      uint32 // packets; wraps
	Overlimits uint32 // packets that had to wait for the limit of a shaper; wraps
	Backlog    uint32 // bytes that wait now
}

// shortNames are the offloads that matter to a measurement, by the kernel's names (ethtool -k) and the usual ones.
var shortNames = []struct{ kernel, short string }{
	{"tx-tcp-segmentation", "TSO"}, {"tx-generic-segmentation", "GSO"}, {"tx-udp-segmentation", "USO"},
	{"rx-gro", "GRO"}, {"rx-lro", "LRO"}, {"rx-gro-hw", "GRO-HW"}, {"rx-udp-gro-forwarding", "UDP-GRO-forwarding"},
	{"rx-checksum", "RX-checksum"},
}

// attrs describes a card for an event.
func attrs(l Link, s Setup, q Queue, to []string) map[string]string {
	m := map[string]string{}
	put := func(k, v string) {
		if v != "" {
			m[k] = v
		}
	}
	put("name", l.Name)
	put("driver", s.Driver)
	if l.MTU > 0 {
		put("mtu", strconv.Itoa(l.MTU))
	}
	if s.SpeedBits > 0 {
		put("speed_bps", strconv.FormatFloat(s.SpeedBits, 'f', 0, 64))
	}
	put("duplex", s.Duplex)
	put("on", strings.Join(s.On, " "))
	put("off", strings.Join(s.Off, " "))
	put("queue", q.Kind)
	put("leads_to", strings.Join(to, " "))
	return m
}

// describe says the same to a person: "eth0: virtio_net, 10000 Mbit/s full duplex, MTU 1500, queue fq_codel, TSO GSO
// GRO on, LRO off".
func describe(m map[string]string) string {
	var out []string
	add := func(format, v string) {
		if v != "" {
			out = append(out, fmt.Sprintf(format, v))
		}
	}
	add("%s", m["driver"])
	if speed, err := strconv.ParseFloat(m["speed_bps"], 64); err == nil {
		text := fmt.Sprintf("%.0f Mbit/s", speed/1e6)
		if m["duplex"] != "" {
			text += " " + m["duplex"] + " duplex"
		}
		out = append(out, text)
	}
	add("MTU %s", m["mtu"])
	add("queue %s", m["queue"])
	add("%s on", m["on"])
	add("%s off", m["off"])
	return m["name"] + ": " + strings.Join(out, ", ")
}

// routeByAddress finds the card that leads to an address: the one that has the address a datagram would leave from.
// Nothing is sent.
func routeByAddress(ctx context.Context, to netip.Addr) (int, error) {
	if to.Zone() != "" {
		return zoneIndex(to.Zone())
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "udp", netip.AddrPortFrom(to, 9).String()) // discard, RFC 863
	if err != nil {
		return 0, err
	}
	local := conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap().WithZone("")
	conn.Close()
	ifs, err := net.Interfaces()
	if err != nil {
		return 0, err
	}
	for _, i := range ifs {
		as, err := i.Addrs()
		if err != nil {
			continue
		}
		if slices.ContainsFunc(as, func(a net.Addr) bool {
			p, err := netip.ParsePrefix(a.String())
			return err == nil && p.Addr().Unmap() == local
		}) {
			return i.Index, nil
		}
	}
	return 0, fmt.Errorf("no interface has the address %s that leads to %s", local, to)
}

// zoneIndex returns the index of the card that a zone names, or is.
func zoneIndex(zone string) (int, error) {
	if i, err := net.InterfaceByName(zone); err == nil {
		return i.Index, nil
	}
	n, err := strconv.Atoi(zone)
	if err != nil {
		return 0, fmt.Errorf("no interface %q", zone)
	}
	return n, nil
}

// linkByIndex asks the standard library for a card.
func linkByIndex(index int) (Link, error) {
	i, err := net.InterfaceByIndex(index)
	if err != nil {
		return Link{}, err
	}
	return Link{Index: i.Index, Name: i.Name, MTU: i.MTU, Up: i.Flags&net.FlagUp != 0 && i.Flags&net.FlagRunning != 0}, nil
}
