package app

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"whydrop/correlate/timeline"
	"whydrop/probe/iperf3"
	"whydrop/probe/runner"
)

// TestOf returns the TCP test of a path: one stream, as fast as it goes, for as long as the far end likes.
func TestOf(spec runner.Spec) iperf3.Test {
	port := spec.Port
	if port == 0 {
		port = runner.DefaultPort
	}
	return iperf3.Test{Address: net.JoinHostPort(strings.Trim(spec.To, "[]"), strconv.Itoa(int(port))), Streams: 1, Token: spec.Token}
}

// investigate tells the causes of a watched path apart while the watch goes on: it reasons on what the watch knows, and
// its results go where the watch's records go, into the recording too.
func (w *watch) investigate(ctx context.Context, path string, ask func(question string) bool, say func(line string)) error {
	i := slices.IndexFunc(w.plan.Probes, func(s runner.Spec) bool { return s.Path == path })
	if i < 0 {
		return fmt.Errorf("investigate: the site file gives no probe for path %s", path)
	}
	spec := w.plan.Probes[i]
	out := &lines{say: say}
	defer out.end()
	doc, err := Investigate(ctx, InvestigateOptions{
		Probe: ProbeOptions{Test: TestOf(spec)}, Plan: &w.plan, Path: path, STAMP: spec.STAMPPort, STAMPKey: spec.STAMPKey,
		Live: &Live{Out: w.out, Snapshot: w.store.Snapshot, Hold: func() func() { return w.hold(path) }}, Ask: ask, Out: out,
	})
	w.experiments.Add(int64(len(doc.Inputs)))
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("investigate path %s: %w", path, err)
	}
	return nil
}

// hold holds a path's throughput test; a far end of iperf's own takes one test at a time.
func (w *watch) hold(path string) (release func()) {
	release = func() {}
	for _, g := range w.gates {
		if before := release; g.Path() == timeline.Path(path) {
			again := g.hold()
			release = func() { again(); before() }
		}
	}
	return release
}

// lines hands over what is written to it line by line.
type lines struct {
	say  func(string)
	rest []byte
}

// Write hands over the lines that end in b.
func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			return len(b), nil
		}
		l.say(string(l.rest[:i]))
		l.rest = l.rest[i+1:]
	}
}

// end hands over what stands after the last line's end.
func (l *lines) end() {
	if len(l.rest) > 0 {
		l.say(string(l.rest))
	}
}
