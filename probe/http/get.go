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
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/heartbeat"
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
	return heartbeat.Probe(ctx, r.open, func(w *wire) outage.Config {
		cfg := outage.Config{
			Path:      r.Path(),
			Collector: r.scheme() + ":" + r.Name,
			Kind:      r.scheme(),
			To:        w.url,
			Heartbeat: heartbeat.Every(r.Heartbeat, DefaultHeartbeat, MinHeartbeat),
			Out:       out,
		}
		w.problem = func(reason, text string) { heartbeat.Problem(cfg, reason, text) }
		return cfg
	})
}

// Check says whether a server answers: nil if it does. It returns when it knows, when ctx ends, or after about a
// second.
func (r *Requester) Check(ctx context.Context) error {
	return heartbeat.Check(ctx, r.open, func(w *wire, refused bool) error {
		if refused {
			return fmt.Errorf("%s: %s: %w", r.scheme(), w.url, w.peer)
		}
		return fmt.Errorf("%s: no answer from %s", r.scheme(), w.url)
	})
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
	w := &wire{Pending: heartbeat.NewPending[result](ctx), url: u.String(), to: netip.AddrPortFrom(to, port), dial: r.Dial, problem: func(string, string) {}}
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
