package iperf2

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"

	"whydrop/probe"
	"whydrop/probe/stream"
)

// Result is what a client's test measured.
type Result struct {
	Sent     []Figures // final, of the streams on which this end sent
	Received []Figures // final, of the streams on which this end received
}

// Bytes returns what was carried in both directions together.
func (r Result) Bytes() (n uint64) {
	for _, f := range append(r.Sent[:len(r.Sent):len(r.Sent)], r.Received...) {
		n += f.Bytes
	}
	return n
}

// Deadlines of a client.
const (
	dialWait   = 10 * time.Second // for a connection
	grace      = 10 * time.Second // a far end that sends may go on for so long after its time
	stallLimit = 30 * time.Second // without a time, a test that moves nothing for so long is over
)

// closeWait is how long the far end may take to read what is under way and to close. Tests shorten it.
var closeWait = 3 * time.Second

// Run carries out a test and tells h what happens; h may be the zero Handler. It returns within 10 s of the test's
// time, and soon when ctx ends, with what was measured until then. The error says that nothing was measured; what
// ended a stream early is its figures' Problem.
func Run(ctx context.Context, t Test, h Handler) (Result, error) {
	if err := t.Check(); err != nil {
		return Result{}, fmt.Errorf("iperf2: %w", err)
	}
	addr, err := resolve(ctx, t.Host, t.V6)
	if err != nil {
		return Result{}, fmt.Errorf("iperf2: %w", err)
	}
	t = t.withDefaults(addr.Is6())
	c := &client{t: t, far: netip.AddrPortFrom(addr, t.Port), events: &events{h: h}}
	if t.Mode == Tradeoff || t.Mode == Dual {
		if c.back, err = c.listenBack(ctx); err != nil {
			return Result{}, fmt.Errorf("iperf2: listen for the far end's connections: %w", err)
		}
		defer c.back.Close()
	}
	if t.UDP {
		err = c.udp(ctx)
	} else {
		err = c.tcp(ctx)
	}
	if err == nil && c.res.Bytes() == 0 && ctx.Err() == nil {
		err = c.nothing()
	}
	if err != nil {
		return c.res, fmt.Errorf("iperf2: %v: %w", c.far, err)
	}
	return c.res, nil
}

// client is one run of a test.
type client struct {
	t   Test
	far netip.AddrPort
	*events
	back backListener
	res  Result
}

// nothing says why no byte was measured.
func (c *client) nothing() error {
	for _, f := range append(c.res.Sent, c.res.Received...) {
		if f.Problem != "" {
			return errors.New(f.Problem)
		}
	}
	return errors.New("nothing was carried")
}

// resolve returns the address of a host, of IPv6 if v6 is set.
func resolve(ctx context.Context, host string, v6 bool) (netip.Addr, error) {
	if !v6 {
		return probe.Resolve(ctx, host)
	}
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Is4() {
			return a, fmt.Errorf("%s is no IPv6 address", host)
		}
		return a, nil
	}
	as, err := net.DefaultResolver.LookupNetIP(ctx, "ip6", host)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("find the IPv6 address of %q: %w", host, err)
	}
	return as[0], nil
}

// dial opens the test's connections and tells of them. The connections are the caller's to close.
func (c *client) dial(ctx context.Context) (flows []*flow, err error) {
	socket := stream.Socket{Buffer: c.t.Window, MSS: c.t.MSS, Congestion: c.t.Congestion}
	network := "tcp"
	if c.t.UDP {
		network = "udp"
	}
	defer func() {
		if err != nil {
			closeAll(flows)
		}
	}()
	for i := range c.t.Streams {
		conn, err := socket.Dialer(dialWait).DialContext(ctx, network, c.far.String())
		if err != nil {
			return flows, fmt.Errorf("connect: %w", err)
		}
		f := &flow{conn: conn}
		flows = append(flows, f)
		if u, ok := conn.(*net.UDPConn); ok && c.t.Window == 0 {
			_ = u.SetReadBuffer(udpBuffer) // as much of it as the system allows
		}
		if err := setUp(conn, c.t.TTL, c.t.NoDelay); err != nil {
			return flows, err
		}
		got := stream.Inspect(conn)
		if i == 0 {
			if want := c.t.MSS; want > 0 && got.MSS > 0 && got.MSS != want {
				c.notice(fmt.Sprintf("attempt to set TCP maximum segment size to %d, but got %d", want, got.MSS))
			}
			c.opening(c.openingOf(got))
		}
		f.Stream = Stream{
			UDP: c.t.UDP, Client: true, Sends: c.t.Mode != Reverse, Reverse: c.t.Mode == Reverse,
			Local: addrPort(conn.LocalAddr()), Remote: addrPort(conn.RemoteAddr()), MSS: got.MSS,
		}
	}
	for _, f := range flows {
		c.connected(&f.Stream)
	}
	return flows, nil
}

func (c *client) openingOf(got stream.Actual) Opening {
	granted := got.SendBuffer
	if c.t.Mode == Reverse {
		granted = got.RecvBuffer
	}
	return Opening{
		UDP: c.t.UDP, Host: c.t.Host, Port: c.t.Port, Length: c.t.Length, Gap: c.t.gap(),
		Asked: c.t.Window, Granted: granted, AskedMSS: c.t.MSS, Congestion: c.t.Congestion,
	}
}

func closeAll(flows []*flow) {
	for _, f := range flows {
		f.conn.Close()
	}
}

// setUp sets what can be set on a connection alone.
func setUp(conn net.Conn, ttl int, noDelay bool) error {
	if tc, ok := conn.(*net.TCPConn); ok {
		if err := tc.SetNoDelay(noDelay); err != nil {
			return fmt.Errorf("set no delay: %w", err)
		}
	}
	if ttl == 0 {
		return nil
	}
	var err error
	if addrPort(conn.RemoteAddr()).Addr().Is4() {
		err = ipv4.NewConn(conn).SetTTL(ttl)
	} else {
		err = ipv6.NewConn(conn).SetHopLimit(ttl)
	}
	if err != nil {
		return fmt.Errorf("set hop limit %d: %w", ttl, err)
	}
	return nil
}

func addrPort(a net.Addr) netip.AddrPort {
	switch a := a.(type) {
	case *net.TCPAddr:
		return unmapped(a.AddrPort())
	case *net.UDPAddr:
		return unmapped(a.AddrPort())
	}
	return netip.AddrPort{}
}

// backPort returns the port that the server is to connect back to, 0 if it is not to.
func (c *client) backPort() uint16 {
	if c.back == nil {
		return 0
	}
	return addrPort(c.back.Addr()).Port()
}

// listenOn tries the port wanted and, if that is in use, a free one: the header tells the server which. It listens
// on the address from which the server is reached.
func (c *client) listenOn(listen func(address string) error) error {
	conn, err := net.Dial("udp", c.far.String()) // sends nothing
	if err != nil {
		return err
	}
	host := addrPort(conn.LocalAddr()).Addr()
	conn.Close()
	want := c.t.BackPort
	if want == 0 && host.WithZone("") != c.far.Addr().WithZone("") {
		want = c.t.Port // on the server's own host that would be the server's
	}
	err = listen(net.JoinHostPort(host.String(), strconv.Itoa(int(want))))
	if err == nil || c.t.BackPort != 0 {
		return err
	}
	return listen(net.JoinHostPort(host.String(), "0"))
}
