package app

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"whydrop/correlate/timeline"
)

// Facts by hand, schema v1: what somebody knows of a trouble, written down as figures. The JSON Schema of the format is in
// facts.schema.json; every field is optional, and what is absent is not known.

// FactsSchemaVersion is the version of the schema that is read.
const FactsSchemaVersion = 1

type factsFile struct {
	Schema   scalar        `yaml:"schema"`
	Topology factsTopology `yaml:"topology"`
	Ports    []factsPort   `yaml:"ports"`
	Probes   []factsProbe  `yaml:"probes"`
	Events   []factsEvent  `yaml:"events"`
	Hosts    []factsHost   `yaml:"hosts"`
}

type factsTopology struct {
	Paths []factsPath `yaml:"paths"`
	Links []factsLink `yaml:"links"`
}

// factsPort is what is known of one port. Without a port's name it is about the device as a whole.
type factsPort struct {
	Device   scalar      `yaml:"device"`
	Port     scalar      `yaml:"port"`
	Speed    number      `yaml:"speed"`  // bit/s, negotiated
	Duplex   scalar      `yaml:"duplex"` // half, full
	AgeS     number      `yaml:"age_s"`  // over how long the counters of now have been counting
	Before   metricTable `yaml:"before"`
	After    metricTable `yaml:"after"`
	Now      metricTable `yaml:"now"`
	Interval number      `yaml:"interval_s"` // between before and after; over how long the states of now are means
}

// factsProbe is the result of one test.
type factsProbe struct {
	Path        scalar `yaml:"path"`
	Proto       scalar `yaml:"proto"`
	Direction   scalar `yaml:"direction"`
	RateBps     number `yaml:"rate_bps"`
	OfferedBps  number `yaml:"offered_bps"`
	LossRatio   number `yaml:"loss_ratio"`
	Retransmits number `yaml:"retransmits"`
	WindowBytes number `yaml:"window_bytes"`
	RTTMs       number `yaml:"rtt_ms"`
	Streams     number `yaml:"streams"`
	SizeBytes   number `yaml:"size_bytes"`
	JitterMs    number `yaml:"jitter_ms"`
	DurationS   number `yaml:"duration_s"`
	When        scalar `yaml:"when"`
	Note        scalar `yaml:"note"`
}

type factsEvent struct {
	Time   scalar `yaml:"time"`
	Device scalar `yaml:"device"`
	Port   scalar `yaml:"port"`
	Type   scalar `yaml:"type"`
	Text   scalar `yaml:"text"`
}

type factsHost struct {
	Name     scalar       `yaml:"name"`
	CPURatio number       `yaml:"cpu_ratio"`
	Settings settingTable `yaml:"settings"`
}

// number is a figure with the line it stands on.
type number struct {
	value float64
	line  int
}

// UnmarshalYAML takes a number that is finite and not negative.
func (v *number) UnmarshalYAML(n *yaml.Node) error {
	f, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("a number is wanted here, not %q", n.Value)
	}
	if f < 0 {
		return fmt.Errorf("%s is negative", n.Value)
	}
	v.value, v.line = f, n.Line
	return nil
}

func (v number) isSet() bool { return v.line > 0 }

// metricTable is a table of figures by the names of metrics.
type metricTable struct{ rows []metricRow }

type metricRow struct {
	key   string
	value float64
	line  int
}

// UnmarshalYAML takes a mapping of names to numbers; whether the names exist is checked later, with their lines.
func (t *metricTable) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("a mapping of metrics to numbers is wanted here")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		f, err := strconv.ParseFloat(v.Value, 64)
		if v.Kind != yaml.ScalarNode || err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("line %d: %s: a number is wanted here, not %q", v.Line, k.Value, v.Value)
		}
		if slices.ContainsFunc(t.rows, func(r metricRow) bool { return r.key == k.Value }) {
			return fmt.Errorf("line %d: %s stands here twice", k.Line, k.Value)
		}
		t.rows = append(t.rows, metricRow{k.Value, f, k.Line})
	}
	return nil
}

func (t metricTable) get(key string) (float64, bool) {
	for _, r := range t.rows {
		if r.key == key {
			return r.value, true
		}
	}
	return 0, false
}

// settingTable is a table of words.
type settingTable map[string]string

// UnmarshalYAML takes a mapping of names to any scalars.
func (t *settingTable) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("a mapping of settings to values is wanted here")
	}
	*t = settingTable{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if v.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: %s: one value is wanted here", v.Line, k.Value)
		}
		(*t)[k.Value] = v.Value
	}
	return nil
}

// factsPath is a path: its name, or a mapping.
type factsPath struct {
	name, from, to scalar
	hops           []hop
}

