package app

import (
	"errors"
	"regexp"
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
	Paths factsPaths  `yaml:"paths"`
	Links []factsLink `yaml:"links"`
}

// factsPort is what is known of one port. Without a port's name it is about the device as a whole.
type factsPort struct {
	Device   scalar      `yaml:"device"`
	Port     scalar      `yaml:"port"`
	Speed    rateFigure  `yaml:"speed"`  // bit/s, negotiated
	Duplex   scalar      `yaml:"duplex"` // half, full
	AgeS     timeFigure  `yaml:"age_s"`  // over how long the counters of now have been counting
	Before   metricTable `yaml:"before"`
	After    metricTable `yaml:"after"`
	Now      metricTable `yaml:"now"`
	Interval timeFigure  `yaml:"interval_s"` // between before and after; over how long the states of now are means
}

// factsProbe is the result of one test.
type factsProbe struct {
	Path        scalar      `yaml:"path"`
	Proto       scalar      `yaml:"proto"`
	Direction   scalar      `yaml:"direction"`
	RateBps     rateFigure  `yaml:"rate_bps"`
	OfferedBps  rateFigure  `yaml:"offered_bps"`
	LossRatio   ratioFigure `yaml:"loss_ratio"`
	Retransmits number      `yaml:"retransmits"`
	WindowBytes sizeFigure  `yaml:"window_bytes"`
	RTTMs       milliFigure `yaml:"rtt_ms"`
	Streams     number      `yaml:"streams"`
	SizeBytes   sizeFigure  `yaml:"size_bytes"`
	JitterMs    milliFigure `yaml:"jitter_ms"`
	DurationS   timeFigure  `yaml:"duration_s"`
	When        scalar      `yaml:"when"`
	Note        scalar      `yaml:"note"`
}

type factsEvent struct {
	Time   scalar `yaml:"time"`
	Device scalar `yaml:"device"`
	Port   scalar `yaml:"port"`
	Type   scalar `yaml:"type"`
	Text   scalar `yaml:"text"`

	said map[string]string // what the text says if it is a line of a device's log
	word map[string]string // what the word says that was used for the type
}

type factsHost struct {
	Name     scalar       `yaml:"name"`
	CPURatio ratioFigure  `yaml:"cpu_ratio"`
	Settings settingTable `yaml:"settings"`
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
		f.useCanonicalWords()
		c.file(f)
	}
	return f, c.err()
}
