package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"whydrop/correlate"
	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
	"whydrop/probe/peertest"
)

// snmpdAt starts net-snmp's agent on a free port of 127.0.0.1 and returns it as letters.
func snmpdAt(t *testing.T) Letters {
	t.Helper()
	path, err := exec.LookPath("snmpd")
	if err != nil {
		if path = "/usr/sbin/snmpd"; !isFile(path) {
			if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
				t.Fatal("snmpd is not installed")
			}
			t.Skip("snmpd is not installed")
		}
	}
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(int(peertest.Port(t, "127.0.0.1"))))
	dir := t.TempDir()
	conf := filepath.Join(dir, "snmpd.conf")
	text := fmt.Sprintf("agentaddress udp:%s\nrocommunity public 127.0.0.1\ncreateUser ops SHA authphrase AES privphrase\nrouser ops priv\nsysName by-hand\n", addr)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-f", "-Lf", filepath.Join(dir, "log"), "-C", "-c", conf, "-p", filepath.Join(dir, "pid"))
	cmd.Env = append(os.Environ(), "SNMP_PERSISTENT_DIR="+dir, "MIBS=")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	t.Setenv("BYHAND_COMMUNITY", "public")
	t.Setenv("BYHAND_AUTH", "authphrase")
	t.Setenv("BYHAND_PRIV", "privphrase")
	return Letters{Host: addr, Version: "2c", Community: "env:BYHAND_COMMUNITY"}
}

func isFile(p string) bool {
	i, err := os.Stat(p)
	return err == nil && i.Mode().IsRegular()
}

// walkOf walks until the agent answers; it may have to start first.
func walkOf(t *testing.T, l Letters, what string) string {
	t.Helper()
	d, err := l.Device(&Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var out bytes.Buffer
		err := Walk(t.Context(), WalkOptions{Device: d, What: what, Format: "text", Out: &out})
		if err == nil {
			return out.String()
		}
		if time.Now().After(until) {
			t.Fatal(err)
		}
	}
}

