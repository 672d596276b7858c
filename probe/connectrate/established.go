package connectrate

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/stamp"
	"whydrop/probe/tcpinfo"
)

const (
	// keepAlive is the shortest that systems offer (tcp(7), TCP_KEEPINTVL).
	keepAlive = time.Second
	heartbeat = 50 * time.Millisecond
	// alive is how long an established session may say nothing before that is a gap: a keep-alive may just have
	// been lost and its successor takes a second.
	aliveTime = 2500 * time.Millisecond
)

// Established is what became of a session that was there before.
type Established struct {
	Kind    string        // "stamp": heartbeats from one port; "tcp": a connection with keep-alives
	Known   bool          // it can be told how it went
	Silence time.Duration // the longest time without anything from the far end; 0: as it should be
	Lost    float64       // of stamp: share of the heartbeats without an answer
	Closed  bool          // of tcp: the far end closed it
}

// Fine says whether the session went on.
func (e Established) Fine() bool { return e.Known && e.Silence == 0 && e.Lost < 0.2 }

// establish begins the sessions that go on until ctx ends; what became of them is known when the wait group is done.
func (r *run) establish(ctx context.Context, going *sync.WaitGroup) *[2]Established {
	var e [2]Established
	if p := r.cfg.STAMPPort; p != 0 && stamp.CheckSigned(ctx, r.to.String(), p, r.cfg.STAMPKey) == nil {
		e[0] = Established{Kind: "stamp", Known: true}
		going.Go(func() { r.beat(ctx, &e[0]) })
	}
	if r.first == Accepted {
		dialling, cancel := context.WithTimeout(ctx, answerTime)
		conn, err := r.cfg.Dial(dialling, "tcp", netip.AddrPortFrom(r.to, r.port).String())
		cancel()
		if tcp, ok := conn.(*net.TCPConn); err == nil && ok {
			e[1] = Established{Kind: "tcp"}
			going.Go(func() { keep(ctx, tcp, &e[1]) })
		} else if err == nil {
			_ = conn.Close()
		}
	}
	return &e
}

// beat keeps up heartbeats from one port.
func (r *run) beat(ctx context.Context, e *Established) {
	var lost, samples float64
	sender := stamp.Sender{Name: "established", To: r.to.String(), Port: r.cfg.STAMPPort, Key: r.cfg.STAMPKey, Heartbeat: heartbeat}
	err := sender.Probe(ctx, timeline.SinkFunc(func(x timeline.Record) {
		switch x := x.(type) {
		case timeline.Sample:
			switch x.Metric {
			case timeline.LossRoundTrip, timeline.LossForward, timeline.LossReverse:
				lost += x.Value
			}
			if x.Metric == timeline.LossForward || x.Metric == timeline.LossRoundTrip {
				samples++
			}
		case timeline.Event:
			if x.Type == timeline.EventOutage {
				e.Silence = max(e.Silence, x.Span.Width())
			}
		}
	}))
	e.Known = err == nil && samples > 0
	if samples > 0 {
		e.Lost = min(lost/samples, 1)
	}
}

// keep watches a connection on which nothing is sent but keep-alives.
func keep(ctx context.Context, conn *net.TCPConn, e *Established) {
	_ = conn.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: keepAlive, Interval: keepAlive, Count: 60})
	var reading sync.WaitGroup
	gone := make(chan struct{})
	reading.Go(func() {
		defer close(gone)
		_, err := io.Copy(io.Discard, conn)
		e.Closed = ctx.Err() == nil && (err == nil || !errors.Is(err, net.ErrClosed))
	})
	defer reading.Wait()
	defer func() {
		_ = conn.SetLinger(0)
		_ = conn.Close()
	}()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-gone:
			return
		case <-look.C:
		}
		i, err := tcpinfo.Get(conn)
		if err != nil || !i.LastAck.OK {
			continue
		}
		e.Known = true
		if d := i.LastAck.Value; d > aliveTime {
			e.Silence = max(e.Silence, d)
		}
	}
}
