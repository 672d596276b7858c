package app

import (
	"bytes"
	"strings"
	"testing"

	"whydrop/devices"
	"whydrop/devices/cli/clitest"
)

// cliSwitch starts a switch that is asked by show commands alone.
func cliSwitch(t *testing.T, name, hostPort, hostMAC, farMAC, neighbour string) devices.Device {
	t.Helper()
	key, err := clitest.NewHostKey("ed25519")
	if err != nil {
		t.Fatal(err)
	}
	row := func(mac, port string) string {
		return "          Mac Address Table\n-------------------------------------------\n\nVlan    Mac Address       Type        Ports\n----    -----------       --------    -----\n  10    " +
			mac + "    DYNAMIC     " + port + "\nTotal Mac Addresses for this criterion: 1\n"
	}
	s := &clitest.Server{Hostname: name, User: "u", Password: "p", HostKey: key, Privileged: true, Handler: clitest.Transcript(map[string]string{
		"show interfaces": "GigabitEthernet1/0/1 is up, line protocol is up (connected)\n  Hardware is Gigabit Ethernet, address is 0201.0000.0001 (bia 0201.0000.0001)\n" +
			"GigabitEthernet1/0/24 is up, line protocol is up (connected)\n  Hardware is Gigabit Ethernet, address is 0201.0000.0018 (bia 0201.0000.0018)\n",
		"show version": "Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(7)E\n",
		"show lldp neighbors detail": "------------------------------------------------\nLocal Intf: Gi1/0/24\nChassis id: 0202.0000.0001\nPort id: Gi1/0/24\nPort Description: up\nSystem Name: " + neighbour +
			"\n\nTime remaining: 100 seconds\n\nTotal entries displayed: 1\n",
		"show mac address-table address " + hostMAC: row(hostMAC, hostPort),
		"show mac address-table address " + farMAC:  row(farMAC, "Gi1/0/24"),
	})}
	if err := s.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return devices.Device{Name: name, Role: "switch", Address: "127.0.0.1", Platform: "cisco_ios",
		SSH: &devices.SSH{Port: s.Port(), User: "u", Password: devices.NewSecret("p"), HostKey: s.Fingerprint()}}
}

func TestPathByShowCommands(t *testing.T) {
	plan := Plan{Devices: []devices.Device{
		cliSwitch(t, "sw1", "Gi1/0/1", "0200.0000.000a", "0200.0000.000b", "sw2"),
		cliSwitch(t, "sw2", "Gi1/0/1", "0200.0000.000b", "0200.0000.000a", "sw1"),
	}}
	var out bytes.Buffer
	err := LearnPath(t.Context(), plan, LearnOptions{From: "02:00:00:00:00:0a", To: "02:00:00:00:00:0b", Format: "text", Out: &out})
	for _, want := range []string{
		" 1  sw1  GigabitEthernet1/0/1 > GigabitEthernet1/0/24\n", " 2  sw2  GigabitEthernet1/0/24 > GigabitEthernet1/0/1\n", "sw1 hears sw2 at GigabitEthernet1/0/24 (lldp)", "VLAN 10",
	} {
		if err != nil || !strings.Contains(out.String(), want) {
			t.Fatalf("%v; no %q in\n%s", err, want, out.String())
		}
	}
}
