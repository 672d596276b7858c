package snmp

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/internal/oid"
)

// The tables of addresses may be huge, so that they are read on request alone, and for a few addresses by asking for
// exactly those: the forwarding database (Q-BRIDGE-MIB dot1qTpFdbTable, RFC 4363; BRIDGE-MIB dot1dTpFdbTable, RFC
// 4188, which Cisco's agents show for each VLAN apart) and the neighbour caches (IP-MIB ipNetToPhysicalTable, RFC 4293;
// ipNetToMediaTable of older agents, RFC 1213).
const (
	dot1qTpFdbPort   = "1.3.6.1.2.1.17.7.1.2.2.1.2" // by database and address
	dot1qTpFdbStatus = "1.3.6.1.2.1.17.7.1.2.2.1.3"
	dot1qVlanFdbID   = "1.3.6.1.2.1.17.7.1.4.2.1.3" // by a time mark and VLAN
	dot1dTpFdbPort   = "1.3.6.1.2.1.17.4.3.1.2"     // by address
	dot1dTpFdbStatus = "1.3.6.1.2.1.17.4.3.1.3"

	ipNetToPhysicalPhysAddress = "1.3.6.1.2.1.4.35.1.4" // by ifIndex, kind, length and address
	ipNetToPhysicalType        = "1.3.6.1.2.1.4.35.1.6"
	ipNetToMediaPhysAddress    = "1.3.6.1.2.1.4.22.1.2" // by ifIndex and address
	ipNetToMediaType           = "1.3.6.1.2.1.4.22.1.4"
)

const (
	lookupTime = 10 * time.Second // for one table that is read as a whole
	lookupRows = 50_000
	// mostDatabases is how many forwarding databases are asked for an address.
	mostDatabases = 256
)

var (
	fdbStatusWords = []string{"other", "invalid", "learned", "self", "static"}     // dot1dTpFdbStatus: 5 is mgmt
	bindingWords   = []string{"other", "invalid", "dynamic", "static", "local"}    // ipNetToPhysicalType
	cacheRoots     = []string{ipNetToPhysicalPhysAddress, ipNetToMediaPhysAddress} // the newer one first
	cacheTypes     = map[string]string{ipNetToPhysicalPhysAddress: ipNetToPhysicalType, ipNetToMediaPhysAddress: ipNetToMediaType}
	cacheIndex     = map[string]func([]uint32) netip.Addr{ipNetToPhysicalPhysAddress: physicalIndex, ipNetToMediaPhysAddress: mediaIndex}
)

// lookup fills Stations and Bindings for the addresses, MAC or IP; for all that the device has if there are none.
func (s *session) lookup(ctx context.Context, addresses []string, r *devices.Reading) error {
	var macs []string
	var ips []netip.Addr
	for _, a := range addresses {
		if ip, err := netip.ParseAddr(a); err == nil {
			ips = append(ips, ip.Unmap().WithZone(""))
		} else if m := macOf(a); m != "" {
			macs = append(macs, m)
		}
	}
	all := len(addresses) == 0
	if all || len(ips) > 0 {
		bindings, err := s.bindings(ctx, ips)
		if err != nil {
			return err
		}
		r.Bindings = bindings
		for _, b := range bindings { // where an address lives is asked next
			if !all && b.MAC != "" && !slices.Contains(macs, b.MAC) {
				macs = append(macs, b.MAC)
			}
		}
	}
	if !all && len(macs) == 0 {
		return nil
	}
	stations, err := s.stations(ctx, macs)
	if err != nil {
		return err
	}
	if r.Stations = stations; all {
		r.StationCount = devices.Some(uint64(len(stations)))
	}
	return nil
}

// followEvery is how often the followed addresses are looked for.
const followEvery = 5 * time.Second

// follow looks for the addresses that the site file follows, now and then.
func (s *session) follow(ctx context.Context, r *devices.Reading) {
	if len(s.device.Follow) == 0 || time.Now().Before(s.followed) {
		return
	}
	s.followed = time.Now().Add(followEvery)
	if err := s.lookup(ctx, s.device.Follow, r); err != nil {
		s.followed = time.Now().Add(failedFor)
		r.Missing = append(r.Missing, devices.Missing{Table: "dot1qTpFdbTable", Reason: devices.ReasonOf(err), Text: err.Error()})
	}
}

// column walks a column whole, within limits; what a device does not have has no cells.
func (s *session) column(ctx context.Context, root string) ([]Cell, error) {
	w, err := s.newWalker(root)
	if err != nil {
		return nil, err
	}
	w.most = lookupRows
	until := time.Now().Add(lookupTime)
	for done := false; !done && err == nil && time.Now().Before(until); {
		done, err = w.next(ctx)
	}
	if len(w.rows) > 0 && over(ctx) == nil {
		return cellsOf(w.rows), nil
	}
	return nil, err
}

