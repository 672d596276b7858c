package tables

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
)

// Channels reads "show etherchannel summary" and "show port-channel summary": "1  Po1(SU)  LACP  Gi0/1(P) Gi0/2(s)",
// with members that go on in the lines below.
func Channels(output string, r *devices.Reading) {
	if r.Aggregates == nil {
		r.Aggregates = []devices.Aggregate{}
	}
	var cur *devices.Aggregate
	lines := text.NewLines(output)
	for {
		line, _, _, ok := lines.Next()
		if !ok {
			return
		}
		f := strings.Fields(line)
		if len(f) == 0 || strings.Contains(line, " - ") && len(f) > 2 && len(f[0]) == 1 {
			continue // the legend
		}
		if _, rest, ok := text.Uint32(f[0]); ok && rest == "" && len(f) >= 2 && strings.Contains(f[1], "(") {
			name, _ := flagged(f[1])
			if !block.IsPortName(name) {
				continue
			}
			r.Aggregates = append(r.Aggregates, devices.Aggregate{Port: name})
			cur = &r.Aggregates[len(r.Aggregates)-1]
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
	a.Members = append(a.Members, devices.Member{Port: name, State: memberStates[flag[:1]]})
	if m := &a.Members[len(a.Members)-1]; m.State == "" {
		m.State = flag
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
