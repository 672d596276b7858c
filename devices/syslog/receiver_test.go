package syslog

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/intake"
	"whydrop/devices/intake/intaketest"
)

func TestFraming(t *testing.T) {
	long := strings.Repeat("x", longestMessage+10)
	for name, c := range map[string]struct {
		in   string
		want []string
		cut  int
	}{
		"newlines":                         {"<1>a\n<2>b\r\n<3>c", []string{"<1>a", "<2>b", "<3>c"}, 0},
		"counts":                           {"4 <1>a8 <2>b\nc d", []string{"<1>a", "<2>b\nc d"[:8]}, 0},
		"both, in turns":                   {"4 <1>a<2>b\n4 <3>c<4>d\n", []string{"<1>a", "<2>b", "<3>c", "<4>d"}, 0},
		"a line that begins with a number": {"30: foo: bar\n42 no priority\n", []string{"30: foo: bar", "42 no priority"}, 0},
		"NUL ends a line":                  {"<1>a\x00<2>b\x00", []string{"<1>a", "<2>b"}, 0},
		"empty lines":                      {"\n\n<1>a\n\n", []string{"<1>a"}, 0},
		"a count beyond the end":           {"999 <1>a", []string{"<1>a"}, 0},
		"a count of nothing":               {"0 <1>a\n", []string{"0 <1>a"}, 0},
		"a count that is no number":        {"99999999999 <1>a\n", []string{"99999999999 <1>a"}, 0},
		"only a number":                    {"17", []string{"17"}, 0},
		"a line that is too long":          {long + "\n<1>a\n", []string{long[:longestMessage], "<1>a"}, 1},
		"a count that is too long":         {fmt.Sprintf("%d <1>%s<2>b\n", len(long)+3, long), []string{("<1>" + long)[:longestMessage], "<2>b"}, 1},
		"nothing":                          {"", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFrames(strings.NewReader(c.in))
			var got []string
			for {
				m, err := f.next()
				if err != nil {
					if err != io.EOF {
						t.Error(err)
					}
					break
				}
				got = append(got, string(m))
			}
			if d := cmp.Diff(c.want, got); d != "" || f.cut != c.cut {
				t.Errorf("%s, %d cut", d, f.cut)
			}
		})
	}
}

func FuzzFraming(f *testing.F) {
	for _, s := range []string{"<1>a\n<2>b", "4 <1>a8 <2>b c d", "30: x\n0 <1>a\n", "9999999 <1>", "\x00\r\n1 <"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		fr := newFrames(bytes.NewReader(in))
		total := 0
		for n := 0; ; n++ {
			m, err := fr.next()
			if err != nil {
				break
			}
			if total += len(m); len(m) == 0 || total > len(in) || n > len(in) {
				t.Fatalf("message %q of %q", m, in)
			}
		}
	})
}

// serve starts a receiver and returns it; it ends with the test.
func serve(t *testing.T, cfg Config) *Receiver {
	t.Helper()
	r, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	intaketest.Serve(t, r.Serve)
	return r
}

