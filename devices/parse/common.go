package parse

import (
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/cisco_ios"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/syslog"
)

// spanningTree reads "show spanning-tree detail" of IOS, NX-OS and EOS: each instance, and over all of them the
// bridge and the state of each port.
func spanningTree(in Input, r *devices.Reading) {
	trees := cisco_ios.ShowSpanningTreeDetail(in.Text)
	bridge, ports := cisco_ios.Combine(trees)
	if bridge == nil {
		return
	}
	r.Bridge = bridge
	into.Ports(r, ports)
	for _, t := range trees {
		r.Trees = append(r.Trees, treeOf(t))
	}
}

func treeOf(t cisco_ios.SpanningTree) devices.Tree {
	out := devices.Tree{Name: tables.TreeName(t.Name), Protocol: protocols[t.Protocol], Bridge: t.Bridge}
	if out.Protocol == "stp" && strings.HasPrefix(out.Name, "vlan ") {
		out.Protocol = "pvst"
	} else if out.Protocol == "rstp" && strings.HasPrefix(out.Name, "vlan ") {
		out.Protocol = "rapid-pvst"
	}
	for _, p := range t.Ports {
		tp := devices.TreePort{Port: p.Name, Cost: p.Cost, Forwards: p.Transitions, Inconsistent: p.Inconsistent}
		if p.State != "" {
			tp.State = devices.Some(p.State)
		}
		if p.Role != "" {
			tp.Role = devices.Some(p.Role)
		}
		out.Ports = append(out.Ports, tp)
	}
	return out
}

// protocols are the words of "is executing the ... compatible Spanning Tree protocol".
var protocols = map[string]string{"ieee": "stp", "rstp": "rstp", "mstp": "mstp"}

// logLines reads a log of which every line has a header of its own; other lines are passed over.
func logLines(in Input, r *devices.Reading) {
	lines := []devices.LogLine{}
	text := in.Text
	for _, mark := range []string{"\nLog Buffer (", "\nLog Buffer:"} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			_, text, _ = strings.Cut(rest, "\n")
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if l := syslog.Parse(line, in.Span.To); l.Mnemonic != "" || l.Time.OK {
			lines = append(lines, l)
		}
	}
	into.Log(r, lines)
}

// clock reads "14:02:05.123 UTC Mon Nov 30 2026", with "*" or "." before it.
func clock(in Input, r *devices.Reading) {
	if c, ok := cisco_ios.ShowClock(in.Text); ok {
		r.LocalClock = devices.Some(devices.LocalClock{Time: c.Time, Span: in.Span, Quality: c.Quality})
	}
}

// localTime puts a clock without a sign of its quality into the reading.
func localTime(in Input, r *devices.Reading, t time.Time, ok bool) {
	if ok {
		r.LocalClock = devices.Some(devices.LocalClock{Time: t.UTC(), Span: in.Span})
	}
}

// version keeps the first line that names the software, and the host's name where a line has it.
func version(words ...string) Parser {
	return func(in Input, r *devices.Reading) {
		for line := range strings.Lines(in.Text) {
			line = strings.TrimSpace(line)
			for _, w := range words {
				if strings.Contains(line, w) && !r.SysDescr.OK {
					r.SysDescr = devices.Some(line)
				}
			}
			for _, label := range []string{"Device name: ", "Hostname: "} {
				if name, ok := strings.CutPrefix(line, label); ok && !r.SysName.OK {
					r.SysName = devices.Some(strings.TrimSpace(name))
				}
			}
		}
	}
}

// neighbours reads the neighbours of a protocol in detail.
func neighbours(protocol string) Parser {
	return func(in Input, r *devices.Reading) { tables.Neighbours(in.Text, protocol, r) }
}

// groups reads the groups of a protocol in detail.
func groups(protocol string) Parser {
	return func(in Input, r *devices.Reading) { tables.Groups(in.Text, protocol, r) }
}

// optics reads modules by the labels of their figures.
func optics(in Input, r *devices.Reading) { tables.OpticLabels(in.Text, "", r) }

// optic reads the module of one port, which the command names.
func optic(text, port string, r *devices.Reading) { tables.OpticLabels(text, port, r) }
