package paloalto_panos

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowInterface reads "show interface NAME": the link, and the counters that the port's hardware, the data plane's
// driver and the interface keep.
//
// The hardware's own (read from MAC) count every frame; the driver's count what reached the data plane, and stand in
// where the hardware has none, as on a subinterface the interface's do. What the driver calls receive errors are
// packets of protocols and forms that it does not take, LLDP on a routed port among them: they are UnknownProtos, and
// not errors of the wire.
func ShowInterface(output string, r *devices.Reading) {
	p := block.Port{}
	values := map[string]devices.Opt[devices.Counter]{}
	section := ""
	for line := range text.Each(output) {
		if strings.Trim(line, "-") == "" {
			continue
		}
		if mac, ok := strings.CutPrefix(line, "Port MAC address "); ok {
			p.MAC, _ = text.MAC(strings.TrimSpace(mac))
			continue
		}
		if label, value, ok := strings.Cut(line, ":"); ok {
			section = heading(line, section)
			fact(&p, strings.TrimSpace(label), strings.TrimSpace(value))
			continue
		}
		if mtu, ok := strings.CutPrefix(line, "Interface MTU "); ok {
			if n, rest, ok := text.Uint32(mtu); ok && rest == "" {
				text.Set(&p.MTU, n)
			}
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		if section != "" && i > 0 {
			label := strings.TrimSpace(line[:i])
			if n := text.Count(line[i+1:]); n.OK {
				values[section+label] = n
				p.KnowOnce(block.FactName(section+label), line[i+1:])
			}
		}
	}
	if p.Name == "" {
		return
	}
	count(&p, values)
	into.Ports(r, []devices.Interface{p.Interface})
}

// heading returns the section that a line with a colon begins, or the one that it is in.
func heading(line, section string) string {
	switch lower := strings.ToLower(line); {
	case strings.HasPrefix(lower, "physical port counters"):
		return "mac "
	case strings.HasPrefix(lower, "hardware interface counters"):
		return "cpu "
	case strings.HasPrefix(lower, "logical interface counters"):
		return "logical "
	}
	return section
}

// fact reads the lines above the counters.
func fact(p *block.Port, label, value string) {
	switch label {
	case "Name":
		name, id, _ := strings.Cut(value, ", ID: ")
		if p.Name == "" {
			p.Name = name
		}
		p.KnowOnce("id", id)
	case "Runtime link speed/duplex/state":
		link(p, value)
	case "Configured link speed/duplex/state":
		p.KnowOnce("configured", value)
		switch _, state, _ := strings.Cut(value, "/"); {
		case strings.HasSuffix(state, "/down"):
			text.Set(&p.Admin, "down")
		case strings.HasSuffix(state, "/up"), strings.HasSuffix(state, "/auto"):
			text.Set(&p.Admin, "up")
		}
		if speed, _, _ := strings.Cut(value, "/"); speed != "" {
			text.Set(&p.Autoneg, speed == "auto")
		}
	case "Zone":
		zone, _, _ := strings.Cut(value, ",")
		p.KnowOnce("zone", zone)
	default:
		if value != "" {
			p.KnowOnce(block.FactName(label), value)
		}
	}
}

// count gives the port its counters.
func count(p *block.Port, values map[string]devices.Opt[devices.Counter]) {
	first := func(names ...string) (o devices.Opt[devices.Counter]) {
		for _, n := range names {
			o = text.First(o, values[n])
		}
		return o
	}
	all := func(names ...string) (o devices.Opt[devices.Counter]) {
		for _, n := range names {
			if !values[n].OK {
				return devices.None[devices.Counter]()
			}
			o = text.Sum(o, values[n])
		}
		return o
	}
	p.InOctets = first("mac rx-bytes", "cpu bytes received", "logical bytes received")
	p.OutOctets = first("mac tx-bytes", "cpu bytes transmitted", "logical bytes transmitted")
	p.InPackets = text.First(all("mac rx-unicast", "mac rx-multicast", "mac rx-broadcast"), first("cpu packets received", "logical packets received"))
	p.OutPackets = text.First(all("mac tx-unicast", "mac tx-multicast", "mac tx-broadcast"), first("cpu packets transmitted", "logical packets transmitted"))
	p.InBroadcasts, p.OutBroadcasts = values["mac rx-broadcast"], values["mac tx-broadcast"]
	p.InMulticasts, p.OutMulticasts = values["mac rx-multicast"], values["mac tx-multicast"]
	p.InErrors = first("mac rx-error", "mac rx-errors", "cpu receive incoming errors")
	p.OutErrors = first("mac tx-error", "mac tx-errors", "cpu transmit errors")
	p.InDrops = text.First(text.Sum(values["cpu receive discarded"], values["cpu packets dropped"]), values["logical packets dropped"])
	p.OutDrops = first("mac tx-discard", "mac tx-discards", "cpu transmit discarded")
	p.UnknownProtos = values["cpu receive errors"]
	p.FCS = first("mac rx-crc-error", "mac rx-crc-errors", "mac rx-fcs-error")
	p.Alignment = first("mac rx-align-error", "mac rx-alignment-error")
	p.NoBuffer = first("mac rx-no-buffer", "mac rx-discard", "mac rx-discards")
	p.InPause, p.OutPause = first("mac rx-pause"), first("mac tx-pause")
}
