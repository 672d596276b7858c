// Package ingest reads what people paste and attach: mails, tickets, pages and captures in which measurements of
// iperf, show interfaces, lines of logs and tables of rates stand between sentences in any language.
//
// Each recogniser claims the parts of a text that it understands; [Collection.Result] turns them into blocks for
// the report, facts for the rules and records for the timeline. The recognisers themselves live with their
// formats: iperftext, devices/parse, devices/syslog. What nobody claims is prose, from which only a few words in
// front of a measurement are used: how the hosts were connected, and how fast the line is said to be.
//
// A text has no clock. Runs and snapshots without a date get made-up times, and the result says so.
package ingest

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/devices/parse"
	"whydrop/probe/iperftext"
	"whydrop/rules"
)

// MaxSize is the largest text that is read, in bytes.
const MaxSize = 64 << 20

// How much of each kind is compared with the rest: a file of a day's measurements is no case that a person pasted.
const (
	maxRuns   = 1000
	maxEvents = 20000
	maxBlocks = 2000
)

// Collection gathers what several texts hold. Its zero value is ready; texts are added in the order in which they
// were given, which is taken for their order in time.
type Collection struct {
	// Today, if not zero, dates the lines of logs that give no year: they are of the year that ends with it.
	Today time.Time

	texts []*text
}

// Result is what the texts of a collection hold.
type Result struct {
	Blocks   []report.Block // in the order of the texts
	Pasted   rules.Pasted
	Pings    []Ping
	Hops     []Hop            // of traces
	Told     []timeline.Event // what hosts say of themselves, in words
	Records  []timeline.Record
	Notes    []string // what was made up
	Measured bool     // something was recognised, so that there is something to judge
	Undated  bool     // none of the records has a date of its own
	Shown    bool     // there are records of what devices of any platform printed, for the rules of the catalogue
}

// text is one text and who claims what of it.
type text struct {
	name   string
	body   string
	lines  []int // where lines begin
	claims []claim

	prompts [][]int // where devices' prompts stand; nil: not looked for yet
	shells  [][]int // where hosts' prompts stand
}

// claim is a part of a text that a recogniser understands.
type claim struct {
	from, to int
	iperf    *iperftext.Test
	port     *parse.Found
	log      *logBlock
	list     *listBlock
	ping     *Ping
	shown    *shownBlock
	host     *hostBlock
	own      *ownBlock
	ethtool  string   // the port whose counters ethtool -S printed
	lines    *linesOf // lines of show interface that a filter let through
}

// Add takes in a text. The name is shown to people; bytes that are no text do no harm.
func (c *Collection) Add(name string, content []byte) {
	t := &text{name: name, body: unquoted(untagged(decode(content)))}
	t.index()
	for _, x := range iperftext.Find(t.body) {
		t.claims = append(t.claims, claim{from: x.From, to: x.To, iperf: &x})
	}
	if t.ios() {
		for _, p := range parse.FindInterfaces(t.body) {
			t.claims = append(t.claims, claim{from: p.From, to: p.To, port: &p})
		}
	}
	t.sort()
	t.findLogs()
	t.findLists()
	t.findPings()
	t.sort()
	t.findEchoes()
	t.sort()
	t.findHosts()
	t.sort()
	t.findOwn()
	t.findFiltered()
	t.sort()
	t.findShown()
	t.sort()
	c.texts = append(c.texts, t)
}

