package cisco_asa

import (
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
	"whydrop/devices/syslog"
)

func zone(name string) *time.Location {
	if loc, ok := syslog.Zone(name); ok {
		return loc
	}
	return time.UTC
}

// ShowConnCount reads "show conn count": "54 in use, 127 most used".
func ShowConnCount(output string, r *devices.Reading) {
	for line := range text.Each(output) {
		if !strings.Contains(line, " in use") {
			continue
		}
		if n, _, ok := text.Number(line); ok && n.OK {
			sessions(r).Active = devices.Some(n.Value.Value)
		}
		return
	}
}

func sessions(r *devices.Reading) *devices.Sessions {
	if r.Sessions == nil {
		r.Sessions = &devices.Sessions{}
	}
	return r.Sessions
}

// ShowResourceUsage reads the line "Conns  54  127  250000  0 System" of "show resource usage": current, peak, limit
// and denied.
func ShowResourceUsage(output string, r *devices.Reading) {
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < 5 || f[0] != "Conns" {
			continue
		}
		s := sessions(r)
		if n := text.Count(f[1]); n.OK {
			s.Active = devices.Some(n.Value.Value)
		}
		if n := text.Count(f[3]); n.OK {
			s.Limit = devices.Some(n.Value.Value)
		}
		s.Refused = text.Count(f[4])
		return
	}
}

// policyDrops lists the reasons of "show asp drop" that are refusals by policy or for want of a session.
var policyDrops = []string{"(acl-drop)", "(tcp-not-syn)", "(rpf-violated)", "(no-adjacency)", "(fo-standby)", "(sp-security-failed)"}

// ShowASPDrop reads "show asp drop": "Flow is denied by configured rule (acl-drop)   1234", of which those that deny a
// packet are added up.
func ShowASPDrop(output string, r *devices.Reading) {
	lines := text.NewLines(output)
	var denied devices.Opt[devices.Counter]
	for {
		line, _, _, ok := lines.Next()
		if !ok {
			break
		}
		for _, reason := range policyDrops {
			if _, rest, ok := strings.Cut(line, reason); ok {
				denied = text.Sum(denied, text.Count(rest))
			}
		}
	}
	if denied.OK {
		sessions(r).Denied = denied
	}
}
