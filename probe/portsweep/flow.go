package portsweep

import (
	"context"

	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"whydrop/probe/rxtime"
	"whydrop/probe/sock"
	"whydrop/probe/stamp"
)

// reflected sends STAMP questions.
type reflected struct {
	conn    *net.UDPConn
	in      *rxtime.Reader
	number  uint16
	first   uint32
	session uint16
	cookie  stamp.Timestamp
	key     []byte
	out     []byte
}

// openSTAMP returns what opens flows whose questions are signed with a key, if there is one.
func openSTAMP(key []byte) func(context.Context, netip.AddrPort, uint16) (flow, error) {
	return func(_ context.Context, to netip.AddrPort, port uint16) (flow, error) {
		from := net.UDPAddrFromAddrPort(netip.AddrPortFrom(sock.Unspecified(to.Addr()), port))
		conn, err := net.DialUDP("udp", from, net.UDPAddrFromAddrPort(to))
		if err != nil {
			return nil, err
		}
		return &reflected{conn: conn, in: rxtime.New(conn), number: port, first: 1024 + uint32(rand.IntN(60000)),
			session: uint16(1 + rand.IntN(65535)), cookie: stamp.Timestamp(rand.Uint64()), key: key}, nil
	}
}

func (f *reflected) port() uint16 { return f.number }
func (f *reflected) busy() bool   { return false }
func (f *reflected) close()       { _ = f.in.Close() }

func (f *reflected) send(n int, now time.Time) error {
	q := stamp.Question{Sequence: f.first + uint32(n), Timestamp: f.cookie, Session: f.session, Estimate: stamp.NewErrorEstimate(stamp.NTP, false, time.Millisecond)}
	f.out = q.AppendFor(f.out[:0], f.key)
	_ = f.conn.SetWriteDeadline(now.Add(time.Second))
	_, err := f.conn.Write(f.out)
	for range 2 { // an error about an earlier packet; this one was not sent
		if err == nil {
			break
		}
		_, err = f.conn.Write(f.out)
	}
	return err
}

func (f *reflected) receive(give func(answer)) {
	for range 8 { // errors in a row, such as refusals; each ends one Drain
		err := f.in.Drain(func(p rxtime.Packet) {
			a, err := stamp.ParseAnswerFor(p.Data, f.key)
			if err != nil || a.Question.Timestamp != f.cookie {
				return
			}
			give(answer{n: int(a.Question.Sequence - f.first), at: p.At, count: int(a.Sequence), counts: a.Sequence != a.Question.Sequence})
		})
		if err == nil {
			return
		}
	}
}

// connected opens connections, one at a time.
type connected struct {
	to      netip.AddrPort
	dialer  net.Dialer
	number  uint16
	ctx     context.Context
	cancel  context.CancelFunc
	pending sync.WaitGroup
	opening atomic.Bool
	answers chan answer
}

func openTCP(ctx context.Context, to netip.AddrPort, port uint16) (flow, error) {
	local := netip.AddrPortFrom(sock.Unspecified(to.Addr()), port)
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", local.String()) // is it free?
	if err != nil {
		return nil, err
	}
	_ = l.Close()
	f := &connected{to: to, number: port, answers: make(chan answer, 4)}
	f.dialer.LocalAddr = net.TCPAddrFromAddrPort(local)
	f.dialer.SetMultipathTCP(false)
	f.ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return f, nil
}

func (f *connected) port() uint16 { return f.number }
func (f *connected) busy() bool   { return f.opening.Load() }

func (f *connected) close() {
	f.cancel()
	f.pending.Wait()
}

func (f *connected) send(n int, _ time.Time) error {
	f.opening.Store(true)
	f.pending.Go(func() {
		defer f.opening.Store(false)
		ctx, cancel := context.WithTimeout(f.ctx, answerTime)
		defer cancel()
		conn, err := f.dialer.DialContext(ctx, "tcp", f.to.String())
		at := time.Now()
		if err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // a reset: the port is free again
			}
			_ = conn.Close()
		} else if !sock.Refused(err) {
			return
		}
		select {
		case f.answers <- answer{n: n, at: at}:
		default:
		}
	})
	return nil
}

func (f *connected) receive(give func(answer)) {
	for {
		select {
		case a := <-f.answers:
			give(a)
		default:
			return
		}
	}
}
