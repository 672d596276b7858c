package iperftext

import (
	"regexp"
	"sort"
	"strings"
)

// token is something of iperf's that was found in the text.
type token struct {
	kind     kind
	from, to int
	m        []string // the parts that its expression holds
}

type kind int

const (
	tClient2 kind = iota
	tServer2
	tClient3
	tServer3
	tAccepted
	tReverse
	tWindow
	tDatagrams
	tMSS
	tConnected
	tInterval
	tOutOfOrder
	tSent
	tServerReport
	tHeads
	tCPU
	tError
	tDone
	tCommand
	tCSV
	tCongestion
)

const num = `(\d{1,15}(?:[.,]\d{1,9})?)`

// patterns lists what is looked for: a literal to find quickly, and an expression that must match there. A new
// form is one line here and one in reader.take.
var patterns = []struct {
	kind    kind
	literal string
	expr    *regexp.Regexp
}{
	{tClient2, "Client connecting to ", regexp.MustCompile(`^Client connecting to ([^\s,]{1,255}), (TCP|UDP) port (\d{1,5})`)},
	{tServer2, "Server listening on ", regexp.MustCompile(`^Server listening on (TCP|UDP) port (\d{1,5})`)},
	{tServer3, "Server listening on ", regexp.MustCompile(`^Server listening on (\d{1,5})`)},
	{tClient3, "Connecting to host ", regexp.MustCompile(`^Connecting to host ([^\s,]{1,255}), port (\d{1,5})`)},
	{tAccepted, "Accepted connection from ", regexp.MustCompile(`^Accepted connection from ([^\s,]{1,255}), port (\d{1,5})`)},
	{tReverse, "Reverse mode, remote host ", regexp.MustCompile(`^Reverse mode, remote host \S+ is sending`)},
	{tWindow, "TCP window size:", regexp.MustCompile(`^(TCP) window size:\s*` + num + `\s*([KMGT]?)i?Bytes?(\s*\(default\))?(?:\s*\(WARNING: requested\s+` + num + `\s*([KMGT]?)i?Bytes?\))?`)},
	{tWindow, "UDP buffer size:", regexp.MustCompile(`^(UDP) buffer size:\s*` + num + `\s*([KMGT]?)i?Bytes?(\s*\(default\))?(?:\s*\(WARNING: requested\s+` + num + `\s*([KMGT]?)i?Bytes?\))?`)},
	{tDatagrams, "ing ", regexp.MustCompile(`^ing (\d{1,6}) byte datagrams`)},
	{tMSS, "attempt to set TCP maximum segment size to ", regexp.MustCompile(`^attempt to set TCP maximum segment size to (\d{1,9}), but got (\d{1,9})`)},
	{tConnected, "[", regexp.MustCompile(`^\[\s*(\*?\d{1,5})\] local ([0-9A-Fa-f.:%a-z]{1,64}) port (\d{1,5}) connected (?:with|to) ([0-9A-Fa-f.:%a-z]{1,64}) port (\d{1,5})((?:\s*\([^()\n]{0,80}\))*)`)},
	{tInterval, "[", regexp.MustCompile(`^\[\s*(\*?\d{1,5}|SUM)\](?:\s*\[([TR]X)-([CS])\])?\s+` + num + `\s*-\s*` + num + `\s+sec\s+` + num + `\s+([KMGT]?)(Bytes|bits)\s+` + num + `\s+([KMGT]?)(bits|Bytes)/sec`)},
	{tOutOfOrder, "[", regexp.MustCompile(`^\[\s*(\*?\d{1,5}|SUM)\]\s+` + num + `\s*-\s*` + num + `\s+sec\s+(\d{1,15}) datagrams received out-of-order`)},
	{tSent, "[", regexp.MustCompile(`^\[\s*(\*?\d{1,5})\] Sent (\d{1,15}) datagrams`)},
	{tServerReport, "[", regexp.MustCompile(`^\[\s*(\*?\d{1,5})\] Server Report:`)},
	{tHeads, "[ ID]", regexp.MustCompile(`^\[ ID\](?:\[Role\])?\s+Interval\s+Transfer\s+(Bandwidth|Bitrate)`)},
	{tCPU, "CPU Utilization: ", regexp.MustCompile(`^CPU Utilization: (local|remote)/(sender|receiver) ` + num + `%\s*\([^)]*\), (?:local|remote)/(?:sender|receiver) ` + num + `%`)},
	{tError, "connect failed: ", regexp.MustCompile(`^connect failed: ([A-Za-z ]{1,80})`)},
	{tError, "iperf3: error - ", regexp.MustCompile(`^iperf3: error - ([^\n\r]{1,200})`)},
	{tDone, "iperf Done.", regexp.MustCompile(`^iperf Done\.`)},
	{tCommand, "iperf", regexp.MustCompile(`^iperf(3)?(?:\.exe)?((?:\s+-{1,2}[A-Za-z0-9][\w-]*(?:[ =][^\s-][^\s]*)?)+)`)},
	{tCongestion, "snd_tcp_congestion ", regexp.MustCompile(`^snd_tcp_congestion (\w{1,20})`)},
	{tCSV, "\n", regexp.MustCompile(`^\n?(\d{14})(?:\.\d+)?,([0-9A-Fa-f.:]{1,64}),(\d{1,5}),([0-9A-Fa-f.:]{1,64}),(\d{1,5}),(\d{1,5}),` + `(\d{1,9}\.\d{1,4})-(\d{1,9}\.\d{1,4}),(\d{1,18}),(\d{1,18})((?:,-?[\d.]{1,20}){0,8})`)},
}

// mayBeID says whether what follows a bracket can be the number of a stream, so that the expressions need not be
// asked about every bracket of a text.
func mayBeID(s string) bool {
	for i := 0; i < len(s) && i < 8; i++ {
		switch c := s[i]; {
		case c == ' ':
		case c == '*', c >= '0' && c <= '9':
			return true
		default:
			return strings.HasPrefix(s[i:], "SUM]")
		}
	}
	return false
}

// longest is how far an expression looks.
const longest = 700

// tokens finds everything of iperf's in a text, in order.
func tokens(text string) []token {
	var out []token
	for _, p := range patterns {
		for at := 0; ; {
			i := strings.Index(text[at:], p.literal)
			if i < 0 {
				break
			}
			from := at + i
			at = from + len(p.literal)
			if p.literal == "[" && !mayBeID(text[at:]) {
				continue
			}
			m := p.expr.FindStringSubmatch(text[from:min(len(text), from+longest)])
			if m != nil {
				out = append(out, token{p.kind, from, from + len(m[0]), m[1:]})
			}
		}
	}
	if m := patterns[len(patterns)-1].expr.FindStringSubmatch(text[:min(len(text), longest)]); m != nil {
		out = append(out, token{tCSV, 0, len(m[0]), m[1:]}) // on the first line
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].from < out[j].from })
	return out
}
