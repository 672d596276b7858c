package host

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot returns the time since the system started, sleep included (clock_gettime(2), CLOCK_BOOTTIME), -1 if there
// is no such clock.
func sinceBoot() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return -1
	}
	return time.Duration(ts.Nano())
}
