package app

import (
	"slices"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestFiguresOfFactsMayCarryTheirUnits(t *testing.T) {
	plain, err := ParseFacts("f", []byte(`schema: 1
ports:
  - {device: sw1, port: Gi1, speed: 1e9, duplex: full, age_s: 25747200, interval_s: 120, now: {if.utilisation: 0.94, if.in.fcs: 7, optics.rx_power: -22.5, if.mtu: 9000}}
probes:
  - {path: p, proto: udp, direction: reverse, rate_bps: 94.1e6, loss_ratio: 0.012, window_bytes: 65536, rtt_ms: 1500, jitter_ms: 0.25, duration_s: 120, size_bytes: 1400}
hosts:
  - {name: b, cpu_ratio: 0.95}
`))
	if err != nil {
		t.Fatal(err)
	}
	written, err := ParseFacts("f", []byte(`schema: 1
ports:
  - {device: sw1, port: Gi1, speed: 1G, duplex: Full, age_s: 42w4d, interval_s: 00:02:00, now: {if.utilisation: 94 %, if.in.fcs: 7, optics.rx_power: -22.5 dBm, if.mtu: 9000}}
probes:
  - {path: p, proto: UDP, direction: download, rate_bps: 94.1 Mbits/sec, loss_ratio: "1.2%", window_bytes: 64 KByte, rtt_ms: 1.5 s, jitter_ms: 250us, duration_s: 2 min, size_bytes: 1400 bytes}
hosts:
  - {name: b, cpu_ratio: 95%}
`))
	if err != nil {
		t.Fatal(err)
	}
	a, b := recordsOf(plain.Snapshot), recordsOf(written.Snapshot)
	if len(a) != len(b) || len(a) < 8 {
		t.Fatalf("%d and %d records", len(a), len(b))
	}
	for i := range a {
		if !sameRecord(a[i], b[i]) {
			t.Errorf("%+v\nis not\n%+v", b[i], a[i])
		}
	}
}

// recordsOf lists samples and events of a snapshot in its order.
func recordsOf(s timeline.Snapshot) []timeline.Record {
	var out []timeline.Record
	for _, k := range s.Keys() {
		for _, v := range s.Series(k.Subject, k.Metric) {
			out = append(out, v)
		}
	}
	for _, e := range s.Events() {
		out = append(out, e)
	}
	return out
}

// sameRecord compares two records of facts but for rounding.
func sameRecord(a, b timeline.Record) bool {
	switch a := a.(type) {
	case timeline.Sample:
		b, ok := b.(timeline.Sample)
		return ok && a.Subject == b.Subject && a.Metric == b.Metric && a.Span == b.Span && a.Value-b.Value < 1e-9 && b.Value-a.Value < 1e-9
	case timeline.Event:
		b, ok := b.(timeline.Event)
		if !ok || a.Type != b.Type || a.Span != b.Span || len(a.Attrs) != len(b.Attrs) {
			return false
		}
		for k, v := range a.Attrs {
			if b.Attrs[k] != v {
				return false
			}
		}
		return true
	}
	return false
}

func TestOtherWordsForWhatHappenedAreTaken(t *testing.T) {
	for word, want := range map[string]struct {
		typ   timeline.EventType
		attrs map[string]string
	}{
		"link.down":       {timeline.EventOper, map[string]string{"from": "up", "to": "down"}},
		"linkUp":          {timeline.EventOper, map[string]string{"to": "up"}},
		"topology change": {timeline.EventTopologyChange, nil},
		"HSRP":            {timeline.EventGateway, map[string]string{"protocol": "hsrp"}},
		"MAC-flap":        {timeline.EventMACMove, nil},
		"reboot":          {timeline.EventRestart, nil},
		"IF.OPER":         {timeline.EventOper, nil},
	} {
		f, err := ParseFacts("f", []byte("schema: 1\nevents:\n  - {device: sw1, port: Gi1, type: "+word+"}\n"))
		if err != nil {
			t.Error(err)
			continue
		}
		got := eventsOf(f.Snapshot, want.typ)
		if len(got) != 1 {
			t.Errorf("%s: %d events of %s", word, len(got), want.typ)
			continue
		}
		for k, v := range want.attrs {
			if got[0].Attrs[k] != v {
				t.Errorf("%s: %s is %q, want %q", word, k, got[0].Attrs[k], v)
			}
		}
	}
	f, err := ParseFacts("f", []byte("schema: 1\nevents:\n  - {device: sw1, port: Gi1, type: link.down, text: came up again}\n  - {device: sw1, port: Gi1, type: linkdown, text: went up}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if e := eventsOf(f.Snapshot, timeline.EventOper); len(e) != 2 || e[1].Attrs["to"] != "up" && e[0].Attrs["to"] != "up" {
		t.Errorf("the text does not go before the word: %v", e)
	}
}

func eventsOf(s timeline.Snapshot, typ timeline.EventType) []timeline.Event {
	return slices.DeleteFunc(slices.Clone(s.Events()), func(e timeline.Event) bool { return e.Type != typ })
}

func TestTimesOfFacts(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-02 14:02:05 UTC":     "2026-03-02T14:02:05Z",
		"2026-03-02 14:02:05+01:00":   "2026-03-02T13:02:05Z",
		"2026-03-02 14:02:05.5 -0500": "2026-03-02T19:02:05.5Z",
		"1767261600":                  "2026-01-01T10:00:00Z",
		"12.5":                        "0000-01-01T00:00:12.5Z",
	} {
		got, err := factsTime(text)
		if err != nil || got.at.Format(time.RFC3339Nano) != want {
			t.Errorf("%s: %v, %v, want %s", text, got.at, err, want)
		}
	}
}

func TestTheEndsOfAPathAreHosts(t *testing.T) {
	f, err := ParseFacts("f", []byte(`schema: 1
topology: {paths: ["pc > sw1 > fw1"]}
ports: [{device: fw1, now: {device.memory: 0.5}}]
hosts: [{name: pc, cpu_ratio: 0.9}, {name: fw1, cpu_ratio: 0.8}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if p := f.Topology.Paths[0]; p.Name != "pc-fw1" || len(p.Hops) != 2 {
		t.Errorf("path %v", p)
	}
	if _, ok := f.Snapshot.Last(timeline.Host("pc"), timeline.HostCPU); !ok {
		t.Error("the host at the end is none")
	}
	if _, ok := f.Snapshot.Last(timeline.Device("fw1"), timeline.DeviceCPU); !ok {
		t.Error("the firewall at the other end is taken for a host though something of it is told")
	}
}

func TestAPathAndALinkMayBeWrittenInSeveralWays(t *testing.T) {
	for name, text := range map[string]string{
		"mappings":      "{paths: [{name: p, to: b, hops: [a, sw1, sw2, b]}], links: [{a: sw1 Gi1, b: {device: sw2, port: Gi2}}]}",
		"lists":         "{paths: {p: [a, sw1, sw2, b]}, links: [[sw1 Gi1, sw2 Gi2]]}",
		"texts":         "{paths: {p: a > sw1 > sw2 > b}, links: [sw1 Gi1 - sw2 Gi2]}",
		"other symbols": "{paths: {p: a -> sw1 -> sw2 -> b}, links: ['sw1:Gi1 <-> sw2:Gi2']}",
	} {
		f, err := ParseFacts("f", []byte("schema: 1\ntopology: "+text+"\n"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p, l := f.Topology.Paths, f.Topology.Links
		if len(p) != 1 || p[0].Name != "p" || p[0].To != "b" || len(p[0].Hops) < 2 || !slices.ContainsFunc(p[0].Hops, func(h []string) bool { return h[0] == "sw1" }) {
			t.Errorf("%s: paths %v", name, p)
		}
		if len(l) != 1 || l[0].A != [2]string{"sw1", "Gi1"} || l[0].B != [2]string{"sw2", "Gi2"} {
			t.Errorf("%s: links %v", name, l)
		}
	}
}

func TestAnAddressThatMovesIsReadFromItsSentence(t *testing.T) {
	f, err := ParseFacts("f", []byte("schema: 1\nevents:\n  - {device: sw1, type: arp.binding, text: 10.0.0.1 moved from 52:54:00:aa:00:01 to 52:54:00:aa:00:02}\n"))
	if err != nil {
		t.Fatal(err)
	}
	e := eventsOf(f.Snapshot, timeline.EventBinding)
	if len(e) != 1 || e[0].Attrs["ip"] != "10.0.0.1" || e[0].Attrs["from"] != "52:54:00:aa:00:01" || e[0].Attrs["to"] != "52:54:00:aa:00:02" {
		t.Errorf("%v", e)
	}
}
