package iperf3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"whydrop/probe/host"
	"whydrop/probe/stream"
)

// flow is one test as its client sees it, from the first connection to the last result.
//
// Its life: open, start, then read messages, broken and reading at will, then finish or abort. abort must be
// called in every case; it waits for the flow's goroutines.
type flow struct {
	test   Test
	cookie string
	ctl    control
	params params
	conns  []*dataConn
	granted

	messages chan message  // from the far end, in order; closed when the control connection ends
	ended    error         // why messages was closed
	broken   chan error    // from a stream that broke
	sent     chan struct{} // closed when every sender of this end has used up the budget
	received chan struct{} // closed when every receiver of this end has seen the end

	start, end time.Time
	counted    time.Time // from when on it counts: start, and what is omitted after it
	cpu        host.Load
	bases      []uint64 // acknowledged bytes of each stream before the test's own
	omitted    uint64   // bytes that had arrived when counting began
	budget     *stream.Budget
	stopSend   context.CancelFunc
	stopRead   context.CancelFunc
	wg         sync.WaitGroup
	dataWG     sync.WaitGroup
	closing    atomic.Bool
	done       chan struct{}
}

// granted is what a far end of ours allows; a stock far end leaves it zero.
type granted struct {
	ours          bool
	authenticated bool
	limit         time.Duration // 0: none
	rate          float64       // bit/s; 0: not limited
}

// openFlow connects to the far end and leads the test to where data may flow. When ctx ends it returns soon.
func openFlow(ctx context.Context, t Test) (*flow, error) {
	t = t.withDefaults()
	if err := t.Check(); err != nil {
		return nil, err
	}
	f := &flow{test: t, cookie: newCookie(), params: t.params(), messages: make(chan message, 16), broken: make(chan error, t.conns()), sent: make(chan struct{}), received: make(chan struct{}), done: make(chan struct{})}
	conn, err := f.dial(ctx, stream.Socket{}, -1)
	if err != nil {
		return nil, err
	}
	if t.UDP && t.Length == 0 {
		f.test.Length = datagramFor(stream.Inspect(conn).MSS)
		f.params.length = f.test.Length
	}
	f.ctl = control{conn: conn, ctx: ctx}
	f.wg.Go(f.listen)
	if err := f.handshake(ctx); err != nil {
		f.abort()
		return nil, fmt.Errorf("iperf3: %s: %w", t.Address, err)
	}
	return f, nil
}

// dial opens one TCP connection and sends the cookie on it: that of the i-th stream, or the control connection (-1).
func (f *flow) dial(ctx context.Context, sock stream.Socket, i int) (net.Conn, error) {
	dial := f.test.Dial
	if dial == nil {
		d := f.test.dialer(sock, "tcp", i)
		if i < 0 { // stateful devices forget a connection without traffic
			d.KeepAlive = 0
		}
		dial = d.DialContext
	}
	conn, err := dial(ctx, f.test.network("tcp"), f.address())
	if err != nil {
		return nil, fmt.Errorf("iperf3: %w", classify(err))
	}
	f.answered(false)
	if f.test.Dial != nil {
		if err := sock.Apply(conn); err != nil {
			conn.Close()
			return nil, fmt.Errorf("iperf3: %w", err)
		}
	}
	_ = conn.SetWriteDeadline(time.Now().Add(stateWait))
	if _, err := conn.Write(append([]byte(f.cookie), 0)); err != nil {
		conn.Close()
		return nil, fmt.Errorf("iperf3: send cookie: %w", err)
	}
	_ = conn.SetWriteDeadline(time.Time{})
	return conn, nil
}

// address returns where the next connection goes: all go to the address that answered first.
func (f *flow) address() string {
	if f.ctl.conn != nil && f.test.Dial == nil {
		return f.ctl.conn.RemoteAddr().String()
	}
	return f.test.Address
}

// classify adds ErrRefused or ErrNoAnswer to a dial error.
func classify(err error) error {
	var ne net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	case errors.As(err, &ne) && ne.Timeout(), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	return err
}

// listen reads the control connection until it ends.
func (f *flow) listen() {
	f.ended = readMessages(f.ctl.conn, deadlines(f.ctl.conn.SetReadDeadline), func(m message) bool {
		select {
		case f.messages <- m:
			return true
		case <-f.done:
			return false
		}
	})
	close(f.messages)
}

// next waits for the far end's next message.
func (f *flow) next(ctx context.Context, d time.Duration) (message, error) {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case m, ok := <-f.messages:
		f.answered(m.state == stateQueued)
		if !ok {
			return message{}, fmt.Errorf("the control connection ended: %w", f.ended)
		}
		return m, problem(m)
	case <-late.C:
		return message{}, fmt.Errorf("%w on the control connection for %v", ErrNoAnswer, d)
	case <-ctx.Done():
		return message{}, ctx.Err()
	}
}

func (f *flow) answered(queued bool) {
	if f.test.heard != nil {
		f.test.heard(queued)
	}
}

// problem returns the error that a message stands for, if any.
func problem(m message) error {
	switch m.state {
	case accessDenied:
		return fmt.Errorf("%w with another test", ErrBusy)
	case serverTerminate:
		return ErrEnded
	case serverError:
		if m.code == codeDuration || m.code == 37 { // 37: IEMAXSERVERTESTDURATIONEXCEEDED of iperf 3.17
			return fmt.Errorf("%w: %w", ErrRefused, tooLongError{})
		}
		return fmt.Errorf("%w: %v", ErrRefused, m.code)
	}
	return nil
}

// queueWait is how long to wait for a far end that runs another test: a stock client waits for ever, and so a
// far end that queues may say nothing meanwhile. Ours says something each second.
const queueWait = stateWait

