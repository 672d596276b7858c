package app

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/devices"
	"whydrop/devices/cli"
	"whydrop/probe/runner"
)

// Plan is what a site file comes to: what to probe, whom to ask, and what is known of the topology.
type Plan struct {
	Topology correlate.Topology
	Devices  []devices.Device // those that can be asked; the topology may name more
	Probes   []runner.Spec
	Senders  []devices.Device // those that have an address, from which they may send logs and traps
	Receivers
	Learn    []Learning // the paths that are learnt from the devices' tables
	Secrets  []string   // every secret resolved, for the redactor alone
	Warnings []string   // what was relaxed or looks odd, for the user and the report

	learnt []string // devices whose ports were learnt
}

// The site file's own shape. Every key is documented in the example that `whydrop init` writes.
type (
	siteFile struct {
		Site    scalar       `yaml:"site"`
		Devices []siteDevice `yaml:"devices"`
		Paths   []sitePath   `yaml:"paths"`

		Receivers *siteReceivers `yaml:"receivers"`

		Inventory       scalar        `yaml:"inventory"`
		InventoryFormat scalar        `yaml:"inventory_format"`
		InventoryToken  scalar        `yaml:"inventory_token"`
		Defaults        *siteDefaults `yaml:"defaults"`
	}
	siteDevice struct {
		Name     scalar    `yaml:"name"`
		Address  scalar    `yaml:"address"`
		Platform scalar    `yaml:"platform"`
		Role     scalar    `yaml:"role"`
		Peer     scalar    `yaml:"peer"`
		Source   scalar    `yaml:"source"`
		Ports    []scalar  `yaml:"ports"`
		OffPath  []scalar  `yaml:"off_path"`
		Follow   []scalar  `yaml:"follow"`
		SNMP     *siteSNMP `yaml:"snmp"`
		SSH      *siteSSH  `yaml:"ssh"`
	}
	siteSNMP struct {
		Version   scalar `yaml:"version"`
		Port      scalar `yaml:"port"`
		Timeout   scalar `yaml:"timeout"`
		Retries   scalar `yaml:"retries"`
		Community scalar `yaml:"community"`
		User      scalar `yaml:"user"`
		Level     scalar `yaml:"level"`
		Auth      scalar `yaml:"auth"`
		AuthPass  scalar `yaml:"auth_pass"`
		Priv      scalar `yaml:"priv"`
		PrivPass  scalar `yaml:"priv_pass"`
		Context   scalar `yaml:"context"`
		AnySource bool   `yaml:"any_source"`
	}
	siteSSH struct {
		Address         scalar   `yaml:"address"`
		Port            scalar   `yaml:"port"`
		User            scalar   `yaml:"user"`
		Password        scalar   `yaml:"password"`
		Key             scalar   `yaml:"key"`
		KeyPass         scalar   `yaml:"key_pass"`
		Agent           bool     `yaml:"agent"`
		HostKey         scalar   `yaml:"host_key"`
		KnownHosts      scalar   `yaml:"known_hosts"`
		Profile         scalar   `yaml:"profile"`
		Timeout         scalar   `yaml:"timeout"`
		Jump            *siteSSH `yaml:"jump"`
		InsecureHostKey bool     `yaml:"insecure_host_key"`
	}
	sitePath struct {
		Name     scalar     `yaml:"name"`
		Hops     hops       `yaml:"hops"`
		Discover bool       `yaml:"discover"`
		From     scalar     `yaml:"from"`
		Probe    *siteProbe `yaml:"probe"`
	}
	siteProbe struct {
		To        scalar   `yaml:"to"`
		Port      scalar   `yaml:"port"`
		StampPort scalar   `yaml:"stamp_port"`
		Rate      scalar   `yaml:"rate"`
		Heartbeat scalar   `yaml:"heartbeat"`
		Token     scalar   `yaml:"token"`
		StampKey  scalar   `yaml:"stamp_key"`
		Service   scalar   `yaml:"service_port"`
		Ask       scalar   `yaml:"ask"`
		Streams   scalar   `yaml:"streams"`
		TestTime  scalar   `yaml:"test_time"`
		Kinds     []scalar `yaml:"kinds"`
	}
)

// defaultRate is what a path is probed with unless the site file says otherwise, so that watching a production
// path for a day does not fill it.
const defaultRate = 10e6 // bit/s

