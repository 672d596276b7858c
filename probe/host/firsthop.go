package host

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"strings"
)

// FirstSteps says what this host itself knows of the way to an address that does not answer, in words: whether there is
// a route, whether the card that leads there has its carrier, and whether the first neighbour on it answers address
// resolution. What the system does not tell is left out. Nothing is sent.
func FirstSteps(ctx context.Context, to netip.Addr) string {
	card, err := CardTo(ctx, to)
	switch {
	case err != nil:
		return "this host knows no way there (" + err.Error() + ")"
	case !card.Up:
		return "this host's own link " + card.Name + " has no carrier"
	}
	text := "this host's own link " + card.Name + " is up"
	routes, _ := os.ReadFile("/proc/net/route") // not there: not Linux, and nothing is said
	cache, _ := os.ReadFile("/proc/net/arp")
	hop := firstHop(routes, card.Name, to)
	if !hop.IsValid() {
		return text
	}
	switch mac, ok := cachedMAC(cache, card.Name, hop); {
	case !ok:
		return text
	case mac == "":
		return text + ", and nobody answers ARP for the first hop " + hop.String()
	default:
		return text + ", and the first hop " + hop.String() + " is known as " + mac
	}
}

// firstHop returns the neighbour that leads to an IPv4 address on a card by Linux' table of routes: the gateway of the
// longest prefix, or the address itself on its own net. It is not valid if the table does not tell.
func firstHop(routes []byte, card string, to netip.Addr) netip.Addr {
	if !to.Is4() {
		return netip.Addr{}
	}
	longest, hop := -1, netip.Addr{}
	for lines := bufio.NewScanner(bytes.NewReader(routes)); lines.Scan(); {
		// Iface Destination Gateway Flags RefCnt Use Metric Mask ... (fs/proc: fib_trie.c, fib_route_seq_show): hexadecimal,
		// in the host's order of octets, which is little-endian wherever this runs.
		f := strings.Fields(lines.Text())
		if len(f) < 8 || f[0] != card {
			continue
		}
		dst, gateway, mask := hexAddr(f[1]), hexAddr(f[2]), hexAddr(f[7])
		if !dst.IsValid() || !gateway.IsValid() || !mask.IsValid() {
			continue
		}
		bits := prefixLength(mask)
		if p, err := to.Prefix(bits); err != nil || p.Addr() != dst || bits <= longest {
			continue
		}
		longest, hop = bits, gateway
		if gateway.IsUnspecified() {
			hop = to
		}
	}
	return hop
}

func hexAddr(s string) netip.Addr {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 4 {
		return netip.Addr{}
	}
	return netip.AddrFrom4([4]byte{b[3], b[2], b[1], b[0]})
}

func prefixLength(mask netip.Addr) int {
	b := mask.As4()
	n := 0
	for v := binary.BigEndian.Uint32(b[:]); v&(1<<31) != 0; v <<= 1 {
		n++
	}
	return n
}

// cachedMAC returns the address that Linux' ARP cache holds for a neighbour, "" if resolution goes on or failed; ok is
// false if the cache does not name the neighbour.
func cachedMAC(cache []byte, card string, hop netip.Addr) (mac string, ok bool) {
	const complete = "0x2" // ATF_COM
	for lines := bufio.NewScanner(bytes.NewReader(cache)); lines.Scan(); {
		f := strings.Fields(lines.Text()) // IP address, HW type, Flags, HW address, Mask, Device
		if len(f) != 6 || f[5] != card || f[0] != hop.String() {
			continue
		}
		if f[2] != complete && f[2] != "0x6" { // 0x6: and permanent
			return "", true
		}
		return f[3], true
	}
	return "", false
}
