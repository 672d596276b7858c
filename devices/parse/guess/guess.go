// Package guess tells of which platform a text is that somebody copied from a command line, without the command or
// the device being named.
//
// A platform is known by what only it prints: how its ports are called, the titles of its tables, the sentences of its
// commands, its prompts ([marks]). What none of them decides is left to the parsers: the platform whose parsers make the
// most of the text.
//
// What it leaves to others: parsing the text (parse), and asking a device that can still be asked (cli).
package guess

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/cli"
	"whydrop/devices/parse"
)

// most bounds what is looked at of a text: its beginning, which tells as much as the whole.
const most = 8 << 10

// Platform returns whose text it is, by the name in parse.Parsers. others are platforms whose text it may be as well,
// as far as can be told, in alphabetical order; name is "" if nothing in it is known.
func Platform(text string) (name string, others []string) {
	text = text[:min(len(text), most)]
	score := signs(text)
	best := leaders(score)
	if len(best) != 1 {
		list := best
		if len(list) == 0 {
			list = slices.Collect(maps.Keys(parse.Parsers))
		}
		score = map[string]int{}
		for _, p := range list {
			score[p] = Best(p, text, nil).Worth
		}
		if by := leaders(score); len(by) > 0 || len(best) == 0 {
			best = by
		}
	}
	return ordered(best)
}

// Marked is Platform for texts that are mostly something else: marks alone decide, and no parser is asked. Of those that are
// marked as well as the first, others are told.
func Marked(text string) (name string, others []string) {
	return ordered(leaders(signs(text[:min(len(text), most)])))
}

// ordered returns the platform that a text is taken to be of, and the others in alphabetical order.
func ordered(best []string) (name string, others []string) {
	if len(best) == 0 {
		return "", nil
	}
	slices.SortFunc(best, func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(common, b), slices.Index(common, a)), cmp.Compare(a, b))
	})
	slices.Sort(best[1:])
	return best[0], best[1:]
}

// common are the platforms that a text is taken to be of where it may be of others as well, the commonest last.
var common = []string{"cisco_iosxe", "cisco_ios"}

// leaders returns those with the highest score above nothing.
func leaders(score map[string]int) []string {
	most := 0
	for _, n := range score {
		most = max(most, n)
	}
	var out []string
	for name, n := range score {
		if n == most && n > 0 {
			out = append(out, name)
		}
	}
	return out
}

// signs counts the marks of each platform in the text. A mark counts as often as it stands there, up to a limit, so that
// one stray line decides nothing against many.
func signs(text string) map[string]int {
	const limit = 4
	out := map[string]int{}
	add := func(platforms string, n int) {
		for name := range strings.FieldsSeq(platforms) {
			out[name] += n
		}
	}
	for _, m := range marks {
		if !m.possible(text) {
			continue
		}
		if n := len(m.re.FindAllStringIndex(text, limit)); n > 0 {
			add(m.platforms, n*m.weight)
		}
	}
	if !strings.Contains(text, "eighbor") && !foreign.MatchString(text) {
		if name, ok := cli.Detect(cli.Signs{Version: text}); ok {
			const sure = 20
			add(name, sure)
			if name == "cisco_iosxe" || name == "cisco_ios" {
				add("cisco_ios cisco_iosxe", 1)
			}
		}
	}
	return out
}

// Reading is what a platform's parser for one command makes of a text.
type Reading struct {
	devices.Reading
	Command string
	// Worth is how many values were found, less the lines that were not understood; 0 is nothing.
	Worth int
}

// Best returns what the parser of those commands makes of the text that makes the most of it, or of all the platform's
// commands if none is given.
func Best(platform, text string, commands []string) Reading {
	if len(commands) == 0 {
		commands = slices.Sorted(maps.Keys(parse.Parsers[platform]))
		if _, ok := cli.Detect(cli.Signs{Version: text}); !ok { // any line with the word "version" would do
			commands = slices.DeleteFunc(commands, func(c string) bool { return strings.HasSuffix(c, " version") })
		}
	}
	var best Reading
	for _, c := range commands {
		got := Reading{Command: c}
		if parse.Into(platform, c, parse.Input{Text: text, Span: timeline.At(time.Now().UTC())}, &got.Reading) != nil {
			continue
		}
		if got.Worth = worth(got.Reading); got.Worth > best.Worth {
			best = got
		}
	}
	return best
}

func worth(r devices.Reading) int {
	unread := len(r.Unread)
	r.Unread = nil
	n := values(reflect.ValueOf(r))
	if n == 0 {
		return 0
	}
	return max(1, n-unread)
}

// values counts what is given. Facts are words that no parser had a use for.
func values(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return values(v.Elem())
	case reflect.Slice, reflect.Array:
		n := 0
		for i := range v.Len() {
			n += values(v.Index(i))
		}
		return n
	case reflect.Struct:
		if v.Type().NumField() == 2 && v.Type().Field(1).Name == "OK" { // devices.Opt
			if v.Field(1).Bool() {
				return 1
			}
			return 0
		}
		n, closed := 0, true
		for i := range v.NumField() {
			f := v.Type().Field(i)
			closed = closed && !f.IsExported()
			if f.Name != "Facts" && f.IsExported() {
				n += values(v.Field(i))
			}
		}
		if closed && !v.IsZero() { // netip.Addr, time.Time
			return 1
		}
		return n
	}
	if v.IsZero() {
		return 0
	}
	return 1
}
