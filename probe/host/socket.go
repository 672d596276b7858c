package host

import (
	"fmt"
	"runtime"

	"whydrop/probe/stream"
)

// Granted is one thing a socket was asked for and what it got.
type Granted struct {
	What  string // "segment size", "send buffer", "receive buffer", in bytes
	Asked int    // 0: the system was to choose
	Got   int    // 0: the system does not tell
}

// String says both: "segment size: 9000 asked, 8961 got".
func (g Granted) String() string {
	asked, got := "none asked", "not known what it got"
	if g.Asked > 0 {
		asked = fmt.Sprintf("%d asked", g.Asked)
	}
	if g.Got > 0 {
		got = fmt.Sprintf("%d got", g.Got)
	}
	return g.What + ": " + asked + ", " + got
}

// Less says whether it got less than it asked for.
func (g Granted) Less() bool { return g.Asked > 0 && g.Got > 0 && g.Got < g.Asked }

// Compare puts what a connection's socket was asked for beside what it got: segment size, send and receive buffer.
// What Linux adds to a buffer for its own bookkeeping (socket(7): it doubles the size) is taken off again where a size
// was asked for.
func Compare(asked stream.Socket, got stream.Actual) []Granted {
	usable := func(n int) int {
		if asked.Buffer > 0 && runtime.GOOS == "linux" {
			return n / 2
		}
		return n
	}
	return []Granted{
		{"segment size", asked.MSS, got.MSS},
		{"send buffer", asked.Buffer, usable(got.SendBuffer)},
		{"receive buffer", asked.Buffer, usable(got.RecvBuffer)},
	}
}