// LoadSite reads a site file and resolves its secrets. Its error lists every mistake found, each with file, line
// and key.
func LoadSite(path string, secrets *Secrets) (Plan, error) {
	in, err := readLimited(path)
	if err != nil {
		return Plan{}, err
	}
	return ParseSite(path, in, secrets)
}

// LoadSiteWithoutPorts is LoadSite for commands that find the ports themselves: no device needs to name any.
func LoadSiteWithoutPorts(path string, secrets *Secrets) (Plan, error) {
	in, err := readLimited(path)
	if err != nil {
		return Plan{}, err
	}
	return parseSite(path, in, secrets, true)
}

// ParseSite is LoadSite for a file that has been read already; name is what errors call it.
func ParseSite(name string, in []byte, secrets *Secrets) (Plan, error) {
	return parseSite(name, in, secrets, false)
}

func parseSite(name string, in []byte, secrets *Secrets, portless bool) (Plan, error) {
	var f siteFile
	if err := decodeStrict(name, in, &f); err != nil {
		return Plan{}, err
	}
	l := siteLoader{fileErrors: fileErrors{file: name}, secrets: secrets, portless: portless || slices.ContainsFunc(f.Paths, sitePath.learns)}
	plan := l.plan(f)
	return plan, l.err()
}

// siteLoader turns the file's shape into a plan and gathers every mistake.
type siteLoader struct {
	fileErrors
	secrets  *Secrets
	portless bool // devices need not name their ports: they are found
}

func (l *siteLoader) plan(f siteFile) Plan {
	p := Plan{Topology: correlate.Topology{Site: f.Site.text}}
	if !f.Site.isSet() {
		p.Topology.Site = strings.TrimSuffix(filepath.Base(l.file), filepath.Ext(l.file))
	}
	l.inventory(&p, &f)
	lines := map[string]int{}
	for _, d := range f.Devices {
		d.inherit(f.Defaults)
		dev := l.device(d)
		if first, twice := lines[dev.Name]; twice {
			l.addf(d.Name.line, "devices: %s is there twice; the first is on line %d", dev.Name, first)
		}
		lines[dev.Name] = d.Name.line
		td := correlate.Device{Name: dev.Name, Role: dev.Role, Platform: dev.Platform, Peer: dev.Peer, Ports: dev.Ports, OffPath: dev.OffPath, Warnings: relaxed(dev)}
		p.Topology.Devices = append(p.Topology.Devices, td)
		for _, w := range td.Warnings {
			p.Warnings = append(p.Warnings, dev.Name+": "+w)
		}
		if dev.Address != "" {
			p.Senders = append(p.Senders, dev)
		}
		if dev.SNMP != nil || dev.SSH != nil {
			p.Devices = append(p.Devices, dev)
		} else {
			p.Warnings = append(p.Warnings, dev.Name+": neither snmp nor ssh is given, so nothing is read from it")
		}
	}
	for _, sp := range f.Paths {
		l.path(&p, sp)
	}
	if len(f.Paths) == 0 && len(f.Devices) == 0 && !f.Inventory.isSet() {
		l.addf(0, "names no devices and no paths; `whydrop init` writes an example")
	}
	if len(p.Topology.Devices) == 0 && f.Inventory.isSet() && len(l.list) == 0 {
		l.addf(f.Inventory.line, "inventory: none of its devices tells its ports; name those on the path under devices, with their ports")
	}
	p.Receivers = l.receivers(f.Receivers)
	p.Warnings = append(p.Warnings, p.exposed()...)
	p.Secrets = l.secrets.Revealed()
	return p
}

// relaxed lists what was relaxed for a device, in words for the report.
func relaxed(d devices.Device) []string {
	var out []string
	if d.SSH != nil && d.SSH.Profile == "legacy" {
		out = append(out, "legacy SSH algorithms are allowed")
	}
	if d.SSH != nil && d.SSH.InsecureHostKey {
		out = append(out, "any SSH host key is accepted")
	}
	if d.SNMP != nil && d.SNMP.Version != "3" {
		out = append(out, "SNMP v"+d.SNMP.Version+" sends its community in clear text")
	}
	return out
}

