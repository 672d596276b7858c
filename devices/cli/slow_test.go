package cli

import (
	"slices"
	"strings"
	"testing"

	"whydrop/devices/cli/clitest"
)

func TestSlowAsksWhatTheDeviceKnowsAndNothingTwiceInVain(t *testing.T) {
	t.Parallel()
	s := ios(t, func(s *clitest.Server) {
		s.Handler = clitest.Transcript(map[string]string{
			"show processes cpu":        "CPU utilization for five seconds: 15%/3%; one minute: 12%; five minutes: 10%\n",
			"show cdp neighbors detail": "-------------------------\nDevice ID: sw2\nInterface: GigabitEthernet1/0/1,  Port ID (outgoing port): Gi0/1\n",
		})
	})
	col := collector(t)
	d := device(s, nil)
	d.Ports = []string{"Gi1/0/1"}
	for range 2 {
		r, err := NewSlow(col).Collect(within(t, testTime), d)
		if err != nil || r.CPU.Value != 0.15 || len(r.Neighbours) != 1 || r.Neighbours[0].Port != "Gi1/0/1" || r.Span.IsZero() || len(r.Interfaces) != 0 {
			t.Fatalf("reading %+v, %v", r, err)
		}
	}
	col.Close()
	got := s.Commands()
	if n := strings.Count(strings.Join(got, "\n"), "show switch"); n != 1 || !slices.Contains(got, "show processes cpu") {
		t.Errorf("commands %q", got)
	}
	onlyAllowed(t, s)
}

func TestADeviceThatKnowsNoneOfTheSlowCommandsIsNotAnError(t *testing.T) {
	t.Parallel()
	s := ios(t, func(s *clitest.Server) { s.Handler = clitest.Transcript(map[string]string{}) })
	col := collector(t)
	for range 2 {
		if r, err := NewSlow(col).Collect(within(t, testTime), device(s, nil)); err != nil || r.Span.IsZero() || r.Origin.Collector != "ssh:sw1" {
			t.Fatalf("reading %+v, %v", r, err)
		}
	}
}
