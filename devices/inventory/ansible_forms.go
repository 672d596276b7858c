package inventory

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// looksAnsibleJSON: the host variables stand apart, in _meta (docs.ansible.com, "Developing dynamic inventory").
func looksAnsibleJSON(_ Input, n *node) bool { return n.get("_meta").get("hostvars") != nil }

func readAnsibleJSON(r *reader, n *node) error {
	if !n.is(mappingNode) {
		return fmt.Errorf("%s: groups are a mapping, not %s", place(r.in.Name, n.line), n.kind)
	}
	a := newAnsible(r)
	for i, item := range n.items {
		group := n.keys[i].text
		if group == "_meta" {
			continue
		}
		g := a.group(group)
		hosts := item
		if item.is(mappingNode) {
			if err := g.vars.take(r.in.Name, item.get("vars")); err != nil {
				return err
			}
			for _, c := range list(item.get("children")) {
				g.children = append(g.children, c.str())
			}
			hosts = item.get("hosts")
		}
		for _, h := range list(hosts) {
			a.join(h.str(), group, r.in.Name, h.line)
		}
	}
	if hv := n.get("_meta").get("hostvars"); hv.is(mappingNode) {
		for i, item := range hv.items {
			if err := a.host(hv.keys[i].text, r.in.Name, hv.keys[i].line).vars.take(r.in.Name, item); err != nil {
				return err
			}
		}
	}
	return a.devices()
}

// list returns the items of a list; nil for anything else.
func list(n *node) []*node {
	if !n.is(listNode) {
		return nil
	}
	return n.items
}

// looksAnsibleYAML: groups, each with hosts, children or vars and with nothing else.
func looksAnsibleYAML(_ Input, n *node) bool {
	if !n.is(mappingNode) {
		return false
	}
	for _, g := range n.items {
		for _, part := range []string{"hosts", "children"} {
			if g.get(part) != nil {
				return true
			}
		}
	}
	return false
}

func readAnsibleYAML(r *reader, n *node) error {
	a := newAnsible(r)
	if err := a.yamlGroups(n, ""); err != nil {
		return err
	}
	return a.devices()
}

// yamlGroups reads groups within the group parent.
func (a *ansible) yamlGroups(n *node, parent string) error {
	file := a.r.in.Name
	if !n.is(mappingNode) {
		return fmt.Errorf("%s: groups are a mapping, not %s", place(file, n.line), n.kind)
	}
	for i, item := range n.items {
		name := n.keys[i].text
		g := a.group(name)
		if parent != "" {
			p := a.group(parent)
			p.children = append(p.children, name)
		}
		if item.is(scalarNode) && item.text == "" {
			continue
		}
		if !item.is(mappingNode) {
			return fmt.Errorf("%s: %s: a group is a mapping of hosts, children and vars, not %s", place(file, item.line), clip(name), item.kind)
		}
		if err := g.vars.take(file, item.get("vars")); err != nil {
			return err
		}
		if c := item.get("children"); c != nil && !(c.is(scalarNode) && c.text == "") {
			if err := a.yamlGroups(c, name); err != nil {
				return err
			}
		}
		if err := a.yamlHosts(item.get("hosts"), name); err != nil {
			return err
		}
	}
	return nil
}

func (a *ansible) yamlHosts(n *node, group string) error {
	file := a.r.in.Name
	if n == nil || n.is(scalarNode) && n.text == "" {
		return nil
	}
	if !n.is(mappingNode) {
		return fmt.Errorf("%s: %s: hosts: a mapping of host names is wanted, not %s", place(file, n.line), clip(group), n.kind)
	}
	for i, item := range n.items {
		names, err := expand(n.keys[i].text)
		if err != nil {
			return fmt.Errorf("%s: %w", place(file, n.keys[i].line), err)
		}
		for _, name := range names {
			if len(a.hosts) > maxDevices {
				return fmt.Errorf("%s: more than %d hosts", file, maxDevices)
			}
			if err := a.join(name, group, file, n.keys[i].line).vars.take(file, item); err != nil {
				return err
			}
		}
	}
	return nil
}

var iniSection = regexp.MustCompile(`^\[([^\[\]:]+)(?::(vars|children))?\]$`)

// looksAnsibleINI: a section, or a host with a variable of Ansible.
func looksAnsibleINI(in Input, _ *node) bool {
	for line := range strings.Lines(string(in.Text)) {
		line = iniLine(line)
		if iniSection.MatchString(line) || strings.Contains(line, " ansible_") && strings.Contains(line, "=") {
			return true
		}
	}
	return false
}

// iniLine returns a line without comment and blanks around it.
func iniLine(line string) string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
		return ""
	}
	if i := strings.Index(line, " #"); i >= 0 {
		line = strings.TrimSpace(line[:i])
	}
	return line
}

func readAnsibleINI(r *reader, _ *node) error {
	a := newAnsible(r)
	group, part := "ungrouped", ""
	number := 0
	for line := range strings.Lines(string(r.in.Text)) {
		number++
		if line = iniLine(line); line == "" {
			continue
		}
		if m := iniSection.FindStringSubmatch(line); m != nil {
			group, part = m[1], m[2]
			a.group(group)
			continue
		}
		var err error
		switch part {
		case "vars":
			key, text, ok := strings.Cut(line, "=")
			if !ok {
				err = fmt.Errorf("%q is no variable; key=value is wanted", clip(line))
			}
			a.group(group).vars.set(key, unquote(strings.TrimSpace(text)), r.in.Name, number)
		case "children":
			g := a.group(group)
			g.children = append(g.children, line)
		default:
			err = a.iniHost(line, group, number)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", place(r.in.Name, number), err)
		}
	}
	return a.devices()
}

func (v vars) set(key, text, file string, line int) {
	v[strings.TrimSpace(key)] = ansibleVar{value: value{text, file, line}}
}

// iniHost reads "host key=value ...".
func (a *ansible) iniHost(line, group string, number int) error {
	words, err := shellWords(line)
	if err != nil {
		return err
	}
	names, err := expand(words[0])
	if err != nil {
		return err
	}
	for _, name := range names {
		var port string
		if n, p, ok := strings.Cut(name, ":"); ok && !strings.Contains(p, ":") {
			name, port = n, p
		}
		if len(a.hosts) > maxDevices {
			return fmt.Errorf("more than %d hosts", maxDevices)
		}
		h := a.join(name, group, a.r.in.Name, number)
		if port != "" {
			h.vars.set("ansible_port", port, a.r.in.Name, number)
		}
		for _, w := range words[1:] {
			key, text, ok := strings.Cut(w, "=")
			if !ok {
				return fmt.Errorf("%s: %q is no variable; key=value is wanted", clip(name), clip(w))
			}
			h.vars.set(key, text, a.r.in.Name, number)
		}
	}
	return nil
}

// shellWords splits a line at blanks outside of quotes, as Ansible does. A line has at least one word.
func shellWords(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	var quote rune
	in := false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'':
			quote, in = c, true
		case unicode.IsSpace(c):
			if in {
				out = append(out, word.String())
				word.Reset()
			}
			in = false
		default:
			in = true
			word.WriteRune(c)
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if in {
		out = append(out, word.String())
	}
	if len(out) == 0 {
		return nil, errors.New("no host")
	}
	return out, nil
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
