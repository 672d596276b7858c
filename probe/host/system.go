package host

import (
	"context"
	"net/netip"
	"time"
)

// system is where the figures come from. A method returns errNotGiven for what the system does not tell. All but
// watch, route and clocks are called from one goroutine.
type system interface {
	cpu() (CPU, error)
	process() (user, system time.Duration, err error)
	waits() (Waits, error)
	udp() (UDPCounters, error)
	backlog() (uint64, error) // frames that the kernel's input queues had no room for

	route(ctx context.Context, to netip.Addr) (index int, err error) // of the card that leads there
	link(index int) (Link, error)
	queues() (map[int]Queue, error) // by the index of the card
	setup(name string) Setup
	watch(ctx context.Context, changed func()) error // calls changed when a link may have changed, until ctx ends

	clocks() instant
	close()
}

func ownTime() (user, system time.Duration, err error) {
	user, system, ok := processTime()
	if !ok {
		return 0, 0, errNotGiven
	}
	return user, system, nil
}
