package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/icmp"
	"whydrop/probe/stamp"
	"whydrop/probe/tcpconnect"
)

// returnTime is the time between two looks whether the far end answers STAMP after all.
const returnTime = 5 * time.Second

// heartbeat is a heartbeat by the best means that is answered: STAMP, which tells the ways apart; ICMP echo; TCP
// connections. It begins with STAMP and gives it up when nothing answers in the first 2 s or when the far end
// refuses for more than a second, not when the path goes dark later. While it goes by other means, it asks for STAMP
// every 5 s and is back when that is answered.
type heartbeat struct {
	path  timeline.Subject
	means []means // best first
	every time.Duration
	start opening
}

// means is one way to have a heartbeat.
type means struct {
	kind   string
	prober probe.Prober
	check  func(context.Context) error // nil if it is answered
}

var _ probe.Prober = (*heartbeat)(nil)

// newHeartbeat lists the means. Connections go to the port of STAMP first, where nothing listens by TCP: the host's
// refusal is an answer as good. An idle iperf3 server takes each connection for a test that failed (seen with 3.12),
// so its port comes last, for firewalls that let nothing else through.
func newHeartbeat(s Spec) (probe.Prober, error) {
	quiet := s
	quiet.Port = s.stampPort()
	h := &heartbeat{path: timeline.Path(s.Path), every: returnTime}
	h.start.path, h.start.check = h.path, checkTo(s.To)
	for _, m := range []struct {
		kind  string
		spec  Spec
		start func(Spec) (probe.Prober, error)
		check func(context.Context) error
	}{
		{"stamp", s, newStamp, func(ctx context.Context) error {
			return stamp.CheckSigned(ctx, s.To, s.stampPort(), []byte(s.STAMPKey))
		}},
		{"icmp", s, newICMP, func(ctx context.Context) error { return icmp.Check(ctx, s.To) }},
		{"tcp-connect", quiet, newTCPConnect, func(ctx context.Context) error { return tcpconnect.Check(ctx, s.To, quiet.port()) }},
		{"tcp-connect", s, newTCPConnect, func(ctx context.Context) error { return tcpconnect.Check(ctx, s.To, s.port()) }},
	} {
		p, err := m.start(m.spec)
		if err != nil {
			return nil, err
		}
		h.means = append(h.means, means{m.kind, p, m.check})
	}
	return h, nil
}

// Path returns the subject of the heartbeat's records.
func (h *heartbeat) Path() timeline.Subject { return h.path }

// Probe keeps up the heartbeat until ctx ends, then returns nil. An error means that not even the far end's address
// is known.
func (h *heartbeat) Probe(ctx context.Context, out timeline.Sink) error {
	if h.start.began.IsZero() {
		h.start.began = time.Now()
	}
	out = h.start.watch(out)
	defer func() {
		if ctx.Err() != nil {
			h.start.end(out)
		}
	}()
	for ctx.Err() == nil {
		if err := h.first(ctx, out); err != nil || ctx.Err() != nil {
			return err
		}
		if err := h.others(ctx, out); err != nil {
			return err
		}
	}
	return nil
}

// first runs the best means until the far end turns out not to be there.
func (h *heartbeat) first(ctx context.Context, out timeline.Sink) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return h.means[0].prober.Probe(ctx, timeline.SinkFunc(func(r timeline.Record) {
		out.Put(r)
		if e, ok := r.(timeline.Event); ok && e.Type == timeline.EventProbeProblem {
			cancel() // the prober returns soon
		}
	}))
}

// others runs the best of the other means until the first one is answered.
func (h *heartbeat) others(ctx context.Context, out timeline.Sink) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	i, answered := h.choose(ctx, 1)
	if ctx.Err() != nil {
		return nil
	}
	h.announce(out, h.means[0].kind, h.means[i].kind, answered)
	if !answered {
		h.start.unanswered(ctx, out)
	}
	var back atomic.Bool // an answer came by the means that runs
	var watching sync.WaitGroup
	watching.Go(func() {
		defer cancel()
		h.watch(ctx, i, &back)
	})
	err := h.means[i].prober.Probe(ctx, timeline.SinkFunc(func(r timeline.Record) {
		if s, ok := r.(timeline.Sample); ok && s.Metric == timeline.RTT {
			back.Store(true)
		}
		out.Put(r)
	}))
	cancel()
	watching.Wait()
	return err
}

// watch returns when the far end answers by a better means than number i; if i itself was never answered, by any.
func (h *heartbeat) watch(ctx context.Context, i int, back *atomic.Bool) {
	tick := time.NewTicker(h.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if h.means[0].check(ctx) == nil {
			return
		}
		if back.Load() {
			continue
		}
		if j, ok := h.choose(ctx, 1); ok && j != i {
			return
		}
	}
}

// choose returns the best means from number from on that is answered, and whether it is. If none is, it is the best
// that this system lets us use.
func (h *heartbeat) choose(ctx context.Context, from int) (int, bool) {
	usable := -1
	for i := from; i < len(h.means) && ctx.Err() == nil; i++ {
		err := h.means[i].check(ctx)
		if err == nil {
			return i, true
		}
		if usable < 0 && !errors.Is(err, icmp.ErrPermission) {
			usable = i
		}
	}
	return max(usable, from), false
}

// announce says which means takes over.
func (h *heartbeat) announce(out timeline.Sink, from, to string, answered bool) {
	text := fmt.Sprintf("no far end answers %s: the heartbeat goes by %s, which cannot tell the ways apart", from, to)
	if !answered {
		text = fmt.Sprintf("no far end answers %s, nor anything else: the heartbeat goes by %s until something does", from, to)
	}
	problem(out, h.path, from, "replaced by "+to, text)
}
