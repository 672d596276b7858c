package main

import (
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"whydrop/probe/iperf3"
	"whydrop/probe/peertest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"whydrop": main})
}

// TestScripts runs the command lines of testdata/script. Each script has a far end of its own: $FAR and $FARPORT
// are ours, without a token; $STOCKPORT is a stock iperf3, if [exec:iperf3].
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			ctx, cancel := context.WithCancel(context.Background())
			e.Defer(cancel)
			cfg := iperf3.ServerConfig{Address: "127.0.0.1:0"}
			l, err := cfg.Listen(ctx)
			if err != nil {
				return err
			}
			cfg.Listener = l
			done := make(chan struct{})
			go func() { defer close(done); _ = iperf3.Serve(ctx, cfg) }()
			e.Defer(func() { cancel(); <-done })
			e.Setenv("FARPORT", portOf(l.Addr()))
			e.Setenv("STOCKPORT", strconv.Itoa(int(peertest.Port(t, "127.0.0.1"))))
			e.Setenv("SERVEPORT", strconv.Itoa(int(peertest.Port(t, "127.0.0.1"))))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"listening": listening, "code": code, "expand": expand},
	})
}

// expand replaces $NAME in files of the script by the environment's values.
func expand(ts *testscript.TestScript, _ bool, files []string) {
	for _, f := range files {
		text := os.Expand(ts.ReadFile(f), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(f), []byte(text), 0o600))
	}
}
