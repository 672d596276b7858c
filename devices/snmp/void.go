package snmp

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices/snmp/internal/oid"
)

// moment is how long it is believed that the agent has nothing in a stretch of the MIB.
const moment = 30 * time.Second

// void is a stretch of the MIB in which the agent has nothing: after from and before to (packed identifiers).
type void struct {
	from, to string
	at       time.Time
}

// inVoid says whether a walk a moment ago showed that there is nothing below the root.
func (s *session) inVoid(id string) bool {
	p, err := oid.Pack(id)
	if err != nil {
		return false
	}
	s.shelf.voids = slices.DeleteFunc(s.shelf.voids, func(v void) bool { return s.now().Sub(v.at) > moment })
	return slices.ContainsFunc(s.shelf.voids, func(v void) bool {
		return v.from < p && p < v.to && !strings.HasPrefix(v.to, p)
	})
}

// probe asks, many in a message, whether there is anything at all where the tables that are due would be, so that what a
// device lacks costs it next to nothing. What it can't answer so is left to the walks.
func (s *session) probe(ctx context.Context, wanted func(*Table) bool) {
	if s.client.Version == gosnmp.Version1 {
		return // one table that is not there would fail the whole message
	}
	var parents []string
	now := s.now()
	for n := range Tables {
		t := &Tables[n]
		if len(t.Roots) == 0 || !wanted(t) || !s.vendor(t) {
			continue
		}
		sh := &s.shelf.tables[n]
		if sh.at > 0 || sh.has || now.Before(sh.next) || now.Sub(sh.probed) < moment {
			continue
		}
		sh.probed = now
		for _, id := range t.Roots {
			if p := id[:strings.LastIndexByte(id, '.')]; !slices.Contains(parents, p) {
				parents = append(parents, p)
			}
		}
	}
	for _, b := range s.batches(group{ids: parents}) {
		p, _, err := s.try(ctx, getNext(b...), 1)
		if err != nil || p.Error != gosnmp.NoError {
			return
		}
		for n, v := range first(p.Variables, len(b)) {
			s.shelf.note(b[n], v, now)
		}
	}
}

// note keeps what GETNEXT of a parent tells: the stretch up to what follows is empty, or all of the parent is.
func (s *shelf) note(parent string, v gosnmp.SnmpPDU, now time.Time) {
	from, err := oid.Pack(parent)
	if err != nil {
		return
	}
	const beyond = "\xff\xff\xff\xff\xff" // greater than every arc
	to := from + beyond
	if v.Type != gosnmp.EndOfMibView {
		if to, err = oid.Pack(v.Name); err != nil || to <= from {
			return
		}
	}
	s.voids = append(s.voids, void{from, to, now})
}
