package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whydrop/cmd/internal/report"
)

// sharedLab is a laboratory with real RSTP switches, real firewalls and faults of its own, kept beside the project.
const sharedLab = "../../../../../shared/lab"

// truthFile is where the laboratory notes what was done. Its directory is there while the laboratory is up.
const truthFile = "/run/rstplab/truth.json"

// labFault is what the laboratory notes of a fault in its truth file.
type labFault struct {
	Chain  []string `json:"chain"`
	Device string   `json:"device"`
	IfName string   `json:"ifname"`
}

func TestTheSharedLaboratorysFaultsAreNamed(t *testing.T) {
	lab, err := filepath.Abs(filepath.Join(sharedLab, "lab"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(lab); err != nil {
		t.Skip("there is no laboratory beside the project")
	}
	require(t, "python3", "ovs-vsctl", "snmpd", "snmptrapd", "sshd", "nft", "conntrack", "conntrackd", "ethtool", "tcpdump", "iperf3", "iperf", "gcc", "ping", "ssh-keyscan")
	if _, err := os.Stat(filepath.Dir(truthFile)); err == nil {
		miss(t, "the laboratory is in use: it belongs to one at a time")
	}
	n := newNetwork(t, "lab-")
	n.run(lab, "up")
	t.Cleanup(func() { _ = exec.Command(lab, "down").Run() })
	n.start("hostB", "serve.log", nil, n.whydrop, "serve", "--listen", "10.10.0.20", "-p", "5301")
	site := labSite(n)
	// One fault here; the figure "lab" has all of them (go run ./cmd/internal/figures --full lab).
	for _, f := range []struct {
		name  string
		fault []string
	}{
		{"a cable pulled out", []string{"failover", "via=link", "hold=10", "settle=8"}},
	} {
		t.Run(f.name, func(t *testing.T) {
			n := &network{t: t, dir: t.TempDir(), prefix: n.prefix, whydrop: n.whydrop}
			segments := n.capture("hostB", "segments", "tcp dst port 5301 and greater 600")
			done := make(chan report.Document, 1)
			go func() {
				done <- n.watch("hostA", site, 38*time.Second, "LAB_COMMUNITY=public", "LAB_PASSWORD=lab-netops")
			}()
			time.Sleep(9 * time.Second)
			n.run(lab, append([]string{"fault"}, f.fault...)...)
			got := <-done
			judge(t, got, lastFault(t))
			compare(t, doc(t, n), "tcp", segments())
		})
	}
}

// doc reads the report of the recording that the watch left, so that what is compared has been through the file.
func doc(t *testing.T, n *network) report.Document {
	t.Helper()
	out, err := exec.Command(n.whydrop, "report", filepath.Join(n.dir, "session.whydrop"), "--format", "json").Output()
	var d report.Document
	if jerr := json.Unmarshal(out, &d); jerr != nil {
		t.Fatalf("report: %v, %v", err, jerr)
	}
	return d
}

// judge holds a report against the laboratory's truth.
func judge(t *testing.T, d report.Document, want labFault) {
	t.Helper()
	if len(d.Findings) == 0 {
		t.Fatalf("verdict %s without a finding; want %v", d.Verdict, want.Chain)
	}
	f := d.Findings[0]
	t.Logf("%v on %s %s: %s", f.Chain, f.Subject.Device, f.Subject.Port, f.Summary)
	if !slices.Equal(f.Chain, want.Chain) {
		t.Errorf("chain: got %v, want %v", f.Chain, want.Chain)
	}
	if f.Subject.Device != want.Device || f.Subject.Port != want.IfName {
		t.Errorf("subject: got %s %s, want %s %s", f.Subject.Device, f.Subject.Port, want.Device, want.IfName)
	}
}

// lastFault reads the newest entry of the laboratory's truth.
func lastFault(t *testing.T) labFault {
	t.Helper()
	b, err := os.ReadFile(truthFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []labFault
	if err := json.Unmarshal(b, &all); err != nil || len(all) == 0 {
		t.Fatalf("truth: %v, %d faults", err, len(all))
	}
	return all[len(all)-1]
}

// labSite describes the laboratory to the program under test; the switches' host keys are asked for first.
func labSite(n *network) string {
	text := "site: rstplab\ndevices:\n"
	for _, d := range []struct{ name, address, ports string }{
		{"acc", "10.99.0.11", "GigabitEthernet1/0/1, GigabitEthernet1/0/24"},
		{"swA", "10.99.0.12", "GigabitEthernet1/0/1, GigabitEthernet1/0/2, GigabitEthernet1/0/3"},
		{"swB", "10.99.0.13", "GigabitEthernet1/0/1, GigabitEthernet1/0/2, GigabitEthernet1/0/3"},
	} {
		text += fmt.Sprintf(`  - name: %s
    address: %s
    platform: cisco_iosxe
    role: switch
    snmp: {version: 2c, community: env:LAB_COMMUNITY}
    ssh: {port: 2222, user: netops, password: env:LAB_PASSWORD, host_key: "%s"}
    ports: [%s]
`, d.name, d.address, fingerprint(n, d.address), d.ports)
	}
	text += `  - {name: fw1, address: 10.99.0.21, role: firewall, peer: fw2, snmp: {version: 2c, community: env:LAB_COMMUNITY}, ports: [in, out]}
  - {name: fw2, address: 10.99.0.22, role: firewall, peer: fw1, snmp: {version: 2c, community: env:LAB_COMMUNITY}, ports: [in, out]}
paths:
  - name: a-b
    hops: [acc, swA, [fw1, fw2], swB]
    probe: {to: 10.10.0.20, port: 5301, rate: 20M, heartbeat: 20ms}
`
	return text
}

// fingerprint asks a switch for its ed25519 host key.
func fingerprint(n *network, address string) string {
	n.t.Helper()
	out := n.in("hostA", "sh", "-c", "ssh-keyscan -t ed25519 -p 2222 "+address+" 2>/dev/null | ssh-keygen -lf -")
	fields := strings.Fields(out)
	if len(fields) < 2 {
		n.t.Fatalf("host key of %s: %q", address, out)
	}
	return fields[1]
}
