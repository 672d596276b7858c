package cli

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"whydrop/devices"
	"whydrop/devices/cli/clitest"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name  string
		signs Signs
		want  string
	}{
		{"IOS by its version", Signs{Version: "Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(7)E, RELEASE SOFTWARE (fc3)\n"}, "cisco_ios"},
		{"IOS-XE of old, which names both", Signs{Version: "Cisco IOS Software, IOS-XE Software, Catalyst L3 Switch Software (CAT3K_CAA-UNIVERSALK9-M), Version 03.06.06E\n"}, "cisco_iosxe"},
		{"IOS-XE by sysDescr", Signs{SysDescr: "Cisco IOS Software [Amsterdam], Catalyst L3 Switch Software (CAT9K_IOSXE), Version 17.3.3, RELEASE SOFTWARE (fc7)\nCisco IOS XE Software"}, "cisco_iosxe"},
		{"NX-OS", Signs{Version: "Cisco Nexus Operating System (NX-OS) Software\n"}, "cisco_nxos"},
		{"IOS XR", Signs{Version: "Cisco IOS XR Software, Version 6.5.3\n"}, "cisco_iosxr"},
		{"IOS XR by its prompt", Signs{Prompt: "RP/0/RSP0/CPU0:core-1#"}, "cisco_iosxr"},
		{"ASA", Signs{Version: "Cisco Adaptive Security Appliance Software Version 9.12(2)\n"}, "cisco_asa"},
		{"ASA by its prompt", Signs{Prompt: "fw1/pri/act>"}, "cisco_asa"},
		{"Firepower", Signs{Version: "-----[ ftd1 ]-----\nModel : Cisco Firepower 2110 Threat Defense (77) Version 6.6.1\n"}, "cisco_asa"},
		{"EOS", Signs{Version: "Arista DCS-7050TX-64-R\nHardware version: 01.11\n"}, "arista_eos"},
		{"Junos", Signs{Version: "Hostname: ex1\nModel: ex3400-24t\nJunos: 20.4R3.8\n"}, "juniper_junos"},
		{"Junos by sysDescr", Signs{SysDescr: "Juniper Networks, Inc. ex3400-24t Ethernet Switch, kernel JUNOS 20.4R3.8"}, "juniper_junos"},
		{"the software counts more than the prompt", Signs{Prompt: "x/pri/act>", Version: "Arista vEOS\n"}, "arista_eos"},
		{"Dell OS9", Signs{Version: "Dell Real Time Operating System Software\nDell Operating System Version:  2.0\nDell Application Software Version:  9.14(2.9)\n"}, "dell_force10"},
		{"Dell OS10", Signs{Version: "Dell SmartFabric OS10 Enterprise\nOS Version: 10.5.3.4\n"}, "dell_os10"},
		{"ExtremeXOS", Signs{Version: "Switch      : 800611-00-04\nImage   : ExtremeXOS version 31.7.2.28 by release-manager\n"}, "extreme_exos"},
		{"ExtremeXOS by its prompt", Signs{Prompt: "* edge-3.12 # "}, "extreme_exos"},
		{"FastIron", Signs{SysDescr: "Ruckus Wireless, Inc. Stacking System ICX7450-48-HPOE, IronWare Version 08.0.92bT213"}, "brocade_fastiron"},
		{"NetIron", Signs{SysDescr: "Brocade NetIron CER, Extended route scalability, IronWare Version V5.9.0fT183"}, "brocade_netiron"},
		{"AOS-CX", Signs{Version: "-----\nArubaOS-CX\n(c) Copyright 2017-2026 Hewlett Packard Enterprise Development LP\nVersion      : FL.10.13.1000\n"}, "aruba_aoscx"},
		{"AOS-CX by sysDescr", Signs{SysDescr: "Aruba JL658A  FL.10.13.1000"}, "aruba_aoscx"},
		{"ArubaOS-Switch", Signs{Version: "Image stamp:    /ws/swbuildm/rel/code/build/lvm\n                WC.16.11.0020\n"}, "hp_procurve"},
		{"ArubaOS-Switch by sysDescr", Signs{SysDescr: "Aruba JL255A 2930F-24G-PoE+-4SFP+ Switch, revision WC.16.11.0020, ROM WC.16.01.0008"}, "hp_procurve"},
		{"ProCurve by sysDescr", Signs{SysDescr: "ProCurve J9021A Switch 2810-24G, revision N.11.15, ROM N.10.01"}, "hp_procurve"},
		{"Comware", Signs{Version: "HPE Comware Software, Version 7.1.070, Release 3506P11\n"}, "hp_comware"},
		{"Comware by its banner", Signs{Banner: "SSH-2.0-Comware-7.1.070"}, "hp_comware"},
		{"VRP", Signs{Version: "Huawei Versatile Routing Platform Software\nVRP (R) software, Version 5.170 (S5735 V200R021C00SPC100)\n"}, "huawei_vrp"},
		{"nothing", Signs{}, ""},
		{"a prompt that all have", Signs{Prompt: "sw1>", Banner: "SSH-2.0-Cisco-1.25"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := Detect(c.signs); got != c.want || ok != (c.want != "") {
				t.Errorf("Detect = %q, %v; want %q", got, ok, c.want)
			}
		})
	}
}

