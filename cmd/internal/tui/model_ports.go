package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// errorMetrics and dropMetrics are what counts as an error or a drop of a port. Several of them may count one
// frame (a wrong check sequence is an input error too), so the largest of each direction is taken, never the sum.
var (
	errorMetricsIn  = []timeline.Metric{timeline.InErrors, timeline.InFCS, timeline.InAlignment, timeline.InRunts, timeline.InGiants, timeline.InOverrun}
	errorMetricsOut = []timeline.Metric{timeline.OutErrors, timeline.LateCollisions}
	dropMetricsIn   = []timeline.Metric{timeline.InDrops}
	dropMetricsOut  = []timeline.Metric{timeline.OutDrops}
)

func newPort(s timeline.Snapshot, t correlate.Topology, device, name string, now time.Time) *Port {
	sub := timeline.Port(device, name)
	p := &Port{Device: report.Clean(device), Name: report.Clean(name), OnPath: t.OnPath(sub), subject: sub}
	p.Short = shortPort(p.Name)
	fresh := func(m timeline.Metric) *float64 {
		if v, ok := s.Last(sub, m); ok && now.Sub(v.Span.To) <= freshDevice {
			return &v.Value
		}
		return nil
	}
	p.Up, p.Forwarding, p.HalfDuplex = asBool(fresh(timeline.Oper)), asBool(fresh(timeline.STPForwarding)), asBool(fresh(timeline.HalfDuplex))
	p.Speed, p.In, p.Out, p.Load = fresh(timeline.Speed), fresh(timeline.InBits), fresh(timeline.OutBits), fresh(timeline.Utilisation)
	p.Errors = sum(most(errorMetricsIn, fresh), most(errorMetricsOut, fresh))
	p.Drops = sum(most(dropMetricsIn, fresh), most(dropMetricsOut, fresh))
	minute := timeline.Span{From: now.Add(-recent), To: now}
	p.ErrorsSeen = mostSeen(s, sub, errorMetricsIn, minute) + mostSeen(s, sub, errorMetricsOut, minute)
	p.DropsSeen = mostSeen(s, sub, dropMetricsIn, minute) + mostSeen(s, sub, dropMetricsOut, minute)
	p.judge()
	return p
}

// attention is how many errors or drops a minute make a port worth a look: a single one is everyday life.
const attention = 3

func (p *Port) judge() {
	switch {
	case p.Up != nil && !*p.Up:
		p.Health = HealthDown
	case p.ErrorsSeen >= attention || p.DropsSeen >= attention:
		p.Health = HealthWarn
	case p.Up == nil && p.In == nil:
		p.Health = HealthUnknown
	}
}

func asBool(v *float64) *bool {
	if v == nil {
		return nil
	}
	b := *v != 0
	return &b
}

func most(ms []timeline.Metric, value func(timeline.Metric) *float64) *float64 {
	var hi *float64
	for _, m := range ms {
		if v := value(m); v != nil && (hi == nil || *v > *hi) {
			hi = v
		}
	}
	return hi
}

func sum(a, b *float64) *float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	v := *a + *b
	return &v
}

// mostSeen counts events of the metric that has most of them in the span.
func mostSeen(s timeline.Snapshot, sub timeline.Subject, ms []timeline.Metric, span timeline.Span) float64 {
	hi := 0.0
	for _, m := range ms {
		n := 0.0
		for _, v := range s.Between(sub, m, span) {
			n += v.Value * v.Span.Width().Seconds()
		}
		hi = max(hi, n)
	}
	return hi
}

// Traffic returns what passes the port in both directions, bit/s; nil if it is not known.
func (p *Port) Traffic() *float64 { return sum(p.In, p.Out) }

// portColumn is a column that the table of ports can be sorted by.
type portColumn struct {
	title string
	less  func(a, b *Port) int
}

// portColumns are the orders of the table of ports: a new one is one line here. Ports that are equal stay in the
// order of the site.
var portColumns = []portColumn{
	{"path", func(a, b *Port) int { return 0 }},
	{"health", func(a, b *Port) int { return worst(a.Health, b.Health) }},
	{"in", func(a, b *Port) int { return larger(a.In, b.In) }},
	{"out", func(a, b *Port) int { return larger(a.Out, b.Out) }},
	{"load", func(a, b *Port) int { return larger(a.Load, b.Load) }},
	{"errors", func(a, b *Port) int { return cmp.Compare(b.ErrorsSeen, a.ErrorsSeen) }},
	{"drops", func(a, b *Port) int { return cmp.Compare(b.DropsSeen, a.DropsSeen) }},
	{"name", func(a, b *Port) int {
		return cmp.Or(strings.Compare(a.Device, b.Device), strings.Compare(a.Name, b.Name))
	}},
}

// larger orders the larger value first and what is not known last.
func larger(a, b *float64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(*b, *a)
}

// sortedPorts returns the ports that the filter lets through, in the order of the column.
func sortedPorts(ports []*Port, column int, reverse bool, filter string) []*Port {
	var out []*Port
	for _, p := range ports {
		if matches(filter, p.Device, p.Name, p.Short, p.Word()) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, portColumns[column%len(portColumns)].less)
	if reverse {
		slices.Reverse(out)
	}
	return out
}

// Word is the port's state in one word.
func (p *Port) Word() string {
	switch {
	case p.Up != nil && !*p.Up:
		return "down"
	case p.Forwarding != nil && !*p.Forwarding:
		return "blocked"
	case p.HalfDuplex != nil && *p.HalfDuplex:
		return "half"
	case p.Up != nil:
		return "up"
	case p.In != nil:
		return "read"
	}
	return "?"
}

// matches says whether the filter's words all occur in the texts, whatever the case; a word with ! before it must
// not occur.
func matches(filter string, texts ...string) bool {
	if filter == "" {
		return true
	}
	all := strings.ToLower(strings.Join(texts, " "))
	for _, w := range strings.Fields(strings.ToLower(filter)) {
		if not, ok := strings.CutPrefix(w, "!"); ok {
			if not != "" && strings.Contains(all, not) {
				return false
			}
		} else if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}
