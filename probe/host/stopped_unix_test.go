//go:build unix

package host

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

const stoppedChild = "WHYDROP_HOST_TEST_STOPPED"

// TestAStoppedProgramKnowsForHowLong stops a sampler in a process of its own and lets it go on.
func TestAStoppedProgramKnowsForHowLong(t *testing.T) {
	if os.Getenv(stoppedChild) != "" {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		fmt.Println("begun")
		_ = (&Sampler{Name: "a-b", To: []string{"127.0.0.1"}}).Probe(ctx, timeline.SinkFunc(func(r timeline.Record) {
			if s, ok := r.(timeline.Sample); ok && s.Metric == timeline.HostSchedGap {
				fmt.Printf("gap %.3f\n", s.Value)
			}
		}))
		return
	}
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), stoppedChild+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const stopped = 400 * time.Millisecond
	longest := 0.0
	for in := bufio.NewScanner(out); in.Scan(); {
		if in.Text() == "begun" {
			time.Sleep(300 * time.Millisecond)
			_ = cmd.Process.Signal(syscall.SIGSTOP)
			time.Sleep(stopped)
			_ = cmd.Process.Signal(syscall.SIGCONT)
		}
		var v float64
		if text, ok := strings.CutPrefix(in.Text(), "gap "); ok {
			if _, err := fmt.Sscan(text, &v); err != nil {
				t.Error(err)
			}
			longest = max(longest, v)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("stopped for %v, told of %.3f s", stopped, longest)
	if longest < (stopped-tick-5*time.Millisecond).Seconds() || longest > 2 {
		t.Errorf("stopped for %v, but the longest gap is %.3f s", stopped, longest)
	}
}
