package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// yamlMax bounds a configuration file before it is parsed.
const yamlMax = 1 << 20

// scalar is a YAML scalar as it was written ("0123" stays "0123"), with the line it stands on.
type scalar struct {
	text string
	line int
}

// UnmarshalYAML takes any scalar and refuses everything else.
func (s *scalar) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return errors.New("one value is wanted here, not a list or a mapping")
	}
	s.text, s.line = n.Value, n.Line
	return nil
}

func (s scalar) isSet() bool { return s.line > 0 && s.text != "" }

// hop is one name, or a list of names of which one forwards.
type hop struct{ names []scalar }

// UnmarshalYAML takes a scalar or a list of scalars.
func (h *hop) UnmarshalYAML(n *yaml.Node) error {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	for _, c := range nodes {
		var s scalar
		if err := s.UnmarshalYAML(c); err != nil {
			return fmt.Errorf("a hop is a device's name, or a list of the names of a redundant group: %w", err)
		}
		h.names = append(h.names, s)
	}
	return nil
}

// hops is a list of hops, or the word auto: they are to be learnt.
type hops struct {
	list []hop
	auto bool
}

// UnmarshalYAML takes auto or a list of hops.
func (h *hops) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Value == "auto" {
		h.auto = true
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return errors.New("hops: a list of devices in order, or auto, which learns them")
	}
	for _, c := range n.Content {
		var one hop
		if err := one.UnmarshalYAML(c); err != nil {
			return err
		}
		h.list = append(h.list, one)
	}
	return nil
}

// fileErrors is a list of mistakes in one file, each with its line.
type fileErrors struct {
	file string
	list []fileError
}

// fileError is one of them; line 0 is the file as a whole.
type fileError struct {
	line int
	error
}

func (e *fileErrors) addf(line int, format string, args ...any) {
	where := e.file
	if line > 0 {
		where += ":" + strconv.Itoa(line)
	}
	e.list = append(e.list, fileError{line, fmt.Errorf("%s: %w", where, fmt.Errorf(format, args...))})
}

// err returns all mistakes as one error in the order of their lines, or nil.
func (e *fileErrors) err() error {
	slices.SortStableFunc(e.list, func(a, b fileError) int { return a.line - b.line })
	var list []error
	for _, m := range e.list {
		list = append(list, m.error)
	}
	return errors.Join(list...)
}

// readLimited reads a file of at most yamlMax bytes.
func readLimited(path string) ([]byte, error) { return readLimitedTo(path, yamlMax) }

// readLimitedTo reads a regular file of at most so many bytes.
func readLimitedTo(path string, most int64) ([]byte, error) {
	// A pipe could keep us waiting for ever in Open, where no signal ends it.
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("%s: longer than %d bytes: no file of this kind is", path, most)
	}
	return b, nil
}

// decodeStrict decodes one YAML document into out. Unknown and duplicate keys and wrong types are mistakes that
// name file, line and, for a key, the nearest right one.
func decodeStrict(file string, in []byte, out any) error {
	errs, _ := decodeAll(file, in, out)
	return errs.err()
}

// decodeAll is decodeStrict for whoever checks further: whole says whether the text could be decoded but for the mistakes.
func decodeAll(file string, in []byte, out any) (errs fileErrors, whole bool) {
	errs.file = file
	l, err := yaml.NewLoader(strings.NewReader(string(in)), yaml.WithKnownFields(), yaml.WithUniqueKeys())
	if err == nil {
		err = l.Load(out)
	}
	var many *yaml.LoadErrors
	var one *yaml.LoadError
	switch {
	case err == nil:
		if err := l.Load(new(any)); !errors.Is(err, io.EOF) {
			errs.addf(0, "holds more than one YAML document, where one is wanted")
		}
		whole = true
	case errors.Is(err, io.EOF):
		errs.addf(1, "is empty; `whydrop init` writes an example")
	case errors.As(err, &many):
		keys, places := keysOf(reflect.TypeOf(out)), placesOf(in)
		for _, e := range many.Errors {
			errs.addf(e.Mark.Line, "%s%s", places[place{e.Mark.Line, e.Mark.Column}], plain(e.Message, keys))
		}
		whole = true
	case errors.As(err, &one):
		hint := ""
		if lines := strings.Split(string(in), "\n"); one.Mark.Line >= 1 && one.Mark.Line <= len(lines) && strings.Contains(lines[one.Mark.Line-1], "\t") {
			hint = " (there is a tab: YAML indents by blanks alone)"
		}
		errs.addf(one.Mark.Line, "not valid YAML: %s%s", one.Message, hint)
	default:
		errs.addf(0, "%w", err)
	}
	return errs, whole
}

