package ingest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
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
}

var (
	// unixPing is the last line of ping on Linux, BSD and macOS, unixLoss the one before.
	unixPing = regexp.MustCompile(`(?:rtt|round-trip) min/avg/max(?:/(?:mdev|stddev|std-dev))? = [\d.]{1,12}/([\d.]{1,12})/[\d.]{1,12}(?:/([\d.]{1,12}))? ms`)
	unixLoss = regexp.MustCompile(`\d+ packets transmitted, \d+ (?:packets )?received.{0,60}?(\d{1,3}(?:\.\d{1,6})?)% packet loss`)
	// windowsPing and windowsLoss are those of Windows, in whatever language.
	windowsPing = regexp.MustCompile(`= ?\d{1,7} ?ms, [^\d=,]{3,20} = ?\d{1,7} ?ms, [^\d=,]{3,20} = ?(\d{1,7}) ?ms`)
	windowsLoss = regexp.MustCompile(`= ?\d+, [^\d=,]{3,20} = ?\d+, [^\d=,]{3,20} = ?\d+ ?\((?:[^\d()]{0,20})?(\d{1,3}) ?%`)
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
		took := func(ms, deviation string) {
			if q := last(); q != nil {
				p = q
				found[len(found)-1].to = to
			}
			p.RTT, p.Spread = millis(ms), millis(deviation)
		}
		switch {
		case unixLoss.MatchString(line):
			p.Loss = percent(unixLoss.FindStringSubmatch(line)[1])
		case windowsLoss.MatchString(line):
			p.Loss = percent(windowsLoss.FindStringSubmatch(line)[1])
		case ciscoPing.MatchString(line):
			m := ciscoPing.FindStringSubmatch(line)
			if got := percent(m[1]); got != nil {
				lost := 1 - *got
				p.Loss = &lost
			}
			p.RTT = millis(m[2])
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
		b.Records = append(b.Records, timeline.Sample{Subject: sub, Metric: timeline.LossRoundTrip, Span: sp, Value: *p.Loss, Origin: o})
	}
}

// roundTrip gives a run the round trip that ping measured between its ends; nil if none did.
func (b *builder) roundTrip(client, server string) *float64 {
	for i, p := range b.Pings {
		if p.RTT > 0 && p.Host != "" && (p.Host == server || p.Host == client) {
			return &b.Pings[i].RTT
		}
	}
	if len(b.Pings) == 1 && b.Pings[0].RTT > 0 && b.Pings[0].Host == "" {
		return &b.Pings[0].RTT
	}
	return nil
}
