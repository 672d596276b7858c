//go:build !linux

package iperf2

import (
	"context"
	"time"
)

// nap waits for d or until ctx ends.
func nap(ctx context.Context, d time.Duration) { wait(ctx, d) }
