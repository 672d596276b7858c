package tcpconnect

import (
	"context"
	"net"
	"testing"

	"whydrop/probe/pathtest"
)

// An outage of a real path is what a capture of the answers shows, within two heartbeats. The far host refuses.
func TestAnOutageAgreesWithACapture(t *testing.T) {
	t.Parallel()
	p := pathtest.NewPath(t, "wdtcp-")
	dial := func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		p.Do("a", func() { conn, err = new(net.Dialer).DialContext(ctx, network, address) })
		return conn, err
	}
	h := p.Heart(&Connector{Name: "a-b", To: p.Address("b", false), Port: 9, Dial: dial}, DefaultHeartbeat, "", "tcp src port 9")
	p.Drop("b", 1200*ms)
	h.Outage(2 * DefaultHeartbeat)
}
