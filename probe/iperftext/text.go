package iperftext

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Find returns every test that stands in the text, in order. A text without any gives none.
func Find(text string) []Test {
	text = plainSpaces(text)
	jsons := findJSON(text)
	r := reader{text: text, skip: jsons}
	for _, t := range tokens(text) {
		if !r.inside(t.from) {
			r.take(t)
		}
	}
	r.finish()
	return merge(r.done, jsons)
}

// plainSpaces replaces the spaces that word processors and web pages make by plain ones, byte for byte, so that
// places in the text stay the same.
func plainSpaces(text string) string { return spaces.Replace(text) }

var spaces = strings.NewReplacer("\u00a0", "  ", "\u2007", "   ", "\u2009", "   ", "\u202f", "   ", "\u3000", "   ", "\u2002", "   ", "\u2003", "   ",
	"\u2010", "-  ", "\u2011", "-  ", "\u2013", "-  ", "\u2212", "-  ")

// merge puts two ordered lists of tests together.
func merge(a, b []Test) []Test {
	var out []Test
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0].From < b[0].From {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return out
}

// reader puts tokens together to tests.
type reader struct {
	text string
	skip []Test // JSON documents, whose insides are not text
	done []Test
	cur  *Test

	command map[string]string // a command line seen, not yet anybody's
	at      int               // where it stands
	iperf3  bool              // it was iperf3's
	over    bool              // the current test said that it is done
	lines   map[string]lines  // of the current test, by stream
	columns string            // the heads of the current table: Bandwidth, Bitrate or Retr
	heads   *token            // the heads of a table in front of which no test began
	mss     []string          // a warning seen before its test begins
}

// inside says whether a place lies in a JSON document; it is asked in ascending order.
func (r *reader) inside(at int) bool {
	for len(r.skip) > 0 && r.skip[0].To <= at {
		r.skip = r.skip[1:]
	}
	return len(r.skip) > 0 && at >= r.skip[0].From
}

// far is how much text may lie between a header and its figures, or between two lines of figures of one test.
const far = 4000

func (r *reader) take(t token) {
	if r.cur != nil && t.from-r.cur.To > far && len(r.cur.Intervals) > 0 {
		r.finish()
	}
	switch t.kind {
	case tCommand:
		r.takeCommand(t)
	case tMSS:
		r.mss = t.m
	case tClient2, tClient3, tServer2, tServer3, tAccepted:
		r.begin(t)
	case tConnected:
		r.connected(t)
	case tInterval:
		r.interval(t)
	case tCSV:
		r.csv(t)
	default:
		r.detail(t)
	}
}

// takeCommand keeps the letters of a command line for the test that follows.
func (r *reader) takeCommand(t token) {
	args := letters(t.m[1])
	_, client := args["c"]
	_, server := args["s"]
	if !client && !server {
		return
	}
	if r.cur != nil && len(r.cur.Intervals) > 0 {
		r.finish()
	}
	r.command, r.at, r.iperf3 = args, t.from, t.m[0] == "3"
}

// letters reads "-c host -w 1M --udp" into c, w and u.
func letters(s string) map[string]string {
	out := map[string]string{}
	last := ""
	for _, f := range strings.Fields(s) {
		if name, ok := strings.CutPrefix(f, "-"); ok && name != "" {
			long := strings.HasPrefix(name, "-")
			name = strings.TrimPrefix(name, "-")
			name, value, _ := strings.Cut(name, "=")
			if !long && len(name) > 1 { // -w1M
				name, value = name[:1], name[1:]
			}
			if short, ok := longNames[name]; ok {
				name = short
			}
			out[name] = value
			last = name
		} else if last != "" {
			out[last], last = f, ""
		}
	}
	return out
}

var longNames = map[string]string{"client": "c", "server": "s", "udp": "u", "window": "w", "parallel": "P", "bitrate": "b", "bandwidth": "b",
	"reverse": "R", "length": "l", "time": "t", "interval": "i", "port": "p", "set-mss": "M", "mss": "M", "format": "f"}

