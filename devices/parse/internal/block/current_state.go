package block

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// What Comware and VRP have in common, whose command lines have one origin.

// CurrentState reads "NAME current state : WORDS" and "NAME current state: WORDS".
func CurrentState(line string) (name, words string, ok bool) {
	name, words, ok = strings.Cut(line, " current state")
	words = strings.TrimLeft(words, " ")
	if !ok || !IsPortName(name) || !strings.HasPrefix(words, ":") {
		return "", "", false
	}
	return name, strings.TrimRight(strings.TrimSpace(words[1:]), " ,"), true
}

// State takes a port's state from its words: "UP", "DOWN ( Administratively )", "Administratively DOWN", "STP DOWN",
// "ERROR DOWN(bpdu-protection)", "UP(spoofing)".
func (p *Port) State(words string) {
	p.Know("status", words)
	lower := strings.ToLower(words)
	word, reason := brackets(lower)
	text.Set(&p.Admin, "up")
	switch {
	case strings.Contains(lower, "administratively"):
		p.Admin, p.Oper = devices.Some("down"), devices.Some("down")
	case strings.HasPrefix(word, "up"):
		p.Oper = devices.Some("up")
	case strings.HasSuffix(word, "down"):
		p.Oper = devices.Some("down")
		p.ErrDisabled = shutBy(strings.TrimSpace(strings.TrimSuffix(word, "down")), reason)
	default:
		p.Oper = Oper(word)
	}
}

// shutBy returns why a device shut a port by itself, from what stands before DOWN and in the brackets behind it.
func shutBy(before, reason string) string {
	switch before {
	case "stp":
		return "bpduguard" // Comware, Layer 2 LAN Switching Command Reference: shut down by the BPDU guard
	case "error":
		if reason == "bpdu-protection" {
			return "bpduguard"
		}
		if reason == "" {
			return "err-disabled"
		}
		return reason
	}
	return before // "mac-address moving", "storm-constrain"; "" is plainly down
}

// Protocol takes the state of the line protocol, which makes a port that is up physically down where it is down.
func (p *Port) Protocol(words string) {
	p.Know("protocol", words)
	if word, _ := brackets(strings.ToLower(words)); p.Oper.Value == "up" && word == "down" {
		p.Oper = devices.Some("down")
	}
}

// LastRate reads the rates of "Last 300 seconds input:  7 packets/sec 1173 bytes/sec  0%", "Last 300 seconds input rate
// 2552703.00 bytes/sec, 20421624 bits/sec, 5670.94 packets/sec" and their like, in any order and unit, and says whether
// the line was one. Of bits and bytes the bits count.
func LastRate(p *Port, line string) bool {
	every, rest, ok := strings.Cut(line, "put")
	way, isIn := "out", strings.HasSuffix(every, " in")
	if isIn {
		way = "in"
	}
	if !ok || !isIn && !strings.HasSuffix(every, " out") || !strings.Contains(every, " second") || !strings.Contains(rest, "/sec") {
		return false
	}
	if p.Fact(way+"_packet_rate") != "" {
		way = "further_" + way
	}
	every = strings.TrimSuffix(strings.TrimSuffix(every, " in"), " out")
	p.KnowOnce("interval", strings.TrimPrefix(strings.TrimPrefix(every, "Last "), "Realtime "))
	bits, packets := "", ""
	f := strings.Fields(strings.ReplaceAll(rest, ",", " "))
	for i := 1; i < len(f); i++ {
		v, end, ok := text.Decimal(f[i-1])
		if !ok || end != "" {
			continue
		}
		if scale, ok := text.BitScale(f[i]); ok && (bits == "" || scale == 1) {
			bits = text.Plain(v * scale)
		} else if scale, ok := text.PacketScale(f[i]); ok {
			packets = text.Plain(v * scale)
		}
	}
	p.Know(way+"_rate", bits)
	p.Know(way+"_packet_rate", packets)
	return true
}
