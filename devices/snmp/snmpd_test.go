package snmp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/internal/oid"
	"whydrop/probe/peertest"
)

// program finds a program of net-snmp, the independent peer of these tests.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		for _, dir := range []string{"/usr/sbin", "/usr/local/sbin", "/sbin"} {
			if p := filepath.Join(dir, name); isExecutable(p) {
				return p
			}
		}
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("%s is not installed", name)
	}
	return path
}

func isExecutable(p string) bool {
	i, err := os.Stat(p)
	return err == nil && !i.IsDir() && i.Mode()&0o111 != 0
}

// snmpd starts net-snmp's agent on a free port of 127.0.0.1 and ends it with the test.
func snmpd(t *testing.T) netip.AddrPort {
	t.Helper()
	path := program(t, "snmpd")
	addr := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), peertest.Port(t, "127.0.0.1"))
	dir := t.TempDir()
	conf := filepath.Join(dir, "snmpd.conf")
	text := fmt.Sprintf(`agentaddress udp:%s
rocommunity public 127.0.0.1
createUser ops SHA authphrase AES privphrase
createUser look SHA lookphrase
createUser long SHA-256 authphrase AES privphrase
rouser ops priv
rouser look auth
rouser long priv
sysName agent-under-test
`, addr)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-f", "-Lf", filepath.Join(dir, "log"), "-C", "-c", conf, "-p", filepath.Join(dir, "pid"))
	cmd.Env = append(os.Environ(), "SNMP_PERSISTENT_DIR="+dir, "MIBS=")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	c := collector(t)
	d := device(addr, "lo")
	deadline := time.Now().Add(10 * time.Second)
	for {
		_, err := c.Collect(context.Background(), d)
		if err == nil {
			return addr
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Fatalf("snmpd does not answer: %v\n%s", err, log)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func usm(addr netip.AddrPort, change func(*devices.SNMP)) devices.Device {
	d := device(addr, "lo")
	d.SNMP = &devices.SNMP{
		Version: "3", Port: addr.Port(), Timeout: 5 * time.Second,
		User: "ops", AuthPass: devices.NewSecret("authphrase"), PrivPass: devices.NewSecret("privphrase"),
	}
	change(d.SNMP)
	return d
}

func TestSnmpdIsRead(t *testing.T) {
	addr := snmpd(t)
	for name, d := range map[string]devices.Device{
		"v2c":            device(addr, "lo"),
		"v3 SHA/AES":     usm(addr, func(*devices.SNMP) {}),
		"v3 SHA-256/AES": usm(addr, func(c *devices.SNMP) { c.User, c.Auth = "long", "SHA-256" }),
		"v3 SHA, no privacy": usm(addr, func(c *devices.SNMP) {
			c.User, c.AuthPass, c.PrivPass = "look", devices.NewSecret("lookphrase"), devices.Secret{}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			c := collector(t)
			for range 3 {
				r, err := c.Collect(context.Background(), d)
				if err != nil {
					t.Fatal(err)
				}
				if r.SysName.Value != "agent-under-test" || !r.Clock.OK || len(r.Interfaces) != 1 {
					t.Fatalf("reading %+v", r)
				}
				i := r.Interfaces[0]
				if !i.InOctets.OK || i.InOctets.Value.Bits != 64 || i.Oper.Value == "" || !i.InErrors.OK {
					t.Errorf("lo: %+v", i)
				}
				if i.FCS.OK || i.STPState.OK || r.Bridge != nil {
					t.Errorf("made up: %+v %+v", i, r.Bridge)
				}
				if d.SNMP.Version == "3" && (!r.EngineBoot.OK || r.EngineBoot.Value == 0) {
					t.Errorf("snmpEngineBoots %v", r.EngineBoot)
				}
			}
		})
	}
}

func TestSnmpdRefusesAndWeSayWhy(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for answers that do not come")
	}
	addr := snmpd(t)
	closed := netip.AddrPortFrom(addr.Addr(), peertest.Port(t, "127.0.0.1"))
	secret := devices.NewSecret("canary-4711")
	for name, c := range map[string]struct {
		device devices.Device
		want   string
		keys   string
		is     error
	}{
		"wrong community": {
			func() devices.Device { d := device(addr, "lo"); d.SNMP.Community = secret; return d }(),
			"snmp: sw1: no answer in 700ms (2 tries): the community is wrong (agents do not answer then), or the device is down, filters SNMP or has another address",
			"snmp.community, address, snmp.port", devices.ErrTimeout,
		},
		"unknown user": {
			usm(addr, func(c *devices.SNMP) { c.User = "nobody" }),
			`snmp: sw1: the agent does not know the user "nobody"`, "snmp.user", devices.ErrAuth,
		},
		"wrong auth pass phrase": {
			usm(addr, func(c *devices.SNMP) { c.AuthPass = secret }),
			`snmp: sw1: authentication of "ops" failed: the pass phrase auth_pass is wrong, or the protocol auth is not SHA`,
			"snmp.auth_pass, snmp.auth", devices.ErrAuth,
		},
		"wrong auth protocol": {
			usm(addr, func(c *devices.SNMP) { c.Auth = "SHA-512" }),
			`snmp: sw1: authentication of "ops" failed: the pass phrase auth_pass is wrong, or the protocol auth is not SHA-512`,
			"snmp.auth_pass, snmp.auth", devices.ErrAuth,
		},
		"wrong priv pass phrase": {
			usm(addr, func(c *devices.SNMP) { c.PrivPass = secret }),
			"snmp: sw1: no answer in 700ms (2 tries), though the agent answers SNMPv3: the pass phrase priv_pass is wrong, or the protocol priv is not AES",
			"snmp.priv_pass, snmp.priv", devices.ErrTimeout,
		},
		"wrong key length": {
			usm(addr, func(c *devices.SNMP) { c.Priv = "AES-256" }),
			"snmp: sw1: no answer in 700ms (2 tries), though the agent answers SNMPv3: the pass phrase priv_pass is wrong, or the protocol priv is not AES-256 (try AES-256-C, the other key extension)",
			"snmp.priv_pass, snmp.priv", devices.ErrTimeout,
		},
		"a level below what is allowed": {
			usm(addr, func(c *devices.SNMP) { c.Level = "authNoPriv" }),
			`snmp: sw1: the agent answered authorizationError: its access control does not let the user "ops" read at level authNoPriv`,
			"snmp.level, snmp.user", devices.ErrAuth,
		},
		"no authentication at all": {
			usm(addr, func(c *devices.SNMP) { c.Level = "noAuthNoPriv" }),
			`snmp: sw1: the agent answered authorizationError: its access control does not let the user "ops" read at level noAuthNoPriv`,
			"snmp.level, snmp.user", devices.ErrAuth,
		},
		"a level above what the user has": {
			usm(addr, func(c *devices.SNMP) { c.User, c.AuthPass = "look", devices.NewSecret("lookphrase") }),
			`snmp: sw1: the agent does not allow level authPriv for the user "look"`, "snmp.level", devices.ErrAuth,
		},
		"nothing listens": {
			device(closed, "lo"),
			fmt.Sprintf("snmp: sw1: connection refused: nothing listens on UDP port %d: SNMP is off, or the port is another", closed.Port()),
			"snmp.port, address", devices.ErrUnreachable,
		},
		"no such port": {
			device(addr, "lo", "GigabitEthernet1/0/1"),
			`snmp: sw1: port "GigabitEthernet1/0/1" not found; the device has "`, "ports", devices.ErrPartial,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.device.SNMP.Timeout = 700 * time.Millisecond
			_, err := collector(t).Collect(context.Background(), c.device)
			if err == nil {
				t.Fatal("no error")
			}
			text := err.Error()
			if name == "no such port" && strings.HasPrefix(text, c.want) {
				text = c.want // and whatever other ports this host has
			}
			if text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
			var e *Error
			if !errors.As(err, &e) || e.SiteKeys() != c.keys {
				t.Errorf("keys %q, want %q", e.SiteKeys(), c.keys)
			}
			if !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
			if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, e), "canary") {
				t.Error("a secret is in the error")
			}
		})
	}
}

