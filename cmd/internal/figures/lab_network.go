package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
)

// The laboratory's network: the probe runs from the near host to the far one.
const (
	labPrefix  = "lab-" // of the names of its namespaces
	nearNode   = "hostA"
	farNode    = "hostB"
	farAddress = "10.10.0.20"
	farPort    = 5301 // TCP; heartbeats go to the next, by UDP
)

// What a run takes beside its fault.
const (
	labLead  = 8 * time.Second  // what is usual is seen before the fault
	labTail  = 4 * time.Second  // counters are refreshed after it, and a flow comes back
	labLimit = 3 * time.Minute  // of one run
	labEnds  = 15 * time.Second // how long a program may take to end before it is killed
)

// laboratory is the network beside the checkout while it is ours.
type laboratory struct {
	script  string // the laboratory's own command
	dir     string // ours, removed at the end
	keep    string // where runs are left; dir if nobody asked for them
	whydrop string // the program, built from this checkout
	serve   *child
}

// labScript finds the laboratory. It belongs to one at a time.
func labScript() (string, error) {
	script, err := filepath.Abs(filepath.Join("..", "shared", "lab", "lab"))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(script); err != nil {
		return "", fmt.Errorf("%w: no laboratory beside the checkout", errNotHere)
	}
	if os.Geteuid() != 0 {
		return "", fmt.Errorf("%w: the laboratory needs root", errNotHere)
	}
	if _, err := os.Stat(filepath.Dir(labTruthFile)); err == nil {
		return "", fmt.Errorf("%w: the laboratory is up already, somebody works with it or left it (%s down)", errNotHere, script)
	}
	return script, nil
}

// openLaboratory brings the laboratory up. The caller closes it.
func openLaboratory(ctx context.Context) (*laboratory, error) {
	script, err := labScript()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "whydrop-lab-")
	if err != nil {
		return nil, err
	}
	l := &laboratory{script: script, dir: dir, keep: dir}
	if keep := os.Getenv("WHYDROP_LAB_KEEP"); keep != "" {
		l.keep = keep
		err = os.MkdirAll(keep, 0o700)
	}
	if err == nil {
		err = l.lab(ctx, "up")
	}
	if err != nil {
		l.close()
		if strings.Contains(err.Error(), "missing: ") {
			return nil, fmt.Errorf("%w: %w", errNotHere, err)
		}
		return nil, err
	}
	return l, nil
}

// close ends what runs and takes the laboratory down, also when the figure was interrupted.
func (l *laboratory) close() {
	if l.serve != nil {
		l.serve.end()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := l.lab(ctx, "down"); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.RemoveAll(l.dir)
}

// lab runs a command of the laboratory to its end. When ctx ends it is interrupted, so that it takes back what it did.
func (l *laboratory) lab(ctx context.Context, args ...string) error {
	c := exec.CommandContext(ctx, l.script, args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = labEnds
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("laboratory: %s: %w: %s", args[0], err, strings.TrimSpace(string(text)))
	}
	return nil
}

// prepare builds the program and starts the far end of its probes.
func (l *laboratory) prepare(ctx context.Context) error {
	l.whydrop = filepath.Join(l.dir, "whydrop")
	if text, err := exec.CommandContext(ctx, "go", "build", "-o", l.whydrop, "whydrop/cmd/whydrop").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, text)
	}
	var err error
	l.serve, err = l.start(ctx, farNode, filepath.Join(l.dir, "serve"), l.whydrop, "serve", "--listen", farAddress, "-p", fmt.Sprint(farPort))
	return err
}

// take injects one fault while the program watches, and returns what it made of it.
func (l *laboratory) take(ctx context.Context, f labFault, name string) (r labRun) {
	r.fault = f
	ctx, cancel := context.WithTimeout(ctx, labLimit)
	defer cancel()
	base := filepath.Join(l.keep, name)
	packets := base + ".pcap"
	capture, err := l.start(ctx, farNode, base+".capture", "tcpdump", "-i", "eth0", "-n", "-U", "-s", "64", "-w", packets,
		fmt.Sprintf("(tcp dst port %d and greater 600) or udp dst port %d", farPort, farPort+1))
	if err != nil {
		r.err = err
		return r
	}
	defer capture.end()
	if f.load {
		load, err := l.start(ctx, nearNode, base+".load", "iperf3", "-c", farAddress, "--fq-rate", "40M", "-C", "cubic", "-t", "170")
		if err != nil {
			r.err = err
			return r
		}
		defer load.end()
	}
	if r.found, r.err = l.watched(ctx, f, base, packets); r.err != nil {
		return r
	}
	capture.end()
	if r.truth, r.err = lastTruth(); r.err != nil {
		return r
	}
	file, err := os.Open(packets)
	if err != nil {
		r.err = err
		return r
	}
	defer file.Close()
	arrived, err := readCapture(file)
	r.err, r.longest = err, arrived.longestGap()
	for _, by := range []string{"tcp", "heartbeat"} {
		r.lengths = append(r.lengths, checkLengths(by, arrived, r.found.Outages)...)
	}
	return r
}

