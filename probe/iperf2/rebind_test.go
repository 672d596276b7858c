package iperf2

import (
	"net/netip"
	"testing"
	"time"

	"whydrop/probe/pathtest"
)

// A translator on the path sends the datagrams of a test from another port from the middle on. The client ends in time, with
// what it sent and the far end's report, or the reason why there is none.
func TestATranslatorRebinds(t *testing.T) {
	t.Parallel()
	port, _ := serve(t, ServerConfig{})
	nat := pathtest.NewNAT(t, netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port))
	began := time.Now()
	rebind := time.AfterFunc(500*time.Millisecond, nat.Rebind)
	defer rebind.Stop()
	r, err := Run(t.Context(), Test{Host: "127.0.0.1", Port: nat.Addr().Port(), UDP: true, Time: time.Second, Rate: 4e6, Length: 1000}, Handler{})
	if err != nil {
		t.Fatal(err)
	}
	if d := time.Since(began); d > 11*time.Second {
		t.Errorf("a test of a second took %v", d)
	}
	if len(r.Sent) != 1 || r.Sent[0].Bytes < 300_000 {
		t.Fatalf("sent %+v", r.Sent)
	}
	if f := r.Sent[0]; f.Report == nil && f.Problem == "" {
		t.Errorf("neither a report nor a reason: %+v", f)
	}
}
