package connectrate

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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

// serve runs STAMP reflectors and programs that accept connections, at some ports of b, until the test ends.
func serve(t *testing.T, l *pathtest.Line, ports ...uint16) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait) // after what is registered later, which is called first
	t.Cleanup(cancel)
	for _, port := range ports {
		var pc net.PacketConn
		var ln net.Listener
		at := ":" + strconv.Itoa(int(port))
		l.Do("b", func() {
			var err error
			if pc, err = net.ListenPacket("udp4", at); err != nil {
				t.Fatal(err)
			}
			if ln, err = net.Listen("tcp4", at); err != nil {
				t.Fatal(err)
			}
		})
		t.Cleanup(func() { ln.Close() })
		wg.Go(func() { _ = new(stamp.Reflector).Serve(ctx, pc) })
		wg.Go(func() {
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				wg.Go(func() { _, _ = io.Copy(io.Discard, c) })
				t.Cleanup(func() { c.Close() })
			}
		})
	}
}

// All cases run at the same time, each at a port of its own.
func TestFullTablesAndLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		rule  string        // of the port $P; established connections pass before it
		after time.Duration // it comes so much later, in front of everything
		least float64       // share that fails
		most  float64
		means string
		fine  bool // the established sessions go on
	}{
		{"a path that admits all", "", 0, 0, 0, "admits new sessions", true},
		{"a closed port", "", 0, 0, 0, "admits new sessions", true},
		{"a table that is full and lets some in", "tcp dport $P ct state new numgen inc mod 5 < 3 drop", 1200 * time.Millisecond, 0.2, 0.8, "a full session", true},
		{"a table that others have filled", "tcp dport $P ct state new ct count over 26 drop", 0, 0.95, 1, "a full session", true},
		{"a limit that is reached", "tcp dport $P ct state new limit rate over 1/minute burst 25 packets drop", 0, 0.5, 0.9, "these connections themselves reached", true},
		{"a limit on SYNs", "tcp dport $P ct state new limit rate over 15/second burst 5 packets drop", 0, 0.2, 0.8, "limits new connections", true},
		{"a firewall that resets what is too much", "tcp dport $P ct state new limit rate over 10/second burst 5 packets reject with tcp reset", 0, 0.2, 0.8, "refused", true},
		{"a dark path", "th dport $P drop", 2 * time.Second, 0.3, 0.9, "an outage", false},
	}
	l := pathtest.NewLine(t, "wdpath-cr", 1)
	to := l.Address("b", false)
	rules := []string{"pass ct state established,related accept"}
	var ports []uint16
	for i, tt := range tests {
		port := uint16(8000 + i)
		ports = append(ports, port)
		if tt.rule != "" && tt.after == 0 {
			rules = append(rules, "pass "+strings.ReplaceAll(tt.rule, "$P", strconv.Itoa(int(port))))
		}
	}
	serve(t, l, ports...)
	l.Nft("r1", rules...)
	results := make([]Result, len(tests))
	errs := make([]error, len(tests))
	var wg sync.WaitGroup
	for i, tt := range tests {
		c := Config{To: to, Ports: []uint16{ports[i]}, STAMPPort: ports[i], Rate: 30, Time: 5 * time.Second}
		if strings.Contains(tt.name, "closed") {
			c.Ports[0] = 9
		}
		if strings.Contains(tt.name, "others") {
			l.Do("a", func() {
				for range 25 {
					conn, err := net.Dial("tcp4", net.JoinHostPort(to, strconv.Itoa(int(ports[i]))))
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { conn.Close() })
				}
			})
		}
		wg.Go(func() { errs[i] = l.Run("a", c, &results[i]) })
		if tt.after > 0 {
			wg.Go(func() {
				time.Sleep(tt.after)
				l.Exec("r1", "nft", "insert rule inet wd pass "+strings.ReplaceAll(tt.rule, "$P", strconv.Itoa(int(ports[i]))))
			})
		}
	}
	wg.Wait()
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := results[i]
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			r.count()
			all := countOf(r.Attempts)
			if got := share(r.Failed(all), tried(all)); got < tt.least || got > tt.most {
				t.Errorf("%.2f fail, want %.2f to %.2f: %v", got, tt.least, tt.most, all)
			}
			if n := all.All(); n < 90 || n > 125 { // 5/3 s at 7.5 and 10/3 s at 30 a second
				t.Errorf("%d connections", n)
			}
			if m := r.Meaning(); !strings.Contains(m, tt.means) {
				t.Errorf("%s; want %q", m, tt.means)
			}
			want := 2
			if tt.name == "a closed port" {
				want = 1
			}
			if len(r.Established) != want {
				t.Errorf("established: %+v", r.Established)
			}
			for _, e := range r.Established {
				if e.Fine() != tt.fine || !e.Known || e.Closed {
					t.Errorf("established: %+v", e)
				}
			}
			t.Logf("%.1f s, %v: %s", r.Seconds, all, r.Meaning())
		})
	}
}

func TestNothingAnswers(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-crn", 1)
	l.Nft("r1", "pass drop")
	var r Result
	err := l.Run("a", Config{To: l.Address("b", false), Ports: []uint16{80}, STAMPPort: 862, Time: 3 * time.Second}, &r)
	if err == nil || !strings.Contains(err.Error(), "nothing answers") {
		t.Errorf("%v", err)
	}
}
