//go:build linux

// Package outagetest gives tests of heartbeats a real path: three network namespaces a, r and b in a row, whose
// middle one can drop what it forwards and take its links down, and captures of what arrived at either end.
//
// It needs root and the programs ip, nft and tcpdump. A test that cannot have them is skipped, or fails if the
// environment variable WHYDROP_REQUIRE_PEERS is 1.
package outagetest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Addresses.
const (
	A  = "10.77.1.2"
	R  = "10.77.1.1" // of r, towards a
	B  = "10.77.2.2"
	B6 = "fd77:2::2"
)

// Path is three namespaces in a row.
type Path struct {
	t      *testing.T
	prefix string
}

// NewPath makes the namespaces PREFIX-a, PREFIX-r and PREFIX-b, with the process's number behind the prefix, and
// removes them when the test ends.
func NewPath(t *testing.T, prefix string) *Path {
	t.Helper()
	if testing.Short() {
		t.Skip("a real path takes seconds")
	}
	need(t)
	p := &Path{t: t, prefix: prefix + strconv.Itoa(os.Getpid())}
	a, r, b := p.ns("a"), p.ns("r"), p.ns("b")
	for _, ns := range []string{a, r, b} {
		p.run("ip", "netns", "add", ns)
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", ns).Run() })
		p.run("ip", "-n", ns, "link", "set", "lo", "up")
		p.run("ip", "netns", "exec", ns, "sysctl", "-qw", "net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0")
	}
	p.run("ip", "-n", r, "link", "add", "to-a", "type", "veth", "peer", "name", "eth", "netns", a)
	p.run("ip", "-n", r, "link", "add", "to-b", "type", "veth", "peer", "name", "eth", "netns", b)
	for _, x := range [][3]string{{a, "eth", "1::2"}, {b, "eth", "2::2"}, {r, "to-a", "1::1"}, {r, "to-b", "2::1"}} {
		net, host, _ := strings.Cut(x[2], "::")
		p.run("ip", "-n", x[0], "addr", "add", "10.77."+net+"."+host+"/24", "dev", x[1])
		p.run("ip", "-n", x[0], "addr", "add", "fd77:"+x[2]+"/64", "dev", x[1], "nodad")
		p.run("ip", "-n", x[0], "link", "set", x[1], "up")
	}
	p.run("ip", "netns", "exec", r, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1")
	p.run("ip", "-n", a, "route", "add", "default", "via", "10.77.1.1")
	p.run("ip", "-n", b, "route", "add", "default", "via", "10.77.2.1")
	p.run("ip", "-n", a, "route", "add", "default", "via", "fd77:1::1")
	p.run("ip", "-n", b, "route", "add", "default", "via", "fd77:2::1")
	p.nft("add table inet wd", "add chain inet wd gate { type filter hook forward priority 0; }")
	return p
}

func need(t *testing.T) {
	t.Helper()
	missing := ""
	if os.Geteuid() != 0 {
		missing = "root"
	}
	for _, prog := range []string{"ip", "nft", "tcpdump", "sysctl"} {
		if _, err := exec.LookPath(prog); err != nil {
			missing = prog
		}
	}
	switch {
	case missing == "":
	case os.Getenv("WHYDROP_REQUIRE_PEERS") == "1":
		t.Fatalf("this test needs %s", missing)
	default:
		t.Skipf("this test needs %s", missing)
	}
}

func (p *Path) ns(end string) string { return p.prefix + "-" + end }

func (p *Path) run(args ...string) {
	p.t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		p.t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
}

// Exec runs a program in the namespace of an end: "a", "r" or "b".
func (p *Path) Exec(end string, args ...string) {
	p.t.Helper()
	p.run(append([]string{"ip", "netns", "exec", p.ns(end)}, args...)...)
}

func (p *Path) nft(commands ...string) {
	p.t.Helper()
	p.Exec("r", "nft", strings.Join(commands, "; "))
}

// Drop makes r drop what comes from an end, "a" or "b", for a while. What passes before it has an effect and how
// exactly it ends is for a capture to say.
func (p *Path) Drop(end string, d time.Duration) {
	p.t.Helper()
	p.nft(`add rule inet wd gate iifname "to-` + end + `" drop`)
	time.Sleep(d)
	p.nft("flush chain inet wd gate")
}

// Reject makes r refuse what comes from an end for a while, as a firewall does that says so: port unreachable.
func (p *Path) Reject(end string, d time.Duration) {
	p.t.Helper()
	p.nft(`add rule inet wd gate iifname "to-` + end + `" reject`)
	time.Sleep(d)
	p.nft("flush chain inet wd gate")
}

// DropBoth makes r drop both ways, the way from b for longer.
func (p *Path) DropBoth(d, longer time.Duration) {
	p.t.Helper()
	p.nft(`add rule inet wd gate drop`)
	time.Sleep(d)
	p.nft("flush chain inet wd gate", `add rule inet wd gate iifname "to-b" drop`)
	time.Sleep(longer)
	p.nft("flush chain inet wd gate")
}

// Down takes r's link to an end down for a while.
func (p *Path) Down(end string, d time.Duration) {
	p.t.Helper()
	p.run("ip", "-n", p.ns("r"), "link", "set", "to-"+end, "down")
	time.Sleep(d)
	p.run("ip", "-n", p.ns("r"), "link", "set", "to-"+end, "up")
}

// Do calls f on a thread in the namespace of an end: sockets that f opens are there.
func (p *Path) Do(end string, f func()) {
	p.t.Helper()
	ns, err := os.Open("/run/netns/" + p.ns(end))
	if err != nil {
		p.t.Fatal(err)
	}
	defer ns.Close()
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if failed = unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); failed == nil {
			f()
		}
	})
	wg.Wait()
	if failed != nil {
		p.t.Fatalf("enter namespace %s: %v", p.ns(end), failed)
	}
}

