package rules

import (
	"math"
	"reflect"
	"strings"

	"whydrop/correlate/timeline"
)

// miss notes which readings an expression could not be decided for.
func (m *match) miss(s timeline.Snapshot, e Expression) {
	for _, one := range e.asks {
		if len(s.Series(m.cand.subject, timeline.Metric(one))) == 0 {
			d, _ := timeline.Describe(timeline.Metric(one))
			m.missing = appendNew(m.missing, d.Name+" ("+one+") of "+m.cand.subject.String())
		}
	}
	for _, read := range e.reads {
		value, metric := lookup(m.cand.env, read)
		if metric == "" || !math.IsNaN(value) {
			continue
		}
		about := m.cand.subject
		if strings.HasPrefix(metric, "path.") || strings.HasPrefix(metric, "tcp.") {
			about = timeline.Path(m.cand.path)
		}
		who := about.String()
		if strings.HasPrefix(metric, "host.") {
			who = hostOf(m.cand.env, read)
		}
		for _, one := range lacking(s, about, strings.Split(metric, ",")) {
			if d, ok := timeline.Describe(timeline.Metric(one)); ok {
				one = d.Name + " (" + one + ")"
			}
			m.missing = appendNew(m.missing, one+" of "+who)
		}
	}
}

// lacking returns those of the metrics of which there is no sample; all of them, if there is of each.
func lacking(s timeline.Snapshot, about timeline.Subject, metrics []string) []string {
	var out []string
	for _, m := range metrics {
		if len(s.Series(about, timeline.Metric(m))) == 0 {
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return metrics
	}
	return out
}

func hostOf(env map[string]any, read string) string {
	if p, ok := env["path"].(*pathFacts); ok && !strings.HasPrefix(read, "path.own") && p.FarName != "" {
		return "host " + p.FarName
	}
	if strings.HasPrefix(read, "path.own") {
		return "host " + timeline.LocalHost
	}
	return "the far end"
}

// lookup follows a name like port.fcs.total through the facts. It returns the figure (0 if it is none) and the
// metric of the innermost field that names one.
func lookup(env map[string]any, read string) (value float64, metric string) {
	names := strings.Split(read, ".")
	v := reflect.ValueOf(env[names[0]])
	for _, name := range names[1:] {
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return 0, metric
		}
		found := false
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Tag.Get("expr") == name {
				if tag := f.Tag.Get("metric"); tag != "" {
					metric = tag
				}
				v, found = v.Field(i), true
				break
			}
		}
		if !found {
			return 0, metric
		}
	}
	if v.Kind() == reflect.Float64 {
		return v.Float(), metric
	}
	return 0, metric
}
