// Command bench holds the heartbeat's outages and jitter against the truth and against stock iperf3.
//
//	go run ./probe/outage/bench --quick [NAME...]    # under a minute
//	go run ./probe/outage/bench --full  [NAME...]    # about twenty
//
// NAME is one of
//
//   - outages: by an nftables drop (truth: the rule's own times) and by taking a link down (truth: a capture at the
//     receiver), heartbeat every 5 ms, stock iperf3 -i 0.1 beside it on the same links;
//   - load: a path without faults on a host with four busy programs for each core: no outage may be claimed, and what
//     the host did not do is told as the host's;
//   - jitter: the noise floor in turns with iperf3 -u, and 2 ms of jitter made by a relay.
//
// It needs root, ip, nft and iperf3, and works in network namespaces of its own whose names begin with wdob-. It says
// which goals were met, and exits with 1 only if it could not measure.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// figures are what can be measured, in the order in which it is.
var figures = []struct {
	name string
	run  func(ctx context.Context, full bool) error
}{
	{"outages", outages},
	{"load", load},
	{"jitter", jitter},
}

// heartbeat is the time between heartbeats in every figure.
const heartbeat = 5 * time.Millisecond

func main() {
	if len(os.Args) > 2 && os.Args[1] == "end" {
		runEnd(os.Args[2:])
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	quick, full := flag.Bool("quick", false, "under a minute"), flag.Bool("full", false, "about twenty minutes")
	flag.Parse()
	if *quick == *full {
		return fmt.Errorf("choose --quick or --full")
	}
	var names []string
	for _, f := range figures {
		names = append(names, f.name)
	}
	for _, n := range flag.Args() {
		if !slices.Contains(names, n) {
			return fmt.Errorf("no figure %q; there are %s", n, strings.Join(names, ", "))
		}
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("network namespaces need root")
	}
	for _, p := range []string{"ip", "nft", "iperf3"} {
		if _, err := exec.LookPath(p); err != nil {
			return fmt.Errorf("%s is missing: %w", p, err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, f := range figures {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), f.name) {
			continue
		}
		began := time.Now()
		if err := f.run(ctx, *full); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Printf("(%s took %s)\n\n", f.name, time.Since(began).Round(time.Second))
	}
	return nil
}

// goal prints whether something is as it should be.
func goal(met bool, format string, args ...any) {
	word := "MISSED"
	if met {
		word = "met   "
	}
	fmt.Printf("  goal %s  %s\n", word, fmt.Sprintf(format, args...))
}
