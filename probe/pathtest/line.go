//go:build linux

package pathtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/peertest"
)

// Line is namespaces in a row.
type Line struct {
	t      *testing.T
	prefix string
	nodes  []string // "a", "r1", ..., "b"
	darks  []Gap    // when Drop, Reject or Down were at work; see dark.go
}

// lines counts them, for their names.
var lines atomic.Uint32

// NewLine makes a line with so many routers; it is removed when the test ends. The namespaces are named by the
// prefix, the process's number, the line's and the node. No node limits its ICMP errors. What a real path shows takes
// seconds: short runs skip the test.
func NewLine(t *testing.T, prefix string, routers int) *Line {
	t.Helper()
	if testing.Short() {
		t.Skip("a real path takes seconds")
	}
	need(t, "ip", "nft", "sysctl")
	l := &Line{t: t, prefix: fmt.Sprintf("%s%d-%d-", prefix, os.Getpid(), lines.Add(1)), nodes: []string{"a"}}
	for i := range routers {
		l.nodes = append(l.nodes, "r"+strconv.Itoa(i+1))
	}
	l.nodes = append(l.nodes, "b")
	const settings = "net.ipv4.ip_forward=1\nnet.ipv6.conf.all.forwarding=1\nnet.ipv6.conf.default.forwarding=1\n" +
		"net.ipv4.icmp_ratelimit=0\nnet.ipv6.icmp.ratelimit=0\nnet.ipv4.ping_group_range=0 2147483647\n" +
		"net.ipv6.conf.all.accept_dad=0\nnet.ipv6.conf.default.accept_dad=0\n"
	var batch strings.Builder
	for _, n := range l.nodes {
		ns := l.NS(n)
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", ns).Run() })
		l.run("ip", "netns", "add", ns)
		l.input(settings, "ip", "netns", "exec", ns, "sysctl", "-q", "-p", "-") // links come up with these
	}
	for i := range l.nodes[1:] {
		left, right := l.NS(l.nodes[i]), l.NS(l.nodes[i+1])
		fmt.Fprintf(&batch, "link add right netns %s type veth peer name left netns %s\n", left, right)
	}
	l.batch("", batch.String())
	for i, n := range l.nodes {
		batch.Reset()
		batch.WriteString("link set lo up\n")
		if i > 0 {
			fmt.Fprintf(&batch, "addr add %s/24 dev left\naddr add %s/64 dev left nodad\nlink set left up\n", l.address(i, "left", false), l.address(i, "left", true))
		}
		if i < len(l.nodes)-1 {
			fmt.Fprintf(&batch, "addr add %s/24 dev right\naddr add %s/64 dev right nodad\nlink set right up\n", l.address(i, "right", false), l.address(i, "right", true))
		}
		for k := range l.nodes[1:] { // link k lies between node k and node k+1
			v4, v6 := fmt.Sprintf("10.78.%d.0/24", k), fmt.Sprintf("fd78:%d::/64", k)
			switch {
			case k > i:
				fmt.Fprintf(&batch, "route add %s via %s\nroute add %s via %s\n", v4, l.address(i+1, "left", false), v6, l.address(i+1, "left", true))
			case k < i-1:
				fmt.Fprintf(&batch, "route add %s via %s\nroute add %s via %s\n", v4, l.address(i-1, "right", false), v6, l.address(i-1, "right", true))
			}
		}
		l.batch(l.NS(n), batch.String())
	}
	l.settle()
	return l
}

// settle waits until IPv6 works from end to end, which takes a second after links come up.
func (l *Line) settle() {
	l.t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		there := false
		l.Do("a", func() {
			c, err := net.Dial("udp", net.JoinHostPort(l.Address("b", true), "9"))
			if err != nil {
				return
			}
			defer c.Close()
			_, _ = c.Write([]byte("settled?"))
			_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			_, err = c.Read(make([]byte, 1))
			there = errors.Is(err, unix.ECONNREFUSED)
		})
		if there {
			return
		}
	}
	l.t.Fatal("the namespaces do not reach each other")
}

func need(t *testing.T, programs ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		peertest.Missing(t, "root")
	}
	peertest.Need(t, programs...)
}

// NS returns the namespace of a node.
func (l *Line) NS(node string) string { return l.prefix + node }

// Address returns the address by which a node is reached from a, IPv4 or IPv6.
func (l *Line) Address(node string, v6 bool) string {
	for i, n := range l.nodes {
		if n == node && i > 0 {
			return l.address(i, "left", v6)
		}
	}
	return l.address(0, "right", v6)
}

// address returns the address of an interface of node i: link k is 10.78.k.0/24, its left end .1, its right end .2.
func (l *Line) address(i int, side string, v6 bool) string {
	link, host := i, 1
	if side == "left" {
		link, host = i-1, 2
	}
	if v6 {
		return netip.MustParseAddr(fmt.Sprintf("fd78:%d::%d", link, host)).String()
	}
	return fmt.Sprintf("10.78.%d.%d", link, host)
}

