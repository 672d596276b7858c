package snmp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/internal/oid"
)

// portMap says which row of the interface table is which port. Indexes may move when a device restarts, so names
// are checked in every poll.
type portMap struct {
	ports []port            // the wanted ports that were found, in the order of the site file
	names map[uint32]string // every ifIndex: ifName, or ifDescr where there is none
	base  map[uint32]uint32 // bridge port: ifIndex (dot1dBasePortIfIndex)
	roles map[uint32]string // bridge port: the part of a role's index before the port
	err   error             // ports that were not found, or walks cut short; wraps devices.ErrPartial
	at    time.Time         // when the map was made; zero: never
	stale bool              // to be made again
	long  bool              // a table came to no end: not to be walked again soon
}

// port is one wanted port.
type port struct {
	name  string // as in the site file
	index uint32
	check string // the identifier of its name
	found string // the name as the device spells it
	descr string
	alias string
	mac   string
	mtu   devices.Opt[uint32]
	most  devices.Opt[uint64] // bit/s that its names say its hardware has
	rows  []portRow           // of the tables of counters that the device has something in
	cells portCells
}

// portRow is a port's row in a table of counters.
type portRow struct {
	table *Table
	index string
	cells []*value // by column, in the plans; nil or none: not there
}

// portCells are a port's values in the plans that are in no table of counters; nil: not there.
type portCells struct {
	check, state, role      *value // read with the clock
	alias, descr, mtu, phys *value // read now and then
}

// remapPause is how long a map whose ports are incomplete, or that a device invites to make again, is kept.
const remapPause = 15 * time.Second

// longPause is the same where a table came to no end.
const longPause = 2 * time.Minute

// pause returns how long the map is kept although it is incomplete.
func (m *portMap) pause() time.Duration {
	if m.long {
		return longPause
	}
	return remapPause
}

// contact finds the wanted ports. What is wrong with some of them stands in the map; an error means that there is
// no map.
func (s *session) contact(ctx context.Context) error {
	m := portMap{names: map[uint32]string{}, at: time.Now()}
	want := s.device.Watched()
	var notes []error
	var found map[string]match
	var seen candidates
	until := time.Now().Add(nameTime)
	for _, c := range []struct {
		table Table
		col   int
	}{{ifXTable, ifName}, {ifTable, ifDescr}, {ifXTable, ifAlias}} {
		rows, err := s.walk(ctx, c.table.Entry+"."+strconv.Itoa(c.col), until)
		m.long = m.long || errors.Is(err, errEndless)
		if err != nil && !errors.Is(err, devices.ErrPartial) {
			return err
		}
		if err != nil {
			if e := (*Error)(nil); over(ctx) != nil && errors.As(err, &e) {
				return &Error{Device: e.Device, Text: e.Text, Err: fmt.Errorf("%w: %w", devices.ErrTimeout, over(ctx))}
			}
			notes = append(notes, err)
		}
		seen.add(rows, c.table, c.col, m.names)
		if found = seen.match(want); m.long || len(found) == len(want) && !ambiguous(found) {
			break
		}
	}
	if len(m.names) == 0 && len(notes) > 0 {
		return notes[0]
	}
	for _, name := range want {
		f, ok := found[name]
		switch {
		case !ok:
			notes = append(notes, s.missing(name, seen.rows))
		case len(f.rows) > 1:
			notes = append(notes, s.several(name, f.rows))
		default:
			m.ports = append(m.ports, f.rows[0].port(name))
		}
	}
	if err := s.contactBridge(ctx, &m); err != nil {
		notes = append(notes, err)
	}
	m.err = s.joined(notes)
	s.ports = m
	s.objects.init()
	return nil
}

// joined makes one error of several.
func (s *session) joined(notes []error) error {
	if len(notes) == 0 {
		return nil
	}
	out := &Error{Device: s.device.Name, Err: devices.ErrPartial}
	var texts []string
	for _, n := range notes {
		var e *Error
		if errors.As(n, &e) {
			texts = append(texts, e.Text)
			out.Keys = append(out.Keys, e.Keys...)
			continue
		}
		texts = append(texts, n.Error())
	}
	out.Keys = slices.Compact(out.Keys)
	out.Text = strings.Join(texts, "; ")
	return out
}

// candidate is one row of the interface table while ports are looked for.
type candidate struct {
	index              uint32
	name, descr, alias string
}

func (c candidate) port(wanted string) port {
	p := port{name: wanted, index: c.index, descr: c.descr, alias: c.alias, found: c.name}
	i := "." + strconv.FormatUint(uint64(c.index), 10)
	p.check = column(ifXTable, ifName) + i
	if c.name == "" {
		p.check, p.found = column(ifTable, ifDescr)+i, c.descr
	}
	p.most = p.offers()
	return p
}

