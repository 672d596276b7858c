package iperf3

import (
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"whydrop/probe/stream"
)

// marks is what is set up on every socket of a test beside what the engine sets.
type marks struct {
	tos          int
	dontFragment bool // of UDP
	device       string
	reuse        bool // others may have the port, with another peer
}

func (m marks) control(network string, raw syscall.RawConn) error {
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = m.set(network, fd) }); err != nil {
		return err
	}
	return inner
}

// apply sets up a connection that exists already. A connection without a descriptor is left as it is.
func (m marks) apply(conn net.Conn, network string) error {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return fmt.Errorf("iperf3: %w", err)
	}
	return m.control(network, raw)
}

// network returns "tcp" or "udp" with the address family asked for.
func (t Test) network(protocol string) string {
	switch {
	case t.Family == 4, t.LocalAddress.Is4():
		return protocol + "4"
	case t.Family == 6, t.LocalAddress.Is6():
		return protocol + "6"
	}
	return protocol
}

// connectWait is how long a connection may take to open, or a hello to be answered.
func (t Test) connectWait() time.Duration {
	if t.ConnectTimeout > 0 {
		return t.ConnectTimeout
	}
	return stateWait
}

// dialer returns what opens the i-th stream, or the control connection (-1): bound, marked and set up.
func (t Test) dialer(sock stream.Socket, protocol string, i int) *net.Dialer {
	if protocol == "udp" {
		sock.MSS, sock.Congestion, sock.Unsent = 0, "", 0
	}
	d := sock.Dialer(t.connectWait())
	m := marks{tos: t.TOS, dontFragment: t.DontFragment && t.UDP && i >= 0, device: t.Device}
	ap := netip.AddrPortFrom(t.LocalAddress, 0)
	if t.LocalPort != 0 && i >= 0 {
		ap = netip.AddrPortFrom(t.LocalAddress, t.LocalPort+uint16(i))
		m.reuse = protocol == "tcp" // of a test a moment ago
	}
	if ap.Addr().IsValid() || ap.Port() != 0 {
		d.LocalAddr = localAddr(protocol, ap)
	}
	inner := d.Control
	d.Control = func(network, address string, raw syscall.RawConn) error {
		if err := m.control(network, raw); err != nil {
			return err
		}
		return inner(network, address, raw)
	}
	return d
}

// localAddr returns an address to bind to; without a valid address any of the host's.
func localAddr(protocol string, ap netip.AddrPort) net.Addr {
	var ip net.IP
	if ap.Addr().IsValid() {
		ip = ap.Addr().AsSlice()
	}
	if protocol == "udp" {
		return &net.UDPAddr{IP: ip, Port: int(ap.Port()), Zone: ap.Addr().Zone()}
	}
	return &net.TCPAddr{IP: ip, Port: int(ap.Port()), Zone: ap.Addr().Zone()}
}

// dialPeer opens the server's end of a UDP stream: a socket on the server's own port that takes datagrams of one peer
// only.
func dialPeer(local, peer netip.AddrPort, m marks, sock stream.Socket) (net.Conn, error) {
	m.reuse = true
	inner := sock.Dialer(time.Second).Control
	d := net.Dialer{Timeout: time.Second, LocalAddr: localAddr("udp", local), Control: func(network, address string, raw syscall.RawConn) error {
		if err := m.control(network, raw); err != nil {
			return err
		}
		return inner(network, address, raw)
	}}
	c, err := d.Dial("udp", peer.String())
	if err != nil {
		return nil, fmt.Errorf("iperf3: %w", err)
	}
	return c, nil
}
