// Package corpus compares what the parsers read in other projects' captures with what those projects read in them:
// ntc-templates (.yml), genieparser (.json) and napalm (.json). The captures lie beside the checkout in
// shared/corpus/cli and are read in place.
//
// Each [Set] is a folder of captures of one command; [Sets] is the visible list. A field of an expected file that no
// entry of Set.Fields is for counts as not equal.
package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"whydrop/devices"
	"whydrop/devices/parse"
)

// Set is the captures of one command of one platform.
type Set struct {
	Platform string // as parse.Parsers has it
	Dir      string // below shared/corpus/cli
	Command  string
	// Header, if not nil, says whether a line of a capture begins an interface. It is written without a look at the parser.
	Header func(line string) bool
	// Parts says that a port may have several rows, each with a part of what is read of it; a field that a row
	// leaves empty is not compared then.
	Parts bool
	// Fields says where each field of the expected files is in a reading, by its name: "mtu" of a template's row,
	// "counters.in_errors" of a tree.
	Fields map[string]Field
	// Misread, if not "", is the name of a row of the expected files that is no interface: the source misread it.
	Misread string
}

// Field is where an expected value is in an interface.
type Field struct {
	Get func(i *devices.Interface) string // "" is not given
	// Same, if not nil, brings both values to one form before they are compared.
	Same func(string) string
	// Not says why the field is not compared at all: it does not come from the text, or does not concern an
	// interface. Such fields are not in the denominator.
	Not string
}

// Root returns the folder of the captures, seen from the module's root or from below it.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			root := filepath.Join(dir, "..", "shared", "corpus", "cli")
			_, err := os.Stat(root)
			return root, err
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("corpus: not below a module")
		}
	}
}

// Result is what came of comparing a set.
type Result struct {
	Files          int
	Headers, Found int // interfaces in the captures, and of them in the readings
	Fields, Equal  int
	Wrong          []Exception
	ZeroForUnknown []Exception    // 0 where the source says that there is no value
	Left           map[string]int // fields that are not compared, by why and name
}

// Exception is a field that differs.
type Exception struct {
	File, Port, Field, Got, Want string
	Line                         string // of the capture, that has the value we read, or the port's name
}

// String returns the exception in one line.
func (e Exception) String() string {
	return fmt.Sprintf("%s: %s: %s is %q, want %q; raw: %q", e.File, e.Port, e.Field, e.Got, e.Want, e.Line)
}

// Add adds another result to r.
func (r *Result) Add(o Result) {
	r.Files += o.Files
	r.Headers += o.Headers
	r.Found += o.Found
	r.Fields += o.Fields
	r.Equal += o.Equal
	r.Wrong = append(r.Wrong, o.Wrong...)
	r.ZeroForUnknown = append(r.ZeroForUnknown, o.ZeroForUnknown...)
	for k, n := range o.Left {
		if r.Left == nil {
			r.Left = map[string]int{}
		}
		r.Left[k] += n
	}
}

// Compare parses every capture of the set and compares it.
func Compare(root string, s Set) (Result, error) {
	out := Result{Left: map[string]int{}}
	files, err := filepath.Glob(filepath.Join(root, s.Dir, "*.raw"))
	if err != nil || len(files) == 0 {
		return out, fmt.Errorf("corpus: no captures in %s", s.Dir)
	}
	for _, file := range files {
		if err := compareFile(&out, file, s); err != nil {
			return out, err
		}
	}
	return out, nil
}

func compareFile(out *Result, file string, s Set) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	out.Files++
	var r devices.Reading
	if err := parse.Into(s.Platform, s.Command, parse.Input{Text: string(text)}, &r); err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if s.Header != nil && s.Header(strings.TrimRight(line, "\r\n \t")) {
			out.Headers++
		}
	}
	if s.Header != nil {
		out.Found += len(r.Interfaces)
	}
	rows, err := expected(strings.TrimSuffix(file, ".raw"))
	if err != nil {
		return err
	}
	for _, row := range rows {
		if s.Misread != "" && row.name == s.Misread {
			out.Left["a row that the source misread: "+row.name]++
			continue
		}
		i := take(&r, row.name, s.Parts)
		for _, name := range row.order {
			compareField(out, s, filepath.Base(file), string(text), row, name, i)
		}
	}
	return nil
}

// take returns the first interface of that name and, unless it is to stay, takes it out of the reading, since a
// capture may hold several snapshots of a port.
func take(r *devices.Reading, name string, stays bool) *devices.Interface {
	for i := range r.Interfaces {
		if devices.PortKey(r.Interfaces[i].Name) == devices.PortKey(name) {
			found := r.Interfaces[i]
			if !stays {
				r.Interfaces = slices.Delete(r.Interfaces, i, i+1)
			}
			return &found
		}
	}
	return nil
}

