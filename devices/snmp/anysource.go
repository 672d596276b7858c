package snmp

import (
	"net"
	"net/netip"
	"sync"
)

// anySource is a socket that takes answers from every address, for devices that answer from another one than was
// asked. Whether an answer is one is decided by its number alone, so that it is used only where the site file says so.
type anySource struct {
	*net.UDPConn
	to netip.AddrPort

	mu   sync.Mutex
	last netip.AddrPort // where the last datagram came from
}

// newAnySource opens such a socket in place of a connected one, which it closes.
func newAnySource(connected net.Conn) (*anySource, error) {
	to := connected.RemoteAddr().(*net.UDPAddr).AddrPort()
	local := *connected.LocalAddr().(*net.UDPAddr)
	connected.Close()
	local.Port = 0
	conn, err := net.ListenUDP("udp", &local)
	if err != nil {
		return nil, err
	}
	return &anySource{UDPConn: conn, to: to}, nil
}

// Read returns the next datagram.
func (a *anySource) Read(b []byte) (int, error) {
	n, from, err := a.ReadFromUDPAddrPort(b)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	return n, err
}

// Write sends to the device.
func (a *anySource) Write(b []byte) (int, error) { return a.WriteToUDPAddrPort(b, a.to) }

// elsewhere returns where the last datagram came from if it is another address than was asked.
func (a *anySource) elsewhere() (netip.AddrPort, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	to := netip.AddrPortFrom(a.to.Addr().Unmap(), a.to.Port())
	return a.last, a.last.IsValid() && a.last != to
}
