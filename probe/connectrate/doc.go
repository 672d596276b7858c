// Package connectrate finds out whether a path still admits new sessions while established ones go on: the sign of a
// full session or NAT table, or of a limit on new connections, in a firewall, a router or a host on the path. It opens
// so many TCP connections a second and closes each with a reset as soon as it is answered (RFC 9293, section 3.5), so
// that it fills no table itself, while a session that began before goes on: a TCP connection whose keep-alives are
// acknowledged (RFC 9293, section 3.8.4), and heartbeats from one port where the far end reflects STAMP (RFC 8762).
//
// # What counts
//
// A connection that is accepted got through; so did one that is refused, if none is accepted: the far host answers for
// a port on which nothing listens. Where others are accepted, a refusal comes from something that is at its limit. What
// is not answered within 900 ms is lost: after a second the kernel would send the SYN again (RFC 6298, section 2), and
// its answer would say nothing about the first.
//
// It goes slowly, at a quarter of the rate, and fast by turns: what fails in both is full; what fails only when it goes
// fast is limited.
//
// # Beware
//
// The port's owner sees connections that are reset at once. A program that does not accept them, such as an iperf3
// server during a test, fills its own queue with them (listen(2), backlog) and its host drops further SYNs: that looks
// like a full table. A port on which nothing listens has no queue.
package connectrate
