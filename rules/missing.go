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
		if metric == string(timeline.EventResult) {
			if test := wantedTest[read[strings.LastIndexByte(read, '.')+1:]]; test != "" {
				m.missing = appendNew(m.missing, test)
			}
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

// wantedTest says which test would tell a fact of testFacts that nobody tested.
var wantedTest = func() map[string]string {
	out := map[string]string{}
	for test, facts := range map[string]string{
		"a TCP test of the path":                           "rate best rate_spread line_share round_rate round_low unmet well",
		"how many segments TCP sent again in a test":       "retransmits retransmit_share mathis clean_rate",
		"the rate of a TCP test second by second":          "early burst stops stops_one_way",
		"the same test in the other direction":             "forward reverse asymmetry loss_forward loss_reverse",
		"tests with datagrams at two or three rates":       "loss_max loss_at clean_to lossy_from loss_flat ceiling ceiling_seen tcp_above",
		"the round trip, idle and under load":              "rtt_loaded queue queue_rate",
		"the round trip (a ping)":                          "rtt rtt_most",
		"the jitter of datagrams at a steady rate":         "jitter",
		"tests with small and with large packets":          "size_passes size_fails size_slope packet_rate packet_cap told",
		"the same test with one flow and with several":     "flow_gain flow_times flow_rate flow_round unequal together",
		"tests from several source ports":                  "ports_tested ports_lossy ports_dead sources_tested sources_lossy",
		"a test with a known window, and the round trip":   "per_round window window_rtt window_rate window_goodput window_fit granted",
		"the same test with two or three windows":          "window_grows window_peak window_best window_after window_loses",
		"the same test with another program":               "tools_differ",
		"the reports of both ends of one test":             "ends_differ claimed",
		"the same test in another class":                   "classes_differ",
		"how long it is dark each time":                    "gap",
		"whether anything gets through (a ping or a test)": "fails hangs",
	} {
		for f := range strings.FieldsSeq(facts) {
			out[f] = test
		}
	}
	return out
}()

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
