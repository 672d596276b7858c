package probe

import (
	"context"
	"fmt"
	"net"
	"net/netip"
)

// Resolve returns the address of a host: itself if it is one, otherwise the one the system prefers (RFC 6724), so
// that every probe of a path goes to the same.
func Resolve(ctx context.Context, host string) (netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap(), nil
	}
	as, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("find the address of %q: %w", host, err)
	}
	return as[0].Unmap(), nil
}
