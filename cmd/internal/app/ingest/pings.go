package ingest

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Ping is what a ping sums up at its end, and what it was asked.
type Ping struct {
	Host   string
	RTT    float64  // seconds, mean; 0 if nothing came back or it does not say
	Spread float64  // seconds, its mean deviation; 0 if not known
	Loss   *float64 // ratio
	Size   int      // bytes of data; 0 if not known
	DF     bool     // it must not be fragmented
	TooBig string   // what somebody answered to packets that were too large; "" if nobody did

	marks string // Cisco's, one for each echo
	lines int    // echoes of which nothing sums up; 0 if something does
}

var (
	// unixPing is the last line of ping on Linux, BSD and macOS, unixLoss the one before, in whatever language: sent, received,
	// lost (po/ of iputils keeps the order in all of them).
	unixPing = regexp.MustCompile(`(?:rtt|round-trip) min/avg/max(?:/(?:mdev|stddev|std-dev))? = [\d.]{1,12}/([\d.]{1,12})/[\d.]{1,12}(?:/([\d.]{1,12}))? ms`)
	unixLoss = regexp.MustCompile(`^[^\d%]{0,40}(\d{1,9})[^\d,，%]{1,40}[,，]\s*[^\d%]{0,20}?(\d{1,9})[^\d,，%]{1,40}[,，].{0,80}?(\d{1,3}(?:[.,]\d{1,7})?) ?%(.{0,60})$`)
	// lossWords are how iputils, busybox and the BSDs call lost packets in the languages they are translated to.
	lossWords = words(`loss`, `lost`, `verlust`, `perdu`, `perte`, `p[eé]rdida`, `perdid`, `perda`, `pers[io]`, `perdit`, `strac`, `utracon`, `strata`, `потер`, `втра[чт]`, `загуб`, `丢失`, `丢包`, `遺失`, `丟失`, `損失`, `ロス`, `손실`, `kay[ıi]p`, `ztr[aá]`, `h[aä]vik`, `kado`, `f[oö]rlor`, `tapt`, `verlies`, `hilang`, `pierdut`, `დაკარგ`)
	// windowsPing and windowsLoss are those of Windows, in whatever language.
	windowsPing = regexp.MustCompile(`= ?\d{1,7} ?ms, [^\d=,]{3,20} = ?\d{1,7} ?ms, [^\d=,]{3,20} = ?(\d{1,7}) ?ms`)
	windowsLoss = regexp.MustCompile(`= ?(\d{1,9}), [^\d=,]{3,20} = ?(\d{1,9}), [^\d=,]{3,20} = ?(\d{1,9})(?:\D|$)`)
	// ciscoPing is that of IOS, which sums up in one line.
	ciscoPing = regexp.MustCompile(`Success rate is (\d{1,3}) percent \(\d+/\d+\)(?:, round-trip min/avg/max = \d{1,7}/(\d{1,7})/\d{1,7} ms)?`)

	pingHead    = regexp.MustCompile(`(?i)^PING ([\w.:-]+)[^\n]*?\s(\d{1,5})(?:\(\d+\))? (?:data )?bytes`)
	pingCommand = regexp.MustCompile(`(?i)(?:^|[\s#>$])ping6?(?:\.exe)?((?: +[^\s]+)+)`)
	// pingSize and pingDF are the letters of Linux (-s, -M do), macOS (-s, -D), Windows (-l, -f), IOS and Junos (size, df-bit,
	// do-not-fragment). Linux has -f, -l and -D for other things: they count only with the size of their own system.
	pingSize   = regexp.MustCompile(`(?:^| )(?:-s|-l|size) ?(\d{2,5})\b`)
	pingDF     = regexp.MustCompile(`-M (?:do|probe)\b|\bdf-bit\b|do-not-fragment|(?: -f\b.* -l ?\d| -l ?\d.* -f\b)|(?: -D\b.* -s ?\d| -s ?\d.* -D\b)`)
	pingTarget = regexp.MustCompile(`(?:^| )((?:\d{1,3}\.){3}\d{1,3}|[0-9a-fA-F]*:[0-9a-fA-F:]+|[A-Za-z][\w-]*(?:\.[\w-]+)+)(?: |$)`)
	pingHost   = regexp.MustCompile(`(?i)ping[^\d\n]{1,60}?((?:\d{1,3}\.){3}\d{1,3})`)
	tooBig     = regexp.MustCompile(`(?i)[^\n]*(?:frag needed|needs? to be fragmented|message too long|packet too big|must be fragmented|doit être fragmenté|fragmentiert werden)[^\n]*`)
)

