package experiment

import (
	"context"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/icmp"
	"whydrop/probe/stamp"
	"whydrop/probe/tcpconnect"
)

// heartbeat shows the round-trip time while the steps run.
type heartbeat struct {
	out    timeline.Sink
	kind   string // stamp, icmp, tcp-connect; "" if nothing answers
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu  sync.Mutex
	got []timeline.Sample
}

// startHeartbeat begins a heartbeat by the best means that is answered. The caller must call end.
func startHeartbeat(ctx context.Context, path string, o Options, out timeline.Sink) *heartbeat {
	h := &heartbeat{out: out, cancel: func() {}}
	host, text, err := net.SplitHostPort(o.Test.Address)
	if err != nil {
		return h
	}
	port := o.STAMPPort
	if port == 0 {
		n, _ := strconv.ParseUint(text, 10, 16)
		port = uint16(n + 1)
	}
	var p probe.Prober
	switch {
	case stamp.CheckSigned(ctx, host, port, o.STAMPKey) == nil:
		h.kind, p = "stamp", &stamp.Sender{Name: path, To: host, Port: port, Key: o.STAMPKey}
	case icmp.Check(ctx, host) == nil:
		h.kind, p = "icmp", &icmp.Pinger{Name: path, To: host}
	// At the reflector's port nothing listens by TCP; the host's refusal is as good an answer. At the test's own a stock
	// server would take each connection for a client that broke off.
	case tcpconnect.Check(ctx, host, port) == nil:
		h.kind, p = "tcp-connect", &tcpconnect.Connector{Name: path, To: host, Port: port}
	default:
		return h
	}
	ctx, h.cancel = context.WithCancel(ctx)
	h.wg.Go(func() { _ = p.Probe(ctx, h) }) // it was answered a moment ago; later there is nothing to tell, which shows
	return h
}

// Put takes in the round-trip times, and hands on everything.
func (h *heartbeat) Put(r timeline.Record) {
	if s, ok := r.(timeline.Sample); ok && s.Metric == timeline.RTT {
		h.mu.Lock()
		h.got = append(h.got, s)
		h.mu.Unlock()
	}
	h.out.Put(r)
}

// during returns the median round-trip time of a stretch; 0: not known.
func (h *heartbeat) during(sp timeline.Span) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	var in []float64
	for _, s := range h.got {
		if !s.Span.From.Before(sp.From) && !s.Span.To.After(sp.To) {
			in = append(in, s.Value)
		}
	}
	if len(in) == 0 {
		return 0
	}
	slices.Sort(in)
	return time.Duration(in[len(in)/2] * float64(time.Second))
}

// knows says whether there is a round-trip time of a moment or of one after it.
func (h *heartbeat) knows(at time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.got) > 0 && !h.got[len(h.got)-1].Span.To.Before(at)
}

func (h *heartbeat) end() {
	h.cancel()
	h.wg.Wait()
}
