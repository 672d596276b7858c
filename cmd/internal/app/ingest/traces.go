package ingest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Hop is one line of a trace: a router on the way, or the target.
type Hop struct {
	Host   string // "" if nobody answered
	Number int
	Loss   float64 // ratio; of traceroute's few packets it says next to nothing
	RTT    float64 // seconds, mean
	Target bool    // it is the last
	Once   bool    // of traceroute, which asks a few times
}

var (
	// mtrRow is a row of mtr's report: number, host, loss, sent, last, average.
	mtrRow = regexp.MustCompile(`^\s*(\d{1,2})\.(?:\|--)?\s*(\S+)\s+(\d{1,3}(?:\.\d)?)%?\s+\d+\s+\d+(?:\.\d+)?\s+(\d+(?:\.\d+)?)\s`)
	// routeRow is a row of traceroute: " 3  core1 (192.0.2.1)  1.2 ms  1.1 ms *", " 4  * * *"; of tracert: "  3    <1 ms     1 ms
	// 1 ms  192.0.2.1 [..]"; of IOS: "  3 192.0.2.1 12 msec 8 msec *".
	routeRow  = regexp.MustCompile(`^\s{0,3}(\d{1,2})\s+((?:[^\n]*\d (?:ms|msec|мс|毫秒)\b?[^\n]*)|(?:\*\s+){2}\*[^\n]*)$`)
	routeHost = regexp.MustCompile(`(?:\d{1,3}\.){3}\d{1,3}|[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){2,7}`)
	routeTime = regexp.MustCompile(`<?(\d+(?:\.\d+)?) (?:ms|msec|мс|毫秒)`)
)

// hopOf reads a row of a trace; nil if the line is none.
func hopOf(line string) *Hop {
	if m := mtrRow.FindStringSubmatch(line); m != nil {
		n, _ := strconv.Atoi(m[1])
		if loss := percent(m[3]); loss != nil {
			return &Hop{Host: m[2], Number: n, Loss: *loss, RTT: millis(m[4])}
		}
		return nil
	}
	m := routeRow.FindStringSubmatch(strings.TrimRight(line, " "))
	if m == nil {
		return nil
	}
	h := Hop{Host: routeHost.FindString(m[2]), Once: true}
	h.Number, _ = strconv.Atoi(m[1])
	times := routeTime.FindAllStringSubmatch(m[2], -1)
	if len(times) > 0 && h.Host == "" { // a name alone may be anything
		return nil
	}
	for _, x := range times {
		h.RTT += millis(x[1]) / float64(len(times))
	}
	return &h
}

// begins says whether a row is the first of another table: its number is no greater than that of the row before.
func begins(before, row []Hop) bool {
	return len(before) > 0 && len(row) > 0 && row[0].Number <= before[len(before)-1].Number
}

// trace takes in the hops of mtr or of traceroute. Only mtr asks often enough to tell of loss; what traceroute shows is whether
// packets go round in a circle.
func (b *builder) trace(t *text, from int, hops []Hop) {
	n := len(hops)
	if n < 2 {
		return
	}
	last := &hops[n-1]
	if !last.Once {
		last.Target = true
		if m := len(b.Hops); m == 0 || last.Loss >= b.Hops[m-1].Loss { // of several traces the worst: hops of two are no path
			b.Hops = hops
		}
		b.Pasted.Echoes = append(b.Pasted.Echoes, rules.Echo{Source: t.source(from), Subject: timeline.Path("mtr"), Host: report.Clean(last.Host), Loss: last.Loss, RTT: last.RTT, From: lostFrom(hops)})
		b.block(t.where(from), "mtr", fmt.Sprintf("a trace of %d hops: %s of what was sent to %s is lost", n, report.Percent(last.Loss), report.Clean(last.Host)))
		return
	}
	what := fmt.Sprintf("a trace of %s", rules.Plural(n, "hop"))
	silent := 0
	for silent < n && hops[n-1-silent].Host == "" {
		silent++
	}
	if silent > 0 && silent < n {
		what += fmt.Sprintf("; behind %s nobody answers", report.Clean(hops[n-1-silent].Host))
	}
	if a, z, ok := circle(hops); ok {
		what += fmt.Sprintf("; %s and %s send packets to and fro", a, z)
		b.made = true
		b.Told = append(b.Told, timeline.Event{Subject: timeline.Host(someHost), Type: timeline.EventMark, Span: timeline.At(b.clock), Attrs: map[string]string{},
			Text: fmt.Sprintf("routing loop: packets go back and forth between %s and %s", a, z), Origin: timeline.Origin{Collector: t.source(from), Exchange: 1}})
	}
	b.block(t.where(from), "traceroute", what)
}

// lostFrom names the first hop from which on all that answer lose about what the target does; "" if it loses nothing.
func lostFrom(hops []Hop) string {
	target := hops[len(hops)-1].Loss
	if target == 0 || target == 1 {
		return ""
	}
	i := len(hops) - 1
	for i > 0 && hops[i-1].Loss >= target/2 {
		i--
	}
	return fmt.Sprintf("hop %d (%s)", hops[i].Number, report.Clean(hops[i].Host))
}

// circle finds two routers that answer in turn at the end of a trace, each at least twice.
func circle(hops []Hop) (a, z string, ok bool) {
	var heard []string
	for _, h := range hops {
		if h.Host != "" {
			heard = append(heard, h.Host)
		}
	}
	const least = 4
	n := len(heard)
	if n < least {
		return "", "", false
	}
	a, z = heard[n-2], heard[n-1]
	return a, z, a != z && heard[n-3] == z && heard[n-4] == a
}
