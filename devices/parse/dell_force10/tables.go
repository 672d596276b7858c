package dell_force10

import (
	"net/netip"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
)

// words returns the words of a row, with the two of a port's name as one: "Te 0/22". A word of letters before a number
// with a slash, and "Vl", "Vlan", "Po" or "Ma" before any number, are a port's name.
func words(line string) []string {
	f := strings.Fields(line)
	out := f[:0]
	for n := 0; n < len(f); n++ {
		if n+1 < len(f) && isKind(f[n]) && text.IsDigit(f[n+1][0]) && (strings.Contains(f[n+1], "/") || isLogical(f[n])) {
			out = append(out, f[n]+" "+f[n+1])
			n++
			continue
		}
		out = append(out, f[n])
	}
	return out
}

func isKind(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f || !text.IsLetter(byte(r)) && r != '-' }) && text.IsLetter(s[0])
}

func isLogical(s string) bool {
	switch strings.ToLower(s) {
	case "vl", "vlan", "po", "port-channel", "ma", "lo", "tu":
		return true
	}
	return false
}

// isPort says whether a word of a row, as words returns it, is a port's name.
func isPort(s string) bool {
	return text.IsLetter(s[0]) && block.IsPortName(joined(s))
}

// ShowARP reads "show arp" of OS9, whose rows have a port and a VLAN, and "show ip arp" of OS10, whose rows have the VLAN's
// interface and the port. A binding belongs to the VLAN's interface where there is one. Ages are in minutes.
func ShowARP(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for line := range text.Each(output) {
		if b, ok := arpRow(words(line)); ok {
			r.Bindings = append(r.Bindings, b)
		}
	}
}

func arpRow(f []string) (b devices.Binding, ok bool) {
	b.Kind = "dynamic"
	for _, w := range f {
		mac, isMAC := text.MAC(w)
		n, rest, isNumber := text.Uint32(w)
		switch ip, err := netip.ParseAddr(w); {
		case !b.IP.IsValid():
			if err == nil {
				b.IP = ip.WithZone("")
			}
		case isMAC:
			b.MAC = mac
		case w == "-" && b.MAC == "":
			b.Kind = "local"
		case isNumber && rest == "" && b.MAC == "":
			b.Age = devices.Some(time.Duration(n) * time.Minute)
		case strings.EqualFold(w, "static"):
			b.Kind = "static"
		case isPort(w) && (b.Port == "" || strings.HasPrefix(strings.ToLower(w), "vl")):
			b.Port = w
		}
	}
	return b, b.IP.IsValid() && b.MAC != ""
}

// ShowMACAddressTable reads "show mac-address-table" of OS9 and "show mac address-table" of OS10: VLAN, address, type,
// port.
func ShowMACAddressTable(output string, r *devices.Reading) {
	if r.Stations == nil {
		r.Stations = []devices.Station{}
	}
	for line := range text.Each(output) {
		f := words(strings.TrimLeft(line, "*"))
		if len(f) < 4 {
			continue
		}
		mac, isMAC := text.MAC(f[1])
		if !isMAC {
			continue
		}
		s := devices.Station{MAC: mac, Status: "learned"}
		if n, rest, ok := text.Uint32(f[0]); ok && rest == "" && n > 0 && n < 4095 {
			s.VLAN = devices.Some(n)
		}
		switch kind := strings.ToLower(f[2]); {
		case strings.HasPrefix(kind, "static"), strings.HasPrefix(kind, "sticky"):
			s.Status = "static"
		case !strings.HasPrefix(kind, "dynamic"):
			s.Status = "other"
		}
		for _, w := range f[3:] { // behind "Dynamic", or "Dynamic (N)"
			if s.Port == "" && isPort(w) {
				s.Port = w
			}
		}
		r.Stations = append(r.Stations, s)
	}
}
