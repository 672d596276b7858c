// Package inventory reads the devices of a network from files that other programs keep: which they are, where they
// are and what they are. It leaves out every secret, and says where it stood; how to log in is the site file's word.
//
// Sources: "Building Ansible inventories" of docs.ansible.com; the SimpleInventory plugin of nornir.readthedocs.io;
// "Topology definition" of containerlab.dev; the REST API of NetBox (docs.netbox.dev); RFC 4180; ssh_config(5).
package inventory

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"whydrop/devices"
)

// Limits of an inventory. A file with all devices of a large company is a few MiB.
const (
	MaxBytes   = 16 << 20 // of one file
	maxDevices = 20000
	maxNotes   = 1000
	maxDepth   = 40 // of lists and mappings within one another
)

// Input is one inventory, read already.
type Input struct {
	Name string // what errors and notes call it: the file's name, "-" or its address
	Text []byte
	// Beside, if not nil, is the folder that the file is in: some formats keep more files there.
	Beside fs.FS
}

// Found is what an inventory says.
type Found struct {
	Format string // a name of Formats
	// Devices have neither secrets nor, where the inventory does not tell them, ports. SSH and SNMP are set where the
	// inventory says something of them, and are not enough to log in.
	Devices []devices.Device
	Notes   []Note // what was left out, and why
}

// Note is something that was left out.
type Note struct {
	File string
	Line int // from 1; 0: not known
	Text string
}

// String returns "file:line: text".
func (n Note) String() string { return place(n.File, n.Line) + ": " + n.Text }

func place(file string, line int) string {
	if line > 0 {
		return file + ":" + strconv.Itoa(line)
	}
	return file
}

// Format is one way to write an inventory.
type Format struct {
	Name string
	Help string
	// looks says whether an inventory is written this way.
	looks func(Input, *node) bool
	read  func(*reader, *node) error
}

// formats lists the formats in the order in which an inventory is compared with them. A new one is one file and one
// line here.
func formats() []Format {
	return []Format{
		{"containerlab", "topology of containerlab (*.clab.yml)", looksContainerlab, readContainerlab},
		{"ansible-json", "what ansible-inventory --list prints", looksAnsibleJSON, readAnsibleJSON},
		{"netbox", "devices of NetBox: JSON of its API or an export", looksNetBox, readNetBox},
		{"native", "the devices: of a site file", looksNative, readNative},
		{"ansible-yaml", "inventory of Ansible in YAML, with group_vars and host_vars beside it", looksAnsibleYAML, readAnsibleYAML},
		{"nornir", "hosts.yaml of Nornir, with groups.yaml and defaults.yaml beside it", looksNornir, readNornir},
		{"ssh-config", "~/.ssh/config", looksSSHConfig, readSSHConfig},
		{"ansible-ini", "inventory of Ansible in INI form, with group_vars and host_vars beside it", looksAnsibleINI, readAnsibleINI},
		{"csv", "table with a header: name, address, platform, role, ports, user, ...", looksCSV, readCSV},
	}
}

// Formats returns every format that is read, in the order in which an inventory is compared with them.
func Formats() []Format { return formats() }

// Read reads an inventory. format is a name of [Formats], "ansible" for any of its forms, or "" to see by the content.
// Its error lists every mistake found, each with file, line and key; what was understood is not returned then.
func Read(in Input, format string) (Found, error) {
	if len(in.Text) > MaxBytes {
		return Found{}, fmt.Errorf("%s: longer than %d bytes; an inventory is not", in.Name, MaxBytes)
	}
	in.Text = bytes.TrimPrefix(in.Text, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(in.Text) {
		return Found{}, fmt.Errorf("%s: is not UTF-8 text", in.Name)
	}
	if bytes.HasPrefix(in.Text, []byte("$ANSIBLE_VAULT")) {
		return Found{}, fmt.Errorf("%s:1: the whole file is encrypted by ansible-vault, which is not read here; `ansible-inventory --list` decrypts it", in.Name)
	}
	doc, docErr := parseTree(in)
	f, err := choose(in, doc, docErr, format)
	if err != nil {
		return Found{}, err
	}
	r := &reader{in: in, found: Found{Format: f.Name}, lines: map[string]int{}}
	if err := f.read(r, doc); err != nil {
		r.errs = append(r.errs, err)
	}
	if err := errors.Join(r.errs...); err != nil {
		return Found{}, err
	}
	return r.found, nil
}

// choose returns the format of an inventory.
func choose(in Input, doc *node, docErr error, want string) (Format, error) {
	var names []string
	for _, f := range formats() {
		names = append(names, f.Name)
		family, _, _ := strings.Cut(f.Name, "-")
		if want != f.Name && (want != "" && want != family || !f.looks(in, doc)) {
			continue
		}
		if doc == nil && f.tree() {
			return Format{}, docErr
		}
		return f, nil
	}
	var refused refusal
	if errors.As(docErr, &refused) || docErr != nil && isTreeFile(in.Name) {
		return Format{}, docErr
	}
	if want != "" && want != "ansible" {
		return Format{}, fmt.Errorf("%q is no format of an inventory; there are %s", want, strings.Join(names, ", "))
	}
	return Format{}, fmt.Errorf("%s: is no inventory that can be told by its content; name its format: %s", in.Name, strings.Join(names, ", "))
}

// tree says whether the format is read from YAML or JSON.
func (f Format) tree() bool {
	switch f.Name {
	case "ssh-config", "ansible-ini", "csv":
		return false
	}
	return true
}

func isTreeFile(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".yml", ".yaml", ".json":
		return true
	}
	return false
}

