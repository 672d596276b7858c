package tables

import (
	"net/netip"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
)

// Bindings reads an ARP or neighbour cache: every line that holds an address, and a hardware address or a word for
// that there is none. The port is the last word that is the name of one, or else the last word.
func Bindings(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for line := range text.Each(output) {
		if b, ok := binding(strings.Fields(line)); ok {
			r.Bindings = append(r.Bindings, b)
		}
	}
}

func binding(f []string) (b devices.Binding, ok bool) {
	b.Kind = "dynamic"
	incomplete := false
	for n, word := range f {
		if !b.IP.IsValid() {
			if ip, err := netip.ParseAddr(strings.Trim(word, "()")); err == nil {
				b.IP = ip.WithZone("")
				continue
			}
		}
		if mac, ok := text.MAC(word); ok && b.MAC == "" {
			b.MAC = mac
			continue
		}
		switch lower := strings.ToLower(strings.Trim(word, "<>()[]")); {
		case lower == "incomplete", lower == "incomp":
			incomplete = true
		case lower == "static", lower == "permanent", lower == "s":
			b.Kind = "static"
		case lower == "interface" || lower == "local" || lower == "-" && n > 0:
			b.Kind = "local"
		case n > 0 && !b.Age.OK:
			age(&b, word)
		}
		if n > 0 && block.IsPortName(strings.TrimRight(word, ",")) && strings.ContainsFunc(word, func(r rune) bool { return text.IsLetter(byte(r)) }) && !strings.Contains(word, ":") {
			if _, mac := text.MAC(word); !mac {
				b.Port = strings.TrimRight(word, ",")
			}
		}
	}
	if !b.IP.IsValid() || b.MAC == "" && !incomplete {
		return b, false
	}
	if last := f[len(f)-1]; b.Port == "" && len(f) > 2 && last != "ARPA" && last != "SNAP" {
		if _, mac := text.MAC(last); !mac && text.IsLetter(last[0]) {
			b.Port = last
		}
	}
	if b.MAC == "" {
		b.Kind = "invalid"
	}
	return b, true
}

// age reads minutes, or hours, minutes and seconds.
func age(b *devices.Binding, word string) {
	if d, ok := text.Ago(word); ok && strings.Contains(word, ":") {
		b.Age = devices.Some(d)
	} else if n, rest, ok := text.Uint32(word); ok && rest == "" && n < 1<<20 {
		b.Age = devices.Some(time.Duration(n) * time.Minute)
	}
}

// Stations reads a forwarding database: every line that holds a hardware address. The VLAN is the number before the
// address, or else the one behind it; the port is the first word behind it that is the name of one.
func Stations(output string, r *devices.Reading) {
	if r.Stations == nil {
		r.Stations = []devices.Station{}
	}
	for line := range text.Each(output) {
		if s, ok := station(strings.Fields(line)); ok {
			r.Stations = append(r.Stations, s)
		}
	}
}

func station(f []string) (s devices.Station, ok bool) {
	at := -1
	for n, word := range f {
		if mac, ok := text.MAC(word); ok {
			s.MAC, at = mac, n
			break
		}
	}
	if at < 0 {
		return s, false
	}
	s.Status = "learned"
	for _, word := range f[:at] {
		if n, rest, ok := text.Uint32(strings.Trim(word, "*+~G ")); ok && rest == "" && n > 0 && n < 4095 {
			s.VLAN = devices.Some(n)
		}
	}
	for _, word := range f[at+1:] {
		lower := strings.ToLower(strings.Trim(word, ",()"))
		switch {
		case lower == "static" || lower == "permanent" || lower == "s":
			s.Status = "static"
		case lower == "self" || lower == "system" || lower == "cpu" || lower == "router":
			s.Status = "self"
		case lower == "drop":
			s.Status, s.Port = "other", ""
		case s.Port == "" && isPort(word):
			s.Port = strings.TrimRight(strings.TrimPrefix(word, "vPC-Peer-Link"), ",")
		}
	}
	if s.Port == "" {
		if last := f[len(f)-1]; last == "sup-eth1(R)" || strings.HasPrefix(last, "sup-") || s.Status == "self" {
			s.Status = "self"
		}
	}
	return s, true
}

// isPort says whether a word is a port's name and not a number, an age or a protocol.
func isPort(word string) bool {
	word = strings.TrimRight(word, ",")
	return block.IsPortName(word) && text.IsLetter(word[0]) && !strings.HasPrefix(strings.ToLower(word), "ip") || strings.Count(word, "/") >= 1 && block.IsPortName(word)
}
