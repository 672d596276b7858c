package stream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"
)

// DatagramReceiver counts the numbered datagrams that arrive at one socket from one sender.
type DatagramReceiver struct {
	Parse Parse // must not be nil
	// Foreign, if not nil, is given what Parse does not know, such as a protocol's last word. b is valid until it
	// returns.
	Foreign func(b []byte, from netip.AddrPort)
	// From, if valid, is the only sender that counts.
	From netip.AddrPort
	// Whole says that Parse or Foreign need more of a datagram than its first 128 bytes. Otherwise the rest is not
	// copied while this host does not keep up; see [Reception.Add] for what that costs.
	Whole bool
	// Count must not be nil.
	Count *Reception
}

// Run reads until ctx ends, and then what had come until then, and returns nil; it returns the error if the socket fails. It takes over the socket's
// read deadline and leaves none behind.
func (r *DatagramReceiver) Run(ctx context.Context, conn net.PacketConn) error {
	defer interruptible(ctx, conn.SetReadDeadline)()
	reader := NewDatagramReader(conn)
	if !r.Whole {
		reader.Heads()
	}
	r.Count.reads(reader.Path())
	defer func() {
		reader.release()
		dropped, known := reader.Dropped()
		r.Count.Finish(dropped, known, 0)
	}()
	parse := r.Parse
	var from netip.AddrPort
	if r.Foreign != nil {
		inner := parse
		parse = func(b []byte) (number uint64, sent time.Time, ok bool) {
			if number, sent, ok = inner(b); !ok {
				r.Foreign(b, from)
			}
			return number, sent, ok
		}
	}
	take := func(b Burst) {
		if r.From.IsValid() && b.From.IsValid() && b.From != r.From {
			return
		}
		from = b.From
		r.Count.Add(b, parse)
	}
	for {
		err := reader.Read(take)
		switch {
		case err == nil, refused(err): // the refusal is of what the other direction sent
		case ctx.Err() != nil && errors.Is(err, os.ErrDeadlineExceeded):
			reader.rest(take)
			return nil
		default:
			return fmt.Errorf("stream: receive: %w", err)
		}
	}
}
