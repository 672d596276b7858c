package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const labSite = `site: lab
devices:
  - name: swB
    address: 10.99.0.13
    platform: cisco_iosxe
    role: switch
    snmp: {version: 2c, community: env:C}
    ssh: {port: 2222, user: netops, password: env:P, host_key: "SHA256:abc"}
    ports: [GigabitEthernet1/0/1, GigabitEthernet1/0/2]
  - {name: fw1, address: 10.99.0.21, role: firewall, peer: fw2, snmp: {version: 2c, community: env:C}, ports: [in, out]}
paths:
  - name: a-b
    hops: [acc, swA, [fw1, fw2], swB]
    probe: {to: 10.10.0.20, port: 5201, rate: 50M, heartbeat: 20ms}
`

func TestParseSite(t *testing.T) {
	t.Setenv("C", "0123")
	t.Setenv("P", "pass word")
	plan, err := ParseSite("site.yaml", []byte(labSite), &Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Devices) != 2 || len(plan.Probes) != 1 {
		t.Fatalf("got %d devices and %d probes, want 2 and 1", len(plan.Devices), len(plan.Probes))
	}
	sw := plan.Devices[0]
	if got := sw.SNMP.Community.Reveal(); got != "0123" {
		t.Errorf("community: got %q, want the digits as written", got)
	}
	if sw.SSH.Port != 2222 || sw.SSH.Password.Reveal() != "pass word" || sw.SSH.HostKey != "SHA256:abc" {
		t.Errorf("ssh: got %+v", sw.SSH)
	}
	p := plan.Probes[0]
	if p.Rate != 50e6 || p.Heartbeat != 20*time.Millisecond || p.To != "10.10.0.20" || p.Port != 5201 {
		t.Errorf("probe: got %+v", p)
	}
	want := [][]string{{"acc"}, {"swA"}, {"fw1", "fw2"}, {"swB"}}
	if d := cmp.Diff(want, plan.Topology.Paths[0].Hops); d != "" {
		t.Errorf("hops (-want +got):\n%s", d)
	}
	if plan.Topology.Devices[1].Peer != "fw2" {
		t.Errorf("peer: got %q", plan.Topology.Devices[1].Peer)
	}
}

func TestServicesAndKeysOfAProbe(t *testing.T) {
	t.Setenv("K", "orchard")
	secrets := &Secrets{}
	plan, err := ParseSite("site.yaml", []byte(`paths:
  - {name: a-web, probe: {to: 192.0.2.1, kinds: [https, heartbeat], service_port: 8443, ask: /health, stamp_key: "env:K"}}
`), secrets)
	if err != nil {
		t.Fatal(err)
	}
	if p := plan.Probes[0]; p.ServicePort != 8443 || p.Ask != "/health" || p.STAMPKey != "orchard" {
		t.Errorf("probe: got %+v", p)
	}
	if !slices.Contains(plan.Secrets, "orchard") {
		t.Error("the redactor does not know the key")
	}
}

