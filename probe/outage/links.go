package outage

import (
	"context"
	"net/netip"
	"sync"

	"whydrop/probe/host"
)

// links gathers what happens to this host's own links for the goroutine that keeps the book.
type links struct {
	running sync.WaitGroup
	mu      sync.Mutex
	changes []host.CarrierChange
}

// watchLinks listens until ctx ends to the links that lead to an address. Where that cannot be, nothing is said of them.
func watchLinks(ctx context.Context, to netip.Addr) *links {
	l := new(links)
	if !to.IsValid() {
		return l
	}
	w, err := host.WatchCarrier(to)
	if err != nil {
		return l
	}
	l.running.Go(func() {
		w.Run(ctx, func(c host.CarrierChange) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.changes = append(l.changes, c)
		})
	})
	return l
}

// enter enters in the book what happened since the last call.
func (l *links) enter(b *Book) {
	l.mu.Lock()
	changes := l.changes
	l.changes = nil
	l.mu.Unlock()
	for _, c := range changes {
		b.Carrier(c.At, c.Card, c.Up)
	}
}

// wait returns when nothing listens any more.
func (l *links) wait() { l.running.Wait() }