// findPings claims the summaries of ping: a line that says how much was lost, and the one behind it that says how long it
// took, if something came back.
func (t *text) findPings() {
	var found []claim
	end := 0 // of the ping before
	t.free(func(from, to int, line string) {
		line = noSpaces.Replace(line)
		p := &Ping{}
		last := func() *Ping { // the one whose second line this may be
			if n := len(found); n > 0 && strings.Count(t.body[found[n-1].to:from], "\n") <= 2 && found[n-1].ping.RTT == 0 {
				return found[n-1].ping
			}
			return nil
		}
		open := func() bool { // marks go on in the next line
			n := len(found)
			return n > 0 && found[n-1].ping.marks != "" && found[n-1].to == from && found[n-1].ping.RTT == 0
		}
		took := func(ms, deviation string) {
			if q := last(); q != nil {
				p = q
				found[len(found)-1].to = to
			}
			p.RTT, p.Spread = millis(ms), millis(deviation)
		}
		switch {
		case unixLost(line) != nil:
			p.Loss = unixLost(line)
		case windowsLost(line) != nil:
			p.Loss = windowsLost(line)
		case ciscoPing.MatchString(line):
			m := ciscoPing.FindStringSubmatch(line)
			if got := percent(m[1]); got != nil {
				lost := 1 - *got
				p.Loss = &lost
			}
			p.RTT = millis(m[2])
			if n := len(found); n > 0 && found[n-1].ping.marks != "" && strings.TrimSpace(t.body[found[n-1].to:from]) == "" { // it sums up the marks above
				if arpFirst.MatchString(found[n-1].ping.marks) {
					p.Loss = new(float64)
				}
				found[n-1].ping.Loss, found[n-1].ping.RTT, found[n-1].to = p.Loss, p.RTT, to
				p = found[n-1].ping
			}
		case ciscoMarks.MatchString(line) && (open() || echoCommand.MatchString(t.body[max(end, from-500):from])):
			if open() {
				p = found[len(found)-1].ping
				found[len(found)-1].to = to
			}
			p.marks += strings.TrimSpace(line)
			p.Loss = marksLost(p.marks)
		case unixPing.MatchString(line):
			m := unixPing.FindStringSubmatch(line)
			took(m[1], m[2])
		case windowsPing.MatchString(line):
			took(windowsPing.FindStringSubmatch(line)[1], "")
		default:
			return
		}
		if n := len(found); n > 0 && found[n-1].ping == p {
			end = to
			return
		}
		const back = 4000
		p.asked(t.body[max(end, from-back):from])
		found = append(found, claim{from: from, to: to, ping: p})
		end = to
	})
	t.claims = append(t.claims, found...)
}

var (
	// ciscoMarks is a line of the marks that IOS and NX-OS print as echoes come back: ! answered, . not, U and others refused.
	ciscoMarks  = regexp.MustCompile(`^\s*[!.UQMNI?&]*[!.]{2,}[!.UQMNI?&]*\s*$`)
	echoCommand = regexp.MustCompile(`(?i)\bICMP Echos to |[#>] ?ping `)
	// arpFirst is what a ping shows whose first echo waited for ARP.
	arpFirst = regexp.MustCompile(`^\.!+$`)
)

// unixLost returns the share of lost echoes in a line that sums up a ping; nil if it is none. Its three numbers must agree,
// so that a sentence with three numbers is not taken for one.
func unixLost(line string) *float64 {
	m := unixLoss.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	sent, _ := strconv.ParseFloat(m[1], 64)
	received, _ := strconv.ParseFloat(m[2], 64)
	lost := percent(strings.Replace(m[3], ",", ".", 1))
	if lost == nil || sent == 0 || !lossWords.MatchString(line) || math.Abs(max(0, 1-received/sent)-*lost) > 0.011 {
		return nil
	}
	return lost
}

// windowsLost returns the share of lost echoes in Windows' line of how many were sent, received and lost; nil if it is none.
func windowsLost(line string) *float64 {
	m := windowsLoss.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	sent, _ := strconv.ParseFloat(m[1], 64)
	received, _ := strconv.ParseFloat(m[2], 64)
	lost, _ := strconv.ParseFloat(m[3], 64)
	if sent == 0 || sent != received+lost {
		return nil
	}
	lost /= sent
	return &lost
}

// marksLost returns the share of echoes that were not answered. One that waited for ARP is none.
func marksLost(marks string) *float64 {
	lost := float64(strings.Count(marks, ".")) / float64(len(marks))
	if arpFirst.MatchString(marks) {
		lost = 0
	}
	return &lost
}

