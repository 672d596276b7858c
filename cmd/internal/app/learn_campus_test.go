package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

// The campus is two switches with a bundle of two links between them and a firewall pair, one unit at each switch, as
// agents on loopback. a is in VLAN 10 at sw1, b in VLAN 20 at sw2.
type campus struct {
	agents map[string]*snmptest.Agent
	plan   Plan
}

const hostA, hostB = "192.0.2.10", "198.51.100.10"

// mac returns the MAC address that stands for a number, as octets and as arcs of an index.
func mac(n byte) (octets []byte, arcs string) {
	return []byte{2, 0, 0, 0, 0, n}, fmt.Sprintf("2.0.0.0.0.%d", n)
}

const (
	macOfA, macOfB   = 10, 11
	fw1In, fw1Out    = 21, 22
	fw2In, fw2Out    = 31, 32
	ciscoEnterprise  = "1.3.6.1.4.1.9.1.1"
	cfwHardware      = "1.3.6.1.4.1.9.9.147.1.2.1.1.1."
	ipNetToMediaPhys = "1.3.6.1.2.1.4.22.1.2"
)

func newCampus(t *testing.T) *campus {
	t.Helper()
	c := &campus{agents: map[string]*snmptest.Agent{}}
	c.plan.Topology.Paths = []correlate.Path{{Name: "p", To: hostB}}
	for i, name := range []string{"sw1", "sw2"} {
		c.add(t, name, "switch", c.newSwitch(name, byte(i+1)))
	}
	c.add(t, "fw1", "firewall", c.firewall(6, fw1In, fw1Out))
	c.add(t, "fw2", "firewall", c.firewall(7, fw2In, fw2Out))
	for i := range c.plan.Devices {
		if d := &c.plan.Devices[i]; d.Role == "firewall" {
			d.Peer = map[string]string{"fw1": "fw2", "fw2": "fw1"}[d.Name]
		}
	}
	learn := func(sw string, at int, vlan int, m byte) {
		_, arcs := mac(m)
		c.agents[sw].Set(fmt.Sprintf("1.3.6.1.2.1.17.7.1.2.2.1.2.%d.%s", vlan, arcs), snmptest.Int(at))
		c.agents[sw].Set(fmt.Sprintf("1.3.6.1.2.1.17.7.1.2.2.1.3.%d.%s", vlan, arcs), snmptest.Int(3))
	}
	// Bridge ports: 1 the host, 2 and 3 the firewall's two, 4 the bundle.
	for _, x := range []struct {
		sw   string
		at   int
		vlan int
		mac  byte
	}{
		{"sw1", 1, 10, macOfA}, {"sw2", 4, 10, macOfA}, {"sw1", 4, 20, macOfB}, {"sw2", 1, 20, macOfB},
		{"sw1", 2, 10, fw1In}, {"sw1", 3, 20, fw1Out}, {"sw2", 4, 10, fw1In}, {"sw2", 4, 20, fw1Out},
		{"sw2", 2, 10, fw2In}, {"sw2", 3, 20, fw2Out}, {"sw1", 4, 10, fw2In}, {"sw1", 4, 20, fw2Out},
	} {
		learn(x.sw, x.at, x.vlan, x.mac)
	}
	c.fails(7)
	return c
}

// add starts an agent and puts its device into the plan.
func (c *campus) add(t *testing.T, name, role string, a *snmptest.Agent) {
	a.Set("1.3.6.1.2.1.1.2.0", snmptest.OID(ciscoEnterprise))
	a.Set("1.3.6.1.2.1.1.3.0", snmptest.Ticks(500000))
	a.Set("1.3.6.1.2.1.1.5.0", snmptest.Str(name))
	addr := snmptest.NewAgent(t, a)
	c.agents[name] = a
	c.plan.Devices = append(c.plan.Devices, devices.Device{
		Name: name, Role: role, Address: addr.Addr().String(),
		SNMP: &devices.SNMP{Version: "2c", Port: addr.Port(), Timeout: 10 * time.Second, Community: devices.NewSecret("public")},
	})
	c.plan.Topology.Devices = append(c.plan.Topology.Devices, correlate.Device{Name: name, Role: role})
}

