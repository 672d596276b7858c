package devices

import (
	"fmt"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// logs builds readings of a device's log every two seconds.
type logs struct {
	differ Differ
	at     time.Time
	offset time.Duration // the device's clock minus ours
	lines  []LogLine
}

func (l *logs) read(lines ...LogLine) []timeline.Record {
	l.lines = append(l.lines, lines...)
	return l.readOnly(l.lines)
}

func (l *logs) readOnly(lines []LogLine) []timeline.Record {
	sp := timeline.Span{From: l.at, To: l.at.Add(20 * time.Millisecond)}
	r := Reading{
		Device: "sw1", Span: sp, Origin: timeline.Origin{Collector: "ssh:sw1"}, Log: append([]LogLine{}, lines...),
		LocalClock: Some(LocalClock{Time: sp.Mid().Add(l.offset), Span: sp}),
	}
	l.at = l.at.Add(2 * time.Second)
	return l.differ.Records(r)
}

// line is written at a moment of ours.
func (l *logs) line(at time.Time, facility, mnemonic string, attrs map[string]string, port string) LogLine {
	t := at.Add(l.offset)
	return LogLine{
		Text: fmt.Sprintf("%s: %%%s-5-%s: %s", t.Format("Jan _2 15:04:05.000"), facility, mnemonic, port), Time: Some(t),
		Facility: facility, Mnemonic: mnemonic, Severity: Some(5), Attrs: attrs, Port: port,
	}
}

func newLogs() *logs { return &logs{at: t0, offset: -37*time.Second + 5*time.Millisecond} }

func allEvents(recs []timeline.Record) (out []timeline.Event) {
	for _, r := range recs {
		if e, ok := r.(timeline.Event); ok {
			out = append(out, e)
		}
	}
	return out
}

func TestEachLogLineBecomesOneEvent(t *testing.T) {
	l := newLogs()
	old := l.line(t0.Add(-time.Hour), "SYS", "CONFIG_I", nil, "")
	if e := allEvents(l.read(old)); len(e) != 0 {
		t.Errorf("a line from before the first reading: %+v", e)
	}
	happened := t0.Add(700 * time.Millisecond)
	line := l.line(happened, "LINK", "UPDOWN", map[string]string{"to": "down", "layer": "link"}, "GigabitEthernet1/0/1")
	line.Type = timeline.EventOper
	e := allEvents(l.read(line))
	if len(e) != 1 || e[0].Type != timeline.EventOper || e[0].Attrs["to"] != "down" || e[0].Text != line.Text {
		t.Fatalf("events %+v, want one if.oper in the device's words", e)
	}
	if off := e[0].Span.Mid().Sub(happened); off.Abs() > 15*time.Millisecond+WrittenAfter/2 || e[0].Span.Width() > 30*time.Millisecond+WrittenAfter {
		t.Errorf("dated %s off, to %s", off, e[0].Span.Width())
	}
	if e := allEvents(l.read()); len(e) != 0 {
		t.Errorf("the same lines again: %+v", e)
	}
	// The buffer rolls over: the oldest line is gone, a new one has come.
	l.lines = l.lines[1:]
	if e := allEvents(l.read(l.line(l.at.Add(-time.Second), "SYS", "RELOAD", nil, ""))); len(e) != 1 || e[0].Type != timeline.EventSyslog {
		t.Errorf("after the buffer rolled over: %+v, want the new line alone", e)
	}
	// A reading that is cut short, then the whole again.
	if e := allEvents(l.readOnly(l.lines[:1])); len(e) != 0 {
		t.Errorf("a reading cut short: %+v", e)
	}
	if e := allEvents(l.read()); len(e) != 0 {
		t.Errorf("the whole after a reading cut short: %+v", e)
	}
	// Everything rolled over.
	l.lines = nil
	if e := allEvents(l.read(l.line(l.at.Add(-time.Second), "SYS", "RESTART", nil, ""))); len(e) != 1 {
		t.Errorf("after all was overwritten: %+v, want one", e)
	}
}

func TestEqualLinesAreTwoEvents(t *testing.T) {
	l := newLogs()
	l.read(l.line(t0.Add(-time.Minute), "SYS", "A", nil, ""))
	x := l.line(l.at.Add(-time.Second), "FW", "DROP", nil, "")
	if e := allEvents(l.read(x)); len(e) != 1 {
		t.Errorf("%+v", e)
	}
	if e := allEvents(l.read(x)); len(e) != 1 {
		t.Errorf("an equal line that came later: %+v, want one event", e)
	}
}

func TestLogLinesBecomeTypedEvents(t *testing.T) {
	type m = map[string]string
	port := timeline.Port("sw1", "Gi1/0/1")
	dev := timeline.Device("sw1")
	for name, c := range map[string]struct {
		typ   timeline.EventType
		attrs m
		port  string
		want  timeline.EventType
		sub   timeline.Subject
		give  m
	}{
		"link":       {timeline.EventOper, m{"to": "up", "layer": "link"}, "GigabitEthernet1/0/1", timeline.EventOper, port, m{"to": "up", "layer": ""}},
		"tc trap":    {timeline.EventTopologyChange, m{"count": "1", "port": "GigabitEthernet1/0/1"}, "GigabitEthernet1/0/1", timeline.EventTopologyChange, dev, m{"count": "1", "port": "Gi1/0/1"}},
		"port state": {timeline.EventSTPState, m{"from": "blocking", "to": "forwarding"}, "Gi1/0/1", timeline.EventSTPState, port, m{"from": "blocking", "to": "forwarding"}},
		"root":       {timeline.EventRootPort, m{"to": "GigabitEthernet1/0/1"}, "", timeline.EventRootPort, dev, m{"to": "Gi1/0/1"}},
		"duplex":     {timeline.EventDuplexMismatch, m{"duplex": "half"}, "GigabitEthernet1/0/1", timeline.EventDuplexMismatch, port, nil},
		"failover":   {timeline.EventFailover, m{"to": "active", "unit": "secondary"}, "", timeline.EventFailover, dev, m{"to": "active"}},
		"hsrp":       {timeline.EventGateway, m{"from": "active", "to": "speak", "port": "Vlan10"}, "Vlan10", timeline.EventGateway, dev, m{"to": "speak", "port": "Vlan10"}},
		"a move":     {timeline.EventMACMove, m{"from": "GigabitEthernet1/0/1", "to": "Gi9"}, "", timeline.EventMACMove, dev, m{"from": "Gi1/0/1", "to": "Gi9"}},
		"anything":   {"", nil, "", timeline.EventSyslog, dev, m{"facility": "SYS", "mnemonic": "X", "severity": "5"}},
		"about a port not watched": {timeline.EventErrDisabled, m{"cause": "bpduguard", "to": "disabled"}, "Gi1/0/7", timeline.EventErrDisabled,
			timeline.Port("sw1", "Gi1/0/7"), m{"cause": "bpduguard"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLogs()
			l.differ.Records(Reading{ // the name under which the port is watched
				Device: "sw1", Span: timeline.At(t0), Origin: timeline.Origin{Collector: "snmp:sw1"}, Interfaces: []Interface{{Name: "Gi1/0/1"}},
			})
			l.read(l.line(t0.Add(-time.Minute), "SYS", "A", nil, ""))
			line := l.line(l.at.Add(-time.Second), "SYS", "X", c.attrs, c.port)
			line.Type = c.typ
			e := allEvents(l.read(line))
			if len(e) != 1 || e[0].Type != c.want || e[0].Subject != c.sub {
				t.Fatalf("events %+v, want %s of %s", e, c.want, c.sub)
			}
			for k, v := range c.give {
				if e[0].Attrs[k] != v {
					t.Errorf("attrs %v, want %s=%s", e[0].Attrs, k, v)
				}
			}
		})
	}
}

func TestLinesOfTwoCollectorsAreNotMixed(t *testing.T) {
	var d Differ
	read := func(collector string, at time.Time, lines ...LogLine) []timeline.Event {
		return allEvents(d.Records(Reading{Device: "sw1", Span: timeline.At(at), Origin: timeline.Origin{Collector: collector}, Log: append([]LogLine{}, lines...)}))
	}
	told := timeline.Span{From: t0.Add(time.Second), To: t0.Add(1010 * time.Millisecond)}
	a, b, old := LogLine{Text: "a"}, LogLine{Text: "b", Span: told}, LogLine{Text: "old", Span: timeline.At(t0.Add(-time.Hour))}
	for n := range 3 {
		at := t0.Add(time.Duration(n) * 2 * time.Second)
		if n == 0 {
			if e := append(read("ssh:sw1", at), read("snmp:sw1", at, old)...); len(e) > 0 {
				t.Errorf("of before the first reading: %+v", e)
			}
			continue
		}
		if e := read("ssh:sw1", at, a); len(e) != map[int]int{1: 1}[n] {
			t.Errorf("reading %d by ssh: %+v", n, e)
		}
		e := read("snmp:sw1", at, old, b)
		if len(e) != map[int]int{1: 1}[n] || len(e) == 1 && e[0].Span != told {
			t.Errorf("reading %d by snmp: %+v", n, e)
		}
	}
}

func TestTwoLayersTellOfOneChange(t *testing.T) {
	l := newLogs()
	l.read(l.line(t0.Add(-time.Minute), "SYS", "A", nil, ""))
	var oper, other int
	for n, c := range []struct{ facility, state, layer string }{
		{"LINEPROTO", "down", "protocol"}, {"LINK", "down", "link"}, {"LINK", "up", "link"}, {"LINEPROTO", "up", "protocol"},
	} {
		line := l.line(l.at.Add(time.Duration(n-10)*100*time.Millisecond), c.facility, "UPDOWN", map[string]string{"to": c.state, "layer": c.layer}, "Gi1/0/1")
		line.Type = timeline.EventOper
		for _, e := range allEvents(l.read(line)) {
			if e.Type == timeline.EventOper {
				oper++
			} else {
				other++
			}
		}
	}
	if oper != 2 || other != 2 {
		t.Errorf("%d if.oper and %d other events, want 2 and 2", oper, other)
	}
}

func TestClocksOfLogsThatAreOff(t *testing.T) {
	happened := t0.Add(1300 * time.Millisecond)
	for name, c := range map[string]struct {
		change func(*LogLine, *Reading)
		width  time.Duration
	}{
		"no zone in the lines":     {func(l *LogLine, _ *Reading) { l.Time.Value = l.Time.Value.Add(time.Hour) }, 30 * time.Millisecond},
		"a zone of half an hour":   {func(l *LogLine, _ *Reading) { l.Time.Value = l.Time.Value.Add(-5*time.Hour - 30*time.Minute) }, 30 * time.Millisecond},
		"no time in the lines":     {func(l *LogLine, _ *Reading) { l.Time = None[time.Time]() }, 2100 * time.Millisecond},
		"a time that says nothing": {func(l *LogLine, _ *Reading) { l.Time.Value = l.Time.Value.Add(-437 * time.Second) }, 2100 * time.Millisecond},
		"whole seconds":            {func(l *LogLine, _ *Reading) { l.Time.Value = l.Time.Value.Truncate(time.Second) }, 1100 * time.Millisecond},
		"the clock of a device that shows fractions was asked at a whole second": {func(_ *LogLine, r *Reading) {
			if c := &r.LocalClock.Value; len(r.Log) > 1 {
				past := c.Time.Sub(c.Time.Truncate(time.Second))
				c.Time, c.Span = c.Time.Add(-past), timeline.Span{From: c.Span.From.Add(-past), To: c.Span.To.Add(-past)}
			}
		}, 30 * time.Millisecond},
		"the clock was asked never": {func(_ *LogLine, r *Reading) { r.LocalClock = None[LocalClock]() }, 2100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLogs()
			offset := l.offset
			read := func(lines ...LogLine) []timeline.Record {
				sp := timeline.Span{From: l.at, To: l.at.Add(20 * time.Millisecond)}
				r := Reading{Device: "sw1", Span: sp, Origin: timeline.Origin{Collector: "ssh:sw1"}, Log: lines, LocalClock: Some(LocalClock{Time: sp.Mid().Add(offset), Span: sp})}
				if len(lines) > 1 {
					c.change(&r.Log[1], &r)
				} else {
					c.change(&LogLine{Time: Some(t0)}, &r)
				}
				l.at = l.at.Add(2 * time.Second)
				return l.differ.Records(r)
			}
			first := l.line(t0.Add(-time.Hour).Truncate(time.Second).Add(-offset), "SYS", "A", nil, "")
			read(first)
			e := allEvents(read(first, l.line(happened, "SYS", "B", nil, "")))
			if len(e) != 1 {
				t.Fatalf("events %+v, want one", e)
			}
			if sp := e[0].Span; sp.From.After(happened) || sp.To.Before(happened) || sp.Width() > c.width+WrittenAfter {
				t.Errorf("dated from %s to %s, want a span of %s around %s", sp.From.Sub(t0), sp.To.Sub(t0), c.width, happened.Sub(t0))
			}
		})
	}
}
