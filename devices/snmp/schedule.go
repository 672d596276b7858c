package snmp

import (
	"context"
	"errors"
	"hash/fnv"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

const (
	// absentFor is how long a table that a device lacks is not asked again.
	absentFor = 10 * time.Minute
	// failedFor is the same for a table that was not given to its end.
	failedFor = 2 * time.Minute
	// walkBudget is how long the walks of one poll may take, beyond the request that is under way.
	walkBudget = 200 * time.Millisecond
	// liveMost is how many rows of one table of states are read in each poll.
	liveMost = 64
)

// now is the time by which tables are due.
func (s *session) now() time.Time {
	if s.due != nil {
		return s.due()
	}
	return time.Now()
}

// shelf is what a session knows of its device's tables.
type shelf struct {
	cells  map[string][]Cell // by root
	roots  map[string]*root
	tables []shelved // as Tables
	voids  []void
	// version changes when other rows are to be read in every poll than before.
	version uint64

	vlanTrees   []*vlanTree
	databases   map[uint32]uint32 // forwarding databases: VLAN
	databasesAt time.Time
	homes       map[netip.Addr]string // where the neighbour cache has an address
}

func (s *shelf) init() {
	*s = shelf{cells: map[string][]Cell{}, roots: map[string]*root{}, tables: make([]shelved, len(Tables)), version: s.version + 1}
}

// root is the walk of one root.
type root struct {
	walk *walker   // under way; nil: none
	at   time.Time // when it was last walked
	err  error     // why it was not walked to its end
}

// shelved is what is known of one table.
type shelved struct {
	next   time.Time // when it is walked again
	at     int       // the next of its roots; 0: no walk is under way
	begun  time.Time // of the walk that is under way
	has    bool      // it has rows
	fresh  bool      // read since it was last put into a reading
	absent bool      // it was found to be absent, which was said
	probed time.Time // when it was last asked for as a whole
}

func (s *session) view() View {
	return View{cells: s.shelf.cells, ports: &s.ports, vlanTrees: s.shelf.vlanTrees}
}

// vendor says whether the table is one that such a device may have.
func (s *session) vendor(t *Table) bool {
	return t.Vendors == nil || s.enterprise == 0 || slices.Contains(t.Vendors, s.enterprise)
}

// enterpriseOf returns the enterprise number of a sysObjectID; 0 if it names none.
func enterpriseOf(id string) uint32 {
	rest, ok := strings.CutPrefix(trimDot(id), "1.3.6.1.4.1.")
	if !ok {
		return 0
	}
	number, _, _ := strings.Cut(rest, ".")
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

// put keeps the rows of a root.
func (s *shelf) put(id string, rows []Cell) {
	before := s.cells[id]
	if s.cells[id] = rows; len(rows) == 0 {
		delete(s.cells, id)
	}
	sources := indexSources[id]
	if !slices.EqualFunc(before, rows, func(a, b Cell) bool {
		return slices.Equal(a.Index, b.Index) && (!sources || a.value.same(b.value))
	}) {
		s.version++
	}
}

func first[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// walkTables walks what is due until the time is over. What is not done goes on in the next poll. It returns the
// tables that turned out to be missing.
func (s *session) walkTables(ctx context.Context, until time.Time, wanted func(*Table) bool) (missing []devices.Missing) {
	s.probe(ctx, wanted)
	for n := range Tables {
		t := &Tables[n]
		if len(t.Roots) == 0 || !wanted(t) || !s.vendor(t) {
			continue
		}
		sh := &s.shelf.tables[n]
		if sh.at == 0 && s.now().Before(sh.next) {
			continue
		}
		if !s.walkTable(ctx, t, sh, until) {
			return missing
		}
		if m, lacks := s.settle(t, sh); lacks {
			missing = append(missing, m)
		}
	}
	return missing
}

// walkTable walks the roots of a table; false if the time was over before.
func (s *session) walkTable(ctx context.Context, t *Table, sh *shelved, until time.Time) bool {
	if sh.at == 0 {
		sh.begun = s.now()
	}
	for sh.at < len(t.Roots) {
		id := t.Roots[sh.at]
		r := s.shelf.roots[id]
		if r == nil {
			r = &root{}
			s.shelf.roots[id] = r
		}
		// What another table has read within this walk, or a moment before, is not read twice.
		if r.walk != nil || r.at.IsZero() || sh.begun.Sub(r.at) > min(10*time.Second, t.Cadence.every()/2) {
			if !s.walkRoot(ctx, id, r, t.most(), until) {
				return false
			}
		}
		if sh.at++; errors.Is(r.err, devices.ErrTimeout) {
			sh.at = len(t.Roots) // the others would only be waited for as long again
		}
	}
	return true
}

func (t *Table) most() int {
	if t.Most > 0 {
		return t.Most
	}
	return mostRows
}

// walkRoot walks one root, or goes on with it; false if the time was over before its end.
func (s *session) walkRoot(ctx context.Context, id string, r *root, most int, until time.Time) bool {
	if r.walk == nil {
		if s.inVoid(id) {
			r.at, r.err = s.now(), nil
			s.shelf.put(id, nil)
			return true
		}
		w, err := s.newWalker(id)
		if err != nil {
			r.at, r.err = s.now(), err
			return true
		}
		w.most, w.tries = most, 1
		r.walk = w
	}
	for {
		if ctx.Err() != nil || !time.Now().Before(until) {
			return false
		}
		done, err := r.walk.next(ctx)
		if err != nil && over(ctx) != nil {
			r.walk = nil
			return false
		}
		if !done && err == nil {
			continue
		}
		w := r.walk
		r.walk, r.at, r.err = nil, s.now(), err
		s.shelf.put(id, cellsOf(w.rows))
		if err == nil && w.after != "" { // the end of the view is no proof: some agents end one column so
			s.shelf.voids = append(s.shelf.voids, void{w.last, w.after, r.at})
		}
		return true
	}
}

// settle ends the walk of a table: when it is read again, and whether it is missing.
func (s *session) settle(t *Table, sh *shelved) (m devices.Missing, lacks bool) {
	sh.at, sh.has = 0, false
	var failed error
	for _, id := range t.Roots {
		sh.has = sh.has || len(s.shelf.cells[id]) > 0
		if r := s.shelf.roots[id]; r != nil && r.err != nil {
			failed = r.err
		}
	}
	now := s.now()
	sh.fresh = sh.has
	m = devices.Missing{Table: t.Name, Reason: timeline.ReasonUnsupported, Text: "the device does not have " + t.Name, Metrics: t.Metrics}
	switch {
	case failed != nil && !errors.Is(failed, devices.ErrAuth):
		sh.next = now.Add(failedFor)
		m.Reason, m.Text = devices.ReasonOf(failed), t.Name+": "+failed.Error()
		return m, true
	case !sh.has && !t.Sparse:
		sh.next = now.Add(absentFor + spread(t.Name))
		first := !sh.absent
		sh.absent = true
		if failed != nil {
			m.Reason, m.Text = devices.ReasonOf(failed), t.Name+": "+failed.Error()
		}
		return m, first
	}
	sh.absent = false
	sh.next = now.Add(t.Cadence.every() + spread(t.Name)/10)
	return m, false
}

// spread returns a part of two minutes that depends on the name alone, so that not everything is due at once.
func spread(name string) time.Duration {
	h := fnv.New32a()
	h.Write([]byte(name))
	return time.Duration(h.Sum32()%120) * time.Second
}

// liven puts what was read of states into the rows. A row that is gone has the table walked again. While a table is being
// walked its rows are left alone: some of them may be newer than others.
func (s *session) liven() {
	for n := range s.live {
		l := &s.live[n]
		if l.table.at > 0 || l.value == nil || !l.value.heard() {
			continue
		}
		l.table.fresh = true
		if s.shelf.cells[l.root][l.row].value = *l.value; !l.value.given() {
			l.table.next = time.Time{}
		}
	}
}

// fillTables puts the tables that were read since the last reading into this one, each part as a whole.
func (s *session) fillTables(r *devices.Reading) {
	parts := map[string]bool{partInterfaces: true}
	for n := range Tables {
		if s.shelf.tables[n].fresh {
			parts[Tables[n].part()] = true
		}
	}
	v := s.view()
	for n := range Tables {
		t := &Tables[n]
		sh := &s.shelf.tables[n]
		if t.Fill == nil || !sh.has || !parts[t.part()] {
			continue
		}
		sh.fresh = false
		t.Fill(v, r)
	}
}

// partInterfaces is the part of tables that add to the interfaces.
const partInterfaces = "Interfaces"

// part returns the name of what is filled together.
func (t *Table) part() string {
	if t.Part == "" {
		return "table " + t.Name
	}
	return t.Part
}