func (l *Line) run(args ...string) {
	l.t.Helper()
	l.input("", args...)
}

func (l *Line) input(stdin string, args ...string) {
	l.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("%s: %v: %s\n%s", strings.Join(args, " "), err, bytes.TrimSpace(out), stdin)
	}
}

func (l *Line) batch(ns, commands string) {
	l.t.Helper()
	if ns == "" {
		l.input(commands, "ip", "-batch", "-")
		return
	}
	l.input(commands, "ip", "-n", ns, "-batch", "-")
}

// Exec runs a program in the namespace of a node.
func (l *Line) Exec(node string, args ...string) {
	l.t.Helper()
	l.run(append([]string{"ip", "netns", "exec", l.NS(node)}, args...)...)
}

// Nft gives a node rules. They are written for the table "inet wd", which begins anew with every call and has the
// chains in, out and pass (hooks input, output and forward): "pass udp dport 9 drop". A rule that begins with "=" is a
// command of nft(8) as it stands, carried out after the chains are made.
func (l *Line) Nft(node string, rules ...string) {
	l.t.Helper()
	var b strings.Builder
	b.WriteString("table inet wd\ndelete table inet wd\ntable inet wd {\n")
	for chain, hook := range map[string]string{"in": "input", "out": "output", "pass": "forward"} {
		fmt.Fprintf(&b, "chain %s { type filter hook %s priority 0; }\n", chain, hook)
	}
	b.WriteString("}\n")
	for _, r := range rules {
		if c, ok := strings.CutPrefix(r, "="); ok {
			b.WriteString(c + "\n")
			continue
		}
		fmt.Fprintf(&b, "add rule inet wd %s\n", r)
	}
	l.input(b.String(), "ip", "netns", "exec", l.NS(node), "nft", "-f", "-")
}

// MTU sets the MTU of the link between a node and the next: at this end, and at the other.
func (l *Line) MTU(node string, here, there int) {
	l.t.Helper()
	for i, n := range l.nodes {
		if n == node {
			l.run("ip", "-n", l.NS(n), "link", "set", "right", "mtu", strconv.Itoa(here))
			l.run("ip", "-n", l.NS(l.nodes[i+1]), "link", "set", "left", "mtu", strconv.Itoa(there))
		}
	}
}

// Do calls f on a thread in the namespace of a node: sockets that f opens are there. Goroutines that f starts are
// not; what they use must have been opened by f.
func (l *Line) Do(node string, f func()) {
	l.t.Helper()
	if _, err := In(l, node, func() (struct{}, error) { f(); return struct{}{}, nil }); err != nil {
		l.t.Fatal(err)
	}
}

// In is [Line.Do] for a function with a result. The error is the function's, or says that the namespace is gone.
func In[T any](l *Line, node string, f func() (T, error)) (v T, err error) {
	ns, err := os.Open("/run/netns/" + l.NS(node))
	if err != nil {
		return v, err
	}
	defer ns.Close()
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if err = unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
			err = fmt.Errorf("enter namespace %s: %w", l.NS(node), err)
			return
		}
		v, err = f()
	})
	wg.Wait()
	return v, err
}

// childEnv holds what a child of [Line.Run] is to do.
const childEnv = "WHYDROP_PATHTEST"

// Main is to be called by TestMain of a package that uses [Line.Run]; child is what a child does with its argument.
// Main returns if this is no child.
func Main(child func(arg []byte) (any, error)) {
	arg, ok := os.LookupEnv(childEnv)
	if !ok {
		return
	}
	v, err := child([]byte(arg))
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(v)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Run calls the function given to [Main] in the namespace of a node, in a process of its own, so that its goroutines
// are there too. The argument and the result go as JSON. The error is the function's text.
func (l *Line) Run(node string, arg, result any) error {
	in, err := json.Marshal(arg)
	if err != nil {
		return err
	}
	cmd := exec.Command("ip", "netns", "exec", l.NS(node), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(in))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s%w", said.String(), err)
	}
	return json.Unmarshal(out, result)
}

// Start does as [Line.Run], but does not wait: the process is killed when the test ends.
func (l *Line) Start(node string, arg any) {
	l.t.Helper()
	in, err := json.Marshal(arg)
	if err != nil {
		l.t.Fatal(err)
	}
	cmd := exec.Command("ip", "netns", "exec", l.NS(node), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(in))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// Output runs a program in the namespace of a node and returns what it prints.
func (l *Line) Output(node string, args ...string) []byte {
	l.t.Helper()
	out, err := exec.Command("ip", append([]string{"netns", "exec", l.NS(node)}, args...)...).Output()
	if err != nil {
		l.t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return out
}
