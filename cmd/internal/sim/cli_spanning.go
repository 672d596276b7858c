package sim

import (
	"fmt"
	"strings"
	"time"
)

func (d *device) showTree(at time.Duration) string {
	if d.bridge == nil {
		return "\nNo spanning tree instances exist.\n\n"
	}
	var b strings.Builder
	br := d.bridge
	fmt.Fprintf(&b, "\n VLAN0001 is executing the rstp compatible Spanning Tree protocol\n")
	fmt.Fprintf(&b, "  Bridge Identifier has priority %d, sysid 1, address %s\n", br.priority-1, ciscoMAC(br.mac))
	fmt.Fprintf(&b, "  Configured hello time 2, max age 20, forward delay 15, transmit hold-count 6\n")
	if p := br.rootPort(at); p != nil {
		fmt.Fprintf(&b, "  Current root has priority %d, address %s\n", br.rootPrio, ciscoMAC(br.rootMAC))
		fmt.Fprintf(&b, "  Root port is %d (%s), cost of root path is %d\n", p.number, p.name, br.rootCost(at))
	} else {
		fmt.Fprintf(&b, "  We are the root of the spanning tree\n")
	}
	count, last, from := br.topology(at)
	flag := "not set"
	if at-last < 4*time.Second { // twice the hello time (IEEE 802.1D-2004, tcWhile)
		flag = "set"
	}
	fmt.Fprintf(&b, "  Topology change flag %s, detected flag not set\n", flag)
	fmt.Fprintf(&b, "  Number of topology changes %d last change occurred %s ago\n", count, ago(at-last))
	if from != nil {
		fmt.Fprintf(&b, "          from %s\n", from.name)
	}
	b.WriteString("  Times:  hold 1, topology change 35, notification 2\n          hello 2, max age 20, forward delay 15 \n  Timers: hello 0, topology change 0, notification 0, aging 300\n")
	for _, p := range d.ports {
		d.showTreePort(&b, p, at)
	}
	return b.String() + "\n"
}

func (d *device) showTreePort(b *strings.Builder, p *port, at time.Duration) {
	s := p.tree(at)
	if s.role == "disabled" || s.role == "" {
		return
	}
	br := d.bridge
	fmt.Fprintf(b, "\n Port %d (%s) of VLAN0001 is %s %s \n", p.number, p.name, s.role, s.stp)
	fmt.Fprintf(b, "   Port path cost %d, Port priority 128, Port Identifier 128.%d.\n", s.cost, p.number)
	fmt.Fprintf(b, "   Designated root has priority %d, address %s\n", br.rootPrio, ciscoMAC(br.rootMAC))
	fmt.Fprintf(b, "   Designated bridge has priority %d, address %s\n", br.priority, ciscoMAC(br.mac))
	fmt.Fprintf(b, "   Designated port id is 128.%d, designated path cost %d\n", p.number, br.rootCost(at))
	fmt.Fprintf(b, "   Timers: message age 0, forward delay 0, hold 0\n")
	fmt.Fprintf(b, "   Number of transitions to forwarding state: %d\n", p.forwardings(at))
	if !strings.HasPrefix(p.alias, "to ") {
		b.WriteString("   The port is in the portfast edge mode\n")
	}
	fmt.Fprintf(b, "   Link type is point-to-point by default\n   BPDU: sent %d, received %d\n", p.count(outMulticast, at), p.count(inMulticast, at))
}
