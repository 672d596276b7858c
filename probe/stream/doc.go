// Package stream is the traffic engine under the throughput protocols: it sends at a rate, receives, counts and
// keeps time. What goes before and after the bulk data is the protocols' own.
//
// Pacing follows an absolute schedule, so that a late timer does not lower the rate. Time that the path took away
// is not made up for: after a stall the sender goes on at its rate and does not burst. (Stock iperf3 catches up,
// which hides a stall in the mean and floods small queues.)
//
// This is the portable path, net.Conn's Read and Write. Socket options stand in one file per system. Memory does
// not grow with a test's length.
package stream
