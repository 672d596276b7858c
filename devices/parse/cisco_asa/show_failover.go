package cisco_asa

import (
	"net/netip"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowFailover reads "show failover": this unit's state and the other's, since when and why, and the health of the
// interfaces that failover watches. A device without failover has no redundancy.
func ShowFailover(output string, r *devices.Reading) {
	if r.Redundancy == nil {
		r.Redundancy = []devices.Redundancy{}
	}
	if !strings.Contains(output, "Failover On") {
		return
	}
	g := devices.Redundancy{Protocol: "asa", Group: "failover"}
	mine := true
	for line := range text.Each(output) {
		switch {
		case strings.HasPrefix(line, "This host: "):
			mine = true
			g.State = unit(line[len("This host: "):])
		case strings.HasPrefix(line, "Other host: "):
			mine = false
			g.Peer = unit(line[len("Other host: "):])
		case strings.HasPrefix(line, "Last Failover at: "):
			if at, ok := moment(line[len("Last Failover at: "):]); ok {
				g.At = devices.Some(at)
			}
		case strings.HasPrefix(line, "Active time: ") && mine && g.State == "active":
			if n, _, ok := text.Uint32(line[len("Active time: "):]); ok {
				g.Since = devices.Some(time.Duration(n) * time.Second)
			}
		case strings.HasPrefix(line, "Interface ") && mine && strings.Contains(line, "): "):
			watched(r, line[len("Interface "):])
		case strings.HasPrefix(line, "Stateful Failover Logical Update Statistics"):
			g.Synced = devices.Some(g.Peer == "standby")
		}
	}
	r.Redundancy = append([]devices.Redundancy{g}, r.Redundancy...)
}

// unit reads "Primary - Active" and "Secondary - Standby Ready".
func unit(s string) string {
	_, state, ok := strings.Cut(s, " - ")
	if !ok {
		state = s
	}
	state = strings.TrimSuffix(strings.TrimSpace(state), " Ready")
	return tables.GroupState(state)
}

// watched reads "outside (192.0.2.1): Normal (Monitored)".
func watched(r *devices.Reading, s string) {
	name, rest, ok := strings.Cut(s, " (")
	if !ok {
		return
	}
	addr, state, _ := strings.Cut(rest, "): ")
	w := devices.Redundancy{Protocol: "asa", Group: "interface", Port: name, State: strings.TrimSpace(state)}
	addr, _, _ = strings.Cut(addr, "/")
	if ip, err := netip.ParseAddr(addr); err == nil && !ip.IsUnspecified() {
		w.Virtual = ip
	}
	r.Redundancy = append(r.Redundancy, w)
}

// moment reads "11:24:17 UTC Apr 17 2021"; a zone that is not known is taken for UTC.
func moment(s string) (time.Time, bool) {
	f := strings.Fields(s)
	if len(f) != 5 {
		return time.Time{}, false
	}
	t, err := time.Parse("15:04:05 Jan 2 2006", f[0]+" "+strings.Join(f[2:], " "))
	if err != nil {
		return time.Time{}, false
	}
	loc := zone(f[1])
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, loc).UTC(), true
}
