package paloalto_panos

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// Interfaces reads "show interface all", "show interface hardware" and "show interface logical": the table of ports,
// that of the interfaces on them, and which ports an aggregate has.
func Interfaces(output string, r *devices.Reading) {
	var t tables
	for line := range text.Each(output) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0, strings.HasPrefix(line, "total configured "), strings.HasPrefix(line, "aggregation groups:"), strings.Trim(line, "- ") == "":
		case f[0] == "name":
			t.logical = strings.Contains(line, " vsys ")
			t.began = true
		case len(f) == 2 && f[1] == "members:":
			t.aggregate(r, f[0])
		case !t.began:
		case t.group != nil && block.IsPortName(f[0]) && !t.logical && !isRow(f):
			for _, name := range f {
				t.group.Members = append(t.group.Members, devices.Member{Port: name})
			}
		case t.logical && len(f) == 1:
			if t.last != nil && strings.Contains(f[0], "/") {
				t.last.KnowOnce("ip_2", f[0]) // a further address
			}
		case t.logical:
			t.logicalRow(f)
		case isRow(f):
			t.hardwareRow(f)
		default:
			into.Unread(r, line)
		}
	}
	for _, p := range t.ports {
		into.Ports(r, []devices.Interface{p.Interface})
	}
}

// tables are what the tables of one answer say of ports.
type tables struct {
	logical, began bool
	ports          []*block.Port
	last           *block.Port
	group          *devices.Aggregate
}

// port returns the port of that name, which two tables may be about.
func (t *tables) port(name string) *block.Port {
	for _, p := range t.ports {
		if p.Name == name {
			t.last = p
			return p
		}
	}
	t.last = &block.Port{}
	t.last.Name = name
	t.ports = append(t.ports, t.last)
	return t.last
}

// aggregate begins the list of the members of an aggregate.
func (t *tables) aggregate(r *devices.Reading, name string) {
	r.Aggregates = append(r.Aggregates, devices.Aggregate{Port: name})
	t.group = &r.Aggregates[len(r.Aggregates)-1]
}

// isRow says whether the words are a row of the table of ports: a name, a number, and what has a slash.
func isRow(f []string) bool {
	if len(f) < 4 {
		return false
	}
	_, rest, ok := text.Uint32(f[1])
	return ok && rest == "" && strings.Contains(f[2], "/")
}

// hardwareRow reads "ethernet1/1  64  1000/full/up/auto  00:00:5e:00:53:01".
func (t *tables) hardwareRow(f []string) {
	p := t.port(f[0])
	p.KnowOnce("id", f[1])
	link(p, f[2])
	if m, ok := text.MAC(f[3]); ok {
		p.MAC = m
	}
}

// link reads "1000/full/up/auto", "ukn/ukn/down(autoneg)" and "[n/a]/[n/a]/up/[n/a]": megabits, duplex, state, and
// the error correction of newer releases.
func link(p *block.Port, s string) {
	const none, plain, mega = "[n/a]", "\x00", 1_000_000
	for i, word := range strings.Split(strings.ReplaceAll(s, none, plain), "/") {
		word = strings.ReplaceAll(word, plain, none)
		switch i {
		case 0:
			p.KnowOnce("speed", word)
			if n, rest, ok := text.Uint32(word); ok && rest == "" && n > 0 && float64(n)*mega <= text.MaxSpeed {
				text.Set(&p.Speed, uint64(n)*mega)
			}
		case 1:
			p.KnowOnce("duplex", word)
			if word == "full" || word == "half" {
				text.Set(&p.Duplex, word)
			}
		case 2:
			p.KnowOnce("state", word)
			if state, _, _ := strings.Cut(word, "("); state == "up" || state == "down" {
				text.Set(&p.Oper, state)
			}
		case 3:
			p.KnowOnce("fec", word)
		}
	}
}

// logicalRow reads "ethernet1/2.100  275  1  ISP1  vr:default  100  192.0.2.1/30", in which the zone may be missing.
func (t *tables) logicalRow(f []string) {
	const fewest, behind = 6, 3
	if len(f) < fewest {
		return
	}
	n := len(f)
	p := t.port(f[0])
	p.KnowOnce("id", f[1])
	p.KnowOnce("vsys", f[2])
	p.KnowOnce("zone", strings.Join(f[3:n-behind], " "))
	p.KnowOnce("forwarding", f[n-3])
	p.KnowOnce("tag", f[n-2])
	p.KnowOnce("ip", f[n-1])
}
