package iperf3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"whydrop/probe/host"
	"whydrop/probe/stream"
)

// session is one test as its server sees it.
type session struct {
	server   *server
	ctl      control
	cookie   string
	ready    func()           // tells that the connection is not silent
	arrivals chan orderedConn // data connections with this cookie
	closed   chan struct{}    // closed when the session is over

	params        params
	authenticated bool
	limit         time.Duration // longest run; 0: none
	conns         []*dataConn
	start, end    time.Time
	counted       time.Time      // from when on it counts: start, and what is omitted after it
	hellos        chan *dataConn // UDP streams that were opened
	answering     func()         // ends the answering of hellos; nil: there is none
	output        *serverOutput  // nil: not asked for
	readLimit     *stream.Limit  // nil: none
	cpu           host.Load
}

// run leads the client through its test. It returns why the test did not come to its end, if it did not.
func (t *session) run(ctx context.Context) error {
	if err := t.negotiate(); err != nil {
		return err
	}
	defer t.closeStreams()
	if err := t.collect(ctx); err != nil {
		return err
	}
	t.ready()
	if t.params.serverOutput {
		t.output = newServerOutput(t)
	}

	var wg sync.WaitGroup
	defer wg.Wait()
	defer t.ctl.conn.Close() // ends the listener below
	word := make(chan word, 1)
	t.ctl.forEver()
	wg.Go(func() { word <- t.listen() })

	release, err := t.turn(ctx, word)
	if err != nil {
		return err
	}
	defer release()
	if err := t.transfer(ctx, word); err != nil {
		return err
	}
	release()
	return t.exchange()
}

// word is what the client said next on the control connection.
type word struct {
	state state
	err   error
}

func (t *session) listen() word {
	s, err := readState(t.ctl.conn)
	return word{s, err}
}

func (w word) problem() error {
	switch {
	case w.err != nil:
		return fmt.Errorf("the client is gone: %w", w.err)
	case w.state == clientTerminate:
		return errors.New("the client ended the test")
	}
	return fmt.Errorf("%w: %v came in the middle of a test", errProtocol, w.state)
}

// negotiate reads the parameters, lets the client show the token and refuses what is above the limits.
func (t *session) negotiate() error {
	if err := t.ctl.send(paramExchange, nil); err != nil {
		return err
	}
	text, err := t.ctl.text("parameters", maxParams)
	if err != nil {
		return err
	}
	if t.params, err = parseParams(text); err != nil {
		_ = t.ctl.refuse(codeUnknown)
		return err
	}
	p, cfg := t.params, t.server.cfg
	if p.ours == nil {
		if n, why := t.tooMuch(); why != "" {
			_ = t.ctl.refuse(n)
			return errors.New(why)
		}
		t.limit = t.longest()
		return nil
	}
	g := grant{Version: 1}
	if p.ours.Auth && cfg.Token != "" {
		if g.Proof, err = t.authenticate(); err != nil {
			_ = t.ctl.send(stateGrant, grant{Version: 1, Refused: "the token is not the far end's"})
			return err
		}
		t.authenticated, g.Authenticated = true, true
	}
	if _, why := t.tooMuch(); why != "" {
		_ = t.ctl.send(stateGrant, grant{Version: 1, Refused: why})
		return errors.New(why)
	}
	t.limit = t.longest()
	if !t.authenticated {
		g.Seconds, g.BitsPerSecond, g.Streams = cfg.MaxTime.Seconds(), cfg.MaxRate, cfg.MaxStreams
	}
	if p.ours.Replaces != "" {
		t.server.end(p.ours.Replaces)
	}
	return t.ctl.send(stateGrant, g)
}

// authenticate challenges the client and returns the server's own proof.
func (t *session) authenticate() (string, error) {
	token, client := t.server.cfg.Token, t.params.ours.Nonce
	nonce := newNonce()
	if err := t.ctl.send(stateHello, hello{Version: 1, Nonce: nonce}); err != nil {
		return "", err
	}
	if err := t.ctl.expect(stateProof); err != nil {
		return "", err
	}
	text, err := t.ctl.text("proof", maxOurs)
	if err != nil {
		return "", err
	}
	var p proofText
	if err := decode(text, &p); err != nil {
		return "", err
	}
	if !proven(proof(token, clientSide, t.cookie, client, nonce), p.Proof) {
		return "", errors.New("a client with a wrong token was refused")
	}
	if !t.server.used.first(t.cookie) {
		return "", errors.New("a cookie that was used before was refused")
	}
	return proof(token, serverSide, t.cookie, client, nonce), nil
}

// tooMuch says what about the parameters is not possible here, in words and as iperf3's error.
func (t *session) tooMuch() (code, string) {
	p, cfg := t.params, t.server.cfg
	switch {
	case p.other != "":
		return codeUnknown, p.other + " is not supported here"
	case p.udp && t.server.door == nil:
		return codeUnknown, "UDP is not served here"
	case t.authenticated:
		return 0, ""
	case p.conns() > cfg.MaxStreams:
		return codeStreams, fmt.Sprintf("%d streams asked for, %d are allowed without the token", p.conns(), cfg.MaxStreams)
	case p.rate*float64(p.streams) > cfg.MaxRate:
		return codeRate, fmt.Sprintf("%.4g Mbit/s asked for, %.4g Mbit/s are allowed without the token", p.rate*float64(p.streams)/1e6, cfg.MaxRate/1e6)
	case p.ours != nil: // a client of ours ends by itself at the time it is granted
		return 0, ""
	case p.time > cfg.MaxTime, p.time == 0 && p.bytes == 0:
		return codeDuration, fmt.Sprintf("%v asked for, %v are allowed without the token", p.time, cfg.MaxTime)
	}
	return 0, ""
}

