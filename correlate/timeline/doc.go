// Package timeline is the shared vocabulary of whydrop: what was measured, where, and when.
//
// Probes and devices write [Record] values to a [Sink]; correlation, rules, reports and the terminal UI read
// them from a [Snapshot]. The package is to whydrop what net/netip is to net: a leaf that imports nothing of
// ours and knows no producer and no consumer.
//
// What may be added here: a type or a name that at least one producer and one consumer on different sides of
// a wall must agree on (a subject, a metric, an event type, a reason for a gap). Algorithms, I/O, formatting
// and anything that only one room needs stay in that room.
//
// Units: bit/s, packet/s, seconds, ratios 0-1, UTC. Each metric's unit is in its [Description].
package timeline
