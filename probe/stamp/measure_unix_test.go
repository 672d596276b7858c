//go:build unix

package stamp

import (
	"os"
	"syscall"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// What a heartbeat costs, sender and reflector together in one process, and whether a path without faults stays
// without outages. WHYDROP_MEASURE gives the length of each run, such as 60s; put load on the machine meanwhile.
func TestCostAndFalseOutages(t *testing.T) {
	d, err := time.ParseDuration(os.Getenv("WHYDROP_MEASURE"))
	if err != nil {
		t.Skip("WHYDROP_MEASURE gives no duration")
	}
	for _, hb := range []time.Duration{5 * ms, 20 * ms} {
		t.Run(hb.String(), func(t *testing.T) {
			at := serve(t, new(Reflector), listen(t, ":0"))
			before := cpu()
			h := beat(t, Sender{To: at.Addr().String(), Port: at.Port(), Heartbeat: hb})
			time.Sleep(d)
			s := h.Stop()
			cost := cpu() - before
			var host time.Duration
			gaps := s.GapsOf(path, timeline.LossForward)
			for _, g := range gaps {
				host += g.Span.Width()
			}
			t.Logf("%.2f %% of a core; %d gaps of the host's, %s in all", 100*cost.Seconds()/d.Seconds(), len(gaps), host.Round(ms))
			for _, e := range s.EventsOf(path, timeline.EventOutage) {
				t.Errorf("false outage: %s %v", e.Text, e.Attrs)
			}
			for _, m := range []timeline.Metric{timeline.LossForward, timeline.LossReverse, timeline.LossRoundTrip} {
				for _, x := range s.Series(path, m) {
					if x.Value > 0 {
						t.Errorf("%s is %v at %s", m, x.Value, x.Span.From)
					}
				}
			}
		})
	}
}

// cpu is the CPU time of this process so far.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
