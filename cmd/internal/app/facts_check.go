package app

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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
		c.ratio(key+".loss_ratio", p.LossRatio)
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
		c.ratio(fmt.Sprintf("hosts[%d].cpu_ratio", i), h.CPURatio)
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

// hint names the metric that comes nearest to an unknown one.
func hint(key string) string {
	best, distanceOf := "", math.MaxInt
	for _, d := range timeline.Metrics() {
		if n := distance(strings.ToLower(key), string(d.Metric)); n < distanceOf && (d.Kind == timeline.KindPort || d.Kind == timeline.KindDevice) {
			best, distanceOf = string(d.Metric), n
		}
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

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

// timeLayouts are the ways in which a time may be written, each with how exactly it tells it.
var timeLayouts = []struct {
	layout string
	exact  time.Duration
}{
	{time.RFC3339Nano, time.Millisecond}, {"2006-01-02T15:04:05.999999999", time.Millisecond}, {"2006-01-02 15:04:05.999999999", time.Millisecond},
	{"2006-01-02T15:04", time.Minute}, {"2006-01-02 15:04", time.Minute}, {"2006-01-02", 24 * time.Hour}, {"15:04:05.999999999", time.Millisecond}, {"15:04", time.Minute},
}

// toldTime is a time as somebody told it.
type toldTime struct {
	at    time.Time     // in the year 0 if only the time of day was told
	exact time.Duration // how exactly
}

// factsTime reads a time.
func factsTime(s string) (toldTime, error) {
	for _, l := range timeLayouts {
		t, err := time.Parse(l.layout, s)
		if err != nil {
			continue
		}
		exact := l.exact
		if exact < time.Second && !strings.Contains(s, ".") {
			exact = time.Second
		}
		return toldTime{t.UTC(), exact}, nil
	}
	return toldTime{}, fmt.Errorf("%q is no time like 2026-03-02T14:02:05Z, 2026-03-02 14:02:05 or 14:02:05", s)
}

// hasDay says whether the date was told.
func (t toldTime) hasDay() bool { return t.at.Year() > 0 }

// on returns the time with the given day if it has none of its own.
func (t toldTime) on(day time.Time) toldTime {
	if !t.hasDay() {
		t.at = t.at.AddDate(day.Year(), int(day.Month())-1, day.Day()-1)
	}
	return t
}

// eventNames returns the types of events that may stand in a file of facts.
func eventNames() []string {
	var out []string
	for _, t := range timeline.EventTypes() {
		out = append(out, string(t))
	}
	return slices.SortedFunc(slices.Values(out), cmp.Compare[string])
}
