package stream

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// testFill and testParse are the fields of iperf3's datagrams with 64-bit counters.
func testFill(b []byte, number uint64, now time.Time) {
	binary.BigEndian.PutUint32(b, uint32(now.Unix()))
	binary.BigEndian.PutUint32(b[4:], uint32(now.Nanosecond()/1000))
	binary.BigEndian.PutUint64(b[8:], number)
}

func testParse(b []byte) (number uint64, sent time.Time, ok bool) {
	if len(b) < 16 {
		return 0, sent, false
	}
	sent = time.Unix(int64(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint32(b[4:]))*1000)
	return binary.BigEndian.Uint64(b[8:]), sent, true
}

func udpPair(t *testing.T) (client, server *net.UDPConn) {
	t.Helper()
	server, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	client, err = net.DialUDP("udp", nil, server.LocalAddr().(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return client, server
}

// until waits for a condition, 5 s at most.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 5 s", what)
		}
	}
}

func TestDatagramsAreCountedExactly(t *testing.T) {
	tests := []struct {
		name   string
		rate   float64
		length int
		budget uint64
		want   uint64
		plain  bool // only by the means of the net package
	}{
		{"paced, one at a time", 20e6, 1470, 1470 * 500, 500, false},
		{"paced, in bursts", 900e6, 1470, 1470 * 5000, 5000, false},
		{"as fast as the kernel takes them", 0, 1470, 1470 * 3000, 3000, false},
		{"the last is whole", 0, 1470, 1470*100 + 100, 101, false},
		{"datagrams longer than a frame", 100e6, 20_000, 20_000 * 50, 50, false},
		{"short datagrams", 50e6, 64, 64 * 3000, 3000, false},
		{"portable, paced", 100e6, 1470, 1470 * 1000, 1000, true},
		{"portable, as fast as the kernel takes them", 0, 1470, 1470 * 2000, 2000, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, server := udpPair(t)
			if GrowReceiveBuffer(server, 8<<20) < 6<<20 {
				t.Skip("this system gives no receive buffer of 8 MiB")
			}
			var to net.Conn = client
			var from net.PacketConn = server
			if tt.plain {
				to, from = struct{ net.Conn }{client}, struct{ net.PacketConn }{server}
			}
			var sent DatagramCount
			rec := &Reception{Start: 1}
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := (&DatagramReceiver{Parse: testParse, Count: rec}).Run(ctx, from); err != nil {
					t.Error(err)
				}
			})
			s := &DatagramSender{Rate: tt.rate, Length: tt.length, Fill: testFill, First: 1, Budget: NewBudget(tt.budget), Count: &sent}
			if err := s.Run(t.Context(), to); err != nil {
				t.Fatal(err)
			}
			until(t, "the datagrams arrive", func() bool { return rec.Counts().Datagrams >= tt.want })
			cancel()
			wg.Wait()
			got, c, size := sent.Sent(), rec.Counts(), tt.want*uint64(tt.length)
			if got.Datagrams != tt.want || got.Bytes != size {
				t.Errorf("sent %d datagrams with %d bytes, want %d with %d", got.Datagrams, got.Bytes, tt.want, size)
			}
			if c.Datagrams != tt.want || c.Bytes != size || c.Lost+c.Reordered+c.Duplicates+c.Foreign+c.Dropped != 0 {
				t.Errorf("received %+v, want %d datagrams with %d bytes and nothing else", c, tt.want, size)
			}
			if tt.plain && (got.Path != "write" || c.Path != "read") {
				t.Errorf("by %q and %q, want the portable path", got.Path, c.Path)
			}
			t.Logf("%s, %s", got.Path, c.Path)
		})
	}
}

func TestDatagramSenderKeepsItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		var sent DatagramCount
		wg.Go(func() { _ = (&Receiver{Count: new(Count)}).Run(t.Context(), b) })
		if err := (&DatagramSender{Rate: 8e6, Length: 1000, Count: &sent}).Run(ctx, a); err != nil {
			t.Error(err)
		}
		a.Close()
		wg.Wait()
		if n := sent.Sent().Datagrams; n < 9_995 || n > 10_005 {
			t.Errorf("%d datagrams in 10 s, want 10000", n)
		}
	})
}

