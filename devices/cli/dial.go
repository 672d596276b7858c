package cli

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"

	"whydrop/devices"
)

// defaultPort is SSH's (RFC 4253, section 4.1).
const defaultPort = 22

// link is an SSH connection to a device, through a jump host where there is one.
type link struct {
	client *ssh.Client
	jump   *link // nil: reached directly
	algs   Algorithms
}

// close ends the connection and the one to the jump host, and waits for the goroutines that served them.
func (l *link) close() {
	_ = l.client.Close()
	_ = l.client.Wait()
	if l.jump != nil {
		l.jump.close()
	}
}

// target is where to connect to and how.
type target struct {
	who     string // as messages name it: `sw1`, `jump host of sw1`
	host    string
	ssh     devices.SSH
	source  net.Addr  // nil lets the system choose
	refused *refusals // of this device or jump host
}

func (t target) addr() string {
	port := int(t.ssh.Port)
	if port == 0 {
		port = defaultPort
	}
	return net.JoinHostPort(t.host, strconv.Itoa(port))
}

// connect reaches the target and logs in. When ctx ends the connection is closed and connect returns. jump, if
// not nil, is the link to go through; it is closed if connect fails.
func connect(ctx context.Context, t target, jump *link) (*link, error) {
	keys, err := newHostKeys(t.who, t.addr(), t.ssh)
	for err == nil {
		var l *link
		if l, err = attempt(ctx, t, jump, keys); err == nil {
			return l, nil
		}
		if errors.Is(err, devices.ErrHostKey) && keys.retry() && ctx.Err() == nil {
			err = nil
			continue
		}
	}
	if jump != nil {
		jump.close()
	}
	return nil, err
}

func attempt(ctx context.Context, t target, jump *link, keys *hostKeys) (*link, error) {
	keys.err = nil
	conn, err := dial(ctx, t, jump)
	if err != nil {
		return nil, unreachable(t.who+" at "+t.addr(), err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // after stop: it ends the agent's connection, not this one
	// Covers the whole handshake, also where the connection is a channel through a jump host, which knows no
	// deadlines.
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	lg := &login{who: t.who, ssh: t.ssh, refused: t.refused}
	defer lg.close()
	methods, err := lg.methods(ctx)
	if err != nil {
		conn.Close()
		return nil, err
	}
	algs := offer(t.ssh.Profile)
	cfg := &ssh.ClientConfig{
		Config:            ssh.Config{KeyExchanges: algs.KeyExchanges, Ciphers: algs.Ciphers, MACs: algs.MACs},
		User:              t.ssh.User,
		Auth:              methods,
		HostKeyCallback:   keys.check,
		HostKeyAlgorithms: keys.algorithms(algs.HostKeys),
		BannerCallback:    func(string) error { return nil }, // nothing in it is asked for, least of all a password
	}
	c, chans, reqs, err := ssh.NewClientConn(conn, t.addr(), cfg)
	if err != nil {
		conn.Close()
		return nil, handshakeError(ctx, t, keys, lg, err)
	}
	t.refused.n = 0
	return &link{client: ssh.NewClient(c, chans, reqs), jump: jump, algs: negotiated(c, keys.insecure)}, nil
}

func dial(ctx context.Context, t target, jump *link) (net.Conn, error) {
	if jump != nil {
		return jump.client.DialContext(ctx, "tcp", t.addr())
	}
	d := net.Dialer{LocalAddr: t.source}
	return d.DialContext(ctx, "tcp", t.addr())
}

// handshakeError puts what went wrong between the connection and the login into words.
func handshakeError(ctx context.Context, t target, keys *hostKeys, lg *login, err error) error {
	var no *ssh.AlgorithmNegotiationError
	lg.atOnce = isRefusedAtOnce(err)
	at := t.who + " at " + t.addr()
	switch {
	case keys.err != nil && !keys.accepted:
		return keys.err
	case errors.As(err, &no):
		if e := keys.negotiation(no); e != nil {
			return e
		}
		return noCommon(t.who, t.ssh.Profile, no)
	case strings.Contains(err.Error(), "bit keys are insecure"):
		// crypto/rsa refuses keys below 1024 bits.
		return fail(devices.ErrUnsupported, err, "%s: its RSA host key is too short to be safe; make a new one on the device: crypto key generate rsa modulus 2048", at)
	case keys.accepted && (lg.atOnce || lg.sent > 0 || lg.question != "" || errors.Is(err, errStopped) || isDenial(err)):
		if ctx.Err() != nil {
			return fail(devices.ErrTimeout, ctx.Err(), "%s: no answer to the login in time", at)
		}
		return lg.denied(err)
	case ctx.Err() != nil:
		return fail(devices.ErrTimeout, ctx.Err(), "%s: connected, but the SSH handshake did not finish in time; check that `port` under ssh is an SSH port", at)
	case strings.Contains(err.Error(), "EOF"), strings.Contains(err.Error(), "connection reset"):
		return fail(devices.ErrUnreachable, err, "%s: closed the connection before the login; its lines may all be in use, or `port` under ssh is no SSH port", at)
	}
	return fail(devices.ErrUnreachable, err, "%s: SSH handshake failed: %s", at, printable(err.Error()))
}

// isDenial says whether the SSH library's words mean that the login was refused; it has no type for that.
func isDenial(err error) bool {
	s := strings.ToLower(err.Error())
	return strings.Contains(s, "unable to authenticate") || strings.Contains(s, "too many authentication failures")
}

// isRefusedAtOnce says whether keyboard-interactive was answered by a refusal (SSH_MSG_USERAUTH_FAILURE, 51) instead
// of a question (60), as RFC 4256 allows; the SSH library has no type for that either.
func isRefusedAtOnce(err error) bool {
	return strings.Contains(err.Error(), "unexpected message type 51 (expected 60)")
}

// jumpTarget returns where a device's jump host is.
func jumpTarget(d devices.Device, refused *refusals) target {
	j := d.SSH.Jump
	t := target{who: jumpHost + d.Name, host: j.Address, ssh: j.SSH, refused: refused}
	if host, port, err := net.SplitHostPort(j.Address); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err == nil {
			t.host, t.ssh.Port = host, uint16(n)
		}
	}
	t.host = strings.Trim(t.host, "[]")
	return t
}
