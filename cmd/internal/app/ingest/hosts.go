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
	flying  float64 // bytes sent and not acknowledged yet; 0 if not told
	rate    float64 // bit/s that are delivered; 0 if not told
	again   float64 // segments sent again so far, of sent
	sent    float64 // 0 if not told
	busy    float64 // seconds during which it had something to send; 0 if not told
}

// waits says whether the receiver's window is what the sender waits for: it says so, or the window is full.
func (s sockBlock) waits() bool {
	const half, full = 0.5, 0.9
	return s.limited >= half || s.limited == 0 && s.window > 0 && s.flying >= full*s.window
}

var (
	// kernelLine is a line of dmesg, with the names of days and months of any language, or of a syslog with the kernel as its author.
	kernelLine = regexp.MustCompile(`^(?:\[[ \d.]{6,16}\]|\[\S{1,6} +\S{1,6} +[ \d:]{13,20}\]|.{0,60}\bkernel:) *(?:\[[ \d.]{6,16}\] *)?(\S.*)`)
	// counted are the counters of a host that tell of packets it had no room for, where they have counted since nstat was asked before.
	counted = regexp.MustCompile(`(?i)^\s*Udp6?RcvbufErrors\s+[1-9]\d*\b`)
	// socket is a line of ss -ti.
	socketLine = regexp.MustCompile(`\brtt:(\d+(?:\.\d+)?)/.*\bcwnd:\d`)
	sockWaited = regexp.MustCompile(`\brwnd_limited:\d+ms\((\d{1,3}(?:\.\d+)?)%\)`)
	sockAgain  = regexp.MustCompile(`\bretrans:\d+/(\d+)\b`)
	sockRate   = regexp.MustCompile(`\bdelivery_rate (\d+(?:\.\d+)?)([KMG]?)bps`)
	sockNumber = regexp.MustCompile(`\b(snd_wnd|unacked|mss|data_segs_out|busy):(\d+)`)
)

// findHosts claims lines that a host says of itself, and tables of mtr. Lines that follow each other are one block.
func (t *text) findHosts() {
	var found []claim
	t.free(func(from, to int, line string) {
		var add hostBlock
		switch {
		case hopOf(line) != nil:
			add.hops = []Hop{*hopOf(line)}
		case socketLine.MatchString(line):
			add.socks = []sockBlock{socketOf(line)}
		case kernelLine.MatchString(line):
			add.lines = []string{kernelLine.FindStringSubmatch(line)[1]}
		case counted.MatchString(line) && !t.absolute(from):
			add.lines = []string{"receive buffer errors: " + strings.TrimSpace(line)}
		default:
			return
		}
		if n := len(found); n > 0 && strings.TrimSpace(t.body[found[n-1].to:from]) == "" && !begins(found[n-1].host.hops, add.hops) {
			h := found[n-1].host
			h.lines, h.hops, h.socks = append(h.lines, add.lines...), append(h.hops, add.hops...), append(h.socks, add.socks...)
			found[n-1].to = to
			return
		}
		found = append(found, claim{from: from, to: to, host: &add})
	})
	t.claims = append(t.claims, found...)
}

// socketOf reads a line of ss -ti.
func socketOf(line string) sockBlock {
	s := sockBlock{rtt: millis(socketLine.FindStringSubmatch(line)[1])}
	if m := sockWaited.FindStringSubmatch(line); m != nil {
		if w := percent(m[1]); w != nil {
			s.limited = *w
		}
	}
	v := map[string]float64{}
	for _, m := range sockNumber.FindAllStringSubmatch(line, -1) {
		v[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	s.window, s.flying, s.sent, s.busy = v["snd_wnd"], v["unacked"]*v["mss"], v["data_segs_out"], v["busy"]/1e3
	if m := sockAgain.FindStringSubmatch(line); m != nil {
		s.again, _ = strconv.ParseFloat(m[1], 64)
	}
	if m := sockRate.FindStringSubmatch(line); m != nil {
		s.rate, _ = strconv.ParseFloat(m[1], 64)
		s.rate *= map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[m[2]]
	}
	return s
}

// someHost is the host whose name a text does not give.
const someHost = "host"

// host takes in what a host says.
func (b *builder) host(t *text, from int, h hostBlock) {
	o := timeline.Origin{Collector: t.source(from), Exchange: 1}
	b.made = true
	if len(h.lines) > 0 {
		b.Pasted.Hosts = append(b.Pasted.Hosts, rules.HostView{Subject: timeline.Host(t.hostBefore(from)), Source: o.Collector, Said: h.lines})
	}
	for _, l := range h.lines {
		b.Told = append(b.Told, timeline.Event{Subject: timeline.Host(someHost), Type: timeline.EventMark, Span: timeline.At(b.clock), Text: report.Clean(l), Attrs: map[string]string{}, Origin: o})
	}
	if len(h.lines) > 0 {
		b.block(t.where(from), "host", fmt.Sprintf("a host says: %s", report.Clip(report.Clean(h.lines[0]), 120)))
	}
	b.trace(t, from, h.hops)
	for _, s := range h.socks {
		b.socket(t, from, s)
	}
}

// socket gives the run in front of it what its sending socket says: how large a window the receiver offers, and that the
// sender waits for it. Without a run it is one itself, as long as it had something to send.
func (b *builder) socket(t *text, from int, s sockBlock) {
	what := "a round trip of " + report.Figure(string(timeline.RTT), s.rtt, "s")
	if s.limited > 0 {
		what += fmt.Sprintf("; the sender waits for the receiver's window %s of the time", report.Percent(s.limited))
	} else if s.waits() {
		what += "; the receiver's window is full"
	}
	if s.sent > 0 && s.again > 0 {
		what += fmt.Sprintf("; %.0f of %.0f segments were sent again", s.again, s.sent)
	}
	b.block(t.where(from), "socket", what)
	n := len(b.runs)
	if n == 0 && s.rate > 0 && s.busy > 1 && s.waits() {
		again := int64(s.again)
		r := runAt{where: t.where(from)}
		r.Name, r.Subject, r.Source = "the socket", timeline.Path("socket"), t.source(from)
		r.Protocol, r.Streams, r.Rate, r.Seconds, r.Retransmits = "tcp", 1, s.rate, s.busy, &again
		r.socket, r.alone = &s, true
		b.runs = append(b.runs, r)
		return
	}
	if n > 0 && !b.runs[n-1].alone {
		b.runs[n-1].socket = &s
	}
}
