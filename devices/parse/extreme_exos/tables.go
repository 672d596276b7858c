package extreme_exos

import (
	"net/netip"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
)

// ShowIPARP reads "show iparp": "VR-Default  10.1.1.6  00:04:96:1f:a5:71  8  NO  blue  4092  1". An address in brackets
// was asked for and did not answer lately. Ages are in minutes. A binding without a port belongs to its VLAN.
func ShowIPARP(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < 7 {
			continue
		}
		ip, err := netip.ParseAddr(f[1])
		mac, isMAC := text.MAC(strings.Trim(f[2], "()"))
		n, rest, isAge := text.Uint32(f[3])
		if err != nil || !isMAC || !isAge || rest != "" {
			continue
		}
		b := devices.Binding{IP: ip.WithZone(""), MAC: mac, Kind: "dynamic", Port: f[5]}
		b.Age = devices.Some(time.Duration(n) * time.Minute)
		if f[4] == "YES" {
			b.Kind = "static"
		}
		if f[2][0] == '(' {
			b.Kind = "other"
		}
		if len(f) > 7 && block.IsPortName(f[7]) {
			b.Port = f[7]
		}
		r.Bindings = append(r.Bindings, b)
	}
}

// ShowFDB reads "show fdb": "00:04:96:51:e5:41  Default(0001) 0010 d m  1:5". The flag s is of static entries, and B and
// b of what is dropped.
func ShowFDB(output string, r *devices.Reading) {
	if r.Stations == nil {
		r.Stations = []devices.Station{}
	}
	lines := text.NewLines(output)
	for {
		line, _, _, ok := lines.Next()
		if !ok {
			return
		}
		mac, rest, _ := strings.Cut(line, " ")
		mac, ok = text.MAC(mac)
		_, rest, tagged := strings.Cut(rest, "(")
		tag, rest, closed := strings.Cut(rest, ")")
		if !ok || !tagged || !closed {
			continue
		}
		s := devices.Station{MAC: mac, Status: "other"}
		if n, end, ok := text.Uint32(strings.TrimSpace(tag)); ok && end == "" && n > 0 && n < 4096 {
			s.VLAN = devices.Some(n)
		}
		f := strings.Fields(rest)
		for n, w := range f {
			switch {
			case n > 0 && len(w) == 1 && w == "d":
				s.Status = "learned"
			case n > 0 && len(w) == 1 && (w == "s" || w == "p"):
				if s.Status == "other" {
					s.Status = "static"
				}
			case n > 0 && n == len(f)-1 && block.IsPortName(w):
				s.Port = w
			}
		}
		r.Stations = append(r.Stations, s)
	}
}

// ShowLLDPNeighbors reads "show lldp neighbors": own port, chassis, port, time to live, age and the system's name. The
// device cuts chassis and port to the width of the screen.
func ShowLLDPNeighbors(output string, r *devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = []devices.Neighbour{}
	}
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < 5 || !block.IsPortName(f[0]) {
			continue
		}
		at := ttlAt(f)
		if at < 3 {
			continue
		}
		n := devices.Neighbour{Port: f[0], Protocol: "lldp", Chassis: f[1], PortID: strings.Join(f[2:at], " ")}
		if mac, ok := text.MAC(n.Chassis); ok {
			n.Chassis = mac
		}
		if mac, ok := text.MAC(n.PortID); ok {
			n.PortID = mac
		}
		if name := strings.Join(f[at+2:], " "); name != "Not-Advertised" {
			n.System = name
		}
		r.Neighbours = append(r.Neighbours, n)
	}
}

// ttlAt returns where the first two numbers side by side are behind the port, of which the second is the age; 0 if there
// are none.
func ttlAt(f []string) int {
	for n := 3; n+1 < len(f); n++ {
		if text.Count(f[n]).OK && text.Count(f[n+1]).OK {
			return n
		}
	}
	return 0
}