func (l *siteLoader) device(d siteDevice) devices.Device {
	if !d.Name.isSet() {
		l.addf(d.Name.line+d.Address.line, "devices: a device has no name")
	} else if !devices.ValidName(d.Name.text) {
		l.addf(d.Name.line, "devices: %q is no name: letters, digits, '.', '_' and '-', at most 64", d.Name.text)
	}
	out := devices.Device{
		Name: d.Name.text, Address: d.Address.text, Peer: d.Peer.text,
		Role:     l.oneOf(d.Role, "role", "switch", "router", "firewall", "host"),
		Platform: l.oneOf(d.Platform, "platform", cli.Names()...),
		Ports:    texts(d.Ports), OffPath: texts(d.OffPath), Follow: texts(d.Follow),
	}
	if out.Role == "" {
		out.Role = "switch"
	}
	if d.Source.isSet() {
		a, err := netip.ParseAddr(d.Source.text)
		if err != nil {
			l.addf(d.Source.line, "%s: source: %q is no IP address", out.Name, d.Source.text)
		}
		out.Source = a
	}
	for _, f := range d.Follow {
		_, noMAC := net.ParseMAC(f.text)
		if _, noIP := netip.ParseAddr(f.text); noMAC != nil && noIP != nil {
			l.addf(f.line, "%s: follow: %q is neither an IP nor a MAC address", out.Name, f.text)
		}
	}
	if d.SNMP == nil && d.SSH == nil {
		return out
	}
	l.address(d.Address, out.Name, d.Name.line)
	if len(d.Ports)+len(d.OffPath) == 0 && !l.portless {
		l.addf(d.Name.line, "%s: ports: list the ports on the path, as the device names them (GigabitEthernet1/0/1)", out.Name)
	}
	if d.SNMP != nil {
		out.SNMP = l.snmp(out.Name, *d.SNMP, d.Name.line)
	}
	if d.SSH != nil {
		out.SSH = l.ssh(out.Name, *d.SSH, d.Name.line)
	}
	return out
}

func (l *siteLoader) address(s scalar, owner string, line int) {
	switch {
	case !s.isSet():
		l.addf(line, "%s: address: missing", owner)
	case strings.ContainsAny(s.text, " /@") || strings.Count(s.text, ":") == 1:
		l.addf(s.line, "%s: address: %q: a host name or an IP address is wanted, without a port", owner, s.text)
	}
}

func (l *siteLoader) snmp(owner string, s siteSNMP, line int) *devices.SNMP {
	out := &devices.SNMP{
		Version: strings.TrimPrefix(s.Version.text, "v"), Port: l.port(s.Port, owner, "snmp.port"), Timeout: l.duration(s.Timeout, owner, "snmp.timeout"),
		User: s.User.text, Context: s.Context.text, AnySource: s.AnySource,
		Community: l.secret(s.Community, owner, "snmp.community"), AuthPass: l.secret(s.AuthPass, owner, "snmp.auth_pass"), PrivPass: l.secret(s.PrivPass, owner, "snmp.priv_pass"),
		Level: l.oneOf(s.Level, "snmp.level", "noAuthNoPriv", "authNoPriv", "authPriv"),
		Auth:  l.oneOf(s.Auth, "snmp.auth", "SHA", "MD5", "SHA-224", "SHA-256", "SHA-384", "SHA-512"),
		Priv:  l.oneOf(s.Priv, "snmp.priv", "AES", "DES", "AES-192", "AES-256", "AES-192-C", "AES-256-C"),
	}
	if s.Retries.isSet() {
		n, err := strconv.Atoi(s.Retries.text)
		if err != nil || n < 0 || n > 10 {
			l.addf(s.Retries.line, "%s: snmp.retries: %q is no number from 0 to 10", owner, s.Retries.text)
		}
		if out.Retries = n; n == 0 {
			out.Retries = -1
		}
	}
	switch out.Version {
	case "1", "2c", "2":
		if out.Version == "2" {
			out.Version = "2c"
		}
		if !s.Community.isSet() {
			l.addf(max(s.Version.line, line), "%s: snmp.community: missing; version %s needs one, for instance env:SNMP_COMMUNITY", owner, out.Version)
		}
	case "3":
		if !s.User.isSet() {
			l.addf(max(s.Version.line, line), "%s: snmp.user: missing; version 3 needs one", owner)
		}
	case "":
		l.addf(line, "%s: snmp.version: missing; 2c, 3 or 1", owner)
	default:
		l.addf(s.Version.line, "%s: snmp.version: %q is not 2c, 3 or 1", owner, s.Version.text)
	}
	return out
}

