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

// listBlock is a table of sizes and rates.
type listBlock struct{ points []rules.Point }

// listRow is a row of a size and a rate, with or without a mark in front: "- 64KB: 739Mbps", "64 KByte -> 94 Mbit/s".
var listRow = regexp.MustCompile(`^\s*(?:[-*•·–+>|]|\d{1,2}[.)]\s)?\s*(?:[A-Za-zÀ-ÿ-]{0,12}\s*=?\s*)?(\d{1,6}(?:[.,]\d{1,3})?)\s*([kKMG])i?(?:[Bb](?:ytes?)?|o)?\s*(?::|=|->|=>|→|\||\t|–|—|-|\s)\s*\|?\s*(\d{1,6}(?:[.,]\d{1,3})?)\s*([kKMGT]?)((?:bit|Bit|bits|Bits|b|B|Bytes?|byte)(?:/s(?:ec)?|ps)|bps|Bps)\b[\s|;.,)]*`)

// findLists claims tables of sizes and rates: two rows at least, with nothing but empty lines between.
func (t *text) findLists() {
	var cur *claim
	var found []claim
	finish := func() {
		if cur != nil && len(cur.list.points) >= 2 {
			found = append(found, *cur)
		}
		cur = nil
	}
	t.free(func(from, to int, line string) {
		line = noSpaces.Replace(line)
		if strings.TrimSpace(line) == "" {
			return
		}
		const longest = 200
		m := listRow.FindStringSubmatch(line)
		if m == nil || len(line) > longest {
			finish()
			return
		}
		p, ok := point(m, line)
		if !ok {
			finish()
			return
		}
		if cur != nil && strings.TrimSpace(noSpaces.Replace(t.body[cur.to:from])) != "" {
			finish()
		}
		if cur == nil {
			cur = &claim{from: from, list: &listBlock{}}
		}
		cur.to = to
		if len(cur.list.points) < maxRuns {
			cur.list.points = append(cur.list.points, p)
		}
	})
	finish()
	t.claims = append(t.claims, found...)
}

func point(m []string, line string) (rules.Point, bool) {
	size, half, ok1 := decimal(m[1])
	rate, _, ok2 := decimal(m[3])
	if !ok1 || !ok2 || size <= 0 || rate <= 0 {
		return rules.Point{}, false
	}
	k := math.Pow(1024, float64(strings.Index(" KMG", strings.ToUpper(m[2]))))
	if m[4] != "" {
		rate *= math.Pow(1000, float64(strings.Index(" KMGT", strings.ToUpper(m[4]))))
	}
	if strings.HasPrefix(m[5], "B") && !strings.HasPrefix(strings.ToLower(m[5]), "bit") || strings.HasPrefix(m[5], "byte") {
		rate *= 8
	}
	return rules.Point{Text: strings.Trim(line, " -*•·–+>|\t"), Size: size * k, Low: (size - half) * k, High: (size + half) * k, Rate: rate}, true
}

func decimal(s string) (v, half float64, ok bool) {
	s = strings.Replace(s, ",", ".", 1)
	v, err := strconv.ParseFloat(s, 64)
	_, decimals, _ := strings.Cut(s, ".")
	return v, math.Pow(10, -float64(len(decimals))) / 2, err == nil
}

// list takes in a table. Its sizes are windows unless the words around it say otherwise.
func (b *builder) list(t *text, from int, l listBlock, before string) {
	name := fmt.Sprintf("list %d", len(b.Pasted.Lists)+1)
	const near = 600
	around := before[max(0, len(before)-near):]
	x := rules.List{Name: name, Source: t.source(from), Subject: timeline.Path(name), Points: l.points}
	x.Window = windowWords.MatchString(around) || !packetWords.MatchString(around) && spread2(l.points) >= 8
	b.Pasted.Lists = append(b.Pasted.Lists, x)
	what := "size"
	if x.Window {
		what = "TCP window"
	}
	text := fmt.Sprintf("%s: %d rows of %s and rate, %s at %s to %s at %s", name, len(l.points), what,
		report.Rate(smallest(l.points).Rate), report.Bytes(smallest(l.points).Size), report.Rate(largest(l.points).Rate), report.Bytes(largest(l.points).Size))
	for _, p := range l.points {
		if why := p.Implausible(); why != "" && x.Window {
			text += "; " + why
		}
	}
	b.block(t.where(from), "rate-list", text)
	o := timeline.Origin{Collector: x.Source, Exchange: 1}
	for _, p := range l.points {
		b.made = true
		sp := timeline.Span{From: b.clock, To: b.clock.Add(seconds(10))}
		b.clock = b.clock.Add(seconds(60))
		b.Records = append(b.Records, timeline.Sample{Subject: x.Subject, Metric: timeline.GoodputForward, Span: sp, Value: p.Rate, Origin: o})
	}
}

// spread2 is how many times the largest size is the smallest.
func spread2(points []rules.Point) float64 { return largest(points).Size / smallest(points).Size }

func smallest(points []rules.Point) rules.Point {
	out := points[0]
	for _, p := range points {
		if p.Size < out.Size {
			out = p
		}
	}
	return out
}

func largest(points []rules.Point) rules.Point {
	out := points[0]
	for _, p := range points {
		if p.Size > out.Size {
			out = p
		}
	}
	return out
}
