package app

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

func TestCablePortsAreFoundByAnyName(t *testing.T) {
	plan := func() *Plan {
		return &Plan{Devices: []devices.Device{
			{Name: "sw1", Ports: []string{"GigabitEthernet1/0/1", "GigabitEthernet1/0/2"}}, {Name: "sw2", Ports: []string{"GigabitEthernet1/0/1"}, OffPath: []string{"Te1/1/1"}},
		}}
	}
	for _, tt := range []struct {
		name  string
		names []string
		want  string
		polls string // of sw1, off the path
		links int
	}{
		{"none is every port of the site", nil, "sw1 GigabitEthernet1/0/1, sw1 GigabitEthernet1/0/2, sw2 GigabitEthernet1/0/1, sw2 Te1/1/1", "", 0},
		{"a device is all its ports", []string{"sw1"}, "sw1 GigabitEthernet1/0/1, sw1 GigabitEthernet1/0/2", "", 0},
		{"a short spelling is the long one", []string{"sw1:Gi1/0/2"}, "sw1 GigabitEthernet1/0/2", "", 0},
		{"a port that one device alone has needs no device", []string{"te1/1/1"}, "sw2 Te1/1/1", "", 0},
		{"a port that is not in the site file is polled from now on", []string{"sw1:Gi1/0/9"}, "sw1 Gi1/0/9", "Gi1/0/9", 0},
		{"a link names both ends", []string{"sw1:Gi1/0/1=sw2:Te1/1/1"}, "sw1 GigabitEthernet1/0/1", "", 1},
		{"a port of two devices is refused", []string{"Gi1/0/1"}, "", "", 0},
		{"a link to itself is refused", []string{"sw1:Gi1/0/1=sw1:Gi1/0/1"}, "", "", 0},
		{"an unknown name is refused", []string{"sw9"}, "", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := plan()
			ports, err := cablePorts(p, tt.names)
			if (err != nil) != (tt.want == "") {
				t.Fatalf("got error %v", err)
			}
			var got []string
			for _, s := range ports {
				got = append(got, s.String())
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
			if s := strings.Join(p.Devices[0].OffPath, " "); s != tt.polls || len(p.Topology.Links) != tt.links {
				t.Errorf("polled besides: %q; links: %v", s, p.Topology.Links)
			}
		})
	}
}

// lldp is a reading with one port and what it heard on it.
func lldp(device, sysName, port, mac string, heard ...devices.Neighbour) devices.Reading {
	for i := range heard {
		heard[i].Port, heard[i].Protocol = port, "lldp"
	}
	return devices.Reading{Device: device, SysName: devices.Some(sysName), Neighbours: heard, Interfaces: []devices.Interface{{
		Name: port, FCS: devices.C32(17), InterfaceMore: devices.InterfaceMore{MAC: mac},
	}}}
}

