//go:build linux

package pathtest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Capture records when packets come "in" at a host, "a" or "b", or go "out", until the returned function is called, which
// returns the moments. filter is tcpdump's.
func (l *Line) Capture(host, inOut, filter string) func() []time.Time {
	l.t.Helper()
	need(l.t, "tcpdump")
	link := map[string]string{"a": "right", "b": "left"}[host]
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "ip", "netns", "exec", l.NS(host), "tcpdump", "-i", link, "-Q", inOut, "-n", "-tt", "-l", "--immediate-mode", filter)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	// It listens as soon as it says so.
	for lines := bufio.NewScanner(said); lines.Scan() && !strings.HasPrefix(lines.Text(), "listening on"); {
	}
	var arrivals []time.Time
	var wg sync.WaitGroup
	wg.Go(func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if at, ok := moment(lines.Text()); ok {
				arrivals = append(arrivals, at)
			}
		}
	})
	return func() []time.Time {
		cancel()
		wg.Wait()
		_ = cmd.Wait()
		return arrivals
	}
}

// moment reads the time at the beginning of a line of tcpdump -tt.
func moment(line string) (time.Time, bool) {
	var sec, micro int64
	if _, err := fmt.Sscanf(line, "%d.%06d", &sec, &micro); err != nil {
		return time.Time{}, false
	}
	return time.Unix(sec, micro*1000), true
}

// Gap is a stretch between two arrivals.
type Gap struct{ From, To time.Time }

// Unsent returns how much of a gap in what arrived is because nothing was sent: the sum of the distances between
// sends, beyond the usual beat, that are longer than the host's timers explain and touch the gap.
func (g Gap) Unsent(sends []time.Time, beat time.Duration) time.Duration {
	var sum time.Duration
	for _, s := range Gaps(sends, 2*beat) {
		if s.To.Add(beat).After(g.From) && s.From.Add(-beat).Before(g.To) {
			sum += s.To.Sub(s.From) - beat
		}
	}
	return sum
}

// Gaps returns the gaps between arrivals that are at least d long, in order.
func Gaps(arrivals []time.Time, d time.Duration) []Gap {
	var out []Gap
	for i := 1; i < len(arrivals); i++ {
		if arrivals[i].Sub(arrivals[i-1]) >= d {
			out = append(out, Gap{arrivals[i-1], arrivals[i]})
		}
	}
	return out
}