// Capture records when packets come "in" at an end, or go "out", until the returned function is called, which returns
// the moments. filter is tcpdump's.
func (p *Path) Capture(end, inOut, filter string) func() []time.Time {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "ip", "netns", "exec", p.ns(end), "tcpdump", "-i", "eth", "-Q", inOut, "-n", "-tt", "-l", "--immediate-mode", filter)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	// It listens as soon as it says so.
	for lines := bufio.NewScanner(said); lines.Scan() && !strings.HasPrefix(lines.Text(), "listening on"); {
	}
	var arrivals []time.Time
	var wg sync.WaitGroup
	wg.Go(func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if at, ok := moment(lines.Text()); ok {
				arrivals = append(arrivals, at)
			}
		}
	})
	return func() []time.Time {
		cancel()
		wg.Wait()
		_ = cmd.Wait()
		return arrivals
	}
}

// moment reads the time at the beginning of a line of tcpdump -tt.
func moment(line string) (time.Time, bool) {
	var sec, micro int64
	if _, err := fmt.Sscanf(line, "%d.%06d", &sec, &micro); err != nil {
		return time.Time{}, false
	}
	return time.Unix(sec, micro*1000), true
}

// Gap is a stretch between two arrivals.
type Gap struct{ From, To time.Time }

// Unsent returns how much of a gap in what arrived is because nothing was sent: the sum of the distances between
// sends, beyond the usual beat, that are longer than the host's timers explain and touch the gap.
func (g Gap) Unsent(sends []time.Time, beat time.Duration) time.Duration {
	var sum time.Duration
	for _, s := range Gaps(sends, 2*beat) {
		if s.To.Add(beat).After(g.From) && s.From.Add(-beat).Before(g.To) {
			sum += s.To.Sub(s.From) - beat
		}
	}
	return sum
}

// Gaps returns the gaps between arrivals that are at least d long, in order.
func Gaps(arrivals []time.Time, d time.Duration) []Gap {
	var out []Gap
	for i := 1; i < len(arrivals); i++ {
		if arrivals[i].Sub(arrivals[i-1]) >= d {
			out = append(out, Gap{arrivals[i-1], arrivals[i]})
		}
	}
	return out
}
