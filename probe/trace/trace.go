package trace

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"whydrop/probe"
)

// Method is what a trace sends.
type Method string

// Methods.
const (
	UDP  Method = "udp"
	ICMP Method = "icmp"
	TCP  Method = "tcp"
)

const (
	// DefaultUDPPort is where traceroute(8) begins: a port on which nothing listens answers.
	DefaultUDPPort = 33434
	// DefaultTCPPort is let through by more filters than any other.
	DefaultTCPPort = 443

	defaultHops     = 30
	maxHops         = 64
	defaultRounds   = 10
	maxRounds       = 1000
	defaultInterval = time.Second
	minInterval     = 200 * time.Millisecond
	defaultWait     = time.Second
	minWait         = 50 * time.Millisecond
	maxWait         = 5 * time.Second

	// gap is the least time between two packets: 100 a second.
	gap = 10 * time.Millisecond
	// lookTime is how long the first round waits for a hop before it tries the next: further packets to a target
	// that has been reached use up the few answers that it gives.
	lookTime = 100 * time.Millisecond
	// giveUp is after how many hops in a row that say nothing the first round looks no further.
	giveUp = 8
)

// ErrPermission says that this user may not do that on this system.
var ErrPermission = errors.New("needs an administrator")

// ErrUnsupported says that it is not possible on this system at all.
var ErrUnsupported = errors.New("not on this system")

// Config says what to trace.
type Config struct {
	To       string        // host name or address
	Method   Method        // "" means UDP
	Port     uint16        // of the target; 0 means 33434 (UDP) or 443 (TCP); of no matter for ICMP
	SrcPort  uint16        // 0: the system chooses
	Hops     int           // the most hops there may be; 0 means 30, more than 64 is 64
	Rounds   int           // how often every hop is asked; 0 means 10, more than 1000 is 1000
	Interval time.Duration // between two rounds; 0 means 1 s, less than 200 ms is 200 ms
	Wait     time.Duration // how long an answer may take; 0 means 1 s; 50 ms to 5 s

	// Size is how long the packets are, IP header included, not to be fragmented on the way; 0 means small ones.
	// UDP and ICMP only.
	Size int

	// Progress, if not nil, is called after every round with what is known so far.
	Progress func(Result)
}

// PortOf returns the port that the packets go to; 0 for ICMP, which has none.
func (c Config) PortOf() uint16 {
	switch {
	case c.Method == ICMP:
		return 0
	case c.Port != 0:
		return c.Port
	case c.Method == TCP:
		return DefaultTCPPort
	}
	return DefaultUDPPort
}

func (c Config) withDefaults() Config {
	if c.Method == "" {
		c.Method = UDP
	}
	c.Port = c.PortOf()
	c.Hops = within(c.Hops, defaultHops, 1, maxHops)
	c.Rounds = within(c.Rounds, defaultRounds, 1, maxRounds)
	c.Interval = within(c.Interval, defaultInterval, minInterval, time.Hour)
	c.Wait = within(c.Wait, defaultWait, minWait, maxWait)
	return c
}

// within returns v, or the default if it is 0, within bounds.
func within[T int | time.Duration](v, or, least, most T) T {
	if v == 0 {
		v = or
	}
	return min(max(v, least), most)
}

// Run traces the path until all rounds are done or ctx ends, whichever comes first, and returns what it found. An
// error means that nothing could be sent: the target has no address, there is no way to it from here, the system
// does not allow it ([ErrPermission], [ErrUnsupported]). That nobody answers is no error.
func Run(ctx context.Context, c Config) (Result, error) {
	c = c.withDefaults()
	switch {
	case c.Method != UDP && c.Method != ICMP && c.Method != TCP:
		return Result{}, fmt.Errorf("trace: no method %q; there are udp, icmp, tcp", c.Method)
	case c.Size != 0 && c.Method == TCP:
		return Result{}, fmt.Errorf("trace: packets of TCP have no size to choose")
	case c.Size != 0 && (c.Size < 60 || c.Size > 65000):
		return Result{}, fmt.Errorf("trace: size %d: want 60 to 65000", c.Size)
	}
	to, err := probe.Resolve(ctx, c.To)
	if err != nil {
		return Result{}, fmt.Errorf("trace: %w", err)
	}
	w, err := open(c, to)
	if err != nil {
		return Result{}, fmt.Errorf("trace %s by %s: %w", to, c.Method, err)
	}
	defer w.close()
	e := newEngine(c, to, w)
	e.result.SrcPort = w.srcPort()
	e.run(ctx)
	res := e.summary()
	if res.Sent() == 0 && e.failure != nil {
		return res, fmt.Errorf("trace %s by %s: %w", to, c.Method, e.failure)
	}
	return res, nil
}

// carrier sends the packets of one flow. Its methods are called from one goroutine.
type carrier interface {
	// send sends packet n, n counting from 0.
	send(ttl, n int, now time.Time) error
	// receive gives the answers that arrive until then. It may return earlier, not later.
	receive(until time.Time, give func(reply))
	// single says whether only one packet may be under way at a time.
	single() bool
	// srcPort is the source port of the flow; 0 if it has none.
	srcPort() uint16
	close()
}

// reply is an answer.
type reply struct {
	n    int        // which packet it answers; -1 if that is not known
	by   netip.Addr // who answered
	end  bool       // no router's "time exceeded": the packet went as far as it ever does
	said string     // in words, if it is another than the answer of a target: "port unreachable"
	at   time.Time
}