func TestSnmpdIsWalkedAndPolledByHand(t *testing.T) {
	l := snmpdAt(t)
	if got := walkOf(t, l, "1.3.6.1.2.1.1.5"); got != "row 0\n  sysName                          by-hand\n" {
		t.Errorf("sysName: %q", got)
	}
	v3 := Letters{Host: l.Host, Version: "3", User: "ops", Level: "authPriv", Auth: "SHA", AuthPass: "env:BYHAND_AUTH", Priv: "AES", PrivPass: "env:BYHAND_PRIV"}
	for _, want := range []string{"row 1  lo\n", "  ifHCInOctets ", " octets\n", "ifHighSpeed ", "ifConnectorPresent               false(2)\n"} {
		if got := walkOf(t, v3, "IF-MIB::ifXTable"); !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	d, err := v3.Device(&Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Poll(t.Context(), PollOptions{Device: d, Ports: []string{"lo"}, Interval: 10 * time.Millisecond, Count: 2, Format: "json", Out: &out}); err != nil {
		t.Fatal(err)
	}
	if err := Poll(t.Context(), PollOptions{Device: d, Ports: []string{"no-such-port"}, Interval: time.Second, Count: 1, Format: "text", Out: io.Discard}); CodeOf(err) != ExitNotMeasured {
		t.Errorf("a port that is not there: %v", err)
	}
	dec := json.NewDecoder(&out)
	for n := range 2 {
		var h portHealth
		if err := dec.Decode(&h); err != nil {
			t.Fatal(err)
		}
		if h.Port != "lo" || h.Oper == nil || h.MTU == nil || h.STPState != nil || len(h.Counts) == 0 {
			t.Errorf("reading %d: %+v", n, h)
		}
		if n == 0 && (len(h.Rates) > 0 || h.Counts["if.in.errors"].Delta != nil) {
			t.Errorf("rates from one reading: %+v", h)
		}
	}
}

// linked is two switches whose ports "up" hear each other; the errors of the far end grow.
func linked(t *testing.T) Plan {
	var plan Plan
	for i, name := range []string{"near", "far"} {
		a := &snmptest.Agent{Community: "public"}
		ports(a, []string{"Gi0/1"}, nil)
		a.Set("1.3.6.1.2.1.1.5.0", snmptest.Str(name))
		start := time.Now()
		a.SetFunc("1.3.6.1.2.1.1.3.0", func() snmptest.Value { return snmptest.Ticks(uint32(90000 + time.Since(start)/(10*time.Millisecond))) })
		a.Set("1.3.6.1.2.1.2.2.1.9.1", snmptest.Ticks(30000))
		a.Set("1.3.6.1.2.1.31.1.1.1.15.1", snmptest.Gauge(1000))
		a.Set("1.3.6.1.2.1.10.7.2.1.19.1", snmptest.Int(3))
		n := uint32(0)
		a.SetFunc("1.3.6.1.2.1.2.2.1.14.1", func() snmptest.Value { n += 3 * uint32(i); return snmptest.C32(100 + n) })
		var octets uint64
		a.SetFunc("1.3.6.1.2.1.31.1.1.1.6.1", func() snmptest.Value { octets += 100000; return snmptest.C64(octets) })
		other := []string{"far", "near"}[i]
		a.Set("1.0.8802.1.1.2.1.4.1.1.5.0.1.1", snmptest.Str(other))
		a.Set("1.0.8802.1.1.2.1.4.1.1.6.0.1.1", snmptest.Int(5))
		a.Set("1.0.8802.1.1.2.1.4.1.1.7.0.1.1", snmptest.Str("GigabitEthernet0/1"))
		a.Set("1.0.8802.1.1.2.1.4.1.1.9.0.1.1", snmptest.Str(other))
		addr := snmptest.NewAgent(t, a)
		plan.Devices = append(plan.Devices, devices.Device{Name: name, Role: "switch", Address: addr.Addr().String(), Ports: []string{"Gi0/1"},
			SNMP: &devices.SNMP{Version: "2c", Port: addr.Port(), Timeout: 10 * time.Second, Community: devices.NewSecret("public")}})
		plan.Topology.Devices = append(plan.Topology.Devices, correlate.Device{Name: name})
	}
	return plan
}

func TestPollShowsBothEndsOfALink(t *testing.T) {
	plan := linked(t)
	d, err := PollDevice(plan, "near")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Poll(t.Context(), PollOptions{Device: d, Plan: plan, Interval: 20 * time.Millisecond, Count: 8, Format: "text", Out: &out}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	last := text[strings.LastIndex(text, "near Gi0/1"):]
	for _, want := range []string{"far Gi0/1", "1 Gbit/s full duplex", "far GigabitEthernet0/1 (lldp)", "near GigabitEthernet0/1 (lldp)", " since the start", "last change"} {
		if !strings.Contains(last, want) {
			t.Errorf("no %q in\n%s", want, last)
		}
	}
	out.Reset()
	if err := Poll(t.Context(), PollOptions{Device: d, Plan: plan, Interval: 20 * time.Millisecond, Count: 8, Format: "json", Out: &out}); err != nil {
		t.Fatal(err)
	}
	ends := map[string]portHealth{}
	for dec := json.NewDecoder(&out); dec.More(); {
		var h portHealth
		if err := dec.Decode(&h); err != nil {
			t.Fatal(err)
		}
		ends[h.End] = h
	}
	near, far := ends["near"], ends["far"]
	if far.Device != "far" || far.Counts["if.in.errors"].Total == nil || *far.Counts["if.in.errors"].Total < 3 {
		t.Errorf("far end: %+v", far)
	}
	if near.Counts["if.in.errors"].Total == nil || *near.Counts["if.in.errors"].Total != 0 || near.Rates["if.in.bits"] <= 0 {
		t.Errorf("near end: %+v", near)
	}
	if near.LastChangeS == nil || *near.LastChangeS < 600 || near.STPState != nil {
		t.Errorf("last change %v, spanning tree %v", near.LastChangeS, near.STPState)
	}
}

func TestLettersAreChecked(t *testing.T) {
	t.Setenv("BYHAND", "s3cret-word")
	for name, c := range map[string]struct {
		l    Letters
		want string
	}{
		"a literal community":     {Letters{Host: "h", Version: "2c", Community: "s3cret-word"}, "-c: write a reference, not the secret itself: env:NAME"},
		"a literal pass phrase":   {Letters{Host: "h", Version: "3", User: "u", AuthPass: "s3cret-word"}, "-A: write a reference"},
		"no community":            {Letters{Host: "h", Version: "2c"}, "-c: missing"},
		"no user":                 {Letters{Host: "h", Version: "3"}, "-u: missing"},
		"no such version":         {Letters{Host: "h", Version: "4"}, "-v 4"},
		"no such privacy":         {Letters{Host: "h", Version: "3", User: "u", Priv: "ROT13"}, "-x ROT13"},
		"no such port":            {Letters{Host: "h:0", Version: "2c", Community: "env:BYHAND"}, "no port number"},
		"a user means version 3":  {Letters{Host: "h", User: "u", Auth: "sha256", Priv: "aes-256-c"}, ""},
		"a host with its port":    {Letters{Host: "[::1]:1161", Version: "v2c", Community: "env:BYHAND"}, ""},
		"a wait that is too long": {Letters{Host: "h", Version: "2c", Community: "env:BYHAND", Timeout: "900"}, "-t 900"},
	} {
		d, err := c.l.Device(&Secrets{})
		switch {
		case c.want == "" && (err != nil || d.SNMP == nil):
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret")):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	d, _ := Letters{Host: "[::1]:1161", Version: "v2c", Community: "env:BYHAND"}.Device(&Secrets{})
	if d.Address != "::1" || d.SNMP.Port != 1161 || d.SNMP.Version != "2c" {
		t.Errorf("%+v", d)
	}
	d, _ = Letters{Host: "h", User: "u", Auth: "sha256", Priv: "aes-256-c"}.Device(&Secrets{})
	if d.SNMP.Version != "3" || d.SNMP.Auth != "SHA-256" || d.SNMP.Priv != "AES-256-C" {
		t.Errorf("%+v", d.SNMP)
	}
}

func TestWhatIsNoTextIsNotParsed(t *testing.T) {
	err := Parse(ParseOptions{File: "-", In: strings.NewReader("\x7fELF\x02\x00\xff\nGi1/0/1 is up, line protocol is up\n"), Out: io.Discard})
	if CodeOf(err) != ExitNotMeasured || !strings.Contains(err.Error(), "no text") {
		t.Errorf("got %v, exit code %d", err, CodeOf(err))
	}
}

func TestCaptureIsParsed(t *testing.T) {
	const shown = "GigabitEthernet1/0/24 is up, line protocol is up (connected)\n  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,\n" +
		"  Full-duplex, 1000Mb/s, media type is 10/100/1000BaseTX\n     1000 packets input, 64000 bytes, 0 no buffer\n     3 input errors, 3 CRC, 0 frame, 0 overrun, 0 ignored\n"
	for name, c := range map[string]struct {
		text     string
		o        ParseOptions
		commands string
		unused   string
		code     int
	}{
		"a session with prompts":     {"sw1#show clock\n14:02:05.123 UTC Mon Nov 30 2026\nsw1#sh int Gi1/0/24\n" + shown + "sw1#show nonsense\nx\nsw1#\n", ParseOptions{}, "show clock, show interfaces Gi1/0/24", "show nonsense", ExitOK},
		"FortiOS, behind a greeting": {"Welcome to the firewall\n\nFGT-A (global) # get system arp\nAddress           Age(min)   Hardware Addr      Interface\n192.0.2.1         0          00:11:22:33:44:55  wan1\n", ParseOptions{}, "get system arp", "", ExitOK},
		"a Linux host":               {"ops@gw1:~$ ip -s -s -d link show eth0\n2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP\n    link/ether 00:11:22:33:44:55 brd ff:ff:ff:ff:ff:ff\nops@gw1:~$ ethtool eth0\nSettings for eth0:\n\tSpeed: 1000Mb/s\n\tDuplex: Full\n", ParseOptions{}, "ip -s -s -d link show eth0, ethtool eth0", "", ExitOK},
		"RouterOS":                   {"[ops@r1] > /ip arp print\nFlags: D - DYNAMIC; C - COMPLETE\nColumns: ADDRESS, MAC-ADDRESS, INTERFACE\n #    ADDRESS    MAC-ADDRESS        INTERFACE\n 0 DC 192.0.2.9  00:11:22:33:44:55  ether1\n", ParseOptions{}, "ip arp print without-paging", "", ExitOK},
		"VRP, in short forms":        {"<acc5>dis stp brief\n MSTID  Port                        Role  STP State     Protection\n   0    GigabitEthernet0/0/1        DESI  FORWARDING      BPDU\n", ParseOptions{}, "display stp brief", "", ExitOK},
		"a command in the head":      {"! command: show interfaces\n" + shown, ParseOptions{}, "show interfaces", "", ExitOK},
		"nothing but the text":       {shown, ParseOptions{}, "show interfaces", "", ExitOK},
		"platform and command given": {shown, ParseOptions{Platform: "iosxe", Command: "show interfaces"}, "show interfaces", "", ExitOK},
		"no text of any platform":    {"hello\n", ParseOptions{}, "", "", ExitNotMeasured},
		"a log with zero octets":     {"sw1#show interfaces\r\x00\n" + shown, ParseOptions{}, "show interfaces", "", ExitOK},
		"no such platform":           {shown, ParseOptions{Platform: "cisco_toaster"}, "", "", ExitUsage},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			o := c.o
			o.File, o.In, o.Out = "-", strings.NewReader(c.text), &out
			if err := Parse(o); CodeOf(err) != c.code {
				t.Fatalf("%v, exit code %d, want %d", err, CodeOf(err), c.code)
			}
			if c.code == ExitUsage {
				return
			}
			var d struct {
				Sections []struct {
					Command string
					Reading struct{ Interfaces []map[string]any }
				}
				Unused []string `json:"not_recognised"`
			}
			if err := json.Unmarshal(out.Bytes(), &d); err != nil {
				t.Fatal(err)
			}
			var commands []string
			for _, s := range d.Sections {
				commands = append(commands, s.Command)
				if len(s.Reading.Interfaces) == 0 || !strings.Contains(c.text, shown) {
					continue
				}
				i := s.Reading.Interfaces[0]
				if i["fcs"] != 3.0 || i["speed"] != 1e9 || i["overrun"] != 0.0 || i["in_octets"] != 64000.0 {
					t.Errorf("interface %v", i)
				}
				if _, ok := i["out_errors"]; ok {
					t.Errorf("output errors that the text does not say: %v", i["out_errors"])
				}
			}
			if got := strings.Join(commands, ", "); got != c.commands || strings.Join(d.Unused, ", ") != c.unused {
				t.Errorf("commands %q, not recognised %q", got, d.Unused)
			}
		})
	}
}

func TestAPortThatIsNotThereIsToldUnderItsOwnName(t *testing.T) {
	plan := linked(t)
	d, err := PollDevice(plan, "near")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Poll(t.Context(), PollOptions{Device: d, Ports: []string{"Gi0/1", "Gi0/77"}, Count: 1, Format: "text", Out: &out}); err != nil {
		t.Fatal(err)
	}
	here, gone, ok := strings.Cut(out.String(), "near Gi0/77")
	if !ok || strings.Contains(here, "not read") || !strings.Contains(gone, `port "Gi0/77" not found`) {
		t.Errorf("of the port that is there:\n%s\nof the one that is not:\n%s", here, gone)
	}
	if !strings.Contains(gone, "need two readings") || !strings.Contains(gone, "-n 5") {
		t.Errorf("no hint at how to get rates:\n%s", gone)
	}
}
