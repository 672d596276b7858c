// Package iperf2 measures throughput by the protocol of iperf 2, TCP and UDP, as client and as server, with stock
// iperf 2 at either end.
//
// The protocol has no standard. The forms of 2.1 were seen on the wire of iperf 2.1.8, which the tests run against.
// The forms of 2.0.x are written from the layout that its headers document (client_hdr, server_hdr and UDP_datagram
// of 2.0.5 and 2.0.13); no 2.0.x program takes part in the tests, byte fixtures stand for it.
//
// # Wire format
//
// All fields are 32 bits, big endian. A client begins with a header: over TCP it comes before the data and counts
// as data, over UDP it stands in every datagram behind the datagram's own fields.
//
//	client header    flags, threads, port for connections back, length of a write, window, amount
//	                 amount: negative is a time in units of 10 ms, positive is bytes
//	extension, 2.1   type and length (0), two times 16 flags, version (2), type of service, rate (2), prefetch
//	extension, 2.0   type 1 and length, flags, version (2), reserved, rate, unit of the rate, realtime
//	datagram, wide   number (low half), seconds, microseconds, number (high half), client header
//	datagram, 2.0.5  number, seconds, microseconds, client header
//
// The flags say which of the two datagrams it is (0x08000000 wide), whether an extension follows (0x40000000), how
// long the whole header is (0x00010000 with the length, doubled, in 0x1fe), and whether the server is to send back
// by a connection of its own (0x80000000): at once (-d, with 0x00000001) or after the test (-r). -R is flag 0x0400 of
// the extension's upper half (flag 8 of the extension of 2.0.13). A server answers an extended TCP header with 28
// bytes, unless it is to send. Over TCP the closing of the sender's half ends a test.
//
// Numbers of datagrams count from 1 (from 0 in 2.0.5). The last has its number negated, counts as data, and is sent
// again until the receiver answers with its report:
//
//	report           flags, bytes (2), seconds, microseconds, lost, out of order, total, jitter (2)
//	                 15 words about transit times, then the high halves of lost, out of order and total
//
// behind the fields of a datagram, or behind three words for a client of 2.0.5. Jitter is that of RFC 3550, section
// 6.4.1. What stands in a datagram's fields of a report means nothing.
//
// # What differs from stock iperf 2
//
// One socket serves all UDP clients, so that no datagram at a test's beginning is counted for another test.
// Duplicates are counted apart and do not hide a loss. The server's limits and whom it sends to are described at
// [ServerConfig].
package iperf2

// DefaultPort is iperf 2's, of TCP and of UDP.
const DefaultPort = 5001
