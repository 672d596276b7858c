package main

import (
	"syscall"
	"time"
)

// processorTime is that of this process so far, user and kernel.
func processorTime() time.Duration {
	var created, exited, kernel, user syscall.Filetime
	h, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return hundreds(kernel) + hundreds(user)
}

// hundreds reads a FILETIME as a duration: it counts 100 ns.
func hundreds(f syscall.Filetime) time.Duration {
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
}
