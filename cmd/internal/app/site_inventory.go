package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/inventory"
	"whydrop/rules"
)

// siteDefaults is how devices are asked that do not say so themselves.
type siteDefaults struct {
	SNMP *siteSNMP `yaml:"snmp"`
	SSH  *siteSSH  `yaml:"ssh"`
}

// inventoryTimeout bounds the asking of an API for all its devices.
const inventoryTimeout = 2 * time.Minute

// inventory adds what the site file's inventory says to its devices. A device of the inventory is taken if the site
// file names it, among the devices or as a hop of a path; or all are, if a path is to be learnt; or all that have ports,
// if it names none at all. What the site file says of a device itself wins.
func (l *siteLoader) inventory(p *Plan, f *siteFile) {
	if !f.Inventory.isSet() {
		for _, s := range []struct {
			scalar
			key string
		}{{f.InventoryFormat, "inventory_format"}, {f.InventoryToken, "inventory_token"}} {
			if s.isSet() {
				l.addf(s.line, "%s: without inventory it is of no use", s.key)
			}
		}
		return
	}
	token := l.secret(f.InventoryToken, "inventory", "inventory_token")
	if len(l.list) > 0 {
		return // before anything is fetched with half a configuration
	}
	found, err := LoadInventory(context.Background(), besides(l.file, f.Inventory.text), f.InventoryFormat.text, token)
	if err != nil {
		l.addf(f.Inventory.line, "inventory: %w", err)
		return
	}
	for _, n := range found.Notes {
		p.Warnings = append(p.Warnings, "inventory: "+n.String())
	}
	byName := map[string]devices.Device{}
	for _, d := range found.Devices {
		byName[d.Name] = d
	}
	for i := range f.Devices {
		own := &f.Devices[i]
		if d, ok := byName[own.Name.text]; ok {
			own.complete(d, f.Defaults)
			delete(byName, d.Name)
		}
	}
	hops := hopLines(f.Paths)
	all := len(f.Devices)+len(hops) == 0
	learns := slices.ContainsFunc(f.Paths, sitePath.learns) // and may lie over any device
	for _, d := range found.Devices {
		if _, left := byName[d.Name]; !left {
			continue
		}
		line, named := hops[d.Name]
		if !named && (learns || all && len(d.Ports)+len(d.OffPath) > 0) {
			line, named = f.Inventory.line, true
		}
		if named {
			own := siteDevice{Name: scalar{d.Name, line}}
			own.complete(d, f.Defaults)
			f.Devices = append(f.Devices, own)
			delete(byName, d.Name)
		}
	}
	if n := len(byName); n > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("inventory: %d of its %d devices are not named in the site file and left alone", n, len(found.Devices)))
	}
}

// besides returns a file's path as seen from the site file; addresses and "-" stay as they are.
func besides(siteFile, path string) string {
	if path == "-" || strings.Contains(path, "://") || filepath.IsAbs(path) || strings.HasPrefix(path, "~/") {
		return home(path)
	}
	return filepath.Join(filepath.Dir(siteFile), path)
}

// hopLines returns the names of all hops, and the line of each.
func hopLines(paths []sitePath) map[string]int {
	out := map[string]int{}
	for _, p := range paths {
		for _, h := range p.Hops.list {
			for _, n := range h.names {
				if _, twice := out[n.text]; !twice {
					out[n.text] = n.line
				}
			}
		}
	}
	return out
}

// LoadInventory reads an inventory from a file, from standard input ("-") or from the API of a NetBox (https://...).
func LoadInventory(ctx context.Context, path, format string, token devices.Secret) (inventory.Found, error) {
	var in inventory.Input
	var err error
	switch {
	case path == "-":
		in.Name = "-"
		in.Text, err = io.ReadAll(io.LimitReader(os.Stdin, inventory.MaxBytes+1))
	case strings.Contains(path, "://"):
		ctx, cancel := context.WithTimeout(ctx, inventoryTimeout)
		defer cancel()
		in, err = inventory.Fetcher{Token: token}.Fetch(ctx, path)
	default:
		return fileInventory(path, format)
	}
	if err != nil {
		return inventory.Found{}, err
	}
	return inventory.Read(in, format)
}

