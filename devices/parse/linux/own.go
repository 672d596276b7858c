package linux

import (
	"slices"
	"strconv"
	"strings"

	"whydrop/correlate/timeline"
	"whydrop/devices/parse/internal/text"
)

// Own is what a host prints of itself, beside its ports. What is not printed is not in the maps.
type Own struct {
	// Counts are counted since the host started: timeline.HostUDPDrops, HostUDPErrors, HostNICDrops, Sessions and the like.
	Counts map[timeline.Metric]float64
	// Shares are of now: timeline.HostSteal, HostIOWait of all cores together, HostSoftirq and HostCoreBusy of the core that has
	// the most of it; ratios.
	Shares map[timeline.Metric]float64
	Queues []Queue // in the order printed
}

// Queue is a queueing discipline (tc-qdisc(8)).
type Queue struct {
	Port, Kind, Handle string
	Octets, Packets    float64 // sent
	Dropped            float64
	Overlimits         float64 // how often it had to wait before it sent
	Backlog            float64 // octets that wait now
}

func (o *Own) count(m timeline.Metric, n float64) {
	if o.Counts == nil {
		o.Counts = map[timeline.Metric]float64{}
	}
	o.Counts[m] += n
}

// most keeps the greatest share.
func (o *Own) most(m timeline.Metric, v float64) {
	if o.Shares == nil {
		o.Shares = map[timeline.Metric]float64{}
	}
	if old, ok := o.Shares[m]; !ok || v > old {
		o.Shares[m] = v
	}
}

// OwnCounters reads any of what Linux tells of itself: /proc/net/snmp, "netstat -s", "nstat -a", /proc/net/softnet_stat, the sizes of
// nf_conntrack, "mpstat", the head of "top", "vmstat" and "tc -s qdisc". Lines of none of them are left alone; ok says
// whether there was anything.
//
// Sources: proc(5), the kernel's net/core/net-procfs.c for the columns of softnet_stat, mpstat(1), top(1), vmstat(8), tc(8).
func OwnCounters(output string) (o Own, ok bool) {
	var titles []string // of the table that is being read
	var names, kind = []string(nil), ""
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		switch {
		case softnet(&o, f), summary(&o, line, f), conntrack(&o, line), processors(&o, line), qdisc(&o, line, f):
			ok = true
		case slices.Index(f, "%idle") >= 0 || slices.Index(f, "id") >= 0 && slices.Index(f, "wa") >= 0 && slices.Index(f, "us") >= 0:
			titles = f
		case titles != nil && cpuRow(&o, titles, f):
			ok = true
		case strings.HasSuffix(f[0], ":") && len(f) > 1:
			if f[0] == kind && len(f) == len(names) {
				ok = protocol(&o, names, f) || ok
			}
			kind, names = f[0], f
		}
	}
	return o, ok
}

// softnet reads a line of /proc/net/softnet_stat: hexadecimal words, of which the second counts packets for which the
// input queue had no room, and the third how often the time for taking in packets ran out.
func softnet(o *Own, f []string) bool {
	const fewest, width = 9, 8
	if len(f) < fewest {
		return false
	}
	for _, w := range f {
		if len(w) != width {
			return false
		}
	}
	dropped, err := strconv.ParseUint(f[1], 16, 32)
	if _, err2 := strconv.ParseUint(f[0], 16, 32); err != nil || err2 != nil {
		return false
	}
	o.count(timeline.HostNICDrops, float64(dropped))
	return true
}

// summaries are the words behind a number of netstat -s, with the spellings of older ones, and the names of nstat.
var summaries = map[string]timeline.Metric{
	"receive buffer errors": timeline.HostUDPDrops, "RcvbufErrors:": timeline.HostUDPDrops, "UdpRcvbufErrors": timeline.HostUDPDrops, "Udp6RcvbufErrors": timeline.HostUDPDrops,
	"segments retransmitted": timeline.TCPRetransmits, "segments retransmited": timeline.TCPRetransmits, "TcpRetransSegs": timeline.TCPRetransmits,
	"segments sent out": timeline.OutPackets, "segments send out": timeline.OutPackets, "TcpOutSegs": timeline.OutPackets,
}

// summary reads "881203 receive buffer errors" of netstat -s, which older ones write "RcvbufErrors: 881203", and nstat's
// "UdpRcvbufErrors 881203 0.0".
func summary(o *Own, line string, f []string) bool {
	n, words, _ := strings.Cut(strings.TrimSpace(line), " ")
	if len(f) >= 2 && (n[0] < '0' || n[0] > '9') {
		n, words = f[1], f[0]
	}
	m, ok := summaries[words]
	v, err := strconv.ParseFloat(n, 64)
	if !ok || err != nil {
		return false
	}
	o.count(m, v)
	return true
}

