package app

import (
	"fmt"
	"strings"
	"testing"

	"whydrop/correlate/timeline"
)

func TestLinesOfLogsAmongEventsAreReadAsTheLogWouldBe(t *testing.T) {
	for _, tt := range []struct{ name, events, want string }{
		{"a line with the name of its message needs no type",
			`{device: sw1, text: "%LINK-3-UPDOWN: Interface GigabitEthernet0/1, changed state to down"}`,
			"sw1 GigabitEthernet0/1: if.oper to=down"},
		{"a port keeps the spelling that the file has elsewhere",
			`{device: sw1, port: Gi0/1, text: the uplink}, {device: sw1, text: "%LINK-3-UPDOWN: Interface GigabitEthernet0/1, changed state to down"}`,
			"sw1 Gi0/1: mark; sw1 Gi0/1: if.oper to=down"},
		{"an address that moves is told with both its ports",
			`{device: sw1, type: fdb.mac_move, text: "%SW_MATM-4-MACFLAP_NOTIF: Host 0015.5d91.8502 in vlan 1 is flapping between port Gi0/20 and port Po1"}`,
			"sw1: fdb.mac_move from=Gi0/20 mac=00:15:5d:91:85:02 to=Po1"},
		{"several lines are several events",
			`{device: sw1, text: "%LINK-3-UPDOWN: Interface Gi0/1, changed state to down\n%LINK-3-UPDOWN: Interface Gi0/1, changed state to up"}`,
			"sw1 Gi0/1: if.oper to=down; sw1 Gi0/1: if.oper to=up"},
		{"a line that is called one needs no name of a message",
			`{device: h, type: syslog, text: "kernel: igb 0000:01:00.0 eth0: igb: eth0 NIC Link is Down"}`,
			"h eth0: if.oper to=down"},
		{"a person's words stay a person's",
			`{device: sw1, port: Gi0/1, text: the link is down since the move}`,
			"sw1 Gi0/1: mark to=down"},
		{"a person's sentence that can mean one thing only tells the event",
			`{device: sw1, port: Gi0/1, text: went down}, {device: sw1, port: Gi0/1, text: listening}, {device: fw2, text: "HA: became primary after the peer's link failed"}`,
			"sw1 Gi0/1: if.oper to=down; sw1 Gi0/1: stp.state to=listening; fw2: ha.failover to=active"},
		{"so does one of a gateway, an address or a member of a stack",
			`{device: r1, text: "Vlan10 group 7 state is Active"}, {device: sw1, text: "MAC 0015.5d91.8502 moved from Eth1/11 to Eth1/12"}, {device: st, text: "unit 3 not present"}`,
			"r1: fhrp.state to=active told=state; sw1: fdb.mac_move from=Eth1/11 mac=0015.5d91.8502 to=Eth1/12; st: stack.member to=absent"},
		{"a state that something is in is no change, and what happened last week no event",
			`{device: fw1, text: "the cluster is healthy, fw1 is primary"}, {device: sw1, time: "10:00:00", text: "was rebooted last week"}, {device: sw1, port: Gi0/1, text: up since 43 days}, {device: sw1, port: Gi0/2, text: went down to 100 Mbit/s}`,
			"sw1: mark; fw1: ha.failover to=active told=state; sw1 Gi0/1: mark; sw1 Gi0/2: mark to=down"},
		{"what might happen, a cure and the restart of a program are none",
			`{device: fw1, text: "failover to the secondary is configured"}, {device: r1, time: "10:00:00", text: "rebooted, no change"}, {device: s1, time: "10:00:01", text: "snmpd restarted"}`,
			"r1: mark; s1: mark; fw1: mark"},
		{"a counter of topology changes counts from one telling to the next",
			`{device: sw1, time: "10:00:00", text: "number of topology changes 1523"}, {device: sw1, time: "10:05:00", text: "number of topology changes 1581, last from Gi0/2"}`,
			"sw1: mark; sw1: stp.topology_change"},
		{"a device that is not named is the one that the file tells of",
			`{device: sw1, text: rebooted}, {text: "%LINK-3-UPDOWN: Interface Gi0/1, changed state to down"}`,
			"sw1: mark; sw1 Gi0/1: if.oper to=down"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := ParseFacts("f.yaml", []byte("schema: 1\nevents: ["+tt.events+"]\n"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range f.Snapshot.Events() {
				s := fmt.Sprintf("%s: %s", e.Subject, e.Type)
				for _, k := range []string{"from", "mac", "to", "told"} {
					if v := e.Attrs[k]; v != "" && (k != "from" || e.Type != timeline.EventOper) {
						s += " " + k + "=" + v
					}
				}
				got = append(got, s)
			}
			if s := strings.Join(got, "; "); s != tt.want {
				t.Errorf("got  %s\nwant %s", s, tt.want)
			}
		})
	}
}