func (r *reader) begin(t token) {
	if r.cur != nil && (len(r.cur.Intervals) > 0 || t.kind != tAccepted) {
		r.finish()
	}
	if r.cur == nil {
		r.start(t.from)
	}
	c := r.cur
	c.To = t.to
	switch t.kind {
	case tClient2:
		c.Tool, c.Role, c.Target, c.Protocol = "iperf2", "client", t.m[0], strings.ToLower(t.m[1])
	case tClient3:
		c.Tool, c.Role, c.Target = "iperf3", "client", t.m[0]
	case tServer2:
		c.Tool, c.Role, c.Protocol = "iperf2", "server", strings.ToLower(t.m[0])
	case tServer3, tAccepted:
		c.Tool, c.Role = "iperf3", "server"
	}
}

// start begins a test, which takes over a command line that stands shortly before.
func (r *reader) start(at int) {
	r.cur = &Test{From: at, To: at, Form: "text"}
	if r.command != nil && at-r.at < far {
		r.cur.Command, r.cur.From = r.command, r.at
		r.cur.Reverse = has(r.command, "R")
		r.cur.Bidir = has(r.command, "bidir") || has(r.command, "d")
		if has(r.command, "u") {
			r.cur.Protocol = "udp"
		}
		if v, ok := bandwidth(r.command["b"]); ok {
			r.cur.Offered = &v
		}
		if n := small(r.command["P"]); n != nil && *n < 1000 {
			r.cur.streamsDeclared = *n
		}
		if r.iperf3 {
			r.cur.Tool = "iperf3"
		}
	}
	if r.mss != nil {
		r.cur.MSSAsked, r.cur.MSSGot = small(r.mss[0]), small(r.mss[1])
	}
	r.columns = ""
	if r.heads != nil && at-r.heads.to < far {
		r.cur.From = min(r.cur.From, r.heads.from)
		r.takeHeads(*r.heads)
	}
	r.command, r.mss, r.heads, r.over, r.lines = nil, nil, nil, false, map[string]lines{}
}

// takeHeads reads the heads of a table of the current test. Only iperf3 has a column Retr, and only its newer versions call the
// rate a bitrate.
func (r *reader) takeHeads(t token) {
	r.columns = t.m[0]
	if line, _, _ := strings.Cut(r.text[t.to:min(len(r.text), t.to+60)], "\n"); strings.Contains(line, "Retr") {
		r.columns = "Retr"
	}
	if r.cur.Tool == "" {
		r.cur.Tool = map[string]string{"Bandwidth": "iperf2", "Bitrate": "iperf3", "Retr": "iperf3"}[r.columns]
	}
}

func has(m map[string]string, k string) bool { _, ok := m[k]; return ok }

// bandwidth reads the argument of -b: 1000M.
func bandwidth(s string) (float64, bool) {
	s, _, _ = strings.Cut(s, "/")
	if s == "" {
		return 0, false
	}
	prefix := s[len(s)-1:]
	if !strings.Contains("kKmMgG", prefix) {
		prefix = ""
	}
	v, _, ok := figure(s[:len(s)-len(prefix)])
	return v * scale(prefix, false), ok
}

func (r *reader) connected(t token) {
	if c := r.cur; c != nil && r.ended(c) {
		server := c
		r.finish()
		r.start(t.from)
		if server.Role == "server" { // it goes on with its next client
			r.cur.Role, r.cur.Tool, r.cur.Protocol, r.cur.Window, r.cur.WindowDefault = "server", server.Tool, server.Protocol, server.Window, server.WindowDefault
		}
	}
	if r.cur == nil {
		r.start(t.from)
	}
	c := r.cur
	c.To = t.to
	lp, rp := small(t.m[2]), small(t.m[4])
	if lp == nil || rp == nil {
		return
	}
	c.Connections = append(c.Connections, Connection{Local: t.m[1], LocalPort: *lp, Remote: t.m[3], RemotePort: *rp})
	if strings.Contains(t.m[5], "reverse") {
		c.Reverse = true
	}
	if strings.Contains(t.m[5], "full-duplex") {
		c.Bidir = true
	}
	if m := irtt.FindStringSubmatch(t.m[5]); m != nil {
		if us, _, ok := figure(m[1]); ok && us > 0 {
			s := us / 1e6
			c.RTT = &s
		}
	}
}

// irtt is the round trip of the handshake in microseconds, in "(icwnd/mss/irtt=14/1448/254)" of iperf 2.1.
var irtt = regexp.MustCompile(`irtt=\d+/\d+/(\d{1,12})`)

