package iperf3

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"whydrop/probe/pathtest"
)

// TestATranslatorRebinds: the datagrams of a test come from another port from the middle on. It ends in time, and what was
// counted before is not lost.
func TestATranslatorRebinds(t *testing.T) {
	t.Parallel()
	for _, reverse := range []bool{false, true} {
		name := map[bool]string{false: "the client sends", true: "the far end sends"}[reverse]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, ServerConfig{})
			nat := pathtest.NewNAT(t, netip.MustParseAddrPort(address))
			dial := func(ctx context.Context, network, address string) (net.Conn, error) {
				if network[:3] == "udp" {
					address = nat.Addr().String()
				}
				return new(net.Dialer).DialContext(ctx, network, address)
			}
			began, rebound := time.Now(), false
			test := Test{Address: address, UDP: true, Reverse: reverse, Time: time.Second, Rate: 4e6, Length: 1000, Dial: dial}
			r, err := Run(t.Context(), test, 100*time.Millisecond, Handler{Interval: func(i Interval) {
				if !rebound && i.To > 400*time.Millisecond {
					rebound = true
					nat.Rebind()
				}
			}})
			if err != nil || r.FarProblem != nil || r.Far == nil {
				t.Fatalf("%v, far end: %v", err, r.FarProblem)
			}
			if d := time.Since(began); d > 11*time.Second {
				t.Errorf("a test of a second took %v", d)
			}
			sent, came := r.Local.Streams[0].Packets, r.Far.Streams[0].Packets
			if reverse {
				sent, came = came, sent
			}
			if came == 0 || came >= sent {
				t.Errorf("%d datagrams came of %d, want those before the translator forgot, and no more", came, sent)
			}
		})
	}
}