// ports gives the agent interfaces of these names with ifIndex 1 and up.
func ports(a *snmptest.Agent, names []string, macs []byte) {
	for n, name := range names {
		i := fmt.Sprintf(".%d", n+1)
		a.Set("1.3.6.1.2.1.31.1.1.1.1"+i, snmptest.Str(name))
		a.Set("1.3.6.1.2.1.2.2.1.2"+i, snmptest.Str(name))
		a.Set("1.3.6.1.2.1.2.2.1.7"+i, snmptest.Int(1))
		a.Set("1.3.6.1.2.1.2.2.1.8"+i, snmptest.Int(1))
		if macs != nil {
			b, _ := mac(macs[n])
			a.Set("1.3.6.1.2.1.2.2.1.6"+i, snmptest.Bytes(b))
		}
	}
}

// newSwitch has ports 1 to 4 of its bridge and the two links of the bundle, which hear the other switch.
func (c *campus) newSwitch(name string, n byte) *snmptest.Agent {
	a := &snmptest.Agent{Community: "public"}
	ports(a, []string{"Gi1/0/1", "Gi1/0/11", "Gi1/0/12", "Po1", "Gi1/0/23", "Gi1/0/24"}, nil)
	own, _ := mac(100 + n)
	a.Set("1.3.6.1.2.1.17.1.1.0", snmptest.Bytes(own))
	other := map[string]string{"sw1": "sw2.example.net", "sw2": "sw1.example.net"}[name]
	for b := 1; b <= 4; b++ {
		a.Set(fmt.Sprintf("1.3.6.1.2.1.17.1.4.1.2.%d", b), snmptest.Int(b))
	}
	for _, vlan := range []int{10, 20} {
		a.Set(fmt.Sprintf("1.3.6.1.2.1.17.7.1.4.2.1.3.0.%d", vlan), snmptest.Gauge(uint32(vlan)))
	}
	for _, link := range []int{5, 6} {
		a.Set(fmt.Sprintf("1.2.840.10006.300.43.1.2.1.1.12.%d", link), snmptest.Int(4))
		a.Set(fmt.Sprintf("1.2.840.10006.300.43.1.2.1.1.13.%d", link), snmptest.Int(4))
		rem := fmt.Sprintf(".0.%d.1", link)
		a.Set("1.0.8802.1.1.2.1.4.1.1.5"+rem, snmptest.Str(other))
		a.Set("1.0.8802.1.1.2.1.4.1.1.6"+rem, snmptest.Int(5))
		a.Set("1.0.8802.1.1.2.1.4.1.1.7"+rem, snmptest.Str(fmt.Sprintf("GigabitEthernet1/0/%d", link+18)))
		a.Set("1.0.8802.1.1.2.1.4.1.1.9"+rem, snmptest.Str(other))
	}
	return a
}

// firewall has both hosts in its neighbour cache. kind is its row of the failover table: 6 is the primary.
func (c *campus) firewall(kind int, in, out byte) *snmptest.Agent {
	a := &snmptest.Agent{Community: "public"}
	ports(a, []string{"inside", "outside"}, []byte{in, out})
	a.Set(cfwHardware+fmt.Sprintf("2.%d", kind), snmptest.Str("this device"))
	for i, x := range []struct {
		ip string
		m  byte
	}{{hostA, macOfA}, {hostB, macOfB}} {
		b, _ := mac(x.m)
		a.Set(fmt.Sprintf("%s.%d.%s", ipNetToMediaPhys, i+1, x.ip), snmptest.Bytes(b))
		a.Set(fmt.Sprintf("1.3.6.1.2.1.4.22.1.4.%d.%s", i+1, x.ip), snmptest.Int(3))
	}
	return a
}

// fails makes the unit of that kind the one that stands by.
func (c *campus) fails(kind int) {
	for _, a := range []*snmptest.Agent{c.agents["fw1"], c.agents["fw2"]} {
		for _, k := range []int{6, 7} {
			state := 9
			if k == kind {
				state = 10
			}
			a.Set(cfwHardware+fmt.Sprintf("3.%d", k), snmptest.Int(state))
		}
	}
}

