package sim

import (
	"fmt"
	"strings"
	"time"
)

// command is something the simulated command line understands.
type command struct {
	words string
	print func(d *device, at time.Duration, host time.Time, argument string) (string, bool)
}

// commandLine is the list of commands; each word may be abbreviated as long as it stays clear. The last word of a
// pattern may be NAME, for a port.
var commandLine = []command{
	{"show interfaces", func(d *device, at time.Duration, _ time.Time, _ string) (string, bool) {
		return d.showInterfaces(at), true
	}},
	{"show interfaces status", func(d *device, at time.Duration, _ time.Time, _ string) (string, bool) { return d.showStatus(at), true }},
	{"show interfaces NAME", func(d *device, at time.Duration, _ time.Time, name string) (string, bool) {
		if p := d.portByName(longName(name)); p != nil {
			return d.showInterface(p, at), true
		}
		return "", false
	}},
	{"show spanning-tree detail", func(d *device, at time.Duration, _ time.Time, _ string) (string, bool) { return d.showTree(at), true }},
	{"show logging", func(d *device, at time.Duration, host time.Time, _ string) (string, bool) {
		return d.showLogging(at, host), true
	}},
	{"show clock", func(d *device, _ time.Duration, host time.Time, _ string) (string, bool) {
		return d.showClock(host), true
	}},
	{"show version", func(d *device, at time.Duration, _ time.Time, _ string) (string, bool) {
		return d.showVersion(at), true
	}},
}

// answer returns what a command prints; ok is false if the device does not know it. host is the host's time, at
// the time since the story began.
func (d *device) answer(line string, at time.Duration, host time.Time) (out string, ok bool) {
	if d.model.mute {
		return "", false
	}
	words := strings.Fields(line)
	for _, c := range commandLine {
		if argument, fits := match(words, strings.Fields(c.words)); fits {
			return c.print(d, at, host, argument)
		}
	}
	return "", false
}

// match says whether the words are a pattern's, each at least in an abbreviation, and returns what stands for NAME.
func match(words, pattern []string) (argument string, ok bool) {
	if n := len(pattern) - 1; pattern[n] == "NAME" && len(words) > n {
		// "interface Gi 1/0/1" may be written in one word or two.
		argument = strings.Join(words[n:], "")
		if !strings.ContainsAny(argument, "0123456789") {
			return "", false
		}
		words, pattern = words[:n], pattern[:n]
	}
	if len(words) != len(pattern) {
		return "", false
	}
	for i, w := range words {
		if len(w) < 2 || !strings.HasPrefix(pattern[i], strings.ToLower(w)) {
			return "", false
		}
	}
	return argument, true
}

// longName spells an abbreviated interface name out.
func longName(name string) string {
	i := strings.IndexAny(name, "0123456789")
	if i < 0 {
		return name
	}
	for _, full := range []string{"GigabitEthernet", "FastEthernet"} {
		if strings.HasPrefix(strings.ToLower(full), strings.ToLower(name[:i])) {
			return full + name[i:]
		}
	}
	return name
}

// clock is the device's own wall clock.
func (d *device) clock(host time.Time) time.Time { return host.UTC().Add(d.offset) }

func (d *device) showClock(host time.Time) string {
	return d.mark + d.clock(host).Format("15:04:05.000 UTC Mon Jan 2 2006") + "\n"
}

func (d *device) showVersion(at time.Duration) string {
	return fmt.Sprintf(`%s
Technical Support: http://www.cisco.com/techsupport
Copyright (c) 1986-2024 by Cisco Systems, Inc.

ROM: Bootstrap program is simulated

%s uptime is %s
System returned to ROM by power-on
System image file is "flash:simulated.bin"

cisco %s processor with 131072K bytes of memory.
Processor board ID SIM%02X%02X%02X
%d Gigabit Ethernet interfaces

Configuration register is 0xF
`, d.model.descr, d.name, words(d.uptime+at), d.model.hardware, d.ports[0].mac[3], d.ports[0].mac[4], d.ports[0].mac[5], len(d.ports))
}

// words writes an uptime as show version does.
func words(t time.Duration) string {
	m := int(t / time.Minute)
	return fmt.Sprintf("%d weeks, %d days, %d hours, %d minutes", m/10080, m/1440%7, m/60%24, m%60)
}

// ago writes how long something is past, as IOS does: hh:mm:ss, 1d02h, 3w2d.
func ago(t time.Duration) string {
	s := int(max(t, 0) / time.Second)
	switch {
	case s < 86400:
		return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	case s < 7*86400:
		return fmt.Sprintf("%dd%02dh", s/86400, s/3600%24)
	}
	return fmt.Sprintf("%dw%dd", s/604800, s/86400%7)
}

func (d *device) showLogging(at time.Duration, host time.Time) string {
	var b strings.Builder
	shown := 0
	for _, l := range d.log {
		if l.at <= at {
			shown++
		}
	}
	fmt.Fprintf(&b, `Syslog logging: enabled (0 messages dropped, 0 messages rate-limited, 0 flushes, 0 overruns, xml disabled, filtering disabled)

No Active Message Discriminator.

No Inactive Message Discriminator.

    Console logging: level debugging, %[1]d messages logged, xml disabled,
                     filtering disabled
    Monitor logging: level debugging, 0 messages logged, xml disabled,
                     filtering disabled
    Buffer logging:  level debugging, %[1]d messages logged, xml disabled,
                    filtering disabled
    Exception Logging: size (4096 bytes)
    Count and timestamp logging messages: disabled
    File logging: disabled
    Persistent logging: disabled

No active filter modules.

    Trap logging: level informational, %[1]d message lines logged

Log Buffer (8192 bytes):

`, d.first+shown)
	for i, l := range d.log[:shown] {
		if d.forgotten(l.at, at) {
			continue
		}
		if d.serial {
			fmt.Fprintf(&b, "%06d: ", d.first+i+1)
		}
		when := d.clock(host.Add(l.at - at))
		fmt.Fprintf(&b, "%s%s: %s\n", d.mark, when.Format("Jan _2 15:04:05.000"), l.text)
	}
	return b.String()
}

func (d *device) showStatus(at time.Duration) string {
	var b strings.Builder
	b.WriteString("\nPort      Name               Status       Vlan       Duplex  Speed Type\n")
	for _, p := range d.ports {
		s := p.state(at)
		status, duplex, speed := "connected", "a-full", fmt.Sprintf("a-%d", s.speed/1e6)
		if s.half {
			duplex = "a-half"
		}
		if !s.up {
			status, duplex, speed = "notconnect", "auto", "auto"
		}
		fmt.Fprintf(&b, "%-9s %-18.18s %-12s %-10s %7s %6s %s\n", shortName(p.name), p.alias, status, "1", duplex, speed, d.model.mediaType)
	}
	return b.String()
}
