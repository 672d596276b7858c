package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// unread lists what was to be read and never was, with the reason: devices, single ways of asking a device, and
// the probes of a path. It is what keeps a clean report from being called healthy in the dark.
func unread(s timeline.Snapshot, asked, paths []string) []string {
	var out []string
	for _, d := range asked {
		if !answered(s, d) {
			out = append(out, d+" could not be read: "+lastReason(s, d, ""))
			continue
		}
		for _, c := range silentCollectors(s, d) {
			out = append(out, fmt.Sprintf("%s could not be read by %s: %s", d, strings.TrimSuffix(c, ":"+d), lastReason(s, d, c)))
		}
	}
	for _, p := range paths {
		path := timeline.Path(p)
		flow := len(s.Series(path, timeline.GoodputForward))+len(s.Series(path, timeline.GoodputReverse)) > 0
		beats := len(s.Series(path, timeline.RTT)) > 0
		switch {
		case !flow && !beats:
			out = append(out, "path "+p+" could not be measured: "+lastProblem(s, path, "", "nothing came back"))
		case !flow && lastProblem(s, path, "iperf3", "") != "":
			out = append(out, "path "+p+": no TCP test ran: "+lastProblem(s, path, "iperf3", ""))
		}
	}
	return out
}

// portless lists the devices that answer and of which no port was read, since the site file left it to be learnt which are
// on the path, and nothing told.
func portless(s timeline.Snapshot, t correlate.Topology) []string {
	var out []string
	for _, d := range t.Devices {
		if len(d.Ports)+len(d.OffPath) == 0 && d.Role != "host" && answered(s, d.Name) {
			out = append(out, "no port of "+d.Name+" was read: none was found on a path, and the site file names none")
		}
	}
	return out
}

// answered says whether the device gave anything by any way of asking.
func answered(s timeline.Snapshot, device string) bool {
	for _, v := range s.Series(timeline.Device(device), timeline.Reachable) {
		if v.Value > 0 {
			return true
		}
	}
	return false
}

// silentCollectors returns the collectors that failed on the device and never gave a figure or an event, sorted.
func silentCollectors(s timeline.Snapshot, device string) []string {
	silent := map[string]bool{}
	for _, g := range s.Gaps() {
		if g.Device == device && failed(g) && g.Origin.Collector != "" {
			silent[g.Origin.Collector] = true
		}
	}
	if len(silent) == 0 {
		return nil
	}
	for _, k := range s.Keys() {
		if k.Subject.Device != device || k.Metric == timeline.Reachable {
			continue
		}
		for _, v := range s.Series(k.Subject, k.Metric) {
			delete(silent, v.Origin.Collector)
		}
	}
	for _, e := range s.Events() {
		if e.Device == device {
			delete(silent, e.Origin.Collector)
		}
	}
	out := make([]string, 0, len(silent))
	for c := range silent {
		out = append(out, c)
	}
	slices.Sort(out)
	return out
}

// failed says whether a gap stands for a question that was refused or not answered.
func failed(g timeline.Gap) bool {
	switch g.Reason {
	case timeline.ReasonTimeout, timeline.ReasonUnreachable, timeline.ReasonAuth, timeline.ReasonPartial:
		return g.Metric == "" || g.Metric == timeline.Reachable
	}
	return false
}

// lastReason returns why the device (by that collector, if one is named) gave nothing: the newest gap's words.
func lastReason(s timeline.Snapshot, device, collector string) string {
	text := "no answer"
	for _, g := range s.Gaps() {
		stopped := g.Reason == timeline.ReasonStopped && g.Text != ""
		if g.Device != device || !failed(g) && !stopped || collector != "" && g.Origin.Collector != collector {
			continue
		}
		if text = g.Text; text == "" {
			text = string(g.Reason)
		}
	}
	return text
}