func TestSiteMistakesNameFileLineAndWayOut(t *testing.T) {
	t.Setenv("C", "public")
	tests := []struct {
		name, in string
		want     []string
	}{
		{"an unknown key names the nearest right one", "site: a\ndevices:\n  - nmae: x\n", []string{`site.yaml:3: devices[0]: unknown key "nmae"; did you mean "name"?`}},
		{"an unknown key in a flow mapping", "devices:\n  - name: x\n    snmp: {comunity: env:C}\n", []string{`site.yaml:3`, `did you mean "community"?`}},
		{"a duplicate key", "site: a\nsite: b\n", []string{`site.yaml:2: mapping key "site" already defined at line 1`}},
		{"a list where text is wanted", "site: [a]\n", []string{"site.yaml:1", "one value is wanted here"}},
		{"text where a list is wanted", "devices:\n  - name: x\n    ports: Gi1/0/1\n", []string{"site.yaml:3: devices[0].ports: a list is wanted here"}},
		{"a tab in YAML", "site: a\ndevices:\n\t- name: x\n", []string{"site.yaml:3: not valid YAML", "there is a tab"}},
		{"broken YAML", "site: a\n b: [\n", []string{"site.yaml:2: not valid YAML"}},
		{"an empty file", "", []string{"site.yaml:1: is empty", "whydrop init"}},
		{"two documents", "site: a\n---\nsite: b\n", []string{"more than one YAML document"}},
		{"a secret in clear", "devices:\n  - name: x\n    address: 192.0.2.1\n    ports: [a]\n    snmp: {version: 2c, community: hunter2}\n", []string{"site.yaml:5: x: snmp.community: write a reference, not the secret itself"}},
		{"a variable that is not set", "devices:\n  - name: x\n    address: 192.0.2.1\n    ports: [a]\n    snmp: {version: 2c, community: env:WHYDROP_NOT_SET}\n", []string{"environment variable WHYDROP_NOT_SET is not set"}},
		{"a wrong role", "devices:\n  - name: x\n    role: swich\n", []string{`site.yaml:3: role: "swich" is none of switch, router, firewall, host`}},
		{"no ports", "devices:\n  - name: x\n    address: 192.0.2.1\n    snmp: {version: 2c, community: env:C}\n", []string{"site.yaml:2: x: ports: list the ports"}},
		{"a device twice", "devices:\n  - name: x\n  - name: x\n", []string{"site.yaml:3: devices: x is there twice; the first is on line 2"}},
		{"a rate that is none", "paths:\n  - name: p\n    probe: {to: h, rate: fast}\n", []string{`site.yaml:3: path p: probe.rate: "fast" is no rate`}},
		{"a heartbeat too fast", "paths:\n  - name: p\n    probe: {to: h, heartbeat: 1us}\n", []string{"probe.heartbeat: 1µs is not between"}},
		{"a heartbeat's key in clear", "paths:\n  - name: p\n    probe: {to: h, stamp_key: hunter2}\n", []string{"site.yaml:3: path p: probe.stamp_key: write a reference, not the secret itself"}},
		{"a service without a kind that uses it", "paths:\n  - name: p\n    probe: {to: h, service_port: 8080, kinds: [icmp]}\n", []string{"site.yaml:3: path p: probe.service_port: only the kinds dns, http, https, udp-connect use it"}},
		{"a service that is no port", "paths:\n  - name: p\n    probe: {to: h, service_port: web, kinds: [http]}\n", []string{`probe.service_port: "web" is no port number`}},
		{"a question with a space", "paths:\n  - name: p\n    probe: {to: h, ask: '/a b', kinds: [http]}\n", []string{`probe.ask: "/a b": a name or a path has no spaces`}},
		{"an address with a port", "paths:\n  - name: p\n    probe: {to: 'h:5201'}\n", []string{"without a port"}},
		{"an SNMP version that is none", "devices:\n  - name: x\n    address: h\n    ports: [a]\n    snmp: {version: 4}\n", []string{`snmp.version: "4" is not 2c, 3 or 1`}},
		{"it follows what is no address", "devices:\n  - name: x\n    address: h\n    ports: [a]\n    follow: [sw2]\n    snmp: {version: 1}\n", []string{`follow: "sw2" is neither an IP nor a MAC address`, "snmp.community: missing; version 1 needs one"}},
		{"v3 without a user", "devices:\n  - name: x\n    address: h\n    ports: [a]\n    snmp: {version: 3}\n", []string{"snmp.user: missing"}},
		{"several mistakes at once", "devices:\n  - name: x\n    role: a\n    platform: b\n", []string{":3:", ":4:"}},
		{"an alias bomb", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nsite: *b\n", []string{"site.yaml:"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseSite("site.yaml", []byte(tt.in), &Secrets{})
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got  %v\nwant %q in it", err, w)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
}

func TestAHugeSiteFileIsRefusedBeforeItIsParsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.yaml")
	if err := os.WriteFile(path, []byte("site: "+strings.Repeat("x", yamlMax)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadSite(path, &Secrets{}); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("got %v", err)
	}
}

func TestTheExampleSiteIsValid(t *testing.T) {
	for _, name := range []string{"SNMP_COMMUNITY", "SSH_PASSWORD", "SNMP_AUTH", "SNMP_PRIV"} {
		t.Setenv(name, "some secret")
	}
	plan, err := ParseSite("site.yaml", ExampleSite, &Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Devices) != 4 || len(plan.Probes) != 1 {
		t.Errorf("got %d devices and %d probes, want 4 and 1", len(plan.Devices), len(plan.Probes))
	}
}

func TestSecretReferences(t *testing.T) {
	dir := t.TempDir()
	private, open := filepath.Join(dir, "private"), filepath.Join(dir, "open")
	for path, mode := range map[string]os.FileMode{private: 0o600, open: 0o644} {
		if err := os.WriteFile(path, []byte("from file\n"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("WHYDROP_TEST_SECRET", "from env")
	asked := 0
	s := &Secrets{Prompt: func(string) (string, error) { asked++; return "typed", nil }}
	for ref, want := range map[string]string{"env:WHYDROP_TEST_SECRET": "from env", "file:" + private: "from file", "cmd:echo from command": "from command", "prompt:enable": "typed"} {
		for range 2 {
			got, err := s.Resolve(ref)
			if err != nil || got.Reveal() != want {
				t.Errorf("%s: got %q, %v; want %q", ref, got.Reveal(), err, want)
			}
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}
	for _, ref := range []string{"file:" + open, "file:" + dir + "/missing", "cmd:false", "cmd:", "plain", "env:", ""} {
		if got, err := s.Resolve(ref); err == nil {
			t.Errorf("%q: got %q, want an error", ref, got.Reveal())
		}
	}
}

func TestParseRate(t *testing.T) {
	for in, want := range map[string]float64{"50M": 50e6, "1.5G": 1.5e9, "800k": 8e5, "50 Mbit/s": 50e6, "10Mbps": 10e6, "unlimited": 0, "9600": 9600} {
		if got, err := ParseRate(in); err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "fast", "-1M", "0", "1e400", "5 MB/s"} {
		if got, err := ParseRate(in); err == nil {
			t.Errorf("%q: got %v, want an error", in, got)
		}
	}
}
