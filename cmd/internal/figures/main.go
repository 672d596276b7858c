// Command figures prints how well recordings are diagnosed: each figure is one name in the list.
//
//	go run ./cmd/internal/figures --quick            all of them, in a small size
//	go run ./cmd/internal/figures --full speed       one, in full
//
// A figure that misses its target says so and makes the exit status 1; one that can't be taken here (no root, a
// part that is missing) says why and counts as neither.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// figure is one thing to measure.
type figure struct {
	name string
	help string
	run  func(ctx context.Context, out io.Writer, full bool) error
}

// figures is the list: a new one is one line here and one file beside this one.
var figures = []figure{
	{"cases", "cases from the world, told as facts by hand, against what they turned out to be", cases},
	{"stories", "simulated faults told without waiting: right cause, right port, false alarms, calibration", stories},
	{"cable", "how often the interval of a link test covers the injected rate, and whether bad frames are counted exactly", cable},
	{"dating", "how far from the truth the events of simulated stories are dated", dating},
	{"live", "stories told over real sockets: the same verdicts as those told without waiting", live},
	{"same", "the reports of one recording, byte by byte, in any time zone and locale", same},
	{"lab", "the faults of the laboratory beside the checkout: right chain, right place, false alarms, outage lengths", lab},
	{"speed", "how long a recording of a day takes to diagnose, and how much memory", speed},
}

// Errors of figures. Any other error means that the figure could not be taken although it should have been.
var (
	errMissed  = errors.New("target missed")
	errNotHere = errors.New("can't be taken here")
)

func main() {
	quick := flag.Bool("quick", false, "a small size, for every change")
	full := flag.Bool("full", false, "the full size")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "figures --quick|--full [NAME...]")
		for _, f := range figures {
			fmt.Fprintf(flag.CommandLine.Output(), "  %-12s %s\n", f.name, f.help)
		}
	}
	flag.Parse()
	if *quick == *full {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Stdout, *full, flag.Args()))
}

// believed holds the findings that figures judged, by the figure: the calibration is asked for over all of them together.
var believed = map[string][]belief{}

// calibration prints how far confidence can be believed over all figures that judged findings, if there are several.
func calibration(out io.Writer) error {
	if len(believed) < 2 {
		return nil
	}
	names := slices.Sorted(maps.Keys(believed))
	var all []belief
	for _, n := range names {
		all = append(all, believed[n]...)
	}
	table, ece := reliability(all)
	fmt.Fprintf(out, "\n== calibration of %s together\n%s", strings.Join(names, " and "), table)
	if ece > calibrationAtMost {
		return fmt.Errorf("%w: calibration error at most %.2f", errMissed, calibrationAtMost)
	}
	return nil
}

// run takes the named figures, or all, and returns the exit status.
func run(ctx context.Context, out io.Writer, full bool, names []string) int {
	for _, n := range names {
		if !slices.ContainsFunc(figures, func(f figure) bool { return f.name == n }) {
			fmt.Fprintf(os.Stderr, "there is no figure %q\n", n)
			return 2
		}
	}
	status := 0
	for _, f := range figures {
		if len(names) > 0 && !slices.Contains(names, f.name) || ctx.Err() != nil {
			continue
		}
		fmt.Fprintf(out, "\n== %s: %s\n", f.name, f.help)
		err := f.run(ctx, out, full)
		switch {
		case err == nil:
			fmt.Fprintln(out, "target met")
		case errors.Is(err, errNotHere):
			fmt.Fprintln(out, err)
		default:
			fmt.Fprintln(out, strings.ToUpper(err.Error()[:1])+err.Error()[1:])
			status = 1
		}
	}
	if err := calibration(out); err != nil {
		fmt.Fprintln(out, err)
		status = 1
	}
	return status
}
