package app

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/cli"
	"whydrop/devices/parse"
	"whydrop/devices/snmp"
)

// pathReader reads the tables that a path is learnt from. It has sessions of its own, so that polls of the same devices
// do not wait for it.
type pathReader struct {
	devices []devices.Device
	snmp    *snmp.Collector
	cli     *cli.Collector
}

func newPathReader(list []devices.Device) *pathReader {
	return &pathReader{devices: list, snmp: snmp.New(), cli: cli.New()}
}

func (r *pathReader) close() {
	r.snmp.Close()
	r.cli.Close()
}

// pathTables are the MIB tables that a path is learnt from, beside the tables of addresses.
var pathTables = []string{
	"lldpRemTable", "lldpV2RemTable", "cdpCacheTable", "dot3adAggPortTable",
	"dot1dStpPortTable", "ieee8021SpanningTreeTable", "ieee8021MstpTable", "vtpVlanTable",
	"vrrpOperTable", "vrrpv3OperationsTable", "cHsrpGrpTable", "cfwHardwareStatusTable", "fgHaStatsTable", "panSysHAState",
}

const (
	deviceLimit = 60 * time.Second // for all that is asked of one device in one step
	mostAsked   = 64               // addresses that a device is asked for
)

// read asks every device for its tables, and then for where the two ends and the routers among the devices are seen.
func (r *pathReader) read(ctx context.Context, ends ...correlate.PathEnd) []correlate.PathTables {
	out := make([]correlate.PathTables, len(r.devices))
	for i, d := range r.devices {
		out[i] = correlate.PathTables{Device: d.Name, Role: d.Role, Peer: d.Peer, PortMACs: map[string]string{}, Span: timeline.At(time.Now())}
	}
	r.each(ctx, out, r.survey)
	var ips, macs []string
	for _, e := range ends {
		if e.IP.IsValid() {
			ips = append(ips, e.IP.String())
		}
		if e.MAC != "" {
			macs = append(macs, e.MAC)
		}
	}
	for _, t := range out {
		if t.Routes() {
			for _, a := range t.Addresses {
				ips = append(ips, a.String())
			}
		}
	}
	r.each(ctx, out, func(ctx context.Context, d devices.Device, t *correlate.PathTables) { r.lookup(ctx, d, t, first(ips)) })
	for _, t := range out {
		for _, b := range t.Bindings {
			if b.MAC != "" && slices.Contains(ips, b.IP.String()) {
				macs = append(macs, b.MAC)
			}
		}
		macs = append(macs, t.MACs...)
	}
	for _, t := range out { // ports' own addresses last: there may be many
		for port, m := range t.PortMACs {
			// A switch routes at its VLANs' interfaces; its other ports' addresses are seen nowhere.
			if t.Routes() && (t.Role != "switch" || strings.HasPrefix(strings.ToLower(port), "vl")) {
				macs = append(macs, m)
			}
		}
	}
	r.each(ctx, out, func(ctx context.Context, d devices.Device, t *correlate.PathTables) {
		r.stations(ctx, d, t, first(macs))
	})
	for i := range out {
		lacking(&out[i])
	}
	return out
}

// first returns the first addresses, each once, as many as are asked for.
func first(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) && len(out) < mostAsked {
			out = append(out, s)
		}
	}
	return out
}

// each calls f for every device at once and waits.
func (r *pathReader) each(ctx context.Context, out []correlate.PathTables, f func(context.Context, devices.Device, *correlate.PathTables)) {
	var wg sync.WaitGroup
	for i, d := range r.devices {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, deviceLimit)
			defer cancel()
			f(ctx, d, &out[i])
			out[i].Span.To = time.Now().UTC()
		})
	}
	wg.Wait()
}

// survey reads neighbours, bundles, spanning trees, redundancy and the device's own addresses.
func (r *pathReader) survey(ctx context.Context, d devices.Device, t *correlate.PathTables) {
	if d.SNMP == nil {
		r.surveyCLI(ctx, d, t)
		return
	}
	reading, err := r.snmp.Survey(ctx, d, pathTables...)
	if err != nil && !errors.Is(err, devices.ErrPartial) {
		if d.SSH != nil {
			r.surveyCLI(ctx, d, t)
			return
		}
		t.Missing = append(t.Missing, err.Error())
		return
	}
	into(t, reading)
	for _, m := range reading.Missing {
		if m.Reason != timeline.ReasonUnsupported {
			t.Missing = append(t.Missing, m.Table+": "+m.Text)
		}
	}
	names := map[uint32]string{}
	for _, i := range reading.Interfaces {
		names[i.Index.Value] = i.Name
	}
	r.ownAddresses(ctx, d, t, names)
	virtual(t, reading.Redundancy)
}