// stations finds MAC addresses in the forwarding databases; all if there are none to find.
func (s *session) stations(ctx context.Context, macs []string) ([]devices.Station, error) {
	vlans, err := s.databases(ctx)
	if err != nil {
		return nil, err
	}
	out := []devices.Station{}
	if len(macs) == 0 {
		return s.allStations(ctx, vlans)
	}
	var ids []string
	for _, m := range macs {
		arcs := macArcs(m)
		for fdb := range vlans {
			ids = append(ids, dot1qTpFdbPort+"."+uintText(fdb)+"."+arcs, dot1qTpFdbStatus+"."+uintText(fdb)+"."+arcs)
		}
		ids = append(ids, dot1dTpFdbPort+"."+arcs, dot1dTpFdbStatus+"."+arcs)
	}
	found := map[string]Cell{}
	if err := s.fetch(ctx, ids, found); err != nil {
		return nil, err
	}
	v := s.view()
	for _, m := range macs {
		arcs, n := macArcs(m), len(out)
		for fdb, vlan := range vlans {
			i := "." + uintText(fdb) + "." + arcs
			if c := found[dot1qTpFdbPort+i]; c.OK() {
				out = append(out, station(v, m, devices.Some(vlan), c, found[dot1qTpFdbStatus+i]))
			}
		}
		if c := found[dot1dTpFdbPort+"."+arcs]; c.OK() && len(out) == n {
			out = append(out, station(v, m, devices.None[uint32](), c, found[dot1dTpFdbStatus+"."+arcs]))
		}
	}
	return s.vlanStations(ctx, macs, out)
}

// vlanStations looks in the databases that Cisco's agents show for each VLAN apart, for what was not found.
func (s *session) vlanStations(ctx context.Context, macs []string, out []devices.Station) ([]devices.Station, error) {
	for _, t := range s.shelf.vlanTrees {
		var ids []string
		for _, m := range macs {
			if !slices.ContainsFunc(out, func(st devices.Station) bool { return st.MAC == m && st.Port != "" }) {
				ids = append(ids, dot1dTpFdbPort+"."+macArcs(m), dot1dTpFdbStatus+"."+macArcs(m))
			}
		}
		if len(ids) == 0 {
			break
		}
		found := map[string]Cell{}
		if err := s.in(t.vlan, func() error { return s.fetch(ctx, ids, found) }); err != nil {
			return out, err
		}
		v := s.vlanView(t)
		for _, m := range macs {
			if c := found[dot1dTpFdbPort+"."+macArcs(m)]; c.OK() {
				out = append(out, station(v, m, devices.Some(t.vlan), c, found[dot1dTpFdbStatus+"."+macArcs(m)]))
			}
		}
	}
	return out, nil
}

// allStations reads the forwarding databases whole.
func (s *session) allStations(ctx context.Context, vlans map[uint32]uint32) ([]devices.Station, error) {
	out := []devices.Station{}
	v := s.view()
	cells, err := s.column(ctx, dot1qTpFdbPort)
	for _, c := range cells {
		if len(c.Index) != 7 {
			continue
		}
		vlan, ok := vlans[c.Index[0]]
		if !ok {
			vlan = c.Index[0]
		}
		out = append(out, station(v, mac(octetsOf(c.Index[1:])), devices.Some(vlan), c, Cell{}))
	}
	if err != nil || len(out) > 0 {
		return out, err
	}
	cells, err = s.column(ctx, dot1dTpFdbPort)
	for _, c := range cells {
		if len(c.Index) == 6 {
			out = append(out, station(v, mac(octetsOf(c.Index)), devices.None[uint32](), c, Cell{}))
		}
	}
	for _, t := range s.shelf.vlanTrees {
		err := s.in(t.vlan, func() error {
			cells, err := s.column(ctx, dot1dTpFdbPort)
			for _, c := range cells {
				if len(c.Index) == 6 {
					out = append(out, station(s.vlanView(t), mac(octetsOf(c.Index)), devices.Some(t.vlan), c, Cell{}))
				}
			}
			return err
		})
		if err != nil {
			return out, err
		}
	}
	return out, err
}

// station makes a row of a forwarding database. Without a status a port means that the address was learned.
func station(v View, m string, vlan devices.Opt[uint32], port, status Cell) devices.Station {
	st := devices.Station{MAC: m, VLAN: vlan, Port: v.BridgePort(port.Number().Value), Status: "learned"}
	if w := status.Word(fdbStatusWords); w.OK {
		st.Status = w.Value
	}
	return st
}

