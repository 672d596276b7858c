// Package trace finds the hops of a path and what each of them loses: packets whose time to live (RFC 791, section
// 3.1; RFC 8200, section 3, hop limit) runs out at one router after the other, which say so by ICMP (RFC 792,
// RFC 4443).
//
// # Flow
//
// All packets of a trace have the same addresses, protocol and ports, so that routers and bundles that spread flows
// over links send all of them the same way (the idea of Paris traceroute, Augustin and others, IMC 2006; ICMP echo has
// a constant checksum instead of ports). What tells them apart is quoted in the answers: octets of the payload; of
// UDP also the length, of TCP the sequence number, of ICMP the echo's.
//
// # Loss
//
// Routers answer when they have nothing better to do, and most limit how often. A hop that leaves packets unanswered
// while the hops behind it and the target answer theirs loses nothing: what counts of a hop's loss is the least
// loss of any hop from there on to the target ([Hop.Counted]). If the target never answers, none can be said to count.
//
// # Rights
//
// On Linux UDP and TCP traces need no rights, nor does ICMP where the sysctl net.ipv4.ping_group_range allows it: the
// kernel hands the answers to the socket that sent the packets (ip(7), IP_RECVERR). It keeps the quoted UDP header to
// itself, so where a router quotes no more than that, packets go one at a time from then on. TCP goes by connections
// one at a time, which the target's program sees; root sends bare SYNs instead. On macOS and the BSDs a trace needs
// root, by TCP it is not possible. On Windows there is none.
//
// # Manners
//
// At most 100 packets a second, at most 30 hops (default) and the rounds asked for, one a second; nothing is sent to
// anybody but the target.
package trace
