package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// LearnOptions says which path is learnt and how it is shown.
type LearnOptions struct {
	From, To string // addresses, host names, or devices of the site; From may also be a MAC address, and To
	Format   string // text or json
	Out      io.Writer
}

// LearnPath learns a path through the plan's devices and prints it. It returns an Exit: ExitOK if the path is complete,
// ExitPartial if a part of it was learnt, ExitNotMeasured if nothing was.
func LearnPath(ctx context.Context, plan Plan, o LearnOptions) error {
	if len(plan.Devices) == 0 {
		return Usagef("the site file names no device that can be asked")
	}
	from, err := pathEnd(ctx, plan, o.From)
	if err != nil {
		return Exit{ExitUsage, err}
	}
	to, err := pathEnd(ctx, plan, o.To)
	if err != nil {
		return Exit{ExitUsage, err}
	}
	reader := newPathReader(plan.Devices)
	defer reader.close()
	tables := reader.read(ctx, from, to)
	if ctx.Err() != nil {
		return Exit{Code: ExitInterrupted}
	}
	learnt := correlate.LearnPath(from, to, tables, plan.Topology.Links)
	for _, p := range plan.Topology.Paths {
		if e, err := pathEnd(ctx, plan, p.To); err == nil && e.IP == to.IP && len(p.Hops) > 0 {
			for _, c := range correlate.PathContradictions(p.Hops, learnt) {
				learnt.Warnings = append(learnt.Warnings, "path "+p.Name+": "+c)
			}
		}
	}
	if err := printPath(o, learnt, tables); err != nil {
		return Exit{ExitNotMeasured, err}
	}
	switch {
	case learnt.Complete:
		return nil
	case len(learnt.Hops) > 0:
		return Exit{Code: ExitPartial}
	}
	return Exit{Code: ExitNotMeasured}
}

// pathEnd finds the address of an end: a device of the plan, an IP or MAC address, or a host's name. An address of this
// host brings its MAC address along.
func pathEnd(ctx context.Context, plan Plan, name string) (correlate.PathEnd, error) {
	e := correlate.PathEnd{Name: name}
	if m, err := net.ParseMAC(name); err == nil && len(m) == 6 {
		e.MAC = m.String()
		return e, nil
	}
	host := name
	for _, d := range plan.Senders {
		if d.Name == name {
			host = d.Address
		}
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			return e, fmt.Errorf("find the address of %q: %w", name, err)
		}
		ip = found[0]
	}
	e.IP = ip.Unmap().WithZone("")
	if e.MAC = localMAC(e.IP); e.MAC == "" {
		e.MAC = heardMAC(e.IP)
	}
	return e, nil
}

// heardMAC returns the MAC address that this host's own neighbour cache has for an address; "" if it has none, or the
// system does not show its cache as a file (proc_net(5): IP address, hardware type, flags, hardware address).
func heardMAC(ip netip.Addr) string {
	const complete = "0x2" // ATF_COM
	b, err := os.ReadFile("/proc/net/arp")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) >= 4 && f[0] == ip.String() && f[2] == complete {
			return strings.ToLower(f[3])
		}
	}
	return ""
}

// localMAC returns the MAC address of this host's interface that has the IP address; "" if it has none.
func localMAC(ip netip.Addr) string {
	list, err := net.Interfaces()
	if err != nil {
		return ""
	}
	for _, i := range list {
		addrs, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok {
				if have, _ := netip.AddrFromSlice(n.IP); have.Unmap() == ip && len(i.HardwareAddr) == 6 && i.Flags&net.FlagLoopback == 0 {
					return i.HardwareAddr.String()
				}
			}
		}
	}
	return ""
}

// localEnd returns this host as the end of a path to an address: the address it sends from.
func localEnd(to netip.Addr) correlate.PathEnd {
	e := correlate.PathEnd{Name: "this host"}
	c, err := net.Dial("udp", netip.AddrPortFrom(to, 9).String()) // sends nothing
	if err != nil {
		return e
	}
	defer c.Close()
	if a, ok := c.LocalAddr().(*net.UDPAddr); ok {
		e.IP = a.AddrPort().Addr().Unmap().WithZone("")
		e.MAC = localMAC(e.IP)
	}
	return e
}

// siteHops returns the hops as the site file writes them: each device once, groups as groups.
func siteHops(p correlate.LearntPath) [][]string {
	var out [][]string
	for _, h := range p.Hops {
		if !slices.ContainsFunc(out, func(have []string) bool { return slices.Contains(have, h.Device) }) {
			out = append(out, h.Names())
		}
	}
	return out
}

