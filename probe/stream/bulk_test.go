package stream

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func tcpPair(t *testing.T) (client, server *net.TCPConn) {
	t.Helper()
	l, err := Socket{}.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := Socket{}.Dialer(time.Second).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	return c.(*net.TCPConn), s.(*net.TCPConn)
}

// linux returns the path that a Linux system takes, and other for the other systems.
func linux(path, other string) string {
	if runtime.GOOS == "linux" {
		return path
	}
	return other
}

func TestBytesAreCountedExactlyOnEveryPath(t *testing.T) {
	splice, discard := linux(PathSplice, PathWrite), linux(PathDiscard, PathRead)
	limit := NewLimit(1e9)
	tests := []struct {
		name    string
		budget  uint64
		s       Sender
		r       Receiver
		out, in string
	}{
		{"the fastest", 300_000_001, Sender{}, Receiver{}, splice, discard},
		{"less than a page", 17, Sender{}, Receiver{}, splice, discard},
		{"portable", 50_000_003, Sender{Portable: true}, Receiver{Portable: true}, PathWrite, PathRead},
		{"spliced and read", 50_000_003, Sender{}, Receiver{Portable: true}, splice, PathRead},
		{"written and thrown away", 50_000_003, Sender{Portable: true}, Receiver{}, PathWrite, discard},
		{"verified", 20_000_003, Sender{Verify: true}, Receiver{Verify: true}, PathWrite, PathVerify},
		{"paced slowly", 100_003, Sender{Rate: 20e6}, Receiver{}, PathWrite, discard},
		{"paced fast", 20_000_003, Sender{Rate: 2e9}, Receiver{}, splice, discard},
		{"exact lengths", 1_000_003, Sender{Length: 1000, Exact: true}, Receiver{}, PathWrite, discard},
		{"under a limit", 5_000_003, Sender{}, Receiver{Limit: limit}, splice, discard},
		{"a slow program", 1_000_003, Sender{}, Receiver{Slow: func(int) {}}, splice, PathRead},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, server := tcpPair(t)
			var sent, got Count
			var wg sync.WaitGroup
			wg.Go(func() {
				tt.r.Count = &got
				if err := tt.r.Run(t.Context(), server); err != nil {
					t.Error(err)
				}
			})
			tt.s.Count, tt.s.Budget = &sent, NewBudget(tt.budget)
			if err := tt.s.Run(t.Context(), client); err != nil {
				t.Error(err)
			}
			client.Close()
			wg.Wait()
			if sent.Bytes() != tt.budget || got.Bytes() != tt.budget {
				t.Errorf("sent %d and received %d bytes, want %d", sent.Bytes(), got.Bytes(), tt.budget)
			}
			if sent.Path() != tt.out || got.Path() != tt.in {
				t.Errorf("paths %q and %q, want %q and %q", sent.Path(), got.Path(), tt.out, tt.in)
			}
			if n, first := got.Damaged(); n != 0 {
				t.Errorf("%d bytes damaged, the first is %d", n, first)
			}
		})
	}
}

func TestWhatWasSplicedIsThePayload(t *testing.T) {
	client, server := tcpPair(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = (&Sender{Budget: NewBudget(3 << 20), Count: new(Count)}).Run(t.Context(), client)
		client.Close()
	})
	b, err := io.ReadAll(server)
	wg.Wait()
	if err != nil || len(b) != 3<<20 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	want := payload(256 << 10)
	if runtime.GOOS != "linux" {
		want = payload(DefaultLength)
	}
	for ; len(b) > 0; b = b[len(want):] {
		if string(b[:len(want)]) != string(want) {
			t.Fatal("something else went out")
		}
	}
}

