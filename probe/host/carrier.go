package host

import "time"

// CarrierChange is the carrier of one of this host's cards that came or went.
type CarrierChange struct {
	Card string
	Up   bool
	At   time.Time // when the kernel's message was read
}
