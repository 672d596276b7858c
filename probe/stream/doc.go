// Package stream is the traffic engine under the throughput protocols: it sends at a rate, receives, counts and
// keeps time, bytes of a connection and numbered datagrams. What goes before and after the bulk data is the protocols'
// own, and so are the fields in a datagram.
//
// Pacing follows an absolute schedule, so that a late timer does not lower the rate. Time that the path took away
// is not made up for: after a stall the sender goes on at its rate and does not burst. (Stock iperf3 catches up,
// which hides a stall in the mean and floods small queues.)
//
// The portable path is the net package's Read and Write. Linux has faster ones, chosen when a transfer runs, with the
// portable one behind them, and each count says which was taken:
//
//	bytes out      vmsplice(2) into a pipe, splice(2) into the socket: nothing is copied
//	bytes in       recv with MSG_TRUNC (tcp(7)): thrown away in the kernel, nothing is copied
//	datagrams out  UDP_SEGMENT (udp(7)): up to 64 as one piece; else sendmmsg(2)
//	datagrams in   UDP_GRO and recvmmsg(2), SO_TIMESTAMPNS, SO_RXQ_OVFL and SO_MEMINFO for this host's own drops
//
// What a receiver throws away it has not looked at. A verified transfer writes a known pattern and compares every
// byte. Socket options stand in one file per system. Memory does not grow with a test's length.
package stream
