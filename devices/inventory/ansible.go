package inventory

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whydrop/devices"
)

// ansible is an inventory of Ansible in any form: hosts in groups of groups, all with variables. A host's own
// variables win over those of its groups, a group's over those of the groups that it is in (docs.ansible.com, "Using
// variables", precedence 2 to 10). Templates are not evaluated.
type ansible struct {
	r      *reader
	groups map[string]*ansibleGroup
	hosts  map[string]*ansibleHost
	order  []string // of hosts, as they came
}

type ansibleGroup struct {
	vars     vars
	children []string
}

type ansibleHost struct {
	file   string
	line   int
	vars   vars
	groups []string
}

// vars are variables and where each stands.
type vars map[string]ansibleVar

type ansibleVar struct {
	value
	sealed bool // encrypted by ansible-vault
	many   bool // a list or a mapping
}

const mostGroups = 10000

func newAnsible(r *reader) *ansible {
	return &ansible{r: r, groups: map[string]*ansibleGroup{"all": {vars: vars{}}}, hosts: map[string]*ansibleHost{}}
}

func (a *ansible) group(name string) *ansibleGroup {
	g := a.groups[name]
	if g == nil {
		g = &ansibleGroup{vars: vars{}}
		a.groups[name] = g
	}
	return g
}

func (a *ansible) host(name, file string, line int) *ansibleHost {
	h := a.hosts[name]
	if h == nil {
		h = &ansibleHost{file: file, line: line, vars: vars{}}
		a.hosts[name], a.order = h, append(a.order, name)
	}
	return h
}

// join puts a host into a group.
func (a *ansible) join(host, group, file string, line int) *ansibleHost {
	h := a.host(host, file, line)
	if !slices.Contains(h.groups, group) {
		h.groups = append(h.groups, group)
	}
	a.group(group)
	return h
}

// take reads a mapping of variables.
func (v vars) take(file string, n *node) error {
	switch {
	case n == nil || n.is(scalarNode) && n.text == "":
		return nil
	case !n.is(mappingNode):
		return fmt.Errorf("%s: variables are a mapping, not %s", place(file, n.line), n.kind)
	}
	for i, item := range n.items {
		v[n.keys[i].text] = ansibleVar{
			value:  value{item.str(), file, n.keys[i].line},
			sealed: item.tag == "!vault" || item.get("__ansible_vault") != nil,
			many:   !item.is(scalarNode),
		}
	}
	return nil
}

// beside reads group_vars and host_vars.
func (a *ansible) beside() error {
	if a.r.in.Beside == nil {
		return nil
	}
	for name, g := range a.groups {
		if err := a.varsBeside("group_vars", name, g.vars); err != nil {
			return err
		}
	}
	for name, h := range a.hosts {
		if err := a.varsBeside("host_vars", name, h.vars); err != nil {
			return err
		}
	}
	return nil
}

