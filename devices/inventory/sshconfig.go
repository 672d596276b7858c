package inventory

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"whydrop/devices"
)

var sshHostLine = regexp.MustCompile(`(?im)^[ \t]*Host[ \t=]+[^\s:=,]`)

// looksSSHConfig: a line opens a block.
func looksSSHConfig(in Input, _ *node) bool { return sshHostLine.Match(in.Text) }

// sshLine splits a line at its keyword: "Key value", "Key=value" (ssh_config(5)).
func sshLine(line string) (key, arg string) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", ""
	}
	i := strings.IndexAny(line, " \t=")
	if i < 0 {
		return strings.ToLower(line), ""
	}
	return strings.ToLower(line[:i]), unquote(strings.TrimSpace(strings.TrimLeft(line[i:], " \t=")))
}

// sshBlock is the lines below one Host.
type sshBlock struct {
	patterns []string
	line     int
	values   map[string]value // the first of each keyword
}

// fits says whether the block is of a host: one pattern fits, and none that is negated does.
func (b sshBlock) fits(alias string) bool {
	fits := false
	for _, p := range b.patterns {
		negated := strings.HasPrefix(p, "!")
		if ok, err := path.Match(sshPattern.Replace(strings.TrimPrefix(p, "!")), alias); err == nil && ok {
			if negated {
				return false
			}
			fits = true
		}
	}
	return fits
}

// sshPattern makes a pattern one of path.Match: only '*' and '?' are special.
var sshPattern = strings.NewReplacer(`\`, `\\`, "[", `\[`)

// readSSHConfig reads the aliases of an ssh_config: what Host names without a wildcard. Of each keyword the first value
// counts. Match and Include are not followed.
func readSSHConfig(r *reader, _ *node) error {
	blocks, err := sshBlocks(r)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		for _, alias := range b.patterns {
			if strings.ContainsAny(alias, "*?!") {
				continue
			}
			if _, twice := r.lines[alias]; !twice {
				r.sshHost(alias, b.line, blocks)
			}
		}
	}
	return nil
}

func sshBlocks(r *reader) ([]sshBlock, error) {
	blocks := []sshBlock{{patterns: []string{"*"}, values: map[string]value{}}}
	number, skip := 0, false
	for line := range strings.Lines(string(r.in.Text)) {
		number++
		switch key, arg := sshLine(line); key {
		case "":
		case "host":
			words, err := shellWords(arg)
			if err != nil {
				return nil, fmt.Errorf("%s: Host: %w", place(r.in.Name, number), err)
			}
			if len(blocks) > maxDevices {
				return nil, fmt.Errorf("%s: more than %d blocks", r.in.Name, maxDevices)
			}
			blocks, skip = append(blocks, sshBlock{words, number, map[string]value{}}), false
		case "match":
			r.notef(r.in.Name, number, "Match is not evaluated; its lines are left out")
			skip = true
		case "include":
			r.notef(r.in.Name, number, "Include is not followed; name that file too")
		default:
			b := blocks[len(blocks)-1]
			if _, twice := b.values[key]; !skip && !twice {
				b.values[key] = value{arg, r.in.Name, number}
			}
		}
	}
	return blocks, nil
}

func (r *reader) sshHost(alias string, line int, blocks []sshBlock) {
	all := map[string]value{}
	for _, b := range blocks {
		if !b.fits(alias) {
			continue
		}
		for k, v := range b.values {
			if _, have := all[k]; !have {
				all[k] = v
			}
		}
	}
	d := devices.Device{Name: alias, Address: alias}
	if h := all["hostname"].text; h != "" {
		d.Address = strings.ReplaceAll(h, "%h", alias)
	}
	d.SSH = &devices.SSH{Port: r.port(all["port"], alias, "Port"), User: all["user"].text, Jump: r.jump(all["proxyjump"], alias)}
	if v := all["proxycommand"]; v.text != "" && !strings.EqualFold(v.text, "none") {
		r.notef(v.file, v.line, "%s: ProxyCommand is not run; left out", clip(alias))
	}
	if v := all["identityfile"]; v.text != "" {
		r.notef(v.file, v.line, "%s: the key %s is not taken; write  key: file:%s", clip(alias), clip(v.text), clip(v.text))
	}
	r.add(r.in.Name, line, d)
}
