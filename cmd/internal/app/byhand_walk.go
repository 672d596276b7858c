package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whydrop/cmd/internal/report"
	"whydrop/devices"
	"whydrop/devices/snmp"
)

// WalkOptions says what is walked and how it is shown.
type WalkOptions struct {
	Device devices.Device
	What   string // a table's name, or an object identifier
	Format string // text or json
	Out    io.Writer
}

// walked is one object as it was read.
type walkedObject struct {
	OID    string `json:"oid"`
	Column string `json:"column"` // its name, or its number where there is no name for it
	Index  string `json:"index"`
	Port   string `json:"port,omitempty"` // the interface whose ifIndex is the first part of the index
	Type   string `json:"type"`
	Value  string `json:"value"`
	Unit   string `json:"unit,omitempty"`
}

var numericOID = regexp.MustCompile(`^\.?[0-9]+(\.[0-9]+)+$`)

// Walk walks a MIB table of a device by its name, or whatever is below an identifier, and prints each row with the
// columns' names and units. It returns an Exit: ExitNotMeasured if there is nothing.
func Walk(ctx context.Context, o WalkOptions) error {
	if o.Device.SNMP == nil {
		return Usagef("%s has no snmp in the site file", o.Device.Name)
	}
	roots, byIndex, err := walkRoots(o.What)
	if err != nil {
		return err
	}
	c := snmp.New()
	defer c.Close()
	names := map[uint32]string{}
	if byIndex {
		cells, err := c.Walk(ctx, o.Device, ifName)
		if err != nil {
			return Exit{ExitNotMeasured, err}
		}
		for _, cell := range cells {
			if len(cell.Index) == 1 {
				names[cell.Index[0]] = cell.Text()
			}
		}
	}
	var all []walkedObject
	for _, root := range roots {
		cells, err := c.Walk(ctx, o.Device, root)
		for _, cell := range cells {
			all = append(all, objectOf(root, cell, names))
		}
		if err != nil {
			if len(all) == 0 || ctx.Err() != nil {
				return Exit{ExitNotMeasured, err}
			}
			fmt.Fprintln(o.Out, "# "+report.Clean(err.Error()))
			break
		}
	}
	if err := printWalk(o, all); err != nil {
		return Exit{ExitNotMeasured, err}
	}
	if len(all) == 0 {
		return Exit{ExitNotMeasured, fmt.Errorf("%s has nothing below %s", o.Device.Name, o.What)}
	}
	return nil
}

// ifName is IF-MIB ifXTable's column of names (RFC 2863).
const ifName = "1.3.6.1.2.1.31.1.1.1.1"

// walkRoots returns the identifiers to walk, and whether the first part of the rows' indexes is an ifIndex.
func walkRoots(what string) (roots []string, byIndex bool, err error) {
	if numericOID.MatchString(what) {
		oid := strings.TrimPrefix(what, ".")
		return []string{oid}, strings.HasPrefix(oid, "1.3.6.1.2.1.2.2") || strings.HasPrefix(oid, "1.3.6.1.2.1.31.1.1"), nil
	}
	_, name, found := strings.Cut(what, "::")
	if !found {
		name = what
	}
	for _, t := range snmp.Tables {
		if !strings.EqualFold(t.Name, name) {
			continue
		}
		if t.Entry != "" {
			return []string{t.Entry}, t.Index == nil, nil
		}
		return slices.Clone(t.Roots), false, nil
	}
	if t, ok := moreTables[strings.ToLower(name)]; ok {
		return []string{t}, false, nil
	}
	var names []string
	for _, t := range snmp.Tables {
		names = append(names, t.Name)
	}
	hint := ""
	lower := make([]string, len(names))
	for i, n := range names {
		lower[i] = strings.ToLower(n)
	}
	if n := nearest(name, lower); n != "" {
		hint = fmt.Sprintf("; did you mean %s?", names[slices.Index(lower, n)])
	}
	return nil, false, Usagef("%q is neither an identifier nor one of the tables%s (whydrop walk --list names them)", what, hint)
}

