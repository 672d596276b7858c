package devices

import (
	"net/netip"
	"time"
)

// Tree is one spanning tree of a device that has several: of a VLAN (PVST+, Rapid PVST+) or an MST instance.
type Tree struct {
	Name     string // "vlan 20", "mst 1"; unique within the device
	Protocol string // stp, rstp, mstp, pvst, rapid-pvst; "" if not known
	VLANs    string // the VLANs it carries, as the device writes them; "" if not known
	Bridge
	Ports []TreePort
}

// TreePort is a port's part in one tree.
type TreePort struct {
	Port         string      // the port's name as in Interface.Name
	State        Opt[string] // disabled, blocking, listening, learning, forwarding, broken; RSTP's discarding is blocking
	Role         Opt[string] // root, designated, alternate, backup, master, disabled
	RoleFrom     string      // the objects from which Role was derived; "" if the device named it
	Cost         Opt[uint32]
	Forwards     Opt[Counter] // transitions to forwarding
	Edge         Opt[bool]    // operational edge port (portfast)
	PointToPoint Opt[bool]
	Inconsistent string // root, loop, type, pvid: the guard that blocks it; "" if none
}

// Neighbour is what a device learned of the system at the other end of a link by LLDP (IEEE 802.1AB) or CDP.
type Neighbour struct {
	Port     string // own port
	Protocol string // lldp, cdp, pagp, mndp (MikroTik)
	System   string // its sysName or device id; hostile text
	Chassis  string // chassis id: a MAC address in lower case with colons where it is one
	PortID   string // its port, by its own words
	PortText string // its port's description
	Address  netip.Addr
	Platform string
	Duplex   Opt[string] // full, half: what it says of its end
	VLAN     Opt[uint32] // its native VLAN
	MTU      Opt[uint32] // its largest frame, octets
}

// Station is one row of a forwarding database.
type Station struct {
	MAC    string      // lower case, colons: aa:bb:cc:00:01:02
	VLAN   Opt[uint32] // not set: one table for all
	Port   string      // where it was learned; "" is the device itself or a drop entry
	Status string      // learned, self, static, invalid, other
}

// Binding is one row of an ARP or neighbour cache (RFC 826, RFC 4861).
type Binding struct {
	IP   netip.Addr
	MAC  string // lower case, colons; "" is incomplete
	Port string // the interface it belongs to
	Age  Opt[time.Duration]
	Kind string // dynamic, static, invalid, local, other; "" if not asked
}

// Aggregate is a group of links that acts as one (IEEE 802.1AX), or a bond of a host.
type Aggregate struct {
	Port     string // the group's own port: Port-channel1, bond0
	Protocol string // lacp, pagp, static; "" if not known
	Members  []Member
}

// Member is one link of an aggregate.
type Member struct {
	Port    string
	State   string       // bundled, standby, suspended, individual, down, or the device's own word
	Actor   Opt[uint8]   // dot3adAggPortActorOperState, the octet of IEEE 802.1AX 6.4.2.3
	Partner Opt[uint8]   // dot3adAggPortPartnerOperState
	Changes Opt[Counter] // how often it changed its state or left the group
}

// InSync says whether the member collects and distributes, if that is known.
func (m Member) InSync() Opt[bool] {
	const inSync, collecting, distributing = 1 << 3, 1 << 4, 1 << 5
	const all = inSync | collecting | distributing
	switch {
	case m.Actor.OK && m.Partner.OK:
		return Some(m.Actor.Value&all == all && m.Partner.Value&inSync != 0)
	case m.State == "bundled":
		return Some(true)
	case m.State == "suspended", m.State == "down", m.State == "individual":
		return Some(false)
	}
	return Opt[bool]{}
}

// Redundancy is one group of units of which one is active: VRRP, HSRP, a firewall pair, an MLAG or vPC domain.
type Redundancy struct {
	Protocol string             // vrrp, hsrp, asa, fortigate, panos, vpc, mlag, or the platform's word
	Group    string             // "1" (HSRP group), the pair's name; unique with Protocol and Port
	Port     string             // the interface it is about; "" for the device as a whole
	State    string             // active, standby, init, listen, speak, failed, or the device's own word
	Peer     string             // the other unit's state, in the same words; "" if not known
	Active   string             // who is active by this unit's view: an address or serial; "" if not known
	Virtual  netip.Addr         // the virtual address
	Priority Opt[uint32]        //
	Changes  Opt[Counter]       // how often it became active or changed its state
	Since    Opt[time.Duration] // for how long it has been in its state
	At       Opt[time.Time]     // when it last changed, by the device's clock
	Reason   string             // why it last changed, in the device's words
	Synced   Opt[bool]          // the units hold the same configuration and sessions
}

// Unit is one member of a stack or chassis.
type Unit struct {
	Name  string // "switch 2", "supervisor 5"
	Role  string // active, standby, member, or the device's own word
	State string // ready, or the device's own word
}

