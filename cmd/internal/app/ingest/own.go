package ingest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/parse"
	"whydrop/devices/parse/linux"
	"whydrop/rules"
)

// ownLine is a line of what Linux tells of itself: softnet_stat, snmp, mpstat, vmstat, top, nf_conntrack, tc.
var ownLine = regexp.MustCompile(`^\s*(?:` + strings.Join([]string{
	`[0-9a-f]{8}(?: [0-9a-f]{8}){8,}\s*$`,
	`(?:Ip|Icmp|IcmpMsg|Tcp|Udp|UdpLite): (?:[A-Z]\w+|-?\d)`,
	`\S+(?: [AP]M)?\s+(?:CPU\s+%\w+|(?:all|\d+)(?:\s+\d+[.,]\d\d){9,}\s*$)`,
	`(?:r\s+b\s+swpd\b|\d+(?:\s+\d+){15,17}\s*$)`,
	`%?Cpu(?:\(s\)|\d+)\s*:`,
	`(?:net\.[\w.]+\.)?nf_conntrack_(?:count|max)\s*=\s*\d+`,
	`\d+ (?:receive buffer errors|segments (?:sen[dt] out|retransmitt?ed))\s*$|RcvbufErrors: \d`,
	`qdisc \w+ \w*: `,
	`Sent \d+ bytes \d+ pkts? \(dropped \d`,
	`backlog \w+ \d+p requeues`,
	`maxpacket \d|new_flows_len \d|rate \S+bit \d+pps backlog`,
}, "|") + `)`)

var (
	// moreLine goes on with the answer of netstat -s: its other counters and titles.
	moreLine = regexp.MustCompile(`^(?:[A-Z]\w+:|\s+\d+ [a-z].{0,80}|\s+\w+: \d+)$`)
	// nstatLine is a counter of nstat, nstatCommand its command, whose letter a asks for what was counted since the host started.
	nstatLine     = regexp.MustCompile(`^\s*[A-Z]\w+\s+\d+\s+\d+\.\d+\s*$`)
	nstatCommand  = regexp.MustCompile(`\bnstat\b[^\n|;]*`)
	nstatAbsolute = regexp.MustCompile(`\s(?:-[a-zA-Z]*a\w*|--ignore)\b`)

	// statisticsCommand is ethtool -S with the port's name, statisticsLine a counter below it.
	statisticsCommand = regexp.MustCompile(`\bethtool (?:-S|--statistics) ([\w.@-]+)`)
	statisticsLine    = regexp.MustCompile(`^(?:NIC statistics:|\s*[\w\[\]][\w .\[\]()-]*: \d+)\s*$`)
	queueCommand      = regexp.MustCompile(`\btc .*\bdev ([\w.@-]+)`)
	// shellPrompt is that of a host: "root@db2:~#", "[root@db2 ~]$", "gw:~#".
	shellPrompt = regexp.MustCompile(`(?m)^\[?(?:[\w.-]+@)?([A-Za-z][\w-]*)(?:\.[\w.-]+)?(?::[^\s#$]*| [^\s#$\]]+\])[#$]`)
)

// ownBlock is what a host tells of itself, at one time.
type ownBlock struct {
	host string
	linux.Own
}

// findOwn claims what Linux tells of itself beside its ports, and the answers of ethtool -S. Lines that stand together are
// one reading; the titles of a table begin a new one.
func (t *text) findOwn() {
	var found []claim
	port, open := "", false // the port of an ethtool -S whose answer is being read; the last claim may go on
	var titles map[string]bool
	t.free(func(from, to int, line string) {
		line = strings.TrimRight(line, " \t")
		switch {
		case statisticsCommand.MatchString(line):
			port, open = statisticsCommand.FindStringSubmatch(line)[1], false
			return
		case port != "" && statisticsLine.MatchString(line):
			if open {
				found[len(found)-1].to = to
				return
			}
			found, open = append(found, claim{from: from, to: to, ethtool: port}), true
			return
		case ownLine.MatchString(line) || nstatLine.MatchString(line) && t.absolute(from):
			title := titleOf(line)
			if open && found[len(found)-1].own != nil && found[len(found)-1].to == from && !titles[title] {
				found[len(found)-1].to = to
			} else {
				found, open, titles = append(found, claim{from: from, to: to, own: &ownBlock{host: t.hostBefore(from)}}), true, map[string]bool{}
			}
			port, titles[title] = "", title != ""
			return
		case open && found[len(found)-1].own != nil && found[len(found)-1].to == from && moreLine.MatchString(line):
			found[len(found)-1].to = to
			return
		case strings.TrimSpace(line) != "":
			port = ""
		}
		open = false
	})
	for _, c := range found {
		if c.own == nil || t.readOwn(c) {
			t.claims = append(t.claims, c)
		}
	}
}

