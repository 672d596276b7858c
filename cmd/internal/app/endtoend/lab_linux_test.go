package endtoend

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The campus: two bridges that speak the kernel's spanning tree (IEEE 802.1D), two transparent stateful firewalls
// between them of which it keeps one blocked, a host at either end, and a management network beside it.
//
//	a -- p1 swa p2 -- in fw1 out -- p1 swb p3 -- b
//	         p3 ---- in fw2 out ---- p2
const (
	nsPrefix  = "wdlab-"
	addressA  = "10.98.8.10"
	addressB  = "10.98.8.20"
	community = "lab-community"
)

var (
	nodes = []string{"a", "swa", "fw1", "fw2", "swb", "b", "mgmt"}
	links = [][4]string{
		{"a", "eth0", "swa", "p1"}, {"swa", "p2", "fw1", "in"}, {"swa", "p3", "fw2", "in"},
		{"fw1", "out", "swb", "p1"}, {"fw2", "out", "swb", "p2"}, {"swb", "p3", "b", "eth0"},
	}
	managed = map[string]string{"a": "10.98.7.1", "swa": "10.98.7.12", "swb": "10.98.7.13", "fw1": "10.98.7.21", "fw2": "10.98.7.22"}
)

// campus is one laboratory; it lives as long as its test.
type campus struct {
	t       *testing.T
	dir     string
	whydrop string // the program under test
}

// require skips the test without root or without one of the programs, or fails if peers are required.
func require(t *testing.T, programs ...string) {
	t.Helper()
	miss := func(format string, args ...any) {
		t.Helper()
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatalf(format, args...)
		}
		t.Skipf(format, args...)
	}
	if os.Geteuid() != 0 {
		miss("needs root for network namespaces")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			miss("%s is not installed", p)
		}
	}
}

func newCampus(t *testing.T) *campus {
	t.Helper()
	require(t, "ip", "bridge", "nft", "snmpd", "tcpdump", "sysctl")
	c := &campus{t: t, dir: t.TempDir()}
	c.build()
	c.remove() // what a killed run may have left
	t.Cleanup(c.remove)
	for _, n := range nodes {
		c.run("ip", "netns", "add", nsPrefix+n)
		c.in(n, "ip", "link", "set", "lo", "up")
	}
	for _, l := range links {
		c.veth(l[0], l[1], l[2], l[3])
	}
	c.management()
	c.host("a", addressA)
	c.host("b", addressB)
	c.bridge("swa", 4096, "p1", "p2", "p3")
	c.bridge("swb", 8192, "p1", "p2", "p3")
	c.in("swb", "bridge", "link", "set", "dev", "p1", "cost", "100")
	c.in("swb", "bridge", "link", "set", "dev", "p2", "cost", "200")
	for _, f := range []string{"fw1", "fw2"} {
		c.firewall(f)
	}
	for _, n := range []string{"swa", "swb", "fw1", "fw2"} {
		c.agent(n)
	}
	c.settle()
	return c
}

// build compiles the program under test.
func (c *campus) build() {
	c.whydrop = filepath.Join(c.dir, "whydrop")
	cmd := exec.Command("go", "build", "-o", c.whydrop, "whydrop/cmd/whydrop")
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("build: %v\n%s", err, out)
	}
}

func (c *campus) remove() {
	for _, n := range nodes {
		_ = exec.Command("ip", "netns", "del", nsPrefix+n).Run() // not there: nothing to remove
	}
}

func (c *campus) run(name string, args ...string) string {
	c.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// in runs a command in a node's namespace.
func (c *campus) in(node string, args ...string) string {
	c.t.Helper()
	return c.run("ip", append([]string{"netns", "exec", nsPrefix + node}, args...)...)
}

// start runs a command in a node's namespace until the test ends; its output goes to a file that is returned.
func (c *campus) start(node, logName string, env []string, args ...string) (*exec.Cmd, string) {
	c.t.Helper()
	log := filepath.Join(c.dir, logName)
	f, err := os.Create(log)
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command("ip", append([]string{"netns", "exec", nsPrefix + node}, args...)...)
	cmd.Stdout, cmd.Stderr, cmd.Env = f, f, append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(3 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
	})
	return cmd, log
}

func (c *campus) veth(nodeA, ifA, nodeB, ifB string) {
	c.t.Helper()
	c.run("ip", "link", "add", ifA, "netns", nsPrefix+nodeA, "type", "veth", "peer", "name", ifB, "netns", nsPrefix+nodeB)
	c.in(nodeA, "ip", "link", "set", ifA, "up")
	c.in(nodeB, "ip", "link", "set", ifB, "up")
}

func (c *campus) management() {
	c.t.Helper()
	c.in("mgmt", "ip", "link", "add", "br0", "type", "bridge")
	c.in("mgmt", "ip", "link", "set", "br0", "up")
	for n, address := range managed {
		c.veth(n, "mgmt0", "mgmt", "to-"+n)
		c.in("mgmt", "ip", "link", "set", "to-"+n, "master", "br0")
		c.in(n, "ip", "address", "add", address+"/24", "dev", "mgmt0")
	}
}

func (c *campus) host(node, address string) {
	c.t.Helper()
	c.in(node, "ip", "address", "add", address+"/24", "dev", "eth0")
}

