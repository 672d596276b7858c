// Package icmperr reads what hosts and routers say about packets that they did not deliver: ICMP errors, RFC 792 and
// RFC 4443, as the kernel queues them for the socket that sent the packet (Linux, ip(7) IP_RECVERR) or as they stand
// in a message of a raw socket.
//
// Anybody can send such a message. The kernel queues only those that quote a packet of the socket's own flow; who
// reads raw messages compares the [Quote].
package icmperr
