package tables

import (
	"slices"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
)

// Channels reads "show etherchannel summary" and "show port-channel summary": "1  Po1(SU)  LACP  Gi0/1(P) Gi0/2(s)",
// with members that go on in the lines below.
func Channels(output string, r *devices.Reading) {
	groups := []devices.Aggregate{}
	defer func() { Aggregates(r, groups) }()
	var cur *devices.Aggregate
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) > 2 && strings.HasPrefix(f[2], "(") { // OS10: "10  port-channel10  (U)"
			f = append([]string{f[0], f[1] + f[2]}, f[3:]...)
		}
		if len(f) == 0 || strings.Contains(line, " - ") && len(f) > 2 && len(f[0]) == 1 {
			continue // the legend
		}
		if _, rest, ok := text.Uint32(f[0]); ok && rest == "" && len(f) >= 2 && strings.Contains(f[1], "(") {
			name, _ := flagged(f[1])
			if !block.IsPortName(name) {
				continue
			}
			groups = append(groups, devices.Aggregate{Port: name})
			cur = &groups[len(groups)-1]
			f = f[2:]
		} else if cur == nil || !strings.HasSuffix(f[0], ")") {
			continue
		}
		for _, word := range f {
			channelWord(cur, word)
		}
	}
}

// channelWord reads the protocol or a member with its flag.
func channelWord(a *devices.Aggregate, word string) {
	switch lower := strings.ToLower(word); lower {
	case "lacp", "pagp":
		a.Protocol = lower
		return
	case "dynamic": // OS10
		a.Protocol = "lacp"
		return
	case "none", "-", "static":
		if a.Protocol == "" {
			a.Protocol = "static"
		}
		return
	}
	name, flag := flagged(word)
	if flag == "" || !block.IsPortName(name) {
		return
	}
	state := memberWords[flag]
	if state == "" {
		state = memberStates[flag[:1]]
	}
	if state == "" {
		state = flag
	}
	a.Members = append(a.Members, devices.Member{Port: name, State: state})
}

// memberWords lists the words that routers with IOS-XE print instead of a flag.
var memberWords = map[string]string{"bndl": "bundled", "susp": "suspended", "hot-sby": "standby"}

// Aggregates puts groups of links into the reading. Of a group that is there already, known by devices.PortKey, the
// protocol is given if it was not, and the members that it did not have.
func Aggregates(r *devices.Reading, groups []devices.Aggregate) {
	if r.Aggregates == nil {
		r.Aggregates = []devices.Aggregate{}
	}
	for _, g := range groups {
		i := slices.IndexFunc(r.Aggregates, func(a devices.Aggregate) bool { return devices.PortKey(a.Port) == devices.PortKey(g.Port) })
		if i < 0 {
			r.Aggregates = append(r.Aggregates, g)
			continue
		}
		have := &r.Aggregates[i]
		if have.Protocol == "" {
			have.Protocol = g.Protocol
		}
		for _, m := range g.Members {
			if !slices.ContainsFunc(have.Members, func(h devices.Member) bool { return devices.PortKey(h.Port) == devices.PortKey(m.Port) }) {
				have.Members = append(have.Members, m)
			}
		}
	}
}

// memberStates lists the flags of IOS, NX-OS and EOS.
var memberStates = map[string]string{
	"P": "bundled", "D": "down", "s": "suspended", "I": "individual", "H": "standby", "h": "standby", "w": "waiting", "u": "unsuitable",
	"r": "removed", "p": "bundled", "i": "individual",
}

// flagged cuts "Gi0/1(P)" in two.
func flagged(word string) (name, flag string) {
	name, flag, _ = strings.Cut(strings.TrimRight(word, ","), "(")
	return name, strings.TrimRight(flag, ")")
}