// UnmarshalYAML takes a name, or a mapping of name, from, to and hops.
func (p *factsPath) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return p.name.UnmarshalYAML(n)
	}
	return eachKey(n, func(key string, v *yaml.Node) error {
		switch key {
		case "name":
			return p.name.UnmarshalYAML(v)
		case "from":
			return p.from.UnmarshalYAML(v)
		case "to":
			return p.to.UnmarshalYAML(v)
		case "hops":
			if v.Kind != yaml.SequenceNode {
				return fmt.Errorf("a list of devices is wanted here")
			}
			for _, c := range v.Content {
				var h hop
				if err := h.UnmarshalYAML(c); err != nil {
					return err
				}
				p.hops = append(p.hops, h)
			}
			return nil
		}
		return unknownKey(key, "name", "from", "to", "hops")
	})
}

// factsLink is a cable between two ports.
type factsLink struct {
	a, b factsEnd
	line int
}

type factsEnd struct{ device, port string }

// UnmarshalYAML takes a list of two ends, or a mapping of a and b.
func (l *factsLink) UnmarshalYAML(n *yaml.Node) error {
	l.line = n.Line
	if n.Kind == yaml.SequenceNode {
		if len(n.Content) != 2 {
			return fmt.Errorf("a link has two ends")
		}
		if err := l.a.read(n.Content[0]); err != nil {
			return err
		}
		return l.b.read(n.Content[1])
	}
	return eachKey(n, func(key string, v *yaml.Node) error {
		switch key {
		case "a":
			return l.a.read(v)
		case "b":
			return l.b.read(v)
		}
		return unknownKey(key, "a", "b")
	})
}

// read takes "device port", or a mapping of the two.
func (e *factsEnd) read(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		device, port, ok := strings.Cut(strings.TrimSpace(n.Value), " ")
		if !ok {
			return fmt.Errorf("%q: an end of a link is a device and its port: sw1 Gi1/0/1", n.Value)
		}
		e.device, e.port = device, strings.TrimSpace(port)
		return nil
	}
	return eachKey(n, func(key string, v *yaml.Node) error {
		switch key {
		case "device":
			e.device = v.Value
		case "port":
			e.port = v.Value
		default:
			return unknownKey(key, "device", "port")
		}
		return nil
	})
}

func eachKey(n *yaml.Node, do func(string, *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("a mapping (key: value) is wanted here")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if err := do(n.Content[i].Value, n.Content[i+1]); err != nil {
			return fmt.Errorf("line %d: %s: %w", n.Content[i].Line, n.Content[i].Value, err)
		}
	}
	return nil
}

func unknownKey(key string, valid ...string) error {
	if n := nearest(key, valid); n != "" {
		return fmt.Errorf("unknown key; did you mean %q?", n)
	}
	return fmt.Errorf("unknown key; here may stand: %s", strings.Join(valid, ", "))
}

// factsKey finds what makes a text a file of facts: the schema at the left margin, and beside it one of its tables.
var (
	factsKey   = regexp.MustCompile(`(?m)^schema:`)
	factsTable = regexp.MustCompile(`(?m)^(topology|ports|probes|events|hosts):`)
)

// isFacts says whether a file is one of facts by hand: by its schema, or by its name and its tables.
func isFacts(name string, text []byte) bool {
	if !factsTable.Match(text) {
		return factsKey.Match(text) && yamlName(name)
	}
	return factsKey.Match(text) || yamlName(name)
}

func yamlName(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// parseFacts reads a file of facts strictly.
func parseFacts(name string, text []byte) (factsFile, error) {
	var f factsFile
	if err := decodeStrict(name, text, &f); err != nil {
		return f, err
	}
	c := &factsCheck{fileErrors: fileErrors{file: name}}
	c.file(f)
	return f, c.err()
}

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
		if _, _, err := factsTime(e.Time.text); err != nil && e.Time.isSet() {
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
	for name, t := range map[string]metricTable{"before": p.Before, "after": p.After, "now": p.Now} {
		for _, r := range t.rows {
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

// factsTime reads a time, and how exactly it is told. A time of day lies on the first of January 2000.
func factsTime(s string) (t time.Time, exact time.Duration, err error) {
	for _, l := range timeLayouts {
		if t, err = time.Parse(l.layout, s); err != nil {
			continue
		}
		if t.Year() == 0 {
			t = time.Date(2000, 1, 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
		}
		exact = l.exact
		if exact < time.Second && !strings.Contains(s, ".") {
			exact = time.Second
		}
		return t.UTC(), exact, nil
	}
	return t, 0, fmt.Errorf("%q is no time like 2026-03-02T14:02:05Z, 2026-03-02 14:02:05 or 14:02:05", s)
}

// eventNames returns the types of events that may stand in a file of facts.
func eventNames() []string {
	var out []string
	for _, t := range timeline.EventTypes() {
		out = append(out, string(t))
	}
	return slices.SortedFunc(slices.Values(out), cmp.Compare[string])
}
