package fortios

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// DeviceInfo reads "diagnose hardware deviceinfo nic NAME": the counters of a port's driver. The answer of a network
// processor names the chip and not the port, so the port is given.
func DeviceInfo(output, port string, r *devices.Reading) {
	p := block.Port{}
	p.Name = port
	known := false
	for line := range text.Each(output) {
		if label, value, ok := cut(line); ok {
			known = info(&p, label, value) || known
		}
	}
	// A text of labels alone, such as any YAML, is no card: one that is tells its state or counts.
	if counts := p.Oper.OK || p.InPackets.OK || p.InOctets.OK || p.InErrors.OK; p.Name != "" && known && counts {
		into.Ports(r, []devices.Interface{p.Interface})
	}
}

// cut takes "Rx packets:  5", "Rx_Packets=5", "Rx Pkts  :5", "Link up" and "Current_HWaddr
// 00:00:5e:00:53:01" apart.
func cut(line string) (label, value string, ok bool) {
	if label, value, ok = strings.Cut(line, " "); ok {
		if _, mac := text.MAC(strings.TrimSpace(value)); mac {
			return block.FactName(label), strings.TrimSpace(value), true
		}
	}
	if i := strings.IndexAny(line, ":="); i > 0 {
		return block.FactName(line[:i]), strings.TrimSpace(line[i+1:]), true
	}
	return block.FactName(label), strings.TrimSpace(value), ok && !strings.HasPrefix(line, "=")
}

// info reads one value, and says whether it told anything of a port.
func info(p *block.Port, label, value string) bool {
	switch label {
	case "name", "system_device_name":
		if p.Name == "" {
			p.Name = value
		}
		return true
	case "state", "admin":
		if w := strings.ToLower(value); w == "up" || w == "down" {
			text.Set(&p.Admin, w)
		}
	case "link", "link_status":
		if w := strings.ToLower(value); w == "up" || w == "down" {
			text.Set(&p.Oper, w)
		}
	case "speed":
		rate(p, strings.ToLower(value))
	case "duplex":
		if w := strings.ToLower(value); w == "full" || w == "half" {
			text.Set(&p.Duplex, w)
		}
	case "mtu":
		if n, rest, ok := text.Uint32(value); ok && rest == "" {
			text.Set(&p.MTU, n)
		}
	case "auto", "autonego_setting":
		if value == "enabled" || value == "1" {
			text.Set(&p.Autoneg, true)
		} else if value == "disabled" || value == "0" {
			text.Set(&p.Autoneg, false)
		}
	case "hwaddr", "current_hwaddr":
		if m, ok := text.MAC(value); ok {
			p.MAC = m
		}
	default:
		return block.Labelled(p, label, value, counters)
	}
	return true
}

// rate reads the megabits of "1000full" and "1000".
func rate(p *block.Port, s string) {
	const mega = 1_000_000
	n, rest, ok := text.Uint32(s)
	if !ok || n == 0 || float64(n)*mega > text.MaxSpeed {
		return
	}
	switch rest {
	case "full", "half":
		text.Set(&p.Duplex, rest)
	case "":
	default:
		return
	}
	text.Set(&p.Speed, uint64(n)*mega)
}

var counters = map[string]block.Where{
	"rx_packets": inPackets, "rx_pkts": inPackets,
	"tx_packets": outPackets, "tx_pkts": outPackets,
	"rx_bytes":   func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InOctets },
	"tx_bytes":   func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutOctets },
	"rx_dropped": inDrops, "rx_drops": inDrops, "tx_dropped": outDrops, "tx_drops": outDrops,
	"rx_errors": inErrors, "rx_error": inErrors, "tx_errors": outErrors, "tx_error": outErrors,
	"rx_crc_err": fcs, "rx_crc_errors": fcs,
	"rx_frame_err": frame, "rx_frame_errors": frame, "rx_align_errors": frame,
	"rx_fifo_overrun": overrun, "rx_fifo_errors": overrun,
	"rx_missed_packets": noBuffer, "rx_missed_errors": noBuffer, "rx_no_buffer_count": noBuffer,
	"tx_aborted_err": excessive, "tx_aborted_errors": excessive,
	"tx_window_err": late, "tx_window_errors": late,
	"tx_carrier_err": carrier, "tx_carrier_errors": carrier,
	"tx_fifo_overrun": underruns, "tx_fifo_errors": underruns,
	"collisions": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Collisions },
	"multicasts": multicasts, "multicast": multicasts,
}

func inPackets(p *block.Port) *devices.Opt[devices.Counter]  { return &p.InPackets }
func outPackets(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutPackets }
func inDrops(p *block.Port) *devices.Opt[devices.Counter]    { return &p.InDrops }
func outDrops(p *block.Port) *devices.Opt[devices.Counter]   { return &p.OutDrops }
func inErrors(p *block.Port) *devices.Opt[devices.Counter]   { return &p.InErrors }
func outErrors(p *block.Port) *devices.Opt[devices.Counter]  { return &p.OutErrors }
func fcs(p *block.Port) *devices.Opt[devices.Counter]        { return &p.FCS }
func frame(p *block.Port) *devices.Opt[devices.Counter]      { return &p.Alignment }
func overrun(p *block.Port) *devices.Opt[devices.Counter]    { return &p.Overrun }
func noBuffer(p *block.Port) *devices.Opt[devices.Counter]   { return &p.NoBuffer }
func excessive(p *block.Port) *devices.Opt[devices.Counter]  { return &p.ExcessiveCollisions }
func late(p *block.Port) *devices.Opt[devices.Counter]       { return &p.LateCollisions }
func carrier(p *block.Port) *devices.Opt[devices.Counter]    { return &p.CarrierSense }
func underruns(p *block.Port) *devices.Opt[devices.Counter]  { return &p.Underruns }
func multicasts(p *block.Port) *devices.Opt[devices.Counter] { return &p.InMulticasts }