func (l *siteLoader) ssh(owner string, s siteSSH, line int) *devices.SSH {
	out := &devices.SSH{
		Port: l.port(s.Port, owner, "ssh.port"), User: s.User.text, Agent: s.Agent, HostKey: s.HostKey.text, KnownHosts: home(s.KnownHosts.text),
		Password: l.secret(s.Password, owner, "ssh.password"), Key: l.secret(s.Key, owner, "ssh.key"), KeyPass: l.secret(s.KeyPass, owner, "ssh.key_pass"),
		Profile: l.oneOf(s.Profile, "ssh.profile", "legacy"), Timeout: l.duration(s.Timeout, owner, "ssh.timeout"), InsecureHostKey: s.InsecureHostKey,
	}
	if !s.User.isSet() {
		l.addf(line, "%s: ssh.user: missing", owner)
	}
	if !s.Password.isSet() && !s.Key.isSet() && !s.Agent {
		l.addf(line, "%s: ssh: give password, key or agent: true", owner)
	}
	if s.HostKey.isSet() && !strings.HasPrefix(s.HostKey.text, "SHA256:") {
		l.addf(s.HostKey.line, "%s: ssh.host_key: a fingerprint begins with SHA256: (ssh-keyscan HOST | ssh-keygen -lf -)", owner)
	}
	if s.Jump != nil {
		l.address(s.Jump.Address, owner+": ssh.jump", line)
		out.Jump = &devices.SSHJump{Address: s.Jump.Address.text, SSH: *l.ssh(owner+": ssh.jump", *s.Jump, line)}
	} else if s.Address.isSet() && !strings.Contains(owner, "ssh.jump") {
		l.addf(s.Address.line, "%s: ssh.address: only a jump host has one; the device's address stands beside its name", owner)
	}
	return out
}

func (l *siteLoader) path(p *Plan, sp sitePath) {
	name := sp.Name.text
	if !sp.Name.isSet() {
		l.addf(0, "paths: a path has no name")
	}
	if _, twice := p.Topology.Path(name); twice {
		l.addf(sp.Name.line, "paths: %s is there twice", name)
	}
	tp := correlate.Path{Name: name}
	for _, h := range sp.Hops.list {
		tp.Hops = append(tp.Hops, texts(h.names))
		for _, n := range h.names {
			if _, ok := p.Topology.Device(n.text); !ok {
				p.Warnings = append(p.Warnings, l.unwatched(p.Topology, name, n))
			}
		}
	}
	if sp.Probe != nil {
		spec := l.probe(name, *sp.Probe, sp.Name.line)
		tp.To, tp.Rate = spec.To, spec.Rate
		p.Probes = append(p.Probes, spec)
	} else {
		p.Warnings = append(p.Warnings, "path "+name+": no probe, so its outages can't be seen")
	}
	if sp.learns() {
		p.Learn = append(p.Learn, l.learning(sp, tp))
	}
	p.Topology.Paths = append(p.Topology.Paths, tp)
}

// unwatched is the warning for a hop that is not among the devices.
func (l *siteLoader) unwatched(t correlate.Topology, path string, n scalar) string {
	var names []string
	for _, d := range t.Devices {
		names = append(names, d.Name)
	}
	hint := ""
	if c := nearest(n.text, names); c != "" && distance(n.text, c) == 1 && !slices.Contains(names, n.text) {
		hint = fmt.Sprintf("; did you mean %s?", c)
	}
	return fmt.Sprintf("path %s: hop %s (line %d) is not under devices, so nothing is read from it%s", path, n.text, n.line, hint)
}

