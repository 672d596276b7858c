package cisco_ios

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// ShowSwitch reads the members of a stack in "show switch": "*1  Active  0011.2233.4455  15  V02  Ready".
func ShowSwitch(output string, r *devices.Reading) {
	if r.Units == nil {
		r.Units = []devices.Unit{}
	}
	for line := range text.Each(output) {
		f := strings.Fields(strings.TrimPrefix(line, "*"))
		if len(f) < 5 {
			continue
		}
		if n, rest, ok := text.Uint32(f[0]); !ok || rest != "" || n == 0 || n > 64 {
			continue
		}
		if _, ok := text.MAC(f[2]); !ok {
			continue
		}
		state := f[len(f)-1]
		if len(f) > 6 { // "V-Mismatch", "Lic Mismatch"
			state = strings.Join(f[5:], " ")
		}
		r.Units = append(r.Units, devices.Unit{Name: "switch " + f[0], Role: strings.ToLower(f[1]), State: strings.ToLower(state)})
	}
}

// ShowRedundancy reads the processors of "show redundancy": this one's state and the other's.
func ShowRedundancy(output string, r *devices.Reading) {
	lines := text.NewLines(output)
	g := devices.Redundancy{Protocol: "rpr", Group: "supervisor"}
	for {
		line, _, _, ok := lines.Next()
		if !ok {
			break
		}
		label, value, ok := strings.Cut(line, " = ")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(label) {
		case "my state":
			g.State = redundancyState(value)
		case "peer state":
			g.Peer = redundancyState(value)
		case "Switchovers system experienced":
			g.Changes = text.Count(value)
		case "Last switchover reason":
			if value != "none" {
				g.Reason = value
			}
		case "Current Software state":
			if g.State == "" {
				g.State = redundancyState(value)
			} else if g.Peer == "" {
				g.Peer = redundancyState(value)
			}
		case "Redundancy Mode (Operational)", "Operating Redundancy Mode":
			g.Protocol = strings.ToLower(value)
		}
	}
	if g.State != "" {
		r.Redundancy = append(r.Redundancy, g)
	}
}

// redundancyState reads "13 -ACTIVE" and "STANDBY HOT".
func redundancyState(s string) string {
	if _, word, ok := strings.Cut(s, "-"); ok {
		s = word
	}
	s = strings.ToLower(strings.TrimSpace(s))
	if word, _, ok := strings.Cut(s, " "); ok && (word == "active" || word == "standby") {
		return word
	}
	return s
}
