package ingest

import (
	"cmp"
	"regexp"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse"
	"whydrop/devices/parse/guess"
)

// linesOf are lines of a port's show interface, without the one that names the port.
type linesOf struct {
	platform, port string
}

// filterCommand is "show interface Ethernet1/17 | include discard": the answer does not name the port.
var filterCommand = regexp.MustCompile(`(?i)(?:^|[#>])\s*sh(?:ow?)?\s+int\w*\s+([a-z][a-z-]*\s?\d[\d/.:]*)\s*\|\s*\w`)

// whole lists the commands that print everything about a port, by platform.
var whole = map[string]string{"cisco_ios": "show interfaces", "cisco_iosxe": "show interfaces", "cisco_nxos": "show interface", "arista_eos": "show interfaces"}

// findFiltered claims what a filter left of show interface, where the command in front of it tells which port it is about. It
// ends at an empty line or at the next command.
func (t *text) findFiltered() {
	platform, _ := guess.Marked(t.body)
	platform = cmp.Or(platform, "cisco_ios")
	if whole[platform] == "" {
		return
	}
	var found []claim
	port := ""
	t.free(func(from, to int, line string) {
		n := len(found)
		switch m := filterCommand.FindStringSubmatch(line); {
		case m != nil:
			port = strings.ReplaceAll(m[1], " ", "")
		case port == "":
		case strings.TrimSpace(line) == "", prompt.MatchString(line):
			port = ""
		case n > 0 && found[n-1].to == from:
			found[n-1].to = to
		default:
			found = append(found, claim{from: from, to: to, lines: &linesOf{platform, port}})
		}
	})
	t.claims = append(t.claims, found...)
}

// filtered takes in lines of a port. Its state is not among them.
func (b *builder) filtered(t *text, c claim) {
	read := guess.Best(c.lines.platform, c.lines.port+" is up, line protocol is up\n"+t.body[c.from:c.to], []string{whole[c.lines.platform]})
	for _, i := range read.Interfaces {
		i.Oper, i.Admin, i.SpeedMax = devices.Opt[string]{}, devices.Opt[string]{}, devices.Opt[uint64]{}
		b.snapshot(t, t.deviceBefore(c.from), snapshot{Found: parse.Found{From: c.from, To: c.to, Interface: i}, shown: true})
	}
}