const (
	throughFw1 = "sw1[Gi1/0/1>Gi1/0/11] fw1[inside>outside] sw1[Gi1/0/12>Po1] sw2[Po1>Gi1/0/1]"
	throughFw2 = "sw1[Gi1/0/1>Po1] sw2[Po1>Gi1/0/11] fw2[inside>outside] sw2[Gi1/0/12>Gi1/0/1]"
)

func TestPathThroughACampus(t *testing.T) {
	c := newCampus(t)
	var out bytes.Buffer
	err := LearnPath(t.Context(), c.plan, LearnOptions{From: hostA, To: hostB, Format: "json", Out: &out})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	var d learntDocument
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range d.Hops {
		got = append(got, fmt.Sprintf("%s[%s>%s]", h.Device, *h.In, *h.Out))
	}
	if strings.Join(got, " ") != throughFw1 || !d.Complete {
		t.Errorf("hops %v, complete %v, not known %q", got, d.Complete, d.Unknown)
	}
	if want := [][]string{{"sw1"}, {"fw1", "fw2"}, {"sw2"}}; fmt.Sprint(d.Site.Hops) != fmt.Sprint(want) {
		t.Errorf("hops for the site file %v, want %v", d.Site.Hops, want)
	}
	if want := []string{"Po1", "Gi1/0/23", "Gi1/0/24", "Gi1/0/1", "Gi1/0/11", "Gi1/0/12"}; !slices.Equal(d.Site.Ports["sw2"], want) {
		t.Errorf("ports of sw2 %v, want %v", d.Site.Ports["sw2"], want)
	}
	if want := []string{"inside", "outside"}; !slices.Equal(d.Site.Ports["fw2"], want) {
		t.Errorf("ports of the unit that stands by %v, want %v", d.Site.Ports["fw2"], want)
	}
	for _, h := range d.Hops {
		if len(h.Evidence) == 0 {
			t.Errorf("%s: no evidence", h.Device)
		}
	}
}

