// Package intake is what the receivers of syslog and of SNMP traps share: which device an address is, when
// something happened that a device told of by itself, and a queue of bounded length between the socket and the
// timeline, with exact counts of what came, what was kept and what was dropped.
//
// Whoever sends is not believed to be more than his address says. What comes from an address that is no device's is
// kept under that address, as a device of a name that no site file can give one.
package intake
