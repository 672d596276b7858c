package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"whydrop/cmd/internal/report"
)

// outageFrom is the length from which outages are held against the capture. A gap that is shorter may be a pause of the
// sender, or of the machine on which all of this runs.
const outageFrom = time.Second

// arrivals are the moments at which the probe delivered something to the receiver, by what the report says an outage is
// seen by. A segment that repeats what had arrived delivers nothing; it stands among the segments only.
type arrivals map[string][]time.Time

// segments are the moments at which any segment with data came, a repeated one too.
const segments = "segments"

// Where things lie in a frame of Ethernet, and what is worth calling a flow.
const (
	atIP      = 14
	protoTCP  = 6
	protoUDP  = 17
	flowing   = 3                      // so many segments
	flowingIn = 100 * time.Millisecond // within this are a flow; less is a retransmission that came through or a rest of a flow given up
)

// readCapture reads a file of tcpdump (pcap, microseconds, Ethernet; draft-ietf-opsawg-pcap) that holds IPv4 only.
func readCapture(r io.Reader) (arrivals, error) {
	const (
		magic  = 0xa1b2c3d4
		header = 24
	)
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if len(b) < header || binary.NativeEndian.Uint32(b) != magic {
		return nil, fmt.Errorf("%d octets are no capture", len(b))
	}
	out, next := arrivals{}, map[uint16]uint32{} // by source port, the sequence number after what arrived
	for b = b[header:]; len(b) >= 16; {
		at := time.Unix(int64(binary.NativeEndian.Uint32(b)), int64(binary.NativeEndian.Uint32(b[4:]))*1000)
		n := int(binary.NativeEndian.Uint32(b[8:]))
		if b = b[16:]; n > len(b) {
			break // the last one was being written
		}
		switch packet := b[min(n, atIP):n]; {
		case len(packet) < 20:
		case packet[9] == protoUDP:
			out["heartbeat"] = append(out["heartbeat"], at)
		case packet[9] == protoTCP:
			out[segments] = append(out[segments], at)
			if brings(packet, next) {
				out["tcp"] = append(out["tcp"], at)
			}
		}
		b = b[n:]
	}
	out["tcp"] = flows(out["tcp"])
	return out, nil
}

// brings says whether a TCP segment in an IPv4 packet (RFC 791, RFC 9293) reaches beyond what its flow had brought, and
// notes how far it reaches.
func brings(packet []byte, next map[uint16]uint32) bool {
	ip := int(packet[0]&15) * 4
	if len(packet) < ip+14 {
		return false
	}
	segment := packet[ip:]
	end := binary.BigEndian.Uint32(segment[4:]) + uint32(int(binary.BigEndian.Uint16(packet[2:]))-ip-int(segment[12]>>4)*4)
	port := binary.BigEndian.Uint16(segment)
	if had, known := next[port]; known && int32(end-had) <= 0 {
		return false
	}
	next[port] = end
	return true
}

// flows leaves out moments that belong to no flow: those with too few others after them.
func flows(times []time.Time) []time.Time {
	var out []time.Time
	last := time.Time{}
	for i, t := range times {
		if t.Sub(last) < flowingIn || i+flowing-1 < len(times) && times[i+flowing-1].Sub(t) < flowingIn {
			out, last = append(out, t), t
		}
	}
	return out
}

// lengthCheck is an outage of the report beside the gap in the capture that it tells of.
type lengthCheck struct {
	by   string    // who saw it
	at   time.Time // when it begins
	gap  time.Duration
	part time.Duration // of the gap, the longest without any segment: of TCP until the first came through, were it alone
	told time.Duration // 0: it was not told
}

// off is how far the two differ. Where a single segment came through before the flow went on, the outage may be told
// until either.
func (c lengthCheck) off() time.Duration {
	off := (c.told - c.gap).Abs()
	if c.part > 0 {
		off = min(off, (c.told - c.part).Abs())
	}
	return off
}

// String is the comparison in one line.
func (c lengthCheck) String() string {
	part := ""
	if c.part > 0 && c.part != c.gap {
		part = fmt.Sprintf(" (%.3f s without any segment)", c.part.Seconds())
	}
	return fmt.Sprintf("%-9s outage at %s: told %.3f s, captured %.3f s%s, off %d ms", c.by, c.at.UTC().Format("15:04:05.000"),
		c.told.Seconds(), c.gap.Seconds(), part, c.off().Milliseconds())
}

// checkLengths holds the outages towards the receiver that one kind of probe saw against what arrived there: every long
// gap must be told, and every long outage be a gap.
func checkLengths(by string, arrived arrivals, told []report.Outage) []lengthCheck {
	times := arrived[by]
	var out []lengthCheck
	used := make([]bool, len(told))
	for i := 1; i < len(times); i++ {
		from, to := times[i-1], times[i]
		if to.Sub(from) < outageFrom {
			continue
		}
		check, best := lengthCheck{by: by, at: from, gap: to.Sub(from)}, time.Duration(0)
		if by == "tcp" {
			check.part = arrived.silence(from, to)
		}
		which := -1
		for k, o := range told {
			if both := overlap(from, to, o.From, o.To); countsAt(o, by) && both > best {
				best, which = both, k
			}
		}
		if which >= 0 {
			used[which], check.told = true, told[which].To.Sub(told[which].From)
		}
		out = append(out, check)
	}
	for k, o := range told {
		if used[k] || !countsAt(o, by) || o.To.Sub(o.From) < outageFrom || len(times) == 0 || o.From.Before(times[0]) {
			continue
		}
		check := lengthCheck{by: by, at: o.From, told: o.To.Sub(o.From)}
		for i := 1; i < len(times); i++ {
			if overlap(times[i-1], times[i], o.From, o.To) > 0 {
				check.gap = max(check.gap, times[i].Sub(times[i-1]))
			}
		}
		out = append(out, check)
	}
	return out
}

// countsAt says whether the receiver can have seen an outage: one that a kind of probe saw, towards it, and that ended.
func countsAt(o report.Outage, by string) bool {
	return o.SeenBy == by && o.Direction != "reverse" && !o.Open
}

// overlap is how long two spans have in common; not above 0 if nothing.
func overlap(a, b, c, d time.Time) time.Duration {
	if c.After(a) {
		a = c
	}
	if d.Before(b) {
		b = d
	}
	return b.Sub(a)
}

// silence is the longest time within a span in which no segment came at all; 0 if nothing is known of segments.
func (a arrivals) silence(from, to time.Time) time.Duration {
	var longest time.Duration
	last := from
	for _, t := range a[segments] {
		if t.After(from) && !t.After(to) {
			longest, last = max(longest, t.Sub(last)), t
		}
	}
	return longest
}

// longestGap is the longest time between two arrivals of the same kind.
func (a arrivals) longestGap() time.Duration {
	var longest time.Duration
	for _, times := range a {
		for i := 1; i < len(times); i++ {
			longest = max(longest, times[i].Sub(times[i-1]))
		}
	}
	return longest
}
