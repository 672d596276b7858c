package timeline

import "slices"

// Metric names a figure. Every metric in use is in the table behind [Describe].
type Metric string

// Description is what is known about a metric as such.
type Description struct {
	Metric  Metric
	Name    string // as a person reads it
	Unit    string // bit/s, packet/s, 1/s, s, ratio, byte, state
	Kind    Kind   // what it is a metric of
	Help    string // one sentence: the layer, what is counted, what is not
	Sources string // MIB objects, CLI fields or probe fields it may come from
}

// Metrics of a path.
const (
	GoodputForward   Metric = "path.goodput.forward"
	GoodputReverse   Metric = "path.goodput.reverse"
	OfferedForward   Metric = "path.offered.forward"
	RTT              Metric = "path.rtt"
	LossForward      Metric = "path.loss.forward"
	LossReverse      Metric = "path.loss.reverse"
	LossRoundTrip    Metric = "path.loss.round_trip"
	JitterForward    Metric = "path.jitter.forward"
	JitterReverse    Metric = "path.jitter.reverse"
	Reordered        Metric = "path.reordered"
	TCPRTT           Metric = "tcp.rtt"
	TCPRetransmits   Metric = "tcp.retransmits"
	TCPCwnd          Metric = "tcp.cwnd"
	TCPSendWindow    Metric = "tcp.send_window"
	TCPDeliveryRate  Metric = "tcp.delivery_rate"
	TCPBusy          Metric = "tcp.busy"
	TCPRwndLimited   Metric = "tcp.rwnd_limited"
	TCPSndbufLimited Metric = "tcp.sndbuf_limited"
)

// Metrics of a host at either end of a probe.
const (
	HostCPU        Metric = "host.cpu"
	HostProcessCPU Metric = "host.process_cpu"
	HostCPUWait    Metric = "host.cpu_wait"
	HostThrottled  Metric = "host.throttled"
	HostReadStall  Metric = "host.read_stall"
	HostUDPDrops   Metric = "host.udp_drops"
	HostUDPErrors  Metric = "host.udp_errors"
	HostCoreBusy   Metric = "host.core_busy"
	HostSoftirq    Metric = "host.softirq"
	HostSteal      Metric = "host.steal"
	HostIOWait     Metric = "host.iowait"
	HostSchedGap   Metric = "host.sched_gap"
	HostNICDrops   Metric = "host.nic_drops"
	HostQueueDrops Metric = "host.queue_drops"
	HostQueue      Metric = "host.queue"
)

