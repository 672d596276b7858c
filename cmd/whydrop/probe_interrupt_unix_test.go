//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"whydrop/probe/iperf3"
)

// TestInterruptedProbePrintsWhatItMeasured sends the signal of control-C to the program in the middle of a test.
func TestInterruptedProbePrintsWhatItMeasured(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := iperf3.ServerConfig{Address: "127.0.0.1:0"}
	l, err := cfg.Listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Listener = l
	done := make(chan struct{})
	go func() { defer close(done); _ = iperf3.Serve(ctx, cfg) }()
	defer func() { cancel(); <-done }()

	whydrop, err := exec.LookPath("whydrop") // put there by testscript.Main
	if err != nil {
		t.Fatal(err)
	}
	var out, notes bytes.Buffer
	cmd := exec.Command(whydrop, "probe", "127.0.0.1", "-p", portOf(l.Addr()), "-t", "60", "-i", "0.1", "-b", "10M")
	cmd.Stdout, cmd.Stderr = &out, &notes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(700 * time.Millisecond) // whatever it is doing then, it must end well
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130; it said %s", code, notes.String())
	}
	if !strings.Contains(out.String(), "sender") {
		t.Errorf("no result was printed:\n%s", out.String())
	}
}