func TestNeighboursTellTheOtherEnd(t *testing.T) {
	a, b := timeline.Port("sw1", "Gi1/0/1"), timeline.Port("sw2", "Gi1/0/2")
	for _, tt := range []struct {
		name  string
		heard []devices.Reading
		want  timeline.Subject
		far   string
	}{
		{"by its name in the site file", []devices.Reading{lldp("sw1", "x", "Gi1/0/1", "", devices.Neighbour{System: "sw2", PortID: "GigabitEthernet1/0/2"}), lldp("sw2", "y", "Gi1/0/2", "")}, b, ""},
		{"by its own name with a domain", []devices.Reading{lldp("sw1", "x", "Gi1/0/1", "", devices.Neighbour{System: "core.example.net", PortID: "Gi1/0/2"}), lldp("sw2", "core", "Gi1/0/2", "")}, b, ""},
		{"by the port's description", []devices.Reading{lldp("sw1", "x", "Gi1/0/1", "", devices.Neighbour{System: "sw2", PortID: "517", PortText: "Gi1/0/2"}), lldp("sw2", "y", "Gi1/0/2", "")}, b, ""},
		{"by its address", []devices.Reading{lldp("sw1", "x", "Gi1/0/1", "", devices.Neighbour{Chassis: "aa:bb:cc:00:00:02", PortID: "aa:bb:cc:00:00:02"}), lldp("sw2", "y", "Gi1/0/2", "aa:bb:cc:00:00:02")}, b, ""},
		{"as the other end tells", []devices.Reading{lldp("sw1", "x", "Gi1/0/1", ""), lldp("sw2", "y", "Gi1/0/2", "", devices.Neighbour{System: "sw1", PortID: "Gi1/0/1"})}, b, ""},
		{"two neighbours are none", []devices.Reading{lldp("sw1", "x", "Gi1/0/1", "", devices.Neighbour{System: "sw2", PortID: "Gi1/0/2"}, devices.Neighbour{System: "phone", PortID: "1"}), lldp("sw2", "y", "Gi1/0/2", "")}, timeline.Subject{}, "2 neighbours: sw2 Gi1/0/2, phone 1"},
		{"one that is not read is named", []devices.Reading{lldp("sw1", "x", "Gi1/0/1", "", devices.Neighbour{System: "printer", PortID: "eth0"})}, timeline.Subject{}, "printer eth0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newCableHeard()
			for _, r := range tt.heard {
				h.note(r)
			}
			l := h.links(correlate.Topology{}, []timeline.Subject{a})[0]
			if l.B != tt.want || l.Far != tt.far {
				t.Errorf("got %q, %q; want %q, %q", l.B, l.Far, tt.want, tt.far)
			}
			if n := l.Facts[0].Old[timeline.InFCS]; n != 17 {
				t.Errorf("old FCS errors: got %d, want 17", n)
			}
		})
	}
}

// hostileCabling is a test with every kind of verdict and a neighbour that tries to break out.
func hostileCabling() Cabling {
	from := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	span := timeline.Span{From: from, To: from.Add(100 * time.Second)}
	a, b := timeline.Port("sw1", "Gi1/0/1"), timeline.Port("sw2", "Gi1/0/2")
	var s timeline.Store
	for _, x := range []struct {
		sub timeline.Subject
		m   timeline.Metric
		v   float64
	}{{a, timeline.InBits, 9e8}, {a, timeline.InPackets, 75000}, {a, timeline.InFCS, 50}, {a, timeline.Speed, 1e9}, {b, timeline.InBits, 9e8}, {b, timeline.InPackets, 75000}, {b, timeline.InFCS, 0}, {b, timeline.Speed, 1e9}} {
		s.Put(timeline.Sample{Subject: x.sub, Metric: x.m, Span: span, Value: x.v})
	}
	const evil = "=cmd|' /C calc'!A0 <script>alert(1)</script>\x1b[31m\u202e"
	facts := correlate.CableFacts{Media: "10/100/1000BaseTX " + evil, Old: map[timeline.Metric]uint64{timeline.InFCS: 4711}}
	return Cabling{
		Site: "closet <b>3</b>", Program: "whydrop devel", Span: span, Problems: []string{evil},
		Links: []correlate.CableResult{
			correlate.JudgeCable(s.Snapshot(), correlate.CableLink{A: a, B: b, Facts: [2]correlate.CableFacts{facts, {}}}, span),
			correlate.JudgeCable(s.Snapshot(), correlate.CableLink{A: b, Far: evil}, span),
			correlate.JudgeCable(s.Snapshot(), correlate.CableLink{A: timeline.Port("sw9", "x")}, span),
		},
	}
}

func TestCertificatesEscapeWhatDevicesSay(t *testing.T) {
	c := hostileCabling()
	for name, format := range CableFormats {
		var out bytes.Buffer
		if err := format(c, &out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := out.String()
		if strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("%s: a control character comes through", name)
		}
		if name == "html" && (strings.Contains(text, "<script") || strings.Contains(text, "<b>3</b>")) {
			t.Errorf("html: what a device says is taken for markup")
		}
		if name != "csv" && !strings.Contains(text, "4711") {
			t.Errorf("%s: the errors of before the test are not shown", name)
		}
	}
}

