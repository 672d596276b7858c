// Package http is a heartbeat by HTTP requests (RFC 9110, RFC 9112), plain or over TLS: for paths to a web server or
// a proxy where no far end of ours runs, and for the question whether a service behind a load balancer or a firewall
// that reads along can be had at all.
//
// A heartbeat is a HEAD request on a connection that stays open; while one waits for its answer, the next goes on
// another, at most one new connection for each heartbeat. Any status is an answer, also an error: it shows that the
// request went there and the answer came back. That the server fails (5xx) or that its certificate does not verify is
// said once (probe.problem); nothing secret is sent and nothing that comes is believed, so it goes on. Redirects are
// not followed and proxies not used: the heartbeat goes to the host that was named.
//
// The round trip is from the request to the first octet of its answer and includes the time that the server took, and
// where a connection had to be opened, the opening. A request that meets a dark path waits in TCP until it is sent
// again (RFC 6298) and may be answered late, which shows in the outage; the next ones, on new connections, show when
// the path is back. Which way a request was lost cannot be told; outages have the direction "both".
//
// A host that refuses connections, resets them or does not speak HTTP is there, its server is not: that is a matter of
// the far end's (probe.problem, a gap), not an outage of the path.
package http

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/outage"
)

const (
	// DefaultHeartbeat is the time between two requests where none is given, and MinHeartbeat the shortest: each is a
	// line in the server's log.
	DefaultHeartbeat = time.Second
	MinHeartbeat     = 200 * time.Millisecond

	// answerTime is how long an answer may take; what is later is lost.
	answerTime = 5 * time.Second
	// connectTime is how long a connection may take to open: Linux repeats a SYN after 1 s (RFC 6298, section 2), and
	// its answer would say nothing about the first.
	connectTime = 900 * time.Millisecond
	// headerSize is how long an answer's header may be.
	headerSize = 64 << 10
	// maxIdle is how many connections are kept open.
	maxIdle = 4
)

// Requester is a heartbeat by HTTP requests. It writes path.rtt, path.loss.round_trip and path.reordered, and outages
// with the direction "both".
type Requester struct {
	Name      string        // the path's name in the site file
	To        string        // host name or address; also the name that a certificate must have
	Port      uint16        // TCP port; 0 means 80, or 443 with TLS
	TLS       bool          // HTTPS
	Target    string        // what to ask for, path and query; "" means /
	Heartbeat time.Duration // time between two requests; 0 means 1 s, less than 200 ms is 200 ms

	// Dial, if not nil, is used instead of a net.Dialer. It is called from several goroutines.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Roots, if not nil, are used instead of the system's to verify the certificate.
	Roots *x509.CertPool
}

var _ probe.Prober = (*Requester)(nil)

// Path returns the subject of the requester's records.
func (r *Requester) Path() timeline.Subject { return timeline.Path(r.Name) }

func (r *Requester) scheme() string {
	if r.TLS {
		return "https"
	}
	return "http"
}

// Probe keeps up the heartbeat until ctx ends, then returns nil. An error means that To has no address or that Target
// is none.
func (r *Requester) Probe(ctx context.Context, out timeline.Sink) error {
	w, err := r.open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer w.close()
	every := r.Heartbeat
	if every <= 0 {
		every = DefaultHeartbeat
	}
	cfg := outage.Config{
		Path:      r.Path(),
		Collector: r.scheme() + ":" + r.Name,
		Kind:      r.scheme(),
		To:        w.url,
		Heartbeat: max(every, MinHeartbeat),
		Out:       out,
	}
	w.problem = func(reason, text string) {
		out.Put(timeline.Event{Subject: cfg.Path, Type: timeline.EventProbeProblem, Span: timeline.At(time.Now().Round(0).UTC()),
			Text:  fmt.Sprintf("%s heartbeat to %s: %s", cfg.Kind, cfg.To, text),
			Attrs: map[string]string{"kind": cfg.Kind, "reason": reason}, Origin: timeline.Origin{Collector: cfg.Collector}})
	}
	outage.Run(ctx, cfg, w)
	return nil
}