// unreadPorts lists those of the ports of which the device, which answers, gave nothing, with the reason.
func unreadPorts(s timeline.Snapshot, ports []timeline.Subject) []string {
	read := map[timeline.Subject]bool{}
	for _, k := range s.Keys() {
		read[k.Subject] = true
	}
	var out []string
	for _, p := range ports {
		if text := lastGap(s, p); !read[p] && text != "" && answered(s, p.Device) {
			out = append(out, p.String()+" could not be read: "+text)
		}
	}
	return out
}

// lastGap returns the words of the newest gap of a subject that has any.
func lastGap(s timeline.Snapshot, sub timeline.Subject) (text string) {
	for _, g := range s.Gaps() {
		if g.Subject == sub && g.Text != "" {
			text = g.Text
		}
	}
	return text
}

// slowed lists the devices that are asked more rarely than was wanted, since they were slow or busy, with the last of the
// reasons, which says how rarely.
func slowed(s timeline.Snapshot, asked []string) []string {
	var out []string
	for _, d := range asked {
		if e := s.EventsOf(timeline.Device(d), timeline.EventSlow); len(e) > 0 {
			out = append(out, d+" was backed off from: "+e[len(e)-1].Text)
		}
	}
	return out
}

// unmeasured lists the stretches in which a path was not measured because its far end took no test, or because this host
// lost what had arrived.
func unmeasured(s timeline.Snapshot, paths []string) []string {
	var out []string
	for _, p := range paths {
		var sum time.Duration
		var when timeline.Span
		for _, g := range s.Gaps() {
			if g.Subject == timeline.Path(p) && g.Reason == timeline.ReasonPeer && strings.HasPrefix(string(g.Metric), "path.goodput") {
				sum += g.Span.Width()
				when = when.Union(g.Span)
			}
		}
		if sum >= time.Second {
			out = append(out, fmt.Sprintf("path %s: no TCP test for %s between %s and %s UTC: the far end took none", p,
				sum.Round(100*time.Millisecond), when.From.UTC().Format("15:04:05"), when.To.UTC().Format("15:04:05")))
		}
		if sum, when, text := lostHere(s, timeline.Path(p)); sum >= 100*time.Millisecond {
			out = append(out, fmt.Sprintf("path %s: its heartbeats say nothing for %s in all, between %s and %s UTC: %s", p,
				report.Length(sum), report.Clock(when.From), report.Clock(when.To), text))
		}
	}
	return out
}

// lostHere returns for how long, and when, a path's heartbeats were lost by this host itself, with the newest words on it.
func lostHere(s timeline.Snapshot, path timeline.Subject) (sum time.Duration, when timeline.Span, text string) {
	for _, g := range s.Gaps() {
		if g.Subject == path && g.Reason == timeline.ReasonHost && g.Metric == timeline.RTT {
			sum += g.Span.Width()
			when, text = when.Union(g.Span), g.Text
		}
	}
	return sum, when, text
}

// toldAnyway are the counters that are told even where no finding rests on them.
var toldAnyway = []timeline.Metric{timeline.InErrors, timeline.OutErrors, timeline.InFCS, timeline.InDrops, timeline.OutDrops}

// unexplained lists ports on the path that counted errors or drops which no finding rests on, so that nobody has to
// learn of them elsewhere.
func unexplained(s timeline.Snapshot, t correlate.Topology, found []rules.Diagnosis) []string {
	var out []string
	for _, sub := range s.Subjects() {
		if sub.Kind != timeline.KindPort || !t.OnPath(sub) || slices.ContainsFunc(found, func(d rules.Diagnosis) bool { return d.Subject == sub }) {
			continue
		}
		for _, m := range toldAnyway {
			var n float64
			for _, v := range s.Series(sub, m) {
				n += v.Value * v.Span.Width().Seconds()
			}
			if n >= 1 {
				desc, _ := timeline.Describe(m)
				out = append(out, fmt.Sprintf("%s counted %.0f %s; no finding rests on them", sub, n, desc.Name))
			}
		}
	}
	return out
}
