package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"whydrop/correlate/timeline"
	"whydrop/devices/intake"
	"whydrop/devices/poll"
	"whydrop/devices/syslog"
	"whydrop/devices/trap"
)

// Receivers says where devices may send what they tell by themselves. The zero value receives nothing.
type Receivers struct {
	Syslog syslog.Config // Listen, Relays
	Traps  trap.Config   // Listen, Communities, Users, Engine
	// Files of a certificate and its key for tls:// addresses, and of the authorities whose clients alone are let in.
	Cert, Key, ClientCA string
}

// The site file's own shape.
type (
	siteReceivers struct {
		Syslog *siteSyslog `yaml:"syslog"`
		Traps  *siteTraps  `yaml:"traps"`
	}
	siteSyslog struct {
		Listen   hop      `yaml:"listen"`
		Relays   []scalar `yaml:"relays"`
		Cert     scalar   `yaml:"cert"`
		Key      scalar   `yaml:"key"`
		ClientCA scalar   `yaml:"client_ca"`
	}
	siteTraps struct {
		Listen    hop            `yaml:"listen"`
		Community hop            `yaml:"community"`
		Users     []siteTrapUser `yaml:"users"`
		Engine    scalar         `yaml:"engine_id"`
	}
	siteTrapUser struct {
		User     scalar `yaml:"user"`
		Level    scalar `yaml:"level"`
		Auth     scalar `yaml:"auth"`
		AuthPass scalar `yaml:"auth_pass"`
		Priv     scalar `yaml:"priv"`
		PrivPass scalar `yaml:"priv_pass"`
	}
)

// receivers reads the site file's part of that name.
func (l *siteLoader) receivers(s *siteReceivers) (r Receivers) {
	if s == nil {
		return r
	}
	if s.Syslog != nil {
		r.Syslog.Listen = l.listen(s.Syslog.Listen, "receivers.syslog")
		r.Cert, r.Key, r.ClientCA = home(s.Syslog.Cert.text), home(s.Syslog.Key.text), home(s.Syslog.ClientCA.text)
		for _, p := range s.Syslog.Relays {
			prefix, err := netip.ParsePrefix(p.text)
			if a, errAddr := netip.ParseAddr(p.text); errAddr == nil {
				prefix, err = netip.PrefixFrom(a, a.BitLen()), nil
			}
			if err != nil {
				l.addf(p.line, "receivers.syslog.relays: %q is neither an IP address nor a network", p.text)
			}
			r.Syslog.Relays = append(r.Syslog.Relays, prefix)
		}
	}
	if s.Traps != nil {
		r.Traps.Listen = l.listen(s.Traps.Listen, "receivers.traps")
		for _, c := range s.Traps.Community.names {
			r.Traps.Communities = append(r.Traps.Communities, l.secret(c, "receivers.traps", "community"))
		}
		for _, u := range s.Traps.Users {
			r.Traps.Users = append(r.Traps.Users, *l.snmp("receivers.traps", siteSNMP{
				Version: scalar{"3", u.User.line}, User: u.User, Level: u.Level, Auth: u.Auth, AuthPass: u.AuthPass, Priv: u.Priv, PrivPass: u.PrivPass,
			}, u.User.line))
		}
		if s.Traps.Engine.isSet() {
			b, err := hex.DecodeString(strings.TrimPrefix(strings.ToLower(s.Traps.Engine.text), "0x"))
			if err != nil {
				l.addf(s.Traps.Engine.line, "receivers.traps.engine_id: %q is no hexadecimal number", s.Traps.Engine.text)
			}
			r.Traps.Engine = b
		}
	}
	return r
}

func (l *siteLoader) listen(s hop, owner string) []string {
	if len(s.names) == 0 {
		l.addf(0, "%s.listen: missing; for instance 0.0.0.0:5514", owner)
	}
	var out []string
	for _, a := range s.names {
		addr, err := ListenAddr(a.text)
		if err != nil {
			l.addf(a.line, "%s.listen: %v", owner, err)
		}
		out = append(out, addr)
	}
	return out
}