// ended says whether a test has come to its totals.
func (r *reader) ended(c *Test) bool {
	if len(c.Intervals) == 0 {
		return false
	}
	last := c.Intervals[len(c.Intervals)-1]
	return r.over || last.From == 0 && (len(c.Intervals) > 1 || last.Width() > 1.5)
}

func (r *reader) interval(t token) {
	if r.cur == nil {
		r.start(t.from)
	}
	c := r.cur
	i := Interval{Stream: t.m[0], From: seconds(t.m[3]), To: seconds(t.m[4])}
	if b := size(t.m[5], t.m[6]); b != nil {
		i.Bytes = b.Bytes
		if t.m[7] == "bits" {
			v, _ := rate(t.m[5], t.m[6], "bits")
			i.Bytes = v / 8
		}
	}
	i.Rate, _ = rate(t.m[8], t.m[9], t.m[10])
	if i.To < i.From {
		return
	}
	// A line that begins at 0 and is shorter than what was seen belongs to another test.
	if i.From == 0 && (r.restarts(i) || r.repeats(i, t.to)) {
		server := *c
		r.finish()
		r.start(t.from)
		c = r.cur
		c.Role, c.Tool, c.Protocol, c.Window, c.WindowDefault, c.Connections = server.Role, server.Tool, server.Protocol, server.Window, server.WindowDefault, server.Connections
	}
	c.To = t.to + r.tail(t.to, c, &i, t.m[1])
	if c.Start.IsZero() && !i.Omitted {
		c.Start = r.stamp(t.from, i)
	}
	c.Intervals = append(c.Intervals, i)
	l := r.lines[i.Stream]
	r.lines[i.Stream] = lines{l.n + 1, max(l.longest, i.To)}
}

// stamps are the forms in which iperf3 --timestamps and people's tools put a time in front of a line.
var stamps = []struct {
	expr   *regexp.Regexp
	layout string
}{
	{regexp.MustCompile(`(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)[^\n\[]{0,12}$`), "2006-01-02 15:04:05"},
	{regexp.MustCompile(`[A-Z][a-z]{2} ([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (\d{4}) ?$`), "Jan _2 15:04:05 2006"},
}

// stamp returns when a test began, from the time in front of a line: it was printed when its interval ended.
func (r *reader) stamp(at int, i Interval) time.Time {
	const most = 40
	for _, s := range stamps {
		if m := s.expr.FindStringSubmatch(r.text[max(0, at-most):at]); m != nil {
			if t, err := time.Parse(s.layout, m[1]+" "+m[2]); err == nil {
				return t.Add(-time.Duration(min(i.To, 1e9) * float64(time.Second)))
			}
		}
	}
	return time.Time{}
}

// lines is how many lines of figures a stream has, and how far they go.
type lines struct {
	n       int
	longest float64
}

// restarts says whether a line from 0 on cannot belong to the test: one of the same stream ended it already.
func (r *reader) restarts(i Interval) bool {
	l := r.lines[i.Stream]
	return l.n > 1 && i.To < l.longest*0.99 && i.To-i.From <= 1.5
}

// repeats says whether a line of a whole UDP test follows another of the same stream, both as a receiver reports them and
// neither saying whose it is: somebody put the results of several tests under each other.
func (r *reader) repeats(i Interval, behind int) bool {
	n := len(r.cur.Intervals)
	if n == 0 || i.Width() <= 1.5 {
		return false
	}
	last := r.cur.Intervals[n-1]
	rest, _, _ := strings.Cut(r.text[behind:], "\n")
	return last.From == 0 && last.Stream == i.Stream && last.Lost != nil && last.Side == "" && last.Width() > 1.5 &&
		udpTail.MatchString(rest) && !sideTail.MatchString(rest)
}

