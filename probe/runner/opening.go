package runner

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/host"
)

// opening tells of a path on which nothing ever came back, by any means: it is dark since the start, and there is no
// answer from which a heartbeat could date that. Create it with the first start of the heartbeat.
type opening struct {
	path  timeline.Subject
	check func(context.Context) string // what this host knows of the way there; nil: nothing

	mu    sync.Mutex
	began time.Time
	dark  bool      // every means was tried, and none was answered
	came  bool      // something came back
	since time.Time // when the means that runs was started
}

// firstSteps says what this host knows of the way, if it can be asked.
func (o *opening) firstSteps(ctx context.Context) string {
	if o.check == nil {
		return ""
	}
	return o.check(ctx)
}

// watch hands records on and takes note of the first answer. A darkness that it ends is written before it.
func (o *opening) watch(out timeline.Sink) timeline.Sink {
	return timeline.SinkFunc(func(r timeline.Record) {
		if e, ok := r.(timeline.Event); ok && e.Type == timeline.EventProbeStart {
			o.mu.Lock()
			o.since = e.Span.From
			o.mu.Unlock()
		}
		if s, ok := r.(timeline.Sample); ok && s.Metric == timeline.RTT {
			o.mu.Lock()
			was, since := o.dark && !o.came, o.since
			o.came = true
			o.mu.Unlock()
			if was {
				o.tell(out, s.Span.From, since, "", false)
			}
		}
		out.Put(r)
	})
}

// unanswered says that every means was tried and none was answered. It is told once while it lasts.
func (o *opening) unanswered(ctx context.Context, out timeline.Sink) {
	o.mu.Lock()
	first := !o.dark && !o.came
	o.dark = true
	o.mu.Unlock()
	if first {
		o.tell(out, time.Now(), time.Time{}, o.firstSteps(ctx), true)
	}
}

// end writes the darkness that goes on when the heartbeat ends.
func (o *opening) end(out timeline.Sink) {
	o.mu.Lock()
	still := o.dark && !o.came
	o.mu.Unlock()
	if still {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second) // the run's own has ended
		defer cancel()
		o.tell(out, time.Now(), time.Time{}, o.firstSteps(ctx), true)
	}
}

// tell writes the darkness until a moment. Where the first answer came by a means that had just been started, the path
// may have been back since that means was last tried.
func (o *opening) tell(out timeline.Sink, to, started time.Time, check string, open bool) {
	wrong := 100 * time.Millisecond // the span of a sample
	if to.Sub(started) < time.Second {
		wrong = returnTime
	}
	sp := timeline.Span{From: o.began.Round(0).UTC(), To: to.Round(0).UTC()}
	text := "dark since the start: nothing came back until then, by any means"
	attrs := map[string]string{"direction": timeline.Both, "seen_by": timeline.SeenByHeartbeat, "error_ms": strconv.FormatInt(wrong.Milliseconds(), 10), "since": "start"}
	if open {
		text = fmt.Sprintf("dark since the start: in %s nothing ever came back, by any means", to.Sub(o.began).Round(time.Second))
		attrs["open"] = "true"
	}
	if check != "" {
		text += "; " + check
		attrs["check"] = check
	}
	out.Put(timeline.Event{Subject: o.path, Type: timeline.EventOutage, Span: sp, Text: text, Attrs: attrs, Origin: timeline.Origin{Collector: "heartbeat:" + o.path.Name}})
}

// checkTo says what this host knows of the way to an address or a name.
func checkTo(to string) func(context.Context) string {
	return func(ctx context.Context) string {
		a, err := netip.ParseAddr(to)
		if err != nil {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			as, err := net.DefaultResolver.LookupNetIP(ctx, "ip", to)
			if err != nil {
				return "this host can't find the address of " + to
			}
			a = as[0]
		}
		return host.FirstSteps(ctx, a.Unmap())
	}
}