// Check says whether a server answers: nil if it does. It returns when it knows, when ctx ends, or after about a
// second.
func (r *Requester) Check(ctx context.Context) error {
	w, err := r.open(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	switch answered, refused := outage.Try(ctx, w); {
	case answered:
		return nil
	case refused:
		return fmt.Errorf("%s: %s: %w", r.scheme(), w.url, w.peer)
	}
	return fmt.Errorf("%s: no answer from %s", r.scheme(), w.url)
}

func (r *Requester) open(ctx context.Context) (*wire, error) {
	port, usual := r.Port, uint16(80)
	if r.TLS {
		usual = 443
	}
	if port == 0 {
		port = usual
	}
	target := r.Target
	if target == "" {
		target = "/"
	}
	if !strings.HasPrefix(target, "/") {
		return nil, fmt.Errorf("%s: target %q: want one that begins with /", r.scheme(), r.Target)
	}
	host := strings.Trim(r.To, "[]")
	authority := net.JoinHostPort(host, strconv.Itoa(int(port)))
	if port == usual {
		if authority = host; strings.Contains(host, ":") {
			authority = "[" + host + "]"
		}
	}
	u, err := url.Parse(r.scheme() + "://" + authority + target)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.scheme(), err)
	}
	to, err := probe.Resolve(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.scheme(), err)
	}
	w := &wire{url: u.String(), to: netip.AddrPortFrom(to, port), dial: r.Dial, results: make(chan result, 64), problem: func(string, string) {}}
	if w.dial == nil {
		w.dial = new(net.Dialer).DialContext
	}
	if r.TLS {
		w.tls = &tls.Config{
			ServerName:         host,
			NextProtos:         []string{"http/1.1"},
			InsecureSkipVerify: true, // it is verified below, and the path measured whatever comes of it
			VerifyConnection: func(s tls.ConnectionState) error {
				w.certified(verify(s, host, r.Roots))
				return nil
			},
		}
	}
	w.ask = fmt.Appendf(nil, "HEAD %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: whydrop\r\nAccept: */*\r\n\r\n", u.RequestURI(), u.Host)
	w.ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return w, nil
}

// verify says what is wrong with a server's certificate.
func verify(s tls.ConnectionState, host string, roots *x509.CertPool) error {
	if len(s.PeerCertificates) == 0 {
		return errors.New("the server has none")
	}
	opt := x509.VerifyOptions{DNSName: host, Roots: roots, Intermediates: x509.NewCertPool()}
	for _, c := range s.PeerCertificates[1:] {
		opt.Intermediates.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(opt)
	return err
}

// result is what became of a heartbeat.
type result struct {
	answer outage.Answer
	status int
	err    error // this host's, or the path's
	peer   error // the far end's: it is there, but does not do as it should
}

// wire sends requests to one server.
type wire struct {
	url     string
	to      netip.AddrPort
	ask     []byte // the request
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	tls     *tls.Config     // nil: plain
	ctx     context.Context // ends when the wire is closed
	cancel  context.CancelFunc
	pending sync.WaitGroup
	results chan result
	problem func(reason, text string)
	peer    error // the newest
	failing bool  // the server answers 5xx
	told    bool  // what is wrong with the certificate was said

	mu          sync.Mutex
	idle        []*link
	certificate error
}

// close gives up the requests under way, waits until they are gone and closes all connections.
func (w *wire) close() {
	w.cancel()
	w.pending.Wait()
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
	w.pending.Go(func() {
		ctx, cancel := context.WithTimeout(w.ctx, answerTime)
		defer cancel()
		r := w.request(ctx)
		if r.answer.At.IsZero() && (ctx.Err() != nil || r == (result{})) {
			return // lost
		}
		r.answer.Number = n
		select {
		case w.results <- r:
		case <-w.ctx.Done():
		}
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
		return result{err: cause(err)}
	}
	return result{peer: cause(err)}
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

// cause returns what the system said, without the addresses around it.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// Receive enters the answers that have arrived.
func (w *wire) Receive(b *outage.Book) {
	for {
		select {
		case r := <-w.results:
			w.enter(b, r)
		default:
			return
		}
	}
}

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
