package icmp

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

const remedy = "let sysctl net.ipv4.ping_group_range include a group of this user, or run it as root or with CAP_NET_RAW"

// openSocket opens a connected socket for echo requests: the kernel keeps away what comes from others.
func openSocket(to netip.Addr) (*socket, error) {
	conn, err := datagram(to)
	if err == nil {
		return &socket{conn: conn, write: writer(conn)}, nil
	}
	if !errors.Is(err, os.ErrPermission) && !errors.Is(err, unix.EPROTONOSUPPORT) {
		return nil, err
	}
	network := "ip4:icmp"
	if to.Is6() {
		network = "ip6:ipv6-icmp"
	}
	raw, err := net.Dial(network, to.String())
	if err != nil {
		return nil, err
	}
	ip := raw.(*net.IPConn)
	return &socket{conn: ip, write: writer(ip), id: uint16(rand.IntN(65536)), raw: true}, nil
}

func writer(c net.Conn) func([]byte) error {
	return func(b []byte) error {
		_, err := c.Write(b)
		return err
	}
}

// datagram opens a ping socket (icmp(7)). The net package takes it for UDP, whose port is the identifier here.
func datagram(to netip.Addr) (*net.UDPConn, error) {
	family, proto := unix.AF_INET, unix.IPPROTO_ICMP
	var sa unix.Sockaddr
	if to.Is4() {
		sa = &unix.SockaddrInet4{Addr: to.As4()}
	} else {
		family, proto = unix.AF_INET6, unix.IPPROTO_ICMPV6
		sa = &unix.SockaddrInet6{Addr: to.As16(), ZoneId: zoneID(to.Zone())}
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, proto)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	f := os.NewFile(uintptr(fd), "icmp")
	defer f.Close()
	if err := unix.Connect(fd, sa); err != nil {
		return nil, os.NewSyscallError("connect", err)
	}
	conn, err := net.FilePacketConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := conn.(*net.UDPConn)
	if !ok {
		_ = conn.Close()
		return nil, fmt.Errorf("a ping socket became %T", conn)
	}
	return u, nil
}

func zoneID(zone string) uint32 {
	if ifi, err := net.InterfaceByName(zone); err == nil {
		return uint32(ifi.Index)
	}
	return 0
}
