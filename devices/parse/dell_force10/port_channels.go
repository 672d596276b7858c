package dell_force10

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowPortChannelBrief reads "show interfaces port-channel brief": "L  1  L2  up  00:06:03  Te 0/6  (Up) *", with a
// member in each of the lines below.
func ShowPortChannelBrief(output string, r *devices.Reading) {
	groups := []devices.Aggregate{}
	for f := range tables.Rows(output) {
		start := 0
		if f[0] == "L" || f[0] == "D" || f[0] == "I" {
			start = 1
		}
		const head = 4 // number, mode, status, uptime
		if rest := f[start:]; len(rest) >= head && isLAG(rest) {
			g := devices.Aggregate{Port: "Port-channel " + rest[0], Protocol: "static"}
			if start == 1 && f[0] == "L" {
				g.Protocol = "lacp"
			}
			groups = append(groups, g)
			f = rest[head:]
		}
		if len(groups) > 0 {
			g := &groups[len(groups)-1]
			g.Members = append(g.Members, membersOf(f)...)
		}
	}
	tables.Aggregates(r, groups)
}

// isLAG says whether words begin with a LAG's number, mode and status.
func isLAG(f []string) bool {
	_, rest, ok := text.Uint32(f[0])
	return ok && rest == "" && (f[1] == "L2" || f[1] == "L3" || f[1] == "L2L3") && (f[2] == "up" || f[2] == "down")
}

// membersOf reads "Te 0/6 (Up) *" and "Te 0/6(Up)".
func membersOf(f []string) (out []devices.Member) {
	for i := 0; i+1 < len(f); i++ {
		number, state, joined := strings.Cut(f[i+1], "(")
		if !text.IsLetter(f[i][0]) || !strings.Contains(number, "/") || !text.IsDigit(number[0]) {
			continue
		}
		if !joined && i+2 < len(f) {
			state = strings.TrimPrefix(f[i+2], "(")
		}
		m := devices.Member{Port: f[i] + " " + number, State: map[string]string{"up": "bundled", "down": "down"}[strings.ToLower(strings.TrimRight(state, ")"))]}
		if m.State != "" {
			out = append(out, m)
		}
	}
	return out
}
