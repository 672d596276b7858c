package app

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"whydrop/correlate/timeline"
)

// Figures of facts are plain numbers in the unit that their key names. A figure that is written with its own unit, as
// programs print it, is read as well; one whose unit is of another kind is a mistake.

// number is a figure with the line it stands on.
type number struct {
	value float64
	line  int
}

func (v number) isSet() bool { return v.line > 0 }

// UnmarshalYAML takes a number that is finite and not negative.
func (v *number) UnmarshalYAML(n *yaml.Node) error { return v.read(n, "") }

func (v *number) read(n *yaml.Node, unit string) error {
	f, err := figureAt(n, unit)
	if err != nil {
		return err
	}
	if f < 0 {
		return fmt.Errorf("%s is negative", n.Value)
	}
	v.value, v.line = f, n.Line
	return nil
}

// The kinds of numbers by their unit.
type (
	rateFigure  struct{ number } // bit/s
	sizeFigure  struct{ number } // bytes
	timeFigure  struct{ number } // s
	milliFigure struct{ number } // ms
	ratioFigure struct{ number } // 0 to 1
)

// UnmarshalYAML takes bit/s, or a rate as iperf3 has it: 1G, 94.1 Mbits/sec.
func (v *rateFigure) UnmarshalYAML(n *yaml.Node) error { return v.read(n, "bit/s") }

// UnmarshalYAML takes bytes, or a size as iperf3 has it: 64K, 208 KByte.
func (v *sizeFigure) UnmarshalYAML(n *yaml.Node) error { return v.read(n, "byte") }

// UnmarshalYAML takes seconds, or a time with its unit: 90s, 2 h, 42w4d, 00:12:33.
func (v *timeFigure) UnmarshalYAML(n *yaml.Node) error { return v.read(n, "s") }

// UnmarshalYAML takes milliseconds, or a time with its unit: 0.4 ms, 250us.
func (v *milliFigure) UnmarshalYAML(n *yaml.Node) error { return v.read(n, "ms") }

// UnmarshalYAML takes a ratio, or per cent with their sign: 1.2%.
func (v *ratioFigure) UnmarshalYAML(n *yaml.Node) error { return v.read(n, "ratio") }

// figureAt reads a figure whose plain number is in the given unit; what is none is NaN, and an error.
func figureAt(n *yaml.Node, unit string) (float64, error) {
	if n.Kind != yaml.ScalarNode {
		return math.NaN(), errors.New("a number is wanted here, not a list or a mapping")
	}
	text := strings.TrimSpace(n.Value)
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		f, err = withUnit(text, unit)
	}
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return math.NaN(), fmt.Errorf("a number%s is wanted here, not %q", map[bool]string{true: " (" + unit + ")"}[unit != ""], n.Value)
	}
	return f, nil
}

var errNoFigure = errors.New("no figure of this kind")

// withUnit reads a number with its own unit behind it, and returns it in the given one.
func withUnit(s, unit string) (float64, error) {
	switch unit {
	case "bit/s":
		return ParseRate(s)
	case "byte":
		n, err := ParseSize(sizeUnit.ReplaceAllString(strings.ReplaceAll(s, " ", ""), "$1"))
		return float64(n), err
	case "ratio":
		number, ok := strings.CutSuffix(s, "%")
		if !ok {
			return 0, errNoFigure
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		return f / 100, err
	case "dBm", "degC":
		number, ok := strings.CutSuffix(s, unit)
		if !ok {
			return 0, errNoFigure
		}
		return strconv.ParseFloat(strings.TrimSpace(number), 64)
	case "s", "ms":
		d, err := lengthWithUnit(s)
		if unit == "ms" {
			return d.Seconds() * 1e3, err
		}
		return d.Seconds(), err
	}
	return 0, errNoFigure
}

// sizeUnit is what stands behind the letter of a size: KByte, KiB, kB, bytes.
var sizeUnit = regexp.MustCompile(`(?i)(\d|[kmgt])i?(?:b|bytes?)$`)

var (
	timePart = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*(us|µs|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d|weeks?|w|years?|y)[\s,]*`)
	clockAge = regexp.MustCompile(`^(\d+):(\d\d):(\d\d)$`)
	units    = map[string]time.Duration{
		"us": time.Microsecond, "µs": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour,
		"d": 24 * time.Hour, "w": 7 * 24 * time.Hour, "y": 365 * 24 * time.Hour,
	}
)

// lengthWithUnit reads 250us, 2 min, 1d04h and, as devices tell the age of their counters, 42w4d and 00:12:33.
func lengthWithUnit(s string) (time.Duration, error) {
	if m := clockAge.FindStringSubmatch(s); m != nil {
		return time.ParseDuration(m[1] + "h" + m[2] + "m" + m[3] + "s")
	}
	if s == "" || timePart.ReplaceAllString(s, "") != "" {
		return 0, errNoFigure
	}
	sum := 0.0
	for _, m := range timePart.FindAllStringSubmatch(s, -1) {
		f, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return 0, err
		}
		name := strings.ToLower(m[2])
		unit, ok := units[name]
		if !ok {
			unit = units[name[:1]]
		}
		sum += f * unit.Seconds()
	}
	return time.Duration(min(sum, 1e9) * float64(time.Second)), nil
}

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
		f, err := figureAt(v, unitOf(k.Value))
		wrong.add(v, err)
		if _, twice := t.get(k.Value); twice {
			wrong.add(k, fmt.Errorf("%s stands here twice", k.Value))
		}
		t.rows = append(t.rows, metricRow{k.Value, f, k.Line})
	}
	return wrong.err()
}

func (t metricTable) get(key string) (float64, bool) {
	for _, r := range t.rows {
		if r.key == key {
			return r.value, true
		}
	}
	return 0, false
}

// unitOf returns the unit of what stands behind a metric's name: none for what counts.
func unitOf(key string) string {
	if counts(key) {
		return ""
	}
	d, _ := timeline.Describe(timeline.Metric(key))
	return d.Unit
}
