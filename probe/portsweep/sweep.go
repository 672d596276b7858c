package portsweep

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	"whydrop/probe"
	"whydrop/probe/outage"
	"whydrop/probe/stamp"
	"whydrop/probe/tcpconnect"
)

// Means is what answers.
type Means string

// Means, the best first.
const (
	STAMP Means = "stamp" // a reflector
	TCP   Means = "tcp"   // connections, accepted or refused
)

const (
	minPorts      = 32
	defaultPorts  = 64
	maxPorts      = 512
	defaultRounds = 10
	minRounds     = 2
	maxRounds     = 1000

	stampRate = 200 // packets a second, of 44 octets
	tcpRate   = 64  // connections a second
	tick      = 5 * time.Millisecond

	// answerTime is how long an answer may take; Linux repeats a SYN after 1 s (RFC 6298, section 2).
	answerTime = 900 * time.Millisecond
	// roundTime is the least a round takes: a port's packet is answered or lost before its next is sent.
	roundTime = time.Second
)

// ErrSilent says that nothing answers: nothing was measured.
var ErrSilent = errors.New("nothing answers")

// Config says what to sweep.
type Config struct {
	To        string   // host name or address
	Means     Means    // "" means STAMP if it is answered, otherwise TCP
	STAMPPort uint16   // of the reflector; 0: it is not tried
	STAMPKey  []byte   `json:"-"` // that questions to it are signed with; empty: unauthenticated mode
	TCPPorts  []uint16 // to connect to, of which the first that answers is used; empty: TCP is not tried
	Ports     int      // how many source ports; 0 means 64, at least 32, at most 512
	First     uint16   // the first of them; 0: anywhere from 20000
	Rounds    int      // how many packets each; 0 means 10, at least 2, at most 1000

	// Progress, if not nil, is called after every round with the number of rounds done and of all.
	Progress func(done, of int) `json:"-"`
}

// Port is a source port and what became of its packets.
type Port struct {
	Number uint16
	Sent   int
	Lost   int
	There  int           // of the lost, those known to be lost on the way there; -1 if that is not known
	Back   int           // of the lost, those known to be lost on the way back; -1 if that is not known
	Late   int           // answered, but later than the others explain
	RTT    time.Duration // median; 0 if nothing was answered
	Unsent int           // packets that did not leave this host
	times  []time.Duration
}

// Cluster is what keeps to some of the ports.
type Cluster struct {
	Ports []uint16
	Log10 float64 // an upper bound of the decimal logarithm of the probability by chance
}

// Found says whether it is hardly chance.
func (c Cluster) Found() bool { return len(c.Ports) > 0 && c.Log10 < log10Significant }

// Result is what a sweep found.
type Result struct {
	Target   netip.Addr
	Means    Means
	Port     uint16 // of the target
	Started  time.Time
	Seconds  float64
	Rounds   int // carried out
	Ports    []Port
	Loss     Cluster       // of lost packets
	Delay    Cluster       // of late answers
	LateIs   time.Duration // answers that took longer count as late
	Unusable int           // ports that are in use by others
}

// flow sends packets from one source port. Its methods are called from one goroutine.
type flow interface {
	// send sends packet n, n counting from 0.
	send(n int, now time.Time) error
	// receive gives the answers that have arrived, without waiting.
	receive(give func(answer))
	// busy says whether the next packet has to wait.
	busy() bool
	port() uint16
	close()
}

// answer is one that came.
type answer struct {
	n      int
	at     time.Time
	count  int // how many of the flow's packets the far end had got before this one
	counts bool
}

// Run sweeps until all rounds are done or ctx ends, whichever comes first, and returns what it found. An error means
// that nothing was measured: the target has no address, or nothing answers ([ErrSilent]).
func Run(ctx context.Context, c Config) (Result, error) {
	c.Ports = within(c.Ports, defaultPorts, minPorts, maxPorts)
	c.Rounds = within(c.Rounds, defaultRounds, minRounds, maxRounds)
	to, err := probe.Resolve(ctx, c.To)
	if err != nil {
		return Result{}, fmt.Errorf("port sweep: %w", err)
	}
	means, port, err := choose(ctx, c, to)
	if err != nil {
		return Result{Target: to}, fmt.Errorf("port sweep of %s: %w", to, err)
	}
	rate, open := stampRate, openSTAMP(c.STAMPKey)
	if means == TCP {
		rate, open = tcpRate, openTCP
	}
	flows, unusable := openAll(ctx, c, netip.AddrPortFrom(to, port), open)
	defer func() {
		for _, f := range flows {
			f.close()
		}
	}()
	if len(flows) < minPorts {
		return Result{Target: to}, fmt.Errorf("port sweep of %s: only %d of %d source ports can be used", to, len(flows), c.Ports)
	}
	s := newSweep(flows, rate)
	s.run(ctx, c.Rounds, c.Progress)
	r := s.result()
	r.Target, r.Means, r.Port, r.Unusable = to, means, port, unusable
	return r, nil
}

