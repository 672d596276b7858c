package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whydrop/devices"
	"whydrop/devices/inventory"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "site.yaml")
}

const netCSV = `name,address,platform,role,ports,port,user,snmp version,community
dist1,192.0.2.11,iosxe,switch,Gi1/0/1 Gi1/0/2,2222,other,,hunter2
fw1,192.0.2.21,asa,firewall,,,,3,
web1,192.0.2.31,,server,,,,,
far9,192.0.2.99,eos,switch,Ethernet1,,,,
`

func TestAnInventoryCompletesASite(t *testing.T) {
	t.Setenv("C", "word1")
	t.Setenv("P", "word2")
	site := folder(t, map[string]string{"net.csv": netCSV, "site.yaml": `inventory: net.csv
defaults:
  snmp: {version: 2c, community: env:C}
  ssh: {user: netops, password: env:P}
devices:
  - {name: fw1, address: 192.0.2.22, snmp: {port: 1161, user: probe, auth_pass: env:P}, ports: [inside]}
paths:
  - name: a-b
    hops: [dist1, fw1, web1]
    probe: {to: 192.0.2.31}
`})
	plan, err := LoadSite(site, &Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]devices.Device{}
	for _, d := range plan.Devices {
		byName[d.Name] = d
	}
	d := byName["dist1"]
	if d.Address != "192.0.2.11" || len(d.Ports) != 2 || d.SNMP == nil || d.SNMP.Community.Reveal() != "word1" || d.SSH == nil || d.SSH.User != "netops" || d.SSH.Port != 2222 {
		t.Errorf("dist1: got %+v; want the inventory's address and ports and the defaults' logins at the inventory's port", d)
	}
	f := byName["fw1"]
	if f.Address != "192.0.2.22" || f.Role != "firewall" || f.SNMP == nil || f.SNMP.Version != "3" || f.SNMP.Port != 1161 || f.SSH != nil {
		t.Errorf("fw1: got %+v; want its own address, ports and SNMP, and what it lacks from the inventory", f)
	}
	if _, asked := byName["web1"]; asked {
		t.Error("a host is asked by default")
	}
	if _, ok := plan.Topology.Device("web1"); !ok {
		t.Error("a host that is a hop is missing in the topology")
	}
	if _, ok := plan.Topology.Device("far9"); ok {
		t.Error("a device that the site file does not name is watched")
	}
	all := strings.Join(plan.Warnings, "\n")
	if !strings.Contains(all, "dist1: community is a secret and not taken") || !strings.Contains(all, "1 of its 4 devices are not named") || strings.Contains(all, "hunter2") {
		t.Errorf("warnings:\n%s", all)
	}
}

func TestAnInventoryAloneIsASiteIfItTellsPorts(t *testing.T) {
	t.Setenv("C", "word1")
	const text = "inventory: net.csv\ndefaults:\n  snmp: {version: 2c, community: env:C}\n"
	plan, err := LoadSite(folder(t, map[string]string{"net.csv": netCSV, "site.yaml": text}), &Secrets{})
	if err != nil || len(plan.Devices) != 2 {
		t.Errorf("got %d devices, %v; want the two that have ports", len(plan.Devices), err)
	}
	_, err = LoadSite(folder(t, map[string]string{"net.csv": "name,address\nsw1,192.0.2.1\n", "site.yaml": text}), &Secrets{})
	if err == nil || !strings.Contains(err.Error(), "site.yaml:1: inventory: none of its devices tells its ports") {
		t.Errorf("without ports: %v", err)
	}
}

func TestMistakesOfAnInventoryNameBothFiles(t *testing.T) {
	t.Setenv("T", "word")
	for name, tt := range map[string]struct{ site, want string }{
		"a mistake in the inventory": {"inventory: net.csv\n", "site.yaml:1: inventory: "},
		"no such file":               {"inventory: other.csv\n", "site.yaml:1: inventory: "},
		"a format that there is not": {"inventory: net.csv\ninventory_format: excel\n", `"excel" is no format`},
		"a token in clear text":      {"inventory: https://192.0.2.1/\ninventory_token: hunter2\n", "site.yaml:2: inventory: inventory_token: write a reference"},
		"an address without https":   {"inventory: http://192.0.2.1/\ninventory_token: env:T\n", "only https://"},
		"a token for nothing":        {"inventory_token: env:T\ndevices: []\n", "site.yaml:1: inventory_token: without inventory"},
		"a folder":                   {"inventory: .\n", "is a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := LoadSite(folder(t, map[string]string{"net.csv": "name,address,port\nsw1,192.0.2.1,x\n", "site.yaml": tt.site}), &Secrets{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestASiteFromAnInventoryIsOne(t *testing.T) {
	t.Setenv("SNMP_COMMUNITY", "word1")
	t.Setenv("SSH_PASSWORD", "word2")
	found, err := inventory.Read(inventory.Input{Name: "net.csv", Text: []byte(netCSV)}, "")
	if err != nil {
		t.Fatal(err)
	}
	found.Devices[0].SSH.Jump = &devices.SSHJump{Address: "192.0.2.7", SSH: devices.SSH{Port: 2200}}
	text := SiteFromInventory("net.csv", found)
	if strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), "# Left out:\n#   net.csv:2: dist1: community is a secret") {
		t.Errorf("got\n%s", text)
	}
	_, err = ParseSite("site.yaml", text, &Secrets{})
	if err == nil || !strings.Contains(err.Error(), "fw1: ports: list the ports") || strings.Count(err.Error(), "site.yaml:") != 3 {
		t.Errorf("mistakes: %v; want the ports of fw1 and its two pass phrases alone, in\n%s", err, text)
	}
}

func FuzzQuoteYAML(f *testing.F) {
	for _, s := range []string{"", "no", "1", "a: b", "- x", "\"", "é\n#", "0x1f", "1e3", "Gi1/0/1", "~", ".inf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !devices.ValidName(s) {
			t.Skip()
		}
		var got struct {
			K scalar `yaml:"k"`
		}
		if err := decodeStrict("x", []byte("k: "+quoteYAML(s)+"\n"), &got); err != nil || got.K.text != s {
			t.Errorf("%q: got %q, %v", s, got.K.text, err)
		}
	})
}
