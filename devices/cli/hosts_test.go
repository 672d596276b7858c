package cli

import (
	"errors"
	"strings"
	"testing"

	"whydrop/devices"
	"whydrop/devices/cli/clitest"
)

func TestDetectHostsAndFirewalls(t *testing.T) {
	for _, c := range []struct {
		name  string
		signs Signs
		want  string
	}{
		{"a shell's prompt", Signs{Banner: "SSH-2.0-OpenSSH_9.2p1", Prompt: "ops@host-1:~$"}, "linux"},
		{"root's prompt", Signs{Prompt: "root@host-1:/var/log#"}, "linux"},
		{"Linux by sysDescr", Signs{SysDescr: "Linux host-1 6.1.0-18-amd64 #1 SMP x86_64"}, "linux"},
		{"RouterOS by its banner", Signs{Banner: "SSH-2.0-ROSSSH"}, "mikrotik_routeros"},
		{"RouterOS by its prompt", Signs{Prompt: "[ops@edge 1] >"}, "mikrotik_routeros"},
		{"FortiOS by its prompt", Signs{Prompt: "fw-a (global) #"}, "fortios"},
		{"a FortiGate whose sysDescr was left as it came", Signs{SysDescr: "FortiGate-60F"}, "fortios"},
		{"PAN-OS by the state in its prompt", Signs{Prompt: "ops@fw-a(passive)>"}, "paloalto_panos"},
		{"PAN-OS by sysDescr", Signs{SysDescr: "Palo Alto Networks PA-400 series firewall"}, "paloalto_panos"},
		{"Junos, whose prompt is like that of PAN-OS", Signs{Prompt: "ops@ex1>"}, ""},
		{"a switch's prompt", Signs{Prompt: "sw1#"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := Detect(c.signs); got != c.want || ok != (c.want != "") {
				t.Errorf("Detect = %q, %v; want %q", got, ok, c.want)
			}
		})
	}
}

// host answers like a Linux host without the bridge tool.
func host(t *testing.T, answers map[string]string) *clitest.Server {
	return ios(t, func(s *clitest.Server) {
		s.Prompt = "ops@host-1:~$"
		s.Handler = func(command string) (string, bool) {
			if out, ok := answers[command]; ok {
				return out, true
			}
			word, _, _ := strings.Cut(command, " ")
			return "-bash: " + word + ": command not found\n", true
		}
	})
}

const hostPort = "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000\n    RX:  bytes packets errors dropped  missed   mcast\n    900 10 3 0 0 0\n"

func TestAToolThatAHostLacksIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	s := host(t, map[string]string{
		"ip -s -s -d link show eth0": hostPort,
		"ethtool -S eth0":            "NIC statistics:\n     rx_crc_errors: 7\n",
	})
	c := collector(t)
	d := device(s, nil)
	d.Platform, d.Ports = "linux", []string{"eth0"}
	for range 2 {
		r, err := c.Collect(within(t, testTime), d)
		if err != nil || len(r.Interfaces) != 1 {
			t.Fatalf("ports %+v, error %v", r.Interfaces, err)
		}
		if p := r.Interfaces[0]; p.InErrors != devices.CCLI(3) || p.FCS != devices.CCLI(7) || p.Oper != devices.Some("up") {
			t.Errorf("port %+v, want what both tools say", p)
		}
	}
	sent := strings.Join(s.Commands(), "\n")
	for command, want := range map[string]int{"ethtool -S eth0": 2, "ethtool eth0": 1, "bridge -d link": 1} {
		if n := strings.Count(sent, command); n != want {
			t.Errorf("asked %q %d times, want %d", command, n, want)
		}
	}
}

func TestAHostWithoutItsFirstToolIsReported(t *testing.T) {
	t.Parallel()
	s := host(t, nil)
	d := device(s, nil)
	d.Platform, d.Ports = "linux", []string{"eth0"}
	_, err := collector(t).Collect(within(t, testTime), d)
	if !errors.Is(err, devices.ErrUnsupported) || errors.Is(err, ErrPlatform) {
		t.Errorf("error %v, want the host's own words and no doubt of the platform", err)
	}
	checkWords(t, err, "ip: command not found")
}