// Objects that tell a device's own addresses: IF-MIB ifPhysAddress (RFC 2863), IP-MIB ipAdEntIfIndex and ipAddressIfIndex
// (RFC 4293), BRIDGE-MIB dot1dBaseBridgeAddress (RFC 4188), LLDP-MIB lldpLocChassisId (IEEE 802.1AB).
const (
	ifPhysAddress    = "1.3.6.1.2.1.2.2.1.6"
	ipAdEntIfIndex   = "1.3.6.1.2.1.4.20.1.2"
	ipAddressIfIndex = "1.3.6.1.2.1.4.34.1.3"
	bridgeAddress    = "1.3.6.1.2.1.17.1.1"
	lldpChassis      = "1.0.8802.1.1.2.1.3.2"
)

// ownAddresses reads the device's own IP and MAC addresses. What it does not tell is not known.
func (r *pathReader) ownAddresses(ctx context.Context, d devices.Device, t *correlate.PathTables, names map[uint32]string) {
	walk := func(root string, f func(snmp.Cell)) {
		cells, err := r.snmp.Walk(ctx, d, root)
		if err != nil {
			t.Missing = append(t.Missing, err.Error())
		}
		for _, c := range cells {
			f(c)
		}
	}
	walk(ifPhysAddress, func(c snmp.Cell) {
		if m := c.MAC(); len(c.Index) == 1 && m != "" && m != "00:00:00:00:00:00" && names[c.Index[0]] != "" {
			t.PortMACs[names[c.Index[0]]] = m
		}
	})
	walk(ipAdEntIfIndex, func(c snmp.Cell) { own(t, c.Index) })
	walk(ipAddressIfIndex, func(c snmp.Cell) {
		if len(c.Index) > 2 && int(c.Index[1]) == len(c.Index)-2 {
			own(t, c.Index[2:])
		}
	})
	for _, root := range []string{bridgeAddress, lldpChassis} {
		walk(root, func(c snmp.Cell) {
			if m := c.MAC(); m != "" && !slices.Contains(t.MACs, m) {
				t.MACs = append(t.MACs, m)
			}
		})
	}
}

// own adds an address that stands in an index. Loopback addresses are every device's own.
func own(t *correlate.PathTables, arcs []uint32) {
	var b []byte
	for _, n := range arcs {
		b = append(b, byte(n))
	}
	if a, ok := netip.AddrFromSlice(b); ok && !a.IsLoopback() && !a.IsUnspecified() && !slices.Contains(t.Addresses, a) {
		t.Addresses = append(t.Addresses, a)
	}
}

// virtual adds the virtual addresses of the groups in which the device is the active unit, and the MAC addresses that go
// with them: RFC 9568, section 7.3 (VRRP) and RFC 2281, section 5 (HSRP).
func virtual(t *correlate.PathTables, groups []devices.Redundancy) {
	for _, g := range groups {
		if g.State != "active" && g.State != "master" {
			continue
		}
		if g.Virtual.IsValid() {
			t.Addresses = append(t.Addresses, g.Virtual)
		}
		var n uint8
		if _, err := fmt.Sscanf(g.Group, "%d", &n); err != nil {
			continue
		}
		switch g.Protocol {
		case "vrrp":
			t.MACs = append(t.MACs, fmt.Sprintf("00:00:5e:00:01:%02x", n))
		case "hsrp":
			t.MACs = append(t.MACs, fmt.Sprintf("00:00:0c:07:ac:%02x", n))
		}
	}
}

// lookup finds where the IP addresses are.
func (r *pathReader) lookup(ctx context.Context, d devices.Device, t *correlate.PathTables, ips []string) {
	if len(ips) == 0 || dead(t) {
		return
	}
	if d.SNMP == nil {
		r.lookupCLI(ctx, d, t, "IP", ips)
		return
	}
	reading, err := r.snmp.Lookup(ctx, d, ips...)
	notRead(t, "neighbour cache", err)
	into(t, devices.Reading{Bindings: reading.Bindings})
}

