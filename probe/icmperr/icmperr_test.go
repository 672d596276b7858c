package icmperr

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"
)

// bytesOf reads hexadecimal digits; blanks do not count.
func bytesOf(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Messages written by hand from RFC 792, RFC 1191 and RFC 4443.
const (
	exceeded4 = "0b00 0000 00000000" + ip4 + "9c40 829a 0028 0000"
	tooBig4   = "0304 0000 00000578" + ip4 + "9c40 829a 05c8 0000 7768 7964"
	port6     = "0104 0000 00000000" + ip6 + "9c40 829a 0010 0000"
	tooBig6   = "0200 0000 00000500" + ip6 + "9c40 829a 0010 0000"
	ip4       = "4500 003c 1234 4000 01 11 0000 c0000201 c6336401"
	ip6       = "6000 0000 0010 11 01 20010db8000000000000000000000001 20010db8000000000000000000000002"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, data string
		v6, ok     bool
		kind       Kind
		mtu        int
		length     uint16
		quoted     int
		text       string
	}{
		{"time exceeded that quotes 8 octets", exceeded4, false, true, Exceeded, 0, 40, 0, "time exceeded in transit"},
		{"fragmentation needed", tooBig4, false, true, TooBig, 1400, 1480, 4, "too big, the next link takes 1400 bytes"},
		{"an IPv6 port unreachable", port6, true, true, Port, 0, 16, 0, "port unreachable"},
		{"packet too big", tooBig6, true, true, TooBig, 1280, 16, 0, "too big, the next link takes 1280 bytes"},
		{"an echo reply is no error", "0000 0000 00000000" + ip4 + "9c40829a00280000", false, false, Other, 0, 0, 0, ""},
		{"cut in the quoted IP header", exceeded4[:40], false, false, Other, 0, 0, 0, ""},
		{"cut in the quoted ports", exceeded4[:len(exceeded4)-10], false, false, Other, 0, 0, 0, ""},
		{"IPv6 inside IPv4", "0b00 0000 00000000" + ip6 + "9c40829a00100000", false, false, Other, 0, 0, 0, ""},
		{"empty", "", false, false, Other, 0, 0, 0, ""},
	}
	for _, tt := range tests {
		n, q, ok := Parse(bytesOf(t, tt.data), tt.v6)
		if ok != tt.ok {
			t.Errorf("%s: ok %v, want %v", tt.name, ok, tt.ok)
		}
		if !ok {
			continue
		}
		if n.Kind() != tt.kind || n.MTU != tt.mtu || q.Length != tt.length || len(n.Quoted) != tt.quoted || n.Text() != tt.text {
			t.Errorf("%s: %+v %+v %q", tt.name, n, q, n.Text())
		}
		if q.SrcPort != 40000 || q.DstPort != 33434 || q.Proto != 17 {
			t.Errorf("%s: quotes %+v", tt.name, q)
		}
	}
	_, q, _ := Parse(bytesOf(t, exceeded4), false)
	if q.Src != netip.MustParseAddr("192.0.2.1") || q.Dst != netip.MustParseAddr("198.51.100.1") {
		t.Errorf("from %s to %s", q.Src, q.Dst)
	}
}

func TestKinds(t *testing.T) {
	tests := []struct {
		name string
		n    Notice
		want Kind
		text string
	}{
		{"host unreachable", Notice{Type: 3, Code: 1}, Unreachable, "host unreachable"},
		{"network unreachable", Notice{Type: 3, Code: 0}, Unreachable, "network unreachable"},
		{"source route failed", Notice{Type: 3, Code: 5}, Unreachable, "unreachable, code 5"},
		{"filtered", Notice{Type: 3, Code: 13}, Prohibited, "administratively prohibited"},
		{"filtered, IPv6", Notice{V6: true, Type: 1, Code: 1}, Prohibited, "administratively prohibited"},
		{"address unreachable, IPv6", Notice{V6: true, Type: 1, Code: 3}, Unreachable, "host unreachable"},
		{"parameter problem", Notice{Type: 12}, Other, "ICMP type 12, code 0"},
		{"an old router's too big", Notice{Type: 3, Code: 4}, TooBig, "too big, without saying what the next link takes"},
		{"larger than the own link takes", Notice{Local: true, MTU: 1500}, TooBig, "too big, the next link takes 1500 bytes"},
		{"no route here", Notice{Local: true}, Unreachable, "this host cannot send"},
	}
	for _, tt := range tests {
		if tt.n.Kind() != tt.want || tt.n.Text() != tt.text {
			t.Errorf("%s: %d %q, want %d %q", tt.name, tt.n.Kind(), tt.n.Text(), tt.want, tt.text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{exceeded4, tooBig4} {
		f.Add(bytesOf(f, s), false)
	}
	for _, s := range []string{port6, tooBig6} {
		f.Add(bytesOf(f, s), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, v6 bool) {
		n, q, ok := Parse(b, v6)
		if ok && (len(n.Quoted) > len(b) || !q.Dst.IsValid() || n.Text() == "" || n.MTU < 0) {
			t.Errorf("%+v %+v", n, q)
		}
	})
}
