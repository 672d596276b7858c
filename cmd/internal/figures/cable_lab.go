package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"whydrop/cmd/internal/app"
	"whydrop/correlate/timeline"
)

// cableVariable makes the command test the links of the site file that it names and print what the receiver of
// cableReceiver counted, and nothing else. It is how a test runs inside the laboratory's network.
const cableVariable = "WHYDROP_FIGURES_CABLE"

// cableReceiver is the port at which the damaged frames of L2 arrive.
var cableReceiver = timeline.Port("swA", "GigabitEthernet1/0/1")

// The laboratory's figures: the share of frames to damage, and for how long.
var cableFaults = []struct {
	rate string
	time time.Duration
}{{"0.001", 40 * time.Second}, {"0.0001", 60 * time.Second}, {"0.00001", 100 * time.Second}}

// beforeFault and afterFault are how long a test watches around the fault, so that the counters are read before it and
// refreshed after it.
const (
	beforeFault = 10 * time.Second
	afterFault  = 12 * time.Second
)

const cableSite = `site: laboratory
devices:
  - {name: acc, address: 10.99.0.11, platform: cisco_iosxe, snmp: {version: 2c, community: "env:WHYDROP_LAB_COMMUNITY"}, ports: [GigabitEthernet1/0/24]}
  - {name: swA, address: 10.99.0.12, platform: cisco_iosxe, snmp: {version: 2c, community: "env:WHYDROP_LAB_COMMUNITY"}, ports: [GigabitEthernet1/0/1]}
paths:
  - {name: lab, hops: [acc, swA], probe: {to: 10.10.0.20}}
`

// counted is what the inner command prints.
type counted struct {
	Both              bool // both ends of the link were found
	Bad, Frames, Bits float64
	Low, High         float64 // of the share of bad frames
	Verdict           string
	Problems          []string
}

