//go:build !linux

package host

import (
	"context"
	"errors"
	"net/netip"
)

// CarrierWatch hears of the carrier of the card that leads to an address.
type CarrierWatch struct{}

// WatchCarrier is an error: only Linux tells (rtnetlink).
func WatchCarrier(netip.Addr) (*CarrierWatch, error) {
	return nil, errors.New("host: carriers are watched on Linux only")
}

// Run returns at once.
func (*CarrierWatch) Run(context.Context, func(CarrierChange)) {}