// watched runs the program around one fault and returns its report.
func (l *laboratory) watched(ctx context.Context, f labFault, base, packets string) (d report.Document, err error) {
	site := base + ".yaml"
	text, err := labSite(f.rate)
	if err == nil {
		err = os.WriteFile(site, []byte(text), 0o600)
	}
	if err != nil {
		return d, err
	}
	_ = os.Remove(base + ".whydrop") // that a figure before this one may have left
	watch, err := l.start(ctx, nearNode, base, l.whydrop, "watch", "-f", site, "--for", labLimit.String(), "--session", base+".whydrop", "--format", "json")
	if err != nil {
		return d, err
	}
	defer watch.end()
	if err := watch.wait(ctx, func() bool { s, err := os.Stat(packets); return err == nil && s.Size() > 64<<10 }); err != nil {
		return d, fmt.Errorf("no packet of the probe arrives: %w", err)
	}
	if err = watch.pause(ctx, labLead); err == nil {
		err = l.inject(ctx, f, watch)
	}
	watch.end()
	if err != nil {
		return d, err
	}
	b, err := os.ReadFile(base + ".out")
	if err == nil {
		err = json.Unmarshal(b, &d)
	}
	if err != nil {
		told, _ := os.ReadFile(base + ".err")
		return d, fmt.Errorf("watch printed no report: %w: %s", err, told)
	}
	return d, nil
}

// inject injects a fault and ends the watch after it. It returns when the laboratory has taken the fault back.
func (l *laboratory) inject(ctx context.Context, f labFault, watch *child) error {
	failed := make(chan error, 1)
	go func() { failed <- l.lab(ctx, append([]string{"fault"}, f.args...)...) }()
	var early error
	if f.until > 0 {
		early = watch.pause(ctx, f.until)
		watch.end()
	}
	err := <-failed
	if err != nil {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), labEnds)
		defer cancel()
		return errors.Join(err, l.lab(clean, "fault", "clear"))
	}
	if f.until == 0 {
		early = watch.pause(ctx, labTail)
	}
	return early
}

// child is a program in one of the laboratory's nodes that runs beside us until it is ended.
type child struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended
}

// start runs a program in a node; what it prints goes to base.out and base.err. The caller ends it.
func (l *laboratory) start(ctx context.Context, node, base string, args ...string) (*child, error) {
	out, err := os.Create(base + ".out")
	if err != nil {
		return nil, err
	}
	defer out.Close()
	told, err := os.Create(base + ".err")
	if err != nil {
		return nil, err
	}
	defer told.Close()
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, "ip", append([]string{"netns", "exec", labPrefix + node}, args...)...)
	cmd.Stdout, cmd.Stderr = out, told
	cmd.Env = append(os.Environ(), "WHYDROP_LAB_COMMUNITY=public", "WHYDROP_LAB_PASSWORD=lab-netops")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = labEnds
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	c := &child{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		_ = cmd.Wait() // how it ended is seen in what it printed
	}()
	return c, nil
}

// end interrupts the program and waits until it has ended; it may have ended before.
func (c *child) end() {
	c.cancel()
	<-c.done
}

// pause waits while the program runs. The error says that it ended, or ctx.
func (c *child) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		return errors.New("the program ended before its time")
	case <-time.After(d):
		return nil
	}
}

// wait waits for half a minute at most until ok.
func (c *child) wait(ctx context.Context, ok func() bool) error {
	for end := time.Now().Add(30 * time.Second); !ok(); {
		if err := c.pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
		if time.Now().After(end) {
			return errors.New("waited for 30 s")
		}
	}
	return nil
}
