package snmp

import (
	"slices"
	"time"

	"github.com/gosnmp/gosnmp"
)

// What is asked for in a poll: headGroups first, then liveGroups and counterGroups, and textGroups now and then.

// Octets of the longest values of a type, with a leading zero (X.690, section 8.3).
const (
	counter32 = 5
	counter64 = 9
)

// headGroups are the objects that are read first, and together with sysUpTime where they fit.
func (s *session) headGroups() []group {
	now := time.Now()
	wanted := func(ids ...string) group {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" || !s.objects.wanted(id, now) })
		return group{ids, counter32}
	}
	groups := []group{{[]string{sysUpTime}, counter32}, wanted(ifTableLastChange)}
	if s.client.Version != gosnmp.Version3 {
		groups = append(groups, wanted(snmpEngineBoots))
	}
	for _, p := range s.ports.ports {
		i := "." + uintText(p.index)
		groups = append(groups, group{ids: []string{p.check}}) // also if it was not given: it may come back
		state, role := s.ports.stpObjects(p.index)
		groups = append(groups, wanted(column(ifTable, ifOperStatus)+i, column(ifTable, ifLastChange)+i, state, role))
	}
	tree := wanted(slices.Clone(stpScalars)...)
	tree.most = 0 // identifiers of bridges are longer
	groups = append(groups, tree)
	if !s.system.OK {
		groups = append(groups, group{ids: []string{sysName, sysDescr, sysObjectID}})
	}
	return groups
}

// counterGroups are the other objects of the ports.
func (s *session) counterGroups() (groups []group) {
	now := time.Now()
	for n := range s.ports.ports {
		p := &s.ports.ports[n]
		p.rows = p.rows[:0]
		for n := range Tables {
			t := &Tables[n]
			row := s.rowOf(t, p.index)
			if row == "" {
				continue
			}
			any := t.Entry == ifTable.Entry // some of it is read with the clock
			for _, columns := range t.Columns {
				g := s.columnGroup(t, columns, row, now)
				groups = append(groups, g)
				any = any || len(g.ids) > 0
			}
			if any {
				p.rows = append(p.rows, portRow{table: t, index: row})
			}
		}
	}
	return groups
}

// columnGroup is what is wanted of a row's columns.
func (s *session) columnGroup(t *Table, columns []int, row string, now time.Time) (g group) {
	for _, col := range columns {
		id := column(*t, col)
		if id == column(ifTable, ifOperStatus) || id == column(ifTable, ifLastChange) {
			continue // read with the clock
		}
		wide := slices.Contains(t.Wide, col)
		if wide && s.client.Version == gosnmp.Version1 {
			continue // RFC 2576, section 4.2.2.1: SNMPv1 has no Counter64
		}
		if id += "." + row; !s.objects.wanted(id, now) {
			continue
		}
		g.ids = append(g.ids, id)
		switch {
		case t.Vendors != nil: // may have texts
		case wide:
			g.most = counter64
		default:
			g.most = max(g.most, counter32)
		}
	}
	return g
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

// liveGroups are the objects of states that are read in every poll.
func (s *session) liveGroups() (groups []group) {
	now, v := time.Now(), s.view()
	s.live = s.live[:0]
	for n := range Tables {
		t := &Tables[n]
		sh := &s.shelf.tables[n]
		if !sh.has {
			continue
		}
		for _, root := range t.Live {
			var g group
			for k, c := range s.shelf.cells[root] {
				if len(g.ids) >= liveMost {
					break
				}
				if t.LiveRow != nil && !t.LiveRow(v, c.Index) {
					continue
				}
				if id := root + "." + dotted(c.Index); s.objects.wanted(id, now) {
					g.ids = append(g.ids, id)
					s.live = append(s.live, liveCell{table: sh, root: root, row: k, id: id})
				}
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// textGroups are what is read of the ports now and then.
func (s *session) textGroups() (groups []group) {
	now := time.Now()
	for n := range s.ports.ports {
		var g group
		i := "." + uintText(s.ports.ports[n].index)
		for _, id := range []string{column(ifXTable, ifAlias) + i, column(ifTable, ifDescr) + i, column(ifTable, ifMTU) + i, column(ifTable, ifPhysAddress) + i} {
			if s.objects.wanted(id, now) {
				g.ids = append(g.ids, id)
			}
		}
		groups = append(groups, g)
	}
	return groups
}
