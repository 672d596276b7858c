package syslog

import (
	"regexp"
	"strings"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// families lists the messages that are understood, by vendor: a new one is one line in its file. The first rule
// that fits a line is taken.
var families = []struct {
	rules   []rule
	unnamed bool // its messages have no names such as %LINK-3-UPDOWN; one that has is of another family
}{
	{cisco, false}, {ciscoFirewall, false}, {ciscoNexus, false}, {arista, false}, {juniper, false}, {huawei, false}, {hp, false}, {extremeDell, false},
	{firewalls, true}, {linux, true},
}

// rule is a message that becomes a typed event.
type rule struct {
	has  string             // a literal that the line holds, looked for before anything else
	re   *regexp.Regexp     // its named groups are the event's attributes; port is the line's port too
	tell timeline.EventType //
	with map[string]string  // attributes that follow from the message itself
	fix  func(map[string]string)
}

// on makes a rule. with is a list of keys and values.
func on(has, pattern string, tell timeline.EventType, with ...string) rule {
	r := rule{has: has, re: regexp.MustCompile(pattern), tell: tell}
	for i := 0; i+1 < len(with); i += 2 {
		if r.with == nil {
			r.with = map[string]string{}
		}
		r.with[with[i]] = with[i+1]
	}
	return r
}

// then adds what a pattern alone can't say.
func (r rule) then(fix func(map[string]string)) rule {
	r.fix = fix
	return r
}

// Limits of the work that a line can make: what a message is about stands in its front, and a line that holds the words
// of many messages is none of them.
const (
	front = 2 << 10
	tries = 24
)

// understand finds the rule that fits and fills in what it says. The text is the line without its priority.
func understand(l *devices.LogLine, text string) {
	text = text[:min(len(text), front)]
	tried := 0
	for _, family := range families {
		if family.unnamed && l.Mnemonic != "" {
			continue
		}
		for i := range family.rules {
			r := &family.rules[i]
			if !strings.Contains(text, r.has) {
				continue
			}
			if tried++; tried > tries {
				return
			}
			if m := r.re.FindStringSubmatch(text); m != nil {
				r.apply(l, m)
				return
			}
		}
	}
	// Any other message that names an interface in the usual words.
	if name, ok := wordAfter(l.Message, "nterface "); ok && strings.ContainsAny(name, "0123456789") && !strings.ContainsAny(name, "<>\"'\\") {
		l.Port = strings.Trim(name, ".:()")
	}
}

func (r *rule) apply(l *devices.LogLine, m []string) {
	a := map[string]string{}
	for k, v := range l.Attrs {
		a[k] = v
	}
	for k, v := range r.with {
		a[k] = v
	}
	for i, name := range r.re.SubexpNames() {
		if v := strings.TrimSpace(m[i]); i > 0 && name != "" && v != "" {
			a[name] = normal(name, v)
		}
	}
	if r.fix != nil {
		r.fix(a)
	}
	l.Type, l.Port = r.tell, a["port"]
	if devices.AboutPort(r.tell) {
		delete(a, "port")
	}
	for k, v := range a {
		if v == "" {
			delete(a, k)
		}
	}
	if len(a) > 0 {
		l.Attrs = a
	}
}

// words are the vendors' words for states, and ours.
var words = map[string]string{
	"master": "active", "primary": "active", "backup": "standby", "secondary": "standby", "slave": "standby", "passive": "standby",
	"administratively down": "down", "admin down": "down", "on-line": "up", "off-line": "down", "online": "up", "offline": "down",
	"linkup": "up", "linkdown": "down", "enabled": "up", "discarding": "blocking", "initialize": "init", "init": "init", "initial": "init",
	"disable": "disabled", "fwd": "forwarding", "blk": "blocking", "forward": "forwarding", "block": "blocking", "discard": "blocking",
	"forwarded": "forwarding", "blocked": "blocking", "half-duplex": "half", "full-duplex": "full",
}

// normal returns a value in our words: states in lower case, addresses with colons, trees by kind and number.
func normal(key, v string) string {
	switch key {
	case "from", "to", "kind", "cause", "guard", "protocol":
		v = strings.ToLower(strings.Trim(v, " .,;"))
		if w, ok := words[v]; ok {
			return w
		}
	case "mac":
		return mac(v)
	case "tree":
		return tree(v)
	case "port", "aggregate":
		return strings.Trim(v, " ,.;:()'\"")
	case "reason":
		return strings.Trim(v, " .,;\"")
	}
	return v
}

// mac writes an address of any spelling in lower case with colons; what is none stays.
func mac(v string) string {
	var digits strings.Builder
	for _, c := range strings.ToLower(v) {
		switch {
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f':
			digits.WriteRune(c)
		case c != ':' && c != '.' && c != '-':
			return v
		}
	}
	d := digits.String()
	if len(d) != 12 {
		return v
	}
	return strings.Join([]string{d[:2], d[2:4], d[4:6], d[6:8], d[8:10], d[10:]}, ":")
}

var treeName = regexp.MustCompile(`^(?i:(vlan|vl|mst|msti|mstp|instance|process|cist))[ _-]*0*([0-9]*)$`)

// tree names a spanning tree as the tables do: "vlan 10", "mst 1". A number alone may be either, and is left out.
func tree(v string) string {
	m := treeName.FindStringSubmatch(strings.Trim(v, " .:,"))
	if m == nil {
		return ""
	}
	number := m[2]
	if number == "" {
		number = "0"
	}
	switch strings.ToLower(m[1]) {
	case "vlan", "vl":
		return "vlan " + number
	case "mst", "msti", "mstp", "cist":
		return "mst " + number
	}
	return ""
}

// wordAfter returns the word that follows mark.
func wordAfter(s, mark string) (string, bool) {
	_, rest, ok := strings.Cut(s, mark)
	if !ok {
		return "", false
	}
	rest = strings.TrimLeft(rest, " ")
	if i := strings.IndexAny(rest, " ,;"); i >= 0 {
		rest = rest[:i]
	}
	return strings.TrimRight(rest, "."), rest != ""
}
