// Package probe is the contract between whydrop and what it sends over a path.
//
// A [Prober] measures one path until its context ends and writes what it saw to a sink: goodput, loss, delay,
// and outages dated to the heartbeat. One package per protocol lies below: iperf3 (RFC-less, esnet/iperf's
// control protocol), stamp (RFC 8762), icmp (RFC 792, RFC 4443). The kinds there are stand in one list,
// runner.Kinds.
//
// What the network did is a finding and goes to the sink; an error means that the probe could not be carried
// out at all: a bad address, a refused connection before anything was measured, a peer that speaks another
// protocol. A path that dies under a running probe is never an error: the probe reports the outage and goes on
// when the path returns.
package probe

import (
	"context"

	"whydrop/correlate/timeline"
)

// Prober measures one path.
type Prober interface {
	// Path returns the subject that the prober's samples and outages are about.
	Path() timeline.Subject
	// Probe measures until ctx ends, then returns nil. It returns within a second of ctx ending and leaves no
	// goroutine and no socket behind. Records reach out at least once a second while traffic runs.
	Probe(ctx context.Context, out timeline.Sink) error
}
