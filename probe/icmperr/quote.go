package icmperr

import (
	"encoding/binary"
	"net/netip"
)

// IP protocol numbers (IANA).
const (
	protoICMP   = 1
	protoTCP    = 6
	protoUDP    = 17
	protoICMPv6 = 58
)

// Quote is the packet that an ICMP error quotes: its IP header and at least 8 octets behind it (RFC 792; RFC 1812,
// section 4.3.2.3 asks for more).
type Quote struct {
	Src, Dst netip.Addr
	Proto    uint8  // 1 ICMP, 6 TCP, 17 UDP, 58 ICMPv6
	SrcPort  uint16 // of TCP and UDP; the identifier of an ICMP echo
	DstPort  uint16 // of TCP and UDP; the sequence number of an ICMP echo
	Length   uint16 // of UDP, header included
	Seq      uint32 // of TCP
}

// Parse reads an ICMP message, from its type on, and the packet it quotes. ok is false if it is no error or quotes
// too little. The notice's By and At are left to the caller; its Quoted lies in b.
func Parse(b []byte, v6 bool) (n Notice, q Quote, ok bool) {
	if len(b) < 8 {
		return n, q, false
	}
	n = Notice{V6: v6, Type: b[0], Code: b[1]}
	switch {
	case !v6 && (n.Type == 3 || n.Type == 11 || n.Type == 12):
		if n.Type == 3 && n.Code == 4 {
			n.MTU = int(binary.BigEndian.Uint16(b[6:])) // RFC 1191, section 4
		}
	case v6 && n.Type >= 1 && n.Type <= 4:
		if n.Type == 2 {
			n.MTU = int(min(binary.BigEndian.Uint32(b[4:]), 1<<20)) // RFC 4443, section 3.2
		}
	default:
		return n, q, false
	}
	inner, proto, ok := ipHeader(b[8:], v6, &q)
	if !ok || len(inner) < 8 {
		return n, q, false
	}
	q.Proto = proto
	n.Quoted = inner
	q.SrcPort, q.DstPort = binary.BigEndian.Uint16(inner), binary.BigEndian.Uint16(inner[2:])
	switch proto {
	case protoUDP:
		q.Length = binary.BigEndian.Uint16(inner[4:])
		n.Quoted = inner[8:]
	case protoTCP:
		q.Seq = binary.BigEndian.Uint32(inner[4:])
	case protoICMP, protoICMPv6:
		q.SrcPort, q.DstPort = binary.BigEndian.Uint16(inner[4:]), binary.BigEndian.Uint16(inner[6:])
	}
	n.To = netip.AddrPortFrom(q.Dst, q.DstPort)
	return n, q, true
}

// ipHeader reads the quoted IP header and returns what follows it.
func ipHeader(b []byte, v6 bool, q *Quote) (rest []byte, proto uint8, ok bool) {
	if !v6 {
		if len(b) < 20 || b[0]>>4 != 4 {
			return nil, 0, false
		}
		h := int(b[0]&15) * 4
		if h < 20 || len(b) < h {
			return nil, 0, false
		}
		q.Src, q.Dst = netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[16:20]))
		return b[h:], b[9], true
	}
	if len(b) < 40 || b[0]>>4 != 6 {
		return nil, 0, false
	}
	q.Src, q.Dst = netip.AddrFrom16([16]byte(b[8:24])), netip.AddrFrom16([16]byte(b[24:40]))
	if b[6] == 44 { // a fragment header (RFC 8200, section 4.5)
		if len(b) < 48 {
			return nil, 0, false
		}
		return b[48:], b[40], true
	}
	return b[40:], b[6], true
}