// lateEnd is how much later than it said a client may end its test: its host may be busy.
const lateEnd = 30 * time.Second

// longest returns how long the test may run; 0 is without end.
func (t *session) longest() time.Duration {
	var d time.Duration
	if t.params.time > 0 {
		d = t.params.time + t.params.omit + lateEnd
	}
	if most := t.server.cfg.MaxTime + t.params.omit; !t.authenticated && (d == 0 || d > most) {
		d = most
	}
	return d
}

// collect waits for the data connections and sets them up.
func (t *session) collect(ctx context.Context) error {
	if t.params.udp {
		return t.collectDatagrams(ctx)
	}
	if err := t.ctl.send(createStreams, nil); err != nil {
		return err
	}
	late := time.NewTimer(stateWait)
	defer late.Stop()
	var got []orderedConn
	for len(got) < t.params.conns() {
		select {
		case c := <-t.arrivals:
			got = append(got, c)
			t.conns = append(t.conns, &dataConn{conn: c.conn})
		case <-late.C:
			return fmt.Errorf("%d of %d streams came in %v", len(got), t.params.conns(), stateWait)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	slices.SortFunc(got, func(a, b orderedConn) int { return cmp.Compare(a.order, b.order) })
	for i, c := range got {
		t.conns[i].conn, t.conns[i].id, t.conns[i].sends = c.conn, streamID(i), !t.params.receives(i)
		if err := t.setUp(t.conns[i]); err != nil {
			_ = t.ctl.refuse(codeUnknown)
			return err
		}
	}
	return nil
}

// setUp gives a TCP stream what the client asks for.
func (t *session) setUp(c *dataConn) error {
	p := t.params
	sock := stream.Socket{Buffer: p.window}
	if c.sends {
		sock.Congestion = p.congestion
	}
	if err := sock.Apply(c.conn); err != nil {
		return err
	}
	return marks{tos: p.tos}.apply(c.conn, "tcp"+family(addressOf(c.conn.RemoteAddr())))
}

func (t *session) closeStreams() {
	if t.answering != nil {
		t.answering()
	}
	for _, c := range t.conns {
		c.conn.Close()
	}
}

// turn waits until the test may run. Clients that showed the token do not wait. release may be called twice.
func (t *session) turn(ctx context.Context, words <-chan word) (release func(), err error) {
	if t.authenticated {
		return func() {}, nil
	}
	place, err := t.server.queue.Join()
	if err != nil {
		_ = t.ctl.send(accessDenied, nil)
		return nil, err
	}
	defer func() {
		if err != nil {
			place.Leave()
		}
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	since := time.Now()
	for {
		select {
		case <-place.Turn():
			return place.Leave, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case w := <-words:
			return nil, w.problem()
		case now := <-tick.C:
			if t.params.ours == nil {
				continue
			}
			if err := t.ctl.send(stateQueued, queued{now.Sub(since).Seconds()}); err != nil {
				return nil, err
			}
		}
	}
}

// exchange swaps results with the client.
func (t *session) exchange() error {
	if err := t.ctl.send(exchangeResults, nil); err != nil {
		return err
	}
	text, err := t.ctl.text("results", maxCounts)
	if err != nil {
		return err
	}
	theirs, err := parseResults(text, peersOf(t.conns, t.params.length, t.params.omit > 0))
	if err != nil {
		return err
	}
	r := t.results()
	r.missing(theirs)
	if t.output != nil {
		r.OutputText = t.output.end(r)
	}
	if err := t.ctl.sendText("results", r.encode()); err != nil {
		return err
	}
	if err := t.ctl.send(displayResults, nil); err != nil {
		return err
	}
	t.logResult(r)
	_ = t.ctl.expect(iperfDone) // nothing depends on it any more
	return nil
}

// logResult tells what a test carried.
func (t *session) logResult(r Results) {
	for _, sends := range []bool{false, true} {
		part := r.of(sends)
		if len(part.Streams) == 0 {
			continue
		}
		direction, protocol, seconds := "from", "TCP", 0.0
		if sends {
			direction = "to"
		}
		var lost, packets uint64
		for _, s := range part.Streams {
			seconds = max(seconds, s.Seconds)
			lost, packets = lost+s.Lost.Or(0), packets+s.Packets
		}
		if t.params.udp {
			protocol = "UDP"
		}
		line := fmt.Sprintf("%v: %d bytes %s it by %s in %.2f s, streams: %d", t.ctl.conn.RemoteAddr(), part.Bytes(), direction, protocol, seconds, len(part.Streams))
		if seconds > 0 {
			line += fmt.Sprintf(", %.4g Mbit/s", float64(part.Bytes())*8/seconds/1e6)
		}
		if t.params.udp && !sends {
			line += fmt.Sprintf(", %d of %d datagrams lost", lost, lost+packets)
		}
		t.server.log("%s", line)
	}
}

// seconds returns how long a stream carried data: to the end of the test, or to its last byte if that came later. That
// the client's word of the end came late is not the test's time.
func (t *session) seconds(c *dataConn) float64 {
	end := t.end
	if due := t.counted.Add(t.params.time); !c.sends && t.params.time > 0 && end.After(due) {
		end = due
	}
	if last := c.last(); last.After(end) && !c.sends {
		end = last
	}
	return max(0, end.Sub(t.counted).Seconds())
}

func (t *session) results() Results {
	var r Results
	r.CPU = cpuUse(&t.cpu, time.Now())
	for _, c := range t.conns {
		r.Streams = append(r.Streams, c.result(t.seconds(c)))
		if !c.udp() {
			r.Congestion = stream.Inspect(c.conn).Congestion
		}
	}
	return r
}
