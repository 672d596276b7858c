//go:build linux

package pathtest

import (
	"testing"
	"time"
)

// NewPath is a line with one router. The router's interfaces are "left", towards a, and "right", towards b.
func NewPath(t *testing.T, prefix string) *Line {
	t.Helper()
	return NewLine(t, prefix, 1)
}

// toward is the interface of the router of a path that leads to an end.
var toward = map[string]string{"a": "left", "b": "right"}

// Drop makes the router of a path drop what comes from an end, "a" or "b", for a while. What passes before it has an
// effect and how exactly it ends is for a capture to say.
func (l *Line) Drop(end string, d time.Duration) {
	l.t.Helper()
	l.rule(d, "pass iifname "+toward[end]+" drop")
}

// Reject makes the router of a path refuse what comes from an end for a while, as a firewall does that says so: port
// unreachable.
func (l *Line) Reject(end string, d time.Duration) {
	l.t.Helper()
	l.rule(d, "pass iifname "+toward[end]+" reject")
}

// DropBoth makes the router of a path drop both ways, the way from b for longer.
func (l *Line) DropBoth(d, longer time.Duration) {
	l.t.Helper()
	l.Nft("r1", "pass drop")
	time.Sleep(d)
	l.rule(longer, "pass iifname right drop")
}

// Down takes the router's link to an end down for a while.
func (l *Line) Down(end string, d time.Duration) {
	l.t.Helper()
	l.dark(func(state string) { l.run("ip", "-n", l.NS("r1"), "link", "set", toward[end], state) }, "down", "up", d)
}

func (l *Line) rule(d time.Duration, rule string) {
	l.t.Helper()
	l.dark(func(rule string) {
		if rule == "" {
			l.Nft("r1")
			return
		}
		l.Nft("r1", rule)
	}, rule, "", d)
}

// dark does something, undoes it after a while, and takes note of when it certainly was at work.
func (l *Line) dark(set func(string), do, undo string, d time.Duration) {
	l.t.Helper()
	set(do)
	g := Gap{From: time.Now()}
	time.Sleep(d)
	g.To = time.Now()
	set(undo)
	l.darks = append(l.darks, g)
}

// Darkened returns when the path was last known to be dark.
func (l *Line) Darkened() time.Time { return l.darks[len(l.darks)-1].To }
