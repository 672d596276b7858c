package devices

import (
	"errors"
	"time"

	"whydrop/correlate/timeline"
)

// Errors that callers decide by. They are wrapped, with the device and the words it used.
var (
	ErrPartial     = errors.New("answer cut short")
	ErrAuth        = errors.New("refused the credentials")
	ErrHostKey     = errors.New("host key not accepted")
	ErrUnsupported = errors.New("not supported by the device")
	ErrTimeout     = errors.New("no answer in time")
	ErrUnreachable = errors.New("unreachable")
)

// ReasonOf returns the reason for a gap that an error stands for.
func ReasonOf(err error) timeline.Reason {
	switch {
	case errors.Is(err, ErrAuth), errors.Is(err, ErrHostKey):
		return timeline.ReasonAuth
	case errors.Is(err, ErrUnsupported):
		return timeline.ReasonUnsupported
	case errors.Is(err, ErrPartial):
		return timeline.ReasonPartial
	case errors.Is(err, ErrUnreachable):
		return timeline.ReasonUnreachable
	}
	return timeline.ReasonTimeout
}

// Reading is what one collector learned from one device in one poll. Fields that the device did not give are
// not set; a Reading may hold any part of it.
type Reading struct {
	Device     string          // the device's name in the site file
	Span       timeline.Span   // from the first question to the last answer, on the probe's clock
	Origin     timeline.Origin // of the exchange with the counters
	SysName    Opt[string]
	SysDescr   Opt[string]
	Clock      Opt[Clock]  // sysUpTime with its round trip
	EngineBoot Opt[uint32] // snmpEngineBoots
	Interfaces []Interface // ordered by ifIndex, or as the device listed them
	Bridge     *Bridge     // nil: not a bridge, or not asked
	Log        []LogLine   // lines of the device's log, oldest first; may repeat lines of earlier readings
	LocalClock Opt[LocalClock]
	CPU        Opt[float64] // control-plane busy ratio, 0-1
	Interrupt  Opt[float64] // of it, the share spent in interrupts, 0-1
	Memory     Opt[float64] // used ratio of the control plane's memory, 0-1

	// What fewer devices have. A nil slice was not read; an empty one was, and has no rows.
	Trees         []Tree
	Neighbours    []Neighbour
	Stations      []Station
	Bindings      []Binding
	Aggregates    []Aggregate
	Redundancy    []Redundancy
	Units         []Unit
	Sensors       []Sensor
	Queues        []Queue
	Sessions      *Sessions
	StationCount  Opt[uint64]  // addresses in the forwarding database, where the device counts them or the whole table was read
	LearnDiscards Opt[Counter] // addresses the forwarding database had no room for (dot1dTpLearnedEntryDiscards)
	FragFails     Opt[Counter] // packets that needed fragmentation and must not be fragmented (ipSystemStatsOutFragFails)
	ARPDrops      Opt[Counter] // dropped by ARP inspection (cdaiVlanDropped), all VLANs

	AnsweredFrom string      // the address that answered, if it is another than was asked (SNMP.AnySource)
	SysObjectID  Opt[string] // without a leading dot
	Missing      []Missing   // tables that turned out to be missing in this poll; each is said once
	Unread       []string    // lines of text or rows that were not understood, verbatim and bounded; hostile text
}

// Missing is a part of a reading that the device does not have, or did not give to its end.
type Missing struct {
	Table   string // the name of the MIB table
	Reason  timeline.Reason
	Text    string            // why, as a sentence
	Metrics []timeline.Metric // of the device as a whole, that are not known for want of it
}

// Interface is one port as the device described it.
type Interface struct {
	Index       Opt[uint32] // ifIndex
	Name        string      // ifName in the device's own long spelling where it has one; never ""
	Descr       string      // ifDescr
	Alias       string      // ifAlias or the command line's description; hostile text
	Admin       Opt[string] // up, down, testing, or the device's own word
	Oper        Opt[string] // up, down, testing, unknown, dormant, notPresent, lowerLayerDown, or the device's own word
	Speed       Opt[uint64] // negotiated, bit/s
	SpeedMax    Opt[uint64] // what the hardware offers, bit/s
	Duplex      Opt[string] // full, half, unknown
	MTU         Opt[uint32] // octets
	LastChange  Opt[uint32] // ifLastChange, TimeTicks of sysUpTime
	Discontinue Opt[uint32] // ifCounterDiscontinuityTime, TimeTicks; only a change of it means something
	LastClear   Opt[string] // the command line's "Last clearing", verbatim
	STPState    Opt[string] // disabled, blocking, listening, learning, forwarding, broken
	STPRole     Opt[string] // root, designated, alternate, backup, disabled

	InOctets, OutOctets           Opt[Counter]
	InPackets, OutPackets         Opt[Counter] // every kind of packet; where unicast, multicast and broadcast are counted apart, their sum
	InErrors, OutErrors           Opt[Counter]
	InDrops, OutDrops             Opt[Counter]
	FCS, Alignment, Symbol        Opt[Counter]
	Runts, Giants, Overrun        Opt[Counter]
	LateCollisions, Collisions    Opt[Counter]
	InPause, OutPause             Opt[Counter]
	UnknownProtos, InputQueueDrop Opt[Counter]

	InterfaceMore
}

// Bridge is what a bridge says of its spanning tree (BRIDGE-MIB, RFC 4188).
type Bridge struct {
	TopologyChanges Opt[Counter]       // dot1dStpTopChanges
	SinceChange     Opt[time.Duration] // dot1dStpTimeSinceTopologyChange; under RSTP some count from the end of the change
	ChangeFrom      Opt[string]        // ifName the last change came from; command line only
	DesignatedRoot  Opt[string]        // "priority.aabb.ccdd.eeff"
	RootCost        Opt[uint32]
	RootPort        Opt[string] // ifName, "" for the root bridge itself
}

// LogLine is one line of a device's log.
type LogLine struct {
	Text     string             // the whole line, verbatim
	Time     Opt[time.Time]     // by the device's clock; its zone is UTC where the device did not say
	Span     timeline.Span      // when it was written, on the probe's clock, where that is known; Time is not needed then
	Clock    string             // "" sound, "*" not set, "." not synchronised
	Severity Opt[int]           // 0-7
	Facility string             // LINK
	Mnemonic string             // UPDOWN
	Message  string             // after the header
	Host     string             // the name that the line gives its sender, "" if none; hostile text
	Port     string             // the interface the line is about, "" if none
	Type     timeline.EventType // the event that the line tells of; "" if it is nothing but a line
	// Attrs are the attributes of that event, and unit: which card, switch or unit of a pair logged it; layer: link or
	// protocol, of if.oper.
	Attrs map[string]string
}

// LocalClock is a device's wall clock against the probe's.
type LocalClock struct {
	Time time.Time     // as the device said
	Span timeline.Span // the round trip within which it was asked, on the probe's clock
	// Quality is "" for a sound clock, "*" for one that was never set, "." for one that is not synchronised.
	Quality string
}

// Offset returns the device's clock minus the probe's, to within half the round trip.
func (c LocalClock) Offset() time.Duration { return c.Time.Sub(c.Span.Mid()) }
