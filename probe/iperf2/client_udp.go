package iperf2

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"whydrop/probe/stream"
)

// udp carries out a UDP test.
func (c *client) udp(ctx context.Context) error {
	flows, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer closeAll(flows)
	if c.t.Mode == Reverse {
		for _, f := range flows {
			f.rec = &reception{}
		}
		c.res.Received = runFlows(ctx, c.events, c.t.Interval, flows, c.receiveReversed)
		return nil
	}
	if c.back != nil && !c.far.Addr().IsLoopback() {
		c.knock(ctx)
	}
	for _, f := range flows {
		f.sender = c.sender(f.conn)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.both(ctx, func(ctx context.Context) {
		c.res.Sent = runFlows(ctx, c.events, c.t.Interval, flows, func(ctx context.Context, f *flow) {
			if i := slices.Index(flows, f); i > 0 {
				wait(ctx, time.Duration(i)*stagger)
				f.begin(time.Now())
			}
			if err := sendUDP(ctx, f); err != nil {
				cancel(err) // of no stream anything arrives
			}
		})
	})
	if err := context.Cause(ctx); errors.Is(err, errRefused) || errors.Is(err, errTooLong) {
		return err
	}
	return nil
}

func (c *client) sender(conn net.Conn) *datagramSender {
	return &datagramSender{
		w: conn, length: c.t.Length, rate: c.t.Rate, time: c.t.Time, bytes: c.t.Bytes, header: c.t.header(c.backPort()),
	}
}

// stagger is how long after one another streams begin: a stock server takes what arrives while it sets up a stream
// for part of that stream, whoever sent it (seen in 2.1.8).
const stagger = 30 * time.Millisecond

// sendUDP sends a stream and gets the far end's report. The error says that nothing can be sent at all.
func sendUDP(ctx context.Context, f *flow) error {
	s := f.sender
	err := s.run(ctx)
	f.finish(time.Now(), "")
	if err != nil {
		f.problem = err.Error()
		return err
	}
	f.report = s.last(ctx, f.conn)
	switch {
	case f.report != nil:
		f.problem = lateText(s.starving)
	case s.refused.Load() > 0:
		f.problem = "no report: the far end's host refused datagrams (nothing listens on the port)"
	case s.unsent.Load() > 0:
		f.problem = fmt.Sprintf("no report: this host could not send %d datagrams", s.unsent.Load())
	default:
		f.problem = fmt.Sprintf("did not receive the report on the last datagram after %d tries", lastTries)
	}
	return nil
}

// How a client asks for datagrams (-R): one may be lost, and a server of ours may first want to see that the address
// is the client's own.
const (
	askEvery = 100 * time.Millisecond
	askFor   = 10 * time.Second
	knockAt  = 700 * time.Millisecond
)

// receiveReversed asks the far end to send and counts what comes.
func (c *client) receiveReversed(ctx context.Context, f *flow) {
	conn := f.conn.(*net.UDPConn)
	src := newSource(conn)
	ask := make([]byte, c.t.Length)
	copy(ask[wideSize:], c.t.header(0).append(nil, wideSize))
	var s *session
	var refusal time.Time // the first, while nothing was heard
	began, asked, knocked := time.Now(), time.Time{}, false
	for ctx.Err() == nil {
		now := time.Now()
		if s == nil && now.Sub(asked) >= askEvery {
			putNumber(ask, 1, now, true)
			_ = conn.SetWriteDeadline(now.Add(askEvery))
			_, _ = conn.Write(ask)
			asked = now
		}
		if s == nil && !knocked && now.Sub(began) > knockAt {
			knocked = true
			c.knock(ctx)
		}
		if problem := c.tooLate(s, began, now); problem != "" {
			f.finish(now, problem)
			break
		}
		_ = conn.SetReadDeadline(now.Add(50 * time.Millisecond))
		err := src.read(func(a arrival) {
			if d, ok := parseDatagram(a.head); s == nil && ok && d.number >= 0 {
				s = newSession(d, f.rec)
				s.wide = true // the far end need not repeat the header; the client's says so
			}
			if s != nil {
				s.take(a.head, a.size, a.at)
			}
		})
		if s != nil && s.ended {
			f.finish(f.rec.lastAt(), "")
			break
		}
		if refused(err) && s == nil {
			if refusal.IsZero() {
				refusal = now
			} else if now.Sub(refusal) > time.Second {
				f.finish(now, errRefused.Error())
				break
			}
			wait(ctx, askEvery)
		}
	}
	if n := src.drops(); n > 0 {
		c.notice(dropsText(n))
	}
}

// tooLate says why a far end that sends is not waited for any longer; "" if it is.
func (c *client) tooLate(s *session, began, now time.Time) string {
	if s == nil {
		if now.Sub(began) > askFor {
			return fmt.Sprintf("the far end sent nothing within %.0f s of being asked", askFor.Seconds())
		}
		return ""
	}
	quiet := now.Sub(s.rec.lastAt())
	switch {
	case c.t.Time == 0 && quiet > stallLimit:
	case c.t.Time > 0 && now.Sub(began) > c.t.Time+grace:
	case c.t.Time > 0 && now.Sub(began) > c.t.Time+time.Second && quiet > 3*time.Second:
	default:
		return ""
	}
	return fmt.Sprintf("the last datagram did not come; silent for %.1f s", quiet.Seconds())
}

func dropsText(n uint64) string {
	return fmt.Sprintf("this host dropped %d datagrams because the socket had no room (larger -w): they are not the path's loss", n)
}

// knock shows a server of ours that this address is the client's own, by a TCP connection that carries a header and
// no data. A stock server of UDP refuses it, which does no harm.
func (c *client) knock(ctx context.Context) {
	conn, err := stream.Socket{}.Dialer(time.Second).DialContext(ctx, "tcp", c.far.String())
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	h := clientHeader{threads: 1, port: uint32(c.t.Port), amount: -1}
	if _, err := conn.Write(h.append(nil, 0)); err != nil {
		return
	}
	ack := make([]byte, ackSize)
	_, _ = conn.Read(ack)
}
