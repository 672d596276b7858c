package inventory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whydrop/devices"
)

func open(t testing.TB, file string) Input {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return Input{Name: filepath.Base(file), Text: text, Beside: os.DirFS(filepath.Join("testdata", filepath.Dir(file)))}
}

// line writes a device in one line.
func line(d devices.Device) string {
	out := []string{d.Name, d.Address, "platform=" + d.Platform, "role=" + d.Role}
	if d.Peer != "" {
		out = append(out, "peer="+d.Peer)
	}
	if len(d.Ports)+len(d.OffPath) > 0 {
		out = append(out, fmt.Sprintf("ports=%v off=%v", d.Ports, d.OffPath))
	}
	if s := d.SNMP; s != nil {
		out = append(out, fmt.Sprintf("snmp=%s:%d", s.Version, s.Port))
	}
	if s := d.SSH; s != nil {
		out = append(out, fmt.Sprintf("ssh=%s:%d", s.User, s.Port))
		if j := s.Jump; j != nil {
			out = append(out, fmt.Sprintf("jump=%s@%s:%d", j.SSH.User, j.Address, j.SSH.Port))
		}
	}
	return strings.Join(out, " ")
}

func TestReadFormats(t *testing.T) {
	for _, tt := range []struct {
		file, format string
		want         []string
		notes        []string
	}{
		{"ansible/hosts.ini", "ansible-ini", []string{
			"jump.example.net jump.example.net platform= role=",
			"sw01.example.net sw01.example.net platform=cisco_ios role=switch ssh=ops:0 jump=ops@jump.example.net:2200",
			"sw02.example.net sw02.example.net platform=cisco_ios role=switch ssh=ops:0 jump=ops@jump.example.net:2200",
			"sw03.example.net sw03.example.net platform=cisco_ios role=switch ssh=ops:0 jump=ops@jump.example.net:2200",
			"sw09 192.0.2.9 platform=cisco_ios role=switch ssh=:2222 jump=ops@jump.example.net:2200",
			"core1 192.0.2.1 platform=cisco_ios role=switch ssh=:0 jump=ops@jump.example.net:2200",
		}, []string{"hosts.ini:9: core1: ansible_password is a secret"}},
		{"ansible/hosts.yml", "ansible-yaml", []string{
			"r1 192.0.2.31 platform=arista_eos role=router ssh=own:2023",
			"r2 2001:db8::32 platform=arista_eos role=router ssh=everybody:2023",
			"r3  platform=arista_eos role=router ssh=everybody:2023",
			"r4  platform=arista_eos role=router ssh=everybody:2023",
		}, []string{"group_vars/routers.yml:2: r1: snmp_community is a secret", "hosts.yml:13: r3: ansible_host is encrypted by ansible-vault", "hosts.yml:17: r4: ansible_host is a template"}},
		{"ansible/list.json", "ansible-json", []string{
			"leaf1 192.0.2.41 platform=cisco_nxos role= ssh=:22",
			"leaf2 192.0.2.42 platform= role= ssh=ops:22",
		}, []string{"list.json:7: leaf1: ansible_become_password is a secret"}},
		{"nornir/hosts.yaml", "nornir", []string{
			"sw1 192.0.2.51 platform=cisco_ios role= ssh=ops:22",
			"sw2 192.0.2.52 platform=cisco_nxos role=switch ssh=own:2222",
		}, []string{"defaults.yaml:2: sw1: password is a secret", "hosts.yaml:12: sw2: data.snmp_community is a secret"}},
		{"lab.clab.yml", "containerlab", []string{
			"leaf1 192.0.2.61 platform=arista_eos role= ports=[Ethernet1 Ethernet2] off=[]",
			"leaf2 clab-demo-leaf2 platform=arista_eos role= ports=[Ethernet1/2 Ethernet3] off=[]",
			"xr1 clab-demo-xr1 platform=cisco_iosxr role= ports=[GigabitEthernet0/0/0/1] off=[]",
			"client clab-demo-client platform= role=host ports=[eth1] off=[]",
		}, []string{"lab.clab.yml:10: br0 is of kind bridge", "lab.clab.yml:13: xr1: eth7 is the container's name"}},
		{"netbox.json", "netbox", []string{
			"dist1 192.0.2.71 platform=cisco_iosxe role=switch",
			"fw1 192.0.2.72 platform= role=firewall",
		}, []string{"netbox.json:3: this is one page of several", "netbox.json:6: dist1: custom_fields.snmp_community is a secret", "old1 is decommissioning", `"Patch panel 7" is left out`}},
		{"devices.csv", "csv", []string{
			"acc1 192.0.2.81 platform=juniper_junos role=switch ports=[ge-0/0/1 ge-0/0/2] off=[] snmp=2c:0",
			"acc2 acc2 platform= role=",
		}, []string{"devices.csv:2: acc1: SNMP community is a secret", `devices.csv:3: acc2: platform "vendor-x"`}},
		{"ssh_config", "ssh-config", []string{
			"bastion bastion.example.net platform= role= ssh=everybody:22",
			"sw1 sw1.example.net platform= role= ssh=everybody:2222 jump=ops@bastion:2200",
			"sw2 sw2.example.net platform= role= ssh=everybody:2222 jump=ops@bastion:2200",
			"fw1 192.0.2.91 platform= role= ssh=everybody:22",
		}, []string{"fw1: ProxyCommand is not run", "key: file:~/.ssh/fw", "ssh_config:19: Match is not evaluated"}},
		{"native.yaml", "native", []string{
			"dist1 192.0.2.11 platform=cisco_iosxe role=switch ports=[Gi1/0/1] off=[] snmp=2c:0",
			"fw1 192.0.2.21 platform= role=firewall peer=fw2 ports=[] off=[inside] ssh=netops:2222",
		}, []string{"native.yaml:3: dist1: snmp.community is a secret", "fw1: ssh.password is a secret"}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			for _, format := range []string{"", tt.format} {
				got, err := Read(open(t, tt.file), format)
				if err != nil {
					t.Fatal(err)
				}
				if got.Format != tt.format {
					t.Errorf("read as %q: got %s, want %s", format, got.Format, tt.format)
				}
				var lines []string
				for _, d := range got.Devices {
					lines = append(lines, line(d))
				}
				if g, w := strings.Join(lines, "\n"), strings.Join(tt.want, "\n"); g != w {
					t.Errorf("devices:\ngot\n%s\nwant\n%s", g, w)
				}
				var notes strings.Builder
				for _, n := range got.Notes {
					fmt.Fprintln(&notes, n)
				}
				for _, want := range tt.notes {
					if !strings.Contains(notes.String(), want) {
						t.Errorf("no note says %q:\n%s", want, notes.String())
					}
				}
				if strings.Contains(notes.String()+fmt.Sprintf("%+v", got), "not for us") {
					t.Errorf("a secret came out:\n%s%+v", notes.String(), got)
				}
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	for name, tt := range map[string]struct{ format, text, want string }{
		"an alias":                        {"", "a: &x {hosts: {h: }}\nb: *x\n", "x:2: anchors and aliases"},
		"a merge key":                     {"", "a: &x {hosts: {h: }}\nb:\n  <<: *x\n", "x:3: anchors and aliases"},
		"lists within lists":              {"netbox", deep, "deep"},
		"a key twice":                     {"", "devices: []\ndevices: []\n", `x:2: the key "devices" is there twice`},
		"a file that is encrypted":        {"", "$ANSIBLE_VAULT;1.1;AES256\n6162\n", "x:1: the whole file is encrypted by ansible-vault"},
		"a port that is none":             {"", "[sw]\nsw1 ansible_port=99999 ansible_host=192.0.2.1\n", `x:2: sw1: ansible_port: "99999" is no port number`},
		"an address with a port":          {"", "name,address\nsw1,192.0.2.1:22\n", `x:2: sw1: address: "192.0.2.1:22"`},
		"an address that is an option":    {"", "name,address\nsw1,-oProxyCommand=id\n", "x:2: sw1: address"},
		"a range beyond all measure":      {"", "[sw]\nsw[1:999999999] ansible_user=x\n", "x:2:"},
		"ranges that multiply":            {"", "[sw]\nsw[1:999][1:999] ansible_user=x\n", "stands for more than 20000 hosts"},
		"groups in a circle":              {"", "[a:children]\nb\n[b:children]\na\n", "circle"},
		"nothing":                         {"", "", "no inventory that can be told"},
		"bytes that are no text":          {"", "name,address\n\xff\xfe", "not UTF-8"},
		"a text of another kind":          {"", "Dear reader,\n", "no inventory that can be told"},
		"a format that there is not":      {"excel", "name,address\n", `"excel" is no format`},
		"two documents":                   {"nornir", "a: {}\n---\nb: {}\n", "more than one YAML document"},
		"a table without names":           {"csv", "address,platform\n192.0.2.1,ios\n", "no column of names"},
		"JSON that is cut off":            {"netbox", `[{"name": "a",` + "\n", "not valid JSON"},
		"a role that there is not":        {"", "devices:\n  - {name: a, role: boss}\n", `x:2: a: role: "boss"`},
		"a list where devices are wanted": {"", "devices:\n  - sw1\n", "x:2: devices: a device is a mapping"},
		"more than it may be":             {"", strings.Repeat(" ", MaxBytes+1), "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(Input{Name: "x", Text: []byte(tt.text)}, tt.format)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v; want an error with %q", got, err, tt.want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, more := range []string{"testdata/ansible/*", "testdata/nornir/*"} {
		list, _ := filepath.Glob(more)
		files = append(files, list...)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			f.Add(text, uint8(0))
		}
	}
	for i := range Formats() {
		f.Add([]byte("name: x\n"), uint8(i+1))
	}
	f.Fuzz(func(t *testing.T, text []byte, format uint8) {
		want := ""
		if n := int(format) % (len(Formats()) + 1); n > 0 {
			want = Formats()[n-1].Name
		}
		got, err := Read(Input{Name: "x", Text: text}, want)
		if err != nil && len(got.Devices) > 0 {
			t.Errorf("devices come with the error %v", err)
		}
		for _, d := range got.Devices {
			if !devices.ValidName(d.Name) || d.Address != "" && !devices.ValidAddress(d.Address) {
				t.Errorf("device %q at %q", d.Name, d.Address)
			}
		}
	})
}