// sitePorts returns the ports of each device on the path, in the order of the hops, and those at which the other units of
// a group are, so that they are watched when these take over. The other unit of a group has the
// same ports where it has ports of those names.
func sitePorts(p correlate.LearntPath, tables []correlate.PathTables) (names []string, ports map[string][]string) {
	ports = map[string][]string{}
	add := func(device string, list []string) {
		if len(list) > 0 && !slices.Contains(names, device) {
			names = append(names, device)
		}
		for _, port := range list {
			if !slices.Contains(ports[device], port) {
				ports[device] = append(ports[device], port)
			}
		}
	}
	for _, h := range p.Hops {
		if h.Unwatched {
			continue
		}
		add(h.Device, slices.Concat(h.Ports(), h.Beside))
		for _, t := range tables {
			if slices.Contains(h.Others, t.Device) {
				add(t.Device, slices.DeleteFunc(h.Ports(), func(port string) bool { return !slices.Contains(t.Ports, port) }))
			}
		}
	}
	return names, ports
}

// tablesSpan returns when the tables were read.
func tablesSpan(tables []correlate.PathTables) timeline.Span {
	var s timeline.Span
	for _, t := range tables {
		if !t.Span.IsZero() {
			s = s.Union(t.Span)
		}
	}
	return s
}

func printPath(o LearnOptions, p correlate.LearntPath, tables []correlate.PathTables) error {
	if o.Format == "json" {
		enc := json.NewEncoder(o.Out)
		enc.SetIndent("", "\t")
		return enc.Encode(pathDocument(p, tables))
	}
	var b strings.Builder
	pathText(&b, p, tables)
	_, err := io.WriteString(o.Out, b.String())
	return err
}

// pathText prints the hops with their evidence, what is not known, and the lines for the site file.
func pathText(w io.Writer, p correlate.LearntPath, tables []correlate.PathTables) {
	state := "complete"
	if !p.Complete {
		state = "not complete"
	}
	span := tablesSpan(tables)
	fmt.Fprintf(w, "%s to %s: %s\n", endText(p.From), endText(p.To), state)
	fmt.Fprintf(w, "tables read %s to %s UTC\n\n", span.From.UTC().Format("15:04:05.000"), span.To.UTC().Format("15:04:05.000"))
	list := func(title string, texts []string) {
		if len(texts) == 0 {
			return
		}
		fmt.Fprintln(w, title)
		for _, t := range texts {
			fmt.Fprintln(w, "  - "+report.Clean(t))
		}
	}
	for i, h := range p.Hops {
		fmt.Fprintf(w, "%2d  %s\n", i+1, report.Clean(hopText(h)))
		for _, e := range h.Evidence {
			fmt.Fprintln(w, "      - "+report.Clean(e))
		}
	}
	list("the ends:", p.Evidence)
	list("could not be learnt:", p.Unknown)
	list("contradictions:", p.Warnings)
	siteText(w, p, tables)
}

func endText(e correlate.PathEnd) string {
	text := report.Clean(e.Name)
	if e.IP.IsValid() && e.IP.String() != e.Name {
		text += " (" + e.IP.String() + ")"
	}
	return text
}

func hopText(h correlate.LearntHop) string {
	port := func(p string, members []string) string {
		switch {
		case p == "":
			return "?"
		case len(members) > 0:
			return p + " (" + strings.Join(members, ", ") + ")"
		}
		return p
	}
	switch {
	case h.Undecided:
		return strings.Join(h.Names(), " or ") + "  (which of them carries is not known)"
	case h.Unwatched:
		return h.Device + "  (its tables were not read)"
	}
	text := h.Device + "  " + port(h.In, h.InMembers) + " > " + port(h.Out, h.OutMembers)
	if len(h.Beside) > 0 {
		text += "  (another unit at " + strings.Join(h.Beside, ", ") + ")"
	}
	if len(h.Others) > 0 {
		text += "  (carries; beside it " + strings.Join(h.Others, ", ") + ")"
	}
	return text
}

// siteText prints what may be pasted into the site file.
func siteText(w io.Writer, p correlate.LearntPath, tables []correlate.PathTables) {
	if len(p.Hops) == 0 {
		return
	}
	var hops []string
	for _, h := range siteHops(p) {
		text := yamlText(h[0])
		if len(h) > 1 {
			text = flowList(h)
		}
		hops = append(hops, text)
	}
	fmt.Fprintf(w, "\nfor the site file, under the path:\n    hops: [%s]\nand under its devices:\n", strings.Join(hops, ", "))
	names, ports := sitePorts(p, tables)
	for _, n := range names {
		fmt.Fprintf(w, "  - name: %s\n    ports: %s\n", yamlText(n), flowList(ports[n]))
	}
}

func flowList(list []string) string {
	var out []string
	for _, s := range list {
		out = append(out, yamlText(s))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// yamlText writes a text as a YAML scalar: plain where that is safe, else quoted.
func yamlText(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-", r))
	}) && !strings.HasPrefix(s, "-") && strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	if plain && !slices.Contains([]string{"yes", "no", "on", "off", "true", "false", "null"}, strings.ToLower(s)) {
		return s
	}
	b, _ := json.Marshal(report.Clean(s))
	return string(b)
}
