// Package portsweep looks for one bad member of a bundle. Switches and routers that spread traffic over several links
// (IEEE 802.1AX, equal-cost paths of RFC 2992) choose the link of a flow by a hash of its addresses and ports, so a
// member that loses packets hurts some flows always and others never. The sweep asks the same target from many source
// ports, in a new random order every round, and looks whether the losses, or the answers that come late, keep to some
// of the ports.
//
// # By chance?
//
// Some ports always lose more than others. What counts is the probability that losses which fall on packets at random
// keep to any set of ports of that size as well as they do: at most C(m,k) times the tail of the hypergeometric
// distribution (k of m ports; union bound over all sets of k ports), times the number of sizes that were tried. It is
// an upper bound, and says nothing about an outage, which falls on all ports alike: a port has only so many packets in
// it as any other, since rounds go through all of them.
//
// # What answers
//
// A STAMP reflector (RFC 8762), whose count tells loss on the way there from loss on the way back; otherwise TCP
// connections, accepted or refused, which tell neither. What is lost entirely on a port does not tell the ways either.
// Answers are spread over the bundle's members too, by the far side's own hash: a bad member that hurts them also keeps
// to some ports.
package portsweep
