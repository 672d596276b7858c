package icmp

import (
	"errors"
	"net/netip"
	"testing"

	"whydrop/correlate/timeline"
	"whydrop/probe/pathtest"
)

// Echo over a real path whose kernel answers, with a datagram socket and with a raw one, IPv4 and IPv6: an outage is
// what a capture of the answers shows.
func TestOutagesAgreeWithACapture(t *testing.T) {
	const ask4, answer4 = "icmp[icmptype] = icmp-echo", "icmp[icmptype] = icmp-echoreply"
	const ask6, answer6 = "icmp6 and ip6[40] = 128", "icmp6 and ip6[40] = 129"
	tests := []struct {
		name         string
		v6           bool
		asks, answer string
		groups       string
	}{
		{"datagram socket", false, ask4, answer4, "0 0"},
		{"raw socket", false, ask4, answer4, "1 0"},
		{"datagram socket, IPv6", true, ask6, answer6, "0 0"},
		{"raw socket, IPv6", true, ask6, answer6, "1 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := pathtest.NewPath(t, "wdicmp-")
			p.Exec("a", "sysctl", "-qw", "net.ipv4.ping_group_range="+tt.groups)
			to := p.Address("b", tt.v6)
			// IPv6 takes a second or two before its addresses are in use.
			for up := errors.New("not tried"); up != nil && t.Context().Err() == nil; {
				p.Do("a", func() { up = Check(t.Context(), to) })
			}
			p.Do("a", func() {
				if s, err := openSocket(netip.MustParseAddr(to)); err != nil || s.raw != (tt.groups == "1 0") {
					t.Errorf("socket %+v, %v", s, err)
				} else {
					_ = s.conn.Close()
				}
			})
			h := p.Heart(&Pinger{Name: "a-b", To: to, Heartbeat: 10 * ms}, 10*ms, tt.asks, tt.answer)
			p.Drop("b", 300*ms)
			h.Outage(20 * ms)
			for _, x := range h.Store.Snapshot().Series(timeline.Path("a-b"), timeline.RTT) {
				if x.Value <= 0 {
					t.Errorf("round trip of %v s", x.Value)
				}
			}
		})
	}
}
