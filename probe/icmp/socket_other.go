//go:build !linux

package icmp

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"

	xicmp "golang.org/x/net/icmp"
)

const remedy = "run it as root or as an administrator"

// openSocket opens a socket for echo requests: a datagram socket where the system has them (macOS), else a raw one.
func openSocket(to netip.Addr) (*socket, error) {
	datagram, raw, any := "udp4", "ip4:icmp", "0.0.0.0"
	if to.Is6() {
		datagram, raw, any = "udp6", "ip6:ipv6-icmp", "::"
	}
	ip := &net.IPAddr{IP: to.AsSlice(), Zone: to.Zone()}
	id := uint16(rand.IntN(65536))
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		if conn, err := xicmp.ListenPacket(datagram, any); err == nil {
			return newSocket(conn, &net.UDPAddr{IP: ip.IP, Zone: ip.Zone}, id), nil
		}
	}
	conn, err := xicmp.ListenPacket(raw, any)
	if err != nil {
		return nil, err
	}
	return newSocket(conn, ip, id), nil
}

func newSocket(conn net.PacketConn, to net.Addr, id uint16) *socket {
	write := func(b []byte) error {
		_, err := conn.WriteTo(b, to)
		return err
	}
	return &socket{conn: conn, write: write, id: id, raw: true}
}
