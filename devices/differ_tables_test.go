package devices

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whydrop/correlate/timeline"
)

// told writes an event in a line: its subject, type and attributes, but for how it is dated.
func told(e timeline.Event) string {
	var attrs []string
	for _, k := range slices.Sorted(maps.Keys(e.Attrs)) {
		if k != "dated" {
			attrs = append(attrs, k+"="+e.Attrs[k])
		}
	}
	return strings.TrimSpace(e.Subject.String() + " " + string(e.Type) + " " + strings.Join(attrs, " "))
}

func TestTablesBecomeEvents(t *testing.T) {
	optic := func(v float64) Sensor {
		return Sensor{Port: "Te1/1", Name: "Te1/1 rx", Kind: "rx_power", Unit: "dBm", Value: Some(v), LowWarn: Some(-14.0), LowAlarm: Some(-16.0)}
	}
	hsrp := func(state string, since time.Duration) []Redundancy {
		return []Redundancy{{Protocol: "hsrp", Group: "10", Port: "Vlan10", State: state, Virtual: netip.MustParseAddr("192.0.2.1"), Since: Some(since)}}
	}
	asa := func(state, peer string) []Redundancy {
		return []Redundancy{{Protocol: "asa", Group: "pair", State: state, Peer: peer, Reason: "HELLO not heard from mate"}}
	}
	tree := func(p TreePort, changes uint64) []Tree {
		p.Port = "Gi1/0/1"
		return []Tree{{Name: "vlan 20", Bridge: Bridge{TopologyChanges: C32(changes), SinceChange: Some(300 * time.Millisecond)}, Ports: []TreePort{p}}}
	}
	for name, c := range map[string]struct {
		first, second func(*Reading)
		want          []string
	}{
		"a guard blocks a port of one tree": {
			func(r *Reading) { r.Trees = tree(TreePort{State: Some("forwarding")}, 4) },
			func(r *Reading) { r.Trees = tree(TreePort{State: Some("broken"), Inconsistent: "root"}, 5) },
			[]string{
				"sw1 Gi1/0/1 stp.inconsistent guard=root to=blocked tree=vlan 20", "sw1 Gi1/0/1 stp.state from=forwarding to=broken tree=vlan 20",
				"sw1 stp.topology_change count=1 tree=vlan 20",
			},
		},
		"a tree's port changes its role and its root": {
			func(r *Reading) {
				r.Trees = []Tree{{Name: "mst 1", Bridge: Bridge{RootPort: Some("a"), DesignatedRoot: Some("1.x")}, Ports: []TreePort{{Port: "a", Role: Some("root")}}}}
			},
			func(r *Reading) {
				r.Trees = []Tree{{Name: "mst 1", Bridge: Bridge{RootPort: Some("b"), DesignatedRoot: Some("2.y")}, Ports: []TreePort{{Port: "a", Role: Some("alternate")}}}}
			},
			[]string{"sw1 a stp.role from=root to=alternate tree=mst 1", "sw1 stp.root_bridge from=1.x to=2.y tree=mst 1", "sw1 stp.root_port from=a to=b tree=mst 1"},
		},
		"a port stopped forwarding between two polls": {
			func(r *Reading) { r.Trees = tree(TreePort{State: Some("forwarding"), Forwards: C32(1)}, 4) },
			func(r *Reading) { r.Trees = tree(TreePort{State: Some("forwarding"), Forwards: C32(2)}, 4) },
			[]string{"sw1 Gi1/0/1 stp.state to=forwarding tree=vlan 20"},
		},
		"a port that begins to forward tells so once": {
			func(r *Reading) {
				r.Interfaces[0].STPState = Some("learning")
				r.Trees = []Tree{{Name: "mst 0", Ports: []TreePort{{Port: r.Interfaces[0].Name, State: Some("learning"), Forwards: C32(1)}}}}
			},
			func(r *Reading) {
				r.Interfaces[0].STPState = Some("forwarding")
				r.Trees = []Tree{{Name: "mst 0", Ports: []TreePort{{Port: r.Interfaces[0].Name, State: Some("forwarding"), Forwards: C32(2)}}}}
			},
			[]string{"sw1 Gi1/0/1 stp.state from=learning to=forwarding"},
		},
		"a gateway moves": {
			func(r *Reading) { r.Redundancy = hsrp("standby", time.Hour) },
			func(r *Reading) { r.Redundancy = hsrp("active", 400*time.Millisecond) },
			[]string{"sw1 fhrp.state from=standby group=10 port=Vlan10 protocol=hsrp to=active virtual=192.0.2.1"},
		},
		"a pair of firewalls fails over and its other unit is gone": {
			func(r *Reading) { r.Redundancy = asa("standby", "active") },
			func(r *Reading) { r.Redundancy = asa("active", "failed") },
			[]string{"sw1 ha.failover from=standby reason=HELLO not heard from mate to=active", "sw1 stack.member from=active to=failed unit=asa pair peer"},
		},
		"a pair that failed over and back between two polls": {
			func(r *Reading) {
				r.Redundancy = []Redundancy{{Protocol: "panos", State: "active", Changes: C32(3)}}
			},
			func(r *Reading) {
				r.Redundancy = []Redundancy{{Protocol: "panos", State: "active", Changes: C32(5)}}
			},
			[]string{"sw1 ha.failover to=active"},
		},
		"a stack loses a member": {
			func(r *Reading) {
				r.Units = []Unit{{"switch 1", "active", "ready"}, {"switch 2", "standby", "ready"}}
			},
			func(r *Reading) { r.Units = []Unit{{"switch 1", "active", "ready"}} },
			[]string{"sw1 stack.member from=standby ready to=absent unit=switch 2"},
		},
		"a link leaves its aggregate": {
			func(r *Reading) {
				r.Aggregates = []Aggregate{{"Po1", "lacp", []Member{{Port: "Gi1/0/1", Actor: Some[uint8](0x3d), Partner: Some[uint8](0x3d)}}}}
			},
			func(r *Reading) {
				r.Aggregates = []Aggregate{{"Po1", "lacp", []Member{{Port: "Gi1/0/1", Actor: Some[uint8](0x05), Partner: Some[uint8](0x05)}}}}
			},
			[]string{"sw1 Gi1/0/1 lag.member aggregate=Po1 from=bundled to=suspended"},
		},
		"another neighbour": {
			func(r *Reading) {
				r.Neighbours = []Neighbour{{Port: "Gi1/0/1", Protocol: "lldp", System: "core1", PortID: "Eth1"}}
			},
			func(r *Reading) {
				r.Neighbours = []Neighbour{{Port: "Gi1/0/1", Protocol: "lldp", System: "core2", PortID: "Eth7"}}
			},
			[]string{"sw1 Gi1/0/1 lldp.neighbour from=core1 Eth1 protocol=lldp to=core2 Eth7"},
		},
		"addresses move together": {
			func(r *Reading) {
				r.Stations = []Station{{"00:00:00:00:00:01", Some[uint32](10), "Gi1", "learned"}, {"00:00:00:00:00:02", Some[uint32](10), "Gi1", "learned"}, {"00:00:00:00:00:03", Some[uint32](10), "Gi9", "learned"}}
			},
			func(r *Reading) {
				r.Stations = []Station{{"00:00:00:00:00:01", Some[uint32](10), "Gi2", "learned"}, {"00:00:00:00:00:02", Some[uint32](10), "Gi2", "learned"}}
			},
			[]string{"sw1 fdb.mac_move count=2 from=Gi1 mac=00:00:00:00:00:01 to=Gi2 vlan=10"},
		},
		"an address belongs to another station": {
			func(r *Reading) {
				r.Bindings = []Binding{{IP: netip.MustParseAddr("192.0.2.9"), MAC: "00:00:00:00:00:01", Port: "Vlan1", Kind: "dynamic"}}
			},
			func(r *Reading) {
				r.Bindings = []Binding{{IP: netip.MustParseAddr("192.0.2.9"), MAC: "00:00:00:00:00:02", Port: "Vlan1", Kind: "dynamic"}}
			},
			[]string{"sw1 arp.binding from=00:00:00:00:00:01 ip=192.0.2.9 port=Vlan1 to=00:00:00:00:00:02"},
		},
		"light fades below the warning": {
			func(r *Reading) { r.Sensors = []Sensor{optic(-9)} },
			func(r *Reading) { r.Sensors = []Sensor{optic(-15)} },
			[]string{"sw1 Te1/1 optics.threshold sensor=rx_power to=low-warn"},
		},
		"light that trembles at the threshold is no news": {
			func(r *Reading) { r.Sensors = []Sensor{optic(-14.1)} },
			func(r *Reading) { r.Sensors = []Sensor{optic(-13.9)} },
			nil,
		},
		"a policer drops": {
			func(r *Reading) {
				r.Queues = []Queue{{Port: "Gi1/0/1", Name: "VOICE", Way: "out", Kind: "policer", Drops: C64(10), Rate: Some[uint64](1e6)}}
			},
			func(r *Reading) {
				r.Queues = []Queue{{Port: "Gi1/0/1", Name: "VOICE", Way: "out", Kind: "policer", Drops: C64(52), Rate: Some[uint64](1e6)}}
			},
			[]string{"sw1 Gi1/0/1 qos.drops class=VOICE count=42 kind=policer rate_bps=1000000 way=out"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPolls()
			if got := allEvents(p.poll(time.Second, gig(0, 0), c.first)); len(got) > 0 {
				t.Errorf("the first reading tells %v", got)
			}
			before := p.at.Add(-time.Second)
			var got []string
			for _, e := range allEvents(p.poll(time.Second, gig(0, 0), c.second)) {
				got = append(got, told(e))
				if e.Span.From.Before(before) || e.Span.To.After(p.at) || e.Text == "" {
					t.Errorf("%s %q dated %v to %v", e.Type, e.Text, e.Span.From, e.Span.To)
				}
			}
			slices.Sort(got)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if got := allEvents(p.poll(time.Second, gig(0, 0), c.second)); len(got) > 0 {
				t.Errorf("told again: %v", got)
			}
		})
	}
}

