package rules

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"go.yaml.in/yaml/v4"
)

// Text is a sentence with holes: {port.name} is filled with the value of the expression between the braces.
type Text struct {
	Text string
	Line int

	parts []string // before the first hole, between the holes, after the last
	holes []*vm.Program
}

// UnmarshalYAML keeps the text and its line.
func (t *Text) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("a sentence is text")
	}
	t.Text, t.Line = strings.Join(strings.Fields(n.Value), " "), n.Line
	return nil
}

func (t *Text) compile(words *vocabulary, thresholds map[string]Threshold) error {
	rest := t.Text
	for {
		before, after, found := strings.Cut(rest, "{")
		t.parts = append(t.parts, before)
		if !found {
			return nil
		}
		hole, after, found := strings.Cut(after, "}")
		if !found {
			return fmt.Errorf("a hole { has no }")
		}
		e := Expression{Text: hole}
		node, err := e.parse(words, thresholds)
		if err != nil {
			return fmt.Errorf("{%s}: %w", hole, err)
		}
		p, err := words.compile(node.String())
		if err != nil {
			return fmt.Errorf("{%s}: %w", hole, err)
		}
		t.holes = append(t.holes, p)
		rest = after
	}
}

// fill returns the text with its holes filled.
func (t Text) fill(env map[string]any) string {
	if len(t.holes) == 0 {
		return t.Text
	}
	var b strings.Builder
	next := t.parts[0]
	for i, p := range t.holes {
		b.WriteString(next)
		next = t.parts[i+1]
		v, err := expr.Run(p, env)
		if err != nil {
			v = "?"
		}
		figure := worded(v)
		if figure == "1" && !strings.HasSuffix(t.parts[i], "of ") {
			next = one.ReplaceAllStringFunc(next, singular)
		}
		b.WriteString(figure)
	}
	b.WriteString(next)
	return strings.TrimSpace(b.String())
}

// one finds what sentences of the catalogue count, with a verb behind it, at the head of what follows a figure. A port may
// be called 1, so that not every word ending in s is a noun in the plural.
var one = regexp.MustCompile(`^ (?:frame|packet|error|port|outage|segment|datagram)s(?: were| are)?\b`)

func singular(s string) string {
	noun, verb, _ := strings.Cut(s[1:], " ")
	return strings.TrimRight(" "+strings.TrimSuffix(noun, "s")+" "+map[string]string{"were": "was", "are": "is"}[verb], " ")
}

func worded(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return number(v)
	case []string:
		return list(v)
	}
	return fmt.Sprint(v)
}

func number(v float64) string {
	if math.IsNaN(v) {
		return "?"
	}
	if a := math.Abs(v); (v == math.Trunc(v) || a >= 1000) && a < 1e9 { // 1999 is no 2e+03
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// list joins names as a sentence does.
func list(v []string) string {
	switch len(v) {
	case 0:
		return "none"
	case 1:
		return v[0]
	}
	return strings.Join(v[:len(v)-1], ", ") + " and " + v[len(v)-1]
}

// wording is what expressions and holes can use to write figures as a person reads them.
var wording = map[string]any{
	"rate":     rateText,
	"percent":  percentText,
	"seconds":  secondsText,
	"clock":    clockText,
	"names":    list,
	"num":      number,
	"occupied": occupied,
	"surely":   func(v bool) bool { return v }, // of a condition: what is not known is no
	"known":    func(v float64) bool { return !math.IsNaN(v) },
	"orelse": func(v, def float64) float64 {
		if math.IsNaN(v) {
			return def
		}
		return v
	},
}

func rateText(v float64) string {
	switch {
	case math.IsNaN(v):
		return "? bit/s"
	case v >= 1e9:
		return trim(v/1e9) + " Gbit/s"
	case v >= 1e6:
		return trim(v/1e6) + " Mbit/s"
	case v >= 1e3:
		return trim(v/1e3) + " kbit/s"
	}
	return trim(v) + " bit/s"
}

func percentText(v float64) string {
	if math.IsNaN(v) {
		return "? %"
	}
	v *= 100
	switch {
	case v != 0 && math.Abs(v) < 0.1:
		return strconv.FormatFloat(v, 'g', 2, 64) + " %"
	}
	return trim(v) + " %"
}

// occupied says how busy a processor is, of which 1 is one core: a program of several threads takes more than one.
func occupied(v float64) string {
	if v > 1 {
		return "busy on " + trim(v) + " cores at once"
	}
	return percentText(v) + " busy"
}

func secondsText(v float64) string {
	switch {
	case math.IsNaN(v):
		return "? s"
	case v < 0.1:
		return trim(v*1000) + " ms"
	}
	return trim(v) + " s"
}

// trim writes a figure to three digits, without an exponent.
func trim(v float64) string {
	digits := 1
	switch a := math.Abs(v); {
	case a >= 100:
		digits = 0
	case a < 1:
		digits = 2
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func clockText(t time.Time) string {
	if t.IsZero() {
		return "?"
	}
	return t.UTC().Format("15:04:05.0") + " UTC"
}

// Plural counts things: "1 device", "2 devices", "0 switches".
func Plural(n int, noun string) string {
	switch {
	case n == 1, noun == "series":
	case strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "s"):
		noun += "es"
	case strings.HasSuffix(noun, "ry"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