// titleOf returns what a line of a host's own counters is about, if another such line begins another reading; "" if several
// may stand in one.
func titleOf(line string) string {
	line = strings.TrimSpace(line)
	number, words, _ := strings.Cut(line, " ")
	switch {
	case nstatLine.MatchString(line):
		return number
	case strings.HasSuffix(words, "buffer errors"), strings.HasPrefix(words, "segments "):
		return words
	case strings.Contains(line, ": ") && !strings.ContainsAny(line[:min(len(line), 6)], "0123456789%"):
		return line
	}
	return ""
}

// absolute says whether the nstat in front of a place was asked for absolute values; without it prints what was counted since it
// was asked before.
func (t *text) absolute(at int) bool {
	const back = 6000 // all its counters
	all := nstatCommand.FindAllString(t.body[max(0, at-back):at], -1)
	return len(all) > 0 && nstatAbsolute.MatchString(all[len(all)-1])
}

// readOwn reads what a claim of a host's own words holds, and says whether that is anything.
func (t *text) readOwn(c claim) (ok bool) {
	if c.own.Own, ok = linux.OwnCounters(t.body[c.from:c.to]); !ok {
		return false
	}
	const back = 400
	if m := queueCommand.FindAllStringSubmatch(t.body[max(0, c.from-back):c.from], -1); len(m) > 0 {
		for i := range c.own.Queues {
			if c.own.Queues[i].Port == "" {
				c.own.Queues[i].Port = m[len(m)-1][1]
			}
		}
	}
	return true
}

// hostBefore returns the host whose prompt stands last in front of a place.
func (t *text) hostBefore(at int) string {
	if t.shells == nil {
		t.shells = append([][]int{}, shellPrompt.FindAllStringSubmatchIndex(t.body, -1)...)
	}
	if name := t.lastOf(t.shells, at); name != "" {
		return name
	}
	return t.deviceBefore(at)
}

// ethtool takes in an answer of ethtool -S: a port's counters under its driver's names.
func (b *builder) ethtool(t *text, c claim) {
	var r devices.Reading
	linux.Statistics("NIC statistics:\n"+t.body[c.from:c.to], c.ethtool, &r)
	for _, i := range r.Interfaces {
		b.snapshot(t, t.hostBefore(c.from), snapshot{Found: parse.Found{From: c.from, To: c.to, Interface: i}, shown: true, host: true, command: "ethtool -S"})
	}
}

// ownAt is a reading of a host and where it stands.
type ownAt struct {
	linux.Own
	source string
}

// own takes in what a host tells of itself. What it counts says something only between two readings, which finishOwn
// subtracts; shares of processors are of now.
func (b *builder) own(t *text, from int, o ownBlock) {
	if b.hosts == nil {
		b.hosts = map[string][]ownAt{}
	}
	if b.hosts[o.host] == nil {
		b.hostOrder = append(b.hostOrder, o.host)
	}
	b.hosts[o.host] = append(b.hosts[o.host], ownAt{o.Own, t.source(from)})
	var what []string
	for _, m := range slices.Sorted(maps.Keys(o.Shares)) {
		if v := o.Shares[m]; v >= 0.005 {
			what = append(what, report.MetricName(string(m))+" "+report.Percent(v))
		}
	}
	for _, m := range slices.Sorted(maps.Keys(o.Counts)) {
		if v := o.Counts[m]; v > 0 {
			what = append(what, fmt.Sprintf("%s %.0f", report.MetricName(string(m)), v))
		}
	}
	for _, q := range o.Queues {
		what = append(what, fmt.Sprintf("queue %s of %s: %.0f dropped, %.0f bytes wait", q.Kind, orDevice(q.Port), q.Dropped, q.Backlog))
	}
	if len(what) == 0 {
		what = []string{"nothing bad counted"}
	}
	b.block(t.where(from), "host", fmt.Sprintf("%s tells of itself: %s", o.host, report.Clip(strings.Join(what, ", "), 200)))
}

func orDevice(port string) string {
	if port == "" {
		return "a port"
	}
	return port
}

