package snmp

import (
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"testing"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

type objs = map[string]snmptest.Value

// want compares a part of a reading.
func want[T any](part func(devices.Reading) T, want T) func(*testing.T, devices.Reading) {
	return func(t *testing.T, r devices.Reading) {
		t.Helper()
		if got := part(r); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

func watched(r devices.Reading) devices.Interface { return r.Interfaces[0] }

func redundancy(r devices.Reading) []devices.Redundancy { return r.Redundancy }
func units(r devices.Reading) []devices.Unit            { return r.Units }

// load is what a device says of itself, in whole per cent; -1 is not given.
func load(r devices.Reading) [3]int {
	var out [3]int
	for n, o := range []devices.Opt[float64]{r.CPU, r.Interrupt, r.Memory} {
		out[n] = -1
		if o.OK {
			out[n] = int(math.Round(o.Value * 100))
		}
	}
	return out
}

// columns gives the columns of one row values that count up from 1.
func columns(entry, index string, values map[int]snmptest.Value) objs {
	out := objs{}
	for c, v := range values {
		out[fmt.Sprintf("%s.%d.%s", entry, c, index)] = v
	}
	return out
}

func c32(n uint32) snmptest.Value { return snmptest.C32(n) }

func TestVendorPorts(t *testing.T) {
	counters := map[int]snmptest.Value{4: c32(4), 5: c32(5), 7: c32(7), 8: c32(8), 10: c32(10), 11: c32(11)}
	loc := map[int]snmptest.Value{}
	for _, c := range []int{10, 11, 12, 14, 15, 17, 21, 24, 25, 26, 27} {
		loc[c] = snmptest.Int(c)
	}
	for _, tt := range []tableTest{
		{"cieIfPacketStatsTable", columns("1.3.6.1.4.1.9.9.276.1.1.1.1", "7", counters), want(func(r devices.Reading) [6]devices.Opt[devices.Counter] {
			i := watched(r)
			return [6]devices.Opt[devices.Counter]{i.Runts, i.Giants, i.Overrun, i.Ignored, i.InputQueueDrop, i.OutDrops}
		}, [6]devices.Opt[devices.Counter]{devices.C32(4), devices.C32(5), devices.C32(7), devices.C32(8), devices.C32(10), devices.C32(11)})},
		{"cieIfInterfaceTable", columns("1.3.6.1.4.1.9.9.276.1.1.2.1", "7", map[int]snmptest.Value{1: c32(3), 4: c32(9)}), want(func(r devices.Reading) [2]devices.Opt[devices.Counter] {
			return [2]devices.Opt[devices.Counter]{watched(r).Resets, watched(r).CarrierTransitions}
		}, [2]devices.Opt[devices.Counter]{devices.C32(3), devices.C32(9)})},
		{"lifTable", columns("1.3.6.1.4.1.9.2.2.1.1", "7", loc), want(func(r devices.Reading) [4]devices.Opt[devices.Counter] {
			i := watched(r)
			if math.Abs(i.Load.Value-24.0/255) > 1e-9 {
				t.Errorf("load %v", i.Load)
			}
			return [4]devices.Opt[devices.Counter]{i.FCS, i.Resets, i.InputQueueDrop, i.OutDrops}
		}, [4]devices.Opt[devices.Counter]{devices.CCLI(12), devices.CCLI(17), devices.CCLI(26), devices.CCLI(27)})},
		{"aristaIfTable", columns("1.3.6.1.4.1.30065.3.15.1.1.1", "7", map[int]snmptest.Value{1: snmptest.Ticks(4750), 8: c32(3), 9: c32(4), 10: snmptest.Str("bpduguard")}), want(func(r devices.Reading) string {
			i := watched(r)
			return fmt.Sprint(i.CounterAgeing, i.CarrierTransitions.Value.Value, i.ACLDrops.Value.Value, i.ErrDisabled)
		}, "2.5 3 4bpduguard")},
		{"pethPsePortTable", together(
			objs{"1.3.6.1.2.1.105.1.1.1.3.1.7": snmptest.Int(1)},
			columns("1.3.6.1.2.1.105.1.1.1", "1.7", map[int]snmptest.Value{8: c32(8), 12: c32(12), 13: c32(13), 14: c32(14)}),
		), want(func(r devices.Reading) [4]devices.Opt[devices.Counter] {
			i := watched(r)
			return [4]devices.Opt[devices.Counter]{i.PoEAbsent, i.PoEDenied, i.PoEOverload, i.PoEShort}
		}, [4]devices.Opt[devices.Counter]{devices.C32(8), devices.C32(12), devices.C32(13), devices.C32(14)})},
		{"cpscStatusTable broadcast", objs{
			"1.3.6.1.4.1.9.9.362.1.2.1.1.3.7.1": snmptest.C64(100), "1.3.6.1.4.1.9.9.362.1.2.1.1.3.7.2": snmptest.C64(20),
			"1.3.6.1.4.1.9.9.362.1.2.1.1.3.7.4": snmptest.C64(7777),
		}, want(func(r devices.Reading) devices.Opt[devices.Counter] { return watched(r).StormDrops }, devices.C64(120))},
		{"cErrDisableIfStatusTable", objs{
			errDisableCause + ".7.0": snmptest.Int(6), errDisableRecovers + ".7.0": snmptest.Gauge(300), errDisableCause + ".8.20": snmptest.Int(2),
		}, want(func(r devices.Reading) string {
			return fmt.Sprint(watched(r).ErrDisabled, watched(r).ErrRecovers, "/", r.Interfaces[1].ErrDisabled)
		}, "link-flap300/")},
		{"cudldpInterfaceTable", objs{udldStatus + ".7": snmptest.Int(1), udldStatus + ".8": snmptest.Int(4)}, want(func(r devices.Reading) [2]devices.Opt[string] {
			return [2]devices.Opt[string]{watched(r).UDLD, r.Interfaces[1].UDLD}
		}, [2]devices.Opt[string]{devices.Some("unidirectional")})},
		{"cportQosClassIngressStatsTable", objs{
			portPolice + "7.7.1.0": snmptest.C64(1 << 33), portPolice + "7.7.2.0": snmptest.C64(5), portPolice + "9.7.1.0": snmptest.C64(1), portPolice + "7.9.1.0": snmptest.C64(9),
		}, want(func(r devices.Reading) devices.Opt[devices.Counter] { return watched(r).PolicerDrops }, devices.C64(1<<33+6))},
		{"ccdTdrIfResultTable", objs{
			tdrValid + ".7":     snmptest.Int(1),
			tdrResult + "8.7.1": snmptest.Int(2), tdrResult + "3.7.1": snmptest.Int(12), tdrResult + "7.7.1": snmptest.Int(2),
			tdrResult + "8.7.2": snmptest.Int(5), tdrResult + "5.7.2": snmptest.Int(350), tdrResult + "7.7.2": snmptest.Int(3),
			tdrResult + "8.7.3": snmptest.Int(3),
			tdrResult + "8.8.1": snmptest.Int(6), // no valid result
		}, want(func(r devices.Reading) []devices.CablePair { return append(watched(r).Cable, r.Interfaces[1].Cable...) }, []devices.CablePair{
			{Pair: "A", Status: "normal", Length: devices.Some(12.0)}, {Pair: "B", Status: "open", Length: devices.Some(3.5)},
		})},
		{"cdaiStatisticsTable", objs{daiDropped + ".10": c32(5), daiDropped + ".20": c32(7)}, want(func(r devices.Reading) devices.Opt[devices.Counter] { return r.ARPDrops }, devices.C32(12))},
	} {
		tt.run(t)
	}
}

func TestClassesAndPolicers(t *testing.T) {
	// One output policy on ifIndex 7: class "voice" with a queue, class "bulk" with a policer that drops.
	o := objs{
		qosDirection + ".100": snmptest.Int(2), qosIfIndex + ".100": snmptest.Int(7),
		qosClassName + ".901": snmptest.Str("voice"), qosClassName + ".902": snmptest.Str("bulk"),
		qosPoliceRate + ".903": snmptest.Gauge(8_000_000), qosExceedAction + ".903": snmptest.Int(5),
		qosDirection + ".200": snmptest.Int(2), qosIfIndex + ".200": snmptest.Int(9), qosType + ".200.1": snmptest.Int(2),
	}
	for object, x := range map[int][3]int{1: {1, 900, 0}, 2: {2, 901, 1}, 3: {2, 902, 1}, 4: {4, 904, 2}, 5: {7, 903, 3}} {
		index := fmt.Sprintf(".100.%d", object)
		o[qosType+index], o[qosConfig+index], o[qosParent+index] = snmptest.Int(x[0]), snmptest.Gauge(uint32(x[1])), snmptest.Gauge(uint32(x[2]))
	}
	o[qosClassBytes+".100.2"], o[qosClassDrops+".100.2"] = snmptest.C64(1000), snmptest.C64(9)
	o[qosClassBytes+".100.3"], o[qosClassDrops+".100.3"] = snmptest.C64(2000), snmptest.C64(8)
	o[qosQueueDrops+".100.4"] = snmptest.C64(9)
	o[qosPoliceExceeded+".100.5"], o[qosPoliceViolated+".100.5"] = snmptest.C64(6), snmptest.C64(2)
	tableTest{"cbQosCMStatsTable", o, want(func(r devices.Reading) []devices.Queue { return r.Queues }, []devices.Queue{
		{Port: "p", Name: "voice", Way: "out", Kind: "queue", Bits: devices.C64(8000)},
		{Port: "p", Name: "bulk", Way: "out", Kind: "queue", Bits: devices.C64(16000)},
		{Port: "p", Name: "voice", Way: "out", Kind: "queue", Drops: devices.C64(9)},
		{Port: "p", Name: "bulk", Way: "out", Kind: "policer", Drops: devices.C64(8), Rate: devices.Some[uint64](8_000_000)},
	})}.run(t)
}

func TestQueuesOfArista(t *testing.T) {
	tableTest{"aristaEgressQueueTable", objs{aristaQueueDrops + ".7.3.1": snmptest.C64(5), aristaQueueDrops + ".9.3.1": snmptest.C64(9)}, want(func(r devices.Reading) []devices.Queue { return r.Queues }, []devices.Queue{
		{Port: "p", Name: "queue 3.1", Way: "out", Kind: "queue", Drops: devices.C64(5)},
	})}.run(t)
}

func TestGuardsOfSpanningTree(t *testing.T) {
	inconsistent := func(r devices.Reading) map[string]string {
		out := map[string]string{}
		for _, tree := range r.Trees {
			for _, p := range tree.Ports {
				if p.Inconsistent != "" {
					out[tree.Name+" "+p.Port] = p.Inconsistent
				}
			}
		}
		return out
	}
	tableTest{"stpxRootInconsistencyTable", objs{
		stpxRootInconsistent + ".20.1": snmptest.Int(1), stpxLoopInconsistent + ".30.2": snmptest.Int(1),
		stpxInconsistent + ".40.1": snmptest.Bytes([]byte{0x80}), stpxInconsistent + ".50.2": snmptest.Bytes([]byte{0x40}),
		stpxRootInconsistent + ".60.1": snmptest.Int(2),
	}, want(inconsistent, map[string]string{"vlan 20 p": "root", "vlan 30 q": "loop", "vlan 40 p": "type", "vlan 50 q": "pvid"})}.run(t)
}

func TestGateways(t *testing.T) {
	ip := func(s string) snmptest.Value { return snmptest.IP(netip.MustParseAddr(s)) }
	for _, tt := range []tableTest{
		{"vrrpOperTable", objs{
			vrrpOper + "3.7.10": snmptest.Int(3), vrrpOper + "5.7.10": snmptest.Int(110), vrrpOper + "7.7.10": ip("10.0.0.2"),
			vrrpBecameMaster + ".7.10": c32(4), vrrpAddress + ".7.10.10.0.0.1": snmptest.Int(1),
		}, want(redundancy, []devices.Redundancy{{
			Protocol: "vrrp", Group: "10", Port: "p", State: "active", Active: "10.0.0.2", Virtual: netip.MustParseAddr("10.0.0.1"),
			Priority: devices.Some[uint32](110), Changes: devices.C32(4),
		}})},
		{"vrrpv3OperationsTable", objs{
			vrrp3Oper + "6.7.10.1": snmptest.Int(2), vrrp3Oper + "7.7.10.1": snmptest.Gauge(90), vrrp3Oper + "3.7.10.1": snmptest.Bytes([]byte{10, 0, 0, 2}),
			vrrp3Stats + "1.7.10.1": c32(4), vrrp3Stats + "2.7.10.1": snmptest.Int(3), vrrp3Address + ".7.10.1.4.10.0.0.1": snmptest.Int(1),
		}, want(redundancy, []devices.Redundancy{{
			Protocol: "vrrp", Group: "10", Port: "p", State: "standby", Active: "10.0.0.2", Virtual: netip.MustParseAddr("10.0.0.1"),
			Priority: devices.Some[uint32](90), Changes: devices.C32(4), Reason: "master did not respond",
		}})},
		{"cHsrpGrpTable", objs{
			hsrpGroup + "15.7.1": snmptest.Int(6), hsrpGroup + "3.7.1": snmptest.Gauge(100), hsrpGroup + "11.7.1": ip("10.0.0.1"), hsrpGroup + "13.7.1": ip("10.0.0.2"),
			hsrpGroup + "15.7.2": snmptest.Int(1), hsrpGroup + "11.7.2": ip("0.0.0.0"),
		}, want(redundancy, []devices.Redundancy{
			{Protocol: "hsrp", Group: "1", Port: "p", State: "active", Active: "10.0.0.2", Virtual: netip.MustParseAddr("10.0.0.1"), Priority: devices.Some[uint32](100)},
			{Protocol: "hsrp", Group: "2", Port: "p", State: "init"},
		})},
	} {
		tt.run(t)
	}
}

func TestPairsAndStacks(t *testing.T) {
	sessions := func(r devices.Reading) string {
		if r.Sessions == nil {
			return ""
		}
		return fmt.Sprint(r.Sessions.Active, " of ", r.Sessions.Limit)
	}
	for _, tt := range []tableTest{
		{"cfwHardwareStatusTable", objs{
			cfwHardware + "2.6": snmptest.Str("Primary unit"), cfwHardware + "2.7": snmptest.Str("Secondary unit (this device)"),
			cfwHardware + "3.6": snmptest.Int(9), cfwHardware + "3.7": snmptest.Int(10), cfwHardware + "4.7": snmptest.Str("Standby unit"),
		}, want(redundancy, []devices.Redundancy{{Protocol: "asa", Group: "failover", State: "standby", Peer: "active"}})},
		{"cfwConnectionStatTable", objs{cfwConnections + ".40.6": snmptest.Gauge(7756), cfwConnections + ".40.7": snmptest.Gauge(9999)}, want(sessions, "7756 of ?")},
		{"fgHaStatsTable", objs{
			fortiMode + ".0": snmptest.Int(3), fortiSerial + ".0": snmptest.Str("FG1"),
			fortiStats + "2.1": snmptest.Str("FG1"), fortiStats + "2.2": snmptest.Str("FG2"), fortiStats + "12.1": snmptest.Int(1), fortiStats + "12.2": snmptest.Int(0),
			fortiStats + "16.1": snmptest.Str("FG2"), fortiStats + "16.2": snmptest.Str("FG2"),
		}, want(redundancy, []devices.Redundancy{{Protocol: "fortigate", Group: "ha", State: "standby", Peer: "active", Active: "FG2", Synced: devices.Some(false)}})},
		{"fgSystemInfo", objs{fortiInfo + "3.0": snmptest.Gauge(4), fortiInfo + "4.0": snmptest.Gauge(39), fortiInfo + "8.0": snmptest.Gauge(21489)}, func(t *testing.T, r devices.Reading) {
			want(sessions, "21489 of ?")(t, r)
			want(load, [3]int{4, -1, 39})(t, r)
		}},
		{"panSysHAState", objs{panSystem + "11.0": snmptest.Str("passive"), panSystem + "12.0": snmptest.Str("active"), panSystem + "13.0": snmptest.Str("active-passive")}, want(redundancy, []devices.Redundancy{{Protocol: "panos", Group: "ha", State: "standby", Peer: "active"}})},
		{"panSession", objs{panSession + "2.0": snmptest.Int(128000), panSession + "3.0": snmptest.Int(38)}, want(sessions, "38 of 128000")},
		{"cswSwitchInfoTable", objs{
			cswSwitch + "3.1001": snmptest.Int(1), cswSwitch + "6.1001": snmptest.Int(4), cswSwitch + "3.2001": snmptest.Int(2), cswSwitch + "6.2001": snmptest.Int(11), cswPort + ".9": snmptest.Int(2),
		}, want(units, []devices.Unit{{Name: "switch 1", Role: "active", State: "ready"}, {Name: "switch 2", Role: "member", State: "removed"}, {Name: "r", Role: "stack port", State: "down"}})},
		{"cVpcRoleTable", objs{vpcRole + ".5": snmptest.Int(4), vpcKeepAlive + ".5": snmptest.Int(2), vpcRole + ".6": snmptest.Int(2), vpcKeepAlive + ".6": snmptest.Int(3)}, want(redundancy, []devices.Redundancy{
			{Protocol: "vpc", Group: "5", State: "secondary", Peer: "primary"},
			{Protocol: "vpc", Group: "6", State: "primary", Peer: "unknown", Reason: "keep-alive: peer unreachable"},
		})},
		{"cVpcStatusHostLinkTable", objs{vpcLink + "3.5.10": snmptest.Int(9), vpcLink + "4.5.10": snmptest.Int(2)}, want(units, []devices.Unit{{Name: "vpc 10 r", Role: "vpc", State: "down, forwarded by the peer"}})},
	} {
		tt.run(t)
	}
}

func TestLoad(t *testing.T) {
	for _, tt := range []tableTest{
		{"cpmCPUTotalTable", objs{cpmBusy + ".5": snmptest.Gauge(67), cpmBusy + ".6": snmptest.Gauge(80), cpmInterrupt + ".5": snmptest.Gauge(3)}, want(load, [3]int{80, 3, -1})},
		{"ciscoMemoryPoolTable", objs{
			memoryPool + "2.1": snmptest.Str("Processor"), memoryPool + "5.1": snmptest.Gauge(750), memoryPool + "6.1": snmptest.Gauge(250),
			memoryPool + "2.2": snmptest.Str("Driver text"), memoryPool + "5.2": snmptest.Gauge(40), memoryPool + "6.2": snmptest.Gauge(0),
		}, want(load, [3]int{-1, -1, 75})},
		{"cempMemPoolTable", objs{
			cempPool + "3.1.1": snmptest.Str("processor"), cempPool + "7.1.1": snmptest.Gauge(1<<32 - 1), cempPool + "8.1.1": snmptest.Gauge(1<<32 - 1),
			cempPool + "18.1.1": snmptest.C64(6e9), cempPool + "20.1.1": snmptest.C64(4e9),
		}, want(load, [3]int{-1, -1, 60})},
		{"jnxOperatingTable", objs{jnxOperating + "8.9.1.0.0": snmptest.Gauge(17), jnxOperating + "11.9.1.0.0": snmptest.Gauge(44), jnxOperating + "8.7.1.0.0": snmptest.Gauge(99)}, want(load, [3]int{17, -1, 44})},
		{"hrProcessorTable", objs{hrProcessorLoad + ".1": snmptest.Int(10), hrProcessorLoad + ".2": snmptest.Int(50), ssCPUIdle + ".0": snmptest.Int(1)}, want(load, [3]int{30, -1, -1})},
		{"hrProcessorTable", objs{ssCPUIdle + ".0": snmptest.Int(94)}, want(load, [3]int{6, -1, -1})},
		{"hrStorageTable", objs{
			hrStorage + "2.1": snmptest.OID(hrStorageRAM), hrStorage + "3.1": snmptest.Str("Physical memory"), hrStorage + "4.1": snmptest.Int(1024), hrStorage + "5.1": snmptest.Int(1000), hrStorage + "6.1": snmptest.Int(900),
			hrStorage + "2.7": snmptest.OID("1.3.6.1.2.1.25.2.1.1"), hrStorage + "3.7": snmptest.Str("Cached memory"), hrStorage + "4.7": snmptest.Int(1024), hrStorage + "6.7": snmptest.Int(600),
		}, want(load, [3]int{-1, -1, 30})},
		{"hpSwitchCpuStat", objs{hpCPU + ".0": snmptest.Int(42), hpMemory + "5.1": snmptest.Int(1000), hpMemory + "7.1": snmptest.Int(150)}, want(load, [3]int{42, -1, 15})},
		{"hwEntityStateTable", objs{hwEntity + "5.67108867": snmptest.Int(0), hwEntity + "5.67108873": snmptest.Int(44), hwEntity + "7.67108873": snmptest.Int(9)}, want(load, [3]int{44, -1, 9})},
		{"dellNetCpuUtilTable", objs{dellUtil + "1.2.1.1": snmptest.Gauge(11), dellUtil + "6.2.1.1": snmptest.Gauge(37)}, want(load, [3]int{11, -1, 37})},
		{"hh3cEntityExtStateTable", objs{comwareUtil + "6.11": snmptest.Int(12), comwareUtil + "8.11": snmptest.Int(40), comwareUtil + "6.12": snmptest.Int(65535)}, want(load, [3]int{12, -1, 40})},
		{"snAgentCpuUtilTable", objs{foundryUtil + ".1.1.5": snmptest.Gauge(7), foundryUtil + ".1.1.300": snmptest.Gauge(70)}, want(load, [3]int{7, -1, -1})},
	} {
		tt.run(t)
	}
}

func TestLogByTicks(t *testing.T) {
	texts := func(r devices.Reading) []string {
		var out []string
		for _, l := range r.Log {
			out = append(out, l.Text)
		}
		return out
	}
	tableTest{"clogHistoryTable", objs{
		clogHistory + "2.1": snmptest.Str("LINK"), clogHistory + "3.1": snmptest.Int(4), clogHistory + "4.1": snmptest.Str("UPDOWN"),
		clogHistory + "5.1": snmptest.Str("Interface GigabitEthernet1/0/7, changed state to down"), clogHistory + "6.1": snmptest.Ticks(4000),
		clogHistory + "2.2": snmptest.Str("LINK"), clogHistory + "3.2": snmptest.Int(4), clogHistory + "4.2": snmptest.Str("UPDOWN"),
		clogHistory + "5.2": snmptest.Str("of the future"), clogHistory + "6.2": snmptest.Ticks(6000),
	}, func(t *testing.T, r devices.Reading) {
		want(texts, []string{"4000: %LINK-3-UPDOWN: Interface GigabitEthernet1/0/7, changed state to down"})(t, r)
		if len(r.Log) != 1 {
			return
		}
		l := r.Log[0]
		if age := r.Clock.Value.Span.From.Sub(l.Span.Mid()).Seconds(); math.Abs(age-10) > 1 || l.Mnemonic != "UPDOWN" || l.Severity.Value != 3 {
			t.Errorf("%.1f s old, severity %v, %s", age, l.Severity, l.Mnemonic)
		}
	}}.run(t)
	tableTest{"cmnMACMoveObjects", objs{
		macMoveOf + "3.0": snmptest.Bytes([]byte{0, 1, 2, 3, 4, 5}), macMoveOf + "4.0": snmptest.Int(20), macMoveOf + "5.0": snmptest.Int(1), macMoveOf + "6.0": snmptest.Int(3), macMoveOf + "7.0": snmptest.Ticks(4900),
	}, func(t *testing.T, r devices.Reading) {
		want(texts, []string{"4900: address 00:01:02:03:04:05 in VLAN 20 moved from p to r"})(t, r)
		if len(r.Log) == 1 && (r.Log[0].Type != timeline.EventMACMove || r.Log[0].Attrs["to"] != "r") {
			t.Errorf("%+v", r.Log[0])
		}
	}}.run(t)
}

func TestSensors(t *testing.T) {
	// Entity 30 is a sensor in module 20 in port 10, which is ifIndex 7.
	entities := objs{
		entContained + ".30": snmptest.Int(20), entContained + ".20": snmptest.Int(10), entContained + ".10": snmptest.Int(0),
		entName + ".30": snmptest.Str("q Rx Power Sensor"), entAlias + ".10.0": snmptest.OID("1.3.6.1.2.1.2.2.1.1.7"),
		entName + ".31": snmptest.Str("q Tx Power lane 2"), entDescr + ".32": snmptest.Str("inlet temperature"),
	}
	sensor := func(table string, entity, kind, scale, precision, value, status int) objs {
		return objs{
			fmt.Sprintf("%s1.%d", table, entity): snmptest.Int(kind), fmt.Sprintf("%s2.%d", table, entity): snmptest.Int(scale), fmt.Sprintf("%s3.%d", table, entity): snmptest.Int(precision),
			fmt.Sprintf("%s4.%d", table, entity): snmptest.Int(value), fmt.Sprintf("%s5.%d", table, entity): snmptest.Int(status),
		}
	}
	// texts rounds, so that equal figures are equal texts.
	texts := func(r devices.Reading) (out []string) {
		for _, s := range r.Sensors {
			text := fmt.Sprintf("%s/%s/%d", s.Port, s.Kind, s.Lane)
			for _, v := range []devices.Opt[float64]{s.Value, s.LowAlarm, s.LowWarn, s.HighWarn, s.HighAlarm} {
				if v.OK {
					text += fmt.Sprintf(" %.3g", v.Value)
				} else {
					text += " ?"
				}
			}
			out = append(out, text+" "+s.Unit)
		}
		return out
	}
	for _, tt := range []tableTest{
		{"entPhySensorTable", together(entities, sensor(entSensor, 30, 6, 7, 1, 5000, 1), sensor(entSensor, 31, 6, 7, 1, 0, 1), sensor(entSensor, 32, 8, 9, 1, 418, 2), sensor(entSensor, 33, 10, 9, 0, 5000, 1)),
			want(texts, []string{"p/rx_power/0 -3.01 ? ? ? ? dBm", "q/tx_power/2 ? ? ? ? ? dBm", "/temperature/0 ? ? ? ? ? degC"})},
		{"entSensorValueTable", together(entities, sensor(ciscoSensor, 30, 14, 9, 1, -85, 1), objs{
			ciscoThreshold + "2.30.1": snmptest.Int(20), ciscoThreshold + "3.30.1": snmptest.Int(4), ciscoThreshold + "4.30.1": snmptest.Int(20),
			ciscoThreshold + "2.30.2": snmptest.Int(10), ciscoThreshold + "3.30.2": snmptest.Int(4), ciscoThreshold + "4.30.2": snmptest.Int(-10),
			ciscoThreshold + "2.30.3": snmptest.Int(10), ciscoThreshold + "3.30.3": snmptest.Int(2), ciscoThreshold + "4.30.3": snmptest.Int(-99),
			ciscoThreshold + "2.30.4": snmptest.Int(20), ciscoThreshold + "3.30.4": snmptest.Int(2), ciscoThreshold + "4.30.4": snmptest.Int(-139),
		}), want(texts, []string{"p/rx_power/0 -8.5 -13.9 -9.9 -1 2 dBm"})},
		{"jnxDomCurrentTable", objs{
			jnxDom + "5.7": snmptest.Int(-230), jnxDom + "9.7": snmptest.Int(100), jnxDom + "10.7": snmptest.Int(-1309), jnxDom + "11.7": snmptest.Int(0), jnxDom + "12.7": snmptest.Int(-1200),
			jnxDom + "5.8": snmptest.Int(0), jnxDom + "9.8": snmptest.Int(0), jnxDom + "10.8": snmptest.Int(0),
			jnxDomLane + "6.7.0": snmptest.Int(-200), jnxDomLane + "6.7.1": snmptest.Int(-300),
		}, want(texts, []string{"p/rx_power/1 -2 -13.1 -12 0 1 dBm", "p/rx_power/2 -3 -13.1 -12 0 1 dBm"})},
		{"hwOpticalModuleInfoTable", together(entities, objs{
			hwOptics + "5.20": snmptest.Int(41), hwOptics + "8.20": snmptest.Int(-512), hwOptics + "9.20": snmptest.Int(500), hwOptics + "13.20": snmptest.Int(-1400), hwOptics + "14.20": snmptest.Int(-1),
			hwOptics + "8.21": snmptest.Int(-1), hwOptics + "9.21": snmptest.Int(-1), hwOptics + "5.21": snmptest.Int(-255),
		}), want(texts, []string{"p/rx_power/0 -5.12 -14 ? ? ? dBm", "p/tx_power/0 -3.01 ? ? ? ? dBm", "p/temperature/0 41 ? ? ? ? degC"})},
		{"mtxrOpticalTable", objs{
			mtxrOptical + "2.9": snmptest.Str("p"), mtxrOptical + "6.9": snmptest.Int(40), mtxrOptical + "8.9": snmptest.Gauge(20), mtxrOptical + "9.9": snmptest.Int(-2500), mtxrOptical + "10.9": snmptest.Int(-4250),
			mtxrOptical + "2.10": snmptest.Str("q"), mtxrOptical + "6.10": snmptest.Int(0),
		}, want(texts, []string{"p/temperature/0 40 ? ? ? ? degC", "p/bias/0 0.02 ? ? ? ? A", "p/tx_power/0 -2.5 ? ? ? ? dBm", "p/rx_power/0 -4.25 ? ? ? ? dBm"})},
	} {
		tt.run(t)
	}
}

// TestEveryTableIsDescribed: a page of the documentation is made from the list.
func TestEveryTableIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range Tables {
		if seen[table.Name] {
			t.Errorf("%s is twice in Tables", table.Name)
		}
		seen[table.Name] = true
		if table.MIB == "" {
			t.Errorf("%s does not say where it is published", table.Name)
		}
	}
}
