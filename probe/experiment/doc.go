// Package experiment runs a test over and over with one thing changed, because how a path answers to the change tells
// causes apart that a single test cannot: a window from a line, a policer from a queue, damage from congestion.
//
// A [Plan] is a list of steps, each a test of package iperf3 against a far end of ours or a stock iperf3 -s. What it
// costs at most is known before it runs ([Plan.Load]). While it runs a heartbeat shows the round-trip time (STAMP, RFC
// 8762, where the far end has a reflector; else ICMP echo or refused TCP connections), so that a queue can be seen
// filling. [Run] returns one [Row] per step; [Meaning] says in words what the rows mean, [Theory] what they should be:
// window over round-trip time (RFC 9293, section 3.8), the bandwidth-delay product (RFC 1072), the rate that TCP's
// congestion avoidance sustains under loss (Mathis et al., doi 10.1145/263932.264023), and Ethernet's own limit at this
// packet size (package wire).
//
// Sweeps over source ports are package portsweep's.
package experiment