// Metrics of a port.
const (
	InBits         Metric = "if.in.bits"
	OutBits        Metric = "if.out.bits"
	InPackets      Metric = "if.in.packets"
	OutPackets     Metric = "if.out.packets"
	InErrors       Metric = "if.in.errors"
	OutErrors      Metric = "if.out.errors"
	InDrops        Metric = "if.in.drops"
	OutDrops       Metric = "if.out.drops"
	InFCS          Metric = "if.in.fcs"
	InAlignment    Metric = "if.in.alignment"
	InSymbol       Metric = "if.in.symbol"
	InRunts        Metric = "if.in.runts"
	InGiants       Metric = "if.in.giants"
	InOverrun      Metric = "if.in.overrun"
	LateCollisions Metric = "if.late_collisions"
	Collisions     Metric = "if.collisions"
	InPause        Metric = "if.in.pause"
	OutPause       Metric = "if.out.pause"
	Oper           Metric = "if.oper"
	Speed          Metric = "if.speed"
	SpeedMax       Metric = "if.speed_max"
	HalfDuplex     Metric = "if.half_duplex"
	Utilisation    Metric = "if.utilisation"
	STPForwarding  Metric = "stp.forwarding"

	InBroadcasts        Metric = "if.in.broadcasts"
	OutBroadcasts       Metric = "if.out.broadcasts"
	InMulticasts        Metric = "if.in.multicasts"
	OutMulticasts       Metric = "if.out.multicasts"
	InFragments         Metric = "if.in.fragments"
	InJabbers           Metric = "if.in.jabbers"
	InStomped           Metric = "if.in.stomped"
	InIgnored           Metric = "if.in.ignored"
	InNoBuffer          Metric = "if.in.no_buffer"
	InThrottles         Metric = "if.in.throttles"
	InQueueDrops        Metric = "if.in.queue_drops"
	InUnknownProtos     Metric = "if.in.unknown_protos"
	InMACErrors         Metric = "if.in.mac_errors"
	OutMACErrors        Metric = "if.out.mac_errors"
	OutUnderruns        Metric = "if.out.underruns"
	CarrierSense        Metric = "if.carrier_sense"
	Deferred            Metric = "if.deferred"
	ExcessiveCollisions Metric = "if.excessive_collisions"
	CarrierTransitions  Metric = "if.carrier_transitions"
	Resets              Metric = "if.resets"
	MTU                 Metric = "if.mtu"
	MTUExceeded         Metric = "if.mtu_exceeded"
	StormDrops          Metric = "if.storm_drops"
	PolicerDrops        Metric = "if.policer_drops"
	ClassDrops          Metric = "if.class_drops"
	ACLDrops            Metric = "if.acl_drops"
	NeighbourSpeed      Metric = "if.neighbour_speed"
	EEE                 Metric = "if.eee"
	LAGInSync           Metric = "lag.in_sync"
	RxPower             Metric = "optics.rx_power"
	RxLowWarn           Metric = "optics.rx_low_warn"
	RxLowAlarm          Metric = "optics.rx_low_alarm"
	TxPower             Metric = "optics.tx_power"
	TxLowWarn           Metric = "optics.tx_low_warn"
	OpticsTemperature   Metric = "optics.temperature"
	PoEDenied           Metric = "poe.denied"
	PoEOverload         Metric = "poe.overload"
	PoEShort            Metric = "poe.short"
	PoEAbsent           Metric = "poe.absent"
)

// Metrics of a device as a whole.
const (
	Reachable       Metric = "device.reachable"
	PollTime        Metric = "device.poll_time"
	RefreshPeriod   Metric = "device.refresh_period"
	ClockOffset     Metric = "device.clock_offset"
	TopologyChanges Metric = "stp.topology_changes"
	DeviceCPU       Metric = "device.cpu"

	DeviceInterrupt Metric = "device.interrupt"
	DeviceMemory    Metric = "device.memory"
	Sessions        Metric = "session.count"
	SessionLimit    Metric = "session.limit"
	SessionRefused  Metric = "session.refused"
	SessionDenied   Metric = "session.denied"
	Stations        Metric = "fdb.entries"
	LearnDiscards   Metric = "fdb.learn_discards"
	FragFails       Metric = "ip.frag_fails"
	ARPDrops        Metric = "arp.inspection_drops"
	MessagesDropped Metric = "log.dropped"
)

