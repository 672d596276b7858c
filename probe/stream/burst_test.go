package stream

import (
	"context"
	"sync"
	"testing"
	"time"
)

func TestABurstGoesAtOnceHoweverLong(t *testing.T) {
	for _, burst := range []int{1, 10, 32, 33, 200} {
		client, _ := udpPair(t)
		ctx, cancel := context.WithCancel(t.Context())
		var sent DatagramCount
		var wg sync.WaitGroup
		// The second burst is a day away.
		s := DatagramSender{Rate: float64(burst) * 100 * 8 / 86400, Length: 100, Burst: burst, Count: &sent}
		wg.Go(func() {
			if err := s.Run(ctx, client); err != nil {
				t.Error(err)
			}
		})
		until(t, "the burst goes", func() bool { return sent.Sent().Datagrams >= uint64(burst) })
		time.Sleep(20 * time.Millisecond) // more would follow at once
		cancel()
		wg.Wait()
		if n := sent.Sent().Datagrams; n != uint64(burst) {
			t.Errorf("%d datagrams went, want a burst of %d", n, burst)
		}
	}
}
