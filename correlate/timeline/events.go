package timeline

// EventType names what happened. The keys of Event.Attrs are listed with each type; a key that is not known
// is left out, never empty.
type EventType string

// Events of a path, written by probes.
const (
	// EventOutage is a stretch without delivery. Its Span is the stretch itself: from the last thing that
	// arrived to the first that arrived afterwards. Attrs: direction (forward, reverse, both), seen_by
	// (heartbeat: the path was dark; tcp: the flow stalled), error_ms (half width of the dating error),
	// lost (heartbeats lost), late (heartbeats delivered late, out of a queue), dark_ms (what the numbers of lost heartbeats
	// vouch for), host_late_ms (by how much the host that probed was late to send at the ends: the outage may be as much longer),
	// gap_ms (between the arrivals before and after), last_seen and first_seen (when those arrived, RFC 3339),
	// carrier (what this host's own link did meanwhile, in words), backoff_ms (for tcp: the most that was spent waiting for the retransmission timer
	// after the path was back, that is the last wait; the path came back within it), rto (number of time-outs),
	// window_shut ("true": the peer acknowledged everything and offered no window, so its program may not have
	// read),
	// open ("true": it had not ended when the probe stopped; one of the same beginning that comes later takes its place),
	// since ("start": nothing came back since the probe began), check (what the probing host knows of the way, in words), reconnected ("true": the flow had to be
	// opened anew).
	EventOutage EventType = "path.outage"
	// EventProbeStart says that a probe began to send. Attrs: kind (a name of runner.Kinds), to,
	// rate_bps.
	EventProbeStart EventType = "probe.start"
	// EventProbeStop says that a probe ended. Attrs: reason.
	EventProbeStop EventType = "probe.stop"
	// EventProbeProblem says that a probe could not be carried on for a reason that is not the path's: refused,
	// busy, unknown protocol. Attrs: kind, reason.
	EventProbeProblem EventType = "probe.problem"
	// EventClockStep says that this host's wall clock was set, or that the host slept. The subject is the host; the
	// Span is on the clock as it was afterwards. Attrs: step_ms (by how much it was set, negative: back), slept_ms (how
	// long the host slept: it measured nothing meanwhile).
	EventClockStep EventType = "host.clock_step"
	// EventNIC says which network card of this host leads to a path's far end and how it is set up, at first and when
	// something of it changed. The subject is the host. Attrs: name, driver, mtu, speed_bps, duplex, on (offloads that
	// are on), off, queue (kind of its queueing discipline), leads_to.
	EventNIC EventType = "host.nic"
	// EventSettings says how a host or device is set up, in a person's words. The subject is the host or device. Attrs: the name
	// of each setting (flow_control, rmem_max, ...) and its value.
	EventSettings EventType = "host.settings"
	// EventResult is one test that ended: its Span is the test. Attrs: proto (tcp, udp, icmp, connect, http), direction (forward,
	// reverse, both), rate_bps (goodput that arrived), offered_bps (asked of the sender; absent: unlimited), loss_ratio,
	// lost, total, reordered, retransmits, window_bytes (asked), granted_bytes, rtt_ms, rtt_loaded_ms, jitter_ms, streams, size_bytes (payload of a datagram or write),
	// mss_bytes, burst_bytes, port (source port), duration_s, df ("true"), paced ("true"), experiment (the sweep it belongs to: window, rate, size,
	// streams, direction, pacing, ports, mtu, connect), sender_cpu, receiver_cpu (shares of one core), host_drops (datagrams
	// the receiving host lost), disk ("true": from or to a file), note (a person's words), when (likewise: before, after, first second).
	EventResult EventType = "probe.result"
	// EventMark is a moment marked by a person. Text is what they wrote.
	EventMark EventType = "mark"
)

