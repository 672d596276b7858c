package rxtime

import (
	"errors"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

// plainConn hides that a connection is a socket.
type plainConn struct{ net.PacketConn }

func TestDrainGivesWhatWaitsAndWhenItCame(t *testing.T) {
	for _, tt := range []struct {
		name string
		hide bool
	}{{"by the kernel's clock", false}, {"by reading at once", true}} {
		t.Run(tt.name, func(t *testing.T) {
			conn, err := net.ListenPacket("udp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			to := conn.LocalAddr()
			if tt.hide {
				conn = plainConn{conn}
			}
			r := New(conn)
			defer r.Close()
			out, err := net.Dial("udp", to.String())
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			got := 0
			collect := func(p Packet) {
				got++
				if string(p.Data) != "heartbeat" || p.From != out.LocalAddr().(*net.UDPAddr).AddrPort() {
					t.Errorf("got %q from %s", p.Data, p.From)
				}
				if age := time.Since(p.At); age < 0 || age > 10*time.Second {
					t.Errorf("it arrived %s ago", age)
				}
				if want := runtime.GOOS == "linux" && !tt.hide; p.Exact != want || want && (p.TTL <= 0 || p.To != netip.MustParseAddr("127.0.0.1")) {
					t.Errorf("exact %v, ttl %d, to %s", p.Exact, p.TTL, p.To)
				}
			}
			if err := r.Drain(collect); err != nil || got != 0 {
				t.Fatalf("an empty socket gave %d datagrams, error %v", got, err)
			}
			for range 3 {
				if _, err := out.Write([]byte("heartbeat")); err != nil {
					t.Fatal(err)
				}
			}
			for deadline := time.Now().Add(5 * time.Second); got < 3 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				if err := r.Drain(collect); err != nil {
					t.Fatal(err)
				}
			}
			if got != 3 {
				t.Errorf("got %d datagrams, want 3", got)
			}
		})
	}
}

func TestReadEndsWhenTheSocketIsClosed(t *testing.T) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := New(conn)
	done := make(chan error)
	go func() {
		_, err := r.Read()
		done <- err
	}()
	r.Close()
	if err := <-done; !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want %v", err, net.ErrClosed)
	}
}

func TestAKernelTimestampIsBelievedWithinReason(t *testing.T) {
	now := time.Now()
	wall := now.Round(0)
	tests := []struct {
		name   string
		kernel time.Time
		age    time.Duration
		exact  bool
	}{
		{"just now", wall, 0, true},
		{"read half a second late", wall.Add(-500 * time.Millisecond), 500 * time.Millisecond, true},
		{"a rounding in the future", wall.Add(10 * time.Microsecond), 0, true},
		{"the clock was set back since", wall.Add(time.Hour), 0, false},
		{"the clock was set forward since", wall.Add(-time.Hour), 0, false},
	}
	for _, tt := range tests {
		at, exact := arrival(now, tt.kernel)
		if exact != tt.exact || now.Sub(at) != tt.age {
			t.Errorf("%s: %s ago, exact %v; want %s, %v", tt.name, now.Sub(at), exact, tt.age, tt.exact)
		}
	}
}

func TestARefusalNamesItsAuthor(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "::1"} {
		gone, err := net.ListenPacket("udp", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Fatal(err)
		}
		to := gone.LocalAddr().String()
		gone.Close()
		conn, err := net.Dial("udp", to)
		if err != nil {
			t.Fatal(err)
		}
		r := New(conn.(*net.UDPConn))
		defer r.Close()
		if !r.Reports() {
			t.Skip("no reports on this system")
		}
		_ = r.Drain(func(Packet) {}) // asks for them
		if _, err := conn.Write([]byte("heartbeat")); err != nil {
			t.Fatal(err)
		}
		var got *Report
		for deadline := time.Now().Add(5 * time.Second); got == nil && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if err := r.Drain(func(Packet) {}); err != nil && !errors.As(err, &got) {
				t.Fatalf("%s: %v", host, err)
			}
		}
		if got == nil || got.By != netip.MustParseAddr(host) || !got.Refused || got.Text != "port unreachable" {
			t.Errorf("%s: %+v, want a refusal by itself", host, got)
		}
	}
}
