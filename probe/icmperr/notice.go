package icmperr

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// ErrUnsupported says that this system hands ICMP errors to raw sockets only.
var ErrUnsupported = errors.New("this system gives ICMP errors to raw sockets only")

// Kind is what a notice says, the same for IPv4 and IPv6.
type Kind uint8

// Kinds of notices.
const (
	Other       Kind = iota
	Exceeded         // the time to live ran out on the way
	Port             // the host is there, but nothing listens on the port
	Unreachable      // no way to the network or host
	Prohibited       // a filter says no
	TooBig           // larger than the next link takes, and not to be fragmented
)

// Notice is what somebody said about a packet of ours.
type Notice struct {
	By     netip.Addr     // who said it; zero if this host's kernel did, or if it is not known
	Local  bool           // this host's kernel said it
	V6     bool           // Type and Code are ICMPv6's
	Type   uint8          // 0 if Local
	Code   uint8          // 0 if Local
	MTU    int            // of TooBig: what the next link takes, IP header included; 0: not said
	To     netip.AddrPort // where the packet went, if known
	Quoted []byte         // what is quoted of the packet: behind the UDP header, or from the ICMP or TCP header on; may be empty
	At     time.Time      // when it arrived, with a monotonic reading
}

// Kind returns what the notice says.
func (n Notice) Kind() Kind {
	type key struct {
		v6         bool
		kind, code uint8
	}
	if n.Local {
		if n.MTU > 0 {
			return TooBig
		}
		return Unreachable
	}
	if k, ok := map[key]Kind{
		{false, 11, 0}: Exceeded, {true, 3, 0}: Exceeded,
		{false, 3, 3}: Port, {true, 1, 4}: Port,
		{false, 3, 4}: TooBig, {true, 2, 0}: TooBig,
		{false, 3, 9}: Prohibited, {false, 3, 10}: Prohibited, {false, 3, 13}: Prohibited,
		{true, 1, 1}: Prohibited, {true, 1, 5}: Prohibited, {true, 1, 6}: Prohibited,
	}[key{n.V6, n.Type, n.Code}]; ok {
		return k
	}
	if !n.V6 && n.Type == 3 || n.V6 && n.Type == 1 {
		return Unreachable
	}
	return Other
}

// Text returns the notice in words, without its author.
func (n Notice) Text() string {
	switch k := n.Kind(); {
	case k == TooBig && n.MTU > 0:
		return fmt.Sprintf("too big, the next link takes %d bytes", n.MTU)
	case k == TooBig:
		return "too big, without saying what the next link takes"
	case k == Exceeded:
		return "time exceeded in transit"
	case k == Port:
		return "port unreachable"
	case k == Prohibited:
		return "administratively prohibited"
	case n.Local:
		return "this host cannot send"
	case k == Unreachable && (!n.V6 && n.Code == 1 || n.V6 && n.Code == 3):
		return "host unreachable"
	case k == Unreachable && n.Code == 0:
		return "network unreachable"
	case k == Unreachable:
		return fmt.Sprintf("unreachable, code %d", n.Code)
	}
	return fmt.Sprintf("ICMP type %d, code %d", n.Type, n.Code)
}
