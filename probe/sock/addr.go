// Package sock has what the path probes need of Linux sockets and the net package does not offer: a packet at a time
// with a time to live of its own, sent whole whatever the kernel believes of the path, and raw sockets (ip(7), ipv6(7),
// raw(7)). Sockets never wait; [Poll] does. On other systems there is little of it.
package sock

import "net/netip"

// Unspecified returns the address of any interface, in the family of a.
func Unspecified(a netip.Addr) netip.Addr {
	if a.Is4() {
		return netip.IPv4Unspecified()
	}
	return netip.IPv6Unspecified()
}
