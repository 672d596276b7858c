//go:build !linux

package host

import (
	"context"
	"net/netip"
	"time"
)

// portable is what the standard library gives.
type portable struct{}

func openSystem() system { return portable{} }

func (portable) close() {}

func (portable) cpu() (CPU, error) { return ReadCPU() }

func (portable) process() (user, system time.Duration, err error) { return ownTime() }

func (portable) waits() (Waits, error) { return readWaits() }

func (portable) udp() (UDPCounters, error) { return ReadUDP() }

func (portable) backlog() (uint64, error) { return 0, errNotGiven }

func (portable) route(ctx context.Context, to netip.Addr) (int, error) {
	return routeByAddress(ctx, to)
}

func (portable) link(index int) (Link, error) { return linkByIndex(index) }

func (portable) queues() (map[int]Queue, error) { return nil, errNotGiven }

func (portable) setup(string) Setup { return Setup{} }

// watch waits: changes are found by looking.
func (portable) watch(ctx context.Context, _ func()) error {
	<-ctx.Done()
	return nil
}

func (portable) clocks() instant { return readClocks() }
