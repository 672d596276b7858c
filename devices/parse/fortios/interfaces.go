package fortios

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// Physical reads "get system interface physical": which ports have a link, and at which speed.
func Physical(output string, r *devices.Reading) {
	ports, unread := block.Platform{Header: physicalHeader, Line: physicalLine}.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

// physicalHeader reads "==[port1]"; "== [onboard]" is where the ports are.
func physicalHeader(p *block.Port, line string) bool {
	name, ok := strings.CutPrefix(line, "==[")
	name, closed := strings.CutSuffix(name, "]")
	p.Name = strings.TrimSpace(name)
	return ok && closed && p.Name != ""
}

func physicalLine(p *block.Port, line string, _ *text.Lines) bool {
	label, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case strings.HasPrefix(line, "== ["):
	case !ok:
		return false
	case label == "status":
		p.Oper = block.Oper(value)
	case label == "speed":
		p.Know(label, value)
		speed(p, value)
	default:
		p.Know(block.FactName(label), value)
	}
	return true
}

// speed reads "1000Mbps (Duplex: full)"; a port without a link has neither.
func speed(p *block.Port, s string) {
	if v, ok := text.Rate(s); ok && v > 0 && v <= text.MaxSpeed {
		text.Set(&p.Speed, uint64(v))
	}
	if _, d, ok := strings.Cut(s, "(Duplex: "); ok {
		if d = strings.TrimSuffix(d, ")"); d == "full" || d == "half" {
			text.Set(&p.Duplex, d)
		}
	}
}

// Interfaces reads "get system interface": the configuration of all interfaces, each in one line. Its status is
// whether an administrator has it up.
func Interfaces(output string, r *devices.Reading) {
	lines := text.NewLines(output)
	var ports []devices.Interface
	for {
		line, _, _, ok := lines.Next()
		if !ok {
			break
		}
		if !strings.HasPrefix(line, "name: ") {
			continue
		}
		p := block.Port{}
		var label, value string
		keep := func() {
			switch label = strings.TrimSuffix(label, ":"); label {
			case "":
			case "name":
				p.Name = value
			case "status":
				if value != "" {
					p.Admin = devices.Some(value)
				}
			default:
				p.Know(block.FactName(label), value)
			}
		}
		for word := range strings.FieldsSeq(line) {
			if strings.HasSuffix(word, ":") {
				keep()
				label, value = word, ""
			} else {
				value = strings.TrimSpace(value + " " + word)
			}
		}
		keep()
		if p.Name != "" {
			ports = append(ports, p.Interface)
		}
	}
	into.Ports(r, ports)
}
