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

// arrivals are the moments at which the probe's packets came to the receiver, by what the report says an outage is
// seen by.
type arrivals map[string][]time.Time

// readCapture reads a file of tcpdump (pcap, microseconds, Ethernet; draft-ietf-opsawg-pcap) that holds IPv4 only.
func readCapture(r io.Reader) (arrivals, error) {
	const (
		magic       = 0xa1b2c3d4
		header      = 24
		etherHeader = 14
		protocolAt  = etherHeader + 9 // RFC 791, section 3.1
		tcp, udp    = 6, 17
	)
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if len(b) < header || binary.NativeEndian.Uint32(b) != magic {
		return nil, fmt.Errorf("%d octets are no capture", len(b))
	}
	out := arrivals{}
	for b = b[header:]; len(b) >= 16; {
		at := time.Unix(int64(binary.NativeEndian.Uint32(b)), int64(binary.NativeEndian.Uint32(b[4:]))*1000)
		n := int(binary.NativeEndian.Uint32(b[8:]))
		if b = b[16:]; n > len(b) {
			break // the last one was being written
		}
		if n > protocolAt {
			switch b[protocolAt] {
			case tcp:
				out["tcp"] = append(out["tcp"], at)
			case udp:
				out["heartbeat"] = append(out["heartbeat"], at)
			}
		}
		b = b[n:]
	}
	return out, nil
}

// lengthCheck is an outage of the report beside the gap in the capture that it tells of.
type lengthCheck struct {
	by   string    // who saw it
	at   time.Time // when it begins
	gap  time.Duration
	told time.Duration // 0: it was not told
}

// off is how far the two differ.
func (c lengthCheck) off() time.Duration { return (c.told - c.gap).Abs() }

// String is the comparison in one line.
func (c lengthCheck) String() string {
	return fmt.Sprintf("%-9s outage at %s: told %.3f s, captured %.3f s, off %d ms", c.by, c.at.UTC().Format("15:04:05.000"),
		c.told.Seconds(), c.gap.Seconds(), c.off().Milliseconds())
}

// checkLengths holds the outages towards the receiver that one kind of probe saw against what arrived there: every long
// gap must be told, and every long outage be a gap.
func checkLengths(by string, times []time.Time, told []report.Outage) []lengthCheck {
	var out []lengthCheck
	used := make([]bool, len(told))
	for i := 1; i < len(times); i++ {
		from, to := times[i-1], times[i]
		if to.Sub(from) < outageFrom {
			continue
		}
		check, best := lengthCheck{by: by, at: from, gap: to.Sub(from)}, time.Duration(0)
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
