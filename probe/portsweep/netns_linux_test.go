package portsweep

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"slices"
	"strconv"
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

// truth returns the source ports that the router dropped for a case.
func truth(t *testing.T, l *pathtest.Line, set string) []uint16 {
	t.Helper()
	var doc struct {
		Nftables []struct {
			Set struct {
				Elem []uint16 `json:"elem"`
			} `json:"set"`
		} `json:"nftables"`
	}
	if err := json.Unmarshal(l.Output("r1", "nft", "-j", "list", "set", "inet", "wd", set), &doc); err != nil {
		t.Fatal(err)
	}
	var out []uint16
	for _, x := range doc.Nftables {
		out = append(out, x.Set.Elem...)
	}
	slices.Sort(out)
	return out
}

// reflect runs a STAMP reflector at a port of b until the test ends.
func reflect(t *testing.T, l *pathtest.Line, port uint16) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var conn net.PacketConn
	l.Do("b", func() {
		var err error
		if conn, err = net.ListenPacket("udp4", ":"+strconv.Itoa(int(port))); err != nil {
			t.Fatal(err)
		}
	})
	var wg sync.WaitGroup
	wg.Go(func() { _ = new(stamp.Reflector).Serve(ctx, conn) })
	t.Cleanup(func() { cancel(); wg.Wait() })
}

// A router drops what its hash of the source port sends to the second of four members, and takes note of the ports. All
// cases run at the same time, each at a port $P of the target with a set $S of its own.
func TestABadMemberIsFoundWithItsPorts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, rule string
		tcp        bool
		rounds     int
		found      bool
		all        bool // every packet of the member is lost, so that its ports are known exactly
		means      string
	}{
		{"dead, the way there", "meta iifname left udp dport $P jhash udp sport mod 4 == 1 add @$S { udp sport } drop", false, 2, true, true, "do not tell"},
		{"dead, the way back", "meta iifname right udp sport $P jhash udp dport mod 4 == 1 add @$S { udp dport } drop", false, 2, true, true, "do not tell"},
		{"dead, TCP", "meta iifname left tcp dport $P jhash tcp sport mod 4 == 1 add @$S { tcp sport } drop", true, 2, true, true, "do not tell"},
		{"half is lost, the way there", "meta iifname left udp dport $P jhash udp sport mod 4 == 1 numgen random mod 2 == 0 add @$S { udp sport } drop", false, 5, true, false, "on the way there"},
		{"half is lost, the way back", "meta iifname right udp sport $P jhash udp dport mod 4 == 1 numgen random mod 2 == 0 add @$S { udp dport } drop", false, 5, true, false, "on the way back"},
		{"loss of all flows", "udp dport $P numgen random mod 10 == 0 drop", false, 4, false, false, "as chance would"},
	}
	l := pathtest.NewLine(t, "wdpath-ps", 1)
	var rules []string
	configs := make([]Config, len(tests))
	for i, tt := range tests {
		port := uint16(8000 + i)
		set := "dead" + strconv.Itoa(i)
		rules = append(rules, "=add set inet wd "+set+" { type inet_service; size 1024; }",
			"pass "+strings.NewReplacer("$P", strconv.Itoa(int(port)), "$S", set).Replace(tt.rule))
		configs[i] = Config{To: l.Address("b", false), Means: STAMP, STAMPPort: port, Rounds: tt.rounds, First: uint16(30000 + 100*i)}
		if tt.tcp {
			configs[i].Means, configs[i].TCPPorts = TCP, []uint16{port}
		} else {
			reflect(t, l, port)
		}
	}
	l.Nft("r1", rules...)
	results, errs := make([]Result, len(tests)), make([]error, len(tests))
	var wg sync.WaitGroup
	for i := range tests {
		wg.Go(func() { errs[i] = l.Run("a", configs[i], &results[i]) })
	}
	wg.Wait()
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := results[i]
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			if r.Loss.Found() != tt.found || r.Delay.Found() || !strings.Contains(r.Meaning(), tt.means) {
				t.Errorf("found %v, want %v: %s", r.Loss.Found(), tt.found, r.Meaning())
			}
			if want := truth(t, l, "dead"+strconv.Itoa(i)); tt.all {
				// What chose the means came from other ports.
				want = slices.DeleteFunc(want, func(p uint16) bool { return p < r.Ports[0].Number || p > r.Ports[len(r.Ports)-1].Number })
				if len(want) == 0 || !slices.Equal(r.Loss.Ports, want) {
					t.Errorf("ports %v, want %v", r.Loss.Ports, want)
				}
			}
			t.Logf("%.1f s: %s", r.Seconds, r.Meaning())
		})
	}
}

func TestADarkPath(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-psn", 1)
	l.Nft("r1", "pass drop")
	var r Result
	if err := l.Run("a", Config{To: l.Address("b", false), STAMPPort: 862, TCPPorts: []uint16{9}}, &r); err == nil || !strings.Contains(err.Error(), "nothing answers") {
		t.Errorf("%v", err)
	}
}