// reader gathers what is found.
type reader struct {
	in    Input
	found Found
	lines map[string]int // of devices, by name
	errs  []error
}

const mostErrors = 50

// errorf notes a mistake in a file.
func (r *reader) errorf(file string, line int, format string, args ...any) {
	if len(r.errs) < mostErrors {
		r.errs = append(r.errs, fmt.Errorf("%s: %s", place(file, line), fmt.Sprintf(format, args...)))
	}
}

// notef notes that something was left out.
func (r *reader) notef(file string, line int, format string, args ...any) {
	if len(r.found.Notes) < maxNotes {
		r.found.Notes = append(r.found.Notes, Note{file, line, fmt.Sprintf(format, args...)})
	}
}

// add takes a device, unless its name or its address can't be one.
func (r *reader) add(file string, line int, d devices.Device) {
	switch first, twice := r.lines[d.Name]; {
	case d.Name == "":
		r.notef(file, line, "a device without a name is left out")
		return
	case !devices.ValidName(d.Name):
		r.notef(file, line, "%q is left out: a name has letters, digits, '.', '_' and '-', at most 64", clip(d.Name))
		return
	case twice:
		r.notef(file, line, "%s is there twice and is taken from line %d", d.Name, first)
		return
	case len(r.found.Devices) >= maxDevices:
		r.errorf(file, line, "more than %d devices", maxDevices)
		return
	}
	if d.Address != "" && !devices.ValidAddress(d.Address) {
		r.errorf(file, line, "%s: address: %q: a host name or an IP address is wanted, without a port", d.Name, clip(d.Address))
		return
	}
	if d.SSH != nil && *d.SSH == (devices.SSH{}) {
		d.SSH = nil
	}
	r.lines[d.Name] = line
	r.found.Devices = append(r.found.Devices, d)
}

// secret notes that a secret stood there, which is not taken.
func (r *reader) secret(file string, line int, owner, key string) {
	r.notef(file, line, "%s: %s is a secret and not taken; give the site file a reference to it (env:NAME, file:PATH)", clip(owner), clip(key))
}

// port reads a port number.
func (r *reader) port(v value, owner, key string) uint16 {
	if v.text == "" {
		return 0
	}
	n, err := strconv.ParseUint(v.text, 10, 16)
	if err != nil || n == 0 {
		r.errorf(v.file, v.line, "%s: %s: %q is no port number", owner, key, clip(v.text))
	}
	return uint16(n)
}

// clip keeps what a message quotes short.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// value is a text and where it stands.
type value struct {
	text string
	file string
	line int
}

// host returns an address without the length of its network.
func host(address string) string {
	a, _, _ := strings.Cut(strings.TrimSpace(address), "/")
	return a
}

var secretKey = regexp.MustCompile(`(?i)(^|[_.-])pass(wd|phrase)?($|[_.-])|password|secret|community|token|priv_?key$|auth_?key$|api_?key$`)

// isSecret says whether a key's value is one. The path of a file with one is none.
func isSecret(key string) bool {
	k := strings.ToLower(key)
	return secretKey.MatchString(k) && !strings.HasSuffix(k, "_file") && !strings.HasSuffix(k, "_path")
}
