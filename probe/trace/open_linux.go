package trace

import (
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

const icmpRemedy = "let sysctl net.ipv4.ping_group_range include a group of this user, or run it as root or with CAP_NET_RAW"

// open opens a carrier. Where raw sockets are allowed they are used beside or instead of others: they see more of
// what routers quote.
func open(c Config, to netip.Addr) (carrier, error) {
	switch c.Method {
	case ICMP:
		w, err := openEcho(c, to)
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			return nil, fmt.Errorf("%w: %s", ErrPermission, icmpRemedy)
		}
		return w, err
	case TCP:
		if w, err := openSYN(c, to); err == nil || !errors.Is(err, unix.EPERM) {
			return w, err
		}
		return openConnect(c, to)
	}
	return openUDP(c, to)
}
