// Package syslog reads log lines of network devices: Cisco IOS and IOS-XE in all the shapes that "service
// timestamps", "service sequence-numbers" and "logging origin-id" give their headers, NX-OS, IOS-XR and the ASA,
// with or without the priority of RFC 3164 and the header of RFC 5424 in front.
//
// No line is dropped: what is not understood keeps its text and lacks the rest.
//
// The keys of LogLine.Attrs, all optional, by message:
//
//	any                          unit      which card, switch or unit of a pair logged it: SP, SW2, primary
//	LINK-*-UPDOWN, CHANGED,      state     up, down
//	LINEPROTO-*-UPDOWN           layer     link, protocol
//	                             admin     down, when a person shut the port
//	SPANTREE-*-TOPOTRAP          instance  the VLAN or the instance
//	SPANTREE-*-PORT_STATE        instance, from, to (disabled, blocking, listening, learning, forwarding)
//	SPANTREE-*-ROOTCHANGE        instance, root_port, root (its MAC address)
//	CDP-*-DUPLEX_MISMATCH        duplex (full, half: this port's own), neighbor, neighbor_port, neighbor_duplex
//	PM-*-ERR_DISABLE             cause (link-flap, bpduguard, ...), state: err-disabled
//	PM-*-ERR_RECOVER             cause
//	SW_MATM-*-MACFLAP_NOTIF      mac, instance, other_port
//	HSRP, VRRP -STATECHANGE      group, from, to (the device's words in lower case), role
//	ASA-1-104001, -104002        role, unit, reason
//
// role is active or standby; other states have none. Port is the interface that the line names, in the spelling
// of the line.
//
// What it leaves to others: receiving lines (there is no listener here), and what a line means on a path.
package syslog
