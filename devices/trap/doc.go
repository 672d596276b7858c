// Package trap takes in SNMP notifications: traps of version 1 (RFC 1157), traps and informs of version 2c (RFC 3416)
// and of version 3 with the user-based security model (RFC 3414), and answers informs. Version 1's are read as RFC 3584,
// section 3.1 says.
//
// A message is taken in only if its community, or its user with a security level that is at least the configured one, is known.
// Replies go only to who was authenticated, and to requests for this engine's identity, which they do not exceed by much. Everything
// that is refused is counted by reason; no datagram, however made, ends the receiver.
//
// What a notification tells of is found by tables of the MIBs' notifications, in notifications.go; one that is not in them is
// kept as a line of the device's log, and its words are read like one.
package trap
