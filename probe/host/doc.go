// Package host watches the host that probes: its processors, its sockets, its network card and its clock. A loss
// that the tester made itself must not be blamed on the path.
//
// [Sampler] writes what it sees once a second while a probe runs: samples about Host(LocalHost), the counters of the
// network card that leads to the far end about Port(LocalHost, name), and as events the card's carrier, its set-up and
// steps of the clock. [Load], [ReadCPU], [ReadUDP] and [SocketDrops] are for programs that want a figure at a time,
// [Granted] says what a socket was asked for and what it got.
//
// Sources on Linux: /proc/stat (proc(5)), /proc/self/task/*/schedstat, cpu.stat of control groups (cgroups(7)), /proc/net/snmp, snmp6 and softnet_stat, rtnetlink(7) for links, routes and
// queueing disciplines (include/uapi/linux/if_link.h, gen_stats.h), the ethtool ioctls (include/uapi/linux/ethtool.h).
// Counters are asked for by rtnetlink and not read from /sys/class/net, which may show another network namespace than
// the one this process is in; they are the same. On other systems the standard library tells of the card's name, size
// and state, and the timers and the clock are watched; everything else is a gap, never 0.
package host
