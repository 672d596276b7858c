package app

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/connectrate"
	"whydrop/probe/pmtu"
	"whydrop/probe/portsweep"
)

// result puts one test that ended on the timeline.
func (in *investigation) result(name string, sp timeline.Span, text string, attrs map[string]string) {
	attrs["experiment"] = name
	in.live.Out.Put(timeline.Event{Subject: timeline.Path(in.path), Type: timeline.EventResult, Span: sp, Text: text, Attrs: attrs,
		Origin: timeline.Origin{Collector: "experiment:" + in.path}})
}

// spanOf is the time of a probe that began then and took so many seconds.
func spanOf(started time.Time, seconds float64) timeline.Span {
	return timeline.Span{From: started, To: started.Add(time.Duration(seconds * float64(time.Second)))}
}

// pathOptions returns the ports of the far end.
func (in *investigation) pathOptions() PathOptions {
	o := PathOptions{STAMP: in.opt.STAMP}
	if _, port, err := net.SplitHostPort(in.opt.Probe.Test.Address); err == nil {
		n, _ := strconv.ParseUint(port, 10, 16) // 0: the usual one
		o.Port = uint16(n)
	}
	return o
}

// findMTU finds the path's MTU: each size that was tried is a test.
func (in *investigation) findMTU(ctx context.Context) (string, error) {
	o := in.pathOptions()
	r, err := pmtu.Run(ctx, pmtu.Config{To: in.to.String(), STAMPPort: o.stampPort(), STAMPKey: []byte(in.opt.STAMPKey)})
	if err != nil {
		return "", err
	}
	sp := spanOf(r.Started, r.Seconds)
	for _, s := range r.Steps {
		if s.Sent == 0 {
			continue
		}
		lost := s.Sent - s.Answered
		in.result("mtu", sp, fmt.Sprintf("packets of %d bytes that may not be fragmented: %d of %d answered", s.Size, s.Answered, s.Sent), map[string]string{
			"proto": "icmp", "direction": timeline.Forward, "df": "true", "size_bytes": strconv.Itoa(s.Size),
			"lost": strconv.Itoa(lost), "total": strconv.Itoa(s.Sent), "loss_ratio": ratioText(lost, s.Sent),
		})
	}
	return r.Meaning(), nil
}

// sweepPorts asks from many source ports: each is a test.
func (in *investigation) sweepPorts(ctx context.Context) (string, error) {
	o := in.pathOptions()
	r, err := portsweep.Run(ctx, portsweep.Config{To: in.to.String(), STAMPPort: o.stampPort(), STAMPKey: []byte(in.opt.STAMPKey), TCPPorts: []uint16{o.stampPort(), o.port()}})
	if err != nil {
		return "", err
	}
	sp := spanOf(r.Started, r.Seconds)
	for _, p := range r.Ports {
		if p.Sent == 0 {
			continue
		}
		attrs := map[string]string{
			"proto": "udp", "direction": timeline.Both, "port": strconv.Itoa(int(p.Number)), "streams": "1",
			"lost": strconv.Itoa(p.Lost), "total": strconv.Itoa(p.Sent), "loss_ratio": ratioText(p.Lost, p.Sent),
		}
		if r.Means == portsweep.TCP {
			attrs["proto"] = "connect"
		}
		in.result("ports", sp, fmt.Sprintf("source port %d: %d of %d lost", p.Number, p.Lost, p.Sent), attrs)
	}
	return r.Meaning(), nil
}

// connect opens sessions at a rate, beside established ones.
func (in *investigation) connect(ctx context.Context) (string, error) {
	o := in.pathOptions()
	const rate, length = 20, 10 * time.Second
	r, err := connectrate.Run(ctx, connectrate.Config{To: in.to.String(), Ports: []uint16{o.stampPort(), o.port()}, STAMPPort: o.stampPort(), STAMPKey: []byte(in.opt.STAMPKey), Rate: rate, Time: length})
	if err != nil {
		return "", err
	}
	sp := spanOf(r.Started, r.Seconds)
	tried := r.Slow.All() + r.Fast.All()
	failed := r.Failed(r.Slow) + r.Failed(r.Fast)
	if tried > 0 {
		in.result("connect", sp, fmt.Sprintf("%d of %d new connections failed", failed, tried), map[string]string{
			"proto": "connect", "direction": timeline.Both, "lost": strconv.Itoa(failed), "total": strconv.Itoa(tried), "loss_ratio": ratioText(failed, tried),
		})
	}
	for _, e := range r.Established {
		if e.Known {
			in.result("connect", sp, "a session that was established before", map[string]string{
				"proto": "tcp", "direction": timeline.Both, "note": "established session", "loss_ratio": map[bool]string{true: "0", false: "1"}[e.Fine()],
			})
		}
	}
	return r.Meaning(), nil
}

func ratioText(n, of int) string { return strconv.FormatFloat(float64(n)/float64(of), 'g', 4, 64) }
