package correlate

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// PathTables is what one device's tables say that a path can be learnt from. What was not read is empty, and Missing
// says so. Ports are called by one name each throughout the tables of a device; MAC addresses are in lower case with
// colons.
type PathTables struct {
	Device  string
	Role    string // switch, router, firewall, host
	Peer    string // the other unit of a redundant pair
	SysName string
	Span    timeline.Span // from the first question to the last answer
	// Addresses and MACs are the device's own; PortMACs are those of its ports.
	Addresses []netip.Addr
	MACs      []string
	PortMACs  map[string]string
	Ports     []string // every port, where that is known
	Down      []string // of those, the ones that are not up

	Neighbours []PathNeighbour
	Stations   []PathStation
	Bindings   []PathBinding
	Bundles    []PathBundle
	States     []PathState
	Groups     []PathGroup
	// SinceChange is how long ago the spanning tree last changed; 0 is not known.
	SinceChange time.Duration
	// Missing are the tables that could not be read, each with the reason.
	Missing []string
}

// PathNeighbour is who a device heard at a port by LLDP or CDP.
type PathNeighbour struct {
	Port, Protocol                    string
	System, Chassis, PortID, PortText string
	Address                           netip.Addr
}

// PathStation is a row of a forwarding table.
type PathStation struct {
	MAC    string
	VLAN   uint32 // 0: one table for all
	Port   string // "" is the device itself
	Status string // learned, self, static, invalid, other
}

// PathBinding is a row of a neighbour cache.
type PathBinding struct {
	IP        netip.Addr
	MAC, Port string
	Kind      string // dynamic, static, invalid, local, other
}

// PathBundle is a group of links that acts as one.
type PathBundle struct {
	Port    string
	Members []PathMember
}

// PathMember is one link of a bundle.
type PathMember struct {
	Port, State string
	Out         bool // known not to carry anything
}

// PathState is a port's state in a spanning tree.
type PathState struct{ Port, Tree, State string }

// PathGroup is a redundancy group that the device is in.
type PathGroup struct {
	Protocol, Group string
	Port            string // "" is the device as a whole
	State           string
	Virtual         netip.Addr
}

// PathEnd is one end of a path.
type PathEnd struct {
	Name string // as it was given
	IP   netip.Addr
	MAC  string // if it is known otherwise than from the tables; else ""
}

// LearntPath is a path as the tables tell it, from one end to the other.
type LearntPath struct {
	From, To PathEnd
	Hops     []LearntHop
	// Complete says that every hop between the two ends is known, and how each is joined to the next.
	Complete bool
	// Evidence is what was learnt of the two ends.
	Evidence []string
	// Unknown is what could not be learnt, and why; Warnings is what contradicts.
	Unknown, Warnings []string
}

// LearntHop is one device of a path.
type LearntHop struct {
	Device string
	// Others are the other units of its redundant group, which do not carry, as far as is known.
	Others []string
	// Undecided says that it is not known which unit of the group carries; then no ports are named.
	Undecided bool
	// Unwatched says that the device is known by its neighbour's word alone.
	Unwatched bool
	// Ports as the device names them; "" is not known. A bundle's members are listed beside it.
	In, Out               string
	InMembers, OutMembers []string
	// Beside are its ports at which other units of the path's groups are: traffic goes there when these take over.
	Beside   []string
	Evidence []string
}

// Ports returns the hop's ports, bundles and members, each once.
func (h LearntHop) Ports() []string {
	var out []string
	for _, p := range slices.Concat([]string{h.In}, h.InMembers, []string{h.Out}, h.OutMembers) {
		if p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// Names returns the hop's device with the other units of its group.
func (h LearntHop) Names() []string { return slices.Concat([]string{h.Device}, h.Others) }

// Text writes the hops in one line: "sw1[1>24] fw1[in>out]".
func (p LearntPath) Text() string {
	var parts []string
	for _, h := range p.Hops {
		name := h.Device
		if h.Undecided {
			name = strings.Join(h.Names(), "|")
		}
		if in, out := orUnknown(h.In), orUnknown(h.Out); !h.Unwatched {
			name += "[" + in + ">" + out + "]"
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, " ")
}

func orUnknown(s string) string {
	if s == "" {
		return "?"
	}
	return s
}

// PathMoved says whether the path goes another way than before. What was not learnt either time is no difference, so
// that a device that did not answer moves nothing.
func PathMoved(before, after LearntPath) bool {
	if !before.Complete || !after.Complete {
		return false
	}
	same := func(a, b string) bool { return a == b || a == "" || b == "" }
	return !slices.EqualFunc(before.Hops, after.Hops, func(a, b LearntHop) bool {
		if a.Undecided || b.Undecided {
			return slices.Contains(b.Names(), a.Device)
		}
		return a.Device == b.Device && same(a.In, b.In) && same(a.Out, b.Out)
	})
}

// PathContradictions says where a path that was stated differs from the one that was learnt: a device that is on one
// and not on the other, or another order. hops are the stated ones.
func PathContradictions(hops [][]string, learnt LearntPath) []string {
	var out []string
	at := -1
	for _, h := range learnt.Hops {
		n := slices.IndexFunc(hops, func(s []string) bool { return slices.Contains(s, h.Device) })
		switch {
		case n < 0:
			out = append(out, h.Device+" carries the path by its tables, but is not among the hops")
		case n < at:
			out = append(out, h.Device+" stands at another place among the hops than the tables say")
		default:
			at = n
		}
	}
	if !learnt.Complete {
		return out // what was not found may be in what could not be learnt
	}
	for _, s := range hops {
		if !slices.ContainsFunc(learnt.Hops, func(h LearntHop) bool { return slices.Contains(s, h.Device) }) {
			out = append(out, strings.Join(s, " or ")+" is among the hops, but does not carry the path by the tables")
		}
	}
	return out
}