var (
	// enhancedTail is iperf 2's Write/Err, Rtry and Cwnd/RTT(var) of -e.
	enhancedTail = regexp.MustCompile(`^\s+\d{1,12}/\d{1,12}\s+(\d{1,12})(?:\s+(\d{1,9})K(?:\(\d{1,9}\))?/(\d{1,12})(?:\(\d{1,12}\))?\s+us)?`)
	udpTail      = regexp.MustCompile(`^\s+(?:` + num + `\s+ms\s+)?(-?\d{1,15})\s*/\s*(-?\d{1,15})\s+\([-+\d.enaif]{1,12}%\)`)
	tcpTail      = regexp.MustCompile(`^[ \t]+(\d{1,12})(?:[ \t]+` + num + `[ \t]+([KMGT]?)Bytes)?(?:[ \t]|\r|\n|$)`)
	sideTail     = regexp.MustCompile(`^[^\n\[]{0,80}?\b(sender|receiver)\b`)
	otherTail    = regexp.MustCompile(`^[^\n\[]{0,80}?\(omitted\)`)
)

// tail reads what follows the rate on the line, and returns how long it is.
func (r *reader) tail(from int, c *Test, i *Interval, role string) (length int) {
	rest := r.text[from:min(len(r.text), from+200)]
	if m := udpTail.FindStringSubmatch(rest); m != nil {
		if m[1] != "" {
			ms, _, _ := figure(m[1])
			s := ms / 1e3
			i.Jitter = &s
		}
		i.Lost, i.Total = integer(m[2]), integer(m[3])
		// A few less than none are late ones, counted as lost in the line before; more than there were are none.
		late := integer(strings.TrimPrefix(m[2], "-"))
		i.Negative = i.Lost == nil && late != nil && i.Total != nil && *late > *i.Total
		c.Protocol = "udp"
		length = len(m[0])
	} else if m := enhancedTail.FindStringSubmatch(rest); m != nil && c.Protocol != "udp" {
		i.Retransmits = integer(m[1])
		if m[2] != "" {
			b, rtt := size(m[2], "K"), seconds(m[3])/1e6
			i.Cwnd, i.RTT = &b.Bytes, &rtt
		}
		length = len(m[0])
	} else if m := tcpTail.FindStringSubmatch(rest); m != nil && c.Protocol != "udp" && c.Tool != "iperf2" {
		if m[2] != "" {
			i.Retransmits = integer(m[1])
			if b := size(m[2], m[3]); b != nil {
				i.Cwnd = &b.Bytes
			}
		} else if s := sideTail.FindStringSubmatch(rest); s != nil || r.columns == "Retr" {
			i.Retransmits = integer(m[1])
		}
		length = len(strings.TrimRight(m[0], "\r\n"))
	}
	if m := sideTail.FindStringSubmatch(rest); m != nil {
		i.Side = m[1]
		length = max(length, len(m[0]))
	}
	if m := otherTail.FindString(rest); m != "" {
		i.Omitted = true
		length = max(length, len(m))
	}
	if role != "" {
		c.Bidir = true
	}
	return length
}

// recent is how many lines back a remark can refer.
const recent = 256

// detail takes what adds to the current test.
func (r *reader) detail(t token) {
	if r.cur == nil && t.kind == tError {
		r.start(t.from)
		r.cur.Role = "client"
		if strings.HasPrefix(r.text[t.from:], "iperf3") {
			r.cur.Tool = "iperf3"
		}
	}
	c := r.cur
	if c == nil {
		if t.kind == tHeads {
			r.heads = &t
		}
		return
	}
	c.To = max(c.To, t.to)
	switch t.kind {
	case tReverse:
		c.Reverse = true
	case tWindow:
		c.Window, c.WindowDefault = size(t.m[1], t.m[2]), t.m[3] != ""
		c.Protocol = strings.ToLower(t.m[0])
	case tDatagrams:
		c.Datagram = small(t.m[0])
	case tOutOfOrder:
		for i := len(c.Intervals) - 1; i >= max(0, len(c.Intervals)-recent); i-- {
			if o := &c.Intervals[i]; o.Stream == t.m[0] && o.From == seconds(t.m[1]) && o.To == seconds(t.m[2]) {
				o.OutOfOrder = integer(t.m[3])
				break
			}
		}
	case tSent:
		c.Sent = integer(t.m[1])
		for n := len(c.Intervals) - 1; n >= max(0, len(c.Intervals)-recent); n-- {
			if c.Intervals[n].Stream == t.m[0] {
				c.Intervals[n].Side = "sender"
				break
			}
		}
	case tDone:
		r.over = true
	case tHeads:
		r.takeHeads(t)
	case tCPU:
		local, _, _ := figure(t.m[2])
		remote, _, _ := figure(t.m[3])
		sender, receiver := local/100, remote/100
		if (t.m[0] == "local") != (t.m[1] == "sender") {
			sender, receiver = receiver, sender
		}
		c.SenderCPU, c.ReceiverCPU = &sender, &receiver
	case tError:
		c.Errors = append(c.Errors, strings.TrimSpace(t.m[0]))
	case tCongestion:
		c.Congestion = t.m[0]
	}
}

