package cli

import (
	"testing"

	"whydrop/devices"
	"whydrop/devices/parse"
)

func TestPortsAreCalledAsTheSiteFileCallsThem(t *testing.T) {
	for _, c := range []struct {
		name, platform, command, text string
		ports                         []string
		want                          []string
	}{
		{
			"FastIron by the agent's name", "brocade_fastiron", "show interfaces",
			"GigabitEthernet1/1/1 is up, line protocol is up\n  0 input errors, 3 CRC, 0 frame, 0 ignored\n10GigabitEthernet1/2/1 is up, line protocol is up\n  0 input errors, 4 CRC, 0 frame, 0 ignored\n",
			[]string{"ethernet1/2/1"}, []string{"ethernet1/2/1"},
		},
		{
			"FastIron by its numbers", "brocade_fastiron", "show interfaces",
			"GigabitEthernet1/1/1 is up, line protocol is up\nGigabitEthernet2/1/1 is up, line protocol is up\n",
			[]string{"2/1/1"}, []string{"2/1/1"},
		},
		{
			"ASA by its nameif", "cisco_asa", "show interface",
			"Interface GigabitEthernet0/0 \"outside\", is up, line protocol is up\nInterface GigabitEthernet0/1 \"inside\", is up, line protocol is up\n",
			[]string{"inside"}, []string{"inside"},
		},
		{
			"ASA by its hardware", "cisco_asa", "show interface",
			"Interface GigabitEthernet0/0 \"outside\", is up, line protocol is up\nInterface GigabitEthernet0/1 \"inside\", is up, line protocol is up\n",
			[]string{"Gi0/0"}, []string{"Gi0/0"},
		},
		{
			"what is not named is left out", "cisco_ios", "show interfaces",
			"GigabitEthernet0/1 is up, line protocol is up\nFastEthernet0/1 is up, line protocol is up\n",
			[]string{"Ethernet0/1"}, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r devices.Reading
			if err := parse.Into(c.platform, c.command, parse.Input{Text: c.text}, &r); err != nil {
				t.Fatal(err)
			}
			r.Neighbours = []devices.Neighbour{{Port: r.Interfaces[len(r.Interfaces)-1].Name}}
			onlyWatched(devices.Device{Ports: c.ports}, &r)
			var got []string
			for _, i := range r.Interfaces {
				got = append(got, i.Name)
			}
			if len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
				t.Errorf("ports %q, want %q", got, c.want)
			}
			if c.ports[0] == "2/1/1" && r.Neighbours[0].Port != "2/1/1" {
				t.Errorf("a neighbour's port is %q", r.Neighbours[0].Port)
			}
		})
	}
}
