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
	self, err := os.Executable()
	if err != nil {
		return err
	}
	busy := 4 * runtime.NumCPU()
	for range busy {
		cmd := exec.CommandContext(ctx, self, "end", "busy", fmt.Sprint(length.Seconds()))
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		if err := cmd.Start(); err != nil {
			return err
		}
		defer func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}()
	}
	beating, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	s, err := l.beats(beating)
	if err != nil {
		return err
	}
	gaps := hostGaps(s)
	var sum, longest time.Duration
	for _, g := range gaps {
		sum, longest = sum+g.width(), max(longest, g.width())
	}
	claims := s.EventsOf(path, timeline.EventOutage)
	fmt.Printf("A path without faults for %s, heartbeat every %s, %d busy programs on %d cores\n", length, heartbeat, busy, runtime.NumCPU())
	fmt.Printf("  gaps of the hosts' own, told as such: %d, %s in all, the longest %s\n", len(gaps), sum.Round(time.Millisecond), ms(longest))
	goal(len(claims) == 0, "no false outage: %d", len(claims))
	for _, e := range claims {
		fmt.Printf("    %s %s %v\n", e.Span.From.Format("15:04:05.000"), e.Text, e.Attrs)
	}
	return nil
}
