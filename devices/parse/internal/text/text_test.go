package text

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAgo(t *testing.T) {
	const week = 7 * 24 * time.Hour
	for s, want := range map[string]time.Duration{
		"00:00:01": time.Second, "00: 00: 01": time.Second, "1:02:03": time.Hour + 2*time.Minute + 3*time.Second, "2:00:00:00": 48 * time.Hour,
		"3w3d": 3*week + 72*time.Hour, "1y2w": 365*24*time.Hour + 2*week, "1d21h": 45 * time.Hour, "8week(s) 2day(s)": 8*week + 48*time.Hour,
		"974week(s) 3day(s)": 974*week + 72*time.Hour, "14 minutes, 2 seconds": 14*time.Minute + 2*time.Second, "6 days, 11:19:37": 155*time.Hour + 19*time.Minute + 37*time.Second,
		"9 months": 9 * 30 * 24 * time.Hour, "142:22:13": 142*time.Hour + 22*time.Minute + 13*time.Second,
	} {
		if got, ok := Ago(s); !ok || got != want {
			t.Errorf("Ago(%q) = %v, %v; want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"never", "Unknown", "", "5", "5 parsecs", "-", "999999999999y", "1:2", "10:00:00x"} {
		if got, ok := Ago(s); ok {
			t.Errorf("Ago(%q) = %v, want none", s, got)
		}
	}
}

func TestMAC(t *testing.T) {
	for _, s := range []string{"0011.2233.AAbb", "00:11:22:33:aa:bb", "00-11-22-33-AA-BB", "0011-2233-aabb", "001122-33aabb", "00112233aabb"} {
		if got, ok := MAC(s); !ok || got != "00:11:22:33:aa:bb" {
			t.Errorf("MAC(%q) = %q, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "0011.2233.aab", "0011.2233.aabbc", "GigabitEthernet", "00:11:22:33:aa:b\u00e9", "------------"} {
		if got, ok := MAC(s); ok {
			t.Errorf("MAC(%q) = %q, want none", s, got)
		}
	}
}

func TestRate(t *testing.T) {
	for s, want := range map[string]float64{
		"1000Mb/s": 1e9, "10 Gb/s": 10e9, "100000Mb/s": 100e9, "2000 bits/sec": 2000, "120 bytes/sec": 960, "915.73 mega-bits/sec ": 915.73e6,
		"6.35 Mbps": 6.35e6, "a-10G": 10e9, "1000000 Kbit/sec (Max: 1 Kbit)": 1e9, "0 bps (0.0% with framing overhead)": 0, "12 Mbits / sec": 12e6, "1000mbps": 1e9,
	} {
		if got, ok := Rate(s); !ok || fmt.Sprintf("%.3f", got) != fmt.Sprintf("%.3f", want) {
			t.Errorf("Rate(%q) = %v, %v; want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "auto", "1000", "5 parsecs", "- bytes/sec"} {
		if got, ok := Rate(s); ok {
			t.Errorf("Rate(%q) = %v, want none", s, got)
		}
	}
}

func TestPairs(t *testing.T) {
	for line, want := range map[string]string{
		"3 input errors, 3 CRC":                             "3=input errors;3=CRC",
		"0 runts  1 giants  2 CRC/FCS":                      "0=runts;1=giants;2=CRC/FCS",
		"2 input packets 0 unicast packets 168 bytes":       "2=input packets;0=unicast packets;168=bytes",
		"Received 6 broadcast packets, 7 multicast packets": "6=broadcast packets;7=multicast packets",
		"113,774,739,276 packets input, 1,000 bytes":        "113774739276=packets input;1000=bytes",
		"-- no buffer  5 overrun":                           "?=no buffer;5=overrun",
		"-1 input errors, 0 CRC":                            "?=input errors;0=CRC",
		"0 L2 decode drops":                                 "0=L2 decode drops",
		"99999999999999999999999 packets input, 1 bytes":    "?=packets input;1=bytes",
		"no numbers at all":                                 "",
		"":                                                  "",
	} {
		var got []string
		for n, label := range Pairs(line) {
			v := "?"
			if n.OK {
				v = fmt.Sprint(n.Value.Value)
			}
			got = append(got, v+"="+label)
		}
		if s := strings.Join(got, ";"); s != want {
			t.Errorf("Pairs(%q) = %q, want %q", line, s, want)
		}
	}
}

func TestColumns(t *testing.T) {
	c := NewColumns("Port      Name               Status       Vlan  Reason description", "Reason description")
	row := "Gi1/0/1   suspended customer connected    trunk two words"
	for name, want := range map[string]string{"Port": "Gi1/0/1", "Name": "suspended customer", "Status": "connected", "Vlan": "trunk", "Reason description": "two words", "Speed": ""} {
		if got := c.Cell(row, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for what, row := range map[string]string{"short": "Gi1/0/1", "empty": "", "wide": "Gi1/0/1   Gäste im Erdgeschos connected    1"} {
		if got := c.Cell(row, "Vlan"); what == "wide" && got != "1" || what != "wide" && got != "" {
			t.Errorf("a %s row: vlan %q", what, got)
		}
	}
	if !c.Begins(row, "Status") || c.Begins("Gi1/0/1 x connected 1", "Status") {
		t.Error("Begins does not tell where a word begins")
	}
}

func TestUnset(t *testing.T) {
	for s, want := range map[string]bool{"-": true, "--": true, "n/a": true, "N/A": true, "Unknown": true, "": true, "0": false, "-5": false, "Off": false} {
		if got := Unset(s); got != want {
			t.Errorf("Unset(%q) = %v", s, got)
		}
	}
}
