// Package admission decides who comes in at a far end of throughput tests, and when: how many connections may be on
// their way to a test, whose turn a test is, and what binds a client that shows no token. What a client is asked and
// how its test runs is its protocol's.
package admission

import "time"

// Limits of clients that show no token, where a far end's configuration says nothing else.
const (
	DefaultMaxTime    = 60 * time.Second
	DefaultMaxRate    = 1e9 // bit/s
	DefaultMaxStreams = 16
)

// Defaults gives each limit that is not set (0 or less) its default.
func Defaults(longest *time.Duration, rate *float64, streams *int) {
	if *longest <= 0 {
		*longest = DefaultMaxTime
	}
	if *rate <= 0 {
		*rate = DefaultMaxRate
	}
	if *streams <= 0 {
		*streams = DefaultMaxStreams
	}
}
