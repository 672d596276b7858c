package snmp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// Scalars of a device as a whole.
const (
	sysDescr          = "1.3.6.1.2.1.1.1.0"      // SNMPv2-MIB, RFC 3418
	sysObjectID       = "1.3.6.1.2.1.1.2.0"      //
	sysUpTime         = "1.3.6.1.2.1.1.3.0"      //
	sysName           = "1.3.6.1.2.1.1.5.0"      //
	ifTableLastChange = "1.3.6.1.2.1.31.1.5.0"   // IF-MIB, RFC 2863
	snmpEngineBoots   = "1.3.6.1.6.3.10.2.1.2.0" // SNMP-FRAMEWORK-MIB, RFC 3411
)

// poll reads everything that is wanted of the device once.
func (s *session) poll(ctx context.Context) (devices.Reading, error) {
	s.exchange++
	r := devices.Reading{
		Device: s.device.Name, Span: timeline.Span{From: time.Now()},
		Origin: timeline.Origin{Collector: "snmp:" + s.device.Name, Exchange: s.exchange},
	}
	values := s.values
	err := s.readHead(ctx, values)
	if err == nil && !s.hasUptime(values) {
		err = &Error{Device: s.device.Name, Text: "the agent answers but does not show sysUpTime: its access control (view) hides the system group", Keys: []string{"snmp.community", "snmp.user"}, Err: devices.ErrUnsupported}
	}
	if err == nil || errors.Is(err, devices.ErrPartial) {
		groups := func() [][]string { return append(s.liveGroups(), s.counterGroups()...) }
		s.carry(ctx, s.current(&s.regular, groups), values, func(_ int, _ timeline.Span, err2 error) bool {
			if err2 != nil {
				err = s.cut(err2)
			}
			return err2 == nil || errors.Is(err2, devices.ErrPartial) // after another, the next one would only wait as long again
		})
		if s.hasUptime(values) { // finding the ports and lost datagrams are no part of it
			r.Span.From = s.uptime.Value.Span.From
		}
		if s.alive(err) {
			s.readVLANs(ctx, &r)
		}
		r.Span.To = time.Now() // the walks of other tables are no part of it
		s.liven(values)
		s.fill(&r, values)
		if s.alive(err) {
			until := time.Now().Add(s.budget(r.Span.From))
			r.Missing = s.walkTables(ctx, until, func(*Table) bool { return true })
			s.searchVLANs(ctx, until)
			s.follow(ctx, &r)
		}
		s.fillTables(&r)
		if err == nil {
			err = s.gone(r)
		}
	} else {
		r.Span.To = time.Now()
	}
	r.Span.From, r.Span.To = r.Span.From.UTC(), r.Span.To.UTC()
	if s.any != nil {
		if from, ok := s.any.elsewhere(); ok {
			r.AnsweredFrom = from.String()
		}
	}
	return r, err
}

// budget returns how long the walks of this poll may take: a fifth of the time between two polls, so that a device that is
// asked often is not found slow for what it is asked once.
func (s *session) budget(began time.Time) time.Duration {
	const least = 20 * time.Millisecond
	before := s.polled
	if s.polled = began; before.IsZero() {
		return walkBudget
	}
	return min(walkBudget, max(least, began.Sub(before)/5))
}

// alive says whether a device answered to the end of a poll, so that it may be asked for more.
func (s *session) alive(err error) bool {
	return !s.ports.long && (err == nil || errors.Is(err, devices.ErrPartial) && !errors.Is(err, devices.ErrTimeout))
}

// cut says that a poll ended before its end.
func (s *session) cut(err error) error {
	var e *Error
	if !errors.As(err, &e) || errors.Is(err, devices.ErrPartial) {
		return err
	}
	out := *e
	out.Text, out.Err = "answer cut short: "+e.Text, fmt.Errorf("%w: %w", devices.ErrPartial, e.Err)
	return &out
}

// gone says which of the watched ports are not in the reading.
func (s *session) gone(r devices.Reading) error {
	if s.ports.err != nil {
		return s.ports.err
	}
	there := make(map[string]bool, len(r.Interfaces))
	for i := range r.Interfaces {
		there[r.Interfaces[i].Name] = true
	}
	for _, p := range s.ports.ports {
		if !there[p.name] {
			return &Error{Device: s.device.Name, Text: fmt.Sprintf("port %q is gone from the interface table", p.name), Err: devices.ErrPartial}
		}
	}
	return nil
}

