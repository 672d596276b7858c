package tables

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// PortStatus reads "show interfaces status": the columns are where the header has them, since names hold blanks and
// may be empty. A status that is not known is the port's own word (Oper).
func PortStatus(output string, r *devices.Reading) {
	var ports []devices.Interface
	var c text.Columns
	for line := range strings.Lines(output) {
		line = expand(strings.TrimRight(line, "\r\n \t"))
		trimmed := strings.TrimSpace(line)
		if (strings.HasPrefix(trimmed, "Port ") || strings.HasPrefix(trimmed, "Interface ")) && strings.Contains(trimmed, "Status") {
			c = text.NewColumns(line, titles...)
			continue
		}
		title := "Port"
		if !c.Has(title) {
			title = "Interface" // NX-OS's table of tunnels
		}
		cell := func(name string) string { return c.Cell(line, name) }
		if title == "Port" && !under(c, line) {
			if cells, ok := freeRow(line); ok {
				cell = func(name string) string { return cells[name] }
			}
		}
		name := cell(title)
		if !c.Has("Status") || !block.IsPortName(name) {
			continue
		}
		i := devices.Interface{Name: name, Alias: cell("Name")}
		if i.Alias == "--" {
			i.Alias = ""
		}
		statusWord(&i, cell("Status"))
		speedWords(&i, cell("Duplex"), cell("Speed"))
		if vlan := cell("Vlan"); vlan != "" {
			i.Facts = append(i.Facts, devices.Fact{Name: "vlan", Value: vlan})
			if n, rest, ok := text.Uint32(vlan); ok && rest == "" {
				i.AccessVLAN = devices.Some(n)
			}
		}
		if kind := cell("Type"); kind != "" {
			i.Facts = append(i.Facts, devices.Fact{Name: "type", Value: kind})
			if !text.Unset(kind) && !strings.HasPrefix(kind, "No") {
				i.Media = devices.Some(kind) // "No Transceiver", "Not Present"
			}
		}
		for _, name := range []string{"Flags", "Encapsulation"} {
			if v := cell(name); v != "" {
				i.Facts = append(i.Facts, devices.Fact{Name: strings.ToLower(name), Value: v})
			}
		}
		if reason := cell("Reason"); reason != "" && i.ErrDisabled != "" {
			i.ErrDisabled = reason
		}
		ports = append(ports, i)
	}
	into.Ports(r, ports)
}

// titles lists the titles of columns that hold a blank.
var titles = []string{"Reason description"}

// expand replaces tabs by blanks up to the next column of eight.
func expand(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	n := 0
	for _, r := range line {
		if r != '\t' {
			b.WriteRune(r)
			n++
			continue
		}
		for ok := true; ok; ok = n%8 != 0 {
			b.WriteByte(' ')
			n++
		}
	}
	return b.String()
}

// statusWord reads the state of a port in one word, which NX-OS cuts to nine characters.
func statusWord(i *devices.Interface, word string) {
	if word == "" {
		return
	}
	i.Facts = append(i.Facts, devices.Fact{Name: "status", Value: word})
	i.Admin = devices.Some("up")
	switch lower := strings.ToLower(word); {
	case lower == "connected", lower == "up", lower == "monitoring":
		i.Oper = devices.Some("up")
	case lower == "disabled", lower == "disable", lower == "admin", lower == "administratively down":
		i.Admin, i.Oper = devices.Some("down"), devices.Some("down")
	case strings.HasPrefix(lower, "xcvrabs"), strings.HasPrefix(lower, "sfpabs"), lower == "notpresent":
		i.Oper = devices.Some("notPresent")
	case strings.HasPrefix(lower, "err"):
		i.Oper, i.ErrDisabled = devices.Some("down"), "err-disabled"
	case strings.HasPrefix(lower, "linkflape"):
		i.Oper, i.ErrDisabled = devices.Some("down"), "link-flap"
	case lower == "notconnect", lower == "notconnec", lower == "down", lower == "inactive":
		i.Oper = devices.Some("down")
	default:
		i.Oper = devices.Some(word) // suspended, vpcCmpFai, xcvrSpeed, noOperMem, ...: not up, and it says why
	}
}

// speedWords reads "a-full" and "a-1000": what is negotiated. "auto" says what is set, and is no speed.
func speedWords(i *devices.Interface, duplex, speed string) {
	switch strings.TrimPrefix(strings.ToLower(duplex), "a-") {
	case "full":
		i.Duplex = devices.Some("full")
	case "half":
		i.Duplex = devices.Some("half")
	}
	i.Facts = append(i.Facts, devices.Fact{Name: "duplex", Value: duplex}, devices.Fact{Name: "speed", Value: speed})
	word := strings.TrimPrefix(strings.ToLower(speed), "a-")
	if v, ok := text.Rate(word); ok && v > 0 && v <= text.MaxSpeed {
		i.Speed = devices.Some(uint64(v))
	} else if n, rest, ok := text.Uint32(word); ok && rest == "" && n > 0 && uint64(n)*1e6 <= text.MaxSpeed {
		i.Speed = devices.Some(uint64(n) * 1e6)
	}
	if i.Oper.Value == "down" || i.Oper.Value == "notPresent" {
		i.Speed, i.Duplex = devices.None[uint64](), devices.None[string]() // what is set for a port that has no link
	}
}
