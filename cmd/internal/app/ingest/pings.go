package ingest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
)

// pingBlock is the summary that ping prints at its end.
type pingBlock struct {
	host string
	rtt  float64  // seconds, mean
	loss *float64 // ratio
}

var (
	// unixPing is the last line of ping on Linux, BSD and macOS.
	unixPing = regexp.MustCompile(`(?:rtt|round-trip) min/avg/max(?:/(?:mdev|stddev|std-dev))? = [\d.]{1,12}/([\d.]{1,12})/[\d.]{1,12}(?:/[\d.]{1,12})? ms`)
	// windowsPing is that of Windows, in whatever language.
	windowsPing = regexp.MustCompile(`= ?\d{1,7} ?ms, [^\d=,]{3,20} = ?\d{1,7} ?ms, [^\d=,]{3,20} = ?(\d{1,7}) ?ms`)
	// ciscoPing is that of IOS.
	ciscoPing = regexp.MustCompile(`Success rate is \d{1,3} percent \(\d+/\d+\), round-trip min/avg/max = \d{1,7}/(\d{1,7})/\d{1,7} ms`)
	pingLoss  = regexp.MustCompile(`(\d{1,3}(?:\.\d{1,6})?)% (?:packet loss|[^\s)]{3,20}\)?)`)
	pingHost  = regexp.MustCompile(`(?i)ping[^\d\n]{1,60}?((?:\d{1,3}\.){3}\d{1,3})`)
)

// findPings claims the summaries of ping.
func (t *text) findPings() {
	var found []claim
	t.free(func(from, to int, line string) {
		var ms string
		for _, e := range []*regexp.Regexp{unixPing, windowsPing, ciscoPing} {
			if m := e.FindStringSubmatch(noSpaces.Replace(line)); m != nil {
				ms = m[1]
				break
			}
		}
		v, err := strconv.ParseFloat(ms, 64)
		if err != nil {
			return
		}
		p := &pingBlock{rtt: v / 1e3}
		const back = 4000
		before := t.body[max(0, from-back):from]
		if all := pingHost.FindAllStringSubmatch(before, -1); len(all) > 0 {
			p.host = all[len(all)-1][1]
			before = before[strings.LastIndex(before, p.host):]
		}
		if m := pingLoss.FindStringSubmatch(before); m != nil {
			if percent, err := strconv.ParseFloat(m[1], 64); err == nil && percent <= 100 {
				ratio := percent / 100
				p.loss = &ratio
			}
		}
		found = append(found, claim{from: from, to: to, ping: p})
	})
	t.claims = append(t.claims, found...)
}

// ping takes in a summary of ping.
func (b *builder) ping(t *text, from int, p pingBlock) {
	b.pings = append(b.pings, p)
	what := fmt.Sprintf("ping: a round trip of %s", report.Figure(string(timeline.RTT), p.rtt, "s"))
	if p.host != "" {
		what = fmt.Sprintf("ping to %s: a round trip of %s", p.host, report.Figure(string(timeline.RTT), p.rtt, "s"))
	}
	if p.rtt == 0 {
		what = "ping: a round trip of less than a millisecond"
	}
	if p.loss != nil && *p.loss > 0 {
		what += fmt.Sprintf(", %s lost", report.Percent(*p.loss))
	}
	b.block(t.where(from), "ping", what)
	sub := timeline.Path(fmt.Sprintf("ping %d", len(b.pings)))
	o := timeline.Origin{Collector: t.source(from), Exchange: 1}
	b.made = true
	sp := timeline.Span{From: b.clock, To: b.clock.Add(seconds(10))}
	b.clock = b.clock.Add(seconds(60))
	if p.rtt > 0 {
		b.Records = append(b.Records, timeline.Sample{Subject: sub, Metric: timeline.RTT, Span: sp, Value: p.rtt, Origin: o})
	}
	if p.loss != nil {
		b.Records = append(b.Records, timeline.Sample{Subject: sub, Metric: timeline.LossRoundTrip, Span: sp, Value: *p.loss, Origin: o})
	}
}

// roundTrip gives a run the round trip that ping measured between its ends; nil if none did.
func (b *builder) roundTrip(client, server string) *float64 {
	for _, p := range b.pings {
		if p.rtt > 0 && p.host != "" && (p.host == server || p.host == client) {
			return &p.rtt
		}
	}
	if len(b.pings) == 1 && b.pings[0].rtt > 0 && b.pings[0].host == "" {
		return &b.pings[0].rtt
	}
	return nil
}
