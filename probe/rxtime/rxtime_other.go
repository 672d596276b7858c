//go:build !linux

package rxtime

import (
	"errors"
	"net"
	"net/netip"
)

var errEmpty = errors.New("rxtime: nothing waits")

// fastReader is for Linux only: elsewhere arrivals are dated when the program reads them.
type fastReader struct{}

func newFast(net.PacketConn) *fastReader { return nil }

func (*fastReader) read([]byte, bool) (Packet, error) { return Packet{}, errEmpty }
func (*fastReader) drain([]byte, func(Packet)) error  { return nil }

// ReplyFrom returns nothing: the system chooses the address a reply leaves from.
func ReplyFrom(netip.Addr) []byte { return nil }
