package ingest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/syslog"
)

// logBlock is a number of lines of one device's log.
type logBlock struct {
	device string
	lines  []string
}

// relayed is the head that a log server puts in front: its own time, and the device.
var relayed = regexp.MustCompile(`^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} {1,2}\d{1,2}(?: \d{4})? \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\S+)\s+([A-Za-z][\w.-]*|\d{1,3}(?:\.\d{1,3}){3})[ :]`)

// messageCode is a message's name, quickly.
var messageCode = regexp.MustCompile(`%[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*-[0-7]-[A-Z0-9_]+\s?:`)

// chosen is a line in which a pair of FortiOS says when and why a unit took over, in the answer of get system ha status.
var chosen = regexp.MustCompile(`^\s*<(\d{4}[/-]\d\d[/-]\d\d \d\d:\d\d:\d\d)> (?:vcluster-\d+: )?(\S+ is selected as the (?:primary|master) because .*)`)

// kernelEvent says whether a line of a kernel's log tells of a port's or an aggregate's state.
func kernelEvent(line string) bool {
	m := kernelLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	l := syslog.Parse(line, epoch)
	return l.Type == timeline.EventOper || l.Type == timeline.EventLAGMember || l.Type == timeline.EventSTPState
}

// uptime is the time of a kernel's line: seconds since it started.
var uptime = regexp.MustCompile(`^\[ *(\d{1,10}\.\d{1,6})\]`)

// sinceStart returns when a line of a kernel's log was written if the kernel started at the epoch: nobody tells when it did,
// but how far apart its lines are.
func sinceStart(line string) (time.Time, bool) {
	m := uptime.FindStringSubmatch(line)
	if m == nil {
		return time.Time{}, false
	}
	s, err := strconv.ParseFloat(m[1], 64)
	return epoch.Add(seconds(s)), err == nil
}

// findLogs claims lines of logs. Lines of one device that follow each other are one block.
func (t *text) findLogs() {
	var found []claim
	elected := -1 // where the line behind the last choice begins
	t.free(func(from, to int, line string) {
		device := ""
		if m := chosen.FindStringSubmatch(line); m != nil {
			older := from == elected // the newest stands first
			if elected = to; older {
				return
			}
			device = t.deviceBefore(from)
			line = strings.ReplaceAll(m[1], "/", "-") + " " + m[2]
		} else if kernelEvent(line) {
			device = t.hostBefore(from)
		} else if !strings.Contains(line, "%") || !messageCode.MatchString(line) {
			return
		}
		if m := relayed.FindStringSubmatch(line); m != nil && device == "" {
			device, _, _ = strings.Cut(m[1], ".")
			if strings.ContainsAny(m[1][:1], "0123456789") {
				device = m[1]
			}
		}
		if n := len(found); n > 0 && strings.TrimSpace(t.body[found[n-1].to:from]) == "" && (device == "" || device == found[n-1].log.device) {
			found[n-1].to = to
			found[n-1].log.lines = append(found[n-1].log.lines, line)
			return
		}
		if device == "" {
			device = t.deviceBefore(from)
		}
		found = append(found, claim{from: from, to: to, log: &logBlock{device, []string{line}}})
	})
	t.claims = append(t.claims, found...)
}

// fullYear finds a date with its year.
var fullYear = regexp.MustCompile(`\b(20\d\d)-(\d\d)-(\d\d)|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2}\s+(20\d\d)`)

// year returns a moment near which lines were written that give no year: a date that stands in one of the texts,
// or the epoch's.
func (c *Collection) year() time.Time {
	for _, t := range c.texts {
		for _, x := range t.claims {
			if x.iperf != nil && !x.iperf.Start.IsZero() {
				return x.iperf.Start
			}
		}
		const beginning = 1 << 20
		if m := fullYear.FindStringSubmatch(t.body[:min(len(t.body), beginning)]); m != nil {
			if at, err := time.Parse("2006-01-02", m[1]+"-"+m[2]+"-"+m[3]); err == nil {
				return at
			}
			if at, err := time.Parse("2006", m[4]); err == nil {
				return at.AddDate(0, 6, 0)
			}
		}
	}
	return time.Time{}
}

