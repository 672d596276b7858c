// Package heartbeat is what heartbeats have in common, whatever they are made of: opening a wire to the far end and
// keeping up the beat, questions that wait for their answers at the same time, and how errors and problems are told.
// What a gap in the answers means is [outage]'s.
package heartbeat

import (
	"context"
	"errors"
	"net"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/outage"
)

// Wire carries heartbeats until it is closed.
type Wire interface {
	outage.Wire
	// Close gives up what is under way. It returns when its goroutines are gone.
	Close()
}

// Probe opens a wire and keeps up the heartbeat on it, with the configuration that belongs to it, until ctx ends, then
// returns nil. An error is that of open.
func Probe[W Wire](ctx context.Context, open func(context.Context) (W, error), config func(W) outage.Config) error {
	w, err := open(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	defer w.Close()
	outage.Run(ctx, config(w), w)
	return nil
}

// Check says whether the far end answers: nil if it does, an error of open's, or what none says of a wire on which no
// answer came; refused is whether it refused. Check returns when it knows, when ctx ends, or after about a second.
func Check[W Wire](ctx context.Context, open func(context.Context) (W, error), none func(w W, refused bool) error) error {
	w, err := open(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	answered, refused := outage.Try(ctx, w)
	if answered {
		return nil
	}
	return none(w, refused)
}

// Every returns the time between two heartbeats: what is asked for, the usual if that is 0 or less, and never less than
// the least.
func Every(asked, usual, least time.Duration) time.Duration {
	if asked <= 0 {
		asked = usual
	}
	return max(asked, least)
}

// Cause returns what the system said, without the addresses around it.
func Cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// Problem writes a probe.problem of a heartbeat now.
func Problem(c outage.Config, reason, text string) {
	c.Out.Put(timeline.Event{
		Subject: c.Path, Type: timeline.EventProbeProblem, Span: timeline.At(time.Now().Round(0).UTC()),
		Text:  c.Kind + " heartbeat to " + c.To + ": " + text,
		Attrs: map[string]string{"kind": c.Kind, "reason": reason}, Origin: timeline.Origin{Collector: c.Collector},
	})
}
