package stream

import (
	"context"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"
)

// delayer is a path that holds every other datagram back: it forwards to a socket what comes to its own.
func delayer(t *testing.T, to *net.UDPConn, hold time.Duration) *net.UDPConn {
	t.Helper()
	in, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	out, err := net.DialUDP("udp", nil, to.LocalAddr().(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		buf := make([]byte, 2048)
		for i := 0; ; i++ {
			n, err := in.Read(buf)
			if err != nil {
				return
			}
			// The sender's stamp is put right, so that the path's delay is known whatever this host is late by.
			delay := time.Duration(i%2) * hold
			number, _, _ := testParse(buf[:n])
			testFill(buf, number, time.Now().Add(-delay))
			_, _ = out.Write(buf[:n])
		}
	})
	t.Cleanup(func() { in.Close(); wg.Wait(); out.Close() })
	return in
}

func TestJitterOfAnAlternatingDelay(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("times of arrival are the program's own here")
	}
	// A loaded host adds its own jitter; one undisturbed second of a few is enough.
	var last Arrived
	for range 8 {
		_, server := udpPair(t)
		relay := delayer(t, server, 2*time.Millisecond)
		client, err := net.DialUDP("udp", nil, relay.LocalAddr().(*net.UDPAddr))
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		rec := &Reception{}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { _ = (&DatagramReceiver{Parse: testParse, Count: rec}).Run(ctx, server) })
		var sent DatagramCount
		s := DatagramSender{Rate: 8 * 100 * 400, Length: 100, Fill: testFill, Budget: NewBudget(100 * 200), Count: &sent}
		if err := s.Run(t.Context(), client); err != nil {
			t.Error(err)
		}
		until(t, "all arrive", func() bool { return rec.Counts().Datagrams == 200 })
		cancel()
		wg.Wait()
		if last = rec.Counts(); !last.Exact {
			t.Fatal("the kernel did not time the arrivals")
		}
		if last.Jitter > 1920*time.Microsecond && last.Jitter < 2080*time.Microsecond {
			return
		}
	}
	t.Errorf("jitter %v, want 2 ms within 4 %%", last.Jitter)
}
