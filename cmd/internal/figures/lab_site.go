package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// labSite describes the laboratory to the program under test, which sends at the rate.
func labSite(rate string) (string, error) {
	if rate == "" {
		rate = usualRate
	}
	const community = "snmp: {version: 2c, community: env:WHYDROP_LAB_COMMUNITY}"
	text := "site: laboratory\ndevices:\n"
	for _, d := range []struct{ name, address, ports string }{
		{"acc", "10.99.0.11", "GigabitEthernet1/0/1, GigabitEthernet1/0/24"},
		{"swA", "10.99.0.12", "GigabitEthernet1/0/1, GigabitEthernet1/0/2, GigabitEthernet1/0/3"},
		{"swB", "10.99.0.13", "GigabitEthernet1/0/1, GigabitEthernet1/0/2, GigabitEthernet1/0/3"},
	} {
		key, err := labHostKey(d.name)
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("  - {name: %s, address: %s, platform: cisco_iosxe, role: switch, %s, "+
			"ssh: {port: 2222, user: netops, password: env:WHYDROP_LAB_PASSWORD, host_key: %q}, ports: [%s]}\n", d.name, d.address, community, key, d.ports)
	}
	for _, d := range [][3]string{{"fw1", "10.99.0.21", "fw2"}, {"fw2", "10.99.0.22", "fw1"}} {
		text += fmt.Sprintf("  - {name: %s, address: %s, role: firewall, peer: %s, %s, ports: [in, out]}\n", d[0], d[1], d[2], community)
	}
	return text + fmt.Sprintf("paths:\n  - name: a-b\n    hops: [acc, swA, [fw1, fw2], swB]\n    probe: {to: %s, port: %d, rate: %s, heartbeat: 20ms}\n", farAddress, farPort, rate), nil
}

// labHostKey returns the fingerprint of a switch's host key, as OpenSSH writes it.
func labHostKey(node string) (string, error) {
	b, err := os.ReadFile(filepath.Join(filepath.Dir(labTruthFile), node, "ssh_host_ed25519_key.pub"))
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return "", fmt.Errorf("the host key of %s is no key", node)
	}
	key, err := base64.StdEncoding.DecodeString(fields[1])
	if err != nil {
		return "", fmt.Errorf("the host key of %s: %w", node, err)
	}
	sum := sha256.Sum256(key)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:]), nil
}
