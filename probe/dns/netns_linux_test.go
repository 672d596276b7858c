package dns

import (
	"testing"

	"whydrop/probe/pathtest"
)

// An outage of a real path is what a capture of the answers shows, within two heartbeats.
func TestAnOutageAgreesWithACapture(t *testing.T) {
	t.Parallel()
	p := pathtest.NewPath(t, "wddns-")
	var s *server
	p.Do("b", func() { s = newServer(t, ":53") })
	defer s.stop()
	h := p.Heart(&Asker{Name: "a-b", To: p.Address("b", false), Heartbeat: MinHeartbeat}, MinHeartbeat, "udp dst port 53", "udp src port 53")
	p.Drop("a", 600*ms)
	h.Outage(2 * MinHeartbeat)
}