// fileInventory reads an inventory and, where its format has more files, those in its folder and below: a link that
// leads out of the folder is not followed.
func fileInventory(path, format string) (inventory.Found, error) {
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		return inventory.Found{}, fmt.Errorf("%s: is a folder; name the file in it (hosts.yml, hosts.yaml)", path)
	}
	text, err := readLimitedTo(path, inventory.MaxBytes)
	if err != nil {
		return inventory.Found{}, err
	}
	in := inventory.Input{Name: path, Text: text}
	if root, err := os.OpenRoot(filepath.Dir(path)); err == nil {
		defer root.Close()
		in.Beside = regularFiles{root.FS()}
	}
	return inventory.Read(in, format)
}

// regularFiles opens nothing that could keep us waiting.
type regularFiles struct{ fs.FS }

// Open opens a regular file or a folder.
func (r regularFiles) Open(name string) (fs.File, error) {
	if fi, err := fs.Stat(r.FS, name); err != nil {
		return nil, err
	} else if !fi.Mode().IsRegular() && !fi.IsDir() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	return r.FS.Open(name)
}

// complete adds to a device what the site file does not say of it itself. The way to ask it stands in its own snmp and
// ssh, or else in the defaults; the inventory adds to either what it knows.
func (s *siteDevice) complete(d devices.Device, defaults *siteDefaults) {
	fill := s.Name.filler()
	fill(&s.Address, d.Address)
	fill(&s.Platform, d.Platform)
	fill(&s.Role, d.Role)
	fill(&s.Peer, d.Peer)
	if len(s.Ports)+len(s.OffPath) == 0 {
		s.Ports, s.OffPath = s.Name.sameLine(d.Ports), s.Name.sameLine(d.OffPath)
	}
	s.inherit(defaults)
	if s.SNMP != nil && d.SNMP != nil {
		fill(&s.SNMP.Version, d.SNMP.Version)
		fill(&s.SNMP.User, d.SNMP.User)
		fill(&s.SNMP.Context, d.SNMP.Context)
		fillPort(fill, &s.SNMP.Port, d.SNMP.Port)
	}
	if s.SSH == nil || d.SSH == nil {
		return
	}
	fill(&s.SSH.User, d.SSH.User)
	fillPort(fill, &s.SSH.Port, d.SSH.Port)
	if j := d.SSH.Jump; j != nil && s.SSH.Jump == nil {
		// ssh offers a jump host the same keys; a password is the device's alone.
		s.SSH.Jump = &siteSSH{Key: s.SSH.Key, KeyPass: s.SSH.KeyPass, Agent: s.SSH.Agent, KnownHosts: s.SSH.KnownHosts, User: s.SSH.User}
		fill(&s.SSH.Jump.Address, j.Address)
		if j.SSH.User != "" {
			s.SSH.Jump.User = scalar{j.SSH.User, s.Name.line}
		}
		fillPort(fill, &s.SSH.Jump.Port, j.SSH.Port)
	}
}

// inherit takes the defaults for a device that says nothing of how to ask it. Hosts are not asked by default.
func (s *siteDevice) inherit(d *siteDefaults) {
	if d == nil || s.SNMP != nil || s.SSH != nil || s.Role.text == "host" {
		return
	}
	if d.SNMP != nil {
		c := *d.SNMP
		s.SNMP = &c
	}
	if d.SSH != nil {
		c := *d.SSH
		s.SSH = &c
	}
}

// filler returns what sets a value that is not set, as if it stood on the line of s.
func (s scalar) filler() func(*scalar, string) {
	return func(to *scalar, text string) {
		if !to.isSet() && text != "" {
			*to = scalar{text, max(s.line, 1)}
		}
	}
}

func fillPort(fill func(*scalar, string), to *scalar, port uint16) {
	if port != 0 {
		fill(to, strconv.Itoa(int(port)))
	}
}

func (s scalar) sameLine(list []string) (out []scalar) {
	for _, t := range list {
		out = append(out, scalar{t, max(s.line, 1)})
	}
	return out
}