// WalkTables prints the names of the tables that can be walked by name, and where they come from.
func WalkTables(w io.Writer) error {
	var rows [][]string
	for _, t := range snmp.Tables {
		rows = append(rows, []string{t.Name, t.MIB})
	}
	for _, name := range slices.Sorted(maps.Keys(moreTables)) {
		rows = append(rows, []string{name, moreTables[name]})
	}
	var b strings.Builder
	columns(&b, []string{"table", "from"}, rows)
	_, err := io.WriteString(w, b.String())
	return err
}

// objectOf names an object: the column is what the identifier is called that is longest, the rest is the index.
func objectOf(root string, c snmp.Cell, ports map[uint32]string) walkedObject {
	arcs := make([]string, len(c.Index))
	for i, n := range c.Index {
		arcs[i] = strconv.FormatUint(uint64(n), 10)
	}
	oid := root
	if len(arcs) > 0 {
		oid += "." + strings.Join(arcs, ".")
	}
	o := walkedObject{OID: oid}
	tag, value := c.Recorded()
	o.Type, o.Value = typeNames[strings.TrimSuffix(tag, "x")], value
	if o.Type == "" {
		o.Type = "type " + tag
	}
	if strings.HasSuffix(tag, "x") {
		o.Value = hexText(c)
	}
	o.Value = report.Clean(o.Value)
	for at := oid; at != ""; {
		if n, ok := columnNames[at]; ok {
			o.Column, o.Unit = n.name, n.unit
			o.Index = strings.TrimPrefix(strings.TrimPrefix(oid, at), ".")
			break
		}
		cut := strings.LastIndexByte(at, '.')
		if cut < 0 {
			break
		}
		at = at[:cut]
	}
	if o.Column == "" {
		o.Column, o.Index = root, strings.Join(arcs, ".")
	}
	if o.Unit == "" && o.Type == "TimeTicks" {
		o.Unit = "1/100 s"
	}
	if len(ports) > 0 {
		first, _, _ := strings.Cut(o.Index, ".")
		if n, err := strconv.ParseUint(first, 10, 32); err == nil {
			o.Port = report.Clean(ports[uint32(n)])
		}
	}
	return o
}

// hexText writes octets that are no text: a MAC address as one, others in hexadecimal.
func hexText(c snmp.Cell) string {
	if m := c.MAC(); m != "" {
		return m
	}
	return fmt.Sprintf("% x", c.Octets())
}

// typeNames are the ASN.1 tags of SMIv2 types (RFC 2578, section 7.1).
var typeNames = map[string]string{
	"2": "INTEGER", "4": "OCTET STRING", "5": "NULL", "6": "OBJECT IDENTIFIER", "64": "IpAddress", "65": "Counter32",
	"66": "Gauge32", "67": "TimeTicks", "68": "Opaque", "70": "Counter64", "71": "Unsigned32", "120": "Float", "121": "Double",
}

func printWalk(o WalkOptions, all []walkedObject) error {
	if o.Format == "json" {
		enc := json.NewEncoder(o.Out)
		for _, x := range all {
			if err := enc.Encode(x); err != nil {
				return err
			}
		}
		return nil
	}
	rows := map[string][]walkedObject{}
	var order []string
	for _, x := range all {
		if _, ok := rows[x.Index]; !ok {
			order = append(order, x.Index)
		}
		rows[x.Index] = append(rows[x.Index], x)
	}
	var b strings.Builder
	for _, index := range order {
		list := rows[index]
		head := "row " + index
		if list[0].Port != "" {
			head += "  " + list[0].Port
		}
		fmt.Fprintln(&b, head)
		for _, x := range list {
			fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %-32s %s %s", x.Column, wordOf(x.Column, x.Value), x.Unit), " "))
		}
	}
	_, err := io.WriteString(o.Out, b.String())
	return err
}