// conntrack reads "net.netfilter.nf_conntrack_count = 65536".
func conntrack(o *Own, line string) bool {
	name, value, found := strings.Cut(line, "=")
	if !found {
		return false
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil {
		return false
	}
	switch name = strings.TrimSpace(name); name[strings.LastIndexByte(name, '.')+1:] {
	case "nf_conntrack_count":
		o.count(timeline.Sessions, n)
	case "nf_conntrack_max":
		o.count(timeline.SessionLimit, n)
	default:
		return false
	}
	return true
}

// protocol reads two lines of /proc/net/snmp, names and values: "Udp: InDatagrams ... RcvbufErrors ...".
func protocol(o *Own, names, values []string) bool {
	v := map[string]float64{}
	for i := 1; i < len(names); i++ {
		n, err := strconv.ParseFloat(values[i], 64)
		if err != nil {
			return false
		}
		v[names[i]] = n
	}
	kind := strings.TrimSuffix(names[0], ":")
	if n, ok := v["RcvbufErrors"]; ok && kind == "Udp" {
		o.count(timeline.HostUDPDrops, n)
		o.count(timeline.HostUDPErrors, max(0, v["InErrors"]-n))
	}
	if n, ok := v["RetransSegs"]; ok && kind == "Tcp" {
		o.count(timeline.TCPRetransmits, n)
		o.count(timeline.OutPackets, v["OutSegs"])
	}
	return true
}

// processors reads "%Cpu(s): 10.0 us, 15.0 sy, 0.0 ni, 50.0 id, 0.0 wa, 0.0 hi, 5.0 si, 20.0 st" of top, and "Cpu0 : 1.0%us, ...".
func processors(o *Own, line string) bool {
	name, rest, ok := strings.Cut(line, ":")
	name = strings.TrimSpace(name)
	if !ok || !strings.HasPrefix(strings.TrimPrefix(name, "%"), "Cpu") {
		return false
	}
	v := map[string]float64{}
	for part := range strings.SplitSeq(rest, ",") {
		part = strings.TrimSpace(part)
		i := strings.IndexFunc(part, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if i <= 0 {
			continue
		}
		if n, err := strconv.ParseFloat(part[:i], 64); err == nil {
			v[strings.TrimLeft(part[i:], "% ")] = n / 100
		}
	}
	if _, ok := v["id"]; !ok {
		return false
	}
	share(o, v["id"], v["hi"]+v["si"], v["st"], v["wa"], !strings.HasSuffix(name, "(s)"))
	return true
}

// share takes over how a processor, or all of them, spent its time.
func share(o *Own, idle, interrupts, steal, wait float64, one bool) {
	if one {
		o.most(timeline.HostCoreBusy, max(0, 1-idle-wait-steal))
		o.most(timeline.HostSoftirq, interrupts)
	} else {
		o.most(timeline.HostIOWait, wait)
	}
	o.most(timeline.HostSteal, steal)
}

// cpuRow reads a row of mpstat or of vmstat below its titles. The row's last words stand below the last titles; the first may
// be a time of one word or two.
func cpuRow(o *Own, titles, f []string) bool {
	at := slices.Index(titles, "CPU")
	v := map[string]float64{}
	for i := 1; i <= len(titles) && i <= len(f); i++ {
		n, err := strconv.ParseFloat(strings.Replace(f[len(f)-i], ",", ".", 1), 64)
		if err != nil {
			break
		}
		if at >= 0 && n > 100.5 {
			return false // no share
		}
		v[titles[len(titles)-i]] = n / 100
	}
	switch {
	case at < 0: // vmstat: of all processors
		if _, ok := v["st"]; !ok || len(f) != len(titles) {
			return false
		}
		share(o, v["id"], 0, v["st"], v["wa"], false)
	case len(f) < len(titles)-at || len(v) < 5:
		return false
	default:
		cpu := f[len(f)-len(titles)+at]
		share(o, v["%idle"], v["%irq"]+v["%soft"], v["%steal"], v["%iowait"], cpu != "all")
	}
	return true
}

// qdisc reads "qdisc htb 1: dev eth0 root ..." and the lines below it: "Sent 10 bytes 1 pkt (dropped 0, overlimits 0
// requeues 0)" and "backlog 1211400b 801p requeues 0".
func qdisc(o *Own, line string, f []string) bool {
	if f[0] == "qdisc" && len(f) > 2 && strings.HasSuffix(f[2], ":") {
		q := Queue{Kind: f[1], Handle: f[2]}
		if i := slices.Index(f, "dev"); i >= 0 && i+1 < len(f) {
			q.Port = f[i+1]
		}
		o.Queues = append(o.Queues, q)
		return true
	}
	if len(o.Queues) == 0 {
		return false
	}
	q := &o.Queues[len(o.Queues)-1]
	switch {
	case f[0] == "Sent" && len(f) >= 7 && strings.Contains(line, "(dropped "):
		number := func(after string) float64 {
			_, rest, _ := strings.Cut(line, after)
			n, _ := strconv.ParseFloat(rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))], 64)
			return n
		}
		q.Octets, q.Dropped, q.Overlimits = number("Sent "), number("(dropped "), number("overlimits ")
		q.Packets = number("bytes ")
	case f[0] == "backlog" && len(f) >= 3:
		q.Backlog = octets(f[1])
	default:
		return false
	}
	return true
}

// octets reads "1211400b", "12Kb", "3Mb": bytes, as tc writes them.
func octets(s string) float64 {
	s = strings.TrimSuffix(s, "b")
	times := 1.0
	if n := len(s); n > 0 {
		switch s[n-1] {
		case 'K':
			s, times = s[:n-1], 1<<10
		case 'M':
			s, times = s[:n-1], 1<<20
		}
	}
	n, _ := strconv.ParseFloat(s, 64)
	return n * times
}
