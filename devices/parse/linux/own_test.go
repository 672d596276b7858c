package linux

import (
	"testing"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

func TestWhatAHostTellsOfItself(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		counts map[timeline.Metric]float64
		shares map[timeline.Metric]float64
	}{
		"protocols": {
			"Tcp: RtoAlgorithm OutSegs RetransSegs\nTcp: 1 9000 12\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\nUdp: 700 1 44 600 40 0\n",
			map[timeline.Metric]float64{timeline.HostUDPDrops: 40, timeline.HostUDPErrors: 4, timeline.TCPRetransmits: 12, timeline.OutPackets: 9000}, nil},
		"titles without values":           {"Udp: InDatagrams NoPorts InErrors\n", nil, nil},
		"the input queues of two cores":   {"00001000 0000000a 00000002 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n00001000 00000001 00000002 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n", map[timeline.Metric]float64{timeline.HostNICDrops: 11}, nil},
		"words that are no hexadecimals":  {"abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh\n", nil, nil},
		"sizes of the table of sessions":  {"net.netfilter.nf_conntrack_count = 100\nnet.netfilter.nf_conntrack_max = 128\n", map[timeline.Metric]float64{timeline.Sessions: 100, timeline.SessionLimit: 128}, nil},
		"top, all processors":             {"%Cpu(s): 10.0 us, 15.0 sy,  0.0 ni, 50.0 id,  2.0 wa,  0.0 hi,  3.0 si, 20.0 st\n", nil, map[timeline.Metric]float64{timeline.HostSteal: 0.2, timeline.HostIOWait: 0.02}},
		"top, one of them":                {"%Cpu3  :  1.0 us,  2.0 sy,  0.0 ni,  1.0 id,  0.0 wa,  1.0 hi, 95.0 si,  0.0 st\n", nil, map[timeline.Metric]float64{timeline.HostSteal: 0, timeline.HostSoftirq: 0.96, timeline.HostCoreBusy: 0.99}},
		"mpstat, a time of two words":     {"01:12:31 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n01:12:36 AM    1    0.00    0.00    0.00    0.00    1.00   98.00    0.00    0.00    0.00    1.00\n", nil, map[timeline.Metric]float64{timeline.HostSteal: 0, timeline.HostSoftirq: 0.99, timeline.HostCoreBusy: 0.99}},
		"mpstat, a comma for the decimal": {"22:10:02     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n22:10:03     all    1,00    0,00    2,00    0,00    0,00    1,00   40,00    0,00    0,00   56,00\n", nil, map[timeline.Metric]float64{timeline.HostSteal: 0.4, timeline.HostIOWait: 0}},
		"netstat -s, older":               {"Tcp:\n    4012 segments received\n    5119 segments send out\n    44 segments retransmited\n", map[timeline.Metric]float64{timeline.OutPackets: 5119, timeline.TCPRetransmits: 44}, nil},
		"nstat":                           {"#kernel\nTcpOutSegs                      5119               0.0\nTcpRetransSegs                  44                 0.0\nUdpRcvbufErrors                 3                  0.0\nUdp6RcvbufErrors                2                  0.0\n", map[timeline.Metric]float64{timeline.OutPackets: 5119, timeline.TCPRetransmits: 44, timeline.HostUDPDrops: 5}, nil},
		"vmstat":                          {"procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 2  0      0 811200  20112 901220    0    0     1     4  120  300 20 10 30  1 39\n", nil, map[timeline.Metric]float64{timeline.HostSteal: 0.39, timeline.HostIOWait: 0.01}},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := OwnCounters(c.text)
			if ok != (len(c.counts)+len(c.shares) > 0) {
				t.Errorf("read: %v", ok)
			}
			for _, m := range []struct{ got, want map[timeline.Metric]float64 }{{got.Counts, c.counts}, {got.Shares, c.shares}} {
				if len(m.got) != len(m.want) {
					t.Errorf("got %v, want %v", m.got, m.want)
				}
				for k, v := range m.want {
					if d := m.got[k] - v; d > 1e-9 || d < -1e-9 {
						t.Errorf("%s is %v, want %v", k, m.got[k], v)
					}
				}
			}
		})
	}
}

func TestQueuesOfAHost(t *testing.T) {
	got, ok := OwnCounters("qdisc htb 1: dev eth0 root refcnt 2 r2q 10 default 12\n Sent 195450545 bytes 2252952 pkt (dropped 213, overlimits 65672 requeues 0) \n backlog 12Kb 9p requeues 0\n" +
		"qdisc fq_codel 110: dev eth0 parent 1:11 limit 1001p\n Sent 100 bytes 1 pkt (dropped 0, overlimits 0 requeues 0)\n backlog 0b 0p requeues 0\n  maxpacket 942 drop_overlimit 0 new_flow_count 14417 ecn_mark 0\n")
	want := []Queue{{Port: "eth0", Kind: "htb", Handle: "1:", Octets: 195450545, Packets: 2252952, Dropped: 213, Overlimits: 65672, Backlog: 12288}, {Port: "eth0", Kind: "fq_codel", Handle: "110:", Octets: 100, Packets: 1}}
	if !ok || len(got.Queues) != len(want) || got.Queues[0] != want[0] || got.Queues[1] != want[1] {
		t.Errorf("got %+v, want %+v", got.Queues, want)
	}
}

func TestRowsOfProcNetDev(t *testing.T) {
	var r devices.Reading
	ProcNetDev("Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"+
		"    lo: 8120 80 0 0 0 0 0 0 8120 80 0 0 0 0 0 0\n  eth0: 91203341 812033 12 4 3 9 0 331 71203341 712033 0 5 0 0 1 0\n", &r)
	if len(r.Interfaces) != 2 {
		t.Fatalf("%d ports", len(r.Interfaces))
	}
	p := r.Interfaces[1]
	for name, c := range map[string]struct {
		got  devices.Opt[devices.Counter]
		want uint64
	}{"errors": {p.InErrors, 12}, "drops": {p.InDrops, 4}, "overruns": {p.Overrun, 3}, "frame": {p.Alignment, 9}, "dropped instead of sent": {p.OutDrops, 5}, "carrier": {p.CarrierSense, 1}} {
		if !c.got.OK || c.got.Value.Value != c.want {
			t.Errorf("%s: %+v, want %d", name, c.got, c.want)
		}
	}
}
