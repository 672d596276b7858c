package host

import (
	"net/netip"
	"testing"
)

// Written by hand after /proc/net/route and /proc/net/arp of Linux 6.1.
const (
	routes = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	0100000A	0003	0	0	100	00000000	0	0	0
eth0	0000000A	00000000	0001	0	0	100	00FFFFFF	0	0	0
eth0	0002000A	FE00000A	0003	0	0	100	00FFFFFF	0	0	0
eth1	00000000	0101000A	0003	0	0	200	00000000	0	0	0
broken
`
	arps = `IP address       HW type     Flags       HW address            Mask     Device
10.0.0.1         0x1         0x2         02:00:00:00:00:01     *        eth0
10.0.0.254       0x1         0x0         00:00:00:00:00:00     *        eth0
10.0.0.9         0x1         0x6         02:00:00:00:00:09     *        eth0
`
)

func TestTheFirstNeighbourOnTheWay(t *testing.T) {
	for _, tt := range []struct {
		name, card, to, hop, mac string
		known                    bool
	}{
		{"by the default gateway", "eth0", "192.0.2.7", "10.0.0.1", "02:00:00:00:00:01", true},
		{"on the own net", "eth0", "10.0.0.9", "10.0.0.9", "02:00:00:00:00:09", true},
		{"by a gateway of a longer prefix, which does not answer", "eth0", "10.0.2.7", "10.0.0.254", "", true},
		{"a neighbour that was never asked for", "eth0", "10.0.0.77", "10.0.0.77", "", false},
		{"on another card", "eth1", "192.0.2.7", "10.0.1.1", "", false},
		{"on a card without routes", "eth7", "192.0.2.7", "invalid IP", "", false},
		{"by IPv6, of which the table says nothing", "eth0", "2001:db8::1", "invalid IP", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hop := firstHop([]byte(routes), tt.card, netip.MustParseAddr(tt.to))
			if hop.String() != tt.hop {
				t.Errorf("got the neighbour %s, want %s", hop, tt.hop)
			}
			if mac, known := cachedMAC([]byte(arps), tt.card, hop); mac != tt.mac || known != tt.known {
				t.Errorf("got %q, known %v; want %q, %v", mac, known, tt.mac, tt.known)
			}
		})
	}
}
