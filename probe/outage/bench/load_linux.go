package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"whydrop/correlate/timeline"
)

// busy is how many programs make a host short of processor time.
func busy() int { return 4 * runtime.NumCPU() }

// makeBusy starts them for a time and returns what ends them sooner.
func makeBusy(ctx context.Context, length time.Duration) (idle func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var started []*exec.Cmd
	idle = func() {
		for _, cmd := range started {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	for range busy() {
		cmd := exec.CommandContext(ctx, self, "end", "busy", fmt.Sprint(length.Seconds()))
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		if err := cmd.Start(); err != nil {
			idle()
			return nil, err
		}
		started = append(started, cmd)
	}
	return idle, nil
}

// load is the figure of a healthy path on a host that is short of processor time.
func load(ctx context.Context, full bool) error {
	length := 20 * time.Second
	if full {
		length = 10 * time.Minute
	}
	l, err := newLink(9)
	if err != nil {
		return err
	}
	defer l.close()
	stop, err := l.reflector()
	if err != nil {
		return err
	}
	defer stop()
	idle, err := makeBusy(ctx, length)
	if err != nil {
		return err
	}
	defer idle()
	beating, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	s, err := l.beats(beating)
	if err == nil {
		err = ctx.Err() // a shorter time proves less
	}
	if err != nil {
		return err
	}
	gaps := hostGaps(s)
	var sum, longest time.Duration
	for _, g := range gaps {
		sum, longest = sum+g.width(), max(longest, g.width())
	}
	claims := s.EventsOf(path, timeline.EventOutage)
	fmt.Printf("A path without faults for %s, heartbeat every %s, %d busy programs on %d cores\n", length, heartbeat, busy(), runtime.NumCPU())
	fmt.Printf("  gaps of the hosts' own, told as such: %d, %s in all, the longest %s\n", len(gaps), sum.Round(time.Millisecond), ms(longest))
	goal(len(claims) == 0, "no false outage: %d", len(claims))
	for _, e := range claims {
		fmt.Printf("    %s %s %v\n", e.Span.From.Format("15:04:05.000"), e.Text, e.Attrs)
	}
	return nil
}