// csv takes a line of comma-separated values: time, local, port, remote, port, id, interval, bytes, bit/s, and of
// a UDP server jitter, lost, total, per cent, out of order.
func (r *reader) csv(t token) {
	if r.cur == nil || r.cur.Form != "csv" || r.ended(r.cur) {
		r.finish()
		r.start(t.from)
		r.cur.Tool, r.cur.Form = "iperf2", "csv"
	}
	c := r.cur
	c.To = t.to
	lp, rp := small(t.m[2]), small(t.m[4])
	if len(c.Connections) == 0 && lp != nil && rp != nil {
		c.Connections = []Connection{{Local: t.m[1], LocalPort: *lp, Remote: t.m[3], RemotePort: *rp}}
	}
	i := Interval{Stream: t.m[5], From: seconds(t.m[6]), To: seconds(t.m[7])}
	i.Bytes, _ = strconv.ParseFloat(t.m[8], 64)
	i.Rate, _ = strconv.ParseFloat(t.m[9], 64)
	if f := strings.Split(strings.TrimPrefix(t.m[10], ","), ","); len(f) >= 5 {
		c.Protocol = "udp"
		ms := seconds(f[0]) / 1e3
		i.Jitter, i.Lost, i.Total, i.OutOfOrder = &ms, integer(f[1]), integer(f[2]), integer(f[4])
	}
	if at, err := time.Parse("20060102150405", t.m[0]); err == nil && c.Start.IsZero() {
		c.Start = at.Add(-time.Duration(i.To * float64(time.Second)))
	}
	c.Intervals = append(c.Intervals, i)
}

// finish ends the current test: its totals are told from its intervals.
func (r *reader) finish() {
	c := r.cur
	r.cur = nil
	if c == nil || len(c.Intervals) == 0 && len(c.Errors) == 0 && c.Window == nil && len(c.Connections) == 0 {
		return
	}
	if c.Tool == "" {
		c.Tool = c.guess()
	}
	c.settle()
	if c.Protocol == "" && len(c.Intervals)+len(c.Totals) > 0 {
		c.Protocol = "tcp"
	}
	r.done = append(r.done, *c)
}

// guess tells the program from its lines: iperf3 says which end a line is of and prints a congestion window without a round trip.
func (c *Test) guess() string {
	for _, i := range c.Intervals {
		if c.Protocol != "udp" && (i.Side != "" || i.Cwnd != nil && i.RTT == nil) {
			return "iperf3"
		}
	}
	return "iperf2"
}

// settle tells totals from intervals: what covers the whole test from 0 on. Of two such lines of one stream and
// side the last is the total, and the first is the one interval of a short test.
func (c *Test) settle() {
	end := map[string]float64{}
	lines := map[string]int{} // without a side
	for _, i := range c.Intervals {
		end[i.Stream] = max(end[i.Stream], i.To)
		if i.Side == "" {
			lines[i.Stream]++
		}
	}
	var over []Interval
	at := map[[2]string]int{}
	for _, i := range c.Intervals {
		whole := i.From == 0 && i.To >= end[i.Stream]*0.98
		if whole && c.Tool == "iperf3" && i.Side == "" && lines[i.Stream] == 1 && i.Width() <= 1.5 {
			whole = false // the first second of a test that did not end
		}
		if !whole {
			over = append(over, i)
			continue
		}
		// A UDP client prints its own total, then the server's: with lost and total datagrams.
		if i.Side == "" && i.Total != nil && (c.Role == "server" || c.Sent != nil) {
			i.Side = "receiver"
		}
		k := [2]string{i.Stream, i.Side}
		if n, ok := at[k]; ok {
			over = append(over, c.Totals[n])
			c.Totals[n] = i
			continue
		}
		at[k] = len(c.Totals)
		c.Totals = append(c.Totals, i)
	}
	c.Intervals = over
	c.Cut = len(c.Totals) == 0
}