func TestPathAsTextCanBePasted(t *testing.T) {
	c := newCampus(t)
	var out bytes.Buffer
	if err := LearnPath(t.Context(), c.plan, LearnOptions{From: hostA, To: hostB, Format: "text", Out: &out}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"hops: [sw1, [fw1, fw2], sw2]\n", "  - name: sw2\n    ports: [Po1, Gi1/0/23, Gi1/0/24, Gi1/0/1, Gi1/0/11, Gi1/0/12]\n",
		"fw1 is active in asa failover", "sw1 forwards to 192.0.2.10 (02:00:00:00:00:0a) at Gi1/0/1, VLAN 10", ": complete\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("not in the text: %q", want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestPathWithADeviceThatDoesNotAnswer(t *testing.T) {
	c := newCampus(t)
	c.agents["sw2"].Always(snmptest.Silence)
	for i := range c.plan.Devices {
		if d := &c.plan.Devices[i]; d.Name == "sw2" {
			d.SNMP.Timeout, d.SNMP.Retries = 200*time.Millisecond, -1
		}
	}
	var out bytes.Buffer
	err := LearnPath(t.Context(), c.plan, LearnOptions{From: hostA, To: hostB, Format: "text", Out: &out})
	if CodeOf(err) != ExitPartial || !strings.Contains(out.String(), "not complete") || !strings.Contains(out.String(), "sw2: snmp:") {
		t.Errorf("%v, exit code %d\n%s", err, CodeOf(err), out.String())
	}
}

func TestWatchedPathMoves(t *testing.T) {
	c := newCampus(t)
	c.plan.Learn = []Learning{{Path: "p", From: hostA, To: hostB}}
	w := newPathWatcher(&c.plan)
	defer w.reader.close()
	w.every = 10 * time.Millisecond
	w.start(t.Context())
	if got := c.plan.Topology.Paths[0].Hops; fmt.Sprint(got) != "[[sw1] [fw1 fw2] [sw2]]" {
		t.Fatalf("hops %v; warnings %q", got, c.plan.Warnings)
	}
	for _, d := range c.plan.Devices {
		if len(d.Ports) == 0 {
			t.Errorf("%s has no ports; warnings %q", d.Name, c.plan.Warnings)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var moved []timeline.Event
	c.fails(6)
	w.run(ctx, timeline.SinkFunc(func(r timeline.Record) {
		moved = append(moved, r.(timeline.Event))
		cancel()
	}))
	if len(moved) == 0 {
		t.Fatal("the path did not move")
	}
	e := moved[0]
	if e.Type != timeline.EventPathMoved || e.Subject != timeline.Path("p") || e.Attrs["from"] != throughFw1 || e.Attrs["to"] != throughFw2 || !e.Span.From.Before(e.Span.To) {
		t.Errorf("%+v", e)
	}
}

func TestCheckTriesThePathThatIsToBeLearnt(t *testing.T) {
	c := newCampus(t)
	c.plan.Learn = []Learning{{Path: "p", From: hostA, To: hostB}}
	if got := checkLearning(t.Context(), &c.plan)["p"]; len(got) != 1 || !got[0].OK || got[0].Text != "learnt: sw1 > fw1|fw2 > sw2" {
		t.Errorf("%+v", got)
	}
	if d := c.plan.Devices[0]; len(d.Ports) == 0 {
		t.Errorf("%s is checked without the ports that were found", d.Name)
	}
	blind := newCampus(t)
	blind.plan.Learn = []Learning{{Path: "p", From: hostA, To: hostB}}
	blind.plan.Devices = nil
	if got := checkLearning(t.Context(), &blind.plan)["p"]; len(got) != 1 || got[0].OK || got[0].Key != "hops" || !strings.Contains(got[0].Text, "nothing of the path could be learnt") {
		t.Errorf("without a device: %+v", got)
	}
}

func TestStatedPathIsKept(t *testing.T) {
	c := newCampus(t)
	c.plan.Topology.Paths[0].Hops = [][]string{{"sw1"}, {"fw9"}, {"sw2"}}
	c.plan.Topology.Devices[0].Ports = []string{"Gi1/0/1"}
	c.plan.Learn = []Learning{{Path: "p", From: hostA, To: hostB}}
	w := newPathWatcher(&c.plan)
	defer w.reader.close()
	w.start(t.Context())
	if got := fmt.Sprint(c.plan.Topology.Paths[0].Hops); got != "[[sw1] [fw9] [sw2]]" {
		t.Errorf("hops %s", got)
	}
	all := strings.Join(c.plan.Warnings, "\n")
	for _, want := range []string{"fw1 carries the path by its tables, but is not among the hops", "fw9 is among the hops, but does not carry", "sw1: the path goes through Gi1/0/11"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in\n%s", want, all)
		}
	}
	if got := c.plan.Topology.Devices[0].Ports; !slices.Equal(got, []string{"Gi1/0/1"}) {
		t.Errorf("the stated ports became %v", got)
	}
}

func TestSiteFileMayLeaveThePathOpen(t *testing.T) {
	site := `
devices:
  - name: sw1
    address: 192.0.2.1
    snmp: {version: 2c, community: "env:C"}
paths:
  - name: p
    %s
    probe: {to: 198.51.100.10}
`
	t.Setenv("C", "x")
	for hops, want := range map[string]string{
		"hops: auto":                      "",
		"discover: true":                  "",
		"discover: true\n    hops: [sw1]": "",
		"hops: [sw1]":                     "sw1: ports: list the ports",
		"hops: maybe":                     "hops: a list of devices in order, or auto",
	} {
		plan, err := ParseSite("site.yaml", fmt.Appendf(nil, site, hops), &Secrets{})
		switch {
		case want == "" && (err != nil || len(plan.Learn) != 1 || plan.Learn[0].To != hostB):
			t.Errorf("%q: %v, %+v", hops, err, plan.Learn)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", hops, err, want)
		}
	}
}

func TestPathEndIsAMAC(t *testing.T) {
	e, err := pathEnd(t.Context(), Plan{}, "0200.0000.000a")
	if err != nil || e.MAC != "02:00:00:00:00:0a" || e.IP.IsValid() {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err = pathEnd(t.Context(), Plan{}, "::ffff:192.0.2.1"); err != nil || e.IP != netip.MustParseAddr("192.0.2.1") {
		t.Errorf("%+v, %v", e, err)
	}
}