// Sensor is a physical measurement: optics, temperature, voltage, fans (ENTITY-SENSOR-MIB, RFC 3433).
type Sensor struct {
	Port  string // the port it belongs to; "" for the device
	Name  string
	Kind  string // rx_power, tx_power, bias, temperature, voltage, other
	Lane  int    // 1 and up where a module has several; 0 if it has one
	Value Opt[float64]
	Unit  string // dBm, A, degC, V
	// The module's own thresholds, in Unit.
	LowAlarm, LowWarn, HighWarn, HighAlarm Opt[float64]
}

// Queue is a class, queue or policer of a port (CISCO-CLASS-BASED-QOS-MIB and the like).
type Queue struct {
	Port  string
	Name  string // class or queue
	Way   string // in, out
	Kind  string // queue, policer, shaper
	Bits  Opt[Counter]
	Drops Opt[Counter] // packets
	Rate  Opt[uint64]  // configured, bit/s
}

// Sessions is how many flows a stateful device holds.
type Sessions struct {
	Active, Limit Opt[uint64]
	Refused       Opt[Counter] // new sessions refused for want of room
	Denied        Opt[Counter] // packets refused because they belong to no session, or by policy
}

// More of what an interface may say; part of Interface.
type InterfaceMore struct {
	STPRoleFrom                      string // the objects from which STPRole was derived; "" if the device named it
	InBroadcasts, OutBroadcasts      Opt[Counter]
	InMulticasts, OutMulticasts      Opt[Counter]
	Fragments, Jabbers               Opt[Counter] // etherStatsFragments, etherStatsJabbers
	Stomped                          Opt[Counter] // frames that an earlier cut-through switch had marked as bad; part of FCS
	Ignored, NoBuffer, Throttles     Opt[Counter]
	Underruns                        Opt[Counter] // sent too slowly by the port's own memory
	MACIn, MACOut                    Opt[Counter] // dot3StatsInternalMacReceiveErrors, …TransmitErrors
	CarrierSense, Deferred           Opt[Counter]
	ExcessiveCollisions              Opt[Counter]
	CarrierTransitions               Opt[Counter] // cieIfCarrierTransitionCount, ifMauMediaAvailableStateExits
	MTUExceeded                      Opt[Counter] // dot1dBasePortMtuExceededDiscards, fragmentation needed
	StormDrops, PolicerDrops         Opt[Counter] // suppressed by storm control; over a policer's rate
	ACLDrops                         Opt[Counter]
	PoEDenied, PoEOverload, PoEShort Opt[Counter] // pethPsePort…Counter (RFC 3621)
	PoEAbsent                        Opt[Counter] // pethPsePortMPSAbsentCounter: the powered device went away
	Resets                           Opt[Counter]

	Media         Opt[string]  // "1000BaseTX", "10GBASE-SR", as the device says
	Autoneg       Opt[bool]    // negotiates
	Offered       []uint64     // speeds that the neighbour offered in negotiation, bit/s (ifMauAutoNegCapReceivedBits)
	OfferedHalf   bool         // the neighbour offered half duplex alone
	RemoteFault   Opt[bool]    //
	MAC           string       // its own address, lower case with colons
	ErrDisabled   string       // why the device shut it by itself: bpduguard, link-flap, udld, …; "" if it did not
	ErrRecovers   Opt[uint32]  // seconds until it is tried again; not set: it stays shut
	UDLD          Opt[string]  // bidirectional, unidirectional, unknown, or the device's word
	EEE           Opt[bool]    // Energy-Efficient Ethernet is at work (IEEE 802.3az)
	FlowIn        Opt[bool]    // obeys pause frames
	FlowOut       Opt[bool]    // sends pause frames
	Load          Opt[float64] // the busier direction's mean rate over the speed as the device states it (txload, rxload)
	Cable         []CablePair  // result of the last cable test (TDR); whydrop starts none by itself
	AccessVLAN    Opt[uint32]  //
	CounterAgeing Opt[float64] // seconds since the hardware's counters were copied to those read here (Arista)
	Facts         []Fact       // what else the device's text says of the port, in its order
}

// Fact is something that a device's text says and that no field is for: it is kept for who reads a capture, and
// nothing is concluded from it.
type Fact struct {
	Name  string // what the text calls it, in lower case with underscores: encapsulation, last_input, in_no_buffer
	Value string // in the device's words; hostile text
}

// Fact returns the device's words for a fact; "" if it did not say it.
func (m InterfaceMore) Fact(name string) string {
	for _, f := range m.Facts {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// CablePair is one pair of a copper cable as a time-domain reflectometer saw it.
type CablePair struct {
	Pair   string       // A, B, C, D
	Status string       // normal, open, short, impedance, crosstalk, or the device's word
	Length Opt[float64] // metres to the end or the fault
}