func TestCableCSVHasARowForEachDirectionAndNoFormulas(t *testing.T) {
	var out bytes.Buffer
	if err := hostileCabling().CSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 1+2*3 {
		t.Fatalf("got %d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.HasPrefix(cell, "=") {
				t.Errorf("a spreadsheet would compute %q", cell)
			}
		}
	}
	bad, ber := slices.Index(rows[0], "bad_frames"), slices.Index(rows[0], "ber")
	if rows[2][bad] != "5000" || rows[5][bad] != "" || rows[5][ber] != "" {
		t.Errorf("bad frames: got %q; of a direction that was not read: %q, %q", rows[2][bad], rows[5][bad], rows[5][ber])
	}
}

func TestCableJSONSaysWhatIsNotKnown(t *testing.T) {
	var out bytes.Buffer
	if err := hostileCabling().JSON(&out); err != nil {
		t.Fatal(err)
	}
	var d cableJSON
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	w := d.Links[0].Directions[1]
	if d.Links[0].Verdict != "fail" || *w.BadFrames != 5000 || *w.BER <= *w.BERLow || *w.BERHigh <= *w.BER {
		t.Errorf("got %+v", w)
	}
	if d.Links[2].Directions[1].BadFrames != nil || d.Links[2].SpeedBPS != nil || d.Links[2].Ends[0].Flaps != nil {
		t.Errorf("what was not read has figures: %+v", d.Links[2])
	}
}

