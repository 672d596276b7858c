package stream

import (
	"context"
	"errors"
	"net"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestSenderKeepsItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		var sent, got Count
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() { _ = (&Receiver{Count: &got}).Run(t.Context(), b) })
		if err := (&Sender{Rate: 8e6, Count: &sent}).Run(ctx, a); err != nil {
			t.Error(err)
		}
		a.Close()
		wg.Wait()
		if n := got.Bytes(); n != sent.Bytes() || n < 9_990_000 || n > 10_010_000 {
			t.Errorf("sent %d, received %d, want 10 MB in 10 s at 8 Mbit/s", sent.Bytes(), n)
		}
	})
}

func TestSenderDoesNotBurstAfterAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		var sent Count
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { _ = (&Sender{Rate: 8e6, Count: &sent}).Run(ctx, a) })
		buf := make([]byte, DefaultLength)
		read := func(d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); {
				_ = b.SetReadDeadline(end)
				_, _ = b.Read(buf)
			}
		}
		read(time.Second)
		time.Sleep(3 * time.Second) // nobody reads: the path stalls
		if d := sent.Blocked(); d < 2900*time.Millisecond {
			t.Errorf("blocked for %v in a stall of 3 s", d)
		}
		before := sent.Bytes()
		read(100 * time.Millisecond)
		if n := sent.Bytes() - before; n > 110_000 {
			t.Errorf("%d bytes in the 100 ms after the stall, want 100000", n)
		}
		cancel()
		wg.Wait()
	})
}

func TestSenderStopsAtItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := NewBudget(1_000_001)
		var total Count
		var wg sync.WaitGroup
		for range 3 {
			a, b := net.Pipe()
			wg.Go(func() {
				if err := (&Sender{Budget: budget, Count: new(Count)}).Run(t.Context(), a); err != nil {
					t.Error(err)
				}
				a.Close()
			})
			wg.Go(func() { _ = (&Receiver{Count: &total}).Run(t.Context(), b) })
		}
		wg.Wait()
		if n := total.Bytes(); n != 1_000_001 {
			t.Errorf("three senders sent %d of a budget of 1000001", n)
		}
	})
}

func TestSenderSaysWhenTheConnectionBreaks(t *testing.T) {
	a, b := net.Pipe()
	b.Close()
	if err := (&Sender{Count: new(Count)}).Run(t.Context(), a); err == nil {
		t.Error("no error on a closed pipe")
	}
}

func TestReceiverTellsWaitingFromSlowness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var got Count
		var wg sync.WaitGroup
		wg.Go(func() { _ = (&Sender{Length: 1000, Count: new(Count)}).Run(ctx, a) })
		slow := func(n int) { time.Sleep(time.Duration(n) * time.Microsecond) }
		_ = (&Receiver{Slow: slow, Count: &got}).Run(ctx, b)
		wg.Wait()
		if w := got.Waited(); w > time.Second {
			t.Errorf("waited %v of 10 s although the program was always slow", w)
		}
	})
}

func TestLimitHoldsReceiversTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		limit := NewLimit(8e6)
		var got Count
		var wg sync.WaitGroup
		for range 2 {
			a, b := net.Pipe()
			wg.Go(func() { _ = (&Sender{Length: 10_000, Count: new(Count)}).Run(ctx, a) })
			wg.Go(func() { _ = (&Receiver{Limit: limit, Count: &got}).Run(ctx, b) })
		}
		wg.Wait()
		if n := got.Bytes(); n < 9_900_000 || n > 10_200_000 {
			t.Errorf("read %d bytes in 10 s under 8 Mbit/s", n)
		}
	})
}

func TestRunReturnsWhenCtxEndsAndLeavesNoDeadline(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	peer, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var sent Count // nobody reads, so the sender blocks
	if err := (&Sender{Count: &sent}).Run(ctx, c); err != nil {
		t.Fatal(err)
	}
	var got Count
	ctx2, cancel2 := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel2()
	if err := (&Receiver{Count: &got}).Run(ctx2, peer); err != nil {
		t.Fatal(err)
	}
	if got.Bytes() != sent.Bytes() {
		t.Errorf("counted %d sent and %d received", sent.Bytes(), got.Bytes())
	}
	if _, err := c.Write([]byte("x")); err != nil {
		t.Errorf("the connection cannot be written after Run: %v", err)
	}
}

func TestSocketIsReallySetUp(t *testing.T) {
	l, err := Socket{}.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := Socket{Buffer: 64 << 10, MSS: 1000}.Dialer(time.Second).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Skip(err) // a system without these options
	}
	defer c.Close()
	a := Inspect(c)
	if a.SendBuffer < 64<<10 || a.SendBuffer > 256<<10 {
		t.Errorf("send buffer %d, asked for 64 KiB", a.SendBuffer)
	}
	if a.MSS != 0 && a.MSS > 1000 {
		t.Errorf("MSS %d, asked for 1000", a.MSS)
	}
	if multipath, err := c.(*net.TCPConn).MultipathTCP(); err == nil && multipath {
		t.Error("the connection is Multipath TCP")
	}
	_, err = Socket{Congestion: "no-such"}.Dialer(time.Second).DialContext(t.Context(), "tcp", l.Addr().String())
	if err == nil || errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("an unknown congestion control was accepted: %v", err)
	}
}

func TestEveryKeepsAnAbsoluteSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		Every(t.Context(), start, Tick, func(now time.Time) bool {
			at = append(at, now.Sub(start))
			if len(at) == 2 {
				time.Sleep(25 * time.Millisecond) // a host that is busy
			}
			return len(at) < 4
		})
		want := []time.Duration{10, 20, 50, 60}
		for i := range want {
			if at[i] != want[i]*time.Millisecond {
				t.Errorf("tick %d at %v, want %d ms", i, at[i], want[i])
			}
		}
	})
}
