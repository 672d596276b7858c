package app

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

func TestPortsThatAreNotThereAreToldWithTheReason(t *testing.T) {
	at := time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)
	sp := timeline.Span{From: at, To: at.Add(time.Second)}
	here, gone, dark := timeline.Port("sw1", "Gi1"), timeline.Port("sw1", "Gi9"), timeline.Port("sw2", "Gi1")
	s := timeline.NewSnapshot(
		timeline.Sample{Subject: timeline.Device("sw1"), Metric: timeline.Reachable, Span: sp, Value: 1},
		timeline.Sample{Subject: here, Metric: timeline.InFCS, Span: sp},
		timeline.Gap{Subject: here, Span: sp, Reason: timeline.ReasonPartial, Text: "cut short"},
		timeline.Gap{Subject: gone, Span: sp, Reason: timeline.ReasonPartial, Text: `port "Gi9" not found; the device has "Gi1"`},
		timeline.Gap{Subject: dark, Span: sp, Reason: timeline.ReasonTimeout, Text: "no answer"},
		timeline.Event{Subject: timeline.Device("sw1"), Type: timeline.EventSlow, Span: sp, Text: "it is asked every 4s now"},
		timeline.Event{Subject: timeline.Device("sw1"), Type: timeline.EventSlow, Span: sp.Widen(0, time.Second), Text: "it is asked every 8s now"},
	)
	if got, want := unreadPorts(s, []timeline.Subject{here, gone, dark}), []string{`sw1 Gi9 could not be read: port "Gi9" not found; the device has "Gi1"`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := slowed(s, []string{"sw1", "sw2"}), []string{"sw1 was backed off from: it is asked every 8s now"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnswersThatThisHostLostAreTold(t *testing.T) {
	at := time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)
	gap := func(after, width time.Duration, m timeline.Metric, path string) timeline.Gap {
		return timeline.Gap{Subject: timeline.Path(path), Metric: m, Span: timeline.Span{From: at.Add(after), To: at.Add(after + width)}, Reason: timeline.ReasonHost, Text: "no room for 3 answers"}
	}
	s := timeline.NewSnapshot(
		gap(0, 120*time.Millisecond, timeline.RTT, "p"), gap(0, 120*time.Millisecond, timeline.LossForward, "p"),
		gap(9*time.Second, 130*time.Millisecond, timeline.RTT, "p"), gap(0, time.Second, timeline.LossForward, "q"),
	)
	want := []string{"path p: its heartbeats say nothing for 250 ms in all, between 14:00:00.000 and 14:00:09.130 UTC: no room for 3 answers"}
	if got := unmeasured(s, []string{"p", "q"}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDeviceWithoutAPortIsToldAsUnread(t *testing.T) {
	at := time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)
	sp := timeline.Span{From: at, To: at.Add(time.Second)}
	reached := func(d string, v float64) timeline.Sample {
		return timeline.Sample{Subject: timeline.Device(d), Metric: timeline.Reachable, Span: sp, Value: v}
	}
	s := timeline.NewSnapshot(reached("open", 1), reached("named", 1), reached("off", 1), reached("server", 1), reached("dark", 0))
	topology := correlate.Topology{Devices: []correlate.Device{
		{Name: "open", Role: "switch"}, {Name: "named", Role: "switch", Ports: []string{"Gi1"}}, {Name: "off", Role: "switch", OffPath: []string{"Gi1"}},
		{Name: "server", Role: "host"}, {Name: "dark", Role: "switch"}, {Name: "never", Role: "switch"},
	}}
	want := []string{"no port of open was read: none was found on a path, and the site file names none"}
	if got := portless(s, topology); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRecordingThatWasNeverClosedSaysSo(t *testing.T) {
	for name, want := range map[string]bool{"killed": true, "closed": false} {
		r, err := OpenRecording(filepath.Join("..", "..", "..", "testdata", "sessions", "v1", name+".session"))
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(r.Document().Warnings, func(w string) bool { return strings.HasPrefix(w, "the recording has no end") })
		if told != want {
			t.Errorf("%s: told %v, want %v", name, told, want)
		}
	}
}