// readHead reads the device's clock together with what says whether the map of ports still holds, and makes the map
// where it does not.
func (s *session) readHead(ctx context.Context, values map[string]gosnmp.SnmpPDU) error {
	if s.mapDue() {
		if err := s.contact(ctx); err != nil {
			return err
		}
		s.uptime, s.changed = devices.None[devices.Clock](), devices.None[uint32]()
	}
	for again := false; ; again = true {
		clear(values)
		var failed error
		s.carry(ctx, s.current(&s.head, s.headGroups), values, func(n int, span timeline.Span, err error) bool {
			if failed = err; err == nil && n == 0 {
				s.clock(values, span)
			}
			return err == nil
		})
		if failed != nil {
			return failed
		}
		if again || s.mapHolds(values) {
			return nil
		}
		if err := s.contact(ctx); err != nil {
			return err
		}
	}
}

// mapDue says whether the ports have to be looked for before anything else.
func (s *session) mapDue() bool {
	m := &s.ports
	return m.at.IsZero() || (m.err != nil || m.stale) && time.Since(m.at) > m.pause()
}

// clock notes sysUpTime and whether it fell since the last poll: the agent may have numbered its ports anew.
func (s *session) clock(values map[string]gosnmp.SnmpPDU, span timeline.Span) {
	ticks := number(values[sysUpTime])
	if !ticks.OK {
		return
	}
	now := devices.Clock{Ticks: ticks.Value, Span: timeline.Span{From: span.From.UTC(), To: span.To.UTC()}}
	if s.uptime.OK && s.uptime.Value.Restarted(now) {
		s.restarted = true
		s.system = devices.None[system]()
		s.shelf.init()
	}
	s.uptime = devices.Some(now)
}

func (s *session) hasUptime(values map[string]gosnmp.SnmpPDU) bool {
	return number(values[sysUpTime]).OK
}

// mapHolds says whether the ports are still where they were. A change of ifTableLastChange alone makes the map
// stale, but not more often than remapPause: some agents count every change of a link.
func (s *session) mapHolds(values map[string]gosnmp.SnmpPDU) bool {
	holds := !s.restarted
	s.restarted = false
	for _, p := range s.ports.ports {
		if v, ok := values[p.check]; ok {
			if t, is := text(v); is && given(v) && t != p.found || !given(v) && time.Since(s.ports.at) > s.ports.pause() {
				holds = false
			}
		}
	}
	if c := number(values[ifTableLastChange]); c.OK {
		if s.changed.OK && s.changed != c {
			s.ports.stale = true
		}
		s.changed = c
	}
	return holds
}

// headGroups are the objects that are read first, and together with sysUpTime where they fit.
func (s *session) headGroups() [][]string {
	now := time.Now()
	first := []string{sysUpTime}
	add := func(ids ...string) {
		for _, id := range ids {
			if id != "" && s.objects.wanted(id, now) {
				first = append(first, id)
			}
		}
	}
	add(ifTableLastChange)
	if s.client.Version != gosnmp.Version3 {
		add(snmpEngineBoots)
	}
	groups := [][]string{}
	for _, p := range s.ports.ports {
		i := "." + uintText(p.index)
		first = append(first, p.check) // also if it was not given: it may come back
		add(column(ifTable, ifOperStatus)+i, column(ifTable, ifLastChange)+i)
		add(s.ports.stpObjects(p.index))
	}
	add(stpScalars...)
	groups = append(groups, first)
	if !s.system.OK {
		groups = append(groups, []string{sysName, sysDescr, sysObjectID})
	}
	return groups
}

// counterGroups are the other objects of the ports.
func (s *session) counterGroups() [][]string {
	now := time.Now()
	var groups [][]string
	for n := range s.ports.ports {
		p := &s.ports.ports[n]
		p.rows = p.rows[:0]
		i := "." + uintText(p.index)
		for n := range Tables {
			t := &Tables[n]
			row := s.rowOf(t, p.index)
			if row == "" {
				continue
			}
			any := t.Entry == ifTable.Entry // some of it is read with the clock
			for _, g := range t.Columns {
				var ids []string
				for _, col := range g {
					id := column(*t, col)
					if id == column(ifTable, ifOperStatus) || id == column(ifTable, ifLastChange) {
						continue // read with the clock
					}
					if s.client.Version == gosnmp.Version1 && slices.Contains(t.Wide, col) {
						continue // RFC 2576, section 4.2.2.1: SNMPv1 has no Counter64
					}
					if id += "." + row; s.objects.wanted(id, now) {
						ids = append(ids, id)
					}
				}
				groups = append(groups, ids)
				any = any || len(ids) > 0
			}
			if any {
				p.rows = append(p.rows, portRow{table: t, index: row})
			}
		}
		if now.After(p.next) {
			groups = append(groups, []string{column(ifXTable, ifAlias) + i, column(ifTable, ifDescr) + i, column(ifTable, ifMTU) + i, column(ifTable, ifPhysAddress) + i})
		}
	}
	return groups
}

