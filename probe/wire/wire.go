// Package wire converts between what a program measures and what a cable carries. A rate is worth nothing without the
// layer it counts: 941 Mbit/s of TCP payload is a full gigabit line.
//
// Sizes are those of the headers themselves: IPv4 (RFC 791), IPv6 (RFC 8200), TCP (RFC 9293) with the time stamps
// option (RFC 7323) that Linux, macOS and BSD use by default, UDP (RFC 768), Ethernet (IEEE 802.3, clauses 3 and 4) with
// VLAN tags (IEEE 802.1Q). The package is arithmetic only: no I/O, no clock.
package wire

// Sizes of headers and what surrounds a frame, in octets.
const (
	IPv4Header    = 20 // RFC 791, section 3.1, without options
	IPv6Header    = 40 // RFC 8200, section 3, without extension headers
	TCPHeader     = 20 // RFC 9293, section 3.1, without options
	TCPTimestamps = 12 // RFC 7323, section 3.2: 10, padded to 12 (appendix A)
	UDPHeader     = 8  // RFC 768
	EthHeader     = 14 // two addresses and the type: IEEE 802.3, clause 3.2
	VLANTag       = 4  // IEEE 802.1Q, clause 9
	FCS           = 4  // frame check sequence: IEEE 802.3, clause 3.2.9
	Preamble      = 8  // with the start of the frame: IEEE 802.3, clause 3.2.1
	Gap           = 12 // between packets: IEEE 802.3, clause 4.4.2, 96 bits
	MinFrame      = 64 // from the addresses to the check sequence: IEEE 802.3, clause 4.4.2
	DefaultMTU    = 1500
)

// Layer says what a number of octets counts.
type Layer uint8

// The layers, from the inside out.
const (
	Payload  Layer = iota // what the program gets: goodput
	IP                    // with the headers of TCP or UDP and of IP
	Ethernet              // with Ethernet header, VLAN tags, padding and check sequence: what a port's octet counters count
	Line                  // with preamble and gap: what the speed of a line is about
)

// String returns the layer as a person writes it behind a rate.
func (l Layer) String() string {
	switch l {
	case Payload:
		return "goodput"
	case IP:
		return "IP"
	case Ethernet:
		return "Ethernet"
	case Line:
		return "line"
	}
	return "unknown layer"
}

// Framing says how payload is packed. The zero value is UDP over IPv4 over untagged Ethernet with an MTU of 1500.
type Framing struct {
	TCP          bool // else UDP
	NoTimestamps bool // of TCP: without the time stamps option, as Windows by default
	IPv6         bool
	Extra        int  // octets of IP options, extension headers or a tunnel's headers within the MTU
	VLANTags     int  // that the frames carry where they are counted
	MTU          int  // longest IP packet; 0 means 1500
	NoFCS        bool // octets are counted without the check sequence, as Linux counts those of its own cards
}

// headers returns the octets of a packet before its payload, at the layer IP.
func (f Framing) headers() int {
	n := IPv4Header + f.Extra
	if f.IPv6 {
		n = IPv6Header + f.Extra
	}
	switch {
	case !f.TCP:
		return n + UDPHeader
	case f.NoTimestamps:
		return n + TCPHeader
	}
	return n + TCPHeader + TCPTimestamps
}

// MaxPayload returns the most payload that one packet carries: the octets of a full TCP segment with its options taken
// off, or the longest datagram that is not fragmented. It is 0 if the MTU has no room for any.
func (f Framing) MaxPayload() int {
	mtu := f.MTU
	if mtu == 0 {
		mtu = DefaultMTU
	}
	return max(0, mtu-f.headers())
}

// Octets returns how many octets one packet with that much payload takes at the layer. A short frame is padded to
// the least length there is; a tag counts towards it.
func (f Framing) Octets(l Layer, payload int) int {
	if l == Payload {
		return payload
	}
	n := payload + f.headers()
	if l == IP {
		return n
	}
	n = max(n+EthHeader+f.VLANTags*VLANTag+FCS, MinFrame)
	if l == Line {
		return n + Preamble + Gap
	}
	if f.NoFCS {
		n -= FCS
	}
	return n
}

// Convert returns a rate at the layer to, given the same rate at the layer from, if every packet carries that much
// payload; 0 means MaxPayload. The unit stays: bit/s give bit/s.
func (f Framing) Convert(rate float64, from, to Layer, payload int) float64 {
	if payload <= 0 {
		payload = f.MaxPayload()
	}
	of := f.Octets(from, payload)
	if of == 0 {
		return 0 // a packet without payload has no goodput
	}
	return rate * float64(f.Octets(to, payload)) / float64(of)
}

// MaxGoodput returns the most payload per second that a line of the given speed (bit/s, as it is named) carries in one
// direction, in bit/s, in packets with that much payload; 0 means MaxPayload.
func (f Framing) MaxGoodput(speed float64, payload int) float64 {
	return f.Convert(speed, Line, Payload, payload)
}

// MaxPackets returns the most packets per second of that much payload that a line of the given speed carries.
func (f Framing) MaxPackets(speed float64, payload int) float64 {
	return speed / 8 / float64(f.Octets(Line, payload))
}

// Packets returns how many packets n octets of payload make if all but the last carry size; 0 means MaxPayload.
func (f Framing) Packets(n uint64, size int) uint64 {
	if size <= 0 {
		size = f.MaxPayload()
	}
	if size == 0 {
		return 0
	}
	return (n + uint64(size) - 1) / uint64(size)
}
