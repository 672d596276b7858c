package extreme_exos

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// columns lists the titles of the tables of counters: the two lines of the header, joined.
var columns = map[string]func(i *devices.Interface) *devices.Opt[devices.Counter]{
	"Tx Pkt Count":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutPackets },
	"Tx Byte Count": func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutOctets },
	"Rx Pkt Count":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InPackets },
	"Rx Byte Count": func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InOctets },
	"Rx Pkt Bcast":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InBroadcasts },
	"Rx Pkt Mcast":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InMulticasts },
	"Tx Pkt Bcast":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutBroadcasts },
	"Tx Pkt Mcast":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutMulticasts },
	"Rx Crc":        func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.FCS },
	"Rx Over":       func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Giants },
	"Rx Under":      func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Runts },
	"Rx Frag":       func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Fragments },
	"Rx Jabber":     func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Jabbers },
	"Rx Align":      func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Alignment },
	"Rx Lost":       func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InDrops }, // for want of a buffer
	"Tx Coll":       func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Collisions },
	"Tx Late coll":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.LateCollisions },
	"Tx Deferred":   func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Deferred },
	"Tx Errors":     func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutErrors },
	"Tx Lost":       func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Underruns }, // not sent whole: the buffer ran dry
	"Packet Drop":   func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutDrops },
	"Packets Drop":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutDrops },
	"Tx Parity":     nil, // a fact
}

// ShowPortsCounters reads "show ports statistics", "show ports rxerrors", "show ports txerrors" and "show ports
// congestion", each with no-refresh.
func ShowPortsCounters(output string, r *devices.Reading) {
	var above []string // the first line of the header
	var titles []string
	var ports []devices.Interface
	for line := range text.Each(output) {
		f := strings.Fields(line)
		switch {
		case len(f) > 2 && f[0] == "Port" && f[1] == "Link":
			above = f[2:]
		case len(f) > 1 && f[0] == "State" && above != nil:
			titles, above = join(above, f[1:]), nil
		case len(titles) > 0:
			if p, ok := counterRow(f, titles); ok {
				ports = append(ports, p)
			}
		}
	}
	into.Ports(r, ports)
}

// join puts the two lines of a header together: above "Tx Pkt" or "Rx", below it "Count" or "Late coll".
func join(above, below []string) (titles []string) {
	above, below = pairs(above, "Pkt", "Byte"), pairs(below, "coll")
	if len(above) != len(below) {
		return nil
	}
	for n := range above {
		titles = append(titles, above[n]+" "+below[n])
	}
	return titles
}

// pairs puts the words that are the second of a title to the ones before them.
func pairs(f []string, seconds ...string) (out []string) {
	for _, w := range f {
		second := false
		for _, s := range seconds {
			second = second || w == s
		}
		if second && len(out) > 0 {
			out[len(out)-1] += " " + w
		} else {
			out = append(out, w)
		}
	}
	return out
}

// counterRow reads "1:5  A  0  0  12  0": the figures are the last ones of the row, since a port may have a name.
func counterRow(f, titles []string) (devices.Interface, bool) {
	n := len(f) - len(titles)
	if n < 2 || !block.IsPortName(f[0]) {
		return devices.Interface{}, false
	}
	p := block.Port{Interface: devices.Interface{Name: f[0]}}
	for k, title := range titles {
		counter := text.Count(f[n+k])
		where, known := columns[title]
		switch {
		case !known:
		case where == nil && counter.OK:
			p.Know("out_parity", f[n+k])
		case where != nil:
			text.SetOpt(where(&p.Interface), counter)
		}
	}
	linkState(&p, f[n-1])
	return p.Interface, true
}

// linkState reads the letters and the words for the state of a link.
func linkState(p *block.Port, word string) {
	switch strings.ToLower(word) {
	case "a", "active":
		text.Set(&p.Oper, "up")
	case "r", "ready":
		text.Set(&p.Oper, "down")
	case "np", "notpresent":
		text.Set(&p.Oper, "notPresent")
	case "l", "loopback":
		text.Set(&p.Oper, "testing")
	default:
		return
	}
	p.KnowOnce("link_state", word)
}

// ShowPortsInformation reads the table of "show ports information", without detail.
func ShowPortsInformation(output string, r *devices.Reading) {
	var ports []devices.Interface
	for line := range text.Each(output) {
		// The port, its flags, the link's state, ELSM and OAM ("- / -"), and five numbers.
		f := strings.Fields(strings.Replace(line, " / ", "/", 1))
		if len(f) < 10 || !block.IsPortName(f[0]) || !strings.Contains(f[3], "/") || f[1][0] != 'E' && f[1][0] != 'D' {
			continue
		}
		p := block.Port{Interface: devices.Interface{Name: f[0]}}
		p.Know("flags", f[1])
		p.Admin = devices.Some("up")
		if f[1][0] == 'D' {
			p.Admin = devices.Some("down")
		}
		linkState(&p, f[2])
		elsm, oam, _ := strings.Cut(f[3], "/")
		for n, name := range []string{"link_ups", "stp_domains", "vlans", "protocols", "jumbo_size", "qos_profile"} {
			p.Know(name, f[4+n])
		}
		p.Know("elsm", elsm)
		p.Know("oam", oam)
		p.Know("load_master", strings.Join(f[10:], " "))
		ports = append(ports, p.Interface)
	}
	into.Ports(r, ports)
}