func TestPortsTellMoreThanTheirState(t *testing.T) {
	with := func(m InterfaceMore, oper string) Interface {
		return Interface{Oper: Some(oper), Speed: Some[uint64](1e9), InterfaceMore: m}
	}
	for name, c := range map[string]struct {
		first, second Interface
		want          []string
	}{
		"shut by itself": {
			with(InterfaceMore{}, "up"), with(InterfaceMore{ErrDisabled: "bpduguard", ErrRecovers: Some[uint32](300)}, "down"),
			[]string{"sw1 Gi1/0/1 if.err_disabled cause=bpduguard from=up recovery_s=300 to=disabled", "sw1 Gi1/0/1 if.oper from=up to=down"},
		},
		"tried again": {
			with(InterfaceMore{ErrDisabled: "udld"}, "down"), with(InterfaceMore{}, "up"),
			[]string{"sw1 Gi1/0/1 if.err_disabled cause=udld from=disabled to=up", "sw1 Gi1/0/1 if.oper from=down to=up"},
		},
		"the cause was not asked": {with(InterfaceMore{ErrDisabled: "udld"}, "down"), with(InterfaceMore{}, "down"), nil},
		"one way only": {
			with(InterfaceMore{UDLD: Some("bidirectional")}, "up"), with(InterfaceMore{UDLD: Some("unidirectional")}, "up"),
			[]string{"sw1 Gi1/0/1 udld.state from=bidirectional to=unidirectional"},
		},
		"a cable test": {
			with(InterfaceMore{Cable: []CablePair{{"A", "normal", None[float64]()}}}, "up"), with(InterfaceMore{Cable: []CablePair{{"A", "open", Some(12.5)}}}, "up"),
			[]string{"sw1 Gi1/0/1 if.cable metres=12.5 pair=A status=open"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPolls()
			if got := allEvents(p.poll(time.Second, c.first)); len(got) > 0 {
				t.Errorf("the first reading tells %v", got)
			}
			var got []string
			for _, e := range allEvents(p.poll(time.Second, c.second)) {
				got = append(got, told(e))
			}
			slices.Sort(got)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestTablesBecomeFigures(t *testing.T) {
	fill := func(n uint64) func(*Reading) {
		return func(r *Reading) {
			r.CPU, r.Interrupt, r.Memory = Some(0.5), Some(0.2), Some(0.7)
			r.Sessions = &Sessions{Active: Some[uint64](900), Limit: Some[uint64](1000), Refused: C64(n), Denied: C32(n)}
			r.LearnDiscards, r.FragFails, r.ARPDrops, r.StationCount = C32(n), C32(n), C32(n), Some[uint64](77)
			r.Queues = []Queue{{Port: "Gi1/0/1", Name: "q1", Kind: "queue", Drops: C64(n)}, {Port: "Gi1/0/1", Name: "q2", Kind: "queue", Drops: C64(n)}}
			r.Sensors = []Sensor{
				{Port: "Gi1/0/1", Kind: "rx_power", Lane: 1, Unit: "dBm", Value: Some(-3.0), LowWarn: Some(-10.0), LowAlarm: Some(-12.0)},
				{Port: "Gi1/0/1", Kind: "rx_power", Lane: 2, Unit: "dBm", Value: Some(-5.0)},
				{Port: "Gi1/0/1", Kind: "tx_power", Unit: "dBm", Value: Some(-2.0), LowWarn: Some(-8.0)},
				{Port: "Gi1/0/1", Kind: "temperature", Unit: "degC", Value: Some(41.0)},
			}
			r.Aggregates = []Aggregate{{Port: "Po1", Members: []Member{{Port: "Gi1/0/1", State: "bundled"}}}}
			r.Trees = []Tree{{Name: "vlan 2", Bridge: Bridge{TopologyChanges: C32(n)}, Ports: []TreePort{{Port: "Gi1/0/1", State: Some("forwarding")}}}}
		}
	}
	more := func(n uint64) Interface {
		i := gig(1e6+n, 1e6)
		i.MTU = Some[uint32](1500)
		i.InterfaceMore = InterfaceMore{
			InBroadcasts: C64(n), OutBroadcasts: C64(n), InMulticasts: C64(n), OutMulticasts: C64(n), Fragments: C32(n), Jabbers: C32(n), Stomped: C32(n),
			Ignored: C32(n), NoBuffer: C32(n), Throttles: C32(n), Underruns: C32(n), MACIn: C32(n), MACOut: C32(n), CarrierSense: C32(n), Deferred: C32(n),
			ExcessiveCollisions: C32(n), CarrierTransitions: C32(n), MTUExceeded: C32(n), StormDrops: C32(n), PolicerDrops: C32(n), ACLDrops: C32(n),
			PoEDenied: C32(n), PoEOverload: C32(n), PoEShort: C32(n), PoEAbsent: C32(n), Resets: C32(n),
			Offered: []uint64{10e6, 1e9, 100e6}, EEE: Some(true),
		}
		i.InputQueueDrop, i.UnknownProtos = C32(n), C32(n)
		return i
	}
	p := newPolls()
	p.poll(2*time.Second, more(0), fill(0))
	p.poll(2*time.Second, more(100), fill(100))
	want := map[timeline.Metric]float64{
		timeline.DeviceCPU: 0.5, timeline.DeviceInterrupt: 0.2, timeline.DeviceMemory: 0.7, timeline.Sessions: 900, timeline.SessionLimit: 1000,
		timeline.SessionRefused: 50, timeline.SessionDenied: 50, timeline.LearnDiscards: 50, timeline.FragFails: 50, timeline.ARPDrops: 50, timeline.Stations: 77,
		timeline.ClassDrops: 100, timeline.RxPower: -5, timeline.RxLowWarn: -10, timeline.RxLowAlarm: -12, timeline.TxPower: -2, timeline.TxLowWarn: -8,
		timeline.OpticsTemperature: 41, timeline.LAGInSync: 1, timeline.STPForwarding: 1, timeline.TopologyChanges: 50,
		timeline.MTU: 1500, timeline.NeighbourSpeed: 1e9, timeline.EEE: 1,
	}
	for _, f := range figures[18:] { // those that InterfaceMore brought
		want[f.metric] = 50
	}
	for m, v := range want {
		if got := samplesOf(p.last, m); len(got) != 1 || !near(got[0].Value, v) {
			t.Errorf("%s: got %v, want %v", m, got, v)
		}
	}
}

func TestWhatIsNotInATableIsNotZero(t *testing.T) {
	p := newPolls()
	for range 3 {
		p.poll(time.Second, gig(0, 0), func(r *Reading) {
			r.Sessions, r.Queues, r.Sensors = &Sessions{}, []Queue{{Port: "Gi1/0/1"}}, []Sensor{{Port: "Gi1/0/1", Kind: "rx_power", Unit: "dBm"}}
			r.Trees, r.Aggregates = []Tree{{Name: "vlan 2", Ports: []TreePort{{Port: "Gi1/0/1"}}}}, []Aggregate{{Port: "Po1", Members: []Member{{Port: "Gi1/0/1"}}}}
		})
	}
	for _, r := range p.records {
		if s, ok := r.(timeline.Sample); ok {
			switch s.Metric {
			case timeline.Reachable, timeline.PollTime, timeline.Oper, timeline.Speed, timeline.InBits, timeline.OutBits, timeline.Utilisation:
			default:
				t.Errorf("%s is %v", s.Metric, s.Value)
			}
		}
	}
}

func TestAPortThatForwardsInSomeTreesIsNeither(t *testing.T) {
	p := newPolls()
	trees := func(a, b string) func(*Reading) {
		return func(r *Reading) {
			r.Trees = []Tree{{Name: "vlan 2", Ports: []TreePort{{Port: "Gi1/0/1", State: Some(a)}}}, {Name: "vlan 3", Ports: []TreePort{{Port: "Gi1/0/1", State: Some(b)}}}}
		}
	}
	for _, c := range []struct {
		a, b string
		want string
	}{{"forwarding", "forwarding", "[1]"}, {"forwarding", "blocking", "[]"}, {"blocking", "blocking", "[0]"}} {
		var got []float64
		for _, s := range samplesOf(p.poll(time.Second, gig(0, 0), trees(c.a, c.b)), timeline.STPForwarding) {
			got = append(got, s.Value)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s and %s: %v, want %s", c.a, c.b, got, c.want)
		}
	}
}

func TestCountersAreDatedByWhenTheHardwareCopiedThem(t *testing.T) {
	p := newPolls()
	aged := func(octets uint64, age float64) Interface {
		i := gig(octets, octets)
		i.CounterAgeing = Some(age)
		return i
	}
	p.poll(time.Second, aged(0, 0.5))
	p.poll(time.Second, aged(0, 1.5)) // the same copy
	if got := samplesOf(p.last, timeline.InBits); len(got) > 0 {
		t.Errorf("a copy that is not new gives %v", got)
	}
	p.poll(time.Second, aged(2e6, 0.5)) // two seconds later
	got := samplesOf(p.last, timeline.InBits)
	if len(got) != 1 || !near(got[0].Value, 8e6) {
		t.Fatalf("got %v, want 8 Mbit/s", got)
	}
	if to := t0.Add(1500*time.Millisecond + p.rtt/2); !got[0].Span.To.Equal(to) {
		t.Errorf("dated to %v, want %v", got[0].Span.To, to)
	}
}

func TestTablesOfAnyKindNeverMakeNonsense(t *testing.T) {
	words := rapid.SampledFrom([]string{"", "a", "b", "forwarding", "blocking", "active", "standby", "hsrp", "asa", "vpc", "rx_power", "dBm", "queue", "policer", "vlan 1", "vlan 2"})
	counter := rapid.Custom(func(t *rapid.T) Opt[Counter] {
		return Opt[Counter]{Counter{rapid.Uint64().Draw(t, "v"), rapid.SampledFrom([]uint8{0, 32, 64}).Draw(t, "bits")}, rapid.Bool().Draw(t, "ok")}
	})
	word := func(t *rapid.T) string { return words.Draw(t, "word") }
	opt := func(t *rapid.T) Opt[string] { return Opt[string]{word(t), rapid.Bool().Draw(t, "ok")} }
	figure := func(t *rapid.T) Opt[float64] {
		return Opt[float64]{rapid.Float64().Draw(t, "f"), rapid.Bool().Draw(t, "ok")}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := newPolls()
		for range rapid.IntRange(1, 6).Draw(t, "polls") {
			p.poll(time.Second, gig(0, 0), func(r *Reading) {
				for range rapid.IntRange(0, 2).Draw(t, "rows") {
					r.Trees = append(r.Trees, Tree{Name: word(t), Bridge: Bridge{TopologyChanges: counter.Draw(t, "c"), RootPort: opt(t), DesignatedRoot: opt(t)}, Ports: []TreePort{{Port: word(t), State: opt(t), Role: opt(t), Forwards: counter.Draw(t, "c"), Inconsistent: word(t)}}})
					r.Redundancy = append(r.Redundancy, Redundancy{Protocol: word(t), State: word(t), Peer: word(t), Changes: counter.Draw(t, "c"), Since: Opt[time.Duration]{time.Duration(rapid.Int64().Draw(t, "since")), rapid.Bool().Draw(t, "ok")}})
					r.Queues = append(r.Queues, Queue{Port: word(t), Name: word(t), Kind: word(t), Drops: counter.Draw(t, "c")})
					r.Sensors = append(r.Sensors, Sensor{Port: word(t), Kind: word(t), Unit: word(t), Value: figure(t), LowWarn: figure(t), LowAlarm: figure(t), HighWarn: figure(t)})
					r.Units = append(r.Units, Unit{word(t), word(t), word(t)})
					r.Neighbours = append(r.Neighbours, Neighbour{Port: word(t), Protocol: word(t), System: word(t)})
					r.Aggregates = append(r.Aggregates, Aggregate{Port: word(t), Members: []Member{{Port: word(t), State: word(t), Changes: counter.Draw(t, "c")}}})
				}
				r.Sessions = &Sessions{Refused: counter.Draw(t, "c"), Denied: counter.Draw(t, "c")}
				r.LearnDiscards = counter.Draw(t, "c")
			})
		}
		for _, r := range p.records {
			if c := r.Covers(); c.To.Before(c.From) || c.From.Before(t0.Add(-time.Second)) || c.To.After(p.at) {
				t.Fatalf("%T %v covers %v to %v", r, r.About(), c.From, c.To)
			}
			switch r := r.(type) {
			case timeline.Sample:
				if d, ok := timeline.Describe(r.Metric); !ok || r.Value != r.Value || r.Value < 0 && d.Unit != "dBm" && d.Unit != "degC" {
					t.Fatalf("%s is %v", r.Metric, r.Value)
				}
			case timeline.Event:
				if r.Type == timeline.EventSTPState && r.Attrs["from"] == r.Attrs["to"] {
					t.Fatalf("%v from %q to itself", r.Type, r.Attrs["from"])
				}
			}
		}
	})
}
