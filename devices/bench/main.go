// Command bench prints the figures of asking devices, as ratios of runs that take turns in the same minute on the same
// host, and says which goals were met.
//
//	go run ./devices/bench --quick          # every figure, some seconds each
//	go run ./devices/bench snmp --full      # one figure, some minutes
//
// What the devices do runs in a process of its own, so that the processor time of the asking side is told apart. Tools
// to compare with that are not installed are named as absent. It exits with 1 only if it could not measure.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// figures are printed in this order; each name may be given on the command line. A new one is one file and one line.
var figures = []figure{
	{"snmp", "SNMP: processor time beside net-snmp and an exporter, and fleets at 1 Hz", snmpFigure},
}

// figure is one measurement.
type figure struct {
	name, title string
	run         func(ctx context.Context, full bool) error
}

// parts are what this program does as a child of itself, by its first argument.
var parts = map[string]func(args []string) error{
	"agents": serveAgents,
}

func main() {
	var err error
	if len(os.Args) > 1 && parts[os.Args[1]] != nil {
		err = parts[os.Args[1]](os.Args[2:])
	} else {
		err = run(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var quick, full bool
	var names []string
	for _, a := range args {
		switch {
		case a == "--quick" || a == "-quick":
			quick = true
		case a == "--full" || a == "-full":
			full = true
		case slices.ContainsFunc(figures, func(f figure) bool { return f.name == a }):
			names = append(names, a)
		default:
			return fmt.Errorf("%q is neither --quick, --full nor one of %s", a, known())
		}
	}
	if quick == full {
		return errors.New("choose --quick or --full, and figures of " + known())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Printf("%s, %s/%s, %d processors\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, f := range figures {
		if len(names) > 0 && !slices.Contains(names, f.name) {
			continue
		}
		fmt.Printf("\n%s\n", f.title)
		if err := f.run(ctx, full); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

func known() string {
	var out []string
	for _, f := range figures {
		out = append(out, f.name)
	}
	return strings.Join(out, ", ")
}
