package main

import (
	"os"
	"syscall"
)

// residentOf returns the most memory that the ended process had resident, in bytes.
func residentOf(s *os.ProcessState) float64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return float64(u.Maxrss) * 1024
	}
	return 0
}
