package sim

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"whydrop/devices/cli/clitest"
	"whydrop/devices/snmp/snmptest"
)

// Site is a story that runs: agents, SSH servers, a relay and a far end, all on loopback.
type Site struct {
	story   *Story
	relay   *relay
	far     *farEnd
	devices []*running
	timers  []*time.Timer
}

// running is one device with its sockets.
type running struct {
	*device
	agent *snmptest.Agent
	snmp  netip.AddrPort
	shell *clitest.Server
}

// Start opens the story's site on free ports of 127.0.0.1; the story begins when Start returns. The caller must
// Close it.
func Start(story *Story) (*Site, error) {
	s := &Site{story: story}
	if err := s.start(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Site) start() (err error) {
	if s.relay, err = newRelay(&s.story.path, s.story.Seed, s.story.leastRate()); err != nil {
		return err
	}
	if s.far, err = startFarEnd(s.story.slow, s.relay.rcv); err != nil {
		return err
	}
	s.relay.farTCP, s.relay.farUDP = s.far.tcp, s.far.udp
	keys, err := hostKeys(s.story.campus.devices())
	if err != nil {
		return err
	}
	begun := time.Now()
	for i, d := range s.story.campus.devices() {
		r, err := run(d, begun, keys[i])
		if r != nil {
			s.devices = append(s.devices, r)
		}
		if err != nil {
			return err
		}
		if d.blind > 0 {
			s.timers = append(s.timers, time.AfterFunc(d.blind-time.Since(begun), r.silence))
		}
	}
	s.relay.run(begun)
	return nil
}

// leastRate is the rate of the probe's flow when it is slowest, in bit/s of payload.
func (s *Story) leastRate() float64 {
	rate := s.offered
	for _, r := range append(s.path.rates(), s.slow) {
		if r > 0 {
			rate = min(rate, r)
		}
	}
	return rate
}

// hostKeys makes a key for each device, all at once: an RSA key takes some tenths of a second.
func hostKeys(list []*device) ([]ssh.Signer, error) {
	keys, errs := make([]ssh.Signer, len(list)), make([]error, len(list))
	var wg sync.WaitGroup
	for i, d := range list {
		wg.Add(1)
		go func() {
			defer wg.Done()
			kind := "ecdsa"
			if d.model.legacy {
				kind = "rsa"
			}
			keys[i], errs[i] = clitest.NewHostKey(kind)
		}()
	}
	wg.Wait()
	return keys, errors.Join(errs...)
}

// run opens a device's agent and SSH server. What it returns beside an error must be closed too.
func run(d *device, begun time.Time, key ssh.Signer) (*running, error) {
	now := func() time.Duration { return time.Since(begun) }
	r := &running{device: d}
	r.agent = d.newAgent()
	d.fill(r.agent, now)
	var err error
	if r.snmp, err = r.agent.Listen("127.0.0.1:0"); err != nil {
		return r, fmt.Errorf("%s: %w", d.name, err)
	}
	r.shell = &clitest.Server{
		Hostname: d.name, User: d.login, Password: d.password, HostKey: key, Legacy: d.model.legacy, Privileged: true,
		Handler: func(line string) (string, bool) {
			host := time.Now()
			return d.answer(line, host.Sub(begun), host)
		},
	}
	if err := r.shell.Listen("127.0.0.1:0"); err != nil {
		r.shell = nil
		return r, fmt.Errorf("%s: %w", d.name, err)
	}
	return r, nil
}

// silence stops the device from answering anything.
func (r *running) silence() {
	r.agent.Always(snmptest.Silence)
	r.shell.Freeze(true)
}

// Close ends the site and waits for everything it started.
func (s *Site) Close() error {
	var errs []error
	for _, t := range s.timers {
		t.Stop()
	}
	if s.relay != nil {
		errs = append(errs, s.relay.close())
	}
	if s.far != nil {
		errs = append(errs, s.far.close())
	}
	for _, d := range s.devices {
		errs = append(errs, d.agent.Close())
		if d.shell != nil {
			errs = append(errs, d.shell.Close())
		}
	}
	return errors.Join(errs...)
}

// Story returns the story that runs.
func (s *Site) Story() *Story { return s.story }

// Begun returns when the story began: its moments count from there.
func (s *Site) Begun() time.Time { return s.relay.begun }

// Secret resolves the labels of the prompt: references in the site file.
func (s *Site) Secret(label string) (string, error) { return secretOf(s.devices, label) }

// YAML returns the site file for the site, as `whydrop watch -f` reads it. Its secrets are prompt: references that
// Secret resolves.
func (s *Site) YAML() []byte {
	sockets := sockets{tcp: portOf(s.relay.tcp.Addr()), udp: portOf(s.relay.udp.LocalAddr())}
	for _, d := range s.devices {
		sockets.devices = append(sockets.devices, deviceSockets{d.snmp.Port(), d.shell.Port(), d.shell.Fingerprint()})
	}
	return s.story.yaml(sockets)
}

func portOf(a net.Addr) uint16 {
	ap, _ := netip.ParseAddrPort(a.String())
	return ap.Port()
}

// sockets is where a story's site listens.
type sockets struct {
	devices  []deviceSockets // in the order of the path
	tcp, udp uint16          // of the relay
}

type deviceSockets struct {
	snmp, ssh uint16
	hostKey   string
}

func (s *Story) yaml(at sockets) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "site: %s\ndevices:\n", s.site)
	for i, d := range s.devices() {
		x := at.devices[i]
		fmt.Fprintf(&b, "  - name: %s\n    address: 127.0.0.1\n    platform: %s\n    role: %s\n", d.name, d.model.platform, d.role)
		if d.peer != "" {
			fmt.Fprintf(&b, "    peer: %s\n", d.peer)
		}
		if d.community != "" {
			fmt.Fprintf(&b, "    snmp: {version: 2c, port: %d, community: \"prompt:%s/community\"}\n", x.snmp, d.name)
		} else {
			fmt.Fprintf(&b, "    snmp: {version: 3, port: %[2]d, user: %[3]s, level: authPriv, auth: SHA, auth_pass: \"prompt:%[1]s/auth\", priv: AES, priv_pass: \"prompt:%[1]s/priv\"}\n", d.name, x.snmp, d.user)
		}
		legacy := ""
		if d.model.legacy {
			legacy = ", profile: legacy"
		}
		fmt.Fprintf(&b, "    ssh: {port: %d, user: %s, password: \"prompt:%s/ssh\", host_key: \"%s\"%s}\n", x.ssh, d.login, d.name, x.hostKey, legacy)
		fmt.Fprintf(&b, "    ports: [%s]\n", portNames(d.on))
		if len(d.off) > 0 {
			fmt.Fprintf(&b, "    off_path: [%s]\n", portNames(d.off))
		}
	}
	fmt.Fprintf(&b, "paths:\n  - name: %s\n    hops: [%s, [%s, %s], %s]\n", s.pathName(), s.near.name, s.fws[0].name, s.fws[1].name, s.far.name)
	fmt.Fprintf(&b, "    probe: {to: 127.0.0.1, port: %d, stamp_port: %d, rate: %.0fM, heartbeat: 20ms}\n", at.tcp, at.udp, s.offered/1e6)
	return []byte(b.String())
}

func portNames(list []*port) string {
	var names []string
	for _, p := range list {
		names = append(names, p.ifName())
	}
	return strings.Join(names, ", ")
}

// pathName is the path's name in the site file.
func (s *Story) pathName() string { return "probe-" + s.hostBName }

// FarName is the name of the host at the far end, as the truth uses it.
func (s *Site) FarName() string { return s.story.hostBName }
