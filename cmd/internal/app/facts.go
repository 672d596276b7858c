package app

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
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

	said map[string]string // what the text says if it is a line of a device's log
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
	f, err := numberAt(n)
	if err != nil {
		return err
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
	var wrong mistakes
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		f, err := numberAt(v)
		wrong.add(v, err)
		if _, twice := t.get(k.Value); twice {
			wrong.add(k, fmt.Errorf("%s stands here twice", k.Value))
		}
		t.rows = append(t.rows, metricRow{k.Value, f, k.Line})
	}
	return wrong.err()
}

// numberAt reads a number; what is none is NaN, and an error.
func numberAt(n *yaml.Node) (float64, error) {
	f, err := strconv.ParseFloat(n.Value, 64)
	switch {
	case n.Kind != yaml.ScalarNode:
		return math.NaN(), errors.New("a number is wanted here, not a list or a mapping")
	case err != nil || math.IsNaN(f) || math.IsInf(f, 0):
		return math.NaN(), fmt.Errorf("a number is wanted here, not %q", n.Value)
	}
	return f, nil
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
	*t = settingTable{}
	return eachKey(n, func(key string, v *yaml.Node) error {
		if v.Kind != yaml.ScalarNode {
			return errors.New("one value is wanted here")
		}
		(*t)[key] = v.Value
		return nil
	})
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
			var wrong mistakes
			for _, c := range v.Content {
				var h hop
				wrong.add(c, h.UnmarshalYAML(c))
				p.hops = append(p.hops, h)
			}
			return wrong.err()
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
			return errors.New("a link has two ends")
		}
		var wrong mistakes
		wrong.add(n.Content[0], l.a.read(n.Content[0]))
		wrong.add(n.Content[1], l.b.read(n.Content[1]))
		return wrong.err()
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

// eachKey does something with every key of a mapping and its value, and returns all that is wrong with them.
func eachKey(n *yaml.Node, do func(string, *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return errors.New("a mapping (key: value) is wanted here")
	}
	var wrong mistakes
	for i := 0; i+1 < len(n.Content); i += 2 {
		wrong.add(n.Content[i+1], do(n.Content[i].Value, n.Content[i+1]))
	}
	return wrong.err()
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
	errs, whole := decodeAll(name, text, &f)
	c := &factsCheck{errs}
	if whole {
		c.file(f)
	}
	return f, c.err()
}
