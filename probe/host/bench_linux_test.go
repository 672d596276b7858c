package host

import (
	"context"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// BenchmarkSampling runs a sampler beside the bare timer it needs and reports both as shares of a core: on a busy
// virtual machine a timer of 20 ms alone takes up to 0.6 % of one.
func BenchmarkSampling(b *testing.B) {
	const length = time.Second
	use := func(f func()) float64 {
		user, system, _ := processTime()
		f()
		user2, system2, _ := processTime()
		return (user2 + system2 - user - system).Seconds() / length.Seconds()
	}
	var bare, sampling float64
	for b.Loop() {
		bare += use(func() {
			for range length / tick {
				time.Sleep(tick)
			}
		})
		sampling += use(func() {
			ctx, cancel := context.WithTimeout(b.Context(), length)
			defer cancel()
			sink := timeline.SinkFunc(func(timeline.Record) {})
			if err := (&Sampler{Name: "a-b", To: []string{"127.0.0.1"}}).Probe(ctx, sink); err != nil {
				b.Error(err)
			}
		})
	}
	b.ReportMetric(100*bare/float64(b.N), "%core-timer")
	b.ReportMetric(100*sampling/float64(b.N), "%core-sampling")
}