func TestRunEndsWithCtxWhenThePeerStopsReading(t *testing.T) {
	client, _ := tcpPair(t)
	var sent Count
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := (&Sender{Count: &sent}).Run(ctx, client); err != nil {
		t.Error(err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("ended after %v", d)
	}
	if sent.Path() != linux(PathSplice, PathWrite) || sent.Bytes() == 0 {
		t.Errorf("%d bytes by %q", sent.Bytes(), sent.Path())
	}
}

func TestCtxEndsAFastTransferThatRuns(t *testing.T) {
	client, server := tcpPair(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var sent, got Count
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := (&Receiver{Count: &got}).Run(t.Context(), server); err != nil {
			t.Error(err)
		}
	})
	start := time.Now()
	if err := (&Sender{Count: &sent}).Run(ctx, client); err != nil {
		t.Error(err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("ended after %v", d)
	}
	if _, err := client.Write([]byte("last")); err != nil { // no deadline is left behind
		t.Error(err)
	}
	client.Close()
	wg.Wait()
	if got.Bytes() != sent.Bytes()+4 {
		t.Errorf("sent %d and 4 more, received %d", sent.Bytes(), got.Bytes())
	}
}

func TestAResetEndsBothEnds(t *testing.T) {
	client, server := tcpPair(t)
	var sent Count
	result := make(chan error, 1)
	go func() { result <- (&Sender{Count: &sent}).Run(t.Context(), client) }()
	until(t, "data flows", func() bool { return sent.Bytes() > 0 })
	_ = server.SetLinger(0)
	server.Close()
	select {
	case err := <-result:
		if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
			t.Errorf("got %v, want a reset", err)
		}
	case <-time.After(2 * time.Second):
		t.Fatal("the sender does not notice")
	}

	client, server = tcpPair(t)
	var got Count
	go func() { result <- (&Receiver{Count: &got}).Run(t.Context(), server) }()
	_, _ = client.Write([]byte("some"))
	until(t, "data arrives", func() bool { return got.Bytes() == 4 })
	_ = client.SetLinger(0)
	client.Close()
	select {
	case err := <-result:
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("got %v, want a reset", err)
		}
	case <-time.After(2 * time.Second):
		t.Fatal("the receiver does not notice")
	}
}

func TestAClosedConnectionEndsTheSender(t *testing.T) {
	client, _ := tcpPair(t)
	var sent Count
	result := make(chan error, 1)
	go func() { result <- (&Sender{Count: &sent}).Run(t.Context(), client) }()
	until(t, "the sender waits", func() bool { return sent.Blocked() > 20*time.Millisecond })
	client.Close()
	select {
	case err := <-result:
		if !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v, want net.ErrClosed", err)
		}
	case <-time.After(2 * time.Second):
		t.Fatal("the sender does not notice")
	}
}

func TestAHeaderIsReadBeforeTheRestIsThrownAway(t *testing.T) {
	client, server := tcpPair(t)
	cookie := []byte("0123456789012345678901234567890123456\x00")
	var got Count
	var wg sync.WaitGroup
	wg.Go(func() {
		head := make([]byte, len(cookie))
		if _, err := io.ReadFull(server, head); err != nil || string(head) != string(cookie) {
			t.Errorf("read %q, %v", head, err)
		}
		_ = (&Receiver{Count: &got}).Run(t.Context(), server)
	})
	_, _ = client.Write(append(cookie, "data"...)) // together in one segment
	_ = (&Sender{Budget: NewBudget(1 << 20), Count: new(Count)}).Run(t.Context(), client)
	client.Close()
	wg.Wait()
	if got.Bytes() != 1<<20+4 {
		t.Errorf("received %d bytes, want %d", got.Bytes(), 1<<20+4)
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	tests := []struct {
		name         string
		change       func(i int, b byte) byte
		bytes, first uint64
	}{
		{"nothing", func(_ int, b byte) byte { return b }, 0, 0},
		{"one byte", func(i int, b byte) byte {
			if i == 400_000 {
				b ^= 1
			}
			return b
		}, 1, 400_000},
		{"three bytes far apart", func(i int, b byte) byte {
			if i%300_000 == 250_000 {
				b ^= 0x80
			}
			return b
		}, 3, 250_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := net.Pipe()
				c, d := net.Pipe()
				var got Count
				var wg sync.WaitGroup
				wg.Go(func() {
					_ = (&Sender{Verify: true, Budget: NewBudget(1_000_000), Count: new(Count)}).Run(t.Context(), a)
					a.Close()
				})
				wg.Go(func() {
					all, _ := io.ReadAll(b)
					for i := range all {
						all[i] = tt.change(i, all[i])
					}
					_, _ = c.Write(all)
					c.Close()
				})
				wg.Go(func() { _ = (&Receiver{Verify: true, Count: &got}).Run(t.Context(), d) })
				wg.Wait()
				if n, first := got.Damaged(); n != tt.bytes || first != tt.first {
					t.Errorf("%d bytes damaged, the first is %d, want %d and %d", n, first, tt.bytes, tt.first)
				}
			})
		})
	}
}
