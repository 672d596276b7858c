package sim

import "net/netip"

// farEnd is the host at the other end of the path.
type farEnd struct {
	tcp, udp netip.AddrPort
}

func startFarEnd(slow float64, rcv int) (*farEnd, error) { return &farEnd{}, nil }

func (f *farEnd) close() error { return nil }
