package wire

// Traffic is what a probe sent in one direction, as it counts it itself.
type Traffic struct {
	Payload uint64 // octets that the far end got
	Size    int    // payload of a full packet: TCP's granted segment size without options, or the datagram's; 0 means MaxPayload
	Packets uint64 // data packets sent, retransmits included, where that is known (UDP; TCP_INFO tcpi_data_segs_out); 0: not known
	Again   uint64 // of TCP: full segments sent again (tcpi_total_retrans)
	Write   int    // of TCP: octets per write; each write may end with a short segment; 0: writes are not known
	Streams int    // connections, each of which is opened and closed; 0 means 1
}

// Range is what a counter must have risen by, at least and at most.
type Range struct{ Least, Most uint64 }

// Holds says whether a counter's rise fits.
func (r Range) Holds(n uint64) bool { return n >= r.Least && n <= r.Most }

// Add returns the range for two kinds of traffic through one port.
func (r Range) Add(o Range) Range { return Range{r.Least + o.Least, r.Most + o.Most} }

// Expect returns what the octet counters (layer [Ethernet]) of a port on the way must have risen by: with the traffic's
// own direction, and against it, where TCP's acknowledgements go. It counts nothing but this traffic: a port that
// carries more, or a poll that begins earlier than the traffic, counts more. Packets lost before the port count less:
// what is missing was lost there.
//
// The range is as wide as what is not known: into how many packets the payload was cut (at least into full ones, at
// most with a short one behind each write), and how many acknowledgements the receiver sent (RFC 9293, section 3.8.6.3:
// one for every second full segment, or for each; with receive offloads as few as one for 64 KiB).
func (f Framing) Expect(t Traffic) (with, against Range) {
	size := t.Size
	if size <= 0 {
		size = f.MaxPayload()
	}
	if size == 0 {
		return Range{}, Range{}
	}
	least, most := f.packets(t, size)
	if !f.TCP {
		return Range{f.sum(t.Payload, least), f.sum(t.Payload, most)}, Range{}
	}
	streams := uint64(max(t.Streams, 1))
	bare := uint64(f.Octets(Ethernet, 0))
	// Opening: a SYN or SYN-ACK with up to 20 octets of options more than the usual; closing: a FIN and its ACK.
	const openClose = 4
	ends := streams * openClose * (bare + 20)
	payload := t.Payload + t.Again*uint64(size)
	with = Range{f.sum(payload, least), f.sum(payload, most) + ends}
	const offload = 64 << 10
	against = Range{bare * (t.Payload / offload), bare*most + ends}
	return with, against
}

// packets returns into how many packets the traffic was cut, at least and at most.
func (f Framing) packets(t Traffic, size int) (least, most uint64) {
	if t.Packets > 0 {
		return t.Packets, t.Packets
	}
	least = f.Packets(t.Payload, size) + t.Again
	most = least
	if f.TCP {
		write := uint64(t.Write)
		if write == 0 {
			write = uint64(size) // anything may have been written: twice as many packets
		}
		most += t.Payload/write + uint64(max(t.Streams, 1))
	}
	return least, most
}

// sum returns the octets of n packets that carry the payload together.
func (f Framing) sum(payload, n uint64) uint64 {
	if n == 0 {
		return 0
	}
	each := int(payload / n)
	rest := payload - uint64(each)*n
	return n*uint64(f.Octets(Ethernet, each)) + rest
}