// finishOwn makes views and records of what hosts told.
func (b *builder) finishOwn() {
	for _, name := range b.hostOrder {
		values := map[timeline.Metric][]float64{}
		shares := map[timeline.Metric]float64{}
		v := rules.HostView{Subject: timeline.Host(name), Counts: map[timeline.Metric]float64{}, Shares: shares}
		queues := map[string][]linux.Queue{}
		var order []string
		for _, r := range b.hosts[name] {
			v.Source = r.source
			for m, n := range r.Counts {
				values[m] = append(values[m], n)
			}
			for m, s := range r.Shares {
				shares[m] = max(s, shares[m])
			}
			for _, q := range r.Queues {
				key := q.Port + " " + q.Handle + " " + q.Kind
				if queues[key] == nil {
					order = append(order, key)
				}
				queues[key] = append(queues[key], q)
			}
		}
		for m, all := range values {
			if n := len(all); n > 1 && m != timeline.Sessions && m != timeline.SessionLimit && all[n-1] >= all[n-2] {
				v.Counts[m] = all[n-1] - all[n-2]
			}
		}
		for _, key := range order {
			v.Queues = append(v.Queues, queueView(queues[key]))
		}
		b.Pasted.Hosts = append(b.Pasted.Hosts, v)
		b.ownRecords(v, values, shares)
	}
}

// queueView compares the last two readings of a queue.
func queueView(all []linux.Queue) rules.QueueView {
	last := all[len(all)-1]
	v := rules.QueueView{Port: last.Port, Kind: last.Kind, Backlog: last.Backlog, Readings: len(all), Dropped: last.Dropped, Overlimits: last.Overlimits, Packets: last.Packets}
	if n := len(all); n > 1 && last.Packets >= all[n-2].Packets && last.Dropped >= all[n-2].Dropped && last.Overlimits >= all[n-2].Overlimits {
		v.Dropped, v.Overlimits, v.Packets = v.Dropped-all[n-2].Dropped, v.Overlimits-all[n-2].Overlimits, v.Packets-all[n-2].Packets
		v.Backlog = min(last.Backlog, all[n-2].Backlog) // what stands in it all the time
	}
	return v
}

// ownRecords writes what hosts told as if the probe had watched them: the catalogue asks for it.
func (b *builder) ownRecords(v rules.HostView, values map[timeline.Metric][]float64, shares map[timeline.Metric]float64) {
	const apart = 60 // seconds, made up; only what was counted matters
	b.made = true
	sp := timeline.Span{From: b.clock, To: b.clock.Add(apart * time.Second)}
	o := timeline.Origin{Collector: v.Source, Exchange: 1}
	put := func(s timeline.Subject, m timeline.Metric, value float64) {
		b.Records = append(b.Records, timeline.Sample{Subject: s, Metric: m, Span: sp, Value: value, Origin: o})
	}
	tell := func(text string) {
		b.Told = append(b.Told, timeline.Event{Subject: v.Subject, Type: timeline.EventMark, Span: sp, Text: text, Attrs: map[string]string{}, Origin: o})
	}
	for _, m := range []timeline.Metric{timeline.HostSteal, timeline.HostSoftirq, timeline.HostCoreBusy, timeline.HostIOWait} {
		if s, ok := shares[m]; ok {
			put(v.Subject, m, s)
		}
	}
	if n := v.Counts[timeline.HostUDPDrops]; n > 0 {
		put(v.Subject, timeline.HostUDPDrops, n/apart)
		tell(fmt.Sprintf("receive buffer errors of UDP: %.0f more between two readings", n))
	}
	if all := values[timeline.HostUDPDrops]; len(all) == 1 && all[0] > 0 && slices.ContainsFunc(b.Pasted.Runs, lostDatagrams) {
		tell(fmt.Sprintf("receive buffer errors of UDP: %.0f so far", all[0]))
	}
	// From a tenth on a virtual machine misses its time slices several times a second.
	const taken = 0.1
	if s := shares[timeline.HostSteal]; s >= taken {
		tell(fmt.Sprintf("steal time of %s", report.Percent(s)))
	}
	device := timeline.Device(v.Subject.Name)
	for _, m := range []timeline.Metric{timeline.Sessions, timeline.SessionLimit} {
		if n := values[m]; len(n) > 0 {
			put(device, m, n[len(n)-1])
			b.Shown = true
		}
	}
}

// lostDatagrams says whether a run over UDP lost any: then even a counter of unknown age belongs to it.
func lostDatagrams(r rules.Run) bool { return r.Protocol == "udp" && r.Lost != nil && *r.Lost > 0 }
