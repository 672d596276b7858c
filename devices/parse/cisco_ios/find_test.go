package cisco_ios

import (
	"os"
	"strings"
	"testing"

	"whydrop/devices"
)

func TestFindInterfacesInProse(t *testing.T) {
	block := "GigabitEthernet0/1 is up, line protocol is up (connected)\n  Hardware is Gigabit Ethernet, address is 0011.2233.4401\n  Full-duplex, 100Mb/s, media type is 10/100/1000BaseTX\n  5 minute input rate 2000 bits/sec, 2 packets/sec\n     10 packets input, 640 bytes, 0 no buffer\n     3 input errors, 3 CRC, 0 frame, 0 overrun, 0 ignored"
	double := strings.ReplaceAll(block, "\n", "\n\n")
	for _, c := range []struct {
		name, text string
		want       []string // the text of each block found
	}{
		{"between sentences", "Hello,\nthe port is slow.\n\n" + block + "\n\nAny idea?\n", []string{block}},
		{"Spanish", "Hola a todos, adjunto la salida:\nSW#sh int gi0/1\n" + block + "\nSW#\nEscenario 2: con un cable derecho\n", []string{block}},
		{"Chinese", "交换机端口如下：\n" + block + "\n请问这是什么原因？3 input errors 是什么\n", []string{block}},
		{"Russian, two blocks", "Вот вывод:\n" + block + "\nа через минуту:\n" + block + "\nСпасибо", []string{block, block}},
		{"a blank line after every line, as a forum makes it", "x\n\n" + double + "\n\nEscenario 2\n", []string{double}},
		{"quoted in a mail", "> " + strings.ReplaceAll(block, "\n", "\n> ") + "\n> > thanks\n", []string{strings.ReplaceAll(block, "\n", "\n> ")}},
		{"a sentence about a port is none", "GigabitEthernet0/1 is up, line protocol is up, but it is slow.\nWhat now?\n\nI pinged 10 hosts.\n", nil},
		{"a header alone is none", "Gi0/1 is down\n", nil},
		{"counters in prose without a block are none", "there were 3 input errors, 3 CRC on it\n5 minute input rate 7 bits/sec\n", nil},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range FindInterfaces(c.text) {
				got = append(got, strings.TrimPrefix(c.text[p.From:p.To], "> "))
				if p.Interface.FCS != devices.CCLI(3) || p.Interface.Speed != devices.Some(uint64(100e6)) || p.Extra.InRate != devices.Some(2000.0) {
					t.Errorf("port %+v", p)
				}
			}
			if len(got) != len(c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
			for i := range got {
				if got[i] != strings.TrimPrefix(c.want[i], "> ") {
					t.Errorf("found\n%q, want\n%q", got[i], c.want[i])
				}
			}
		})
	}
}

func TestFindInterfacesInASeed(t *testing.T) {
	text, err := os.ReadFile("../../../../shared/seeds/004_ef57ec617634408c.txt")
	if err != nil {
		t.Skip("no seeds beside the checkout")
	}
	ports := FindInterfaces(string(text))
	var got []string
	for _, p := range ports {
		got = append(got, p.Interface.Name+" "+p.Interface.InPackets.String())
		if p.Interface.FCS != devices.CCLI(0) || p.Interface.OutErrors != devices.CCLI(0) || p.Interface.Duplex.Value != "full" || !p.Extra.OutRate.OK || p.Interface.InPause != devices.CCLI(0) {
			t.Errorf("port %+v", p)
		}
	}
	want := "GigabitEthernet0/1 {2783629 0}; GigabitEthernet0/2 {1392174 0}; GigabitEthernet0/1 {36663662 0}"
	if s := strings.Join(got, "; "); !strings.HasPrefix(s, want) {
		t.Errorf("found %q, want %q first", s, want)
	}
}