// bridge makes a switch with the shortest timers that 802.1D allows: hello 1 s, max age 6 s, forward delay 2 s.
func (c *campus) bridge(node string, priority int, ports ...string) {
	c.t.Helper()
	c.in(node, "ip", "link", "add", "br0", "type", "bridge", "priority", fmt.Sprint(priority),
		"hello_time", "100", "max_age", "600", "forward_delay", "200", "stp_state", "1")
	for _, p := range ports {
		c.in(node, "ip", "link", "set", p, "master", "br0")
	}
	c.in(node, "ip", "link", "set", "br0", "up")
}

// firewall makes a transparent firewall that lets new connections start on the inside only and does not pick up
// connections that it has not seen begin.
func (c *campus) firewall(node string) {
	c.t.Helper()
	c.in(node, "ip", "link", "add", "br0", "type", "bridge", "stp_state", "0")
	for _, p := range []string{"in", "out"} {
		c.in(node, "ip", "link", "set", p, "master", "br0")
		c.in(node, "ip", "link", "set", p, "type", "bridge_slave", "learning", "off")
	}
	c.in(node, "ip", "link", "set", "br0", "up")
	c.in(node, "sysctl", "-qw", "net.bridge.bridge-nf-call-iptables=1")
	rules := filepath.Join(c.dir, node+".nft")
	text := `table ip fw {
 counter invalid {}
 chain forward {
  type filter hook forward priority 0; policy drop;
  ct state established,related accept
  ct state invalid counter name invalid drop
  ip saddr ` + addressA + ` ct state new accept
 }
}
`
	if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.in(node, "nft", "-f", rules)
	c.pickUp(node, false)
}

// pickUp says whether a firewall adopts connections in mid-stream: what a state synchronisation comes to.
func (c *campus) pickUp(node string, on bool) {
	c.t.Helper()
	v := "0"
	if on {
		v = "1"
	}
	c.in(node, "sysctl", "-qw", "net.netfilter.nf_conntrack_tcp_loose="+v)
}

// agent starts a stock snmpd; on a switch it asks this test program for the BRIDGE-MIB.
func (c *campus) agent(node string) {
	c.t.Helper()
	conf := "rocommunity " + community + "\nsysName " + node + "\nagentaddress udp:" + managed[node] + ":161\n"
	if strings.HasPrefix(node, "sw") {
		self, err := os.Executable()
		if err != nil {
			c.t.Fatal(err)
		}
		conf += "pass_persist " + bridgeMIB + " " + self + "\n"
	}
	path := filepath.Join(c.dir, node+".conf")
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.start(node, node+".snmpd.log", []string{"SNMP_PERSISTENT_DIR=" + filepath.Join(c.dir, node+".state"), helperEnv + "=br0"},
		"snmpd", "-f", "-Lo", "-C", "-c", path)
}

// settle waits until the tree stands and a reaches b through fw1.
func (c *campus) settle() {
	c.t.Helper()
	c.eventually(20*time.Second, "spanning tree to settle", func() bool {
		return c.portState("swb", "p1") == "3" && c.portState("swb", "p2") == "4"
	})
	c.eventually(10*time.Second, "a to reach b", func() bool {
		return exec.Command("ip", "netns", "exec", nsPrefix+"a", "ping", "-c1", "-W1", addressB).Run() == nil ||
			c.neighbourKnown()
	})
}

// neighbourKnown says whether a has b's hardware address: the firewalls let no ICMP echo reply be missed, but ping
// may not be installed.
func (c *campus) neighbourKnown() bool {
	return strings.Contains(c.in("a", "ip", "neighbour", "show", addressB), "lladdr")
}

// portState is the kernel's spanning-tree state of a port: 0 disabled to 3 forwarding, 4 blocking.
func (c *campus) portState(node, port string) string {
	c.t.Helper()
	return strings.TrimSpace(c.in(node, "cat", "/sys/class/net/"+port+"/brport/state"))
}

func (c *campus) eventually(limit time.Duration, what string, ok func() bool) {
	c.t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if ok() {
			return
		}
	}
	c.t.Fatalf("waited %v for %s", limit, what)
}

// capture starts a packet capture at b and returns a function that ends it and gives the moments of the packets.
func (c *campus) capture(name, filter string) func() []time.Time {
	c.t.Helper()
	cmd, log := c.start("b", name+".capture", nil, "tcpdump", "-i", "eth0", "-n", "-tt", "-l", "--immediate-mode", "-s", "96", filter)
	c.eventually(5*time.Second, "tcpdump to listen", func() bool {
		b, err := os.ReadFile(log)
		return err == nil && bytes.Contains(b, []byte("listening on"))
	})
	return func() []time.Time {
		_ = cmd.Process.Signal(syscall.SIGINT) // its end is waited for by the cleanup
		time.Sleep(300 * time.Millisecond)
		b, err := os.ReadFile(log)
		if err != nil {
			c.t.Fatal(err)
		}
		return captureTimes(string(b))
	}
}

// captureTimes reads the time stamps of tcpdump -tt.
func captureTimes(text string) []time.Time {
	var out []time.Time
	for line := range strings.Lines(text) {
		var sec, micro int64
		if n, _ := fmt.Sscanf(line, "%d.%d", &sec, &micro); n == 2 && sec > 1e9 {
			out = append(out, time.Unix(sec, micro*1000))
		}
	}
	return out
}

// longestGap returns the longest time between two consecutive moments.
func longestGap(times []time.Time) (from, to time.Time) {
	for i := 1; i < len(times); i++ {
		if times[i].Sub(times[i-1]) > to.Sub(from) {
			from, to = times[i-1], times[i]
		}
	}
	return from, to
}
