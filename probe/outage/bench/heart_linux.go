package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/stamp"
)

const port = 8625 // of reflectors

var path = timeline.Path("bench")

// runEnd is what this program does when it started itself: "reflector ADDRESS" or "busy SECONDS".
func runEnd(args []string) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case args[0] == "reflector" && len(args) == 2:
		conn, err := stamp.Listen(ctx, args[1])
		if err == nil {
			err = new(stamp.Reflector).Serve(ctx, conn)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench: reflector:", err)
			os.Exit(1)
		}
	case args[0] == "busy" && len(args) == 2:
		s, _ := strconv.ParseFloat(args[1], 64)
		for end := time.Now().Add(time.Duration(s * float64(time.Second))); time.Now().Before(end) && ctx.Err() == nil; {
			for range 1_000_000 {
			}
		}
	}
}

// reflector starts a reflector at b, as a process of its own, and returns what ends it.
func (l *link) reflector() (func(), error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("ip", "netns", "exec", l.b, self, "end", "reflector", net.JoinHostPort(l.addrB, strconv.Itoa(port)))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop := func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}
	for range 50 {
		_ = in(l.a, func() { err = stamp.Check(context.Background(), l.addrB, port) })
		if err == nil {
			return stop, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	return nil, err
}

// beats keeps up a heartbeat from a to b until ctx ends and returns what it wrote.
func (l *link) beats(ctx context.Context) (timeline.Snapshot, error) {
	var store timeline.Store
	var err error
	nsErr := in(l.a, func() {
		err = (&stamp.Sender{Name: path.Name, To: l.addrB, Port: port, Heartbeat: heartbeat}).Probe(ctx, &store)
	})
	if nsErr != nil {
		err = nsErr
	}
	return store.Snapshot(), err
}

// hostGaps are the stretches in which a host did not send or answer, as the heartbeat tells them.
func hostGaps(s timeline.Snapshot) (out []stretch) {
	for _, g := range s.GapsOf(path, timeline.RTT) {
		if g.Reason == timeline.ReasonHost {
			out = append(out, stretch{g.Span.From, g.Span.To})
		}
	}
	return out
}