func compareField(out *Result, s Set, file, text string, row row, name string, i *devices.Interface) {
	want := strings.TrimSpace(row.fields[name])
	if s.Parts && want == "" {
		return
	}
	f, ok := s.Fields[name]
	if !ok {
		for pattern, g := range s.Fields { // "ipv4.*.ip"
			if strings.Contains(pattern, "*") && glob(pattern, name) {
				f, ok = g, true
			}
		}
	}
	if ok && f.Not != "" {
		out.Left[f.Not+": "+general(name)]++
		return
	}
	out.Fields++
	got := ""
	if ok && i != nil {
		got = strings.TrimSpace(f.Get(i))
	}
	same := f.Same
	if same == nil {
		same = func(s string) string { return s }
	}
	if ok && i != nil && (got == want || same(got) == same(want)) {
		out.Equal++
		return
	}
	if !ok {
		got = "(no field)"
	} else if i == nil {
		got = "(no interface)"
	}
	e := Exception{File: file, Port: row.name, Field: name, Got: got, Want: want, Line: lineOf(text, row.name, got)}
	out.Wrong = append(out.Wrong, e)
	if got == "0" && e.Line == "" && (want == "" || want == "-" || want == "--" || want == "-1" || want == "n/a") {
		out.ZeroForUnknown = append(out.ZeroForUnknown, e)
	}
}

// general returns a field's name without the addresses and ports in it.
func general(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		if strings.ContainsAny(p, "0123456789/:") {
			parts[i] = "*"
		}
	}
	return strings.Join(slices.Compact(parts), ".")
}

// glob matches a name with one "*" for anything.
func glob(pattern, name string) bool {
	before, after, _ := strings.Cut(pattern, "*")
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

// lineOf returns the first line of the port's block that holds the value as a word; "" if none does.
func lineOf(text, port, value string) string {
	_, block, ok := strings.Cut(text, port)
	if !ok || value == "" {
		return ""
	}
	const most = 60
	n := 0
	for line := range strings.Lines(block) {
		if n++; n > most {
			break
		}
		if strings.Contains(" "+strings.Map(plainly, line)+" ", " "+strings.Map(plainly, value)+" ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// plainly makes every mark between words a blank.
func plainly(r rune) rune {
	if strings.ContainsRune("\t\r\n,;:()/", r) {
		return ' '
	}
	return r
}

// row is what is expected of one interface.
type row struct {
	name   string
	order  []string
	fields map[string]string
}

// expected reads the expected file beside a capture; a capture without one has no rows.
func expected(base string) ([]row, error) {
	if text, err := os.ReadFile(base + ".yml"); err == nil {
		return templateRows(text)
	}
	text, err := os.ReadFile(base + ".json")
	if err != nil {
		// napalm's captures are called after the expected file and the command.
		if i := strings.LastIndex(base, "__show_"); i > 0 {
			text, err = os.ReadFile(base[:i] + ".json")
		}
		if err != nil {
			return nil, nil
		}
	}
	return treeRows(text)
}

func templateRows(text []byte) ([]row, error) {
	var want struct {
		Rows []map[string]any `yaml:"parsed_sample"`
	}
	if err := yaml.Unmarshal(text, &want); err != nil {
		return nil, err
	}
	var out []row
	for _, m := range want.Rows {
		r := row{fields: map[string]string{}}
		flatten(&r, "", m)
		for _, k := range []string{"interface", "port", "name"} {
			if r.name == "" {
				r.name = r.fields[k]
			}
		}
		out = append(out, r)
	}
	return out, nil
}

func treeRows(text []byte) ([]row, error) {
	var want map[string]any
	if err := json.Unmarshal(text, &want); err != nil {
		return nil, err
	}
	for _, k := range []string{"interface", "interfaces", "ports"} { // one level more in some
		if m, ok := want[k].(map[string]any); ok && len(want) == 1 {
			want = m
		}
	}
	if info, ok := want["interface-information"].(map[string]any); ok {
		return junosRows(info), nil
	}
	var out []row
	for name, v := range want {
		r := row{name: name, fields: map[string]string{}}
		m, ok := v.(map[string]any)
		if !ok {
			continue
		}
		flatten(&r, "", m)
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b row) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// junosRows has a row for each physical interface and one for each logical one within it.
func junosRows(info map[string]any) []row {
	var out []row
	add := func(m map[string]any) {
		r := row{fields: map[string]string{}}
		flatten(&r, "", m)
		r.name = r.fields["name"]
		out = append(out, r)
	}
	for _, v := range list(info["physical-interface"]) {
		logical := list(v["logical-interface"])
		delete(v, "logical-interface")
		add(v)
		for _, l := range logical {
			add(l)
		}
	}
	return out
}

// list returns the trees of a list, or of a single one.
func list(v any) []map[string]any {
	switch x := v.(type) {
	case map[string]any:
		return []map[string]any{x}
	case []any:
		var out []map[string]any
		for _, e := range x {
			if m, ok := e.(map[string]any); ok {
				out = append(out, m)
			}
		}
		return out
	}
	return nil
}

// flatten puts the leaves of a tree into the row, in the order of their names.
func flatten(r *row, under string, m map[string]any) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if sub, ok := m[k].(map[string]any); ok {
			flatten(r, under+k+".", sub)
			continue
		}
		if list, ok := m[k].([]any); ok && len(list) > 0 {
			if _, ok := list[0].(map[string]any); ok {
				for i, e := range list {
					if sub, ok := e.(map[string]any); ok {
						flatten(r, fmt.Sprintf("%s%s.%d.", under, k, i), sub)
					}
				}
				continue
			}
		}
		r.order = append(r.order, under+k)
		r.fields[under+k] = leaf(m[k])
	}
}

func leaf(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case []any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = leaf(e)
		}
		return strings.Join(parts, " ")
	case []string:
		return strings.Join(x, " ")
	}
	return fmt.Sprint(v)
}
