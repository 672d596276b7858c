package parse

import (
	"os"
	"slices"
	"testing"
	"unicode/utf8"

	"whydrop/devices"
)

// fuzz gives every parser of a platform the same text, and a reading that the others have begun.
func fuzz(f *testing.F, platform string) {
	for _, file := range captures(f, platform) {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
		f.Add(string(text[:len(text)*2/3])) // cut in the middle of a line
	}
	var commands []string
	for c := range Parsers[platform] {
		commands = append(commands, c)
	}
	slices.Sort(commands)
	f.Fuzz(func(t *testing.T, text string) {
		var r devices.Reading
		for _, c := range commands {
			if err := Into(platform, c, Input{Text: text, Span: asked}, &r); err != nil {
				t.Fatal(err)
			}
		}
		check(t, text, r)
	})
}

// check fails the test if a reading holds what no parser may put there.
func check(t *testing.T, text string, r devices.Reading) {
	for _, i := range r.Interfaces {
		if i.Name == "" {
			t.Fatalf("a port without a name: %+v", i)
		}
		if i.Speed.OK && (i.Speed.Value == 0 || i.Speed.Value > 1.6e12) || i.Load.OK && !(i.Load.Value >= 0 && i.Load.Value <= 1) {
			t.Fatalf("speed %v, load %v", i.Speed, i.Load)
		}
		if i.Oper.OK && i.Oper.Value == "" || i.Admin.OK && i.Admin.Value == "" {
			t.Fatalf("states %+v", i)
		}
	}
	if r.CPU.OK && !(r.CPU.Value >= 0 && r.CPU.Value <= 1) || len(r.Unread) > 1000 {
		t.Fatalf("CPU %v, %d lines not understood", r.CPU, len(r.Unread))
	}
	for _, s := range r.Stations {
		if s.MAC == "" || s.VLAN.OK && s.VLAN.Value > 4095 {
			t.Fatalf("station %+v", s)
		}
	}
	if utf8.ValidString(text) {
		for _, n := range r.Neighbours {
			if !utf8.ValidString(n.System + n.PortID + n.Platform) {
				t.Fatalf("neighbour %+v", n)
			}
		}
	}
}

func FuzzCiscoIOSXE(f *testing.F)      { fuzz(f, "cisco_iosxe") }
func FuzzCiscoNXOS(f *testing.F)       { fuzz(f, "cisco_nxos") }
func FuzzCiscoIOSXR(f *testing.F)      { fuzz(f, "cisco_iosxr") }
func FuzzCiscoASA(f *testing.F)        { fuzz(f, "cisco_asa") }
func FuzzCiscoSMB(f *testing.F)        { fuzz(f, "cisco_smb") }
func FuzzAristaEOS(f *testing.F)       { fuzz(f, "arista_eos") }
func FuzzJuniperJunos(f *testing.F)    { fuzz(f, "juniper_junos") }
func FuzzArubaAOSCX(f *testing.F)      { fuzz(f, "aruba_aoscx") }
func FuzzHPProcurve(f *testing.F)      { fuzz(f, "hp_procurve") }
func FuzzDellForce10(f *testing.F)     { fuzz(f, "dell_force10") }
func FuzzDellOS10(f *testing.F)        { fuzz(f, "dell_os10") }
func FuzzExtremeEXOS(f *testing.F)     { fuzz(f, "extreme_exos") }
func FuzzBrocadeFastIron(f *testing.F) { fuzz(f, "brocade_fastiron") }
func FuzzBrocadeNetIron(f *testing.F)  { fuzz(f, "brocade_netiron") }
func FuzzHPComware(f *testing.F)       { fuzz(f, "hp_comware") }
func FuzzHuaweiVRP(f *testing.F)       { fuzz(f, "huawei_vrp") }
func FuzzLinux(f *testing.F)           { fuzz(f, "linux") }
func FuzzFortiOS(f *testing.F)         { fuzz(f, "fortios") }
func FuzzPANOS(f *testing.F)           { fuzz(f, "paloalto_panos") }
func FuzzRouterOS(f *testing.F)        { fuzz(f, "mikrotik_routeros") }
