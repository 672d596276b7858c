package inventory

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"whydrop/devices"
)

// csvColumns are the headings that a column may have, without case, blanks and marks. An export of NetBox has Name,
// "IP Address" or "Primary IP", Platform, Role and Status.
var csvColumns = map[string]string{
	"name": "name", "device": "name", "devicename": "name", "hostname": "name", "sysname": "name", "node": "name",
	"address": "address", "ip": "address", "ipaddress": "address", "ipv4": "address", "primaryip": "address", "primaryip4": "address", "primaryipv4": "address", "primaryipv4address": "address", "mgmtip": "address", "managementip": "address", "mgmtaddress": "address", "managementaddress": "address", "fqdn": "address",
	"platform": "platform", "os": "platform", "nos": "platform", "networkos": "platform",
	"role": "role", "devicerole": "role", "function": "role",
	"ports": "ports", "interfaces": "ports", "peer": "peer", "status": "status",
	"port": "ssh port", "sshport": "ssh port", "user": "user", "username": "user", "login": "user", "sshuser": "user",
	"snmpversion": "snmp version", "snmpport": "snmp port",
}

// heading returns what a column is of; "" if it is of no interest.
func heading(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-.()/", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
	return csvColumns[s]
}

// separator returns what stands between the columns of the first line.
func separator(text string) (sep rune, n int) {
	first, _, _ := strings.Cut(text, "\n")
	for _, c := range ",;\t" {
		if m := strings.Count(first, string(c)); m > n {
			sep, n = c, m
		}
	}
	return sep, n
}

// looksCSV: the first line has a column of names.
func looksCSV(in Input, _ *node) bool {
	sep, n := separator(string(in.Text))
	if n == 0 {
		return false
	}
	first, _, _ := strings.Cut(string(in.Text), "\n")
	for _, cell := range strings.Split(first, string(sep)) {
		if heading(strings.Trim(strings.TrimSpace(cell), `"`)) == "name" {
			return true
		}
	}
	return false
}

func readCSV(r *reader, _ *node) error {
	text := string(r.in.Text)
	c := csv.NewReader(strings.NewReader(text))
	c.TrimLeadingSpace, c.FieldsPerRecord, c.ReuseRecord = true, -1, true
	if sep, n := separator(text); n > 0 {
		c.Comma = sep
	}
	head, err := c.Read()
	if err != nil {
		return csvError(r, err)
	}
	columns := map[string]int{}
	secrets := map[int]string{}
	for i, h := range head {
		h = strings.TrimSpace(h)
		if isSecret(strings.ReplaceAll(h, " ", "_")) {
			secrets[i] = h
			continue
		}
		if name := heading(h); name != "" {
			if _, twice := columns[name]; !twice {
				columns[name] = i
			}
		}
	}
	if _, ok := columns["name"]; !ok {
		return fmt.Errorf("%s: no column of names; the first line says what each column is (name, address, platform, role, ports)", place(r.in.Name, 1))
	}
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return csvError(r, err)
		}
		line, _ := c.FieldPos(0)
		r.csvRow(row, line, columns, secrets)
	}
}

func csvError(r *reader, err error) error {
	var p *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s: is empty", r.in.Name)
	case errors.As(err, &p):
		return fmt.Errorf("%s: not valid CSV: %w", place(r.in.Name, p.Line), p.Err)
	}
	return fmt.Errorf("%s: %w", r.in.Name, err)
}

func (r *reader) csvRow(row []string, line int, columns map[string]int, secrets map[int]string) {
	get := func(name string) value {
		if i, ok := columns[name]; ok && i < len(row) {
			return value{strings.TrimSpace(row[i]), r.in.Name, line}
		}
		return value{}
	}
	name := get("name").text
	if strings.Join(row, "") == "" {
		return
	}
	for i, s := range row {
		if key, ok := secrets[i]; ok && s != "" {
			r.secret(r.in.Name, line, name, key)
		}
	}
	switch strings.ToLower(get("status").text) {
	case "offline", "planned", "inventory", "decommissioning", "staged":
		r.notef(r.in.Name, line, "%s is %s; left out", clip(name), clip(get("status").text))
		return
	}
	d := devices.Device{
		Name: name, Address: host(get("address").text), Platform: r.platform(get("platform"), name), Role: roleOf(get("role").text), Peer: get("peer").text,
		Ports: strings.FieldsFunc(get("ports").text, func(c rune) bool { return strings.ContainsRune(" ;,|", c) }),
		SSH:   &devices.SSH{Port: r.port(get("ssh port"), name, "port"), User: get("user").text},
	}
	if d.Address == "" {
		d.Address = name
	}
	if v := strings.TrimPrefix(strings.ToLower(get("snmp version").text), "v"); v != "" {
		d.SNMP = &devices.SNMP{Version: v, Port: r.port(get("snmp port"), name, "snmp port")}
		if v != "1" && v != "2c" && v != "3" {
			r.errorf(r.in.Name, line, "%s: snmp version: %q is not 2c, 3 or 1", clip(name), clip(v))
		}
	}
	r.add(r.in.Name, line, d)
}