// log takes in lines of a device's log: they become events, as if the device had been asked for its log.
func (b *builder) log(t *text, from int, l logBlock) {
	at := len(b.Pasted.Events)
	ref := b.year
	switch {
	case !ref.IsZero():
	case b.today.IsZero():
		ref = epoch.AddDate(0, 6, 0)
	default:
		ref = b.today
	}
	lines := make([]devices.LogLine, 0, len(l.lines))
	var last time.Time
	for _, s := range l.lines {
		x := syslog.Parse(strings.TrimSpace(s), ref)
		if l.device == someDevice && x.Host != "" {
			l.device = report.Clean(x.Host)
		}
		if !x.Time.OK {
			next := last.Add(time.Millisecond) // behind the one before, and nobody knows how long
			if last.IsZero() {
				next = b.clock
			}
			if at, ok := sinceStart(strings.TrimSpace(s)); ok {
				next = at
			}
			x.Time, b.made = devices.Some(next), true
		}
		b.dated = b.dated || !b.year.IsZero() && !b.made
		last = x.Time.Value
		lines = append(lines, x)
	}
	slices.SortStableFunc(lines, func(a, b devices.LogLine) int { return a.Time.Value.Compare(b.Time.Value) })
	first, end := lines[0].Time.Value.Add(-time.Second), lines[len(lines)-1].Time.Value.Add(time.Second)
	reading := devices.Reading{Device: l.device, Span: timeline.Span{From: first, To: end}, Log: lines,
		Origin: timeline.Origin{Collector: t.source(from), Exchange: 1}, LocalClock: devices.Some(devices.LocalClock{Time: end, Span: timeline.At(end)})}
	var d devices.Differ
	for _, r := range d.Records(reading) {
		if e, ok := r.(timeline.Event); ok {
			if len(b.Pasted.Events) >= maxEvents {
				b.Notes = appendOnce(b.Notes, fmt.Sprintf("Only the first %d events of logs were looked at.", maxEvents))
				break
			}
			b.Records = append(b.Records, e)
			b.Pasted.Events = append(b.Pasted.Events, e)
		}
	}
	if b.year.IsZero() {
		b.Notes = appendOnce(b.Notes, "Lines of logs give no year; they are taken for the last of their date.")
	}
	b.block(t.where(from), "syslog", logText(l, lines, b.Pasted.Events[at:]))
}

func appendOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// logText says in one sentence what the lines tell.
func logText(l logBlock, lines []devices.LogLine, events []timeline.Event) string {
	text := fmt.Sprintf("%d lines of the log of %s", len(l.lines), l.device)
	if len(l.lines) == 1 {
		text = "a line of the log of " + l.device
	}
	if from, to := lines[0].Time.Value, lines[len(lines)-1].Time.Value; to.After(from) {
		text += fmt.Sprintf(", %s to %s", report.ClockSecond(from), report.ClockSecond(to))
	}
	names := map[timeline.EventType]string{
		timeline.EventOper: "changes of a port's state", timeline.EventTopologyChange: "topology changes", timeline.EventSTPState: "changes of a port's spanning-tree state",
		timeline.EventRootPort: "changes of the root port", timeline.EventFailover: "changes of a redundant role", timeline.EventDuplexMismatch: "reports of a duplex mismatch", timeline.EventRestart: "restarts",
	}
	var order []timeline.EventType
	count := map[timeline.EventType]int{}
	for _, e := range events {
		if names[e.Type] == "" {
			continue
		}
		if count[e.Type] == 0 {
			order = append(order, e.Type)
		}
		count[e.Type]++
	}
	var parts []string
	for _, o := range order {
		parts = append(parts, fmt.Sprintf("%d %s", count[o], names[o]))
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}
