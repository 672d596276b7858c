package ingest

import (
	"cmp"
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
	"whydrop/devices/parse/guess"
	"whydrop/rules"
)

// shownBlock is what a device of any platform printed, as its parsers read it, in the order of the text.
type shownBlock struct {
	answers []answer
}

// answer is what stands behind one prompt: a reading for each kind of command.
type answer struct {
	at       int // where it begins in the block
	device   string
	readings []guess.Reading
	host     bool // it is a host with Linux
}

// shownKinds are the kinds of commands that are looked for in a text: what they are called, which words their commands
// have, and how much of a reading is theirs. Of each kind the command counts whose parser makes the most of the text.
var shownKinds = []struct {
	name  string
	words *regexp.Regexp
	holds func(devices.Reading) int
	least int // how much there must be: a word of prose may look like a row
}{
	{"ports", regexp.MustCompile(`interface|link|ethernet|ports|ifconfig|net/dev|netstat -i|deviceinfo`), func(r devices.Reading) (n int) {
		for _, i := range r.Interfaces {
			n += len(totals(i))
			for _, given := range []bool{i.Oper.OK, i.Speed.OK, i.Duplex.OK, i.SpeedMax.OK} {
				if given {
					n++
				}
			}
		}
		return n
	}, 2},
	{"spanning tree", regexp.MustCompile(`span|stp`), func(r devices.Reading) int { return len(r.Trees) }, 1},
	{"log", regexp.MustCompile(`\blog|events`), func(r devices.Reading) (n int) {
		for _, l := range r.Log {
			if l.Type != "" && l.Type != timeline.EventSyslog {
				n++
			}
		}
		return n
	}, 1},
	{"redundancy", regexp.MustCompile(`failover|high-availability|\bha\b|vrrp|standby|cluster|redundancy`), func(r devices.Reading) int { return len(r.Redundancy) }, 1},
	{"optics", regexp.MustCompile(`transceiver|optic|diagnos`), func(r devices.Reading) int { return len(r.Sensors) }, 1},
	{"queues", regexp.MustCompile(`polic`), func(r devices.Reading) int { return len(r.Queues) }, 1},
	{"processor", regexp.MustCompile(`cpu|processes|performance|resource|routing-engine`), func(r devices.Reading) int {
		if r.CPU.OK {
			return 1
		}
		return 0
	}, 1},
}

// ios says whether ports in the text may be shown as IOS shows them: other platforms write much the same, and what they write
// besides would be lost.
func (t *text) ios() bool {
	platform, others := guess.Marked(t.body)
	return platform == "" || len(others) > 0 || strings.HasPrefix(platform, "cisco_ios")
}

// mostShown is how much of what lies between two claims is read: every parser of a platform reads it.
const mostShown = 256 << 10

// findShown claims what lies between the other claims where it is of a platform that its own words tell, and its parsers
// make something of it. Cisco's show interfaces is found between sentences by a recogniser of its own.
func (t *text) findShown() {
	var found []claim
	from, to := -1, -1
	region := func() {
		to = min(to, from+mostShown)
		if from >= 0 {
			if s := shownIn(t.body[from:to]); s != nil {
				found = append(found, claim{from: from, to: to, shown: s})
			}
		}
		from = -1
	}
	t.free(func(a, z int, line string) {
		if from >= 0 && a != to {
			region()
		}
		if from < 0 {
			if strings.TrimSpace(line) == "" {
				return
			}
			from = a
		}
		to = z
	})
	region()
	t.claims = append(t.claims, found...)
}

// shownIn reads a text as what a device printed; nil if it is not that.
func shownIn(text string) *shownBlock {
	platform, others := guess.Marked(text)
	ios := strings.HasPrefix(platform, "cisco_ios")
	if platform == "" || len(others) > 0 && !(ios && len(others) == 1 && strings.HasPrefix(others[0], "cisco_ios")) {
		return nil
	}
	var out shownBlock
	device, next := "", 0
	take := func(from, to int) {
		if a := (answer{at: from, device: device, readings: readIn(platform, text[from:to], ios), host: platform == "linux"}); len(a.readings) > 0 {
			out.answers = append(out.answers, a)
		}
	}
	for _, m := range otherPrompt.FindAllStringSubmatchIndex(text, -1) {
		take(next, m[0])
		next = m[0]
		for i := 2; i+1 < len(m); i += 2 {
			if m[i] >= 0 {
				device = text[m[i]:m[i+1]]
				if platform == "extreme_exos" {
					device = commandNumber.ReplaceAllString(device, "")
				}
			}
		}
	}
	take(next, len(text))
	if len(out.answers) == 0 {
		return nil
	}
	return &out
}

// readIn reads the answer to one command, or a text in which several stand.
func readIn(platform, text string, portsFound bool) (out []guess.Reading) {
	for _, k := range shownKinds {
		if portsFound && k.name == "ports" {
			continue
		}
		var best guess.Reading
		most := k.least - 1
		for _, c := range slices.Sorted(maps.Keys(parse.Parsers[platform])) {
			if !k.words.MatchString(c) {
				continue
			}
			if r := guess.Best(platform, text, []string{withPort(c, text)}); k.holds(r.Reading) > most {
				best, most = r, k.holds(r.Reading)
			}
		}
		if most >= k.least {
			out = append(out, best)
		}
	}
	return out
}

// withPort adds to a command the port that stands behind it in the text: the answers of some do not name it.
func withPort(command, text string) string {
	_, rest, found := strings.Cut(text, command+" ")
	if !found {
		return command
	}
	rest, _, _ = strings.Cut(rest, "\n")
	if f := strings.Fields(rest); len(f) > 0 && portWord.MatchString(f[0]) {
		return command + " " + f[0]
	}
	return command
}

