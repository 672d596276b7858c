package app

import (
	"strings"
	"testing"
	"time"

	"whydrop/probe/iperf3"
)

// The far end's port takes no connection, so that an experiment that began would fail otherwise.
func TestAnInvestigationBeginsNothingThatItsBudgetDoesNotAllow(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rate  float64
		bytes uint64
		says  string
	}{
		{"a rate without a bound", 0, 1 << 30, "as much as the path takes"},
		{"more than is allowed", 1e8, 1 << 10, "direction may send"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := InvestigateOptions{Time: time.Minute, Bytes: tt.bytes, Probe: ProbeOptions{Test: iperf3.Test{Address: "127.0.0.1:1", Rate: tt.rate}}}
			_, err := Investigate(t.Context(), opt)
			if CodeOf(err) != ExitUsage || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, exit code %d, want usage and %q", err, CodeOf(err), tt.says)
			}
		})
	}
}