func TestDatagramsGoWhereASocketIsTold(t *testing.T) {
	for _, network := range []string{"udp4", "udp"} { // an IPv4 address on a socket of IPv4, and on one of both
		t.Run(network, func(t *testing.T) {
			_, server := udpPair(t)
			client, err := net.ListenUDP(network, nil)
			if err != nil {
				t.Skip(err)
			}
			defer client.Close()
			to := server.LocalAddr().(*net.UDPAddr).AddrPort()
			var sent DatagramCount
			s := DatagramSender{Length: 1000, Fill: testFill, To: to, Budget: NewBudget(50_000), Count: &sent}
			if err := s.Run(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			r := NewDatagramReader(server)
			_ = server.SetReadDeadline(time.Now().Add(2 * time.Second))
			for n := 0; n < 50; {
				err := r.Read(func(b Burst) {
					n += b.Count()
					if want := client.LocalAddr().(*net.UDPAddr).Port; int(b.From.Port()) != want || !b.From.Addr().Is4() {
						t.Errorf("from %v, want an IPv4 address and port %d", b.From, want)
					}
				})
				if err != nil {
					t.Fatalf("%d datagrams, then %v", n, err)
				}
			}
		})
	}
}

func TestDatagramReceiverLeavesTheSocketAsItWas(t *testing.T) {
	client, server := udpPair(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := (&DatagramReceiver{Parse: testParse, Count: &Reception{}}).Run(ctx, server); err != nil {
		t.Fatal(err)
	}
	if err := (&DatagramSender{Length: 1000, Budget: NewBudget(10_000), Count: new(DatagramCount)}).Run(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	_ = server.SetReadDeadline(time.Now().Add(2 * time.Second))
	if n, err := server.Read(make([]byte, 1<<16)); n != 1000 || err != nil {
		t.Errorf("%d bytes, %v: want one datagram of 1000", n, err)
	}
}

func TestDatagramSenderGoesOnWhenNobodyListens(t *testing.T) {
	client, server := udpPair(t)
	server.Close()
	var sent DatagramCount
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := (&DatagramSender{Rate: 1e6, Length: 100, Count: &sent}).Run(ctx, client); err != nil {
		t.Error(err)
	}
	if c := sent.Sent(); c.Datagrams == 0 || c.Refused == 0 {
		t.Errorf("sent %d, refused %d: want some of both", c.Datagrams, c.Refused)
	}
}

func TestDatagramSenderSaysThatALengthDoesNotFit(t *testing.T) {
	client, _ := udpPair(t)
	for _, length := range []int{0, 65_508} {
		if err := (&DatagramSender{Length: length, Count: new(DatagramCount)}).Run(t.Context(), client); !errors.Is(err, ErrTooLong) {
			t.Errorf("%d bytes: %v, want ErrTooLong", length, err)
		}
	}
}

func TestDatagramSenderEndsWhenTheSocketIsClosed(t *testing.T) {
	client, _ := udpPair(t)
	client.Close()
	if err := (&DatagramSender{Length: 100, Count: new(DatagramCount)}).Run(t.Context(), client); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want net.ErrClosed", err)
	}
}

func TestBurstFor(t *testing.T) {
	tests := []struct {
		name        string
		rate        float64
		length      int
		asked, most int
		want        int
	}{
		{"unlimited takes all", 0, 1470, 0, 44, 44},
		{"10 Mbit/s goes one by one", 10e6, 1470, 0, 44, 1},
		{"100 Mbit/s is 8.5 a millisecond", 100e6, 1470, 0, 44, 4},
		{"1 Gbit/s is half a millisecond's worth", 1e9, 1470, 0, 44, 42},
		{"10 Gbit/s is what one call takes", 10e9, 1470, 0, 44, 44},
		{"what was asked for", 100e6, 1470, 10, 44, 10},
		{"what was asked for and is too much", 100e6, 1470, 100, 44, 44},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := burstFor(tt.rate, tt.length, tt.asked, tt.most); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestBurstHoldsItsDatagrams(t *testing.T) {
	tests := []struct {
		name string
		b    Burst
		want []string
	}{
		{"one", Burst{Data: []byte("abc"), Size: 3}, []string{"abc"}},
		{"three, the last shorter", Burst{Data: []byte("abcdefg"), Size: 3}, []string{"abc", "def", "g"}},
		{"an empty one", Burst{}, []string{""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i := 0
			tt.b.Each(func(d []byte) {
				if i >= len(tt.want) || !bytes.Equal(d, []byte(tt.want[i])) {
					t.Errorf("datagram %d is %q, want %q", i, d, tt.want)
				}
				i++
			})
			if i != len(tt.want) {
				t.Errorf("%d datagrams, want %d", i, len(tt.want))
			}
		})
	}
}