func within(v, or, least, most int) int {
	if v == 0 {
		v = or
	}
	return min(max(v, least), most)
}

// choose finds what answers.
func choose(ctx context.Context, c Config, to netip.Addr) (Means, uint16, error) {
	var failed error
	if c.STAMPPort != 0 && c.Means != TCP {
		if failed = anyOf(func() error { return stamp.CheckSigned(ctx, to.String(), c.STAMPPort, c.STAMPKey) }); failed == nil {
			return STAMP, c.STAMPPort, nil
		}
	}
	if c.Means != STAMP {
		for _, p := range c.TCPPorts {
			if failed = anyOf(func() error { return tcpconnect.Check(ctx, to.String(), p) }); failed == nil {
				return TCP, p, nil
			}
		}
	}
	if failed == nil {
		failed = errors.New("no port to ask was given")
	}
	return "", 0, fmt.Errorf("%w: %w", ErrSilent, failed)
}

// anyOf carries out a check several times at once and returns nil if one succeeds: each comes from another source port,
// and some of them may have met the bad member.
func anyOf(check func() error) error {
	var errs [6]error
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = check() })
	}
	wg.Wait()
	for _, err := range errs {
		if err == nil {
			return nil
		}
	}
	return errs[0]
}

// openAll opens flows from ports in a row; those that are in use are left out.
func openAll(ctx context.Context, c Config, to netip.AddrPort, open func(context.Context, netip.AddrPort, uint16) (flow, error)) (flows []flow, unusable int) {
	first := int(c.First)
	if first == 0 {
		first = 20000 + rand.IntN(10000)
	}
	for p := first; p < 65536 && len(flows) < c.Ports && unusable < c.Ports && ctx.Err() == nil; p++ {
		f, err := open(ctx, to, uint16(p))
		if err != nil {
			unusable++
			continue
		}
		flows = append(flows, f)
	}
	return flows, unusable
}

// sweep is a run.
type sweep struct {
	flows   []flow
	rate    int
	ports   []Port
	last    []answer // the newest answer of each port with a count
	sent    [][]time.Time
	done    [][]bool
	started time.Time
	rounds  int
	seconds float64
}

func newSweep(flows []flow, rate int) *sweep {
	s := &sweep{flows: flows, rate: rate, ports: make([]Port, len(flows)), last: make([]answer, len(flows)),
		sent: make([][]time.Time, len(flows)), done: make([][]bool, len(flows))}
	for i, f := range flows {
		s.ports[i].Number = f.port()
	}
	return s
}

// run carries out the rounds and waits for the last answers.
func (s *sweep) run(ctx context.Context, rounds int, progress func(done, of int)) {
	s.started = time.Now()
	for k := range rounds {
		if ctx.Err() != nil {
			break
		}
		s.round(ctx, max(roundTime, time.Second*time.Duration(len(s.flows))/time.Duration(s.rate)))
		s.rounds = k + 1
		if progress != nil {
			progress(k+1, rounds)
		}
	}
	s.until(ctx, time.Now().Add(answerTime), nil)
	s.seconds = time.Since(s.started).Seconds()
}

// round sends a packet from every port, in random order, spread evenly over the time.
func (s *sweep) round(ctx context.Context, length time.Duration) {
	if slices.ContainsFunc(s.flows, flow.busy) {
		s.until(ctx, time.Now().Add(answerTime+2*tick), nil)
	}
	start := time.Now()
	order := rand.Perm(len(s.flows))
	next := 0
	s.until(ctx, start.Add(length), func(now time.Time) {
		for next < len(order) && now.Sub(start) >= length*time.Duration(next)/time.Duration(len(order)) {
			s.send(order[next], now)
			next++
		}
	})
}

// until receives until a moment has come or ctx ends.
func (s *sweep) until(ctx context.Context, then time.Time, also func(now time.Time)) {
	ctx, cancel := context.WithDeadline(ctx, then)
	defer cancel()
	outage.Every(ctx, tick, func(now, _ time.Time) {
		for i, f := range s.flows {
			f.receive(func(a answer) { s.enter(i, a) })
		}
		if also != nil {
			also(now)
		}
	})
}

func (s *sweep) send(i int, now time.Time) {
	n := len(s.sent[i])
	if err := s.flows[i].send(n, now); err != nil {
		s.ports[i].Unsent++
		return
	}
	s.sent[i], s.done[i] = append(s.sent[i], now), append(s.done[i], false)
}

func (s *sweep) enter(i int, a answer) {
	if a.n < 0 || a.n >= len(s.sent[i]) || s.done[i][a.n] {
		return
	}
	s.done[i][a.n] = true
	s.ports[i].times = append(s.ports[i].times, max(a.at.Sub(s.sent[i][a.n]), 0))
	if a.counts && a.n >= s.last[i].n {
		s.last[i] = a
	}
}
