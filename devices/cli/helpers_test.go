package cli

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/cli/clitest"
)

// hostKey makes one key per kind and name for all tests, since RSA keys take their time.
var hostKey = func() func(t *testing.T, kind, name string) ssh.Signer {
	var mu sync.Mutex
	keys := map[string]ssh.Signer{}
	return func(t *testing.T, kind, name string) ssh.Signer {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		k := keys[kind+name]
		if k == nil {
			var err error
			if k, err = clitest.NewHostKey(kind); err != nil {
				t.Fatal(err)
			}
			keys[kind+name] = k
		}
		return k
	}
}()

// ios returns a server with the usual answers; change overrides its fields.
func ios(t *testing.T, change func(*clitest.Server)) *clitest.Server {
	t.Helper()
	s := &clitest.Server{Hostname: "sw1", User: "netops", Password: "canary-password", Handler: clitest.Transcript(map[string]string{
		"show interfaces GigabitEthernet1/0/1": gi1,
		"show interfaces Gi1/0/2":              strings.ReplaceAll(gi1, "1/0/1", "1/0/2"),
		"show interfaces":                      gi1 + strings.ReplaceAll(gi1, "1/0/1", "1/0/2") + strings.ReplaceAll(gi1, "1/0/1", "1/0/3"),
		"show spanning-tree detail":            tree,
		"show logging":                         log,
		"show clock":                           "Load for five secs: 1%/0%; one minute: 2%; five minutes: 2%\nTime source is NTP, 14:02:05.120 UTC Mon Nov 30 2026\n\n14:02:05.123 UTC Mon Nov 30 2026\n",
		"show version":                         "Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(7)E, RELEASE SOFTWARE (fc3)\n\nsw1 uptime is 5 weeks, 2 days\n",
	})}
	if change != nil {
		change(s)
	}
	if s.HostKey == nil {
		s.HostKey = hostKey(t, "ed25519", "")
	}
	if err := s.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

const gi1 = `GigabitEthernet1/0/1 is up, line protocol is up (connected)
  Hardware is Gigabit Ethernet, address is 0011.2233.4401 (bia 0011.2233.4401)
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,
     reliability 255/255, txload 1/255, rxload 1/255
  Full-duplex, 1000Mb/s, media type is 10/100/1000BaseTX
  Last clearing of "show interface" counters never
  Input queue: 0/75/0/0 (size/max/drops/flushes); Total output drops: 12
  5 minute input rate 2000 bits/sec, 2 packets/sec
  5 minute output rate 1000 bits/sec, 1 packets/sec
     1000 packets input, 64000 bytes, 0 no buffer
     0 runts, 0 giants, 0 throttles
     3 input errors, 3 CRC, 0 frame, 0 overrun, 0 ignored
     2000 packets output, 128000 bytes, 0 underruns
     0 output errors, 0 collisions, 1 interface resets
`

const tree = `
 VLAN0001 is executing the rstp compatible Spanning Tree protocol
  Bridge Identifier has priority 32768, sysid 1, address 0011.2233.4400
  Current root has priority 24577, address 0011.2233.5500
  Root port is 1 (GigabitEthernet1/0/1), cost of root path is 4
  Number of topology changes 7 last change occurred 00:00:12 ago
          from GigabitEthernet1/0/2

 Port 1 (GigabitEthernet1/0/1) of VLAN0001 is root forwarding
   Port path cost 4, Port priority 128, Port Identifier 128.1.

 Port 2 (GigabitEthernet1/0/2) of VLAN0001 is alternate blocking
   Port path cost 4, Port priority 128, Port Identifier 128.2.
`

const log = `Syslog logging: enabled (0 messages dropped, 1 messages rate-limited)
    Buffer logging:  level debugging, 3 messages logged

Log Buffer (8192 bytes):

Nov 30 14:01:58.001: %LINEPROTO-5-UPDOWN: Line protocol on Interface GigabitEthernet1/0/2, changed state to down
Nov 30 14:02:00.120: %SPANTREE-5-TOPOTRAP: Topology Change Trap for vlan 1
`

// device returns the site file's entry for a server, pinned to its key.
func device(s *clitest.Server, change func(*devices.SSH)) devices.Device {
	d := devices.Device{Name: "sw1", Address: "127.0.0.1", Platform: "cisco_ios",
		SSH: &devices.SSH{Port: s.Port(), User: "netops", Password: devices.NewSecret("canary-password"), HostKey: s.Fingerprint(), Timeout: testTime}}
	if change != nil {
		change(d.SSH)
	}
	return d
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// collector returns a collector that is closed at the end of the test, and checks that nothing is left of it.
func collector(t *testing.T) *Collector {
	t.Helper()
	c := New()
	t.Cleanup(func() { c.Close() })
	return c
}

// ask sends show clock and returns the error.
func ask(t *testing.T, d devices.Device) error {
	t.Helper()
	c := New()
	defer c.Close()
	_, err := c.Ask(within(t, testTime), d, "show clock")
	return err
}

// checkWords fails the test unless the error's text has each of the words, and no secret.
func checkWords(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q, want %q in it", err, w)
		}
	}
	if strings.Contains(err.Error(), "canary") {
		t.Errorf("error %q has a secret in it", err)
	}
}

// testTime bounds one question in a test; it is only reached when something is wrong.
const testTime = 30 * time.Second

// goroutines returns how many goroutines run code of ours or of the libraries below, other than the tests.
func goroutines() int {
	return goroutinesOf("x/crypto/ssh") + goroutinesOf("scrapligo") + goroutinesOf("whydrop/devices/cli.")
}

func goroutinesOf(code string) int {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	n := 0
	for g := range strings.SplitSeq(string(buf), "\n\n") {
		if strings.Contains(g, code) && !strings.Contains(g, "testing.tRunner") {
			n++
		}
	}
	return n
}

// eventually waits until the condition holds, for a second at most.
func eventually(cond func() bool) bool {
	for range 200 {
		if cond() {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return cond()
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc/self/fd here")
	}
	return len(list)
}

func knownHosts(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// tape keeps exchanges in memory.
type tape struct {
	mu   sync.Mutex
	list []timeline.Exchange
}

func (p *tape) Keep(e timeline.Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, e)
}

// onlyAllowed fails the test if the server got a line that is not on the list.
func onlyAllowed(t *testing.T, s *clitest.Server) {
	t.Helper()
	for _, c := range s.Commands() {
		if c != "exit" && check("cisco_ios", c) != nil {
			t.Errorf("the device got %q", c)
		}
	}
	if !slices.Contains(s.Commands(), "exit") {
		t.Errorf("the device got no exit: %q", s.Commands())
	}
}
