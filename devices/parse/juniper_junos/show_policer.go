package juniper_junos

import (
	"regexp"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// policedPort is the logical interface in the name of a policer that Junos made for it: "CUST-100M-ge-0/0/3.210-inet-i".
var policedPort = regexp.MustCompile(`-((?:[a-z]{2}-\d+/\d+/\d+(?::\d+)?|ae\d+|irb|lo0)(?:\.\d+)?)-(?:\w+-)?([io])$`)

// ShowPolicer reads "show policer": a name, octets and packets that exceeded its rate. One that is not of a single interface
// stands for itself; Junos' own (__default_arp_policer__) are left out.
func ShowPolicer(output string, r *devices.Reading) {
	if r.Queues == nil {
		r.Queues = []devices.Queue{}
	}
	table := false
	for line := range text.Each(output) {
		f := strings.Fields(line)
		switch {
		case len(f) == 3 && f[0] == "Name" && f[1] == "Bytes" && f[2] == "Packets":
			table = true
		case !table || len(f) != 3 || strings.HasPrefix(f[0], "__"):
		default:
			q := devices.Queue{Port: f[0], Name: f[0], Kind: "policer", Drops: text.Count(f[2])}
			if m := policedPort.FindStringSubmatch(f[0]); m != nil {
				q.Port, q.Way = m[1], map[string]string{"i": "in", "o": "out"}[m[2]]
			}
			if q.Drops.OK {
				r.Queues = append(r.Queues, q)
			}
		}
	}
}
