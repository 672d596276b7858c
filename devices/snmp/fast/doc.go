// Package fast asks an agent for objects that are known by name, over and over: the counters of a device's
// watched ports. Requests are encoded once and only their identifiers are patched; an answer is compared with the
// object identifiers that it must hold, octet by octet, and its values are written into a flat slice.
//
// It understands the answers of well-behaved agents and nothing else. Whatever is not exactly what was asked for
// (another object, an error status, a value that is neither number nor octets, a Report, a message that is not authentic) is left
// to the caller, who asks gosnmp for the same objects; so a value from here is always the value that gosnmp would
// have given. Discovery, keys and clock of a v3 engine come from the caller as well.
//
// Sources: RFC 3416 (PDUs), RFC 3417, section 8 (BER as SNMP uses it), RFC 1157 and 1901 (messages of v1 and
// v2c), RFC 3412 and RFC 3414 (messages of v3 and their authentication), RFC 7860 (HMAC-SHA-2), RFC 3826 (AES).
package fast
