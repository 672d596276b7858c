package iperf2

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// nap waits for d or until ctx ends. The runtime's timers are late by up to a millisecond, which would make bursts
// of 90 full frames at 1 Gbit/s, more than the receive buffer of a stock iperf holds (212992 bytes): short waits are
// the kernel's, late by 0.05 ms.
func nap(ctx context.Context, d time.Duration) {
	if d > 2*time.Millisecond {
		wait(ctx, d-time.Millisecond)
		return
	}
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil) // cut short by a signal: the caller asks the time
}