func send(t *testing.T, network, addr, text string) {
	t.Helper()
	c, err := net.Dial(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

var fw = devices.Device{Name: "sw1", Address: "127.0.0.1", Ports: []string{"GigabitEthernet1/0/1"}}

func TestLinesBecomeEventsOfTheirDevice(t *testing.T) {
	box := intaketest.NewInbox()
	r := serve(t, Config{Listen: []string{"127.0.0.1:0"}, Devices: []devices.Device{fw}, Out: box})
	began := time.Now()
	send(t, "udp", r.Addrs()[0].String(), "<187>30: Nov 30 14:02:05.123: %LINK-3-UPDOWN: Interface Gi1/0/1, changed state to down")
	box.Wait(t, 1)
	send(t, "tcp", r.Addrs()[1].String(), "18 <13>hello \x1b[31mred<14>%PM-4-ERR_DISABLE: udld error detected on Gi1/0/9, putting Gi1/0/9 in err-disable state\n")
	events := box.Wait(t, 3)
	port := timeline.Port("sw1", "GigabitEthernet1/0/1")
	if e := events[0]; e.Type != timeline.EventOper || e.Subject != port || e.Attrs["to"] != "down" || e.Origin.Collector != "syslog:sw1" || e.Span.To.Before(began) || e.Span.Width() > time.Second {
		t.Errorf("%+v", e)
	}
	if e := events[1]; e.Type != timeline.EventSyslog || e.Subject != timeline.Device("sw1") || e.Text != "<13>hello \x1b[31mred" {
		t.Errorf("%+v", e)
	}
	if e := events[2]; e.Type != timeline.EventErrDisabled || e.Subject != timeline.Port("sw1", "GigabitEthernet1/0/9") || e.Attrs["cause"] != "udld" {
		t.Errorf("%+v", e)
	}
	if c := r.Counts(); c.Received != 3 || c.Stored != 3 || c.Lost() != 0 || c.Unknown != 0 {
		t.Errorf("counts %s", c)
	}
}

func TestOthersThanDevicesAreKeptApart(t *testing.T) {
	box := intaketest.NewInbox()
	other := devices.Device{Name: "sw1", Address: "192.0.2.1"}
	r := serve(t, Config{Listen: []string{"udp://127.0.0.1:0"}, Devices: []devices.Device{other}, Out: box})
	send(t, "udp", r.Addrs()[0].String(), "<187>Nov 30 14:02:05 sw1 %LINK-3-UPDOWN: Interface Gi1/0/1, changed state to down")
	e := box.Wait(t, 1)[0]
	if e.Device != "unknown 127.0.0.1" || e.Type != timeline.EventOper {
		t.Errorf("%+v", e)
	}
	if c := r.Counts(); c.Unknown != 1 {
		t.Errorf("counts %s", c)
	}
}

func TestARelayIsBelievedWhoseLinesItPassesOn(t *testing.T) {
	box := intaketest.NewInbox()
	ds := []devices.Device{{Name: "sw1", Address: "192.0.2.1"}, {Name: "sw2", Address: "192.0.2.2"}}
	r := serve(t, Config{Listen: []string{"udp://127.0.0.1:0"}, Devices: ds, Relays: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Out: box})
	for n, line := range []string{
		"<187>Nov 30 14:02:05 sw2.example.net 42: %LINK-3-UPDOWN: Interface Gi1/0/1, changed state to down",
		"<187>1 2026-11-30T14:02:05.123Z SW1 - - - - x", "<187>30: sw1: Nov 30 14:02:05: %SYS-5-CONFIG_I: x", "<13>Nov 30 14:02:05 sw3 x",
	} {
		send(t, "udp", r.Addrs()[0].String(), line)
		if got, want := box.Wait(t, n+1)[n].Device, []string{"sw2", "sw1", "sw1", "unknown 127.0.0.1"}[n]; got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestDevicesBehindOneAddressAreToldApartByTheirNames(t *testing.T) {
	box := intaketest.NewInbox()
	ds := []devices.Device{{Name: "sw1", Address: "127.0.0.1"}, {Name: "sw2", Address: "127.0.0.1"}}
	r := serve(t, Config{Listen: []string{"udp://127.0.0.1:0"}, Devices: ds, Out: box})
	send(t, "udp", r.Addrs()[0].String(), "<187>Nov 30 14:02:05 sw2 x: y")
	if e := box.Wait(t, 1)[0]; e.Device != "sw2" {
		t.Errorf("%+v", e)
	}
}

func TestLinesAreDatedByTheDevicesClock(t *testing.T) {
	now := time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC)
	offset := 90*time.Minute + 3*time.Second // fast, and in another zone
	clocks := &intake.Known{}
	asked := timeline.Span{From: now.Add(-time.Minute), To: now.Add(-time.Minute + 20*time.Millisecond)}
	clocks.Note(devices.Reading{Device: "sw1", LocalClock: devices.Some(devices.LocalClock{Time: asked.Mid().Add(offset).Add(time.Microsecond), Span: asked})})
	for name, c := range map[string]struct {
		clocks *intake.Known
		before int // prompt lines that came before
		late   time.Duration
		stamp  string
		width  time.Duration
	}{
		"by its clock, as it was asked":   {clocks, 0, 3 * time.Second, "Nov 30 15:04:05.000", 150 * time.Millisecond},
		"by lines that came sooner":       {nil, 5, 3 * time.Second, "Jan _2 15:04:05.000", 150 * time.Millisecond},
		"without a date, by when it came": {nil, 5, 100 * time.Millisecond, "", 600 * time.Millisecond},
		"with nothing to compare with":    {nil, 0, 100 * time.Millisecond, "Jan _2 15:04:05.000", 600 * time.Millisecond},
		"to the second, by when it came":  {nil, 5, 100 * time.Millisecond, "Jan _2 15:04:05", 1200 * time.Millisecond},
		"to the second, late":             {nil, 5, 9 * time.Second, "Jan _2 15:04:05", 2200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			box := intaketest.NewInbox()
			r := &Receiver{cfg: Config{Known: c.clocks, Out: box}, queue: intake.NewQueue("syslog", box), senders: intake.NewSenders([]devices.Device{fw}), tellers: map[string]*sender{}}
			layout := strings.Replace(c.stamp, "Nov 30", "Jan _2", 1)
			take := func(happened, received time.Time) {
				line := "%SYS-5-X: x"
				if layout != "" {
					line = happened.Add(offset).Format(layout) + ": " + line
				}
				r.take(intake.Message{From: netip.MustParseAddrPort("127.0.0.1:514"), Received: received, Data: []byte(line)})
			}
			for n := range c.before {
				at := now.Add(time.Duration(n*137) * time.Millisecond)
				take(at, at.Add(5*time.Millisecond))
			}
			happened := now.Add(2*time.Second + 345*time.Millisecond)
			take(happened, happened.Add(c.late))
			e := box.Events()[len(box.Events())-1]
			if e.Span.From.After(happened) || e.Span.To.Before(happened) || e.Span.Width() > c.width {
				t.Errorf("dated %s to %s around it, want at most %s", e.Span.From.Sub(happened), e.Span.To.Sub(happened), c.width)
			}
		})
	}
}

func TestEveryLineIsKeptOrCounted(t *testing.T) {
	box := intaketest.NewInbox()
	r := serve(t, Config{Listen: []string{"127.0.0.1:0"}, Devices: []devices.Device{fw}, Out: box})
	const lines = 20000
	var b strings.Builder
	for n := range lines {
		fmt.Fprintf(&b, "<13>line %d\n", n)
	}
	send(t, "tcp", r.Addrs()[1].String(), b.String())
	limit := time.Now().Add(30 * time.Second)
	c := r.Counts()
	for ; c.Stored+c.Lost() < lines; c = r.Counts() {
		if time.Now().After(limit) {
			break
		}
		select {
		case <-box.Came:
		case <-time.After(10 * time.Millisecond):
		}
	}
	if c.Received != lines || c.Stored+c.Lost() != lines || c.Dropped[intake.TooMany] == 0 {
		t.Errorf("counts %s", c)
	}
	if uint64(len(box.Events())) != c.Stored {
		t.Errorf("%d events, %s", len(box.Events()), c)
	}
}

func TestLinesOverTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	box := intaketest.NewInbox()
	r := serve(t, Config{Listen: []string{"tls://127.0.0.1:0"}, Devices: []devices.Device{fw}, Out: box,
		TLS: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}})
	pool := x509.NewCertPool()
	cert, _ := x509.ParseCertificate(der)
	pool.AddCert(cert)
	c, err := tls.Dial("tcp", r.Addrs()[0].String(), &tls.Config{RootCAs: pool})
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "16 <13>over TLS here")
	c.Close()
	if e := box.Wait(t, 1)[0]; e.Text != "<13>over TLS her" || e.Device != "sw1" {
		t.Errorf("%+v", e)
	}
	send(t, "tcp", r.Addrs()[0].String(), "no TLS\n") // is refused and ends nothing
	c, err = tls.Dial("tcp", r.Addrs()[0].String(), &tls.Config{RootCAs: pool})
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "<13>again\n")
	c.Close()
	box.Wait(t, 2)
}