// descriptions is the one table of metrics: a new metric is one line here.
var descriptions = []Description{
	{GoodputForward, "goodput to the far end", "bit/s", KindPath, "TCP payload that the far end acknowledged or reported, per second.", "TCP_INFO tcpi_bytes_acked; iperf3 server report"},
	{GoodputReverse, "goodput from the far end", "bit/s", KindPath, "TCP payload received from the far end, per second.", "bytes read by the probe"},
	{OfferedForward, "offered rate", "bit/s", KindPath, "The rate the probe was asked to send at; absent if unlimited.", "site file probe.rate"},
	{RTT, "round-trip time", "s", KindPath, "Median time of the heartbeats that returned, without the reflector's own residence time.", "STAMP T4-T1-(T3-T2), ICMP echo, TCP and UDP connect, DNS, HTTP"},
	{LossForward, "heartbeat loss to the far end", "ratio", KindPath, "Heartbeats that never reached the reflector, of those sent.", "STAMP reflector sequence numbers"},
	{LossReverse, "heartbeat loss from the far end", "ratio", KindPath, "Heartbeats reflected that did not return, of those reflected.", "STAMP reflector sequence numbers"},
	{LossRoundTrip, "heartbeat loss, direction unknown", "ratio", KindPath, "Heartbeats not answered, of those sent.", "STAMP, ICMP echo, TCP and UDP connect, DNS, HTTP"},
	{JitterForward, "delay variation to the far end", "s", KindPath, "Mean difference of consecutive transit times (RFC 3550, section 6.4.1), without comparing clocks.", "STAMP T2-T1"},
	{JitterReverse, "delay variation from the far end", "s", KindPath, "Mean difference of consecutive transit times (RFC 3550, section 6.4.1), without comparing clocks.", "STAMP T4-T3"},
	{Reordered, "reordered heartbeats", "ratio", KindPath, "Heartbeats that came after a later one (RFC 4737), of those that came.", "STAMP sequence numbers"},
	{TCPRTT, "TCP smoothed round-trip time", "s", KindPath, "The sender's own estimate; grows with queues.", "TCP_INFO tcpi_rtt"},
	{TCPRetransmits, "TCP retransmits", "packet/s", KindPath, "Segments sent again, per second, all streams.", "TCP_INFO tcpi_total_retrans"},
	{TCPCwnd, "TCP congestion window", "byte", KindPath, "Congestion window times segment size, sum of the streams.", "TCP_INFO tcpi_snd_cwnd, tcpi_snd_mss"},
	{TCPSendWindow, "window offered by the receiver", "byte", KindPath, "The receiver's advertised window, sum of the streams.", "TCP_INFO tcpi_snd_wnd"},
	{TCPDeliveryRate, "TCP delivery rate", "bit/s", KindPath, "The kernel's most recent estimate of the rate delivered.", "TCP_INFO tcpi_delivery_rate"},
	{TCPBusy, "TCP busy", "ratio", KindPath, "Share of time with data outstanding.", "TCP_INFO tcpi_busy_time"},
	{TCPRwndLimited, "TCP limited by the receiver's window", "ratio", KindPath, "Share of time the sender waited for the receiver's window.", "TCP_INFO tcpi_rwnd_limited"},
	{TCPSndbufLimited, "TCP limited by the send buffer", "ratio", KindPath, "Share of time the sender waited for its own buffer.", "TCP_INFO tcpi_sndbuf_limited"},
	{HostCPU, "CPU of the host", "ratio", KindHost, "Busy share of all cores of the host.", "/proc/stat; whydrop far end's report"},
	{HostProcessCPU, "CPU of the probe", "ratio", KindHost, "CPU time of the probing process per second; 1 is one core.", "getrusage; iperf3 cpu_util_total"},
	{HostCPUWait, "probe waiting for the CPU", "ratio", KindHost, "Time per second that threads of the probing process were ready and did not get a processor, summed over the threads: others ran, or a quota was used up. It may be above 1.", "/proc/self/task/*/schedstat; whydrop far end's report"},
	{HostThrottled, "probe stopped by a quota", "ratio", KindHost, "Time per second that the CPU quota of the control group (container, service) of the probing process was used up, summed over the processors.", "cpu.stat throttled_usec, throttled_time; whydrop far end's report"},
	{HostReadStall, "far end not reading", "ratio", KindHost, "Share of time the receiving program was busy with something other than waiting for data.", "whydrop far end's report"},
	{HostUDPDrops, "datagrams dropped by the host", "packet/s", KindHost, "Datagrams the kernel discarded for want of socket buffer.", "SO_RXQ_OVFL, /proc/net/snmp RcvbufErrors"},
	{HostUDPErrors, "damaged datagrams", "packet/s", KindHost, "Datagrams of every program of the host that came and were not delivered for another reason than want of buffer: a wrong checksum, above all.", "/proc/net/snmp InErrors without RcvbufErrors"},
	{HostCoreBusy, "busiest core of the host", "ratio", KindHost, "Busy share of the core that was busiest.", "/proc/stat"},
	{HostSoftirq, "network work of one core", "ratio", KindHost, "Share of its time that the core which did most of it spent in interrupts and softirq: packets are taken in there.", "/proc/stat irq, softirq"},
	{HostSteal, "CPU taken by the hypervisor", "ratio", KindHost, "Share of the time of all cores in which the hypervisor let something else run.", "/proc/stat steal"},
	{HostIOWait, "CPU waiting for disks", "ratio", KindHost, "Share of the time of all cores in which they were idle while a disk was waited for.", "/proc/stat iowait"},
	{HostSchedGap, "time without the processor", "s", KindHost, "How late the latest of the timers of 20 ms was, that is how long this program did not get to run.", "a timer of the probing program"},
	{HostNICDrops, "frames lost in the card or the input queue", "packet/s", KindHost, "Frames that the receive ring of the path's network card or the kernel's input queue had no room for. Frames of protocols the host does not speak are not counted.", "IFLA_STATS64 rx_missed, rx_fifo, rx_over; /proc/net/softnet_stat dropped"},
	{HostQueueDrops, "packets dropped by the own queue", "packet/s", KindHost, "Packets that the queueing discipline of the path's network card discarded before they were sent, or after they came (ingress).", "RTM_GETQDISC TCA_STATS2 drops"},
	{HostQueue, "packets waiting in the own queue", "byte", KindHost, "Bytes that waited in the queueing discipline of the path's network card when it was read.", "RTM_GETQDISC TCA_STATS2 backlog"},
	{InBits, "input rate", "bit/s", KindPort, "Octets received, with Ethernet header and FCS, times eight.", "ifHCInOctets, ifInOctets, show interfaces 'packets input'"},
	{OutBits, "output rate", "bit/s", KindPort, "Octets sent, with Ethernet header and FCS, times eight.", "ifHCOutOctets, ifOutOctets, show interfaces 'packets output'"},
	{InPackets, "packets in", "packet/s", KindPort, "Packets received of every kind.", "ifHCIn*Pkts, ifInUcastPkts, show interfaces"},
	{OutPackets, "packets out", "packet/s", KindPort, "Packets sent of every kind.", "ifHCOut*Pkts, ifOutUcastPkts, show interfaces"},
	{InErrors, "input errors", "packet/s", KindPort, "Frames received and not delivered because of errors.", "ifInErrors, show interfaces 'input errors'"},
	{OutErrors, "output errors", "packet/s", KindPort, "Frames that could not be sent because of errors.", "ifOutErrors, show interfaces 'output errors'"},
	{InDrops, "input drops", "packet/s", KindPort, "Frames received without error and discarded.", "ifInDiscards, show interfaces 'Input queue drops'"},
	{OutDrops, "output drops", "packet/s", KindPort, "Frames discarded instead of sent: the egress queue was full.", "ifOutDiscards, show interfaces 'Total output drops'"},
	{InFCS, "FCS errors (CRC)", "packet/s", KindPort, "Frames of legal length whose check sequence is wrong.", "dot3StatsFCSErrors, dot3HCStatsFCSErrors, show interfaces 'CRC'"},
	{InAlignment, "alignment errors", "packet/s", KindPort, "Frames with a wrong check sequence and no whole number of octets; cannot fire at 1 Gbit/s and above.", "dot3StatsAlignmentErrors, show interfaces 'frame'"},
	{InSymbol, "symbol errors", "1/s", KindPort, "Invalid symbols on the wire.", "dot3StatsSymbolErrors"},
	{InRunts, "runts", "packet/s", KindPort, "Frames shorter than 64 octets.", "show interfaces 'runts'"},
	{InGiants, "giants", "packet/s", KindPort, "Frames longer than the port accepts.", "dot3StatsFrameTooLongs, show interfaces 'giants'"},
	{InOverrun, "overruns", "packet/s", KindPort, "Frames the receiver hardware had no room for.", "show interfaces 'overrun', 'ignored'"},
	{LateCollisions, "late collisions", "1/s", KindPort, "Collisions after the first 64 octets; cannot fire in full duplex.", "dot3StatsLateCollisions, show interfaces 'late collision'"},
	{Collisions, "collisions", "1/s", KindPort, "Frames that met a collision before they were sent; cannot fire in full duplex.", "dot3StatsSingleCollisionFrames + MultipleCollisionFrames, show interfaces 'collisions'"},
	{InPause, "pause frames in", "packet/s", KindPort, "Pause frames received: the neighbour is slow.", "dot3HCInPauseFrames, dot3InPauseFrames, show interfaces 'pause input'"},
	{OutPause, "pause frames out", "packet/s", KindPort, "Pause frames sent: this device is slow.", "dot3HCOutPauseFrames, dot3OutPauseFrames, show interfaces 'pause output'"},
	{Oper, "operational state", "state", KindPort, "1 up, 0 anything else.", "ifOperStatus, show interfaces 'line protocol'"},
	{Speed, "speed", "bit/s", KindPort, "The negotiated speed.", "ifHighSpeed, ifSpeed, show interfaces '1000Mb/s'"},
	{SpeedMax, "speed the port is capable of", "bit/s", KindPort, "The highest speed the port's hardware offers.", "show interfaces 'media type', 'Hardware is'; the interface's own name"},
	{HalfDuplex, "half duplex", "state", KindPort, "1 half, 0 full.", "dot3StatsDuplexStatus, show interfaces 'Half-duplex'"},
	{Utilisation, "utilisation", "ratio", KindPort, "The busier direction's rate over the negotiated speed.", "ifHC*Octets over ifHighSpeed"},
	{STPForwarding, "spanning tree forwards", "state", KindPort, "1 forwarding, 0 any other spanning-tree state.", "dot1dStpPortState, show spanning-tree detail"},
	{InBroadcasts, "broadcasts in", "packet/s", KindPort, "Broadcast packets received.", "ifHCInBroadcastPkts, show interfaces 'broadcasts'"},
	{OutBroadcasts, "broadcasts out", "packet/s", KindPort, "Broadcast packets sent.", "ifHCOutBroadcastPkts"},
	{InMulticasts, "multicasts in", "packet/s", KindPort, "Multicast packets received.", "ifHCInMulticastPkts, show interfaces 'multicast'"},
	{OutMulticasts, "multicasts out", "packet/s", KindPort, "Multicast packets sent.", "ifHCOutMulticastPkts"},
	{InFragments, "fragments", "packet/s", KindPort, "Frames shorter than 64 octets with a wrong check sequence.", "etherStatsFragments"},
	{InJabbers, "jabbers", "packet/s", KindPort, "Frames too long and with a wrong check sequence.", "etherStatsJabbers"},
	{InStomped, "stomped CRC", "packet/s", KindPort, "Bad frames that a cut-through switch before this one had found and marked; part of the FCS errors, and not this link's.", "show interface counters errors 'Stomped-CRC'"},
	{InIgnored, "ignored", "packet/s", KindPort, "Frames ignored because the port's own buffers ran low.", "locIfInIgnored, cieIfInIgnored, show interfaces 'ignored'"},
	{InNoBuffer, "no buffer", "packet/s", KindPort, "Frames discarded because main memory had no buffer.", "show interfaces 'no buffer'"},
	{InThrottles, "throttles", "1/s", KindPort, "How often the port was switched off for want of buffers or processor.", "show interfaces 'throttles'"},
	{InQueueDrops, "input queue drops", "packet/s", KindPort, "Packets for the device's own processor that its input queue had no room for.", "locIfInputQueueDrops, cieIfInputQueueDrops, show interfaces 'Input queue'"},
	{InUnknownProtos, "unknown protocols", "packet/s", KindPort, "Packets of protocols that the device does not speak; no fault.", "ifInUnknownProtos, show interfaces 'unknown protocol drops'"},
	{InMACErrors, "internal receive errors", "packet/s", KindPort, "Frames lost in the receiving port itself.", "dot3StatsInternalMacReceiveErrors"},
	{OutMACErrors, "internal transmit errors", "packet/s", KindPort, "Frames lost in the sending port itself.", "dot3StatsInternalMacTransmitErrors"},
	{OutUnderruns, "underruns", "packet/s", KindPort, "Frames whose sending failed because the port's memory was too slow.", "show interfaces 'underruns'"},
	{CarrierSense, "carrier sense errors", "1/s", KindPort, "Carrier lost while sending; cannot fire in full duplex.", "dot3StatsCarrierSenseErrors, show interfaces 'lost carrier'"},
	{Deferred, "deferred", "packet/s", KindPort, "Frames that waited for a busy medium; cannot fire in full duplex.", "dot3StatsDeferredTransmissions, show interfaces 'deferred'"},
	{ExcessiveCollisions, "excessive collisions", "packet/s", KindPort, "Frames given up after 16 collisions; cannot fire in full duplex.", "dot3StatsExcessiveCollisions"},
	{CarrierTransitions, "carrier transitions", "1/s", KindPort, "How often the port lost or found its carrier.", "cieIfCarrierTransitionCount, locIfCarTrans, ifMauMediaAvailableStateExits, aristaIfOperStatusChanges, /sys/class/net carrier_changes"},
	{Resets, "interface resets", "1/s", KindPort, "How often the device started the port anew.", "locIfResets, cieIfResetCount, show interfaces 'interface resets'"},
	{MTU, "MTU", "byte", KindPort, "The largest packet the port passes, as the device states it.", "ifMtu, show interfaces 'MTU'"},
	{MTUExceeded, "packets above the MTU", "packet/s", KindPort, "Frames discarded because they are longer than the outgoing port passes.", "dot1dBasePortMtuExceededDiscards"},
	{StormDrops, "suppressed by storm control", "packet/s", KindPort, "Frames that storm control discarded.", "cpscSuppressedPacket, show storm-control"},
	{PolicerDrops, "over the policer's rate", "packet/s", KindPort, "Packets that a policer discarded.", "cbQosPoliceExceededPkt64, cportQosPoliceExceedByteCounter, show policy-map interface"},
	{ClassDrops, "drops of QoS classes", "packet/s", KindPort, "Packets that the queues of QoS classes discarded, all classes.", "cbQosCMDropPkt64, show policy-map interface"},
	{ACLDrops, "dropped by access list", "packet/s", KindPort, "Packets that an access list refused.", "aristaIfInAclDrops"},
	{NeighbourSpeed, "speed the neighbour offers", "bit/s", KindPort, "The highest speed that the neighbour offered in negotiation.", "ifMauAutoNegCapReceivedBits, ethtool 'Link partner advertised link modes'"},
	{EEE, "energy-efficient Ethernet", "state", KindPort, "1 at work, 0 not.", "show eee, ethtool --show-eee"},
	{LAGInSync, "aggregate member in sync", "state", KindPort, "1 the member collects and distributes, 0 it does not.", "dot3adAggPortActorOperState, show etherchannel summary"},
	{RxPower, "received optical power", "dBm", KindPort, "Optical power received, the weakest lane.", "entSensorValue, entPhySensorValue, jnxDomCurrentRxLaserPower, show interfaces transceiver"},
	{RxLowWarn, "warning threshold of received power", "dBm", KindPort, "Below this the module warns.", "entSensorThresholdValue, show interfaces transceiver detail"},
	{RxLowAlarm, "alarm threshold of received power", "dBm", KindPort, "Below this the module raises an alarm.", "entSensorThresholdValue, show interfaces transceiver detail"},
	{TxPower, "sent optical power", "dBm", KindPort, "Optical power sent, the weakest lane.", "entSensorValue, entPhySensorValue, jnxDomCurrentTxLaserOutputPower, show interfaces transceiver"},
	{TxLowWarn, "warning threshold of sent power", "dBm", KindPort, "Below this the module warns.", "entSensorThresholdValue, show interfaces transceiver detail"},
	{OpticsTemperature, "temperature of the optics", "degC", KindPort, "Temperature of the module.", "entSensorValue, show interfaces transceiver"},
	{PoEDenied, "power denied", "1/s", KindPort, "How often a powered device was refused power.", "pethPsePortPowerDeniedCounter, show power inline NAME detail 'Power Denied Counter'"},
	{PoEOverload, "power overload", "1/s", KindPort, "How often a powered device drew too much.", "pethPsePortOverLoadCounter, show power inline NAME detail 'Over Current Counter'"},
	{PoEShort, "power short circuit", "1/s", KindPort, "How often the powered pairs were short-circuited.", "pethPsePortShortCounter, show power inline NAME detail 'Short Current Counter'"},
	{PoEAbsent, "powered device gone", "1/s", KindPort, "How often the powered device stopped drawing power.", "pethPsePortMPSAbsentCounter, show power inline NAME detail 'Absent Counter'"},
	{Reachable, "device answered", "state", KindDevice, "1 answered this poll, 0 did not.", "any collector"},
	{PollTime, "time to answer", "s", KindDevice, "From the first question to the last answer of one poll.", "any collector"},
	{RefreshPeriod, "counter refresh period", "s", KindDevice, "How often the agent really updates its counters.", "repeats of busy counters"},
	{ClockOffset, "clock offset", "s", KindDevice, "The device's clock minus the probe's; positive if it is fast.", "show clock"},
	{TopologyChanges, "topology changes", "1/s", KindDevice, "Spanning-tree topology changes counted by this bridge.", "dot1dStpTopChanges, show spanning-tree detail"},
	{DeviceCPU, "CPU of the device", "ratio", KindDevice, "Busy share of the control plane's CPU.", "cpmCPUTotal5secRev"},
	{DeviceInterrupt, "CPU of the device in interrupts", "ratio", KindDevice, "Share of the control plane's CPU spent in interrupts: packets handled by the processor.", "show processes cpu"},
	{DeviceMemory, "memory of the device", "ratio", KindDevice, "Used share of the control plane's memory.", "cempMemPoolUsed, fgSysMemUsage, hrStorageUsed"},
	{Sessions, "sessions", "sessions", KindDevice, "Flows that a stateful device holds.", "fgSysSesCount, panSessionActive, cfwConnectionStatValue, nf_conntrack_count"},
	{SessionLimit, "session limit", "sessions", KindDevice, "The most flows that the device can hold.", "panSessionMax, nf_conntrack_max"},
	{SessionRefused, "sessions refused", "1/s", KindDevice, "New flows refused for want of room.", "nf_conntrack_stat drop, insert_failed; vendor counters"},
	{SessionDenied, "packets outside of sessions", "packet/s", KindDevice, "Packets refused because they belong to no session, or by policy.", "show asp drop, vendor counters"},
	{Stations, "forwarding entries", "entries", KindDevice, "Addresses in the forwarding database.", "dot1qFdbDynamicCount, rows of dot1qTpFdbTable, show mac address-table count"},
	{LearnDiscards, "addresses not learned", "1/s", KindDevice, "Addresses that the forwarding database had no room for.", "dot1dTpLearnedEntryDiscards"},
	{FragFails, "packets too big to forward", "packet/s", KindDevice, "Packets that needed fragmentation and must not be fragmented.", "ipSystemStatsOutFragFails, ipFragFails"},
	{MessagesDropped, "messages not kept", "1/s", KindDevice, "Log lines and traps of the device that this host received and did not keep; told as gaps alone.", "the receivers of syslog and traps"},
	{ARPDrops, "ARP dropped by inspection", "packet/s", KindDevice, "ARP packets that inspection refused.", "cdaiVlanDropped"},
}

var byMetric = func() map[Metric]Description {
	m := make(map[Metric]Description, len(descriptions))
	for _, d := range descriptions {
		m[d.Metric] = d
	}
	return m
}()

// Describe returns what is known about the metric, and whether it is in the table.
func Describe(m Metric) (Description, bool) {
	d, ok := byMetric[m]
	return d, ok
}

// Metrics returns every description, in the order of the table. The slice is the caller's.
func Metrics() []Description { return slices.Clone(descriptions) }
