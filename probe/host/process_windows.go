package host

import (
	"time"

	"golang.org/x/sys/windows"
)

// processTime returns the processor time of this process (GetProcessTimes). A Filetime that is a length counts steps
// of 100 ns.
func processTime() (user, system time.Duration, ok bool) {
	var created, exited, kernel, usr windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &usr); err != nil {
		return 0, 0, false
	}
	length := func(f windows.Filetime) time.Duration {
		return time.Duration(uint64(f.HighDateTime)<<32|uint64(f.LowDateTime)) * 100
	}
	return length(usr), length(kernel), true
}