func TestListenNeedsWhatItSays(t *testing.T) {
	for _, l := range []string{"http://127.0.0.1:0", "tls://127.0.0.1:0", "udp://127.0.0.1:x"} {
		if r, err := Open(Config{Listen: []string{l}}); err == nil {
			r.Close()
			t.Errorf("%s: no error", l)
		}
	}
}

// TestLogger receives from util-linux's logger in each of its formats and framings.
func TestLogger(t *testing.T) {
	logger, err := exec.LookPath("logger")
	if err != nil {
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	box := intaketest.NewInbox()
	r := serve(t, Config{Listen: []string{"127.0.0.1:0"}, Devices: []devices.Device{fw}, Out: box})
	_, udp, _ := net.SplitHostPort(r.Addrs()[0].String())
	_, tcp, _ := net.SplitHostPort(r.Addrs()[1].String())
	for n, args := range [][]string{{"-d", "-P", udp, "--rfc3164"}, {"-d", "-P", udp, "--rfc5424"}, {"-T", "-P", tcp, "--rfc3164"}, {"-T", "-P", tcp, "--rfc5424", "--octet-count"}} {
		out, err := exec.Command(logger, append(args, "-n", "127.0.0.1", "-t", "kernel", "br0: port 2(eth1) entered blocking state")...).CombinedOutput()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) && strings.Contains(string(out), "unrecognized option") && os.Getenv("WHYDROP_REQUIRE_PEERS") != "1" {
				t.Skipf("this logger knows no %v", args)
			}
			t.Fatalf("%v: %s", err, out)
		}
		if e := box.Wait(t, n+1)[n]; e.Type != timeline.EventSTPState || e.Subject != timeline.Port("sw1", "eth1") {
			t.Errorf("%v: %+v", args, e)
		}
	}
}
