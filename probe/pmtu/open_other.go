//go:build !linux

package pmtu

import (
	"fmt"
	"net/netip"
	"runtime"
)

func system(netip.Addr) (own, believed int, err error) {
	return 0, 0, fmt.Errorf("%w: %s does not say what became of a packet", ErrUnsupported, runtime.GOOS)
}

func open(Config, netip.Addr, Means) (carrier, error) { return nil, ErrUnsupported }
