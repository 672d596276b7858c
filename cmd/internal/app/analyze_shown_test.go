package app

import (
	"path/filepath"
	"slices"
	"testing"
)

// What people copy from devices of any platform and from their hosts is read, between sentences in any language.
func TestPastedTextsOfEveryPlatform(t *testing.T) {
	for _, tt := range []struct {
		file  string
		kinds []string // what was recognised, in order, prose left out
		first string   // the first finding; "" if there is none
		holds bool     // it may be more than suspected
	}{
		{"junos-crc.txt", []string{"show-interfaces"}, "bad-cable", false},
		{"vrp-late-de.txt", []string{"show-interfaces"}, "duplex-mismatch", false},
		{"eos-discards.txt", []string{"show-interfaces", "show-interfaces"}, "microburst", false},
		{"mikrotik-100.txt", []string{"show-interfaces", "iperf3-text"}, "speed-fallback", true},
		{"aoscx-macmove.txt", []string{"syslog", "show-interfaces"}, "l2-loop", false},
		{"comware-optics-cn.txt", []string{"show", "show-interfaces"}, "optics-low-power", false},
		{"procurve-log.txt", []string{"syslog"}, "port-flap", true},
		{"nxos-stp.txt", []string{"show", "show"}, "topology-change-storm", false},
		{"ios-cpu.txt", []string{"show", "ping", "ping"}, "control-plane-cpu", false},
		{"df-silent.txt", []string{"ping", "ping"}, "pmtu-blackhole", false},
		{"df-ping-fr.txt", []string{"ping", "ping"}, "mtu-mismatch", false},
		{"mtr-icmp.txt", []string{"mtr"}, "icmp-rate-limited", false},
		{"conntrack-dmesg.txt", []string{"host", "host"}, "session-table-full", false},
		{"rcvbuf-nstat.txt", []string{"iperf3-text", "host"}, "receiver-socket-buffer", false},
		{"iperf-sweep.txt", []string{"iperf2", "iperf2", "iperf2", "iperf2", "iperf3-text", "ping"}, "policer", false},
		{"window-ss.txt", []string{"iperf3-text", "socket"}, "tcp-window", true},
		{"healthy-linux.txt", []string{"iperf3-text", "show-interfaces"}, "link-saturated", true},
		{"abstain-talk.txt", []string{"ping"}, "", false},
		{"ethtool-missed-twice.txt", []string{"show-interfaces", "show-interfaces"}, "host-limit", false},
		{"ring-and-softirq.txt", []string{"show-interfaces", "show-interfaces", "host"}, "host-limit", false},
		{"proc-snmp-twice.txt", []string{"show-interfaces", "host", "host"}, "receiver-socket-buffer", false},
		{"tc-htb-de.txt", []string{"iperf3-text", "host", "host"}, "shaper", false},
		{"softnet-mpstat.txt", []string{"iperf3-text", "host", "host", "host"}, "host-limit", false},
		{"top-steal.txt", []string{"ping", "host"}, "host-limit", false},
		{"conntrack-de.txt", []string{"ping", "host", "host"}, "session-table-full", false},
		{"mtr-middle-hop.txt", []string{"mtr"}, "icmp-rate-limited", false},
		{"ios-late-es.txt", []string{"show-interfaces", "ping"}, "duplex-mismatch", false},
		{"vrp-crc-cn.txt", []string{"show-interfaces", "show-interfaces"}, "bad-cable", false},
		{"fortios-election.txt", []string{"ping", "syslog"}, "firewall-failover", false},
		{"fortios-fragment-es.txt", []string{"syslog"}, "firewall-failover", false},
		{"nxos-filtered.txt", []string{"show-interfaces", "show-interfaces"}, "microburst", false},
		{"df-ping-de.txt", []string{"ping", "ping"}, "mtu-mismatch", false},
		{"ss-rwnd.txt", []string{"iperf3-text", "socket"}, "tcp-window", true},
		{"stp-and-windows-ping.txt", []string{"syslog", "ping"}, "port-flap", false},
		{"ping-ru-ip-link.txt", []string{"ping", "show-interfaces", "show-interfaces", "show-interfaces"}, "bad-cable", false},
		{"mikrotik-monitor-pl.txt", []string{"show-interfaces", "iperf3-text"}, "speed-fallback", true},
		{"junos-policer.txt", []string{"iperf3-text", "show", "show"}, "policer", false},
		{"macflap-and-ping.txt", []string{"ping", "syslog"}, "l2-loop", false},
		{"ethtool-crc-de.txt", []string{"show-interfaces", "show-interfaces"}, "bad-cable", false},
		{"eos-flow-control.txt", []string{"show-interfaces", "show-interfaces"}, "flow-control", false},
		{"tc-tbf.txt", []string{"host", "host"}, "shaper", false},
		{"mtr-two-de.txt", []string{"mtr", "mtr"}, "silent-drop", false},
		{"asa-failover.txt", []string{"show"}, "firewall-failover", false},
		{"nxos-counters-errors.txt", []string{"show-interfaces", "show-interfaces"}, "bad-cable", false},
		{"ios-cr-only.txt", []string{"show-interfaces"}, "duplex-mismatch", false},
		{"procurve-drops.txt", []string{"show-interfaces", "show-interfaces"}, "oversubscription", false},
		{"proc-snmp-tcp.txt", []string{"host", "host"}, "silent-drop", false},
		{"nstat-absolute.txt", []string{"host", "host"}, "receiver-socket-buffer", false},
		{"nstat-absolute-still.txt", []string{"host", "host"}, "", false},
		{"iowait-vmstat.txt", []string{"host"}, "application-limit", false},
		{"netstat-tcp-grows.txt", []string{"host", "host"}, "silent-drop", false},
		{"ifconfig-it.txt", []string{"show-interfaces", "show-interfaces"}, "bad-cable", false},
		{"comware-drops-cn.txt", []string{"show-interfaces", "show-interfaces"}, "oversubscription", false},
		{"fortios-nic-de.txt", []string{"show-interfaces"}, "half-duplex-segment", false},
		{"junos-optics.txt", []string{"show"}, "optics-low-power", false},
		{"ios-hsrp.txt", []string{"show", "ping"}, "gateway-failover", false},
		{"netstat-i-de.txt", []string{"show-interfaces", "show-interfaces", "show-interfaces", "show-interfaces"}, "host-limit", false},
		{"softnet-squeezed.txt", []string{"host", "host"}, "", false},
		{"traceroute-silent-es.txt", []string{"traceroute"}, "", false},
		{"traceroute-circle.txt", []string{"ping", "traceroute"}, "routing-change", false},
		{"ios-marks-filtered.txt", []string{"show-interfaces", "ping", "show-interfaces"}, "bad-cable", false},
		{"ss-alone-de.txt", []string{"socket"}, "tcp-window", false},
		{"netstat-old-de.txt", []string{"host", "host"}, "", false},
		{"netstat-grows.txt", []string{"host", "host"}, "receiver-socket-buffer", false},
		{"panos-ha.txt", []string{"show"}, "firewall-failover", false},
		{"exos-rxerrors.txt", []string{"show-interfaces", "show-interfaces"}, "bad-cable", false},
		{"ios-policy-map.txt", []string{"show", "show"}, "policer", false},
		{"windows-loss-es.txt", []string{"ping"}, "silent-drop", false},
		{"nxos-tc-filtered.txt", []string{"show", "show"}, "topology-change-storm", false},
		{"dmesg-hang.txt", []string{"host", "syslog", "host", "syslog"}, "bad-port", false},
		{"cwnd-fixed.txt", []string{"iperf3-text", "ping"}, "tcp-window", true},
		{"dmesg-flaps.txt", []string{"syslog"}, "port-flap", true},
	} {
		t.Run(tt.file, func(t *testing.T) {
			doc := Analyze([]string{filepath.Join("testdata/analyze", tt.file)}, nil)
			var kinds []string
			for _, b := range doc.Inputs {
				if b.Kind != "prose" {
					kinds = append(kinds, b.Kind)
				}
			}
			if !slices.Equal(kinds, tt.kinds) {
				t.Errorf("recognised %q, want %q", kinds, tt.kinds)
			}
			switch {
			case len(doc.Findings) == 0 && tt.first != "":
				t.Errorf("nothing was found, want %s", tt.first)
			case len(doc.Findings) > 0 && (doc.Findings[0].ID != tt.first || !tt.holds && doc.Findings[0].Verdict == "holds"):
				t.Errorf("found %s (%s), want %s", doc.Findings[0].ID, doc.Findings[0].Verdict, tt.first)
			case len(doc.Findings) == 0 && doc.Verdict != "cannot-tell":
				t.Errorf("the verdict is %s, and nothing was measured", doc.Verdict)
			}
		})
	}
}
