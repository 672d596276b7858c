// Package outage keeps the books of a heartbeat: which heartbeats were sent, which came back and when, and what
// follows for the path.
//
// A [Book] is fed by one probe (stamp, icmp, tcpconnect) and writes to a [timeline.Sink]
//
//   - samples for every 100 ms of sending: path.rtt (median), path.loss.*, path.jitter.* and path.reordered;
//   - a [timeline.EventOutage] for every stretch without delivery, when it is over;
//   - a [timeline.Gap] where the probing host itself did not send, and where the far end did not run.
//
// What counts as an outage is a gap between two arrivals, at the far end for the way forward and here for the
// way back, that sequence numbers vouch for: at least three heartbeats in a row were lost and the gap is at least
// four heartbeats or 50 ms, whichever is less; or the heartbeats were delivered late, all at once out of a queue, and the gap is at least 100 ms. A gap in
// which the host did not send proves nothing and is none: durations are shortened by what was not sent.
//
// Directions. A reflector that counts what it reflects (RFC 8762, section 4.3, stateful mode) tells loss on the
// way forward from loss on the way back: between two answers, the numbers it used are the heartbeats it saw. Which
// of several missing heartbeats were which is not in the answers; the book takes it that those lost on the way
// forward came first, as when both ways went dark together and the way forward was back first. No more than what
// is in flight during one round trip is taken to have been cut off on the way back at the beginning. A peer that
// does not count leaves the direction open, and the event says so.
//
// Time. Durations are monotonic; wall-clock time is put on a record when it is written. The far end's clock is
// used for differences only and need not be set: a delay it claims is believed as far as the round trip grew too.
//
// Memory is bounded: the last 30 s of heartbeats are kept singly, older ones are counted.
package outage
