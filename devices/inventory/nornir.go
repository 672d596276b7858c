package inventory

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"whydrop/devices"
)

// nornirKeys are what a host of Nornir has (nornir.core.inventory, HostOrGroup).
var nornirKeys = []string{"hostname", "port", "username", "password", "platform", "groups", "data", "connection_options"}

// looksNornir: hosts, each with keys of Nornir and with nothing else.
func looksNornir(_ Input, n *node) bool {
	if !n.is(mappingNode) || len(n.items) == 0 {
		return false
	}
	seen := false
	for _, h := range n.items {
		if !h.is(mappingNode) {
			return false
		}
		for _, k := range h.keys {
			if !slices.Contains(nornirKeys, k.text) {
				return false
			}
			seen = true
		}
	}
	return seen
}

// nornir is an inventory of Nornir. A host's value wins over its groups', the first group's over the second's, and all
// over the defaults'.
type nornir struct {
	r        *reader
	groups   *node
	defaults *node
}

func readNornir(r *reader, n *node) error {
	if !n.is(mappingNode) {
		return fmt.Errorf("%s: hosts are a mapping, not %s", place(r.in.Name, n.line), n.kind)
	}
	inv := nornir{r: r}
	var err error
	if inv.groups, err = inv.beside("groups.yaml"); err != nil {
		return err
	}
	if inv.defaults, err = inv.beside("defaults.yaml"); err != nil {
		return err
	}
	for i, h := range n.items {
		name := n.keys[i].text
		get := func(key string) value { return inv.find(h, r.in.Name, key, map[string]bool{}) }
		d := devices.Device{Name: name, Address: host(get("hostname").text), Platform: r.platform(get("platform"), name)}
		if d.Address == "" {
			d.Address = name
		}
		d.SSH = &devices.SSH{Port: r.port(get("port"), name, "port"), User: get("username").text}
		if v := get("password"); v.text != "" {
			r.secret(v.file, v.line, name, "password")
		}
		inv.secrets(h.get("data"), name)
		d.Role = roleOf(h.get("data").get("role").str())
		for _, g := range list(h.get("groups")) {
			if d.Role == "" {
				d.Role = roleOf(g.str())
			}
		}
		r.add(r.in.Name, n.keys[i].line, d)
	}
	return nil
}

// beside reads a file in the folder of hosts.yaml; nil if there is none.
func (inv nornir) beside(name string) (*node, error) {
	if inv.r.in.Beside == nil {
		return nil, nil
	}
	n, err := inv.r.readBeside(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return n, err
}

// find returns a host's or a group's value of a key.
func (inv nornir) find(n *node, file, key string, seen map[string]bool) value {
	if v := inv.findHere(n, file, key, seen); v.text != "" {
		return v
	}
	if v := inv.defaults.get(key); v.str() != "" {
		return value{v.text, "defaults.yaml", v.line}
	}
	return value{}
}

func (inv nornir) findHere(n *node, file, key string, seen map[string]bool) value {
	if v := n.get(key); v.str() != "" {
		return value{v.text, file, v.line}
	}
	for _, g := range list(n.get("groups")) {
		if seen[g.str()] {
			continue
		}
		seen[g.str()] = true
		if v := inv.findHere(inv.groups.get(g.str()), "groups.yaml", key, seen); v.text != "" {
			return v
		}
	}
	return value{}
}

// secrets notes what looks like a secret in a host's data.
func (inv nornir) secrets(n *node, owner string) {
	if !n.is(mappingNode) {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(n.byName)) {
		if isSecret(key) {
			inv.r.secret(inv.r.in.Name, n.byName[key].line, owner, "data."+key)
		}
	}
}