// ListenAddr completes an address to receive at: without a host it is this one's loopback.
func ListenAddr(s string) (string, error) {
	scheme, addr, ok := strings.Cut(s, "://")
	if !ok {
		scheme, addr = "", s
	} else {
		scheme += "://"
	}
	if !strings.Contains(addr, ":") {
		addr = ":" + addr
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return s, fmt.Errorf("%q is no address; write 0.0.0.0:5514, or a port alone for this host's loopback", s)
	}
	if _, err := net.LookupPort("udp", port); err != nil {
		return s, fmt.Errorf("%q: %q is no port", s, port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return scheme + net.JoinHostPort(host, port), nil
}

// exposed lists the warnings for what can be reached from elsewhere.
func (r Receivers) exposed() (out []string) {
	for what, addrs := range map[string][]string{"log lines": r.Syslog.Listen, "traps": r.Traps.Listen} {
		for _, a := range addrs {
			_, addr, ok := strings.Cut(a, "://")
			if !ok {
				addr = a
			}
			host, _, _ := net.SplitHostPort(addr)
			if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
				out = append(out, fmt.Sprintf("%s are received on %s: whoever reaches it can send them, over UDP under a false address too", what, a))
			}
		}
	}
	return out
}

// receiving is the receivers of one run. A nil one receives nothing.
type receiving struct {
	syslog *syslog.Receiver
	traps  *trap.Receiver
}

// receive binds what the plan says. The caller must run or close it.
func receive(plan Plan, known *intake.Known, out timeline.Sink) (*receiving, error) {
	r := &receiving{}
	if c := plan.Receivers.Syslog; len(c.Listen) > 0 {
		conf, err := plan.Receivers.tls()
		if err != nil {
			return nil, err
		}
		c.TLS, c.Devices, c.Known, c.Out = conf, plan.Senders, known, out
		if r.syslog, err = syslog.Open(c); err != nil {
			return nil, err
		}
	}
	if c := plan.Receivers.Traps; len(c.Listen) > 0 {
		c.Devices, c.Known, c.Out = plan.Senders, known, out
		var err error
		if !believes(c) {
			err = errors.New("traps: nobody is believed: give receivers.traps.community or users, or snmp to the devices")
		} else {
			r.traps, err = trap.Open(c)
		}
		if err != nil {
			r.close()
			return nil, err
		}
	}
	return r, nil
}

// believes says whether there is any community or user that traps can come with.
func believes(c trap.Config) bool {
	if len(c.Communities)+len(c.Users) > 0 {
		return true
	}
	for _, d := range c.Devices {
		if d.SNMP != nil {
			return true
		}
	}
	return false
}

// tls loads the certificates, if any are named.
func (r Receivers) tls() (*tls.Config, error) {
	if r.Cert == "" && r.Key == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(r.Cert, r.Key)
	if err != nil {
		return nil, fmt.Errorf("receivers.syslog.cert, key: %w", err)
	}
	conf := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if r.ClientCA == "" {
		return conf, nil
	}
	pem, err := os.ReadFile(r.ClientCA)
	if err != nil {
		return nil, fmt.Errorf("receivers.syslog.client_ca: %w", err)
	}
	conf.ClientCAs, conf.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !conf.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("receivers.syslog.client_ca: %s holds no certificate", r.ClientCA)
	}
	return conf, nil
}

func (r *receiving) close() {
	if r.syslog != nil {
		r.syslog.Close()
	}
	if r.traps != nil {
		r.traps.Close()
	}
}

// run receives until ctx ends.
func (r *receiving) run(ctx context.Context) error {
	var g errgroup.Group
	if r.syslog != nil {
		g.Go(func() error { return r.syslog.Serve(ctx) })
	}
	if r.traps != nil {
		g.Go(func() error { return r.traps.Serve(ctx) })
	}
	return g.Wait()
}

// notes says in a line per receiver what became of what came.
func (r *receiving) notes() (out []string) {
	if r == nil {
		return nil
	}
	if r.syslog != nil {
		out = append(out, "syslog: "+r.syslog.Counts().String())
	}
	if r.traps != nil {
		out = append(out, "traps: "+r.traps.Counts().String())
	}
	return out
}

// checkReceivers tries to bind each receiver's addresses.
func checkReceivers(plan Plan) map[string][]poll.Result {
	out := map[string][]poll.Result{}
	discard := timeline.SinkFunc(func(timeline.Record) {})
	try := func(name string, listen []string, alone Plan, found func(*receiving) string) {
		if len(listen) == 0 {
			return
		}
		res := poll.Result{Device: "receivers", Step: name, Key: "receivers." + name, OK: true}
		r, err := receive(alone, nil, discard)
		if err != nil {
			res.OK, res.Text = false, err.Error()
		} else {
			res.Text = found(r)
			r.close()
		}
		out["receiver of "+name] = []poll.Result{res}
	}
	alone := plan
	alone.Receivers.Traps.Listen = nil
	try("syslog", plan.Receivers.Syslog.Listen, alone, func(r *receiving) string { return "can listen on " + addresses(r.syslog.Addrs()) })
	alone = plan
	alone.Receivers.Syslog.Listen = nil
	try("traps", plan.Receivers.Traps.Listen, alone, func(r *receiving) string {
		return fmt.Sprintf("can listen on %s; its engine ID for version 3 informs is 0x%x", addresses(r.traps.Addrs()), r.traps.Engine())
	})
	return out
}

func addresses(list []net.Addr) string {
	var out []string
	for _, a := range list {
		out = append(out, a.Network()+" "+a.String())
	}
	return strings.Join(out, ", ")
}

// ReceiveAt makes the plan receive log lines and traps at these addresses instead of the site file's; "" leaves the site
// file's.
func (p *Plan) ReceiveAt(logs, traps string) error {
	for _, a := range []struct {
		flag, addr string
		listen     *[]string
	}{{"--syslog", logs, &p.Syslog.Listen}, {"--traps", traps, &p.Traps.Listen}} {
		if a.addr == "" {
			continue
		}
		addr, err := ListenAddr(a.addr)
		if err != nil {
			return Usagef("%s: %v", a.flag, err)
		}
		*a.listen = []string{addr}
		for _, w := range (Receivers{Syslog: syslog.Config{Listen: p.Syslog.Listen}, Traps: trap.Config{Listen: p.Traps.Listen}}).exposed() {
			if !slices.Contains(p.Warnings, w) {
				p.Warnings = append(p.Warnings, w)
			}
		}
	}
	return nil
}
