//go:build !linux

package host

import "time"

func sinceBoot() time.Duration { return -1 }