// varsBeside adds the variables of FOLDER/NAME, with or without an ending, or of the files in it.
func (a *ansible) varsBeside(folder, name string, to vars) error {
	if !fs.ValidPath(name) || strings.Contains(name, "/") {
		return nil
	}
	base := path.Join(folder, name)
	files := []string{base, base + ".yml", base + ".yaml", base + ".json"}
	if list, err := fs.ReadDir(a.r.in.Beside, base); err == nil {
		files = files[1:]
		for _, f := range list {
			if isTreeFile(f.Name()) {
				files = append(files, path.Join(base, f.Name()))
			}
		}
	}
	for _, f := range files {
		n, err := a.r.readBeside(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := to.take(f, n); err != nil {
			return err
		}
	}
	return nil
}

// readBeside reads a YAML or JSON file in the inventory's folder; nil if it is encrypted, which is noted.
func (r *reader) readBeside(name string) (*node, error) {
	f, err := r.in.Beside.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := readAtMost(f, MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if strings.HasPrefix(string(text), "$ANSIBLE_VAULT") {
		r.notef(name, 1, "the file is encrypted by ansible-vault and not read")
		return nil, nil
	}
	if len(strings.TrimSpace(string(text))) == 0 {
		return nil, nil
	}
	return parseTree(Input{Name: name, Text: text})
}

// depths returns how deep each group lies below "all", by the longest way; a circle is an error.
func (a *ansible) depths() (map[string]int, error) {
	if len(a.groups) > mostGroups {
		return nil, fmt.Errorf("%s: more than %d groups", a.r.in.Name, mostGroups)
	}
	inner := map[string]int{} // parents that are not placed yet
	for _, g := range a.groups {
		for _, c := range g.children {
			inner[c]++
		}
	}
	depth := map[string]int{}
	var ready []string
	for name := range a.groups {
		if inner[name] == 0 {
			ready = append(ready, name)
			if name != "all" {
				depth[name] = 1
			}
		}
	}
	placed := 0
	for ; len(ready) > 0; placed++ {
		name := ready[0]
		ready = ready[1:]
		for _, c := range a.groups[name].children {
			depth[c] = max(depth[c], depth[name]+1)
			if inner[c]--; inner[c] == 0 {
				ready = append(ready, c)
			}
		}
	}
	if placed < len(a.groups) {
		for _, name := range slices.Sorted(maps.Keys(a.groups)) {
			if inner[name] > 0 {
				return nil, fmt.Errorf("%s: group %q is in a circle of groups", a.r.in.Name, clip(name))
			}
		}
	}
	return depth, nil
}

// devices turns hosts into devices.
func (a *ansible) devices() error {
	for _, g := range slices.Collect(maps.Values(a.groups)) {
		for _, c := range g.children {
			a.group(c) // also those that are only named
		}
	}
	if err := a.beside(); err != nil {
		return err
	}
	depth, err := a.depths()
	if err != nil {
		return err
	}
	parents := map[string][]string{}
	for name, g := range a.groups {
		for _, c := range g.children {
			parents[c] = append(parents[c], name)
		}
	}
	for _, name := range a.order {
		h := a.hosts[name]
		groups := ancestors(h.groups, parents)
		slices.SortFunc(groups, func(x, y string) int {
			if depth[x] != depth[y] {
				return depth[x] - depth[y]
			}
			return strings.Compare(x, y)
		})
		all := vars{}
		for _, g := range groups {
			maps.Copy(all, a.groups[g].vars)
		}
		maps.Copy(all, h.vars)
		a.device(name, h, groups, all)
	}
	return nil
}

// ancestors returns the groups and all that they are in, with "all".
func ancestors(groups []string, parents map[string][]string) []string {
	seen := map[string]bool{"all": true}
	out := []string{"all"}
	for todo := slices.Clone(groups); len(todo) > 0; {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[g] {
			seen[g] = true
			out = append(out, g)
			todo = append(todo, parents[g]...)
		}
	}
	return out
}

// jumpArg finds the jump host in options of ssh: -J HOST or -o ProxyJump=HOST.
var jumpArg = regexp.MustCompile(`(?:^|[\s"'])(?:-J\s*|-o\s*"?ProxyJump[= ]\s*)([^\s"']+)`)

// device turns one host into a device.
func (a *ansible) device(name string, h *ansibleHost, groups []string, all vars) {
	r := a.r
	get := func(names ...string) value {
		for _, n := range names {
			switch v := all[n]; {
			case v.file == "":
			case v.sealed:
				r.notef(v.file, v.line, "%s: %s is encrypted by ansible-vault and not read", clip(name), n)
			case strings.Contains(v.text, "{{"):
				r.notef(v.file, v.line, "%s: %s is a template, which is not evaluated; `ansible-inventory --list` does", clip(name), n)
			case v.text != "":
				return v.value
			}
		}
		return value{}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if isSecret(key) {
			r.secret(all[key].file, all[key].line, name, key)
		}
	}
	d := devices.Device{Name: name, Address: host(get("ansible_host", "ansible_ssh_host").text)}
	if d.Address == "" && all["ansible_host"].file == "" {
		d.Address = name // as Ansible does
	}
	d.Platform = r.platform(get("ansible_network_os"), name)
	d.SSH = &devices.SSH{Port: r.port(get("ansible_port", "ansible_ssh_port"), name, "ansible_port"), User: get("ansible_user", "ansible_ssh_user").text}
	if v := get("ansible_ssh_private_key_file"); v.text != "" {
		r.notef(v.file, v.line, "%s: the key %s is not taken; write  key: file:%s", clip(name), clip(v.text), clip(v.text))
	}
	for _, key := range []string{"ansible_ssh_common_args", "ansible_ssh_extra_args", "ansible_ssh_args"} {
		v := get(key)
		if m := jumpArg.FindStringSubmatch(v.text); m != nil && d.SSH.Jump == nil {
			d.SSH.Jump = r.jump(value{m[1], v.file, v.line}, name)
		}
	}
	for _, g := range slices.Backward(groups) {
		if d.Role == "" && g != "all" {
			d.Role = roleOf(g)
		}
	}
	r.add(h.file, h.line, d)
}

// jump reads the first host of a ProxyJump: [user@]host[:port] (ssh_config(5)).
func (r *reader) jump(v value, owner string) *devices.SSHJump {
	if v.text == "" || strings.EqualFold(v.text, "none") {
		return nil
	}
	first, more, _ := strings.Cut(strings.TrimPrefix(v.text, "ssh://"), ",")
	if more != "" {
		r.notef(v.file, v.line, "%s: more than one jump host; left out", clip(owner))
		return nil
	}
	j := &devices.SSHJump{}
	if i := strings.LastIndex(first, "@"); i >= 0 {
		j.SSH.User, first = first[:i], first[i+1:]
	}
	if rest, ok := strings.CutPrefix(first, "["); ok {
		addr, port, _ := strings.Cut(rest, "]")
		first = addr
		j.SSH.Port = r.port(value{strings.TrimPrefix(port, ":"), v.file, v.line}, owner, "the jump host's port")
	} else if addr, port, ok := strings.Cut(first, ":"); ok && !strings.Contains(port, ":") {
		first = addr
		j.SSH.Port = r.port(value{port, v.file, v.line}, owner, "the jump host's port")
	}
	if !devices.ValidAddress(first) {
		r.errorf(v.file, v.line, "%s: jump host %q: a host name or an IP address is wanted", clip(owner), clip(first))
		return nil
	}
	j.Address = first
	return j
}

var hostRange = regexp.MustCompile(`\[([0-9]+|[a-zA-Z]):([0-9]+|[a-zA-Z])(?::([0-9]+))?\]`)

// expand writes the ranges of a host pattern out: sw[01:20], rack[a:f].
func expand(pattern string) ([]string, error) {
	m := hostRange.FindStringSubmatchIndex(pattern)
	if m == nil {
		return []string{pattern}, nil
	}
	from, to, step := pattern[m[2]:m[3]], pattern[m[4]:m[5]], 1
	if m[6] >= 0 {
		step, _ = strconv.Atoi(pattern[m[6]:m[7]])
	}
	lo, loErr := strconv.Atoi(from)
	hi, hiErr := strconv.Atoi(to)
	write := func(n int) string { return fmt.Sprintf("%0*d", len(from), n) }
	if loErr != nil && hiErr != nil {
		lo, hi = int(from[0]), int(to[0])
		write = func(n int) string { return string(rune(n)) }
	} else if loErr != nil || hiErr != nil {
		return nil, fmt.Errorf("%q is no range", clip(pattern[m[0]:m[1]]))
	}
	if step < 1 || hi < lo || (hi-lo)/step >= maxDevices || len(from) > 9 {
		return nil, fmt.Errorf("%q is no range of at most %d", clip(pattern[m[0]:m[1]]), maxDevices)
	}
	var out []string
	for n := lo; n <= hi; n += step {
		rest, err := expand(pattern[:m[0]] + write(n) + pattern[m[1]:])
		if err != nil {
			return nil, err
		}
		if out = append(out, rest...); len(out) > maxDevices {
			return nil, fmt.Errorf("%q stands for more than %d hosts", clip(pattern), maxDevices)
		}
	}
	return out, nil
}