func TestTheWalkFindsWhatSnmpwalkFinds(t *testing.T) {
	addr := snmpd(t)
	walker := program(t, "snmpwalk")
	for name, d := range map[string]devices.Device{"v2c": device(addr), "v3": usm(addr, func(*devices.SNMP) {})} {
		for _, root := range []string{"1.3.6.1.2.1.2.2.1.2", "1.3.6.1.2.1.2", "1.3.6.1.2.1.31.1.1.1.1", "1.3.6.1.6", "1.3.6.1.2.1.17"} {
			t.Run(name+" "+root, func(t *testing.T) {
				cmd := exec.Command(walker, "-v2c", "-c", "public", "-Onq", "-m", "", "-t", "2", addr.String(), root)
				cmd.Env = append(os.Environ(), "SNMP_PERSISTENT_DIR="+t.TempDir())
				out, err := cmd.Output()
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				for line := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
					if id, rest, _ := strings.Cut(line, " "); strings.HasPrefix(id, ".") && !strings.HasPrefix(rest, "No ") {
						want = append(want, id)
					}
				}
				s, err := newSession(d)
				if err != nil {
					t.Fatal(err)
				}
				defer s.close()
				rows, err := s.walk(context.Background(), root, time.Now().Add(nameTime))
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, r := range rows {
					got = append(got, "."+root+"."+dotted(oid.Arcs(r.index)))
				}
				if strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("%d rows, snmpwalk has %d", len(got), len(want))
				}
			})
		}
	}
}