// stations finds at which ports the MAC addresses are seen.
func (r *pathReader) stations(ctx context.Context, d devices.Device, t *correlate.PathTables, macs []string) {
	if len(macs) == 0 || dead(t) {
		return
	}
	if d.SNMP == nil {
		r.lookupCLI(ctx, d, t, "MAC", macs)
		return
	}
	reading, err := r.snmp.Lookup(ctx, d, macs...)
	notRead(t, "forwarding table", err)
	into(t, devices.Reading{Stations: reading.Stations})
}

// dead says whether a device gave nothing when it was asked first, so that it is not asked any further.
func dead(t *correlate.PathTables) bool { return len(t.Ports) == 0 && len(t.Missing) > 0 }

func notRead(t *correlate.PathTables, what string, err error) {
	if err != nil && !errors.Is(err, devices.ErrPartial) {
		t.Missing = append(t.Missing, what+": "+err.Error())
	}
}

// surveyCLI reads the same by show commands.
func (r *pathReader) surveyCLI(ctx context.Context, d devices.Device, t *correlate.PathTables) {
	if d.SSH == nil {
		t.Missing = append(t.Missing, "neither snmp nor ssh is given")
		return
	}
	d.Ports, d.OffPath = nil, nil // every port
	for _, c := range []devices.Collector{r.cli, cli.NewSlow(r.cli)} {
		reading, err := c.Collect(ctx, d)
		notRead(t, c.Name(), err)
		into(t, reading)
		virtual(t, reading.Redundancy)
		for _, i := range reading.Interfaces {
			if i.MAC != "" {
				t.PortMACs[i.Name] = i.MAC
			}
		}
	}
}

// lookupCLI asks for addresses one by one where the platform has a command for that, and for the whole table otherwise.
// kind is what a command's placeholder is called.
func (r *pathReader) lookupCLI(ctx context.Context, d devices.Device, t *correlate.PathTables, kind string, addresses []string) {
	if d.SSH == nil {
		return
	}
	platform := parse.Canonical(d.Platform)
	if platform == "" {
		platform, _ = r.cli.Detected(d.Name)
	}
	var commands []string
	for _, c := range addressCommands[kind] {
		if !slices.Contains(cli.Allowed(platform), c) {
			continue
		}
		const few = 16
		if commands = []string{c}; strings.HasSuffix(c, " "+kind) {
			if len(addresses) > few {
				continue
			}
			commands = nil
			for _, a := range addresses {
				commands = append(commands, strings.TrimSuffix(c, kind)+dotted(a))
			}
		}
		break
	}
	if len(commands) == 0 {
		return
	}
	for _, c := range commands {
		a, err := r.cli.Ask(ctx, d, c)
		if err != nil {
			notRead(t, c, err)
			return
		}
		var reading devices.Reading
		if err := parse.Into(platform, a.Command, parse.Input{Text: a.Text, Span: a.Span}, &reading); err == nil {
			into(t, devices.Reading{Stations: reading.Stations, Bindings: reading.Bindings})
		}
	}
}

// addressCommands lists the commands that find addresses, the best first.
var addressCommands = map[string][]string{
	"IP":  {"show ip arp IP", "show ip arp", "show arp no-resolve", "show arp"},
	"MAC": {"show mac address-table address MAC", "show mac address-table", "show mac-address-table", "show ethernet-switching table"},
}

// dotted writes a MAC address as Cisco does, which every platform that is asked for one takes; an IP address stays.
func dotted(a string) string {
	if h := strings.ReplaceAll(a, ":", ""); strings.Count(a, ":") == 5 && len(h) == 12 {
		return h[:4] + "." + h[4:8] + "." + h[8:]
	}
	return a
}

// lacking says what a switch did not give that a path is found by.
func lacking(t *correlate.PathTables) {
	if len(t.Missing) > 0 || t.Role != "switch" {
		return
	}
	if len(t.Neighbours) == 0 {
		t.Missing = append(t.Missing, "it tells of no neighbours, by LLDP or CDP")
	}
	if len(t.Stations) == 0 {
		t.Missing = append(t.Missing, "its forwarding table has none of the addresses, or can't be read")
	}
}