func millis(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v / 1e3
}

func percent(s string) *float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v > 100 {
		return nil
	}
	v /= 100
	return &v
}

// asked takes over what stands in front of a ping's summary: the command, its own head, and what was answered.
func (p *Ping) asked(before string) {
	for _, m := range pingCommand.FindAllStringSubmatch(before, -1) { // the last with a letter; Windows says "Ping statistics for"
		words := m[1]
		if !strings.Contains(words, " -") && !strings.Contains(words, " df") && !strings.Contains(words, " size ") {
			continue
		}
		p.Size, p.DF = 0, false
		if m := pingTarget.FindStringSubmatch(words); m != nil {
			p.Host = m[1]
		}
		if m := pingSize.FindStringSubmatch(words); m != nil {
			p.Size, _ = strconv.Atoi(m[1])
		}
		p.DF = pingDF.MatchString(words)
	}
	for line := range strings.SplitSeq(before, "\n") {
		if m := pingHead.FindStringSubmatch(strings.TrimSpace(line)); m != nil && p.Size == 0 {
			p.Size, _ = strconv.Atoi(m[2])
		}
	}
	if all := pingHost.FindAllStringSubmatch(before, -1); len(all) > 0 && p.Host == "" {
		p.Host = all[len(all)-1][1]
	}
	p.TooBig = strings.TrimSpace(tooBig.FindString(before))
}

// ping takes in a summary of ping.
func (b *builder) ping(t *text, from int, p Ping) {
	b.Pings = append(b.Pings, p)
	what := "ping"
	if p.Host != "" {
		what += " to " + p.Host
	}
	if p.Size > 0 && (p.DF || p.Size >= 100) {
		what += fmt.Sprintf(" with %d bytes", p.Size)
	}
	if p.DF {
		what += " that must not be fragmented"
	}
	switch {
	case p.Loss != nil && *p.Loss == 1:
		what += ": nothing came back"
	case p.RTT == 0 && p.marks != "":
		what += fmt.Sprintf(": %d echoes", len(p.marks))
	case p.lines > 0:
		what += fmt.Sprintf(": a round trip of %s in %s", report.Figure(string(timeline.RTT), p.RTT, "s"), rules.Plural(p.lines, "answer"))
	case p.RTT == 0:
		what += ": a round trip of less than a millisecond"
	default:
		what += ": a round trip of " + report.Figure(string(timeline.RTT), p.RTT, "s")
	}
	if p.Loss != nil && *p.Loss > 0 && *p.Loss < 1 {
		what += fmt.Sprintf(", %s lost", report.Percent(*p.Loss))
	}
	if p.TooBig != "" {
		what += "; it says: " + p.TooBig
	}
	b.block(t.where(from), "ping", what)
	sub := timeline.Path(fmt.Sprintf("ping %d", len(b.Pings)))
	o := timeline.Origin{Collector: t.source(from), Exchange: 1}
	b.made = true
	sp := timeline.Span{From: b.clock, To: b.clock.Add(seconds(10))}
	b.clock = b.clock.Add(seconds(60))
	if p.RTT > 0 {
		b.Records = append(b.Records, timeline.Sample{Subject: sub, Metric: timeline.RTT, Span: sp, Value: p.RTT, Origin: o})
	}
	if p.Loss != nil {
		if !p.DF && p.TooBig == "" { // else it asks for a size, not whether the path loses
			b.Pasted.Echoes = append(b.Pasted.Echoes, rules.Echo{Source: t.source(from), Subject: sub, Host: report.Clean(p.Host), Loss: *p.Loss, RTT: p.RTT, Spread: p.Spread})
		}
		b.Records = append(b.Records, timeline.Sample{Subject: sub, Metric: timeline.LossRoundTrip, Span: sp, Value: *p.Loss, Origin: o})
	}
}

// roundTrip gives a run the round trip that ping measured between its ends; nil if none did. Where one of both says nothing of
// its ends, they belong together if there is no other ping.
func (b *builder) roundTrip(client, server string) *float64 {
	var only *Ping
	for i := range b.Pings {
		p := &b.Pings[i]
		switch {
		case p.RTT == 0:
			continue
		case p.Host != "" && (p.Host == server || p.Host == client):
			return &p.RTT
		case only != nil && p.Host != only.Host:
			return nil
		case only == nil:
			only = p
		}
	}
	if only != nil && (only.Host == "" || client == "" && server == "") {
		return &only.RTT
	}
	return nil
}
