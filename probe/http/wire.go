package http

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"whydrop/probe/heartbeat"
	"whydrop/probe/outage"
)

// result is what became of a heartbeat.
type result struct {
	answer outage.Answer
	status int
	err    error // this host's, or the path's
	peer   error // the far end's: it is there, but does not do as it should
}

// wire sends requests to one server.
type wire struct {
	*heartbeat.Pending[result]
	url     string
	to      netip.AddrPort
	ask     []byte // the request
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	tls     *tls.Config // nil: plain
	problem func(reason, text string)
	peer    error // the newest
	failing bool  // the server answers 5xx
	told    bool  // what is wrong with the certificate was said

	mu          sync.Mutex
	idle        []*link
	certificate error
}

// Close gives up the requests under way, waits until they are gone and closes all connections.
func (w *wire) Close() {
	w.Pending.Close()
	for _, l := range w.idle {
		_ = l.conn.Close()
	}
}

// certified takes note of what is wrong with the certificate; it may be called by several connections at once.
func (w *wire) certified(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.certificate = err
}

// Send begins heartbeat n.
func (w *wire) Send(n uint64, _ time.Time) error {
	w.Go(answerTime, func(ctx context.Context) (result, bool) {
		r := w.request(ctx)
		lost := r.answer.At.IsZero() && (ctx.Err() != nil || r == (result{}))
		r.answer.Number = n
		return r, !lost
	})
	return nil
}

// request makes a request: on a connection that is open, or if there is none, or if it turns out to be closed, on a
// new one.
func (w *wire) request(ctx context.Context) result {
	if l := w.take(); l != nil {
		r, came := w.exchange(ctx, l)
		if r.peer == nil || came || ctx.Err() != nil {
			return r
		}
	}
	conn, err := w.connect(ctx)
	if err != nil {
		return failed(err)
	}
	limit := &io.LimitedReader{R: conn}
	r, _ := w.exchange(ctx, &link{conn, limit, bufio.NewReader(limit)})
	return r
}

// failed says what an error means; a time-out is none, it is a loss.
func failed(err error) result {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		return result{}
	case isOwn(err):
		return result{err: heartbeat.Cause(err)}
	}
	return result{peer: heartbeat.Cause(err)}
}

// connect opens a connection.
func (w *wire) connect(ctx context.Context) (net.Conn, error) {
	opening, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	conn, err := w.dial(opening, "tcp", w.to.String())
	if err != nil || w.tls == nil {
		return conn, err
	}
	secure := tls.Client(conn, w.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

// exchange sends the request and reads the answer, whose first octet's moment counts. came says whether there was one.
// The connection is kept if it may be used again.
func (w *wire) exchange(ctx context.Context, l *link) (r result, came bool) {
	stop := context.AfterFunc(ctx, func() { _ = l.conn.SetDeadline(time.Unix(1, 0)) })
	keep := false
	defer func() {
		if stop() && keep {
			w.put(l)
		} else {
			_ = l.conn.Close()
		}
	}()
	l.limit.N = headerSize
	if _, err := l.conn.Write(w.ask); err != nil {
		return failed(err), false
	}
	if _, err := l.in.Peek(1); err != nil {
		return failed(err), false
	}
	at := time.Now()
	resp, err := http.ReadResponse(l.in, &http.Request{Method: http.MethodHead})
	for err == nil && resp.StatusCode/100 == 1 { // RFC 9110, section 15.2: others follow
		resp, err = http.ReadResponse(l.in, &http.Request{Method: http.MethodHead})
	}
	if err != nil {
		return failed(err), true
	}
	// A HEAD's answer has no body (RFC 9110, section 9.3.2); what follows it would be the answer to something else.
	keep = !resp.Close && l.in.Buffered() == 0
	return result{answer: outage.Answer{At: at}, status: resp.StatusCode}, true
}

// link is a connection and what was read from it.
type link struct {
	conn  net.Conn
	limit *io.LimitedReader // what an answer may have yet
	in    *bufio.Reader
}

// take returns an open connection that is not in use, the one used last; nil if there is none.
func (w *wire) take() *link {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.idle) == 0 {
		return nil
	}
	l := w.idle[len(w.idle)-1]
	w.idle = w.idle[:len(w.idle)-1]
	return l
}

// put keeps a connection for the next request.
func (w *wire) put(l *link) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.idle) >= maxIdle {
		_ = l.conn.Close()
		return
	}
	w.idle = append(w.idle, l)
}

// Receive enters the answers that have arrived.
func (w *wire) Receive(b *outage.Book) { w.Each(func(r result) { w.enter(b, r) }) }

func (w *wire) enter(b *outage.Book, r result) {
	switch {
	case r.err != nil:
		b.Failed(r.err)
		return
	case r.peer != nil:
		if w.peer == nil {
			w.problem("server", "its host is there, but the server is not or does not answer as one: "+r.peer.Error())
		}
		w.peer = r.peer
		b.Refused()
		return
	}
	w.peer = nil
	b.Answer(r.answer)
	if bad := r.status >= 500; bad != w.failing {
		if w.failing = bad; bad {
			w.problem("status", fmt.Sprintf("the server answers %d %s; the path to it is fine", r.status, http.StatusText(r.status)))
		}
	}
	w.mu.Lock()
	bad := w.certificate
	w.mu.Unlock()
	if bad != nil && !w.told {
		w.told = true
		w.problem("certificate", "its certificate does not verify: "+bad.Error())
	}
}