// databases returns the forwarding databases and the VLAN of each: where a device does not say, the VLAN has the number
// of its database.
func (s *session) databases(ctx context.Context) (map[uint32]uint32, error) {
	if s.shelf.databases != nil && time.Since(s.shelf.databasesAt) < time.Minute {
		return s.shelf.databases, nil
	}
	out := map[uint32]uint32{}
	cells, err := s.column(ctx, dot1qVlanFdbID)
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		if n := c.Number(); len(c.Index) == 2 && n.OK && len(out) < mostDatabases {
			out[n.Value] = c.Index[1]
		}
	}
	if len(out) == 0 {
		if cells, err = s.column(ctx, dot1qFdbDynamicCount); err != nil {
			return nil, err
		}
		for _, c := range cells {
			if len(c.Index) == 1 && len(out) < mostDatabases {
				out[c.Index[0]] = c.Index[0]
			}
		}
	}
	s.shelf.databases, s.shelf.databasesAt = out, time.Now()
	return out, nil
}

// bindings finds IP addresses in the neighbour caches; all if there are none to find. A cache is indexed by interface
// first, so that an address is found by walking, and afterwards asked for where it was.
func (s *session) bindings(ctx context.Context, ips []netip.Addr) ([]devices.Binding, error) {
	out, missing, err := s.knownBindings(ctx, ips)
	if err != nil || len(ips) > 0 && len(missing) == 0 {
		return out, err
	}
	v := s.view()
	for _, root := range cacheRoots {
		cells, err := s.column(ctx, root)
		if err != nil {
			return out, err
		}
		for _, c := range cells {
			ip := cacheIndex[root](c.Index)
			if !ip.IsValid() || len(ips) > 0 && !slices.Contains(missing, ip) {
				continue
			}
			s.remember(ip, root+"."+dotted(c.Index))
			if len(ips) == 0 {
				out = append(out, devices.Binding{IP: ip, MAC: c.MAC(), Port: v.Port(c.Index[0])})
			}
		}
		if len(cells) > 0 {
			break
		}
	}
	if len(ips) > 0 {
		found, _, err := s.knownBindings(ctx, missing)
		return append(out, found...), err
	}
	return out, nil
}

// remember notes where an address stands.
func (s *session) remember(ip netip.Addr, object string) {
	const most = 4096
	if s.shelf.homes == nil || len(s.shelf.homes) > most {
		s.shelf.homes = map[netip.Addr]string{}
	}
	s.shelf.homes[ip] = object
}

// knownBindings asks for the addresses where they were found before.
func (s *session) knownBindings(ctx context.Context, ips []netip.Addr) (out []devices.Binding, missing []netip.Addr, err error) {
	out = []devices.Binding{}
	var ids []string
	for _, ip := range ips {
		if home, ok := s.shelf.homes[ip]; ok {
			ids = append(ids, home, typeObject(home))
		}
	}
	found := map[string]Cell{}
	if err := s.fetch(ctx, ids, found); err != nil {
		return nil, nil, err
	}
	v := s.view()
	for _, ip := range ips {
		home := s.shelf.homes[ip]
		c := found[home]
		if home == "" || !c.OK() {
			delete(s.shelf.homes, ip)
			missing = append(missing, ip)
			continue
		}
		b := devices.Binding{IP: ip, MAC: c.MAC(), Port: v.Port(c.Index[0]), Kind: "other"}
		if w := found[typeObject(home)].Word(bindingWords); w.OK {
			b.Kind = w.Value
		}
		out = append(out, b)
	}
	return out, missing, nil
}

// typeObject names the object that says what kind of binding it is.
func typeObject(home string) string {
	for root, typ := range cacheTypes {
		if i, ok := strings.CutPrefix(home, root+"."); ok {
			return typ + "." + i
		}
	}
	return home
}

func physicalIndex(index []uint32) netip.Addr { return addressIn(index, 1) }

func mediaIndex(index []uint32) netip.Addr {
	if len(index) != 5 {
		return netip.Addr{}
	}
	a, _ := netip.AddrFromSlice(octetsOf(index[1:]))
	return a
}

// fetch asks for objects, however many, and adds those that were given. Their Index is what follows the column.
func (s *session) fetch(ctx context.Context, ids []string, found map[string]Cell) error {
	for _, b := range s.batches(group{ids: ids}) {
		values := map[string]value{}
		if err := s.peek(ctx, b, values); err != nil {
			return err
		}
		for id, v := range values {
			if !v.given() {
				continue
			}
			c := Cell{value: v}
			for _, root := range []string{dot1qTpFdbPort, dot1qTpFdbStatus, dot1dTpFdbPort, dot1dTpFdbStatus, ipNetToPhysicalPhysAddress, ipNetToMediaPhysAddress} {
				if i, ok := strings.CutPrefix(id, root+"."); ok {
					if packed, err := oid.Pack(i); err == nil {
						c.Index = oid.Arcs(packed)
					}
				}
			}
			found[id] = c
		}
	}
	return nil
}

// macArcs writes a MAC address as arcs.
func macArcs(m string) string {
	var arcs []uint32
	for _, h := range strings.Split(m, ":") {
		var n uint32
		for _, c := range []byte(h) {
			n = n<<4 | uint32(strings.IndexByte("0123456789abcdef", c))
		}
		arcs = append(arcs, n)
	}
	return dotted(arcs)
}