// rowOf returns the index of a port's row in a table of counters; "" if it has none.
func (s *session) rowOf(t *Table, ifIndex uint32) string {
	switch {
	case t.FillPort == nil || !s.vendor(t):
		return ""
	case t.Index != nil:
		return t.Index(s.view(), ifIndex)
	}
	return uintText(ifIndex)
}

// slowly is how often the texts of a port are read again.
const slowly = time.Minute

// fill puts the values into the reading.
func (s *session) fill(r *devices.Reading, values map[string]gosnmp.SnmpPDU) {
	if s.uptime.OK && s.hasUptime(values) {
		r.Clock = s.uptime
	}
	if _, asked := values[sysName]; asked {
		s.system = devices.Some(system{words(values[sysName]), words(values[sysDescr]), object(values[sysObjectID])})
		s.enterprise = enterpriseOf(s.system.Value.object.Value)
	}
	r.SysName, r.SysDescr, r.SysObjectID = s.system.Value.name, s.system.Value.descr, s.system.Value.object
	if r.EngineBoot = s.boots(); !r.EngineBoot.OK {
		r.EngineBoot = number(values[snmpEngineBoots])
	}
	r.Bridge = bridge(values, s.view())
	r.Interfaces = make([]devices.Interface, 0, len(s.ports.ports))
	for n := range s.ports.ports {
		r.Interfaces = append(r.Interfaces, devices.Interface{})
		if last := len(r.Interfaces) - 1; !s.fillPort(&s.ports.ports[n], &r.Interfaces[last], values) {
			r.Interfaces = r.Interfaces[:last]
		}
	}
	sort.SliceStable(r.Interfaces, func(a, b int) bool { return r.Interfaces[a].Index.Value < r.Interfaces[b].Index.Value })
}

// fillPort fills in a port's interface, which is empty; false if the device gave nothing of it.
func (s *session) fillPort(p *port, i *devices.Interface, values map[string]gosnmp.SnmpPDU) bool {
	index := uintText(p.index)
	*i = devices.Interface{Index: devices.Some(p.index), Name: p.name, SpeedMax: offers(p)}
	any := false
	for _, x := range p.rows {
		row := Row{x.table.Entry, x.index, values, s.regular.flat, x.slots}
		x.table.FillPort(row, i)
		for _, g := range x.table.Columns {
			any = any || slices.ContainsFunc(g, func(col int) bool { _, ok := row.pdu(col); return ok })
		}
	}
	if !any {
		return false
	}
	if v, ok := values[column(ifXTable, ifAlias)+"."+index]; ok {
		p.alias, _ = text(v)
		p.next = time.Now().Add(slowly)
	}
	if t, ok := text(values[column(ifTable, ifDescr)+"."+index]); ok {
		p.descr = t
	}
	if n := number(values[column(ifTable, ifMTU)+"."+index]); n.OK {
		p.mtu = n
	}
	if m := (Cell{value: values[column(ifTable, ifPhysAddress)+"."+index]}).MAC(); m != "" {
		p.mac = m
	}
	i.Descr, i.Alias, i.MTU, i.MAC = p.descr, p.alias, p.mtu, p.mac
	state, role := s.ports.stpObjects(p.index)
	if w := word(number(values[state]), stpStateWords); w.OK {
		i.STPState = w
	}
	if w := word(number(values[role]), stpRoleWords); w.OK {
		i.STPRole = w
	}
	if s.regular.made {
		s.supersede(index, values)
	}
	return true
}

// offers returns the speed that the port's names say its hardware has.
func offers(p *port) devices.Opt[uint64] {
	for _, n := range []string{p.found, p.descr, p.name} {
		if o := devices.PortOffers(n); o.OK {
			return o
		}
	}
	return devices.None[uint64]()
}

// supersede stops asking for 32-bit counters whose 64-bit ones count.
func (s *session) supersede(index string, values map[string]gosnmp.SnmpPDU) {
	now := time.Now()
	for hc, lcs := range superseded {
		c := counter(values[hc+"."+index])
		if !c.OK || c.Value.Value == 0 {
			continue
		}
		for _, lc := range lcs {
			s.objects.skip(lc+"."+index, now)
		}
	}
}
