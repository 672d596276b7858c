// Package stamp is a heartbeat by the Simple Two-Way Active Measurement Protocol: RFC 8762, unauthenticated mode,
// with the session identifier of RFC 8972. [Sender] is a probe; [Reflector] is the far end.
//
// # Wire format
//
// Both packets are at least 44 octets long, UDP, big-endian; the answer is as long as the question (RFC 8762,
// sections 4.2.1 and 4.3.1; RFC 8972, section 3):
//
//	octets  sender                     reflector
//	0-3     sequence number            sequence number: its own count, or a copy (stateless)
//	4-11    timestamp T1               timestamp T3, when the answer left
//	12-13   error estimate             error estimate
//	14-15   session identifier         session identifier, copied
//	16-23   zero                       receive timestamp T2
//	24-27   zero                       sender's sequence number
//	28-35   zero                       sender's timestamp T1
//	36-37   zero                       sender's error estimate
//	38-39   zero                       zero
//	40      zero                       TTL or hop limit the question arrived with
//	41-43   zero                       zero
//
// A timestamp is NTP's (seconds since 1900 and 2^-32 s; RFC 8762 default) or PTP's truncated one (seconds since 1970
// and nanoseconds), as bit Z of the error estimate says (RFC 8186, section 2.1). The two ends may differ.
//
// RFC 8762 numbers from zero. The Sender begins at a number between 1024 and 65535 instead, as if the ones before
// had been lost: so the first answer tells a reflector that counts for itself from one that copies.
//
// Octets after the 44th (padding, TLVs of RFC 8972) are returned as they came and not looked at.
//
// # What the reflector refuses
//
// Anyone can send it a datagram with a forged source, so it answers one datagram with one of the same size to the
// address it came from, at most so many a second per source address, and drops what is itself an answer of a
// reflector: two reflectors can not be set against each other.
//
// # Other implementations
//
// Debian has no STAMP or TWAMP peer (no package of twamp, owamp or perfSONAR), so none is tested against: the
// tests check packets written by hand from the RFC's figures.
package stamp