// unknown returns the site file's entry for a server without its platform.
func unknown(s *clitest.Server) devices.Device {
	d := device(s, nil)
	d.Platform = ""
	return d
}

func TestADeviceWithoutAPlatformIsAskedWhatItIs(t *testing.T) {
	for _, c := range []struct {
		name, prompt, version, interfaces, want string
	}{
		{"Junos", "ops@ex1>", "Hostname: ex1\nJunos: 20.4R3.8\n", "show interfaces extensive", "juniper_junos"},
		{"EOS", "leaf1>", "Arista DCS-7050TX-64-R\n", "show interfaces", "arista_eos"},
		{"IOS XR, whose prompt is enough", "RP/0/RSP0/CPU0:r1#", "", "show interfaces", "cisco_iosxr"},
		{"one that says nothing", "box#", "", "show interfaces", defaultPlatform},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answers := map[string]string{c.interfaces: gi1}
			if c.version != "" {
				answers["show version"] = c.version
			}
			s := ios(t, func(s *clitest.Server) { s.Prompt, s.Handler = c.prompt, clitest.Transcript(answers) })
			col := collector(t)
			for range 2 {
				if _, err := col.Collect(within(t, testTime), unknown(s)); err != nil {
					t.Fatal(err)
				}
			}
			if got, ok := col.Detected("sw1"); got != c.want || !ok {
				t.Errorf("detected %q, %v; want %q", got, ok, c.want)
			}
			col.Close()
			got := s.Commands()
			if !slices.Contains(got, c.interfaces) || s.Counts().Logins != 1 {
				t.Errorf("commands %q in %d sessions", got, s.Counts().Logins)
			}
			for _, cmd := range got {
				if check(c.want, cmd) != nil && check("", cmd) != nil && cmd != "exit" {
					t.Errorf("the device got %q", cmd)
				}
			}
		})
	}
}

func TestEnableIsAskedForWhereItIsNeededAndOnce(t *testing.T) {
	for _, c := range []struct {
		name, secret, server string
		prompt               string
	}{
		{"accepted", "canary-enable", "canary-enable", "#"},
		{"refused", "canary-wrong", "canary-enable", ">"},
		{"no enable on the device", "canary-enable", "", ">"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := ios(t, func(s *clitest.Server) {
				s.Enable = c.server
				s.Handler = clitest.Transcript(map[string]string{"show interface": "Interface GigabitEthernet0/0 \"outside\", is up, line protocol is up\n"})
			})
			col := collector(t)
			kept := &tape{}
			col.Tape = kept
			d := device(s, func(x *devices.SSH) { x.Enable = devices.NewSecret(c.secret) })
			d.Platform = "cisco_asa"
			r, err := col.Collect(within(t, testTime), d)
			if err != nil || len(r.Interfaces) != 1 {
				t.Fatalf("reading %+v, %v", r, err)
			}
			col.Close()
			if n := strings.Count(strings.Join(s.Commands(), "\n"), "enable"); n != 1 {
				t.Errorf("enable was entered %d times: %q", n, s.Commands())
			}
			for _, e := range kept.list {
				if strings.Contains(string(e.Reply)+e.Request, "canary") {
					t.Error("a secret is on the tape")
				}
			}
		})
	}
}

func TestEnableIsNotAskedForWithoutASecret(t *testing.T) {
	t.Parallel()
	s := ios(t, func(s *clitest.Server) { s.Enable = "canary-enable" })
	col := collector(t)
	if _, err := col.Collect(within(t, testTime), device(s, nil)); err != nil {
		t.Fatal(err)
	}
	col.Close()
	if slices.Contains(s.Commands(), "enable") {
		t.Errorf("commands %q", s.Commands())
	}
}

func TestAPromptThatChangesIsFollowed(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	s := ios(t, func(s *clitest.Server) {
		s.Prompts = func() string {
			if n.Add(1) > 5 { // a failover in between
				return "fw1/sec/stby#"
			}
			return "fw1/pri/act#"
		}
		s.Handler = clitest.Transcript(map[string]string{"show interface": "Interface GigabitEthernet0/0 \"outside\", is up, line protocol is up\n", "show failover": "Failover On\nThis host: Primary - Active\nOther host: Secondary - Standby Ready\n"})
	})
	col := collector(t)
	d := device(s, nil)
	d.Platform = "cisco_asa"
	r, err := col.Collect(within(t, testTime), d)
	if err != nil || len(r.Interfaces) != 1 || len(r.Redundancy) != 1 || r.Redundancy[0].State != "active" {
		t.Fatalf("reading %+v, %v", r, err)
	}
	if s.Counts().Logins != 1 {
		t.Errorf("%d logins", s.Counts().Logins)
	}
}
