package tables

import (
	"iter"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// Rows goes through the lines of a text, each cut at its blanks; empty lines are left out.
func Rows(output string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		lines := text.NewLines(output)
		for {
			line, _, _, ok := lines.Next()
			if !ok {
				return
			}
			if f := strings.Fields(line); len(f) > 0 && !yield(f) {
				return
			}
		}
	}
}

// StationsBehind reads a forwarding database whose rows begin with the hardware address, with the VLAN right behind
// it ("10", or "10/-/-" where it is a VLAN, a VSI or a bridge domain), and the port and the kind of entry in any order
// after that.
func StationsBehind(output string, r *devices.Reading) {
	if r.Stations == nil {
		r.Stations = []devices.Station{}
	}
	for f := range Rows(output) {
		if s, ok := stationBehind(f); ok {
			r.Stations = append(r.Stations, s)
		}
	}
}

func stationBehind(f []string) (s devices.Station, ok bool) {
	const fewest = 3 // address, VLAN and port
	if s.MAC, ok = text.MAC(f[0]); !ok || len(f) < fewest {
		return s, false
	}
	vlan, _, _ := strings.Cut(f[1], "/")
	if n, rest, ok := text.Uint32(vlan); ok && rest == "" && n > 0 && n < 4095 {
		s.VLAN = devices.Some(n)
	}
	s.Status = "learned"
	for _, word := range f[2:] {
		name, _, _ := strings.Cut(word, "(") // a tunnel's other end: vxlan1(192.0.2.1)
		switch lower := strings.ToLower(word); {
		case lower == "static", lower == "config", lower == "security", lower == "sticky":
			s.Status = "static"
		case lower == "blackhole":
			s.Status = "other"
		case s.Port == "" && isPort(name):
			s.Port = name
		}
	}
	return s, true
}
