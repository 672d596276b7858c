package cisco_ios

import (
	"fmt"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// SpanningTree is one instance of show spanning-tree detail: a VLAN's (PVST), an MST instance's, or a bridge
// group's.
type SpanningTree struct {
	Name     string // VLAN0001, MST0
	Protocol string // ieee, rstp, mstp
	Bridge   devices.Bridge
	Ports    []TreePort
}

// TreePort is a port's part in one instance.
type TreePort struct {
	Name        string
	State       string // disabled, blocking, listening, learning, forwarding, broken; "" if it is none of them
	Role        string // root, designated, alternate, backup; "" if it is not said (as by plain 802.1D)
	Cost        devices.Opt[uint32]
	Transitions devices.Opt[devices.Counter] // to forwarding

	Inconsistent string // root, loop, type, pvid, bridge: the guard that blocks it; "" if none
}

// ShowSpanningTreeDetail reads the output of "show spanning-tree detail" and returns the instances in their
// order. A device without any gives none.
func ShowSpanningTreeDetail(output string) []SpanningTree {
	if text.Noisy(output) {
		output = text.Denoise(output)
	}
	t := treeScanner{lines: text.NewLines(output)}
	for {
		line, _, _, ok := t.lines.Next()
		if !ok {
			return t.trees
		}
		if line != "" {
			t.line(line)
		}
	}
}

type treeScanner struct {
	lines text.Lines
	trees []SpanningTree
	own   string // this bridge's identifier in the instance being read
	port  *TreePort
}

func (t *treeScanner) line(line string) {
	if name, rest, ok := strings.Cut(line, " is executing the "); ok && strings.IndexByte(name, ' ') < 0 || ok && strings.HasPrefix(name, "Bridge group ") {
		protocol, _, _ := strings.Cut(rest, " ")
		t.trees = append(t.trees, SpanningTree{Name: name, Protocol: protocol})
		t.own, t.port = "", nil
		return
	}
	if len(t.trees) == 0 {
		return
	}
	tree := &t.trees[len(t.trees)-1]
	if rest, ok := strings.CutPrefix(line, "Port "); ok && strings.Contains(rest, " of ") {
		t.portLine(tree, rest)
		return
	}
	if t.port != nil {
		t.portField(line)
		return
	}
	t.bridgeField(&tree.Bridge, line)
}

func (t *treeScanner) bridgeField(b *devices.Bridge, line string) {
	switch {
	case strings.HasPrefix(line, "Bridge Identifier has priority "):
		t.own = identifier(line)
	case strings.HasPrefix(line, "We are the root"):
		text.Set(&b.RootPort, "")
		text.Set(&b.RootCost, 0)
		if t.own != "" {
			text.Set(&b.DesignatedRoot, t.own)
		}
	case strings.HasPrefix(line, "Current root has priority "):
		if id := identifier(line); id != "" {
			text.Set(&b.DesignatedRoot, id)
		}
	case strings.HasPrefix(line, "Root port is "):
		// "Root port is 2390 (Port-channel14), cost of root path is 3"
		if _, name, ok := strings.Cut(line, "("); ok {
			name, _, _ = strings.Cut(name, ")")
			text.Set(&b.RootPort, name)
		}
		if rest, ok := text.After(line, "cost of root path is "); ok {
			if n, _, ok := text.Number(rest); ok && n.OK && n.Value.Value <= 1<<32-1 {
				text.Set(&b.RootCost, uint32(n.Value.Value))
			}
		}
	case strings.HasPrefix(line, "Number of topology changes "):
		t.changes(b, line)
	case strings.HasPrefix(line, "from "):
		if b.TopologyChanges.OK {
			text.Set(&b.ChangeFrom, strings.TrimSpace(line[len("from "):]))
		}
	}
}

// changes reads "Number of topology changes 10 last change occurred 38w1d ago".
func (t *treeScanner) changes(b *devices.Bridge, line string) {
	rest := line[len("Number of topology changes "):]
	n, rest, ok := text.Number(rest)
	if !ok {
		return
	}
	text.SetOpt(&b.TopologyChanges, n)
	if ago, ok := text.After(rest, "last change occurred "); ok {
		ago, from, _ := strings.Cut(ago, " ago")
		if d, ok := text.Ago(ago); ok {
			text.Set(&b.SinceChange, d)
		}
		if port, ok := text.After(from, "from "); ok {
			text.Set(&b.ChangeFrom, strings.TrimSpace(port))
		}
	}
}

// identifier reads "... priority 24576, sysid 1, address 000e.39ff.71a2" as "24577.000e.39ff.71a2": the priority
// on the wire includes the instance (IEEE 802.1t), as "Current root has priority" and SNMP give it.
func identifier(line string) string {
	rest, _ := text.After(line, "priority ")
	n, rest, ok := text.Number(rest)
	if !ok || !n.OK {
		return ""
	}
	priority := n.Value.Value
	if sys, ok := text.After(rest, "sysid "); ok {
		if s, _, ok := text.Number(sys); ok && s.OK {
			priority += s.Value.Value
		}
	}
	addr, ok := text.After(rest, "address ")
	if !ok {
		return ""
	}
	addr, _, _ = strings.Cut(addr, " ")
	return fmt.Sprintf("%d.%s", priority, addr)
}

// portLine reads "1671 (Port-channel220) of VLAN0001 is designated forwarding".
func (t *treeScanner) portLine(tree *SpanningTree, rest string) {
	_, name, ok := strings.Cut(rest, "(")
	if !ok {
		return
	}
	name, rest, ok = strings.Cut(name, ")")
	name, _, _ = strings.Cut(name, ",") // NX-OS: "port-channel30, vPC Peer-link"
	if name = strings.TrimSpace(name); !ok || name == "" {
		return
	}
	p := TreePort{Name: name}
	if _, words, ok := strings.Cut(rest, " is "); ok {
		words, why, _ := strings.Cut(words, "(") // "broken  (Root Inconsistent)"
		p.Inconsistent, _, _ = strings.Cut(strings.ToLower(why), " ")
		for word := range strings.FieldsSeq(strings.ToLower(words)) {
			switch word = strings.Trim(word, ",."); word {
			case "root", "designated", "alternate", "backup":
				p.Role = word
			case "forwarding", "blocking", "listening", "learning", "disabled":
				p.State = word
			case "discarding": // RSTP's word
				p.State = "blocking"
			case "broken":
				p.State = "broken"
			case "down":
				p.State = "disabled"
			}
		}
	}
	tree.Ports = append(tree.Ports, p)
	t.port = &tree.Ports[len(tree.Ports)-1]
}

func (t *treeScanner) portField(line string) {
	if rest, ok := strings.CutPrefix(line, "Port path cost "); ok {
		if n, _, ok := text.Number(rest); ok && n.OK && n.Value.Value <= 1<<32-1 {
			text.Set(&t.port.Cost, uint32(n.Value.Value))
		}
	}
	if rest, ok := strings.CutPrefix(line, "Number of transitions to forwarding state: "); ok {
		n, _, _ := text.Number(rest)
		text.SetOpt(&t.port.Transitions, n)
	}
}

// Combine makes one bridge and one state per port of all instances. Changes are counted over all of them, and
// the last one is the most recent in any. What a port can have only one of, its state and role, and the bridge's
// root, are those of the first instance in which it appears: the lowest VLAN, as BRIDGE-MIB has it.
func Combine(trees []SpanningTree) (*devices.Bridge, []devices.Interface) {
	if len(trees) == 0 {
		return nil, nil
	}
	b := trees[0].Bridge
	b.TopologyChanges, b.SinceChange, b.ChangeFrom = devices.None[devices.Counter](), devices.None[time.Duration](), devices.None[string]()
	var ports []devices.Interface
	seen := map[string]bool{}
	for _, t := range trees {
		if n := t.Bridge.TopologyChanges; n.OK {
			b.TopologyChanges = devices.CCLI(b.TopologyChanges.Value.Value + n.Value.Value)
		}
		if s := t.Bridge.SinceChange; s.OK && (!b.SinceChange.OK || s.Value < b.SinceChange.Value) {
			b.SinceChange, b.ChangeFrom = s, t.Bridge.ChangeFrom
		}
		for _, p := range t.Ports {
			if seen[p.Name] {
				continue
			}
			seen[p.Name] = true
			i := devices.Interface{Name: p.Name}
			if p.State != "" {
				i.STPState = devices.Some(p.State)
			}
			if p.Role != "" {
				i.STPRole = devices.Some(p.Role)
			}
			ports = append(ports, i)
		}
	}
	return &b, ports
}
