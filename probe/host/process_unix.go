//go:build unix

package host

import (
	"time"

	"golang.org/x/sys/unix"
)

// processTime returns the processor time of this process (getrusage(2)).
func processTime() (user, system time.Duration, ok bool) {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		return 0, 0, false
	}
	return time.Duration(ru.Utime.Nano()), time.Duration(ru.Stime.Nano()), true
}