func TestCableExitCodes(t *testing.T) {
	link := func(v correlate.CableVerdict) correlate.CableResult { return correlate.CableResult{Verdict: v} }
	pass, warn, open := link(correlate.CablePass), link(correlate.CableWarn), link(correlate.CableUndecided)
	for _, tt := range []struct {
		name string
		c    Cabling
		want int
	}{
		{"all pass", Cabling{Links: []correlate.CableResult{pass, pass}}, ExitOK},
		{"one is worse than it should be", Cabling{Links: []correlate.CableResult{pass, warn, open}}, ExitFound},
		{"one is undecided", Cabling{Links: []correlate.CableResult{pass, open}}, ExitNotMeasured},
		{"a device was not read", Cabling{Links: []correlate.CableResult{pass}, Problems: []string{"x"}}, ExitPartial},
		{"interrupted before it was decided", Cabling{Links: []correlate.CableResult{open}, Interrupted: true}, ExitInterrupted},
		{"nothing to judge", Cabling{}, ExitNotMeasured},
	} {
		if got := tt.c.Code(); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestCertificatesAreSavedByNameOrIntoAFolder(t *testing.T) {
	dir := t.TempDir()
	c := hostileCabling()
	if _, err := c.Save(filepath.Join(dir, "closet.csv")); err != nil {
		t.Fatal(err)
	}
	names, err := c.Save(dir)
	if err != nil || len(names) != 3 {
		t.Fatalf("got %v, %v", names, err)
	}
	for _, n := range append(names, filepath.Join(dir, "closet.csv")) {
		if fi, err := os.Stat(n); err != nil || fi.Size() == 0 {
			t.Errorf("%s: %v", n, err)
		}
	}
	for _, wrong := range []string{filepath.Join(dir, "x.pdf"), filepath.Join(dir, "none", "x.html")} {
		if CheckCableOutput("text", wrong) == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
	if CheckCableOutput("md", "") == nil {
		t.Error("the format md is accepted")
	}
}

// cableAgent is a device with one gigabit port that receives 100 Mbit/s, of which so many frames a second are damaged.
func cableAgent(t *testing.T, bad float64) uint16 {
	t.Helper()
	begun := time.Now()
	seconds := func() float64 { return time.Since(begun).Seconds() }
	a := &snmptest.Agent{Community: "public"}
	a.SetFunc("1.3.6.1.2.1.1.3.0", func() snmptest.Value { return snmptest.Ticks(uint32(1000 + 100*seconds())) })
	a.Set("1.3.6.1.2.1.31.1.1.1.1.1", snmptest.Str("Gi1/0/1"))
	a.Set("1.3.6.1.2.1.31.1.1.1.15.1", snmptest.Gauge(1000))
	a.Set("1.3.6.1.2.1.2.2.1.8.1", snmptest.Int(1))
	counter := func(oid string, rate float64, wide bool) {
		a.SetFunc(oid, func() snmptest.Value {
			n := 4711 + uint64(rate*seconds())
			if wide {
				return snmptest.C64(n)
			}
			return snmptest.C32(uint32(n))
		})
	}
	counter("1.3.6.1.2.1.31.1.1.1.6.1", 12.5e6, true)
	counter("1.3.6.1.2.1.31.1.1.1.7.1", 8000, true)
	counter("1.3.6.1.2.1.31.1.1.1.10.1", 12.5e6, true)
	counter("1.3.6.1.2.1.31.1.1.1.11.1", 8000, true)
	counter("1.3.6.1.2.1.2.2.1.14.1", bad, false)
	counter("1.3.6.1.2.1.10.7.2.1.3.1", bad, false)
	return snmptest.NewAgent(t, a).Port()
}

func TestCableReadsBothEndsAndCountsOnlyWhatRises(t *testing.T) {
	entry := func(name string, bad float64) devices.Device {
		return devices.Device{Name: name, Address: "127.0.0.1", Ports: []string{"Gi1/0/1"}, SNMP: &devices.SNMP{
			Version: "2c", Port: cableAgent(t, bad), Community: devices.NewSecret("public"), Timeout: 5 * time.Second,
		}}
	}
	plan := Plan{Devices: []devices.Device{entry("sw1", 0), entry("sw2", 200)}}
	c, err := Cable(context.Background(), plan, CableOptions{Ports: []string{"sw1:Gi1/0/1=sw2:Gi1/0/1"}, For: 2500 * time.Millisecond, Poll: 200 * time.Millisecond})
	if err != nil || len(c.Links) != 1 {
		t.Fatalf("got %+v, %v", c, err)
	}
	l := c.Links[0]
	sound, bad := l.Ways[1], l.Ways[0]
	if l.Verdict != correlate.CableFail || sound.Bad != 0 || bad.Verdict != correlate.CableFail {
		t.Errorf("got %s; %+v; %+v", l.Verdict, sound, bad)
	}
	if want := 200 * bad.Seconds; math.Abs(bad.Bad-want) > 0.5*want || bad.Bad >= 4711 {
		t.Errorf("got %g bad frames in %g s, want about %g", bad.Bad, bad.Seconds, want)
	}
	if !strings.Contains(l.First, "sw2") || l.Link.Facts[1].Old[timeline.InFCS] < 4711 {
		t.Errorf("look first: %q; old: %v", l.First, l.Link.Facts[1].Old)
	}
}

func TestCableSendsNothingUnasked(t *testing.T) {
	plan, err := ParseSite("site.yaml", []byte("devices: [{name: sw1, address: 127.0.0.1, ports: [x], snmp: {version: 1, community: 'prompt:c'}}]\npaths: [{name: p, probe: {to: 127.0.0.1}}]"), &Secrets{Prompt: func(string) (string, error) { return "public", nil }})
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []CableOptions{{Path: "q"}, {Path: "q", Traffic: 1e8}} {
		if _, err := Cable(context.Background(), plan, opt); CodeOf(err) != ExitUsage {
			t.Errorf("path %q at %v bit/s: %v, want usage", opt.Path, opt.Traffic, err)
		}
	}
	var asked string
	_, err = Cable(context.Background(), plan, CableOptions{Traffic: 1e8, For: time.Minute, Ask: func(q string) bool { asked = q; return false }})
	var exit Exit
	if !errors.As(err, &exit) || exit.Code != ExitRefused || !strings.Contains(asked, "100.0 Mbit/s each way") || !strings.Contains(asked, "715.3 MiB") {
		t.Errorf("asked %q, got %v", asked, err)
	}
}

func TestLinksWithoutAPortAreRefused(t *testing.T) {
	plan := Plan{Devices: []devices.Device{{Name: "sw1", Address: "127.0.0.1"}}}
	if _, err := Cable(t.Context(), plan, CableOptions{}); CodeOf(err) != ExitUsage || !strings.Contains(err.Error(), "names no port") {
		t.Errorf("%v, exit code %d", err, CodeOf(err))
	}
}
