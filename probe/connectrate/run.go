package connectrate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"whydrop/probe"
	"whydrop/probe/outage"
)

const (
	defaultRate = 20
	maxRate     = 200
	defaultTime = 10 * time.Second
	minTime     = 3 * time.Second
	maxTime     = time.Minute

	// answerTime is how long an answer may take; Linux repeats a SYN after 1 s.
	answerTime = 900 * time.Millisecond
	tick       = 5 * time.Millisecond

	// By turns, twice: a third of the time at the rate divided by slowShare, two thirds at the rate.
	turns     = 2
	slowShare = 4
)

// ErrSilent says that nothing answered at all: nothing was measured.
var ErrSilent = errors.New("nothing answers")

// Config says what to measure.
type Config struct {
	To        string        // host name or address
	Ports     []uint16      // TCP ports, of which the first that answers is used; must not be empty
	STAMPPort uint16        // of a reflector; 0: no heartbeats
	STAMPKey  []byte        `json:"-"` // that heartbeats are signed with; empty: unauthenticated mode
	Rate      float64       // new connections a second; 0 means 20, at most 200
	Time      time.Duration // 0 means 10 s; 3 s to a minute

	// Dial, if not nil, is used instead of a net.Dialer. It is called from several goroutines.
	Dial func(ctx context.Context, network, address string) (net.Conn, error) `json:"-"`
	// Progress, if not nil, is called about once a second with what became of the connections so far.
	Progress func(Counts) `json:"-"`
}

// Fate is what became of a new connection.
type Fate string

// Fates.
const (
	Accepted Fate = "accepted"
	Refused  Fate = "refused"  // a reset came back
	Silent   Fate = "silent"   // no answer
	Rejected Fate = "rejected" // somebody on the way said that it cannot be reached
	Host     Fate = "host"     // this host could not even try
)

// Attempt is one new connection.
type Attempt struct {
	At   time.Duration // since the beginning
	Took time.Duration
	Fast bool // it began in a fast turn
	Fate Fate
	Why  string // of Rejected and Host, in the system's words
}

// Counts counts attempts by fate.
type Counts map[Fate]int

// All returns how many there are.
func (c Counts) All() int {
	n := 0
	for _, k := range c {
		n += k
	}
	return n
}

// Run opens connections for the time asked for, or until ctx ends, and returns what became of them. An error means
// that nothing was measured: the target has no address, or nothing answered at all, neither new connections nor a
// session that goes on ([ErrSilent]).
func Run(ctx context.Context, c Config) (Result, error) {
	c = c.withDefaults()
	to, err := probe.Resolve(ctx, c.To)
	if err != nil {
		return Result{}, fmt.Errorf("connect rate: %w", err)
	}
	if len(c.Ports) == 0 {
		return Result{}, fmt.Errorf("connect rate to %s: no port given", to)
	}
	r := &run{cfg: c, to: to, result: Result{Target: to, Rate: c.Rate}}
	r.choosePort(ctx)
	r.before = ownTable()
	var going sync.WaitGroup
	within, stop := context.WithCancel(ctx)
	e := r.establish(within, &going)
	r.open(ctx)
	stop()
	going.Wait()
	res := r.conclude(e)
	if res.nothing() {
		return res, fmt.Errorf("connect rate to %s: %w", to, ErrSilent)
	}
	return res, nil
}

func (c Config) withDefaults() Config {
	if c.Rate <= 0 {
		c.Rate = defaultRate
	}
	c.Rate = min(c.Rate, maxRate)
	if c.Time <= 0 {
		c.Time = defaultTime
	}
	c.Time = min(max(c.Time, minTime), maxTime)
	if c.Dial == nil {
		var d net.Dialer
		d.SetMultipathTCP(false) // a SYN without options that a firewall might mind
		d.KeepAlive = -1
		c.Dial = d.DialContext
	}
	return c
}

// run is the state of Run.
type run struct {
	cfg    Config
	to     netip.Addr
	port   uint16
	first  Fate // what became of the attempt by which the port was chosen
	before Table
	start  time.Time

	mu       sync.Mutex
	attempts []Attempt
	result   Result
}

// choosePort takes the first port that answers; if none does, the first.
func (r *run) choosePort(ctx context.Context) {
	r.port, r.first = r.cfg.Ports[0], Silent
	for _, p := range r.cfg.Ports {
		for range 3 {
			fate, _, _ := r.try(ctx, p)
			if fate == Accepted || fate == Refused {
				r.port, r.first = p, fate
				return
			}
		}
	}
}

// try opens a connection to a port and closes it.
func (r *run) try(ctx context.Context, port uint16) (f Fate, took time.Duration, why string) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	began := time.Now()
	conn, err := r.cfg.Dial(ctx, "tcp", netip.AddrPortFrom(r.to, port).String())
	took = time.Since(began)
	if err == nil {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset: nobody keeps the session
		}
		_ = conn.Close()
	}
	f, why = fateOf(err)
	return f, took, why
}

// fateOf says what an attempt that ended so means.
func fateOf(err error) (Fate, string) {
	switch {
	case err == nil:
		return Accepted, ""
	case isRefused(err):
		return Refused, ""
	case isTimeout(err):
		return Silent, ""
	case isRejected(err):
		return Rejected, words(err)
	}
	return Host, words(err)
}

// words returns what the system said, without the addresses around it.
func words(err error) string {
	for e := err; e != nil; e = errors.Unwrap(e) {
		err = e
	}
	return err.Error()
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

// open opens the connections and waits for their answers.
func (r *run) open(ctx context.Context) {
	r.start = time.Now()
	var pending sync.WaitGroup
	defer pending.Wait()
	within, cancel := context.WithTimeout(ctx, r.cfg.Time)
	defer cancel()
	due, reported := 0.0, time.Duration(0)
	begun := 0
	last := time.Duration(0)
	outage.Every(within, tick, func(now, _ time.Time) {
		at := now.Sub(r.start)
		// What was missed for want of a processor is not made up for in a burst.
		due += min(at-last, 10*tick).Seconds() * r.rate(at)
		for last = at; float64(begun) <= due; begun++ {
			pending.Go(func() { r.attempt(ctx, at) })
		}
		if r.cfg.Progress != nil && at-reported >= time.Second {
			reported = at
			r.cfg.Progress(r.counts())
		}
	})
}

// rate returns the connections a second at a moment.
func (r *run) rate(at time.Duration) float64 {
	if r.cfg.fast(at) {
		return r.cfg.Rate
	}
	return r.cfg.Rate / slowShare
}

// fast says whether it is a fast turn's time.
func (c Config) fast(at time.Duration) bool {
	turn := c.Time / turns
	return at%turn >= turn/3
}

func (r *run) attempt(ctx context.Context, at time.Duration) {
	fate, took, why := r.try(ctx, r.port)
	if ctx.Err() != nil {
		return // it was not given its time
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts = append(r.attempts, Attempt{at, took, r.cfg.fast(at), fate, why})
}

func (r *run) counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return countOf(r.attempts)
}

func countOf(as []Attempt) Counts {
	c := Counts{}
	for _, a := range as {
		c[a.Fate]++
	}
	return c
}
