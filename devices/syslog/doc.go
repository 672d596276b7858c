// Package syslog takes in the logs of network devices: what they send by themselves, over UDP (RFC 5426), TCP with
// both framings (RFC 6587) and TLS (RFC 5425), and what a person or a command hands over line by line.
//
// A line may have the header of RFC 3164 or RFC 5424, any of the shapes that "service timestamps", "service
// sequence-numbers" and "logging origin-id" give those of Cisco, or none. What it tells of is found by tables of the
// vendors' messages, one file each; the event's type is LogLine.Type and its attributes are LogLine.Attrs, in the
// words of package timeline. Beyond those, all optional:
//
//	unit      which card, switch or unit of a pair logged it: SP, SW2, primary
//	layer     link or protocol, of if.oper: both layers of a port tell of one change
//	instance  a number that may be a VLAN or an MST instance, where the line does not say which
//	duplex, neighbor, neighbor_port, neighbor_duplex   of cdp.duplex_mismatch
//	bridge    the bridge of a Linux host
//
// No line is dropped for what it says: what is not understood keeps its text and lacks the rest.
package syslog
