package inventory

import (
	"fmt"
	"slices"

	"whydrop/devices"
)

// netboxDevices returns the devices of an answer of NetBox's API (/api/dcim/devices/), or of a list of such.
func netboxDevices(n *node) []*node {
	if results := n.get("results"); results.is(listNode) {
		return results.items
	}
	return list(n)
}

// looksNetBox: objects with the fields of a device of NetBox.
func looksNetBox(_ Input, n *node) bool {
	all := netboxDevices(n)
	if len(all) == 0 {
		return n.get("results").is(listNode) && n.get("count") != nil
	}
	for _, key := range []string{"primary_ip", "primary_ip4", "device_role", "device_type"} {
		if all[0].get("name") != nil && all[0].get(key) != nil {
			return true
		}
	}
	return false
}

// netboxAway are states of a device that is not there to be asked (dcim.choices.DeviceStatusChoices).
var netboxAway = []string{"offline", "planned", "inventory", "decommissioning", "staged"}

func readNetBox(r *reader, n *node) error {
	all := netboxDevices(n)
	if all == nil {
		return fmt.Errorf("%s: a list of devices is wanted, or the API's answer with its results", place(r.in.Name, n.lineOf()))
	}
	if next := n.get("next"); next.str() != "" {
		r.notef(r.in.Name, next.line, "this is one page of several; the devices of the others are missing")
	}
	for _, item := range all {
		name := item.get("name").str()
		if name == "" {
			name = item.get("display").str()
		}
		if state := netboxWord(item.get("status"), "value"); slices.Contains(netboxAway, state.str()) {
			r.notef(r.in.Name, item.line, "%s is %s; left out", clip(name), state.text)
			continue
		}
		role := item.get("role")
		if role == nil {
			role = item.get("device_role") // before version 3.6
		}
		platform := netboxWord(item.get("platform"), "slug")
		d := devices.Device{
			Name: name, Role: roleOf(netboxWord(role, "slug").str()),
			Platform: r.platform(value{platform.str(), r.in.Name, platform.lineOf()}, name),
		}
		for _, key := range []string{"primary_ip", "primary_ip4", "primary_ip6", "oob_ip"} {
			if d.Address == "" {
				d.Address = host(netboxWord(item.get(key), "address").str())
			}
		}
		netboxSecrets(r, item, name)
		if d.Address == "" {
			r.notef(r.in.Name, item.line, "%s has no primary address; left out", clip(name))
			continue
		}
		r.add(r.in.Name, item.line, d)
	}
	return nil
}

// netboxWord returns a field that is an object with a word of its own, or the word itself.
func netboxWord(n *node, field string) *node {
	if n.is(mappingNode) {
		return n.get(field)
	}
	return n
}

// netboxSecrets notes secrets among the fields that a site added.
func netboxSecrets(r *reader, item *node, owner string) {
	for _, part := range []string{"custom_fields", "config_context", "local_context_data"} {
		fields := item.get(part)
		if !fields.is(mappingNode) {
			continue
		}
		for i, key := range fields.keys {
			if v := fields.items[i]; isSecret(key.text) && (!v.is(scalarNode) || v.text != "") {
				r.secret(r.in.Name, key.line, owner, part+"."+key.text)
			}
		}
	}
}
