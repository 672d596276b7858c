package app

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/devices/cli/clitest"
	"whydrop/devices/snmp/snmptest"
)

// TestSecretsAppearNowhere runs a watch and a check over devices that accept, refuse and do not answer, with secrets
// that can be told from anything else, and looks for them in all that is left behind.
func TestSecretsAppearNowhere(t *testing.T) {
	canaries := map[string]string{
		"C_GOOD": "Kanarie-community-1", "C_BAD": "Kanarie-community-2", "A_GOOD": "Kanarie-authpass-3", "A_BAD": "Kanarie-authpass-4",
		"X_GOOD": "Kanarie-privpass-5", "P_GOOD": "Kanarie-password-6", "P_BAD": "Kanarie-password-7", "T": "Kanarie-token-8",
	}
	for name, v := range canaries {
		t.Setenv(name, v)
	}
	agent := &snmptest.Agent{Community: canaries["C_GOOD"], User: "reader", Auth: "SHA", AuthPass: canaries["A_GOOD"], PrivPass: canaries["X_GOOD"]}
	at := snmptest.NewAgent(t, agent)
	agent.Set("1.3.6.1.2.1.1.3.0", snmptest.Ticks(4711))
	agent.Set("1.3.6.1.2.1.31.1.1.1.1.1", snmptest.Str("Gi0/1"))
	agent.Set("1.3.6.1.2.1.31.1.1.1.6.1", snmptest.C64(1000))
	key, err := clitest.NewHostKey("ed25519")
	if err != nil {
		t.Fatal(err)
	}
	shell := &clitest.Server{User: "netops", Password: canaries["P_GOOD"], HostKey: key, Handler: func(string) (string, bool) { return "", false }}
	if err := shell.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	defer shell.Close()
	site := "site: canaries\ndevices:\n"
	add := func(name, snmp, ssh string) {
		site += fmt.Sprintf("  - {name: %s, address: 127.0.0.1, ports: [Gi0/1]%s%s}\n", name, snmp, ssh)
	}
	login := func(pass string) string {
		return fmt.Sprintf(`, ssh: {port: %d, user: netops, password: "env:%s", host_key: "%s"}`, shell.Port(), pass, shell.Fingerprint())
	}
	v2 := func(c string) string {
		return fmt.Sprintf(`, snmp: {version: 2c, port: %d, timeout: 300ms, community: "env:%s"}`, at.Port(), c)
	}
	v3 := func(a string) string {
		return fmt.Sprintf(`, snmp: {version: 3, port: %d, timeout: 300ms, user: reader, auth_pass: "env:%s", priv_pass: "env:X_GOOD"}`, at.Port(), a)
	}
	add("good", v2("C_GOOD"), login("P_GOOD"))
	add("silent", v2("C_BAD"), "")
	add("private", v3("A_GOOD"), "")
	add("refused", v3("A_BAD"), login("P_BAD"))
	site += "paths:\n  - {name: p, hops: [good], probe: {to: 127.0.0.1, port: 1, token: \"env:T\", kinds: [iperf3]}}\n"

	dir := t.TempDir()
	plan, err := ParseSite("site.yaml", []byte(site), &Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	var left bytes.Buffer
	fmt.Fprintf(&left, "%v %+v %#v\n", plan.Devices, plan.Devices, plan.Devices)
	recording := filepath.Join(dir, "run.whydrop")
	res, err := Watch(t.Context(), plan, Options{For: 4 * time.Second, Session: recording, Progress: &left})
	if err != nil {
		t.Fatal(err)
	}
	if answered := len(res.Document.Problems); answered == 0 {
		t.Error("no problem is reported although two devices refuse")
	}
	for name := range report.Formats {
		if err := WriteReport(&left, res.Document, name); err != nil {
			t.Fatal(err)
		}
	}
	_ = Check(t.Context(), plan, &left) // it fails, as it should; what it says counts
	b, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	left.Write(b)
	rec, err := OpenRecording(recording)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rec.Snapshot.Gaps() {
		fmt.Fprintln(&left, r.Text)
	}
	text := left.String()
	if !strings.Contains(text, "refused") {
		t.Fatal("what was gathered does not even name the devices")
	}
	for name, secret := range canaries {
		for form, s := range map[string]string{
			"plain": secret, "its beginning": secret[:len("Kanarie-")+4], "hexadecimal": hex.EncodeToString([]byte(secret)),
			"base64": strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="),
		} {
			if strings.Contains(text, s) {
				t.Errorf("%s stands in %s form in what is left behind", name, form)
			}
		}
	}
}
