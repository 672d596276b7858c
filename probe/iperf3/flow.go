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

	"whydrop/probe/stream"
	"whydrop/probe/tcpinfo"
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
	sent     chan struct{} // closed when every sender has used up the budget

	start, end time.Time
	cpu        hostLoad
	bases      []uint64 // acknowledged bytes of each stream before the test's own
	stopData   context.CancelFunc
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
	f := &flow{test: t, cookie: newCookie(), params: t.params(), messages: make(chan message, 16), broken: make(chan error, t.Streams), sent: make(chan struct{}), done: make(chan struct{})}
	conn, err := f.dial(ctx, stream.Socket{}, true)
	if err != nil {
		return nil, err
	}
	f.ctl = control{conn: conn, ctx: ctx}
	f.wg.Go(f.listen)
	if err := f.handshake(ctx); err != nil {
		f.abort()
		return nil, fmt.Errorf("iperf3: %s: %w", t.Address, err)
	}
	return f, nil
}

// dial opens one connection and sends the cookie on it.
func (f *flow) dial(ctx context.Context, sock stream.Socket, keepAlive bool) (net.Conn, error) {
	dial := f.test.Dial
	if dial == nil {
		d := sock.Dialer(stateWait)
		if keepAlive { // stateful devices forget a connection without traffic
			d.KeepAlive = 0
		}
		dial = d.DialContext
	}
	address := f.test.Address
	if f.ctl.conn != nil && f.test.Dial == nil { // all connections go to the address that answered
		address = f.ctl.conn.RemoteAddr().String()
	}
	conn, err := dial(ctx, "tcp", address)
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
	for i := range f.test.Streams {
		conn, err := f.dial(ctx, f.test.socket(), false)
		if err != nil {
			return fmt.Errorf("stream %d: %w", i+1, err)
		}
		f.conns = append(f.conns, &dataConn{conn: conn, id: streamID(i)})
	}
	return nil
}

// begin lets the data flow.
func (f *flow) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	f.stopData = cancel
	f.start = time.Now()
	f.cpu.use(f.start)
	for _, c := range f.conns {
		info, _ := tcpinfo.Get(c.conn)
		base := info.BytesAcked.Or(0)
		if f.test.Reverse {
			base = info.BytesReceived.Or(0)
		}
		f.bases = append(f.bases, base)
	}
	var budget *stream.Budget
	if f.test.Bytes > 0 && !f.test.Reverse {
		budget = stream.NewBudget(f.test.Bytes)
	}
	for _, c := range f.conns {
		f.dataWG.Go(func() {
			if err := f.move(ctx, c, budget); err != nil {
				f.broken <- err // as many places as streams
			}
		})
	}
	f.wg.Go(func() { f.dataWG.Wait(); close(f.sent) })
}

func (f *flow) move(ctx context.Context, c *dataConn, budget *stream.Budget) error {
	if f.test.Reverse {
		return (&stream.Receiver{Length: f.test.Length, Count: &c.count}).Run(ctx, c.conn)
	}
	return (&stream.Sender{Rate: f.test.Rate, Length: f.test.Length, Exact: f.test.Length > 0, Budget: budget, Count: &c.count}).Run(ctx, c.conn)
}

// abort ends the flow at once and waits for its goroutines. It may be called several times.
func (f *flow) abort() {
	if f.closing.Swap(true) {
		return
	}
	close(f.done)
	if f.stopData != nil {
		f.stopData()
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
	if !f.test.Reverse {
		f.drain(ctx)
	}
	if err := f.ctl.send(testEnd, nil); err != nil {
		return Results{}, err
	}
	if _, err := f.await(ctx, exchangeResults); err != nil {
		return Results{}, err
	}
	if f.test.Reverse {
		f.drainReverse(ctx)
	}
	if err := f.ctl.sendText("results", f.results().encode(!f.test.Reverse)); err != nil {
		return Results{}, err
	}
	m, err := f.await(ctx, exchangeResults) // the same state again, with the text
	if err != nil {
		return Results{}, err
	}
	far, err := parseResults(m.text, len(f.conns))
	if err != nil {
		return Results{}, err
	}
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