// SiteFromInventory writes a site file for the devices of an inventory. Its secrets are references; what the inventory
// did not tell is left to fill in.
func SiteFromInventory(name string, found inventory.Found) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# A site of %s, written from %s (%s).\n", rules.Plural(len(found.Devices), "device"), quoteYAML(name), found.Format)
	b.WriteString(`#
# Keep those on the path, name their ports, and try it:  whydrop check -f FILE
# Secrets never stand here, only where to find them: env:NAME  file:PATH  cmd:COMMAND ARGS  prompt:LABEL

# How devices are asked that do not say so themselves. Delete what does not apply.
defaults:
  snmp: {version: 2c, community: "env:SNMP_COMMUNITY"}
  ssh: {user: netops, password: "env:SSH_PASSWORD"}

devices:
`)
	for _, d := range found.Devices {
		writeDevice(&b, d)
	}
	b.WriteString(`
# paths:
#   - name: office-to-servers
#     hops: [dist1, [fw1, fw2], dist2]   # from this host to the far end
#     probe: {to: 198.51.100.20, rate: 10M}
`)
	if len(found.Notes) > 0 {
		b.WriteString("\n# Left out:\n")
		for _, n := range found.Notes {
			b.WriteString("#   " + strings.Join(strings.FieldsFunc(n.String(), func(r rune) bool { return r < ' ' || r == 0x7f }), " ") + "\n")
		}
	}
	return []byte(b.String())
}

func writeDevice(b *strings.Builder, d devices.Device) {
	fmt.Fprintf(b, "  - name: %s\n", quoteYAML(d.Name))
	write := func(key, text string) {
		if text != "" {
			fmt.Fprintf(b, "    %s: %s\n", key, quoteYAML(text))
		}
	}
	if d.Address == "" {
		b.WriteString("    # address: not told by the inventory\n")
	}
	write("address", d.Address)
	write("platform", d.Platform)
	write("role", d.Role)
	write("peer", d.Peer)
	if s := d.SNMP; s != nil {
		var more string
		if s.Port != 0 {
			more = fmt.Sprintf(", port: %d", s.Port)
		}
		if s.Version == "3" {
			fmt.Fprintf(b, "    snmp: {version: 3%s, user: %s, auth_pass: \"env:SNMP_AUTH\", priv_pass: \"env:SNMP_PRIV\"}\n", more, quoteYAML(cmp.Or(s.User, "whydrop")))
		} else {
			fmt.Fprintf(b, "    snmp: {version: %s%s, community: \"env:SNMP_COMMUNITY\"}\n", quoteYAML(cmp.Or(s.Version, "2c")), more)
		}
	}
	writeSSH(b, d.SSH)
	if len(d.Ports)+len(d.OffPath) == 0 {
		b.WriteString("    ports: []  # those on the path, as the device names them\n")
	}
	for key, list := range map[string][]string{"ports": d.Ports, "off_path": d.OffPath} {
		if len(list) > 0 {
			quoted := make([]string, len(list))
			for i, p := range list {
				quoted[i] = quoteYAML(p)
			}
			fmt.Fprintf(b, "    %s: [%s]\n", key, strings.Join(quoted, ", "))
		}
	}
}

func writeSSH(b *strings.Builder, s *devices.SSH) {
	if s == nil {
		return
	}
	fmt.Fprintf(b, "    ssh:\n      user: %s\n      password: env:SSH_PASSWORD\n", quoteYAML(cmp.Or(s.User, "netops")))
	if s.Port != 0 {
		fmt.Fprintf(b, "      port: %d\n", s.Port)
	}
	if j := s.Jump; j != nil {
		port := ""
		if j.SSH.Port != 0 {
			port = fmt.Sprintf(", port: %d", j.SSH.Port)
		}
		fmt.Fprintf(b, "      jump: {address: %s, user: %s%s, agent: true}\n", quoteYAML(j.Address), quoteYAML(cmp.Or(j.SSH.User, cmp.Or(s.User, "netops"))), port)
	}
}

// quoteYAML writes a text as a YAML scalar that stays a text.
func quoteYAML(s string) string {
	plain := s != "" && !slices.Contains([]string{"null", "true", "false", "yes", "no", "on", "off", "~"}, strings.ToLower(s)) &&
		strings.IndexFunc(s, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._/-", r)
		}) < 0 && s[0] != '-' && s[0] != '.'
	if plain {
		return s
	}
	return strconv.Quote(s)
}
