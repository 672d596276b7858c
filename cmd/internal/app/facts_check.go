package app

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"whydrop/correlate/timeline"
)

// factsCheck checks what the decoder can't.
type factsCheck struct{ fileErrors }

func (c *factsCheck) file(f factsFile) {
	switch {
	case !f.Schema.isSet():
		c.addf(1, "schema is missing; this program reads schema: %d", FactsSchemaVersion)
	case f.Schema.text != strconv.Itoa(FactsSchemaVersion):
		c.addf(f.Schema.line, "schema: %q; this program reads schema: %d", f.Schema.text, FactsSchemaVersion)
	}
	for i, p := range f.Ports {
		c.port(fmt.Sprintf("ports[%d]", i), p)
	}
	for i, p := range f.Probes {
		key := fmt.Sprintf("probes[%d]", i)
		c.oneOf(key+".proto", p.Proto, "tcp", "udp", "icmp", "connect", "http", "dns", "stamp")
		c.oneOf(key+".direction", p.Direction, timeline.Forward, timeline.Reverse, timeline.Both)
		c.ratio(key+".loss_ratio", p.LossRatio.number)
	}
	for i, e := range f.Events {
		key := fmt.Sprintf("events[%d]", i)
		if e.Type.isSet() {
			c.oneOf(key+".type", e.Type, eventNames()...)
		}
		if _, err := factsTime(e.Time.text); err != nil && e.Time.isSet() {
			c.addf(e.Time.line, "%s.time: %v", key, err)
		}
	}
	for i, h := range f.Hosts {
		c.ratio(fmt.Sprintf("hosts[%d].cpu_ratio", i), h.CPURatio.number)
	}
}

func (c *factsCheck) port(key string, p factsPort) {
	c.oneOf(key+".duplex", p.Duplex, "half", "full")
	if p.Speed.isSet() && p.Speed.value < 1000 {
		c.addf(p.Speed.line, "%s.speed: is in bit/s; no port has %g (1 Gbit/s is 1e9)", key, p.Speed.value)
	}
	if p.Interval.isSet() && p.Interval.value == 0 {
		c.addf(p.Interval.line, "%s.interval_s: is 0", key)
	}
	for _, table := range []struct {
		name string
		metricTable
	}{{"before", p.Before}, {"after", p.After}, {"now", p.Now}} {
		name := table.name
		for _, r := range table.rows {
			d, ok := timeline.Describe(timeline.Metric(r.key))
			switch {
			case !ok:
				c.addf(r.line, "%s.%s: unknown metric %q%s", key, name, r.key, hint(r.key))
			case d.Kind != timeline.KindPort && d.Kind != timeline.KindDevice:
				c.addf(r.line, "%s.%s: %s is a metric of a %s, not of a port", key, name, r.key, d.Kind)
			case r.value < 0 && d.Unit != "dBm" && d.Unit != "degC" && d.Unit != "s":
				c.addf(r.line, "%s.%s.%s: is negative", key, name, r.key)
			case d.Unit == "ratio" && r.value > 1:
				c.addf(r.line, "%s.%s.%s: is a ratio of at most 1; 5 %% is 0.05", key, name, r.key)
			}
		}
	}
}

// hint names the metric that an unknown name means: the one that has it as a source (a MIB object, a field of show
// interfaces), or the one that is spelled most alike.
func hint(key string) string {
	best, bestScore := "", 0.0
	for _, d := range timeline.Metrics() {
		if d.Kind != timeline.KindPort && d.Kind != timeline.KindDevice {
			continue
		}
		alike := 1 - float64(distance(strings.ToLower(key), string(d.Metric)))/float64(max(len(key), len(d.Metric)))
		score := alike
		for _, s := range append(metricSource.FindAllString(d.Sources, -1), d.Name) {
			switch a, b := letters(s), letters(key); {
			case a == b:
				score = max(score, 2+alike)
			case len(b) > 2 && strings.Contains(a, b):
				score = max(score, 1+float64(len(b))/float64(len(a)))
			}
		}
		if score > bestScore {
			best, bestScore = string(d.Metric), score
		}
	}
	if bestScore < leastAlike {
		return "; whydrop init facts --schema lists them"
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// leastAlike is how much of a name must be that of a metric for it to be taken for a slip.
const leastAlike = 0.5

// metricSource is a MIB object, or a field of a show command, in a description's sources.
var metricSource = regexp.MustCompile(`'[^']+'|[a-z]\w*[A-Z]\w*`)

// letters returns a name's letters and digits alone, in lower case, with one word for what has several.
func letters(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
	return oneWord.Replace(s)
}

var oneWord = strings.NewReplacer("discards", "drops", "dropped", "drops", "octets", "rate", "bps", "rate", "input", "in", "output", "out", "rx", "in", "tx", "out")

func (c *factsCheck) ratio(key string, v number) {
	if v.isSet() && v.value > 1 {
		c.addf(v.line, "%s: is a ratio of at most 1; 5 %% is 0.05", key)
	}
}

func (c *factsCheck) oneOf(key string, v scalar, valid ...string) {
	if !v.isSet() || slices.Contains(valid, v.text) {
		return
	}
	if n := nearest(v.text, valid); n != "" {
		c.addf(v.line, "%s: unknown %q; did you mean %q?", key, v.text, n)
		return
	}
	c.addf(v.line, "%s: unknown %q; here may stand: %s", key, v.text, strings.Join(valid, ", "))
}

// eventNames returns the types of events that may stand in a file of facts.
func eventNames() []string {
	var out []string
	for _, t := range timeline.EventTypes() {
		out = append(out, string(t))
	}
	return slices.SortedFunc(slices.Values(out), cmp.Compare[string])
}
