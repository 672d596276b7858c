package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
type campus struct{ *network }

// newCampus builds the laboratory and waits until it works.
//
// ageing is the age in seconds at which the bridges forget where a host was. The kernel's bridge looks for old
// entries at that pace only, a topology change does not make it look sooner: with the usual 300 s it goes on
// sending to where nobody is any more, until the host is heard from elsewhere.
func newCampus(t *testing.T, ageing int) *campus {
	t.Helper()
	require(t, "ip", "bridge", "nft", "snmpd", "tcpdump", "sysctl")
	c := &campus{newNetwork(t, nsPrefix)}
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
	c.bridge("swa", 4096, ageing, "p1", "p2", "p3")
	c.bridge("swb", 8192, ageing, "p1", "p2", "p3")
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

func (c *campus) remove() {
	for _, n := range nodes {
		_ = exec.Command("ip", "netns", "del", nsPrefix+n).Run() // not there: nothing to remove
	}
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
func (c *campus) bridge(node string, priority, ageing int, ports ...string) {
	c.t.Helper()
	c.in(node, "ip", "link", "add", "br0", "type", "bridge", "priority", fmt.Sprint(priority),
		"hello_time", "100", "max_age", "600", "forward_delay", "200", "ageing_time", fmt.Sprint(100*ageing), "stp_state", "1")
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