// portWord is what may name a port behind a command.
var portWord = regexp.MustCompile(`^[A-Za-z][\w./:-]*\d[\w./:-]*$`)

// commandNumber ends ExtremeXOS' prompt: "X460-A.4 # ".
var commandNumber = regexp.MustCompile(`\.\d+$`)

// prompts of the platforms whose prompt is no word with a sign behind it.
var otherPrompt = regexp.MustCompile(`(?m)^(?:[\w.-]+@([A-Za-z][\w.-]*)[>#:%]|[<\[]~?\*?([A-Za-z][\w.-]*)(?:-[\w/.]+)?[>\]]|\[[\w.-]+@([A-Za-z][\w.-]*)\] ?[/>]|([A-Za-z][\w.-]*)(?:\([\w -]{1,30}\))? ?[#>$] ?(?:show|display|get|diag|execute|ip|ethtool|tc|bridge)\b)`)

// shown takes in what a device printed: ports become snapshots like those of any other, lines of its log become events, and
// the rest becomes records as if the device had been asked.
func (b *builder) shown(t *text, c claim) {
	since := map[string]*devices.Differ{} // what a device said before, by its name and command
	for _, a := range c.shown.answers {
		from, device := c.from+a.at, a.device
		if device == "" {
			device = t.deviceBefore(from)
			if a.host { // its own prompt stands in front of the command, in what was read
				device = t.hostBefore(c.to)
			}
		}
		for _, r := range a.readings {
			for _, i := range r.Interfaces {
				b.snapshot(t, device, snapshot{Found: parse.Found{From: from, To: c.to, Interface: i}, shown: true, host: a.host})
			}
			var typed []string
			for _, l := range r.Log {
				if l.Type != "" && l.Type != timeline.EventSyslog {
					typed = append(typed, l.Text)
				}
			}
			if len(typed) > 0 {
				b.log(t, from, logBlock{device, typed})
				b.Shown = true
			}
			key := device + " " + r.Command
			if since[key] == nil {
				since[key] = new(devices.Differ)
			}
			b.tables(t, from, device, r, since[key])
		}
	}
}

// tables takes in what is neither of ports nor of logs. Readings of one device lie a minute apart.
func (b *builder) tables(t *text, from int, device string, r guess.Reading, d *devices.Differ) {
	reading := r.Reading
	reading.Interfaces, reading.Log, reading.LocalClock = nil, nil, devices.Opt[devices.LocalClock]{}
	reading.Device, reading.Span = device, timeline.At(b.clock)
	b.clock = b.clock.Add(time.Minute)
	reading.Origin = timeline.Origin{Collector: "text:" + t.name, Exchange: 1}
	records := d.Records(reading)
	records = slices.DeleteFunc(records, func(r timeline.Record) bool { _, gap := r.(timeline.Gap); return gap })
	for i := range reading.Redundancy {
		if e, ok := tookOver(reading, &reading.Redundancy[i]); ok {
			records = append(records, e)
		}
	}
	if len(records) == 0 {
		return
	}
	b.made, b.Shown = true, true
	b.Records = append(b.Records, records...)
	var what []string
	for _, x := range []struct {
		n    int
		noun string
	}{{len(reading.Trees), "spanning tree"}, {len(reading.Redundancy), "redundant group"}, {len(reading.Sensors), "sensor"}, {len(reading.Queues), "queue or policer"}} {
		if x.n > 0 {
			what = append(what, rules.Plural(x.n, x.noun))
		}
	}
	if r.CPU.OK {
		what = append(what, "the processor "+report.Percent(r.CPU.Value)+" busy")
	}
	if len(what) > 0 {
		b.block(t.where(from), "show", fmt.Sprintf("%s of %s (%s)", strings.Join(what, ", "), device, r.Command))
	}
}

// tookOver tells of a unit that is active since not long ago, as far as one reading shows it.
func tookOver(r devices.Reading, g *devices.Redundancy) (timeline.Event, bool) {
	if g.State != "active" || !g.Since.OK || g.Since.Value > recently {
		return timeline.Event{}, false
	}
	e := timeline.Event{Subject: timeline.Device(r.Device), Type: timeline.EventFailover, Span: timeline.At(r.Span.From), Origin: r.Origin,
		Text:  fmt.Sprintf("%s %s is active since %s; the other unit is %s", g.Protocol, g.Group, report.RoundLength(g.Since.Value), cmp.Or(g.Peer, "not told")),
		Attrs: map[string]string{"to": g.State, "reason": g.Reason}}
	if slices.Contains([]string{"hsrp", "vrrp", "glbp", "carp"}, g.Protocol) {
		e.Type = timeline.EventGateway
		e.Attrs["protocol"], e.Attrs["group"], e.Attrs["port"] = g.Protocol, g.Group, g.Port
	}
	return e, true
}

// shownTotals writes what a port's counters stand at, for the rules of the catalogue.
func (b *builder) shownTotals(v rules.PortView, s snapshot) {
	b.Shown = true
	if len(v.Totals) == 0 {
		return
	}
	attrs := map[string]string{}
	for m, n := range v.Totals {
		attrs[string(m)] = fmt.Sprintf("%.0f", n)
	}
	b.Records = append(b.Records, timeline.Event{Subject: v.Subject, Type: timeline.EventTotals, Span: timeline.At(b.clock), Attrs: attrs,
		Text: "what " + report.Clean(v.Subject.String()) + " stands at", Origin: timeline.Origin{Collector: s.source, Exchange: 1}})
}
