package capture

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
)

// packet builds an IP packet with ports.
func packet(src, dst string, proto byte, sport, dport uint16, change ...func([]byte) []byte) []byte {
	s, d := netip.MustParseAddr(src), netip.MustParseAddr(dst)
	var b []byte
	if s.Is4() {
		b = make([]byte, 20)
		b[0], b[9] = 0x45, proto
		copy(b[12:], s.AsSlice())
		copy(b[16:], d.AsSlice())
	} else {
		b = make([]byte, 40)
		b[0], b[6] = 0x60, proto
		copy(b[8:], s.AsSlice())
		copy(b[24:], d.AsSlice())
	}
	b = binary.BigEndian.AppendUint16(b, sport)
	b = binary.BigEndian.AppendUint16(b, dport)
	b = append(b, make([]byte, 16)...)
	for _, f := range change {
		b = f(b)
	}
	return b
}

// options puts IPv4 options of 8 octets into a packet.
func options(b []byte) []byte {
	b[0] = 0x47
	return slices.Insert(b, 20, 1, 1, 1, 1, 1, 1, 1, 1)
}

// fragment makes it a later fragment of an IPv4 packet.
func fragment(b []byte) []byte { b[6], b[7] = 0x00, 0xb9; return b }

func TestTheFilterKeepsTheProbesOwnPackets(t *testing.T) {
	const me, far, else4 = "198.51.100.7", "192.0.2.1", "203.0.113.9"
	const me6, far6, else6 = "2001:db8::7", "2001:db8:1::1", "2001:db8:1::2"
	all := []uint16{}
	two := []uint16{5201, 862}
	for _, c := range []struct {
		name  string
		to    string
		ports []uint16
		b     []byte
		want  bool
	}{
		{"to the far end", far, two, packet(me, far, protoTCP, 40000, 5201), true},
		{"from the far end", far, two, packet(far, me, protoUDP, 862, 40000), true},
		{"another port", far, two, packet(me, far, protoTCP, 40000, 22), false},
		{"another port, and any will do", far, all, packet(me, far, protoTCP, 40000, 22), true},
		{"another host", far, two, packet(me, else4, protoTCP, 40000, 5201), false},
		{"another host, and any port will do", far, all, packet(me, else4, protoTCP, 40000, 5201), false},
		{"the port behind IP options", far, two, packet(me, far, protoTCP, 40000, 5201, options), true},
		{"another port behind IP options", far, two, packet(me, far, protoTCP, 40000, 22, options), false},
		{"a later fragment", far, two, packet(me, far, protoUDP, 1, 2, fragment), true},
		{"echo", far, two, packet(far, me, protoICMP, 0, 0), true},
		{"a tunnel", far, two, packet(far, me, 47, 5201, 5201), false},
		{"IPv6 where IPv4 is meant", far, two, packet(me6, far6, protoTCP, 40000, 5201), false},
		{"IPv6 to the far end", far6, two, packet(me6, far6, protoTCP, 40000, 5201), true},
		{"IPv6 from the far end", far6, two, packet(far6, me6, protoUDP, 5201, 40000), true},
		{"IPv6, another host that begins alike", far6, two, packet(me6, else6, protoTCP, 40000, 5201), false},
		{"IPv6, another port", far6, two, packet(me6, far6, protoTCP, 40000, 22), false},
		{"IPv6, another port, and any will do", far6, all, packet(me6, far6, protoTCP, 40000, 22), true},
		{"IPv6, a fragment", far6, two, packet(me6, far6, protoFragment, 0, 0), true},
		{"IPv6, echo", far6, two, packet(far6, me6, protoICMPv6, 0, 0), true},
		{"IPv6, a tunnel", far6, two, packet(far6, me6, 47, 5201, 5201), false},
		{"ARP", far, all, append([]byte{0, 1, 8, 0, 6, 4, 0, 1}, make([]byte, 30)...), false},
		{"an IPv4 address written as IPv6", "::ffff:" + far, two, packet(me, far, protoTCP, 40000, 5201), true},
	} {
		vm, err := bpf.NewVM(program(Config{To: netip.MustParseAddr(c.to), Ports: c.ports, Snap: 77}))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		n, err := vm.Run(c.b)
		if err != nil || n != map[bool]int{true: 77, false: 0}[c.want] {
			t.Errorf("%s: keeps %d octets, %v", c.name, n, err)
		}
	}
}

func TestAFilterOfManyPortsReaches(t *testing.T) {
	var ports []uint16
	for i := range uint16(maxPorts) {
		ports = append(ports, 5000+i)
	}
	for _, to := range []string{"192.0.2.1", "2001:db8::1"} {
		c := Config{To: netip.MustParseAddr(to), Ports: ports}
		vm, err := bpf.NewVM(program(c))
		if err != nil {
			t.Fatal(err)
		}
		for _, port := range []uint16{5000, 5031, 5032} {
			n, err := vm.Run(packet(to, to, protoTCP, 1, port))
			if err != nil || (n == defaultSnap) != (port < 5032) {
				t.Errorf("%s port %d: %d, %v", to, port, n, err)
			}
		}
		if _, err := filter(c); err != nil {
			t.Error(err)
		}
	}
}
