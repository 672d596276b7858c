package host

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
)

// local is what the samples are about.
var local = timeline.Host(timeline.LocalHost)

// origin is where they come from.
var origin = timeline.Origin{Collector: "host:" + timeline.LocalHost}

// run is the state of one Probe. It belongs to its goroutine.
type run struct {
	sys     system
	out     timeline.Sink
	late    time.Duration         // of the latest timer of this second
	lacking map[timeline.Key]bool // a gap has been written, and nothing was read since
	cards   map[int]*card
	noRoute error // of a far end

	was  instant // the last second's end
	cpu  reading[CPU]
	proc reading[[2]time.Duration]
	wait reading[Waits]
	udp  reading[UDPCounters]
	full reading[uint64] // frames that the input queues had no room for
}

// reading is a figure of the last second, if there was one.
type reading[T any] struct {
	value T
	err   error
}

func read[T any](v T, err error) reading[T] { return reading[T]{v, err} }

// readHost reads everything that is not about a card.
func (r *run) readHost() {
	r.cpu = read(r.sys.cpu())
	user, system, err := r.sys.process()
	r.proc = read([2]time.Duration{user, system}, err)
	r.wait = read(r.sys.waits())
	r.udp = read(r.sys.udp())
	r.full = read(r.sys.backlog())
}

// begin takes the first readings, from which the first second is counted.
func (r *run) begin() {
	r.was = r.sys.clocks()
	r.readHost()
}

// second writes the samples of the time since the last call.
func (r *run) second() {
	now, was := r.sys.clocks(), r.was
	r.was = now
	length := now.mono - was.mono
	if length <= 0 {
		return
	}
	to := now.wall.UTC()
	sp := timeline.Span{From: to.Add(-length), To: to}
	r.clock(was, now, sp)
	cpu, proc, wait, udp, full := r.cpu, r.proc, r.wait, r.udp, r.full
	r.readHost()
	r.processors(sp, cpu, r.cpu)
	if err := errors.Join(proc.err, r.proc.err); err != nil {
		r.miss(local, timeline.HostProcessCPU, sp, err)
	} else {
		used := r.proc.value[0] - proc.value[0] + r.proc.value[1] - proc.value[1]
		r.put(local, timeline.HostProcessCPU, sp, used.Seconds()/length.Seconds())
	}
	r.waiting(sp, length, wait)
	r.put(local, timeline.HostSchedGap, sp, r.late.Seconds())
	r.late = 0
	if err := errors.Join(udp.err, r.udp.err); err != nil {
		r.miss(local, timeline.HostUDPDrops, sp, err)
		r.miss(local, timeline.HostUDPErrors, sp, err)
	} else {
		r.rate(local, timeline.HostUDPDrops, sp, udp.value.Full, r.udp.value.Full)
		r.rate(local, timeline.HostUDPErrors, sp, udp.value.Damaged(), r.udp.value.Damaged())
	}
	r.network(sp, full)
}

// waiting writes how long this process waited for a processor.
func (r *run) waiting(sp timeline.Span, length time.Duration, before reading[Waits]) {
	err := errors.Join(before.err, r.wait.err)
	shares := r.wait.value.since(before.value, length)
	if err != nil {
		r.miss(local, timeline.HostCPUWait, sp, err)
	} else {
		r.put(local, timeline.HostCPUWait, sp, shares.Ready)
	}
	if err == nil && !shares.Limited {
		err = errors.New("it is in no control group that tells")
	}
	if err != nil {
		r.miss(local, timeline.HostThrottled, sp, err)
	} else {
		r.put(local, timeline.HostThrottled, sp, shares.Throttled)
	}
}

// processors writes what the cores did.
func (r *run) processors(sp timeline.Span, a, b reading[CPU]) {
	metrics := []timeline.Metric{timeline.HostCPU, timeline.HostCoreBusy, timeline.HostSoftirq, timeline.HostSteal, timeline.HostIOWait}
	err := errors.Join(a.err, b.err)
	all, ok := b.value.All.Since(a.value.All)
	if err == nil && !ok {
		err = errors.New("no tick passed")
	}
	if err != nil {
		for _, m := range metrics {
			r.miss(local, m, sp, err)
		}
		return
	}
	r.put(local, timeline.HostCPU, sp, all.Busy)
	r.put(local, timeline.HostSteal, sp, all.Steal)
	r.put(local, timeline.HostIOWait, sp, all.IOWait)
	if core, ok := b.value.Busiest(a.value); ok {
		r.put(local, timeline.HostCoreBusy, sp, core.Busy)
		r.put(local, timeline.HostSoftirq, sp, core.SoftIRQ)
	}
}

