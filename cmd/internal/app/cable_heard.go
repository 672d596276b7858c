package app

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// cableHeard keeps what devices say of their ports and neighbours beyond the timeline: the other end of a link, what
// counters stood at before the test, cable tests, media. It may be used by several goroutines.
type cableHeard struct {
	mu         sync.Mutex
	names      map[string]string // sysName by device
	ports      map[timeline.Subject]*heardPort
	neighbours map[string]map[string][]devices.Neighbour // by device and protocol, as read last
}

// heardPort is what a device said of one port.
type heardPort struct {
	names []string // every spelling of it, as a key
	mac   string
	facts correlate.CableFacts
}

func newCableHeard() *cableHeard {
	return &cableHeard{names: map[string]string{}, ports: map[timeline.Subject]*heardPort{}, neighbours: map[string]map[string][]devices.Neighbour{}}
}

// oldCounters are the error counters that are shown as they stood before the test.
var oldCounters = map[timeline.Metric]func(*devices.Interface) devices.Opt[devices.Counter]{
	timeline.InErrors:    func(i *devices.Interface) devices.Opt[devices.Counter] { return i.InErrors },
	timeline.InFCS:       func(i *devices.Interface) devices.Opt[devices.Counter] { return i.FCS },
	timeline.InAlignment: func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Alignment },
	timeline.InSymbol:    func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Symbol },
	timeline.InStomped:   func(i *devices.Interface) devices.Opt[devices.Counter] { return i.Stomped },
}

// note keeps what a reading says.
func (h *cableHeard) note(r devices.Reading) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.SysName.OK {
		h.names[r.Device] = r.SysName.Value
	}
	for i := range r.Interfaces {
		h.port(r.Device, &r.Interfaces[i])
	}
	if r.Neighbours == nil {
		return
	}
	by := map[string][]devices.Neighbour{}
	for _, n := range r.Neighbours {
		by[n.Protocol] = append(by[n.Protocol], n)
	}
	if h.neighbours[r.Device] == nil {
		h.neighbours[r.Device] = map[string][]devices.Neighbour{}
	}
	maps.Copy(h.neighbours[r.Device], by)
}

func (h *cableHeard) port(device string, i *devices.Interface) {
	sub := timeline.Port(device, i.Name)
	p := h.ports[sub]
	if p == nil {
		p = &heardPort{facts: correlate.CableFacts{Old: map[timeline.Metric]uint64{}}}
		h.ports[sub] = p
	}
	for _, n := range []string{i.Name, i.Descr} {
		if k := devices.PortKey(n); n != "" && !slices.Contains(p.names, k) {
			p.names = append(p.names, k)
		}
	}
	p.mac = cmp.Or(i.MAC, p.mac)
	f := &p.facts
	f.Media = i.Media.Or(f.Media)
	f.HalfFar = f.HalfFar || i.OfferedHalf
	switch {
	case i.SpeedMax.OK:
		f.Offers = float64(i.SpeedMax.Value)
	case f.Offers == 0:
		f.Offers = float64(devices.PortOffers(i.Name).Value)
	}
	for m, get := range oldCounters {
		if c := get(i); c.OK {
			if _, known := f.Old[m]; !known {
				f.Old[m] = c.Value.Value
			}
		}
	}
	if len(i.Cable) > 0 {
		f.Pairs = nil
		for _, c := range i.Cable {
			metres := math.NaN()
			if c.Length.OK {
				metres = c.Length.Value
			}
			f.Pairs = append(f.Pairs, correlate.CablePair{Pair: c.Pair, Status: c.Status, Metres: metres})
		}
	}
}

