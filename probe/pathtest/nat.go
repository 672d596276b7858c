package pathtest

import (
	"net"
	"net/netip"
	"sync"
	"testing"
)

// NAT is a translator of UDP addresses on the loopback, in front of one far end: what clients send to it arrives there from
// a port of the translator's, another for each client.
type NAT struct {
	t    *testing.T
	in   *net.UDPConn
	runs sync.WaitGroup

	mu   sync.Mutex
	to   netip.AddrPort                  // zero: nowhere
	outs map[netip.AddrPort]*net.UDPConn // by client
	done bool
}

// NewNAT starts a translator in front of an address. It ends with the test.
func NewNAT(t *testing.T, to netip.AddrPort) *NAT {
	t.Helper()
	in, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	n := &NAT{t: t, to: to, in: in, outs: map[netip.AddrPort]*net.UDPConn{}}
	n.runs.Go(n.questions)
	t.Cleanup(func() {
		_ = in.Close()
		n.mu.Lock()
		n.done = true
		n.mu.Unlock()
		n.Rebind()
		n.runs.Wait()
	})
	return n
}

// Addr is where clients send to.
func (n *NAT) Addr() netip.AddrPort { return n.in.LocalAddr().(*net.UDPAddr).AddrPort() }

// Rebind forgets every client: what they send next arrives from another port, and what was on its way to them is lost.
func (n *NAT) Rebind() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for client, out := range n.outs {
		_ = out.Close()
		delete(n.outs, client)
	}
}

// Lead makes another far end of it, as if the one that was had begun anew. The zero address is nowhere: all is lost.
func (n *NAT) Lead(to netip.AddrPort) {
	n.mu.Lock()
	n.to = to
	n.mu.Unlock()
	n.Rebind()
}

func (n *NAT) questions() {
	b := make([]byte, 65536)
	for {
		size, from, err := n.in.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		if out := n.out(from); out != nil {
			_, _ = out.Write(b[:size])
		}
	}
}

// out returns the client's socket towards the far end; nil when there is none.
func (n *NAT) out(client netip.AddrPort) *net.UDPConn {
	n.mu.Lock()
	defer n.mu.Unlock()
	if out := n.outs[client]; out != nil || n.done || !n.to.IsValid() {
		return out
	}
	out, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(n.to))
	if err != nil {
		n.t.Errorf("translator: %v", err)
		return nil
	}
	n.outs[client] = out
	n.runs.Go(func() {
		b := make([]byte, 65536)
		for {
			size, err := out.Read(b)
			if err != nil {
				return
			}
			_, _ = n.in.WriteToUDPAddrPort(b[:size], client)
		}
	})
	return out
}