// network writes what the cards and the input queues lost.
func (r *run) network(sp timeline.Span, full reading[uint64]) {
	var lost, dropped, waits float64
	err, queueErr := errors.Join(full.err, r.full.err), error(nil)
	if err == nil {
		lost = float64(r.full.value) - float64(full.value)
	}
	if len(r.cards) == 0 {
		err = r.noRoute
		if err == nil {
			err = errors.New("the way to the far end is not known yet")
		}
		queueErr = err
	}
	queues := read(r.sys.queues())
	for _, c := range r.cards {
		noRoom, e := c.second(r, sp)
		err = errors.Join(err, e)
		lost += noRoom
		d, w, e := c.queueing(r, queues)
		queueErr = errors.Join(queueErr, e)
		dropped, waits = dropped+d, waits+w
	}
	s := sp.Width().Seconds()
	if err != nil {
		r.miss(local, timeline.HostNICDrops, sp, err)
	} else {
		r.put(local, timeline.HostNICDrops, sp, lost/s)
	}
	if queueErr != nil {
		r.miss(local, timeline.HostQueueDrops, sp, queueErr)
		r.miss(local, timeline.HostQueue, sp, queueErr)
		return
	}
	r.put(local, timeline.HostQueueDrops, sp, dropped/s)
	r.put(local, timeline.HostQueue, sp, waits)
}

// clock writes what happened to the clock.
func (r *run) clock(was, now instant, sp timeline.Span) {
	set, slept := step(was, now)
	if slept > 0 {
		r.out.Put(timeline.Event{Subject: local, Type: timeline.EventClockStep, Span: sp, Origin: origin,
			Text:  fmt.Sprintf("this host slept for %s and measured nothing meanwhile", slept.Round(100*time.Millisecond)),
			Attrs: map[string]string{"slept_ms": millis(slept)}})
	}
	if set != 0 {
		way := "forward"
		if set < 0 {
			way = "back"
		}
		r.out.Put(timeline.Event{Subject: local, Type: timeline.EventClockStep, Span: sp, Origin: origin,
			Text:  fmt.Sprintf("the clock of this host was set %s by %s", way, set.Abs().Round(time.Millisecond)),
			Attrs: map[string]string{"step_ms": millis(set)}})
	}
}

func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Round(time.Millisecond).Milliseconds()), 'f', 0, 64)
}

// rate writes the rate at which a counter rose. One that fell was reset.
func (r *run) rate(sub timeline.Subject, m timeline.Metric, sp timeline.Span, a, b uint64) {
	if b < a {
		r.gap(sub, m, sp, timeline.ReasonReset, "the counter fell")
		return
	}
	r.put(sub, m, sp, float64(b-a)/sp.Width().Seconds())
}

func (r *run) put(sub timeline.Subject, m timeline.Metric, sp timeline.Span, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return
	}
	delete(r.lacking, timeline.Key{Subject: sub, Metric: m})
	r.out.Put(timeline.Sample{Subject: sub, Metric: m, Span: sp, Value: v, Origin: origin})
}

// miss writes one gap for a figure that is not to be had, until it is.
func (r *run) miss(sub timeline.Subject, m timeline.Metric, sp timeline.Span, err error) {
	k := timeline.Key{Subject: sub, Metric: m}
	if r.lacking[k] {
		return
	}
	r.lacking[k] = true
	r.gap(sub, m, sp, timeline.ReasonUnsupported, err.Error())
}

func (r *run) gap(sub timeline.Subject, m timeline.Metric, sp timeline.Span, why timeline.Reason, text string) {
	r.out.Put(timeline.Gap{Subject: sub, Metric: m, Span: sp, Reason: why, Text: text, Origin: origin})
}
