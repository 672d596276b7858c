package cisco_ios

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowPowerInline reads "show power inline": what each port gives to what is powered by it, as facts in the port's own
// words: on, off, faulty, power-deny. A device's name may have blanks.
func ShowPowerInline(output string, r *devices.Reading) {
	var ports []devices.Interface
	for f := range tables.Rows(output) {
		const fewest = 5 // port, admin, oper, watts, device
		if len(f) < fewest || !text.IsLetter(f[0][0]) || !block.IsPortName(f[0]) || !powerAdmin[f[1]] {
			continue
		}
		if _, rest, ok := text.Decimal(f[3]); !ok || rest != "" {
			continue
		}
		i := devices.Interface{Name: f[0]}
		i.Facts = append(i.Facts, devices.Fact{Name: "poe", Value: f[2]}, devices.Fact{Name: "poe_watts", Value: f[3]})
		if name := strings.Join(f[4:max(fewest, len(f)-2)], " "); !text.Unset(name) {
			i.Facts = append(i.Facts, devices.Fact{Name: "poe_device", Value: name})
		}
		ports = append(ports, i)
	}
	into.Ports(r, ports)
}

// powerAdmin lists how power is given.
var powerAdmin = map[string]bool{"auto": true, "static": true, "off": true, "never": true, "consumption": true}

// ShowPowerInlineDetail reads "show power inline NAME detail": how often power failed, was refused or was not drawn any
// more.
func ShowPowerInlineDetail(output string, r *devices.Reading) {
	var ports []devices.Interface
	for line := range text.Each(output) {
		label, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || value == "" {
			continue
		}
		if label == "Interface" && block.IsPortName(value) {
			ports = append(ports, devices.Interface{Name: value})
			continue
		}
		if len(ports) == 0 {
			continue
		}
		i := &ports[len(ports)-1]
		label, _, _ = strings.Cut(label, " (") // "(Alt-A,B)"
		switch label {
		case "Absent Counter":
			i.PoEAbsent = text.Count(value)
		case "Over Current Counter":
			i.PoEOverload = text.Count(value)
		case "Short Current Counter":
			i.PoEShort = text.Count(value)
		case "Power Denied Counter":
			i.PoEDenied = text.Count(value)
		case "Operational status":
			i.Facts = append(i.Facts, devices.Fact{Name: "poe", Value: value})
		case "Power drawn from the source":
			i.Facts = append(i.Facts, devices.Fact{Name: "poe_watts", Value: value})
		}
	}
	into.Ports(r, ports)
}
