package snmp

import (
	"strconv"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// Table is one MIB table, or a few that are of use only together, and what becomes of it in a reading. A new table is
// one file, whose comment names its objects, units, counter widths and sources, and one line in Tables.
//
// There are two kinds. A table of counters is read by GET in each poll, for the watched ports alone: Entry, Columns
// and FillPort. Any other table is walked, at the pace of its Cadence, and a few columns at a time so that no poll
// takes long: Roots and Fill. A device that lacks a table is asked for it again only after it restarted, or every ten
// minutes.
type Table struct {
	// Name is the table's name in its MIB; unique in Tables.
	Name string
	// MIB names the module and where it is published: "IF-MIB, RFC 2863".
	MIB string
	// Unseen says that no recording of a real device that we hold has the table.
	Unseen bool
	// Sparse says that the table has rows only while something is the matter, so that an empty one is not missing and is
	// walked again at its cadence.
	Sparse bool
	// Cadence is how often it is read.
	Cadence Cadence
	// Vendors are the enterprise numbers (below 1.3.6.1.4.1) of whose devices alone the table is asked; nil: of all. A
	// device that does not tell its sysObjectID is asked for everything.
	Vendors []uint32
	// Metrics are those that are missing where the table is; a gap says so once. nil: nothing is missed.
	Metrics []timeline.Metric

	// Entry is the identifier of the table's row, without a leading dot (Counters).
	Entry string
	// Columns are the columns to read, in groups: the objects of a group of one port are read in one message where
	// possible, so that they are of one moment.
	Columns [][]int
	// Wide are those of Columns that have 64 bits (Counter64); SNMPv1 has none.
	Wide []int
	// Index returns the index of the port's row, as "7.1"; "" if it has none. nil: the index is ifIndex. What it needs
	// to know is in the view of the table's Roots.
	Index func(v View, ifIndex uint32) string
	// FillPort puts the row's values into the interface. What is not in the row was not given.
	FillPort func(r Row, i *devices.Interface)

	// Roots are identifiers of columns (or scalars, without their .0) to walk.
	Roots []string
	// Live are those of Roots that are read in every poll for the rows that the last walk found (States).
	Live []string
	// LiveRow says whether a row is one to be read in every poll; nil: all are, up to liveMost of a root.
	LiveRow func(v View, index []uint32) bool
	// Part names the field of the reading that Fill adds to: "Neighbours". Tables of one part are filled together, so
	// that a reading holds all of a field or nothing; what a table adds to the interfaces (Part "Interfaces") is in
	// every reading. "" if no other table adds to the field.
	Part string
	// Fill puts what was walked into the reading. It is called only if at least one root has rows.
	Fill func(v View, r *devices.Reading)
	// Most is how many rows of one root are read; 0: mostRows.
	Most int
}

// Cadence says how often a table is read.
type Cadence uint8

// The cadences of tables.
const (
	// Counters are read in each poll, of the watched ports alone.
	Counters Cadence = iota
	// States are walked every half minute, and the columns named by Live are read in each poll for the rows that were
	// found.
	States
	// Slow is walked once a minute: what changes rarely, or measures slowly.
	Slow
	// Once is walked at first contact and after a restart.
	Once
)

// every returns how often a table of this cadence is walked.
func (c Cadence) every() time.Duration {
	switch c {
	case States:
		return 30 * time.Second
	case Slow, Counters: // what maps ports to rows of counters
		return time.Minute
	}
	return 12 * time.Hour
}

// mostRows bounds a root's rows.
const mostRows = 4000

// column returns the identifier of a table's column.
func column(t Table, col int) string { return t.Entry + "." + strconv.Itoa(col) }

// Row is what a device gave of one table for one port.
type Row struct {
	port   *port
	cells  []*value            // by column; nil: was not asked for
	uptime devices.Opt[uint32] // sysUpTime of the same poll
}

// of returns the same port's row in another table of counters; one without cells where the device has none.
func (r Row) of(t *Table) Row {
	for n := range r.port.rows {
		if x := &r.port.rows[n]; x.table.Entry == t.Entry {
			return Row{r.port, x.cells, r.uptime}
		}
	}
	return Row{port: r.port}
}

// value returns a column's value; the zero value if it was not asked for.
func (r Row) value(column int) value {
	if column < len(r.cells) && r.cells[column] != nil {
		return *r.cells[column]
	}
	return value{}
}

// Cell returns a column's value.
func (r Row) Cell(column int) Cell {
	v := r.value(column)
	if !v.given() {
		return Cell{}
	}
	return Cell{value: v}
}

// Counter returns a column as a counter; not given if the device has none or sent another type.
func (r Row) Counter(column int) devices.Opt[devices.Counter] { return r.value(column).counter() }

// Number returns a column as a number of 32 bits.
func (r Row) Number(column int) devices.Opt[uint32] { return r.value(column).gauge() }

// Word returns an enumeration's word; a value outside of it is given as "unknown(N)".
func (r Row) Word(column int, words []string) devices.Opt[string] { return r.Cell(column).Word(words) }

// Text returns a column as text; "" if not given.
func (r Row) Text(column int) string { return r.Cell(column).Text() }
