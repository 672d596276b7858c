package ingest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
)

// Hop is one line of mtr's table: a router on the way, or the target.
type Hop struct {
	Host   string
	Number int
	Loss   float64 // ratio
	RTT    float64 // seconds, mean
	Target bool    // it is the last
}

// hostBlock is what a host says of itself.
type hostBlock struct {
	lines []string // of its kernel's log, and of its counters those that counted
	hops  []Hop
	socks []sockBlock
}

// sockBlock is what ss -i says of a sending socket.
type sockBlock struct {
	rtt     float64 // seconds
	window  float64 // bytes that the receiver offers; 0 if not told
	limited float64 // share of the time that its window was waited for; 0 if not told
}

var (
	// kernelLine is a line of dmesg, or of a syslog with the kernel as its author.
	kernelLine = regexp.MustCompile(`^(?:\[[ \d.]{6,16}\]|\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d:]{10,20}\]|.{0,60}\bkernel:) *(?:\[[ \d.]{6,16}\] *)?(\S.*)`)
	// counted are the counters of a host that tell of packets it had no room for, where they have counted: nstat, netstat -s.
	counted = regexp.MustCompile(`(?i)^\s*(?:Udp6?RcvbufErrors\s+[1-9]\d*|[1-9]\d* receive buffer errors|RcvbufErrors: [1-9]\d*)\b`)
	// hopRow is a row of mtr's report: number, host, loss, sent, last, average.
	hopRow = regexp.MustCompile(`^\s*(\d{1,2})\.(?:\|--)?\s*(\S+)\s+(\d{1,3}(?:\.\d)?)%?\s+\d+\s+\d+(?:\.\d+)?\s+(\d+(?:\.\d+)?)\s`)
	// socket is a line of ss -ti.
	socketLine = regexp.MustCompile(`\brtt:(\d+(?:\.\d+)?)/`)
	sockWindow = regexp.MustCompile(`\bsnd_wnd:(\d+)\b`)
	sockWaited = regexp.MustCompile(`\brwnd_limited:\d+ms\((\d{1,3}(?:\.\d+)?)%\)`)
)

// findHosts claims lines that a host says of itself, and tables of mtr. Lines that follow each other are one block.
func (t *text) findHosts() {
	var found []claim
	t.free(func(from, to int, line string) {
		var add hostBlock
		switch {
		case hopRow.MatchString(line):
			m := hopRow.FindStringSubmatch(line)
			n, _ := strconv.Atoi(m[1])
			if loss := percent(m[3]); loss != nil {
				add.hops = []Hop{{Host: m[2], Number: n, Loss: *loss, RTT: millis(m[4])}}
			}
		case socketLine.MatchString(line) && sockWaited.MatchString(line):
			s := sockBlock{rtt: millis(socketLine.FindStringSubmatch(line)[1])}
			if w := percent(sockWaited.FindStringSubmatch(line)[1]); w != nil {
				s.limited = *w
			}
			if m := sockWindow.FindStringSubmatch(line); m != nil {
				s.window, _ = strconv.ParseFloat(m[1], 64)
			}
			add.socks = []sockBlock{s}
		case kernelLine.MatchString(line):
			add.lines = []string{kernelLine.FindStringSubmatch(line)[1]}
		case counted.MatchString(line):
			add.lines = []string{"receive buffer errors: " + strings.TrimSpace(line)}
		default:
			return
		}
		if n := len(found); n > 0 && strings.TrimSpace(t.body[found[n-1].to:from]) == "" {
			h := found[n-1].host
			h.lines, h.hops, h.socks = append(h.lines, add.lines...), append(h.hops, add.hops...), append(h.socks, add.socks...)
			found[n-1].to = to
			return
		}
		found = append(found, claim{from: from, to: to, host: &add})
	})
	t.claims = append(t.claims, found...)
}

// someHost is the host whose name a text does not give.
const someHost = "host"

// host takes in what a host says.
func (b *builder) host(t *text, from int, h hostBlock) {
	o := timeline.Origin{Collector: t.source(from), Exchange: 1}
	b.made = true
	for _, l := range h.lines {
		b.Told = append(b.Told, timeline.Event{Subject: timeline.Host(someHost), Type: timeline.EventMark, Span: timeline.At(b.clock), Text: report.Clean(l), Attrs: map[string]string{}, Origin: o})
	}
	if len(h.lines) > 0 {
		b.block(t.where(from), "host", fmt.Sprintf("a host says: %s", report.Clip(report.Clean(h.lines[0]), 120)))
	}
	if n := len(h.hops); n > 1 {
		h.hops[n-1].Target = true
		b.Hops = append(b.Hops, h.hops...)
		b.block(t.where(from), "mtr", fmt.Sprintf("a trace of %d hops: %s of what was sent to %s is lost", n, report.Percent(h.hops[n-1].Loss), report.Clean(h.hops[n-1].Host)))
	}
	for _, s := range h.socks {
		b.socket(t, from, s)
	}
}

// socket gives the runs in front of it what their sending socket says: how large a window the receiver offers, and that the
// sender waits for it.
func (b *builder) socket(t *text, from int, s sockBlock) {
	b.block(t.where(from), "socket", fmt.Sprintf("a round trip of %s; the sender waits for the receiver's window %s of the time",
		report.Figure(string(timeline.RTT), s.rtt, "s"), report.Percent(s.limited)))
	if n := len(b.runs); n > 0 && s.limited >= 0.5 {
		r := &b.runs[n-1]
		r.socket = &s
	}
}
