package linux

import (
	"slices"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// Statistics reads "ethtool -S NAME": the counters of a driver, under the driver's own names. The answer does not
// name the port, so it is given. Counters of a queue, and names that no driver shares, are facts.
func Statistics(output, port string, r *devices.Reading) {
	if port == "" || !strings.Contains(output, "NIC statistics:") {
		return
	}
	p := block.Port{}
	p.Name = port
	for line := range text.Each(output) {
		if label, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(value) != "" {
			block.Labelled(&p, strings.TrimSpace(label), strings.TrimSpace(value), statistics)
		}
	}
	into.Ports(r, []devices.Interface{p.Interface})
}

// statistics are the names of drivers: e1000e, igb, ixgbe, i40e, ice, r8169, tg3, bnxt_en, mlx4, mlx5.
var statistics = named(map[string]block.Where{
	"rx_crc_errors rx_crc_errors_phy rx_fcs_errors rx_crc_err port.rx_crc_errors rx_crc_errors.nic":              func(p *block.Port) *devices.Opt[devices.Counter] { return &p.FCS },
	"rx_align_errors align_errors rx_alignment_errors":                                                           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Alignment },
	"rx_symbol_err_phy rx_symbol_errors rx_symbol_err":                                                           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Symbol },
	"rx_undersize rx_undersize_packets rx_undersize_pkts_phy rx_undersize_frames rx_undersize.nic rx_short":      func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Runts },
	"rx_oversize rx_oversize_packets rx_oversize_pkts_phy rx_ovrsz_frames rx_oversize.nic rx_long_length_errors": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Giants },
	"rx_fragments rx_fragments_phy rx_frag_frames rx_fragments.nic":                                              func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Fragments },
	"rx_jabbers rx_jabbers_phy rx_jabber rx_jbr_frames rx_jabber.nic":                                            func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Jabbers },
	"rx_no_buffer_count rx_out_of_buffer rx_missed rx_no_dma_resources":                                          func(p *block.Port) *devices.Opt[devices.Counter] { return &p.NoBuffer },
	"rx_missed_errors": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Overrun }, // its FIFO ran over: it waited for the ring
	"rx_packets":       func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InPackets },
	"tx_packets":       func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutPackets },
	"rx_errors":        func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InErrors },
	"tx_errors":        func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutErrors },
	"rx_pause rx_pause_ctrl_phy rx_pause_frames rx_global_pause":                                    func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InPause },
	"tx_pause tx_pause_ctrl_phy tx_pause_frames tx_global_pause":                                    func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutPause },
	"rx_broadcast rx_broadcast_phy rx_bcast_frames rx_broadcast_packets rx_bcast_packets":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InBroadcasts },
	"tx_broadcast tx_broadcast_phy tx_bcast_frames tx_broadcast_packets tx_bcast_packets":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutBroadcasts },
	"rx_multicast rx_multicast_phy rx_mcast_frames rx_multicast_packets rx_mcast_packets multicast": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InMulticasts },
	"tx_multicast tx_multicast_phy tx_mcast_frames tx_multicast_packets tx_mcast_packets":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutMulticasts },
	"tx_late_collisions late_collisions tx_abort_late_coll":                                         func(p *block.Port) *devices.Opt[devices.Counter] { return &p.LateCollisions },
	"tx_deferred_ok tx_deferred":            func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Deferred },
	"tx_excessive_collisions tx_aborted":    func(p *block.Port) *devices.Opt[devices.Counter] { return &p.ExcessiveCollisions },
	"rx_discards_phy rx_discards":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InDrops },
	"tx_discards_phy tx_discards":           func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutDrops },
	"link_down_events_phy link_down_events": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.CarrierTransitions },
})

// named gives each of the names in a key an entry of its own.
func named(lists map[string]block.Where) map[string]block.Where {
	out := map[string]block.Where{}
	for names, w := range lists {
		for _, n := range strings.Fields(names) {
			out[n] = w
		}
	}
	return out
}

// Settings reads "ethtool NAME": speed and duplex, what is negotiated, and what the neighbour offered.
func Settings(output string, r *devices.Reading) {
	ports, unread := block.Platform{Header: settingsHeader, Line: setting, End: settingsEnd}.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

func settingsHeader(p *block.Port, line string) bool {
	name, ok := strings.CutPrefix(line, "Settings for ")
	p.Name = strings.TrimSuffix(name, ":")
	return ok && p.Name != "" && !strings.Contains(p.Name, " ")
}

// setting reads "Speed: 1000Mb/s". A list goes on in lines without a label; Section is the label of the list.
func setting(p *block.Port, line string, _ *text.Lines) bool {
	label, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if !ok {
		if p.Section != "" {
			modes(p, line)
		}
		return true // "drv probe link" below "Current message level"
	}
	p.Section = ""
	switch label {
	case "Speed":
		if v, ok := text.Rate(value); ok && v > 0 && v <= text.MaxSpeed {
			p.Speed = devices.Some(uint64(v))
		}
	case "Duplex":
		if v := strings.ToLower(value); v == "full" || v == "half" {
			p.Duplex = devices.Some(v)
		}
	case "Auto-negotiation":
		if value == "on" || value == "off" {
			p.Autoneg = devices.Some(value == "on")
		}
	case "Port":
		p.Media = devices.Some(value)
	case "Link detected":
		if word, _, _ := strings.Cut(value, " "); word == "yes" || word == "no" {
			p.Oper = devices.Some(map[string]string{"yes": "up", "no": "down"}[word])
		}
		p.Know("link_detected", value)
	case "Supported link modes", "Link partner advertised link modes":
		p.Section = label
		modes(p, value)
	default:
		p.Know(block.FactName(label), value)
	}
	return true
}

// modes reads "10baseT/Half 10baseT/Full 1000baseT/Full" of the list that Section names.
func modes(p *block.Port, s string) {
	for mode := range strings.FieldsSeq(s) {
		name, duplex, _ := strings.Cut(mode, "/")
		speed, ok := text.MediaSpeed(name)
		if !ok {
			continue
		}
		if p.Section == "Supported link modes" {
			p.SpeedMax = devices.Some(max(p.SpeedMax.Value, speed))
			continue
		}
		p.OfferedHalf = duplex == "Half" && (p.OfferedHalf || len(p.Offered) == 0)
		if !slices.Contains(p.Offered, speed) {
			p.Offered = append(p.Offered, speed)
		}
	}
}

func settingsEnd(p *block.Port) { slices.Sort(p.Offered) }
