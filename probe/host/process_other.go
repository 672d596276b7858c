//go:build !unix && !windows

package host

import "time"

func processTime() (user, system time.Duration, ok bool) { return 0, 0, false }
