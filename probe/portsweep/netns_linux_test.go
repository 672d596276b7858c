package portsweep

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"whydrop/probe/pathtest"
	"whydrop/probe/stamp"
)

func TestMain(m *testing.M) {
	pathtest.Main(func(arg []byte) (any, error) {
		var c Config
		if err := json.Unmarshal(arg, &c); err != nil {
			return nil, err
		}
		return Run(context.Background(), c)
	})
	os.Exit(m.Run())
}

// bundle is a router that drops what its hash sends to the second of four members. The hash is of the flow's ports, as
// a switch's is; dir says of which way. It marks what it drops, so that the truth can be asked for.
func bundle(l *pathtest.Line, rule string) {
	l.Nft("r1", "=add set inet wd dead { type inet_service; size 1024; }", rule)
}

// truth returns the source ports that the router dropped.
func truth(t *testing.T, l *pathtest.Line) []uint16 {
	t.Helper()
	var doc struct {
		Nftables []struct {
			Set struct {
				Elem []uint16 `json:"elem"`
			} `json:"set"`
		} `json:"nftables"`
	}
	if err := json.Unmarshal(l.Output("r1", "nft", "-j", "list", "set", "inet", "wd", "dead"), &doc); err != nil {
		t.Fatal(err)
	}
	var out []uint16
	for _, x := range doc.Nftables {
		out = append(out, x.Set.Elem...)
	}
	slices.Sort(out)
	return out
}

// reflect runs a STAMP reflector at b until the test ends.
func reflect(t *testing.T, l *pathtest.Line) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var conn net.PacketConn
	l.Do("b", func() {
		var err error
		if conn, err = net.ListenPacket("udp4", ":862"); err != nil {
			t.Fatal(err)
		}
	})
	var wg sync.WaitGroup
	wg.Go(func() { _ = new(stamp.Reflector).Serve(ctx, conn) })
	t.Cleanup(func() { cancel(); wg.Wait() })
}

func TestADeadMemberIsFoundWithItsPorts(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-psd", 1)
	reflect(t, l)
	to := l.Address("b", false)
	for _, tt := range []struct {
		name, rule string
		c          Config
	}{
		{"STAMP, the way there", "pass meta iifname left jhash udp sport mod 4 == 1 add @dead { udp sport } drop", Config{To: to, STAMPPort: 862, Rounds: 2}},
		{"STAMP, the way back", "pass meta iifname right jhash udp dport mod 4 == 1 add @dead { udp dport } drop", Config{To: to, STAMPPort: 862, Rounds: 2}},
		{"TCP, the way there", "pass meta iifname left jhash tcp sport mod 4 == 1 add @dead { tcp sport } drop", Config{To: to, Means: TCP, TCPPorts: []uint16{9}, Rounds: 2}},
	} {
		bundle(l, tt.rule)
		var r Result
		if err := l.Run("a", tt.c, &r); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		want := truth(t, l)
		want = slices.DeleteFunc(want, func(p uint16) bool { return p < r.Ports[0].Number || p > r.Ports[len(r.Ports)-1].Number })
		if !r.Loss.Found() || !slices.Equal(r.Loss.Ports, want) {
			t.Errorf("%s: found %v, want %v", tt.name, r.Loss, want)
		}
		t.Logf("%s: %.1f s: %s", tt.name, r.Seconds, r.Meaning())
	}
}

func TestAMemberThatLosesHalfTellsTheWay(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-psl", 1)
	reflect(t, l)
	for _, tt := range []struct{ way, rule string }{
		{"on the way there", "pass meta iifname left jhash udp sport mod 4 == 1 numgen random mod 2 == 0 add @dead { udp sport } drop"},
		{"on the way back", "pass meta iifname right jhash udp dport mod 4 == 1 numgen random mod 2 == 0 add @dead { udp dport } drop"},
	} {
		bundle(l, tt.rule)
		var r Result
		if err := l.Run("a", Config{To: l.Address("b", false), STAMPPort: 862, Rounds: 4}, &r); err != nil {
			t.Fatal(err)
		}
		if !r.Loss.Found() || !strings.Contains(r.Meaning(), tt.way) {
			t.Errorf("%s: %+v: %s", tt.way, r.Loss, r.Meaning())
		}
		t.Log(r.Meaning())
	}
}

func TestLossOfAllFlowsIsNoMember(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-psr", 1)
	reflect(t, l)
	l.Nft("r1", "pass udp dport 862 numgen random mod 10 == 0 drop")
	var r Result
	if err := l.Run("a", Config{To: l.Address("b", false), STAMPPort: 862, Rounds: 4}, &r); err != nil {
		t.Fatal(err)
	}
	if r.Loss.Found() || r.Delay.Found() || !strings.Contains(r.Meaning(), "as chance would") {
		t.Errorf("%s", r.Meaning())
	}
	t.Log(r.Meaning())
	l.Nft("r1", "pass drop")
	if err := l.Run("a", Config{To: l.Address("b", false), STAMPPort: 862, TCPPorts: []uint16{9}}, &r); err == nil || !strings.Contains(err.Error(), "nothing answers") {
		t.Errorf("a dark path: %v", err)
	}
}
