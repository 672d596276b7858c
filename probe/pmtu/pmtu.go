package pmtu

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"whydrop/probe"
	"whydrop/probe/stamp"
	"whydrop/probe/trace"
)

// Means is what answers.
type Means string

// Means, the best first.
const (
	STAMP Means = "stamp" // a reflector
	ICMP  Means = "icmp"  // echo
	UDP   Means = "udp"   // the refusal of a closed port
)

const (
	// LeastMTU4 and LeastMTU6 are what every path takes: RFC 791, section 3.2 (hosts take 576 bytes, links 68), and
	// RFC 8200, section 5.
	LeastMTU4 = 68
	LeastMTU6 = 1280

	// controlSize is of the packets that show that the path is there at all. A signed question fits, behind the headers
	// of IPv6 and UDP.
	controlSize = 40 + 8 + stamp.AuthenticatedSize
	closedPort  = 33434
	maxSize     = 65000
	defaultTime = time.Minute
)

// ErrUnsupported says that this system does not let a program do it.
var ErrUnsupported = errors.New("not on this system")

// ErrSilent says that nothing answers even the smallest packet: nothing was measured.
var ErrSilent = errors.New("no answer to small packets")

// Config says what to measure.
type Config struct {
	To        string        // host name or address
	Means     Means         // "" means the first of STAMP, ICMP and UDP that is answered
	STAMPPort uint16        // 0: STAMP is not tried
	STAMPKey  []byte        // that questions to it are signed with; empty: unauthenticated mode
	Max       int           // the largest packet to try, IP header included; 0 means what the own link takes
	Limit     time.Duration // of the whole; 0 means a minute

	// Progress, if not nil, is called after every size that was tried.
	Progress func(Step)
}

// Step is a size that was tried.
type Step struct {
	Size     int // of the packet, IP header included
	Sent     int
	Answered int
	Arrived  int    // at the far end, as it says; -1 if it does not
	Said     []Said // what routers said
}

// Said is what a router said of packets that were too large for its next link.
type Said struct {
	By    netip.Addr // zero if it is not known
	MTU   int        // what the link takes, as it says; 0 if it does not
	Times int
}

// Ends says why larger packets do not get through.
type Ends string

// Why it ends.
const (
	OwnLink   Ends = "own link"   // the path takes all that this host can send, or all it was to try
	Router    Ends = "router"     // a router says so
	BlackHole Ends = "black hole" // nobody says anything
	Unclear   Ends = "unclear"    // it cannot be told whether they are lost on the way there or back
)

// Result is what was found. Sizes are of packets, IP header included.
type Result struct {
	Target  netip.Addr
	Means   Means
	Started time.Time
	Seconds float64
	Steps   []Step // in the order of trying
	Sent    int    // packets in all

	OwnMTU   int // of this host's own link
	Believed int // what the kernel took for the path's before; 0 if not known

	MTU    int  // the largest packet that got there
	Ends   Ends // why not a larger one
	Said   Said // of Ends Router: who says so
	Behind Hop  // of a black hole: the last router that large packets reach; zero if not known
	Before Hop  // of a black hole: the next one on the path, as small packets show; zero if not known

	Back     int  // the largest packet known to have come back in one piece; 0 if not known
	BackEnds Ends // OwnLink: no larger one could be tried; Router: larger ones came in fragments; "" not known

	Interrupted bool // there was no time to go to the end: MTU is what is known to pass
}

// Hop is a router on the path.
type Hop struct {
	TTL  int
	Addr netip.Addr
}

// Run finds the path's MTU. It returns when it is found, after c.Limit, or when ctx ends. An error means that nothing
// was measured: the target has no address, nothing answers ([ErrSilent]), the system does not allow it.
func Run(ctx context.Context, c Config) (Result, error) {
	to, err := probe.Resolve(ctx, c.To)
	if err != nil {
		return Result{}, fmt.Errorf("pmtu: %w", err)
	}
	if c.Max != 0 && (c.Max < controlSize || c.Max > maxSize) {
		return Result{}, fmt.Errorf("pmtu: size %d: want %d to %d", c.Max, controlSize, maxSize)
	}
	limit := c.Limit
	if limit <= 0 {
		limit = defaultTime
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r := Result{Target: to, Started: time.Now().Round(0).UTC()}
	if r.OwnMTU, r.Believed, err = system(to); err != nil {
		return r, fmt.Errorf("pmtu of the path to %s: %w", to, err)
	}
	m, err := answering(within, c, to, &r)
	if err != nil {
		return r, fmt.Errorf("pmtu of the path to %s: %w", to, err)
	}
	defer func() { m.t.c.close() }()
	m.measure(within)
	if r.Ends == BlackHole && within.Err() == nil {
		m.locate(within)
	}
	r.Sent = m.sent + m.t.sent
	r.Interrupted = m.failed != nil || within.Err() != nil
	r.Seconds = time.Since(r.Started).Seconds()
	if r.MTU == 0 && m.failed != nil {
		return r, fmt.Errorf("pmtu of the path to %s: %w", to, m.failed)
	}
	return r, nil
}

// answering opens the means that is asked for, or the first one that is answered.
func answering(ctx context.Context, c Config, to netip.Addr, r *Result) (*measurement, error) {
	try := []Means{STAMP, ICMP, UDP}
	if c.Means != "" {
		try = []Means{c.Means}
	}
	var last error
	for _, k := range try {
		if k == STAMP && c.STAMPPort == 0 {
			continue
		}
		t, err := dial(ctx, c, to, k)
		if err == nil {
			r.Means = k
			refusals := func(ctx context.Context) (*tester, error) { return dial(ctx, c, to, UDP) }
			return &measurement{cfg: c, to: to, t: t, r: r, refusals: refusals}, nil
		}
		if last == nil || !errors.Is(err, ErrSilent) {
			last = err
		}
	}
	return nil, last
}

// dial opens a means and sees whether it is answered.
func dial(ctx context.Context, c Config, to netip.Addr, k Means) (*tester, error) {
	w, err := open(c, to, k)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k, err)
	}
	t := newTester(w)
	if !t.alive(ctx) {
		w.close()
		return nil, fmt.Errorf("%s: %w", k, ErrSilent)
	}
	return t, nil
}

// locate finds between which hops large packets vanish.
func (m *measurement) locate(ctx context.Context) {
	method := trace.ICMP
	if m.r.Means != ICMP {
		method = trace.UDP
	}
	c := trace.Config{To: m.to.String(), Method: method, Rounds: 2, Interval: 200 * time.Millisecond, Wait: m.t.patience(), Hops: 30}
	small, err := trace.Run(ctx, c)
	if err != nil {
		return
	}
	c.Size = m.r.MTU + 1
	large, err := trace.Run(ctx, c)
	if err != nil {
		return
	}
	m.sent += small.Sent() + large.Sent()
	m.r.Behind, m.r.Before = between(small, large)
}

// between returns the last hop that answers to large packets and the next that answers to small ones.
func between(small, large trace.Result) (behind, before Hop) {
	for _, h := range large.Hops {
		if h.Answered > 0 {
			behind = Hop{h.TTL, h.From[0].Addr}
		}
	}
	for _, h := range small.Hops {
		if h.Answered > 0 && h.TTL > behind.TTL {
			return behind, Hop{h.TTL, h.From[0].Addr}
		}
	}
	return behind, Hop{}
}