func init() {
	path := os.Getenv(cableVariable)
	if path == "" {
		return
	}
	length, err := time.ParseDuration(os.Getenv(cableVariable + "_FOR"))
	runs, rerr := strconv.Atoi(os.Getenv(cableVariable + "_RUNS"))
	rate, ferr := strconv.ParseFloat(os.Getenv(cableVariable+"_TRAFFIC"), 64)
	err = errors.Join(err, rerr, ferr)
	for n := 0; n < runs && err == nil; n++ {
		var plan app.Plan
		var c app.Cabling
		if plan, err = app.LoadSite(path, &app.Secrets{}); err == nil {
			c, err = app.Cable(context.Background(), plan, app.CableOptions{
				Ports: []string{"acc:GigabitEthernet1/0/24=swA:GigabitEthernet1/0/1"}, For: length, Whole: true, Traffic: rate, Ask: func(string) bool { return true },
			})
		}
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(countedOf(c))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func countedOf(c app.Cabling) counted {
	out := counted{Problems: c.Problems}
	for _, l := range c.Links {
		for _, w := range l.Ways {
			if l.Link.End(w.To) == cableReceiver {
				_, low, high := w.FrameRatio()
				out.Both, out.Bad, out.Frames, out.Bits, out.Low, out.High, out.Verdict = l.Link.Both(), w.Bad, w.Frames, w.Bits, low, high, string(w.Verdict)
			}
		}
	}
	return out
}

// cableLab damages frames on the laboratory's link L2 and compares what we count with what the injector says.
func cableLab(ctx context.Context, out io.Writer) error {
	l, err := openLaboratory(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	lab := l.script
	missed := false
	fmt.Fprintf(out, "\n%-10s  %9s  %12s  %12s  %-23s  %-9s  %s\n", "per frame", "frames", "we counted", "injector", "95 % interval", "verdict", "both ends found")
	for _, f := range cableFaults {
		got, want, err := oneFault(ctx, lab, f.rate, f.time)
		if err != nil {
			return err
		}
		missed = missed || got.Bad != float64(want) || !got.Both
		fmt.Fprintf(out, "%-10s  %9.0f  %12.0f  %12d  %.2e … %.2e      %-9s  %v %v\n", f.rate, got.Frames, got.Bad, want, got.Low, got.High, got.Verdict, got.Both, got.Problems)
	}
	covered, err := labCovers(ctx, lab)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nat %g per frame the interval covers the injected rate in %d of %d tests of %s each\n", coverRate, covered, cableRuns, coverTime)
	if missed || covered < cableCovered {
		return errMissed
	}
	return nil
}

// The laboratory's tests of the interval: many short ones while frames are damaged all the time.
const (
	coverRate   = 1e-3
	coverTime   = 4 * time.Second
	coverFrames = 5000 // that a test must have seen at least, of some 16000
)

// labCovers returns in how many of cableRuns tests the interval covers the injected rate. The traffic is another
// program's, so that it is the same before, in and after a test.
func labCovers(ctx context.Context, lab string) (covered int, err error) {
	dir, err := os.MkdirTemp("", "whydrop-cable-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancel(ctx)
	sent := make(chan struct{})
	go func() { defer close(sent); labTraffic(ctx, lab) }()
	defer func() { stop(); <-sent }()
	if text, err := exec.CommandContext(ctx, lab, "fault", "crc", "link=L2", "dir=ab", fmt.Sprintf("rate=%g", coverRate), "for=3600", "--bg").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("laboratory: %w: %s", err, text)
	}
	defer exec.Command(lab, "fault", "clear").Run()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(settleTraffic):
	}
	test, err := linkTest(ctx, dir, coverTime, cableRuns, 0)
	if err != nil {
		return 0, err
	}
	answer, err := test.Output()
	if err != nil {
		return 0, fmt.Errorf("link tests: %w", err)
	}
	in := json.NewDecoder(bytes.NewReader(answer))
	for in.More() {
		var got counted
		if err := in.Decode(&got); err != nil {
			return 0, err
		}
		if got.Frames < coverFrames {
			return 0, fmt.Errorf("a test saw %.0f frames: the laboratory's traffic does not flow, so the interval says nothing", got.Frames)
		}
		if got.Low <= coverRate && coverRate <= got.High {
			covered++
		}
	}
	return covered, nil
}

// labTraffic sends through the laboratory until ctx ends. The far end may still be busy with the test before.
func labTraffic(ctx context.Context, lab string) {
	for ctx.Err() == nil {
		c := exec.CommandContext(ctx, lab, "exec", "hostA", "iperf3", "-c", "10.10.0.20", "-u", "-b", "60M", "-l", "1400", "-t", "3600")
		c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
		c.WaitDelay = 5 * time.Second
		_ = c.Run() // it ends when it is interrupted or refused; the tests see whether traffic flows
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// settleTraffic is how long traffic flows before the first test.
const settleTraffic = 5 * time.Second

// linkTest prepares tests of the link, one after the other, inside the laboratory's network.
func linkTest(ctx context.Context, dir string, length time.Duration, runs int, traffic float64) (*exec.Cmd, error) {
	site := filepath.Join(dir, "site.yaml")
	if err := os.WriteFile(site, []byte(cableSite), 0o600); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	test := exec.CommandContext(ctx, "ip", "netns", "exec", "lab-hostA", self)
	test.Env = append(os.Environ(), cableVariable+"="+site, cableVariable+"_FOR="+length.String(), cableVariable+"_RUNS="+strconv.Itoa(runs),
		cableVariable+"_TRAFFIC="+strconv.FormatFloat(traffic, 'g', -1, 64), "WHYDROP_LAB_COMMUNITY=public")
	test.Stderr = os.Stderr
	return test, nil
}

// oneFault tests the link while the injector works, and returns what both counted.
func oneFault(ctx context.Context, lab, rate string, length time.Duration) (got counted, want int, err error) {
	dir, err := os.MkdirTemp("", "whydrop-cable-")
	if err != nil {
		return got, 0, err
	}
	defer os.RemoveAll(dir)
	test, err := linkTest(ctx, dir, beforeFault+length+afterFault, 1, 100e6)
	if err != nil {
		return got, 0, err
	}
	var answer []byte
	failed := make(chan error, 1)
	go func() {
		var err error
		answer, err = test.Output()
		failed <- err
	}()
	var ferr error
	select {
	case err := <-failed:
		return got, 0, fmt.Errorf("link test ended early: %w", err)
	case <-time.After(beforeFault):
		var text []byte
		if text, ferr = exec.CommandContext(ctx, lab, "fault", "crc", "link=L2", "dir=ab", "rate="+rate, "for="+fmt.Sprint(int(length.Seconds()))).CombinedOutput(); ferr != nil {
			ferr = fmt.Errorf("laboratory: %w: %s", ferr, text)
		}
	}
	if err := <-failed; err != nil || ferr != nil {
		return got, 0, fmt.Errorf("link test: %w", errors.Join(ferr, err))
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return got, 0, err
	}
	want, err = injected()
	return got, want, err
}

// injected reads from the laboratory's truth how many frames the last fault damaged.
func injected() (int, error) {
	t, err := lastTruth()
	if err != nil {
		return 0, err
	}
	if t.Fault == "crc" {
		for _, e := range t.Events {
			if e.What == "real kernel rx errors" {
				return e.Packets, nil
			}
		}
	}
	return 0, fmt.Errorf("the laboratory's truth tells no count of damaged frames")
}
