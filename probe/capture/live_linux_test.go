package capture

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t *testing.T, cfg Config) *Capture {
	t.Helper()
	c, err := Open(cfg)
	if err == nil {
		return c
	}
	if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
		t.Fatal(err)
	}
	t.Skip(err)
	return nil
}

// capturing runs f while packets with a port on loopback are captured.
func capturing(t *testing.T, to string, cfg Config, f func()) (Stats, []byte) {
	t.Helper()
	cfg.To = netip.MustParseAddr(to)
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		t.Skip(err)
	}
	cfg.Card = lo.Index
	c := open(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	var b bytes.Buffer
	var stats Stats
	var wg sync.WaitGroup
	wg.Go(func() {
		var err error
		if stats, err = c.Run(ctx, &b); err != nil {
			t.Error(err)
		}
	})
	f()
	cancel()
	wg.Wait()
	return stats, b.Bytes()
}

func TestDatagramsOnLoopbackAreInTheFileOnce(t *testing.T) {
	for _, to := range []string{"127.0.0.1", "::1"} {
		conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.ParseIP(to)})
		if err != nil {
			t.Logf("%s: %v", to, err)
			continue
		}
		port := conn.LocalAddr().(*net.UDPAddr).Port
		other, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.ParseIP(to)})
		if err != nil {
			t.Fatal(err)
		}
		const sent = 500
		began := time.Now()
		stats, b := capturing(t, to, Config{Ports: []uint16{uint16(port)}}, func() {
			for range sent {
				if _, err := other.WriteTo(make([]byte, 1000), conn.LocalAddr()); err != nil {
					t.Fatal(err)
				}
				_, _ = other.WriteTo([]byte("to itself, on another port"), other.LocalAddr())
			}
		})
		conn.Close()
		other.Close()
		_, got := parse(t, b)
		if len(got) != sent || stats.Kept != sent || stats.Left+stats.Dropped != 0 {
			t.Errorf("%s: %d packets in the file, %+v, want %d", to, len(got), stats, sent)
			continue
		}
		header := 28
		if to == "::1" {
			header = 48
		}
		for _, r := range got {
			if r.length != 1000+header || len(r.kept) != defaultSnap || r.at.Before(began.Add(-time.Second)) || r.at.After(time.Now()) {
				t.Fatalf("%s: %d octets, %d kept, at %s", to, r.length, len(r.kept), r.at)
			}
		}
	}
}

func TestTcpdumpReadsTheFile(t *testing.T) {
	if _, err := exec.LookPath("tcpdump"); err != nil {
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_, b := capturing(t, "127.0.0.1", Config{Ports: []uint16{uint16(l.Addr().(*net.TCPAddr).Port)}}, func() {
		conn, err := net.Dial("tcp4", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte("hello"))
		conn.Close()
	})
	file := filepath.Join(t.TempDir(), "test.pcap")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("tcpdump", "-nnr", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"127.0.0.1." + port + ": Flags [S]", "Flags [P.]", "length 5"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestACardThatIsNotThere(t *testing.T) {
	open(t, Config{To: netip.MustParseAddr("127.0.0.1")}).Close()
	if c, err := Open(Config{To: netip.MustParseAddr("127.0.0.1"), Card: 1 << 30}); err == nil {
		c.Close()
		t.Error("it captures on a card that is not there")
	}
}
