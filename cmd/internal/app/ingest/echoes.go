package ingest

import (
	"regexp"
	"strings"
)

var (
	// echoLine is an answer to one echo, as ping of iputils, the BSDs, Windows and busybox prints it in many languages, or what
	// somebody left of it.
	echoLine = regexp.MustCompile(`(?i)^\s*(?:(?:\d+ bytes from|reply from|antwort von|respuesta desde|r[ée]ponse de|risposta da|resposta de|odpowied\x{017A} z|ответ от|来自|.{0,12}\bseq[= ]).{0,100}?)?` +
		`\b(?:time|zeit|tiempo|temps|durata|tempo|czas|время|时间)\s?[=<]\s?(\d{1,5}(?:[.,]\d{1,4})?) ?(?:ms|мс)\b(?: +TTL=\d+)?(?: \(DUP!\))?\s*$`)
	echoFrom = regexp.MustCompile(`(?i)(?:from|von|desde|de|da|z|от|来自) ?(?:[\w.-]+ \()?((?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]*:[0-9a-f:]*[0-9a-f])\b`)
)

// findEchoes claims answers of ping of which nothing sums up: their mean is the round trip, and how many were lost is not known.
// Those in front of a summary belong to it.
func (t *text) findEchoes() {
	var found []claim
	var sum float64
	t.free(func(from, to int, line string) {
		const longest = 200
		if len(line) > longest {
			return
		}
		m := echoLine.FindStringSubmatch(noSpaces.Replace(line))
		if m == nil {
			return
		}
		host := ""
		if h := echoFrom.FindStringSubmatch(line); h != nil {
			host = h[1]
		}
		n := len(found)
		if n == 0 || found[n-1].ping.Host != host || strings.TrimSpace(t.body[found[n-1].to:from]) != "" {
			found, sum = append(found, claim{from: from, ping: &Ping{Host: host}}), 0
			n++
		}
		p := found[n-1].ping
		sum += millis(strings.Replace(m[1], ",", ".", 1))
		p.lines++
		p.RTT, found[n-1].to = sum/float64(p.lines), to
	})
	next, claims := 0, t.claims
	for _, c := range found {
		for next < len(claims) && claims[next].from < c.to {
			next++
		}
		const between = 12 // lines: echoes that were not answered, and the head of the statistics
		if next < len(claims) && claims[next].ping != nil && strings.Count(t.body[c.to:claims[next].from], "\n") <= between {
			continue
		}
		t.claims = append(t.claims, c)
	}
}
