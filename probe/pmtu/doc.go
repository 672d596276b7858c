// Package pmtu finds how large a packet a path takes in one piece, by sending packets of different sizes that are not
// to be fragmented (RFC 1191, RFC 8201, and as RFC 4821 and RFC 8899 do without believing anybody).
//
// # What is believed
//
// A size passes if a packet of it was answered, whatever anybody says about it; it does not if three were not and a
// small one, sent after them, was. The kernel's own idea of the path (ip route get) is shown and not used: it may be
// old, or forged. The size that passes and the one above it are tried again at the end.
//
// Where it ends is told from what comes back for the packets that are too large: a router that says so and which size
// its next link takes (ICMP "fragmentation needed", "packet too big"), or nothing at all: a black hole, in which TCP
// connections hang that got as far as to send full segments. Where the hole is, a trace with packets of that size
// says: the last router that they reach.
//
// # What answers
//
// A STAMP reflector (RFC 8762), which answers in the question's size and counts what it gets: so it is known what
// arrived there although its answer did not come back, and both ways are measured. ICMP echo: the answer is as large
// too, but the target is free to fragment it; that it came in one piece says that the way back takes as much, that it
// came in pieces says what it takes, and that it did not come leaves the two ways open. Then datagrams to a port on
// which nothing listens are tried, whose refusal is small: that is the way there alone. Many hosts send one such
// refusal a second, so these go slowly.
//
// # Rights
//
// Linux alone, without any rights (ICMP echo: see package icmp). Other systems do not let a program send a packet
// larger than they believe the path to take, or not say what became of it: [ErrUnsupported].
package pmtu