// place is where a value stands in a text.
type place struct{ line, column int }

// placesOf tells of each key and value in a YAML text under which key it stands, in the form of the head of a message:
// "ports[0].speed: ".
func placesOf(in []byte) map[place]string {
	out := map[place]string{}
	var walk func(*yaml.Node, string)
	walk = func(n *yaml.Node, key string) {
		if at := (place{n.Line, n.Column}); key != "" && out[at] == "" {
			out[at] = key + ": "
		}
		for i, c := range n.Content {
			switch {
			case n.Kind == yaml.DocumentNode:
				walk(c, "")
			case n.Kind == yaml.SequenceNode:
				walk(c, fmt.Sprintf("%s[%d]", key, i))
			case i%2 == 1:
				walk(c, strings.TrimPrefix(key+"."+n.Content[i-1].Value, "."))
			default: // a key stands in what it is a key of
				walk(c, key)
			}
		}
	}
	var root yaml.Node
	if yaml.Unmarshal(in, &root) == nil {
		walk(&root, "")
	}
	return out
}

// mistakes collects what is wrong in the parts of one node, so that a decoder tells all of it at once.
type mistakes struct{ list []*yaml.LoadError }

// add takes in the mistakes of a part; nil is none.
func (m *mistakes) add(part *yaml.Node, err error) {
	var many *yaml.LoadErrors
	switch {
	case err == nil:
	case errors.As(err, &many):
		m.list = append(m.list, many.Errors...)
	default:
		m.list = append(m.list, &yaml.LoadError{Message: err.Error(), Mark: yaml.Mark{Line: part.Line, Column: part.Column}})
	}
}

// err returns them in the form that the decoder takes in as mistakes of its own, or nil.
func (m *mistakes) err() error {
	if len(m.list) == 0 {
		return nil
	}
	return &yaml.LoadErrors{Errors: m.list}
}

var (
	unknownField = regexp.MustCompile(`^field (.*) not found in type (?:.*\.)?(\w+)$`)
	wrongType    = regexp.MustCompile("^cannot construct !!(\\w+) (?:`(.*)` )?into (.*)$")
)

// plain says a decoder's message in words for somebody who has never seen our Go types.
func plain(msg string, keys map[string][]string) string {
	if m := unknownField.FindStringSubmatch(msg); m != nil {
		return unknownKey(m[1], keys[m[2]]...).Error()
	}
	if m := wrongType.FindStringSubmatch(msg); m != nil {
		want := "a mapping (key: value)"
		if strings.HasPrefix(m[3], "[]") {
			want = "a list"
		} else if m[3] == "bool" {
			want = "true or false"
		}
		return fmt.Sprintf("%s is wanted here, not %q", want, m[2])
	}
	return msg
}

func unknownKey(key string, valid ...string) error {
	if n := nearest(key, valid); n != "" {
		return fmt.Errorf("unknown key %q; did you mean %q?", key, n)
	}
	return fmt.Errorf("unknown key %q; here may stand: %s", key, strings.Join(valid, ", "))
}

// keysOf lists the YAML keys of every struct type reachable from t, by the type's name.
func keysOf(t reflect.Type) map[string][]string {
	out := map[string][]string{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(t.Elem())
		case reflect.Struct:
			if _, seen := out[t.Name()]; seen {
				return
			}
			out[t.Name()] = nil
			for i := range t.NumField() {
				if key, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); key != "" {
					out[t.Name()] = append(out[t.Name()], key)
					walk(t.Field(i).Type)
				}
			}
		}
	}
	walk(t)
	return out
}

// Nearest returns the candidate that is a typing mistake away from word, or "".
func Nearest(word string, candidates []string) string { return nearest(word, candidates) }

// nearest returns the candidate that is a typing mistake away from word, or "".
func nearest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/3+2
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance is the Levenshtein distance.
func distance(a, b string) int {
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		diagonal := prev[0]
		prev[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, prev[j], prev[j+1])
			}
			diagonal, prev[j+1] = prev[j+1], cost
		}
	}
	return prev[len(b)]
}
