package host

import (
	"reflect"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Written by hand after /proc/stat of Linux 6.1 with two of three cores switched on.
const stat = `cpu  100 5 50 1000 20 3 7 11 9 0
cpu0 60 5 30 500 10 3 5 1 9 0
cpu2 40 0 20 500 10 0 2 10 0 0
intr 18113265 0 0 9
ctxt 5
`

func TestParseStat(t *testing.T) {
	want := CPU{
		All:   Times{100, 5, 50, 1000, 20, 3, 7, 11},
		Cores: []Core{{0, Times{60, 5, 30, 500, 10, 3, 5, 1}}, {2, Times{40, 0, 20, 500, 10, 0, 2, 10}}},
	}
	got, err := parseStat([]byte(stat))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, text := range map[string]string{
		"empty": "", "another file": "Linux version 6", "letters": "cpu  a b c d", "too short": "cpu  1 2 3\n", "a core of letters": "cpu 1 2 3 4\ncpux 1 2 3 4\n", "only a core": "cpu0 1 2 3 4\n",
	} {
		if c, err := parseStat([]byte(text)); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c, err := parseStat([]byte("cpu 1 2 3 4\n")); err != nil || c.All != (Times{User: 1, Nice: 2, System: 3, Idle: 4}) {
		t.Errorf("as old kernels write it: %+v, %v", c, err)
	}
}

// Written by hand after Linux 6.1.
const (
	snmp = "Tcp: RtoAlgorithm RtoMin\nTcp: 1 200\n" +
		"Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti MemErrors\n" +
		"Udp: 1000 3 12 900 10 1 2 0 0\n" +
		"UdpLite: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti MemErrors\nUdpLite: 9 9 9 9 9 9 9 9 9\n"
	snmp6 = "Ip6InReceives                   \t2143\nUdp6InDatagrams                 \t500\nUdp6NoPorts                     \t1\n" +
		"Udp6InErrors                    \t5\nUdp6RcvbufErrors                \t4\nUdpLite6InErrors              \t99\n"
)

func TestDatagramsOfBothFamiliesAreAddedUp(t *testing.T) {
	var c UDPCounters
	if err := c.addSNMP([]byte(snmp)); err != nil {
		t.Fatal(err)
	}
	if err := c.addSNMP6([]byte(snmp6)); err != nil {
		t.Fatal(err)
	}
	if want := (UDPCounters{Delivered: 1500, NoPort: 4, Errors: 17, Full: 14, SendFull: 1, Checksum: 2}); c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
	if c.Damaged() != 3 {
		t.Errorf("damaged: %d, want 3", c.Damaged())
	}
	for name, text := range map[string]string{
		"empty": "", "no figures": "Udp: InErrors\n", "fewer figures": "Udp: A InErrors\nUdp: 1\n", "letters": "Udp: InErrors\nUdp: x\n",
	} {
		if err := c.addSNMP([]byte(text)); err == nil {
			t.Errorf("snmp, %s: no error", name)
		}
	}
	if err := c.addSNMP6([]byte("Udp6InErrors x\n")); err == nil {
		t.Error("snmp6: no error")
	}
}

func TestBacklogDropsAreHexadecimal(t *testing.T) {
	got, err := parseBacklog([]byte("00000e1a 00000010 00000001 00000000\n0000ffff 00000002 00000000 00000000\n"))
	if err != nil || got != 18 {
		t.Errorf("got %d, %v, want 18", got, err)
	}
	for _, text := range []string{"", "1\n", "1 zz\n"} {
		if _, err := parseBacklog([]byte(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// linkMessage builds an RTM_NEWLINK.
func linkMessage(index int, flags uint32, attrs ...[]byte) []byte {
	b := make([]byte, unix.SizeofIfInfomsg)
	native.PutUint16(b[2:], unix.ARPHRD_ETHER)
	native.PutUint32(b[4:], uint32(index))
	native.PutUint32(b[8:], flags)
	for _, a := range attrs {
		b = append(b, a...)
	}
	return b
}

func word(typ uint16, v uint32) []byte { return attribute(nil, typ, native.AppendUint32(nil, v)) }

func str(typ uint16, s string) []byte { return attribute(nil, typ, append([]byte(s), 0)) }

func TestParseLink(t *testing.T) {
	var stats []byte
	for i := range uint64(25) {
		stats = native.AppendUint64(stats, 100+i)
	}
	up := uint32(unix.IFF_UP | unix.IFF_LOWER_UP | unix.IFF_RUNNING)
	vlan := attribute(nil, unix.IFLA_LINKINFO, str(unix.IFLA_INFO_KIND, "vlan"))
	veth := attribute(nil, unix.IFLA_LINKINFO, str(unix.IFLA_INFO_KIND, "veth"))
	for _, c := range []struct {
		name string
		b    []byte
		want Link
	}{
		{"up with counters", linkMessage(3, up, str(unix.IFLA_IFNAME, "eth0"), word(unix.IFLA_MTU, 1500), word(unix.IFLA_CARRIER_DOWN_COUNT, 7), attribute(nil, unix.IFLA_STATS64, stats)),
			Link{Index: 3, Name: "eth0", MTU: 1500, Up: true, Ethernet: true, Downs: 7, HasDowns: true, Counters: &LinkCounters{
				InPackets: 100, OutPackets: 101, InBytes: 102, OutBytes: 103, InErrors: 104, OutErrors: 105, InDrops: 106, OutDrops: 107,
				Collisions: 109, Over: 111, FCS: 112, Fifo: 114, Missed: 115}}},
		{"switched off", linkMessage(3, unix.IFF_LOWER_UP, str(unix.IFLA_IFNAME, "eth0")), Link{Index: 3, Name: "eth0", Ethernet: true}},
		{"no carrier", linkMessage(3, unix.IFF_UP, str(unix.IFLA_IFNAME, "eth0")), Link{Index: 3, Name: "eth0", Ethernet: true}},
		{"a VLAN's card below", linkMessage(9, up, str(unix.IFLA_IFNAME, "eth0.7"), word(unix.IFLA_LINK, 3), vlan), Link{Index: 9, Name: "eth0.7", Kind: "vlan", Parent: 3, Up: true, Ethernet: true}},
		{"one in another namespace", linkMessage(9, up, str(unix.IFLA_IFNAME, "eth0.7"), word(unix.IFLA_LINK, 3), word(unix.IFLA_LINK_NETNSID, 0), vlan), Link{Index: 9, Name: "eth0.7", Kind: "vlan", Up: true, Ethernet: true}},
		{"a veth's other end is not below it", linkMessage(9, up, str(unix.IFLA_IFNAME, "v"), word(unix.IFLA_LINK, 3), veth), Link{Index: 9, Name: "v", Kind: "veth", Up: true, Ethernet: true}},
		{"counters cut short are none", linkMessage(3, up, str(unix.IFLA_IFNAME, "eth0"), attribute(nil, unix.IFLA_STATS64, stats[:100])), Link{Index: 3, Name: "eth0", Up: true, Ethernet: true}},
	} {
		if got, err := parseLink(c.b); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
	for name, b := range map[string][]byte{"cut short": make([]byte, 7), "without a name": linkMessage(1, up)} {
		if l, err := parseLink(b); err == nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func TestParseQueue(t *testing.T) {
	var stats []byte
	for _, v := range []uint32{4, 6000, 123, 1, 77} { // qlen, backlog, drops, requeues, overlimits
		stats = native.AppendUint32(stats, v)
	}
	msg := append(make([]byte, sizeofTcMsg), str(unix.TCA_KIND, "tbf")...)
	msg = append(msg, attribute(nil, unix.TCA_STATS2, append(attribute(nil, 1, make([]byte, 16)), attribute(nil, 3, stats)...))...)
	native.PutUint32(msg[4:], 7)
	native.PutUint32(msg[12:], rootQueue)
	got, index, parent, err := parseQueue(msg)
	if want := (Queue{Kind: "tbf", Drops: 123, Overlimits: 77, Backlog: 6000}); err != nil || got != want || index != 7 || parent != rootQueue {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for name, b := range map[string][]byte{"cut short": make([]byte, 10), "without a kind": make([]byte, sizeofTcMsg)} {
		if q, _, _, err := parseQueue(b); err == nil {
			t.Errorf("%s: %+v", name, q)
		}
	}
}

// FuzzNetlink gives the parsers what no kernel would send.
func FuzzNetlink(f *testing.F) {
	f.Add(linkMessage(3, 1, str(unix.IFLA_IFNAME, "eth0"), attribute(nil, unix.IFLA_LINKINFO, str(unix.IFLA_INFO_KIND, "vlan"))))
	f.Add(append(make([]byte, sizeofTcMsg), str(unix.TCA_KIND, "tbf")...))
	f.Add([]byte(strings.Repeat("\xff", 64)))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		for range messages(b) {
			n++
		}
		if n > len(b)/unix.SizeofNlMsghdr {
			t.Errorf("%d messages in %d bytes", n, len(b))
		}
		if l, err := parseLink(b); err == nil && l.Name == "" {
			t.Error("a link without a name")
		}
		if q, _, _, err := parseQueue(b); err == nil && q.Kind == "" {
			t.Error("a queue without a kind")
		}
	})
}
