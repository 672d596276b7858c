package cisco_nxos

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
)

// ShowVPC reads "show vpc": the domain as a group of two units, and its peer link and each vPC as units, in the words of
// CISCO-VPC-MIB, so that it is the same whichever way it was read.
func ShowVPC(output string, r *devices.Reading) {
	g := devices.Redundancy{Protocol: "vpc"}
	var units []devices.Unit
	table := ""
	for line := range text.Each(output) {
		switch lower := strings.ToLower(line); {
		case strings.HasPrefix(lower, "vpc peer-link status"):
			table = "peer-link"
			continue
		case strings.HasPrefix(lower, "vpc status"), strings.HasPrefix(lower, "vpc complex"):
			table = "vpc"
			continue
		}
		if table == "" {
			vpcField(&g, line)
		} else if u, ok := vpcRow(table, line); ok {
			units = append(units, u)
		}
	}
	if g.State == "" {
		return
	}
	r.Redundancy = append(r.Redundancy, g)
	if r.Units == nil {
		r.Units = []devices.Unit{}
	}
	r.Units = append(r.Units, units...)
}

// vpcField reads one line of the domain.
func vpcField(g *devices.Redundancy, line string) {
	label, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if !ok || value == "" {
		return
	}
	switch label = strings.ToLower(strings.TrimSpace(label)); label {
	case "vpc domain id":
		g.Group = value
	case "peer status":
		if !strings.HasSuffix(value, " ok") {
			g.Reason = value
		}
	case "vpc keep-alive status":
		if g.Peer = "unknown"; value == "peer is alive" {
			g.Peer = "alive"
		} else {
			g.Reason = "keep-alive: " + value
		}
	case "vpc role":
		if g.State = strings.ToLower(value); strings.HasPrefix(g.State, "none") {
			g.State = "none"
		}
		if other := vpcOther[g.State]; g.Peer == "alive" && other != "" {
			g.Peer = other
		}
	case "configuration consistency status", "per-vlan consistency status":
		good := value == "success"
		g.Synced = devices.Some(good && g.Synced.Or(true))
	case "configuration inconsistency reason":
		if g.Reason == "" && g.Synced.OK && !g.Synced.Value {
			g.Reason = value
		}
	}
}

// vpcOther gives the other unit's role.
var vpcOther = map[string]string{
	"primary": "secondary", "secondary": "primary",
	"primary, operational secondary": "secondary, operational primary",
	"secondary, operational primary": "primary, operational secondary",
}

// vpcRow reads "10    Po10          up     success     success    1,10" and "20 Po20 down* failed ...".
func vpcRow(table, line string) (devices.Unit, bool) {
	const fewest = 3
	f := strings.Fields(line)
	if len(f) < fewest || !text.IsDigit(f[0][0]) || !block.IsPortName(f[1]) || !text.IsLetter(f[1][0]) {
		return devices.Unit{}, false
	}
	port := f[1]
	if rest, ok := strings.CutPrefix(port, "Po"); ok {
		port = "port-channel" + rest // as IF-MIB and show interface call it
	}
	u := devices.Unit{Name: "vpc " + f[0] + " " + port, Role: "vpc", State: strings.ToLower(f[2])}
	if table == "peer-link" {
		u.Name, u.Role = "vpc peer-link "+port, "peer link"
	}
	if u.State == "down*" {
		u.State = "down, forwarded by the peer"
	}
	return u, true
}
