// Package snmp asks devices by SNMP v2c and v3 (RFC 3416, RFC 3414) and returns what they say as a
// devices.Reading: system, ports (IF-MIB, RFC 2863; EtherLike-MIB, RFC 3635) and spanning tree (BRIDGE-MIB, RFC
// 4188; CISCO-STP-EXTENSIONS-MIB). It subtracts nothing; that is left to devices.Differ.
//
// A device is asked gently. At first contact the interface table's names are walked once to find the wanted
// ports; from then on only those ports' objects are read, in a few GET requests that fit an Ethernet frame, no more than
// two of them outstanding at a time, and what the device does not have is not asked again for minutes. Nothing in
// this package encodes a SetRequest.
//
// What is asked in every poll goes through the codec of package fast, which makes a poll cheap; gosnmp discovers, walks,
// and asks again whatever that codec did not understand. What gosnmp leaves open is closed here: it takes a reply with
// request-id 0 for any request, hides errors in its walk, and calls every refused login a packet that is "not
// authentic". Package text never holds a community, a pass phrase or the octets of a message.
package snmp