// links returns the links that ports are ends of, each once, by what the devices at either end told.
func (h *cableHeard) links(t correlate.Topology, ports []timeline.Subject) []correlate.CableLink {
	h.mu.Lock()
	defer h.mu.Unlock()
	ends, named := map[timeline.Subject]timeline.Subject{}, map[timeline.Subject][]timeline.Subject{}
	words := map[timeline.Subject]string{}
	for p := range h.ports {
		if ends[p], words[p] = h.farEnd(p); ends[p] != (timeline.Subject{}) {
			named[ends[p]] = append(named[ends[p]], p)
		}
	}
	var out []correlate.CableLink
	done := map[timeline.Subject]bool{}
	for _, p := range ports {
		if done[p] {
			continue
		}
		l := correlate.CableLink{A: p, B: ends[p], Far: words[p]}
		if far, ok := t.FarEnd(p); ok {
			l.B, l.Far = far, ""
		} else if by := named[p]; !l.Both() && len(by) == 1 {
			l.B = by[0]
		}
		done[p] = true
		if l.Both() {
			done[l.B] = true
		}
		h.facts(&l)
		out = append(out, l)
	}
	return out
}

// facts adds what is known of the link's ends.
func (h *cableHeard) facts(l *correlate.CableLink) {
	for i := range l.Facts {
		if p := h.ports[l.End(i)]; p != nil {
			l.Facts[i] = p.facts
			l.Facts[i].Old = maps.Clone(p.facts.Old)
		}
		for _, n := range h.of(l.End(i)) {
			l.Facts[i].HalfFar = l.Facts[i].HalfFar || n.Duplex.Value == "half"
		}
	}
}

// of returns a port's neighbours, of one protocol where two tell of the same.
func (h *cableHeard) of(port timeline.Subject) []devices.Neighbour {
	for _, protocol := range slices.Sorted(maps.Keys(h.neighbours[port.Device])) {
		var out []devices.Neighbour
		for _, n := range h.neighbours[port.Device][protocol] {
			if devices.PortKey(n.Port) == devices.PortKey(port.Name) {
				out = append(out, n)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// farEnd returns the watched port at the other end, or what is known of it in words.
func (h *cableHeard) farEnd(port timeline.Subject) (far timeline.Subject, words string) {
	list := h.of(port)
	var texts []string
	for _, n := range list {
		if p, ok := h.find(n); ok && len(list) == 1 {
			return p, ""
		}
		texts = append(texts, strings.TrimSpace(short(cmp.Or(n.System, n.Chassis))+" "+short(cmp.Or(n.PortID, n.PortText))))
	}
	if len(texts) > 1 {
		return far, fmt.Sprintf("%d neighbours: %s", len(texts), strings.Join(texts, ", "))
	}
	return far, strings.Join(texts, "")
}

// short cuts a neighbour's word to what a table has room for.
func short(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// find returns the watched port that a neighbour's words stand for.
func (h *cableHeard) find(n devices.Neighbour) (timeline.Subject, bool) {
	var found []timeline.Subject
	for sub, p := range h.ports {
		same := slices.Contains(p.names, devices.PortKey(n.PortID)) || slices.Contains(p.names, devices.PortKey(n.PortText)) ||
			p.mac != "" && strings.EqualFold(n.PortID, p.mac)
		if same && h.isDevice(sub.Device, n) {
			found = append(found, sub)
		}
	}
	if len(found) != 1 {
		return timeline.Subject{}, false
	}
	return found[0], true
}

// isDevice says whether a neighbour is the device: by its name, with or without its domain, or by an address of its own.
func (h *cableHeard) isDevice(device string, n devices.Neighbour) bool {
	host := func(s string) string { s, _, _ = strings.Cut(strings.ToLower(s), "."); return s }
	if n.System != "" {
		return strings.EqualFold(n.System, device) || strings.EqualFold(n.System, h.names[device]) ||
			host(n.System) == host(device) || h.names[device] != "" && host(n.System) == host(h.names[device])
	}
	for sub, p := range h.ports {
		if sub.Device == device && p.mac != "" && strings.EqualFold(p.mac, n.Chassis) {
			return true
		}
	}
	return false
}