// handshake answers the far end until the test runs.
func (f *flow) handshake(ctx context.Context) error {
	var nonce string
	for first := true; ; first = false {
		m, err := f.next(ctx, queueWait)
		if first && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)) {
			// A stock server that closes its listening socket between two tests does that to who waits there.
			return fmt.Errorf("%w: it closed the connection without a word: %w", ErrRefused, err)
		}
		if err != nil {
			return err
		}
		switch m.state {
		case paramExchange:
			err = f.ctl.sendText("parameters", f.params.encode())
		case stateHello:
			nonce, err = f.prove(m.text)
		case stateGrant:
			err = f.accept(m.text, nonce)
		case createStreams:
			err = f.connect(ctx)
		case stateQueued, testStart:
		case testRunning:
			return nil
		default:
			err = fmt.Errorf("%w: %v before the test runs", errProtocol, m.state)
		}
		if err != nil {
			return err
		}
	}
}

// prove shows the far end that the token is known.
func (f *flow) prove(text []byte) (nonce string, err error) {
	var h hello
	if err := decode(text, &h); err != nil {
		return "", err
	}
	if f.test.Token == "" || h.Nonce == "" {
		return "", fmt.Errorf("%w: a challenge that was not asked for", errProtocol)
	}
	return h.Nonce, f.ctl.send(stateProof, proofText{proof(f.test.Token, clientSide, f.cookie, f.params.ours.Nonce, h.Nonce)})
}

// accept takes in what a far end of ours grants.
func (f *flow) accept(text []byte, nonce string) error {
	var g grant
	if err := decode(text, &g); err != nil {
		return err
	}
	if g.Refused != "" {
		return fmt.Errorf("%w: %.200q", ErrRefused, g.Refused)
	}
	f.ours = true
	if g.Authenticated {
		if nonce == "" || !proven(proof(f.test.Token, serverSide, f.cookie, f.params.ours.Nonce, nonce), g.Proof) {
			return fmt.Errorf("%w: the far end does not know the token", ErrRefused)
		}
		f.authenticated = true
	}
	if g.Seconds > 0 && g.Seconds < maxTime {
		f.limit = time.Duration(g.Seconds * float64(time.Second))
	}
	if g.BitsPerSecond > 0 {
		f.rate = g.BitsPerSecond
	}
	return nil
}

// connect opens the data connections, one after the other, so that both ends number them alike.
func (f *flow) connect(ctx context.Context) error {
	if len(f.conns) > 0 {
		return fmt.Errorf("%w: streams are asked for twice", errProtocol)
	}
	for i := range f.test.conns() {
		c := &dataConn{id: streamID(i), sends: f.test.sends(i)}
		var err error
		if f.test.UDP {
			err = f.dialDatagrams(ctx, c, i)
		} else {
			c.conn, err = f.dial(ctx, f.test.socket(c.sends), i)
		}
		if err != nil {
			return fmt.Errorf("stream %d: %w", i+1, err)
		}
		f.conns = append(f.conns, c)
	}
	return nil
}

// abort ends the flow at once and waits for its goroutines. It may be called several times.
func (f *flow) abort() {
	if f.closing.Swap(true) {
		return
	}
	close(f.done)
	if f.stopSend != nil {
		f.stopSend()
		f.stopRead()
	}
	for _, c := range f.conns {
		c.conn.Close()
	}
	f.ctl.conn.Close()
	f.wg.Wait()
}

// terminate tells the far end that the client gives up, then aborts.
func (f *flow) terminate() {
	_ = f.ctl.conn.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	_, _ = f.ctl.conn.Write([]byte{byte(clientTerminate)})
	f.abort()
}

// finish ends the test in good order: no more data, what is on its way arrives, results are swapped. It returns
// what the far end counted. Deadlines bound each step.
func (f *flow) finish(ctx context.Context) (Results, error) {
	f.stopSending()
	f.end = time.Now()
	var waited time.Duration
	switch {
	case f.test.Reverse:
	case !f.test.UDP:
		waited = -time.Until(f.drain(ctx))
	case !f.ours && !f.test.Bidirectional: // a stock far end that sends too would go on meanwhile
		pause(ctx, datagramGrace)
		waited = time.Since(f.end)
	}
	if err := f.ctl.send(testEnd, nil); err != nil {
		return Results{}, err
	}
	if _, err := f.await(ctx, exchangeResults); err != nil {
		return Results{}, err
	}
	f.drainReverse(ctx)
	if err := f.ctl.sendText("results", f.results().encode()); err != nil {
		return Results{}, err
	}
	m, err := f.await(ctx, exchangeResults) // the same state again, with the text
	if err != nil {
		return Results{}, err
	}
	far, err := parseResults(m.text, f.peers())
	if err != nil {
		return Results{}, err
	}
	f.dueTime(&far, waited)
	if _, err := f.await(ctx, displayResults); err != nil {
		return far, nil // nothing depends on it any more
	}
	_ = f.ctl.send(iperfDone, nil)
	return far, nil
}

// await waits for one state; reports that are still on their way are passed over.
func (f *flow) await(ctx context.Context, want state) (message, error) {
	for {
		m, err := f.next(ctx, stateWait)
		if err != nil {
			return m, fmt.Errorf("wait for %v: %w", want, err)
		}
		if m.state == want {
			return m, nil
		}
		if m.state != stateReport {
			return m, fmt.Errorf("%w: %v came where %v belongs", errProtocol, m.state, want)
		}
	}
}

// peers returns what is known of the streams before the far end says what it counted of them.
func (f *flow) peers() []peerStream { return peersOf(f.conns, f.test.length(), f.test.Omit > 0) }
