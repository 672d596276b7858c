package inventory

import (
	"fmt"
	"slices"

	"whydrop/devices"
)

func looksNative(_ Input, n *node) bool { return n.get("devices").is(listNode) }

// readNative reads the devices of a site file, or of a file with a list of such. References to secrets are left out:
// they belong to the file that they stand in.
func readNative(r *reader, n *node) error {
	all := n.get("devices")
	if !all.is(listNode) {
		return fmt.Errorf("%s: devices: a list is wanted", place(r.in.Name, n.lineOf()))
	}
	for _, item := range all.items {
		if !item.is(mappingNode) {
			r.errorf(r.in.Name, item.line, "devices: a device is a mapping, not %s", item.kind)
			continue
		}
		name := item.get("name").str()
		v := func(n *node, key string) value { return value{n.get(key).str(), r.in.Name, n.get(key).lineOf()} }
		d := devices.Device{
			Name: name, Address: item.get("address").str(), Platform: r.platform(v(item, "platform"), name), Peer: item.get("peer").str(),
			Role: item.get("role").str(), Ports: texts(item.get("ports")), OffPath: texts(item.get("off_path")),
		}
		if d.Role != "" && !slices.Contains([]string{"switch", "router", "firewall", "host"}, d.Role) {
			r.errorf(r.in.Name, item.get("role").lineOf(), "%s: role: %q is none of switch, router, firewall, host", clip(name), clip(d.Role))
		}
		if s := item.get("ssh"); s.is(mappingNode) {
			d.SSH = &devices.SSH{Port: r.port(v(s, "port"), name, "ssh.port"), User: s.get("user").str()}
			r.nativeSecrets(s, name, "ssh")
		}
		if s := item.get("snmp"); s.is(mappingNode) {
			d.SNMP = &devices.SNMP{Version: s.get("version").str(), Port: r.port(v(s, "port"), name, "snmp.port"), User: s.get("user").str(), Context: s.get("context").str()}
			r.nativeSecrets(s, name, "snmp")
		}
		r.add(r.in.Name, item.line, d)
	}
	return nil
}

func (r *reader) nativeSecrets(n *node, owner, block string) {
	for _, k := range n.keys {
		if isSecret(k.text) || k.text == "key" {
			r.secret(r.in.Name, k.line, owner, block+"."+k.text)
		}
	}
}

// texts returns the texts of a list.
func texts(n *node) (out []string) {
	for _, item := range list(n) {
		if t := item.str(); t != "" {
			out = append(out, t)
		}
	}
	return out
}
