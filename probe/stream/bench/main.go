// Command bench compares the traffic engine and the program with stock iperf3, side by side on this host.
//
//	go run ./probe/stream/bench --quick    # under 90 s, without the time to build
//	go run ./probe/stream/bench --full     # about ten
//
// As root on Linux it runs on the loopback and across a veth pair of two network namespaces of its own; otherwise on
// the host's loopback. Contests take turns, in reverse order every other round, so that what else the host does hits
// all alike: what counts are the ratios of runs of the same round, of which median and range are printed. Congestion
// control is cubic at both ends. Processor time is that of both ends' processes (wait4). "own" is the engine with no
// protocol above it; "whydrop" is the program itself, built for the occasion.
//
// It says beside each median what the goal is and whether it was met. It exits with 1 only if something is broken: a
// contest could not be measured, or is so far below its goal that no busy host explains it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

var (
	self, program string   // what is started: this program, and whydrop ("": not built)
	programUDP    bool     // whydrop probe has -u
	programCubic  []string // how whydrop probe is told its congestion control
)

func main() {
	var err error
	if self, err = os.Executable(); err == nil {
		if len(os.Args) > 1 && os.Args[1] == "end" {
			err = runEnd(os.Args[2:])
		} else {
			err = run()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// effort is how much time is spent.
type effort struct {
	rounds  int
	seconds float64
	quick   bool // leave out what another group tells as well
}

func run() error {
	quick := flag.Bool("quick", false, "under 90 s")
	full := flag.Bool("full", false, "about ten minutes")
	only := flag.String("only", "", "only groups whose name or place contains this")
	rounds := flag.Int("rounds", 0, "rounds instead of the usual number")
	flag.Parse()
	if *quick == *full {
		return errors.New("choose --quick or --full")
	}
	if _, err := exec.LookPath("iperf3"); err != nil {
		return fmt.Errorf("nothing to compare with: %w", err)
	}
	e := effort{2, 1, true}
	if *full {
		e = effort{7, 2, false}
	}
	if *rounds > 0 {
		e.rounds = *rounds
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "wdbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := build(ctx, dir); err != nil {
		fmt.Printf("whydrop itself takes no part: %v\n", err)
	}
	s, err := openSpace()
	if err != nil {
		return err
	}
	if s != nil {
		defer s.close()
	}
	describe(s)
	return e.all(ctx, s, *only)
}

// build builds the program and finds out what it can do.
func build(ctx context.Context, dir string) error {
	bin := filepath.Join(dir, "whydrop")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "whydrop/cmd/whydrop").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, firstLine(string(out)))
	}
	help, err := exec.CommandContext(ctx, bin, "probe", "--help").CombinedOutput()
	if err != nil {
		return err
	}
	program = bin
	programUDP = strings.Contains(string(help), "\n  -u,")
	if strings.Contains(string(help), "\n  -C,") {
		programCubic = []string{"-C", congestion}
	}
	return nil
}

func describe(s *space) {
	where := "this host's loopback"
	if s != nil {
		where = "loopback and veth of own namespaces"
	}
	version, _, _ := strings.Cut(output("iperf3", "--version"), "\n")
	fmt.Printf("%s/%s, %d processors, %s, against %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), where, version)
	if load := output("cat", "/proc/loadavg"); load != "" {
		fmt.Printf("load before: %s\n", strings.Fields(load)[0])
	}
}

func output(name string, args ...string) string {
	b, err := exec.Command(name, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func (e effort) all(ctx context.Context, s *space, only string) error {
	began := time.Now()
	met, of := 0, 0
	var broken []string
	if program == "" {
		broken = append(broken, "whydrop itself took no part")
	}
	one := func(g group, p place) {
		if ctx.Err() != nil || only != "" && !strings.Contains(g.name+" "+p.name, only) {
			return
		}
		if e.quick && program != "" { // the program itself says enough of the engine
			g = g.without("own > own")
		}
		r := e.rounds1(ctx, g, p)
		if ctx.Err() != nil {
			return
		}
		a, b, c := r.print(os.Stdout)
		met, of, broken = met+a, of+b, append(broken, c...)
	}
	one(tcpGroup(), s.loopback())
	if s != nil {
		one(tcpGroup(), s.veth())
	}
	if s == nil || !e.quick {
		one(udpGroup(), s.loopback())
	}
	if s != nil {
		one(udpGroup(), s.veth())
		if e.quick {
			fmt.Print("\nUDP on loopback, software segmentation and jitter: only with --full\n")
		} else if err := s.segmentation(false); err != nil {
			fmt.Printf("\nsoftware segmentation is not measured: %v\n", err)
		} else {
			one(softwareGroup(), s.veth())
			_ = s.segmentation(true)
		}
		paced := []group{pacedGroup("100 Mbit/s", 100e6), pacedGroup("1 Gbit/s", 1e9), jitterGroup()}
		if e.quick {
			paced = paced[:2]
		}
		for _, g := range paced {
			p := s.veth()
			packets := int(g.rate/8/datagram*e.seconds*1.5) + 20_000
			p.capture = func() (*capture, error) { return s.openCapture(packets) }
			one(g, p)
		}
	}
	fmt.Printf("\n%d of %d goals met, %v\n", met, of, time.Since(began).Round(time.Second))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(broken) > 0 {
		return errors.New(strings.Join(broken, "\n       "))
	}
	return nil
}

// rounds1 runs all contests of a group in turns.
func (e effort) rounds1(ctx context.Context, g group, p place) results {
	r := results{group: g, place: p, outcomes: map[string][]outcome{}, problems: map[string]error{}}
	p.seconds, p.rate = e.seconds, g.rate
	for round := range e.rounds {
		order := slices.Clone(g.contests)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for i, c := range order {
			p.port = 5301 + i
			o, err := measure(ctx, c, p)
			if err != nil && ctx.Err() == nil { // a peer that is confused is asked once more
				o, err = measure(ctx, c, p)
			}
			if err != nil {
				r.problems[c.name] = err
			}
			r.outcomes[c.name] = append(r.outcomes[c.name], o)
		}
	}
	for name, of := range r.outcomes { // one bad round of several is no reason to say nothing
		if slices.ContainsFunc(of, func(o outcome) bool { return o.units > 0 }) {
			delete(r.problems, name)
		}
	}
	return r
}
