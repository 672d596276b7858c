package snmp

import (
	"slices"
	"time"

	"whydrop/devices"
)

// fill puts what was given in this poll into the reading.
func (s *session) fill(r *devices.Reading) {
	if s.uptime.OK && s.hasUptime() {
		r.Clock = s.uptime
	}
	if s.first(sysName).heard() {
		s.system = devices.Some(system{s.first(sysName).text(), s.first(sysDescr).text(), s.first(sysObjectID).object()})
		s.enterprise = enterpriseOf(s.system.Value.object.Value)
	}
	r.SysName, r.SysDescr, r.SysObjectID = s.system.Value.name, s.system.Value.descr, s.system.Value.object
	if r.EngineBoot = s.boots(); !r.EngineBoot.OK {
		r.EngineBoot = s.first(snmpEngineBoots).gauge()
	}
	r.Bridge = bridge(s.first, s.view())
	r.Interfaces = s.interfaces(len(s.ports.ports))
	filled, uptime := 0, s.first(sysUpTime).gauge()
	for n := range s.ports.ports {
		if s.fillPort(&s.ports.ports[n], &r.Interfaces[filled], uptime) {
			filled++
		} else {
			r.Interfaces[filled] = devices.Interface{}
		}
	}
	r.Interfaces = r.Interfaces[:filled]
	s.regular.forget()
	byIndex := func(a, b devices.Interface) int { return int(int64(a.Index.Value) - int64(b.Index.Value)) }
	if !slices.IsSortedFunc(r.Interfaces, byIndex) {
		slices.SortStableFunc(r.Interfaces, byIndex)
	}
}

// interfaces returns empty interfaces, in memory that was given back where there is enough.
func (s *session) interfaces(n int) []devices.Interface {
	out := s.spare
	s.spare = nil
	if cap(out) < n {
		return make([]devices.Interface, n)
	}
	out = out[:n]
	clear(out)
	return out
}

// fillPort fills in a port's interface, which is empty; false if the device gave nothing of it.
func (s *session) fillPort(p *port, i *devices.Interface, uptime devices.Opt[uint32]) bool {
	i.Index, i.Name, i.SpeedMax = devices.Some(p.index), p.name, p.most
	any := false
	for _, x := range p.rows {
		x.table.FillPort(Row{p, x.cells, uptime}, i)
		any = any || slices.ContainsFunc(x.cells, func(v *value) bool { return v != nil && v.given() })
	}
	if !any {
		return false
	}
	i.Descr, i.Alias, i.MTU, i.MAC = p.descr, p.alias, p.mtu, p.mac
	if c := p.cells.state; c != nil {
		i.STPState = word(c.gauge(), stpStateWords)
	}
	if c := p.cells.role; c != nil {
		i.STPRole = word(c.gauge(), stpRoleWords)
	}
	if s.regular.made {
		s.supersede(uintText(p.index))
	}
	return true
}

// supersede stops asking for 32-bit counters whose 64-bit ones count.
func (s *session) supersede(index string) {
	now := time.Now()
	for hc, lcs := range superseded {
		v := s.regular.cell(hc + "." + index)
		if v == nil || v.counter().Value.Value == 0 {
			continue
		}
		for _, lc := range lcs {
			s.objects.skip(lc+"."+index, now)
		}
	}
}

// fillTexts keeps what was read of the ports' texts.
func (s *session) fillTexts() {
	for n := range s.ports.ports {
		p := &s.ports.ports[n]
		c := &p.cells
		if c.alias != nil && c.alias.heard() {
			p.alias = c.alias.text().Value
		}
		if c.descr != nil {
			p.descr = c.descr.text().Or(p.descr)
		}
		if c.mtu != nil && c.mtu.gauge().OK {
			p.mtu = c.mtu.gauge()
		}
		if c.phys != nil {
			if m := (Cell{value: *c.phys}).MAC(); m != "" {
				p.mac = m
			}
		}
		p.most = p.offers()
	}
}

// offers returns the speed that the port's names say its hardware has.
func (p *port) offers() devices.Opt[uint64] {
	for _, n := range []string{p.found, p.descr, p.name} {
		if o := devices.PortOffers(n); o.OK {
			return o
		}
	}
	return devices.None[uint64]()
}
