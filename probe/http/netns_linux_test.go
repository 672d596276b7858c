package http

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"

	"whydrop/probe/pathtest"
)

// An outage of a real path is what a capture of the answers shows, within two heartbeats, although the connection that
// was open waits for its retransmission timer.
func TestAnOutageAgreesWithACapture(t *testing.T) {
	t.Parallel()
	p := pathtest.NewPath(t, "wdhttp-")
	var l net.Listener
	p.Do("b", func() {
		var err error
		if l, err = net.Listen("tcp", ":80"); err != nil {
			t.Error(err)
		}
	})
	if l == nil {
		return
	}
	server := http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	t.Cleanup(func() { _ = server.Close(); serving.Wait() })
	dial := func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		p.Do("a", func() { conn, err = new(net.Dialer).DialContext(ctx, network, address) })
		return conn, err
	}
	h := p.Heart(&Requester{Name: "a-b", To: p.Address("b", false), Heartbeat: MinHeartbeat, Dial: dial}, MinHeartbeat, "", "tcp src port 80")
	p.Drop("b", 1500*ms)
	h.Outage(2 * MinHeartbeat)
}