// candidates are the rows of the interface table, in the order of the walk.
type candidates struct {
	rows []candidate
	at   map[uint32]int // by ifIndex, which may be any number of 32 bits
}

// add adds a walked column to the rows, and to the names where there is none yet.
func (cs *candidates) add(rows []row, t Table, col int, names map[uint32]string) {
	if cs.at == nil {
		cs.at = map[uint32]int{}
	}
	for _, r := range rows {
		arcs := oid.Arcs(r.index)
		if len(arcs) != 1 {
			continue // not the table it should be
		}
		at, ok := cs.at[arcs[0]]
		if !ok {
			at = len(cs.rows)
			cs.at[arcs[0]] = at
			cs.rows = append(cs.rows, candidate{index: arcs[0]})
		}
		v := r.value.text().Value
		c := &cs.rows[at]
		switch column(t, col) {
		case column(ifXTable, ifName):
			c.name = v
		case column(ifTable, ifDescr):
			c.descr = v
		default:
			c.alias = v
			continue
		}
		if names[c.index] == "" {
			names[c.index] = v
		}
	}
}

// match is what was found under a wanted name.
type match struct{ rows []candidate }

func ambiguous(found map[string]match) bool {
	for _, f := range found {
		if len(f.rows) != 1 {
			return true
		}
	}
	return false
}

// match looks for each wanted name: as ifName, as ifDescr, in the long or short spelling of either, as ifAlias, as a name
// that says less or more than either (devices.AlikePorts), and as "ifIndex N". The first that finds any decides.
func (cs *candidates) match(want []string) map[string]match {
	out := map[string]match{}
	for _, name := range want {
		key := devices.PortKey(name)
		for _, same := range []func(candidate) bool{
			func(c candidate) bool { return c.name == name },
			func(c candidate) bool { return c.descr == name },
			func(c candidate) bool { return c.name != "" && devices.PortKey(c.name) == key },
			func(c candidate) bool { return c.descr != "" && devices.PortKey(c.descr) == key },
			func(c candidate) bool { return c.alias == name },
			func(c candidate) bool { return devices.AlikePorts(c.name, name) || devices.AlikePorts(c.descr, name) },
			func(c candidate) bool { return "ifIndex "+strconv.FormatUint(uint64(c.index), 10) == name },
		} {
			var m match
			for _, c := range cs.rows {
				if same(c) {
					m.rows = append(m.rows, c)
				}
			}
			if len(m.rows) > 0 {
				out[name] = m
				break
			}
		}
	}
	return out
}

// several says that a name stands for more than one row.
func (s *session) several(name string, rows []candidate) error {
	var list []string
	for _, c := range rows {
		list = append(list, fmt.Sprintf("%q", "ifIndex "+strconv.FormatUint(uint64(c.index), 10)))
	}
	return &Error{
		Device: s.device.Name, Keys: []string{"ports"}, Err: devices.ErrPartial,
		Text: fmt.Sprintf("port %q is ambiguous: %d ports have this name; write one of %s", name, len(rows), some(list)),
	}
}

// missing says that a name was not found, with those most like it.
func (s *session) missing(name string, rows []candidate) error {
	e := &Error{Device: s.device.Name, Keys: []string{"ports"}, Err: devices.ErrPartial}
	if len(rows) == 0 {
		e.Text = fmt.Sprintf("port %q not found: the device shows no ports at all", name)
		return e
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b candidate) int { return likeness(b, name) - likeness(a, name) })
	var list []string
	for _, c := range rows {
		n := c.name
		if n == "" {
			n = c.descr
		}
		if n != "" {
			list = append(list, strconv.Quote(n))
		}
	}
	e.Text = fmt.Sprintf("port %q not found; the device has %s", name, some(list))
	return e
}

// some joins the first names of a list.
func some(list []string) string {
	const most = 6
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}

// likeness counts what two names share at both ends, as keys.
func likeness(c candidate, want string) int {
	best := 0
	w := devices.PortKey(want)
	for _, n := range []string{c.name, c.descr} {
		k := devices.PortKey(n)
		common := 0
		for common < min(len(k), len(w)) && k[common] == w[common] {
			common++
		}
		tail := 0
		for tail < min(len(k), len(w))-common && k[len(k)-1-tail] == w[len(w)-1-tail] {
			tail++
		}
		best = max(best, common+2*tail) // the number at the end tells more than the type
	}
	return best
}
