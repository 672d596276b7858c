package iperf2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"whydrop/probe/stream"
)

// tcp carries out a TCP test.
func (c *client) tcp(ctx context.Context) error {
	flows, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer closeAll(flows)
	head := c.t.header(c.backPort()).append(nil, 0)
	for _, f := range flows {
		_ = f.conn.SetWriteDeadline(time.Now().Add(closeWait))
		if _, err := f.conn.Write(head); err != nil {
			return fmt.Errorf("send the header: %w", err)
		}
		_ = f.conn.SetWriteDeadline(time.Time{})
		if f.Sends {
			f.header = uint64(len(head))
		}
	}
	c.both(ctx, func(ctx context.Context) {
		got := runFlows(ctx, c.events, c.t.Interval, flows, func(ctx context.Context, f *flow) {
			if f.Sends {
				sendTCP(ctx, f.conn, f, c.plan())
			} else {
				receiveTCP(ctx, f.conn, f, receivePlan{length: c.t.Length, time: c.t.Time, idle: stallLimit})
			}
		})
		if c.t.Mode == Reverse {
			c.res.Received = got
		} else {
			c.res.Sent = got
		}
	})
	return nil
}

// both runs the client's own streams and what the server sends back, at once or one after the other.
func (c *client) both(ctx context.Context, own func(context.Context)) {
	switch c.t.Mode {
	case Dual:
		var wg sync.WaitGroup
		wg.Go(func() { c.res.Received = c.back.receive(ctx, c.t.Time) })
		own(ctx)
		wg.Wait()
	case Tradeoff:
		own(ctx)
		c.res.Received = c.back.receive(ctx, c.t.Time)
	default:
		own(ctx)
	}
}

func (c *client) plan() sendPlan {
	return sendPlan{time: c.t.Time, bytes: c.t.Bytes, rate: c.t.Rate, length: c.t.Length}
}

// sendPlan says what is sent on one TCP connection.
type sendPlan struct {
	time   time.Duration
	bytes  uint64 // instead of time; 0: no end by bytes
	rate   float64
	length int // 0: the default; then a paced sender writes less at a time
}

var errStalled = fmt.Errorf("nothing moved for %v", stallLimit)

// sendTCP sends what is planned, says that it is all, and waits a little for the far end to take it and close.
func sendTCP(ctx context.Context, conn net.Conn, f *flow, p sendPlan) {
	began := time.Now()
	tctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if p.time > 0 {
		var stop context.CancelFunc
		tctx, stop = context.WithTimeout(tctx, p.time)
		defer stop()
	}
	s := stream.Sender{Rate: p.rate, Length: p.length, Exact: p.length > 0, Count: &f.tcp}
	if p.bytes > 0 {
		s.Budget = stream.NewBudget(p.bytes - min(p.bytes, f.header))
	}
	var watch sync.WaitGroup
	watch.Go(func() {
		stream.Every(tctx, began, 500*time.Millisecond, func(time.Time) bool {
			if p.time == 0 && f.tcp.Blocked() > stallLimit {
				cancel(errStalled)
			}
			return true
		})
	})
	err := s.Run(tctx, conn)
	end := time.Now()
	switch {
	case err != nil && ctx.Err() == nil:
		f.finish(end, fmt.Sprintf("the far end broke the connection after %.1f s: %v", end.Sub(began).Seconds(), unwrapAll(err)))
	case errors.Is(context.Cause(tctx), errStalled):
		f.finish(end, errStalled.Error())
	default:
		f.finish(end, lateText(f.tcp.Starved()))
	}
	cancel(nil)
	watch.Wait()
	if err == nil {
		drain(ctx, conn)
	}
}

// drain closes the sending half and reads until the far end closes its own, so that what is under way arrives and
// the answer to the header does not make the connection end with a reset.
func drain(ctx context.Context, conn net.Conn) {
	if tc, ok := conn.(*net.TCPConn); ok {
		_ = tc.CloseWrite()
	}
	_ = conn.SetReadDeadline(time.Now().Add(closeWait))
	defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })()
	_, _ = io.CopyN(io.Discard, conn, 1<<16)
}

// receivePlan says how a TCP connection is read.
type receivePlan struct {
	length int           // of a read, bytes; 0: the default
	time   time.Duration // that the far end was asked to send; it may be late by grace. 0: unknown
	idle   time.Duration // silence after which it is over
	limit  *stream.Limit // nil: none
}

// receiveTCP reads until the far end closes or is silent for too long.
func receiveTCP(ctx context.Context, conn net.Conn, f *flow, p receivePlan) {
	tctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	began := time.Now()
	var watch sync.WaitGroup
	watch.Go(func() {
		stream.Every(tctx, began, 100*time.Millisecond, func(now time.Time) bool {
			switch {
			case p.time > 0 && now.Sub(began) > p.time+grace:
				cancel(fmt.Errorf("the far end did not end within %v", p.time+grace))
			case f.tcp.Blocked() > p.idle:
				cancel(fmt.Errorf("the far end sent nothing for %v", p.idle))
			}
			return true
		})
	})
	r := stream.Receiver{Length: p.length, Limit: p.limit, Count: &f.tcp}
	err := r.Run(tctx, conn)
	end := time.Now()
	cause := context.Cause(tctx)
	switch {
	case ctx.Err() != nil:
		f.finish(end, "")
	case cause != nil:
		f.finish(end, cause.Error())
	case err != nil:
		f.finish(end, fmt.Sprintf("the far end broke the connection after %.1f s: %v", end.Sub(began).Seconds(), unwrapAll(err)))
	case p.time > 0 && end.Sub(began) < p.time-p.time/10-100*time.Millisecond:
		f.finish(end, fmt.Sprintf("the far end stopped after %.1f of %.1f s", end.Sub(began).Seconds(), p.time.Seconds()))
	default:
		f.finish(end, "")
	}
	cancel(nil)
	watch.Wait()
}

// unwrapAll returns the innermost error, which says what happened without the addresses that stand around it.
func unwrapAll(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
