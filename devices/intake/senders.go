package intake

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"whydrop/devices"
)

// Senders knows which device an address is. It may be used by several goroutines.
type Senders struct {
	mu     sync.RWMutex
	byAddr map[netip.Addr][]devices.Device
	byName map[string]devices.Device
	names  []devices.Device // whose address is a name
}

// NewSenders returns the senders that the devices are. Those whose address is a name are known after Resolve.
func NewSenders(ds []devices.Device) *Senders {
	s := &Senders{byAddr: map[netip.Addr][]devices.Device{}, byName: map[string]devices.Device{}}
	for _, d := range ds {
		s.byName[strings.ToLower(d.Name)] = d
		if a, err := netip.ParseAddr(d.Address); err == nil {
			s.byAddr[plain(a)] = append(s.byAddr[plain(a)], d)
		} else {
			s.names = append(s.names, d)
		}
	}
	return s
}

func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// Resolve looks up the devices whose address is a name. It returns when all were tried or ctx ends; what can't be
// resolved stays unknown.
func (s *Senders) Resolve(ctx context.Context) {
	const limit = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, d := range s.names {
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", d.Address)
		if err != nil {
			continue
		}
		s.mu.Lock()
		for _, a := range addrs {
			s.byAddr[plain(a)] = append(s.byAddr[plain(a)], d)
		}
		s.mu.Unlock()
	}
}

// Of returns the device at the address. Where several share it, said decides among them: the name that the message
// gives its sender.
func (s *Senders) Of(from netip.Addr, said string) (devices.Device, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	at := s.byAddr[plain(from)]
	if len(at) == 1 {
		return at[0], true
	}
	for _, d := range at {
		if sameName(d.Name, said) {
			return d, true
		}
	}
	return devices.Device{}, false
}

// Named returns the device of that name, for a sender that is trusted to pass on what others say.
func (s *Senders) Named(said string) (devices.Device, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if d, ok := s.byName[strings.ToLower(said)]; ok {
		return d, true
	}
	first, _, _ := strings.Cut(said, ".")
	d, ok := s.byName[strings.ToLower(first)]
	return d, ok
}

// sameName compares a device's name with one that a message gives, which may go on with a domain.
func sameName(name, said string) bool {
	return strings.EqualFold(name, said) || len(said) > len(name) && said[len(name)] == '.' && strings.EqualFold(name, said[:len(name)])
}

// Unknown returns the name under which what comes from an address is kept that is no device's. It holds a blank, so
// that no device of a site file has it.
func Unknown(from netip.Addr) string { return "unknown " + plain(from).String() }

// Port returns the name under which the device's port is watched, for any spelling of it; if it is not watched, its name
// in the spelling of those that are.
func Port(d devices.Device, name string) string {
	if p, ok := devices.SamePort(d.Watched(), name); ok {
		return p
	}
	if port, ok := strings.CutSuffix(name, ".0"); ok && port != "" { // Junos logs of the one unit of a port
		if p := Port(d, port); p != port || slices.Contains(d.Watched(), port) {
			return p
		}
	}
	return devices.PortLike(d.Watched(), name)
}
