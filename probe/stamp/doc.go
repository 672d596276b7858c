// Package stamp is a heartbeat by the Simple Two-Way Active Measurement Protocol: RFC 8762, unauthenticated and
// authenticated mode, with the session identifier of RFC 8972. [Sender] is a probe; [Reflector] is the far end.
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
// In authenticated mode, with a key on both ends, a packet has 112 octets. The fields begin blocks of 16 (RFC 8762,
// figures 3 and 6); the last 16 octets are the HMAC-SHA-256 of the 96 before them, truncated to 128 bits:
//
//	octets  sender                     reflector
//	0-3     sequence number            sequence number
//	16-23   timestamp T1               timestamp T3
//	24-25   error estimate             error estimate
//	26-27   session identifier         session identifier, copied
//	32-39   zero                       receive timestamp T2
//	48-51   zero                       sender's sequence number
//	64-71   zero                       sender's timestamp T1
//	72-73   zero                       sender's error estimate
//	80      zero                       TTL or hop limit the question arrived with
//	96-111  HMAC                       HMAC
//
// The key proves who speaks; it hides nothing, and a packet that is played again is answered again.
//
// Octets after the 44th or the 112th (padding, TLVs of RFC 8972) are returned as they came and not looked at.
//
// # TWAMP Light
//
// RFC 5357, appendix I, without a control connection: unauthenticated packets have the same fields as far as octet 40.
// Its questions have padding behind the error estimate, where STAMP has the session identifier and zeros; a question
// without those zeros belongs to session 0. Its answers may end with octet 40. A question that is shorter than that is not
// answered, because the answer would be longer. Its authenticated mode is another one (AES) and not spoken.
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
// tests check packets written by hand from the figures of RFC 8762, 8972 and 5357.
package stamp
