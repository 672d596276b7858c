package cli

import (
	"slices"
	"strings"
	"testing"

	"whydrop/devices"
	"whydrop/devices/parse"
)

func TestCheckRefusesWhatIsNotOnTheList(t *testing.T) {
	for _, c := range []struct {
		name, platform, command string
		ok                      bool
	}{
		{"a plain command", "cisco_ios", "show interfaces", true},
		{"an interface", "cisco_iosxe", "show interfaces TenGigabitEthernet1/1/0.100", true},
		{"a port-channel", "cisco_ios", "show interfaces Port-channel1", true},
		{"the width we use", "cisco_ios", "terminal width 511", true},
		{"another width", "cisco_ios", "terminal width 80", false},
		{"a newline in the name", "cisco_ios", "show interfaces Gi0/1\nreload", false},
		{"a carriage return in the name", "cisco_ios", "show interfaces Gi0/1\rreload", false},
		{"a pipe", "cisco_ios", "show interfaces Gi0/1 | redirect tftp://192.0.2.1/x", false},
		{"a semicolon", "cisco_ios", "show interfaces Gi0/1;reload", false},
		{"two names", "cisco_ios", "show interfaces Gi0/1 counters", false},
		{"no name after the blank", "cisco_ios", "show interfaces ", false},
		{"a name that begins with a digit", "cisco_ios", "show interfaces 1/0/1", true},
		{"a name of two words", "cisco_ios", "show interfaces GigabitEthernet 1/0/1", true},
		{"a name of two words without a number", "cisco_ios", "show interfaces GigabitEthernet counters", false},
		{"a name that begins with a dash", "cisco_ios", "show interfaces -x", false},
		{"a name of 65 characters", "cisco_ios", "show interfaces G" + strings.Repeat("1", 64), false},
		{"a name of 64 characters", "cisco_ios", "show interfaces G" + strings.Repeat("1", 63), true},
		{"a question mark", "cisco_ios", "show interfaces Gi0/1?", false},
		{"the placeholder's own name is a name like any other", "cisco_ios", "show interfaces NAME", true},
		{"an abbreviation", "cisco_ios", "sh int", false},
		{"configuration", "cisco_ios", "configure terminal", false},
		{"enable", "cisco_ios", "enable", false},
		{"trailing blank", "cisco_ios", "show clock ", false},
		{"upper case", "cisco_ios", "SHOW CLOCK", false},
		{"another platform", "junos", "show interfaces", false},
		{"nothing", "cisco_ios", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := check(c.platform, c.command); (err == nil) != c.ok {
				t.Errorf("check(%q, %q) = %v, want ok %v", c.platform, c.command, err, c.ok)
			}
		})
	}
}

func TestARefusedCommandIsNotSent(t *testing.T) {
	s := ios(t, nil)
	c := collector(t)
	d := device(s, nil)
	if _, err := c.Ask(within(t, testTime), d, "show interfaces Gi0/1\nreload"); err == nil {
		t.Fatal("no error")
	}
	if n := s.Counts().Connections; n != 0 {
		t.Errorf("%d connections for a command that may not be sent", n)
	}
	d.Ports = []string{"GigabitEthernet1/0/1", "Gi0/1\nreload\ny"}
	r, err := c.Collect(within(t, testTime), d)
	checkWords(t, err, `"show interfaces Gi0/1\nreload\ny" is not on the list of commands that may be sent`)
	if len(r.Interfaces) != 1 {
		t.Errorf("ports %+v, want the other one", r.Interfaces)
	}
	c.Close()
	onlyAllowed(t, s)
}

func TestEveryCommandIsParsedAndReadsOnly(t *testing.T) {
	for platform, p := range Platforms {
		for _, c := range Allowed(platform) {
			first, _, _ := strings.Cut(c, " ")
			if slices.Contains(p.Setup, c) {
				continue
			}
			reads := map[string]bool{ // with these words alone
				"date +%FT%T.%N%:z": true, "dmesg --time-format iso": true, "journalctl -k -n 200 --no-pager -o short-iso-precise": true,
			}
			if !reads[c] && !slices.Contains([]string{"show", "display", "get", "ip", "ethtool", "bridge", "cat", "diagnose", "interface", "log", "system"}, first) {
				t.Errorf("%s: %q is no command that only reads", platform, c)
			}
			if err := parse.Into(platform, c, parse.Input{}, &devices.Reading{}); err != nil {
				t.Errorf("%s: %v", platform, err)
			}
		}
	}
	for alias, name := range parse.Aliases {
		if parse.Parsers[alias] != nil || Platforms[alias].Setup != nil {
			t.Errorf("%s is a platform and another name of %s", alias, name)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"show interfaces Gi0/1", "show interfaces Gi0/1\nreload", "terminal length 0", "show interfaces Gi0/1 | include x", "show interfaces \x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, command string) {
		if check("cisco_ios", command) == nil && strings.ContainsAny(command, "\r\n;|?\x00\x03\x15\x1a\b\t") {
			t.Errorf("%q may be sent", command)
		}
	})
}