func (l *siteLoader) probe(path string, sp siteProbe, line int) runner.Spec {
	owner := "path " + path
	l.address(scalar{sp.To.text, sp.To.line}, owner+": probe.to", line)
	spec := runner.Spec{
		Path: path, To: sp.To.text, Port: l.port(sp.Port, owner, "probe.port"), STAMPPort: l.port(sp.StampPort, owner, "probe.stamp_port"),
		Rate: defaultRate, Heartbeat: l.duration(sp.Heartbeat, owner, "probe.heartbeat"), TestTime: l.duration(sp.TestTime, owner, "probe.test_time"),
		Token: l.secret(sp.Token, owner, "probe.token").Reveal(), Kinds: texts(sp.Kinds),
		STAMPKey: l.secret(sp.StampKey, owner, "probe.stamp_key").Reveal(), ServicePort: l.port(sp.Service, owner, "probe.service_port"), Ask: sp.Ask.text,
	}
	l.service(owner, sp)
	if sp.Rate.isSet() {
		rate, err := ParseRate(sp.Rate.text)
		if err != nil {
			l.addf(sp.Rate.line, "%s: probe.rate: %v", owner, err)
		}
		spec.Rate = rate
	}
	if h := spec.Heartbeat; h != 0 && (h < time.Millisecond || h > 10*time.Second) {
		l.addf(sp.Heartbeat.line, "%s: probe.heartbeat: %v is not between 1ms and 10s", owner, h)
	}
	if sp.Streams.isSet() {
		n, err := strconv.Atoi(sp.Streams.text)
		if err != nil || n < 1 || n > 128 {
			l.addf(sp.Streams.line, "%s: probe.streams: %q is no number from 1 to 128", owner, sp.Streams.text)
		}
		spec.Streams = n
	}
	for _, k := range sp.Kinds {
		if _, ok := runner.Kinds[k.text]; !ok {
			l.addf(k.line, "%s: probe.kinds: %q is none of %s", owner, k.text, strings.Join(slices.Sorted(maps.Keys(runner.Kinds)), ", "))
		}
	}
	return spec
}

// service sees that what only some kinds of probe use is used.
func (l *siteLoader) service(owner string, sp siteProbe) {
	uses := func(s scalar, key string, kinds ...string) {
		if s.isSet() && !slices.ContainsFunc(sp.Kinds, func(k scalar) bool { return slices.Contains(kinds, k.text) }) {
			l.addf(s.line, "%s: %s: only the kinds %s use it, and probe.kinds has none of them", owner, key, strings.Join(kinds, ", "))
		}
	}
	uses(sp.Service, "probe.service_port", "dns", "http", "https", "udp-connect")
	uses(sp.Ask, "probe.ask", "dns", "http", "https")
	if sp.Ask.isSet() && strings.ContainsFunc(sp.Ask.text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		l.addf(sp.Ask.line, "%s: probe.ask: %q: a name or a path has no spaces", owner, sp.Ask.text)
	}
}

// oneOf returns the value in the spelling of the list; "" if it is not set.
func (l *siteLoader) oneOf(s scalar, key string, values ...string) string {
	if !s.isSet() {
		return ""
	}
	for _, v := range values {
		if strings.EqualFold(s.text, v) {
			return v
		}
	}
	l.addf(s.line, "%s: %q is none of %s", key, s.text, strings.Join(values, ", "))
	return ""
}

func (l *siteLoader) port(s scalar, owner, key string) uint16 {
	if !s.isSet() {
		return 0
	}
	n, err := strconv.ParseUint(s.text, 10, 16)
	if err != nil || n == 0 {
		l.addf(s.line, "%s: %s: %q is no port number", owner, key, s.text)
	}
	return uint16(n)
}

func (l *siteLoader) duration(s scalar, owner, key string) time.Duration {
	if !s.isSet() {
		return 0
	}
	d, err := time.ParseDuration(s.text)
	if err != nil || d <= 0 {
		l.addf(s.line, "%s: %s: %q is no time; write 20ms, 1s or 5m", owner, key, s.text)
	}
	return d
}

func (l *siteLoader) secret(s scalar, owner, key string) devices.Secret {
	if !s.isSet() {
		return devices.Secret{}
	}
	v, err := l.secrets.Resolve(s.text)
	if err != nil {
		l.addf(s.line, "%s: %s: %w", owner, key, err)
	}
	return v
}

func texts(list []scalar) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, s.text)
	}
	return out
}

// home replaces a leading "~/" by the user's home directory.
func home(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(dir, rest)
}

var rateText = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([kKmMgGtT]?)(?:(?i:bits?/s(?:ec)?|bps|bits?)|b/s)?$`)

// ParseRate reads a rate as users of iperf3 write it: "50M", "1.5G", "800k", "50 Mbit/s", or "unlimited" (0).
// Prefixes are decimal. The result is in bit/s.
func ParseRate(s string) (float64, error) {
	if strings.EqualFold(s, "unlimited") {
		return 0, nil
	}
	m := rateText.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, fmt.Errorf("%q is no rate; write 50M, 1G or unlimited", s)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil || v == 0 {
		return 0, fmt.Errorf("%q is no rate above 0; write 50M, 1G or unlimited", s)
	}
	return v * map[string]float64{"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}[strings.ToLower(m[2])], nil
}