// Events of ports and devices, written by devices. Any of them may also have the attr dated: "polls" says that nothing
// but two readings dates it, so that it can have happened anywhere in its Span.
const (
	// EventOper is a change of a port's operational state. Attrs: from, to (up, down, ...).
	EventOper EventType = "if.oper"
	// EventSpeed is a change of a port's negotiated speed. Attrs: from, to (bit/s).
	EventSpeed EventType = "if.speed"
	// EventDuplex is a change of a port's duplex. Attrs: from, to (half, full).
	EventDuplex EventType = "if.duplex"
	// EventSTPState is a change of a port's spanning-tree state. Attrs: from, to (disabled, blocking, listening,
	// learning, forwarding, broken; RSTP's discarding is blocking), tree ("vlan 10", "mst 1"; absent: the only one, or not known).
	EventSTPState EventType = "stp.state"
	// EventSTPRole is a change of a port's spanning-tree role. Attrs: from, to (root, designated, alternate,
	// backup, disabled), tree, source (the objects that the role was derived from, if the device did not name it).
	EventSTPRole EventType = "stp.role"
	// EventTopologyChange is a rise of dot1dStpTopChanges. The subject is the device. Attrs: count (by how many),
	// port (where it came from, if known), tree.
	EventTopologyChange EventType = "stp.topology_change"
	// EventRootPort is a change of dot1dStpRootPort. The subject is the device. Attrs: from, to (ifNames, "" for
	// the root itself), tree.
	EventRootPort EventType = "stp.root_port"
	// EventRootBridge is a change of dot1dStpDesignatedRoot. Attrs: from, to, tree.
	EventRootBridge EventType = "stp.root_bridge"
	// EventFailover is a unit of a redundant pair saying that it took over or gave up. The subject is the device.
	// Attrs: from, to (active, standby, failed), reason, unit (which of the two speaks), group.
	EventFailover EventType = "ha.failover"
	// EventDuplexMismatch is a device saying that its neighbour's duplex differs (%CDP-4-DUPLEX_MISMATCH).
	EventDuplexMismatch EventType = "cdp.duplex_mismatch"
	// EventSyslog is any other line of a device's log. Attrs: facility, severity, mnemonic.
	EventSyslog EventType = "syslog"
	// EventRestart says that sysUpTime fell: the SNMP agent or the device restarted.
	EventRestart EventType = "sys.restart"
	// EventCleared says that a port's counters fell although the device did not restart.
	EventCleared EventType = "if.counters_cleared"
	// EventUnreliable says that a port's counters fall again and again and are not believed. Attrs: metric.
	EventUnreliable EventType = "if.counters_unreliable"
	// EventRenumbered says that an ifName moved to another ifIndex. Attrs: from, to.
	EventRenumbered EventType = "if.renumbered"
	// EventSlow says that a device answers more slowly or refreshes its counters more rarely than it is asked.
	// Attrs: period_ms.
	EventSlow EventType = "device.slow"
	// EventErrDisabled says that a device shut a port by itself, or tries it again. Attrs: from, to (disabled, up), cause
	// (bpduguard, link-flap, udld, ...), recovery_s.
	EventErrDisabled EventType = "if.err_disabled"
	// EventInconsistent says that a spanning-tree guard blocks a port, or no longer does. Attrs: guard (root, loop, type,
	// pvid, bpdu), to (blocked, cleared), tree.
	EventInconsistent EventType = "stp.inconsistent"
	// EventMACMove says that an address moved between two ports. The subject is the device. Attrs: mac, vlan, from, to,
	// count (moves told at once; 1 if absent).
	EventMACMove EventType = "fdb.mac_move"
	// EventGateway is a change of state of a VRRP or HSRP group. Attrs: protocol (vrrp, hsrp), group, port, from, to (active,
	// standby, init, listen, speak), reason, virtual.
	EventGateway EventType = "fhrp.state"
	// EventMember says that a member of a stack, chassis or MLAG pair came or went. Attrs: unit, from, to.
	EventMember EventType = "stack.member"
	// EventLAGMember says that a link joined or left its aggregate. The subject is the link. Attrs: aggregate, from, to
	// (bundled, suspended, down, ...).
	EventLAGMember EventType = "lag.member"
	// EventUDLD says that a link works one way only, or both ways again. Attrs: from, to (bidirectional, unidirectional).
	EventUDLD EventType = "udld.state"
	// EventStorm says that storm control acts on a port, or no longer. Attrs: to (active, cleared), kind (broadcast,
	// multicast, unicast).
	EventStorm EventType = "storm.control"
	// EventPower says that power over Ethernet was given to or taken from a port, or that a supply failed. Attrs: to, reason.
	EventPower EventType = "power.state"
	// EventNeighbour says that the neighbour on a port appeared, went or is another one. Attrs: protocol, from, to
	// (system and port).
	EventNeighbour EventType = "lldp.neighbour"
	// EventBinding says that an IP address belongs to another MAC address than before. The subject is the device. Attrs:
	// ip, from, to, port, conflict ("true": the device calls it a duplicate address).
	EventBinding EventType = "arp.binding"
	// EventRoute says that a route or a routing neighbour came or went. The subject is the device. Attrs: protocol (bgp, ospf,
	// isis, static), neighbour, prefix, from, to.
	EventRoute EventType = "route.change"
	// EventOptics says that a module's own threshold was crossed. Attrs: sensor (rx_power, ...), to (low-alarm, low-warn, ok,
	// high-warn, high-alarm).
	EventOptics EventType = "optics.threshold"
	// EventClassDrops says that a QoS class or policer dropped packets within its Span. Attrs: class, way, kind (queue,
	// policer, shaper), count, rate_bps (configured).
	EventClassDrops EventType = "qos.drops"
	// EventPathMoved says that a path goes through other ports or devices than before. The subject is the path. Attrs: from,
	// to (hops).
	EventPathMoved EventType = "path.moved"
	// EventCable is the result of a cable test of a port. Attrs: pair, status, metres.
	EventCable EventType = "if.cable"
	// EventTotals is what a port's counters stood at, counted since a moment that is long ago or not known: no evidence of
	// what happens now. Attrs: a metric's name each, with its count (octets for the two rates); age_s.
	EventTotals EventType = "if.totals"
)

// Directions of an outage, the values of Attrs["direction"].
const (
	Forward = "forward" // probing host to far end
	Reverse = "reverse" // far end to probing host
	Both    = "both"
)

// The values of Attrs["seen_by"] of an outage.
const (
	SeenByHeartbeat = "heartbeat" // the path was dark
	SeenByTCP       = "tcp"       // the flow stalled
)

// eventTypes lists every type there is.
var eventTypes = []EventType{
	EventOutage, EventProbeStart, EventProbeStop, EventProbeProblem, EventClockStep, EventNIC,
	EventSettings, EventResult, EventMark, EventOper, EventSpeed, EventDuplex,
	EventSTPState, EventSTPRole, EventTopologyChange, EventRootPort, EventRootBridge, EventFailover,
	EventDuplexMismatch, EventSyslog, EventRestart, EventCleared, EventUnreliable, EventRenumbered,
	EventSlow, EventErrDisabled, EventInconsistent, EventMACMove, EventGateway, EventMember,
	EventLAGMember, EventUDLD, EventStorm, EventPower, EventNeighbour, EventBinding,
	EventRoute, EventOptics, EventClassDrops, EventPathMoved, EventCable, EventTotals,
}

// EventTypes returns every type of event there is; the slice is the caller's.
func EventTypes() []EventType { return append([]EventType(nil), eventTypes...) }
