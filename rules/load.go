package rules

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

//go:embed catalog/*.yaml
var embedded embed.FS

// Default returns the embedded catalogue, in the order of ids. It is loaded once; the slice is the caller's.
func Default() []Rule { return slices.Clone(defaults()) }

var defaults = sync.OnceValue(func() []Rule {
	sub, err := fs.Sub(embedded, "catalog")
	if err != nil {
		panic(err)
	}
	rules, err := Load(sub)
	if err != nil {
		panic(fmt.Sprintf("the embedded catalogue: %v", err)) // the tests load it, so this can't leave the house
	}
	return rules
})

// Load reads every *.yaml file at the root of fsys as one rule and compiles it. It is strict: an unknown or
// doubled key, a wrong type, an expression over a fact that does not exist, a threshold without a source, or a
// cause that no rule describes is an error that names file, line and key, and the nearest right key. All
// mistakes are returned together.
func Load(fsys fs.FS) ([]Rule, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var out []Rule
	var errs []error
	for _, name := range names {
		r, err := loadFile(fsys, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, r)
	}
	if err := errors.Join(append(errs, checkReferences(out)...)...); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no rule: there is no *.yaml file")
	}
	return out, nil
}

func loadFile(fsys fs.FS, name string) (Rule, error) {
	var r Rule
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return r, err
	}
	if err := yaml.Load(text, &r, yaml.WithKnownFields()); err != nil {
		return r, explain(name, err)
	}
	r.file = name
	if want := strings.TrimSuffix(path.Base(name), ".yaml"); r.ID != want {
		return r, fmt.Errorf("%s: id: is %q, not the file's name %q", name, r.ID, want)
	}
	if err := r.compile(); err != nil {
		return r, err
	}
	for i, w := range r.Ways() {
		v, where := r.way(w), fmt.Sprintf("entry %d of also", i+1)
		if i >= len(r.Also) {
			v.told, where = r.Told.Says, "told"
		}
		if err := v.compile(); err != nil {
			return r, fmt.Errorf("%w (%s)", err, where)
		}
		r.ways = append(r.ways, v)
	}
	return r, nil
}

var notFound = regexp.MustCompile(`field '?([^' ]+)'? not found in type ([\w.]+)`)

// explain turns a YAML error into lines of "file:line: key: what, nearest".
func explain(name string, err error) error {
	var many *yaml.LoadErrors
	var one *yaml.LoadError
	var lines []string
	switch {
	case errors.As(err, &many):
		for _, e := range many.Errors {
			lines = append(lines, explainOne(name, e.Mark.Line, e.Message, e.Unwrap()))
		}
	case errors.As(err, &one):
		lines = append(lines, explainOne(name, one.Mark.Line, "not valid YAML: "+one.Message, nil))
	default:
		lines = append(lines, explainOne(name, 0, err.Error(), nil))
	}
	return errors.New(strings.Join(lines, "\n"))
}

func explainOne(name string, line int, message string, cause error) string {
	if message == "" && cause != nil {
		message = cause.Error()
	}
	at := name
	if line > 0 {
		at = fmt.Sprintf("%s:%d", name, line)
	}
	if m := notFound.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("%s: unknown key %q%s", at, m[1], nearest(m[1], keysOfType(m[2])))
	}
	return at + ": " + message
}

// keysOfType returns the YAML keys of one of the rule's types, by the name the decoder gives it.
func keysOfType(name string) []string {
	for _, v := range []any{Rule{}, Threshold{}, Condition{}, Weight{}, Follow{}, Way{}} {
		t := reflect.TypeOf(v)
		if t.String() != name {
			continue
		}
		var out []string
		for i := range t.NumField() {
			if key := t.Field(i).Tag.Get("yaml"); key != "" {
				out = append(out, key)
			}
		}
		return out
	}
	return nil
}

var (
	noField = regexp.MustCompile(`type (rules\.\w+) has no field (\w+)`)
	noName  = regexp.MustCompile(`unknown name (\w+)`)
)

// factsOf returns the names of the facts in one of the types behind them.
func factsOf(name string) []string {
	for _, v := range []any{runFacts{}, pathFacts{}, portFacts{}, activity{}, testFacts{}, moveFacts{}, flapFacts{}, deviceFacts{}, linkFacts{}, lifeFacts{}, airFacts{}, changeFacts{}, nodeFacts{}, protoFacts{}, appFacts{}} {
		if t := reflect.TypeOf(v); t.String() == name {
			var out []string
			for i := range t.NumField() {
				out = append(out, t.Field(i).Tag.Get("expr"))
			}
			return out
		}
	}
	return nil
}

// mistake is an error in a rule with its place.
func (r *Rule) mistake(line int, key string, err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n") // the rest draws a caret under the place
	if m := noField.FindStringSubmatch(text); m != nil {
		text += nearest(m[2], factsOf(m[1]))
	} else if m := noName.FindStringSubmatch(text); m != nil {
		text += nearest(m[1], keysOf(blank(r.Scope)))
	}
	if line > 0 {
		return fmt.Errorf("%s:%d: %s: %s", r.file, line, key, text)
	}
	return fmt.Errorf("%s: %s: %s", r.file, key, text)
}
