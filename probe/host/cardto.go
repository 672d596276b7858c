package host

import (
	"context"
	"fmt"
	"net/netip"
)

// Card is what is known of the network card that leads to a far end.
type Card struct {
	Link
	Setup
	Queue string // kind of its queueing discipline; "" if the system does not tell
}

// CardTo returns the network card of this host that leads to the address. Nothing is sent. What the system does not
// tell of it is zero.
func CardTo(ctx context.Context, to netip.Addr) (Card, error) {
	sys := openSystem()
	defer sys.close()
	index, err := sys.route(ctx, to)
	if err != nil {
		return Card{}, fmt.Errorf("host: %w", err)
	}
	l, err := sys.link(index)
	if err != nil {
		return Card{}, fmt.Errorf("host: %w", err)
	}
	c := Card{Link: l, Setup: sys.setup(l.Name)}
	if !honestSpeed[l.Kind] {
		c.SpeedBits, c.Duplex = 0, ""
	}
	if all, err := sys.queues(); err == nil {
		c.Queue = all[index].Kind
	}
	return c, nil
}

// String describes the card: "eth0: igb, 1000 Mbit/s full duplex, MTU 1500, queue fq_codel, TSO GSO GRO on, LRO off".
func (c Card) String() string { return describe(attrs(c.Link, c.Setup, Queue{Kind: c.Queue}, nil)) }