// decode returns the content as UTF-8 where it says that it is UTF-16, as PowerShell writes it.
func decode(b []byte) string {
	if len(b) >= 2 && (b[0] == 0xFF && b[1] == 0xFE || b[0] == 0xFE && b[1] == 0xFF) {
		little := b[0] == 0xFF
		u := make([]uint16, 0, len(b)/2)
		for i := 2; i+1 < len(b); i += 2 {
			lo, hi := b[i], b[i+1]
			if !little {
				lo, hi = hi, lo
			}
			u = append(u, uint16(hi)<<8|uint16(lo))
		}
		return string(utf16.Decode(u))
	}
	s := strings.TrimPrefix(string(b), "\ufeff")
	if strings.Contains(s, "\r") && !strings.Contains(s, "\n") { // a terminal's capture, or an old Mac's
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return s
}

func (t *text) index() {
	t.lines = []int{0}
	for i := 0; i < len(t.body); i++ {
		if t.body[i] == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
}

// sort orders the claims; of two that overlap the earlier stays.
func (t *text) sort() {
	slices.SortStableFunc(t.claims, func(a, b claim) int { return a.from - b.from })
	kept := t.claims[:0]
	end := 0
	for _, c := range t.claims {
		if c.from >= end {
			kept = append(kept, c)
			end = c.to
		}
	}
	t.claims = kept
}

// where returns file:line of a place.
func (t *text) where(at int) string {
	return fmt.Sprintf("%s:%d", t.name, sort.SearchInts(t.lines, at+1))
}

// source is the collector's name in the origins of what a place says.
func (t *text) source(at int) string { return "text:" + t.where(at) }

// free calls f with every line that nobody has claimed any part of.
func (t *text) free(f func(from, to int, line string)) {
	next := 0
	for i, from := range t.lines {
		to := len(t.body)
		if i+1 < len(t.lines) {
			to = t.lines[i+1]
		}
		for next < len(t.claims) && t.claims[next].to <= from {
			next++
		}
		if next < len(t.claims) && t.claims[next].from < to {
			continue
		}
		f(from, to, strings.TrimRight(t.body[from:to], "\r\n"))
	}
}

// Result puts together what the texts hold.
func (c *Collection) Result() Result {
	b := &builder{clock: epoch, year: c.year(), today: c.Today}
	for _, t := range c.texts {
		b.text(t)
	}
	b.finish()
	// In the order of time, for a store that takes in thousands of late records moves all that came later for each of them.
	slices.SortStableFunc(b.Records, func(a, c timeline.Record) int { return a.Covers().To.Compare(c.Covers().To) })
	return b.Result
}

// epoch is when runs and snapshots begin whose text gives no date.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// builder makes a result of texts.
type builder struct {
	Result
	clock    time.Time // when the next thing without a date begins
	year     time.Time // a moment near which lines without a year were written
	today    time.Time // the last moment they can be of, if year is zero
	made     bool      // a time was made up
	dated    bool      // a time was given
	runs     []runAt
	server   *rules.Window // the window of a server whose header stands in front
	udp      *rules.Window
	ports    map[timeline.Subject][]snapshot
	order    []timeline.Subject
	previous *rules.Run

	hosts     map[string][]ownAt // what hosts tell of themselves, by their names
	hostOrder []string
}

// text takes one text in, block by block.
func (b *builder) text(t *text) {
	b.server, b.udp, b.previous = nil, nil, nil
	end := 0
	for _, c := range t.claims {
		before := t.body[end:c.from]
		switch {
		case c.iperf != nil:
			b.iperf(t, *c.iperf, before)
		case c.port != nil:
			b.port(t, *c.port)
		case c.log != nil:
			b.log(t, c.from, *c.log)
		case c.list != nil:
			b.list(t, c.from, *c.list, before)
		case c.ping != nil:
			b.ping(t, c.from, *c.ping)
		case c.host != nil:
			b.host(t, c.from, *c.host)
		case c.own != nil:
			b.own(t, c.from, *c.own)
		case c.lines != nil:
			b.filtered(t, c)
		case c.ethtool != "":
			b.ethtool(t, c)
		case c.shown != nil:
			b.shown(t, c)
		}
		end = c.to
	}
	lines, first := 0, 0
	t.free(func(from, _ int, line string) {
		if strings.TrimSpace(line) == "" {
			return
		}
		if lines == 0 {
			first = from
		}
		lines++
	})
	if lines > 0 || len(t.claims) == 0 {
		what := fmt.Sprintf("%d lines of text without a measurement", lines)
		if lines == 1 {
			what = "one line of text without a measurement"
		}
		if lines == 0 {
			what = "nothing"
		}
		if binary(t.body) {
			what = "bytes that are no text"
		}
		b.block(t.where(first), "prose", what)
	}
}

// binary says whether most of a text is none.
func binary(s string) bool {
	s = s[:min(len(s), 4096)]
	odd := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || r < 0x20 && r != '\n' && r != '\r' && r != '\t' {
			odd++
		}
		i += n
	}
	return odd*5 > len(s)
}

// block lists a block and returns its number; -1 if there are too many.
func (b *builder) block(where, kind, what string) int {
	if len(b.Blocks) == maxBlocks {
		b.Notes = appendOnce(b.Notes, fmt.Sprintf("Only the first %d blocks are listed.", maxBlocks))
	}
	if len(b.Blocks) >= maxBlocks {
		return -1
	}
	b.Blocks = append(b.Blocks, report.Block{Where: where, Kind: kind, What: what})
	return len(b.Blocks) - 1
}

// finish draws what follows from several blocks.
func (b *builder) finish() {
	b.finishRuns()
	b.finishPorts()
	b.finishOwn()
	counted := slices.ContainsFunc(b.Pasted.Ports, func(p rules.PortView) bool { return len(p.Counts)+len(p.Totals) > 0 })
	summed := slices.ContainsFunc(b.Pings, func(p Ping) bool { return p.lines == 0 })
	b.Measured = counted || summed || len(b.Pasted.Runs)+len(b.Pasted.Lists)+len(b.Pasted.Events)+len(b.Hops)+len(b.Told)+len(b.Pasted.Hosts) > 0
	b.Undated = b.made && !b.dated
	if b.made {
		b.Notes = append(b.Notes, "The texts give no date for some figures. Their times are made up, one after the other from 2000-01-01 on, and say nothing.")
	}
}
