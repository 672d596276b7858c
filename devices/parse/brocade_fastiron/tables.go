package brocade_fastiron

import (
	"net/netip"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowInterfacesBrief reads "show interfaces brief". The columns are as the header has them: NetIron leaves some out. A
// name is the number alone: "1/1/2".
func ShowInterfacesBrief(output string, r *devices.Reading) {
	var titles []string
	var ports []devices.Interface
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) > 3 && f[0] == "Port" && f[1] == "Link" {
			titles = f
			continue
		}
		if len(titles) == 0 || len(f) < len(titles)-1 || !block.IsPortName(f[0]) {
			continue
		}
		p := block.Port{Interface: devices.Interface{Name: f[0]}}
		for n, title := range titles[1:] {
			if n+1 >= len(f) {
				break
			}
			if cell := f[n+1]; title != "Name" {
				briefCell(&p, title, cell)
			} else {
				p.Alias = strings.Join(f[n+1:], " ")
			}
		}
		ports = append(ports, p.Interface)
	}
	into.Ports(r, ports)
}

func briefCell(p *block.Port, title, cell string) {
	name := strings.ToLower(strings.ReplaceAll(title, "-", "_"))
	p.Know(name, cell)
	if text.Unset(cell) {
		return
	}
	switch title {
	case "Link":
		p.Admin = devices.Some("up")
		if strings.HasPrefix(cell, "Dis") {
			p.Admin = devices.Some("down")
		}
		p.Oper = devices.Some("down")
		if cell == "Up" {
			p.Oper = devices.Some("up")
		} else if strings.HasPrefix(cell, "ERR") {
			p.ErrDisabled = "err-disabled"
		}
	case "State", "Port-State":
		if word := portState(cell); word != "" {
			p.STPState = devices.Some(word)
		}
	case "Dupl":
		if lower := strings.ToLower(cell); lower == "full" || lower == "half" {
			p.Duplex = devices.Some(lower)
		}
	case "Speed":
		if v, ok := text.Rate(cell); ok && v > 0 && v <= text.MaxSpeed {
			p.Speed = devices.Some(uint64(v))
		}
	case "Pvid":
		if n, rest, ok := text.Uint32(cell); ok && rest == "" && n < 4096 {
			p.AccessVLAN = devices.Some(n)
		}
	case "MAC":
		if mac, ok := text.MAC(cell); ok {
			p.MAC = mac
		}
	}
}

// ShowARP reads "show arp": "5  10.1.1.32  None  Dynamic  0  v1  Pend". Ages are in minutes; the port may be a number
// alone.
func ShowARP(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for line := range text.Each(output) {
		if b, ok := arpRow(strings.Fields(line)); ok {
			r.Bindings = append(r.Bindings, b)
		}
	}
}

func arpRow(f []string) (b devices.Binding, ok bool) {
	for len(f) > 0 { // the row's number, or the protocol
		ip, err := netip.ParseAddr(f[0])
		f = f[1:]
		if err == nil {
			b.IP = ip.WithZone("")
			break
		}
	}
	if len(f) < 3 {
		return b, false
	}
	b.Kind = "dynamic"
	if _, ok := text.MAC(f[0]); !ok && f[0] != "None" { // Internet ADDRESS AGE MAC ARPA PORT
		b.Age, f = minutes(f[0]), f[1:]
		if b.Age == devices.None[time.Duration]() {
			b.Kind = "local"
		}
	}
	if mac, ok := text.MAC(f[0]); ok {
		b.MAC = mac
	} else if f[0] != "None" {
		return b, false
	}
	for _, w := range f[1:] {
		switch {
		case w == "Static":
			b.Kind = "static"
		case w == "Dynamic", w == "ARPA", w == "Valid", w == "Pend":
		case !b.Age.OK && minutes(w).OK && b.Port == "" && b.Kind != "local":
			b.Age = minutes(w)
		case b.Port == "" && block.IsPortName(w):
			b.Port = w
		}
	}
	if b.MAC == "" {
		b.Kind = "invalid"
	}
	return b, true
}

func minutes(s string) devices.Opt[time.Duration] {
	if n, rest, ok := text.Uint32(s); ok && rest == "" && n < 1<<20 {
		return devices.Some(time.Duration(n) * time.Minute)
	}
	return devices.None[time.Duration]()
}

// ShowMACAddress reads "show mac-address": address, port, and by the header the age, the type and the VLAN.
func ShowMACAddress(output string, r *devices.Reading) {
	if r.Stations == nil {
		r.Stations = []devices.Station{}
	}
	vlan := -1 // the column counted from the last, where the header has one
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if n := index(f, "VLAN"); n > 0 && index(f, "Port") > 0 {
			vlan = n
			if len(f) > 1 && f[0] == "MAC" { // "MAC Address" or "MAC-Address"
				vlan--
			}
			continue
		}
		if len(f) < 3 {
			continue
		}
		mac, ok := text.MAC(f[0])
		if !ok || !block.IsPortName(f[1]) {
			continue
		}
		s := devices.Station{MAC: mac, Port: f[1], Status: "learned"}
		if vlan > 0 && vlan < len(f) {
			if n, rest, ok := text.Uint32(f[vlan]); ok && rest == "" && n > 0 && n < 4096 {
				s.VLAN = devices.Some(n)
			}
		}
		if index(f, "Static") > 0 {
			s.Status = "static"
		}
		r.Stations = append(r.Stations, s)
	}
}

func index(f []string, word string) int {
	for n, w := range f {
		if strings.EqualFold(w, word) {
			return n
		}
	}
	return -1
}

// ShowLLDPNeighbors reads "show lldp neighbors": own port, chassis, port, its description and the system's name. The
// columns are where the header has them, since all but the first may be empty or hold blanks.
func ShowLLDPNeighbors(output string, r *devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = []devices.Neighbour{}
	}
	var c text.Columns
	lines := text.NewLines(output)
	for {
		line, from, to, ok := lines.Next()
		if !ok {
			return
		}
		row := strings.TrimRight(lines.Text()[from:to], "\r ")
		if strings.HasPrefix(line, "Lcl Port") {
			c = text.NewColumns(row, "Lcl Port", "Chassis ID", "Port ID", "Port Description", "System Name")
			continue
		}
		port := c.Cell(row, "Lcl Port")
		if !block.IsPortName(port) {
			continue
		}
		n := devices.Neighbour{Port: port, Protocol: "lldp", Chassis: c.Cell(row, "Chassis ID"), PortID: c.Cell(row, "Port ID"), PortText: c.Cell(row, "Port Description"), System: c.Cell(row, "System Name")}
		if mac, ok := text.MAC(n.Chassis); ok {
			n.Chassis = mac
		}
		if mac, ok := text.MAC(n.PortID); ok {
			n.PortID = mac
		}
		if n.Chassis != "" || n.System != "" {
			r.Neighbours = append(r.Neighbours, n)
		}
	}
}
