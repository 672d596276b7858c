package inventory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"go.yaml.in/yaml/v4"
)

// node is one value of a YAML or JSON text, with the line it stands on.
type node struct {
	kind   kind
	line   int
	tag    string // of a YAML scalar, where it has one of its own: "!vault"
	text   string // of a scalar; "" also for null
	items  []*node
	keys   []*node // of a mapping, one for each of items
	byName map[string]*node
}

type kind uint8

const (
	scalarNode kind = iota
	listNode
	mappingNode
)

func (k kind) String() string { return [...]string{"one value", "a list", "a mapping"}[k] }

// get returns a mapping's value; nil if it has none, or if n is no mapping.
func (n *node) get(name string) *node {
	if n == nil || n.kind != mappingNode {
		return nil
	}
	return n.byName[name]
}

// is says whether n is there and of the kind.
func (n *node) is(k kind) bool { return n != nil && n.kind == k }

// str returns a scalar's text; "" for anything else.
func (n *node) str() string {
	if !n.is(scalarNode) {
		return ""
	}
	return n.text
}

// lineOf returns n's line; 0 if it is not there.
func (n *node) lineOf() int {
	if n == nil {
		return 0
	}
	return n.line
}

// put adds a key to a mapping.
func (n *node) put(key, item *node) error {
	if n.byName == nil {
		n.byName = map[string]*node{}
	}
	if _, twice := n.byName[key.text]; twice {
		return fmt.Errorf("the key %q is there twice", clip(key.text))
	}
	n.byName[key.text] = item
	n.keys, n.items = append(n.keys, key), append(n.items, item)
	return nil
}

// refusal is an error about a text that is YAML or JSON, but not such as is read here.
type refusal struct{ error }

func refusef(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

// parseTree reads YAML or JSON.
func parseTree(in Input) (*node, error) {
	t := bytes.TrimLeft(in.Text, " \t\r\n")
	if len(t) > 0 && (t[0] == '{' || t[0] == '[') {
		n, err := parseJSON(in)
		if err == nil || t[0] == '[' {
			return n, err
		}
		if y, yerr := parseYAML(in); yerr == nil { // flow style
			return y, nil
		}
		return nil, err
	}
	return parseYAML(in)
}

// parseYAML reads one YAML document. Anchors are not read: what they stand for can be as long as one likes.
func parseYAML(in Input) (*node, error) {
	l, err := yaml.NewLoader(bytes.NewReader(in.Text))
	var doc yaml.Node
	if err == nil {
		err = l.Load(&doc)
	}
	var one *yaml.LoadError
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: is empty", in.Name)
	case errors.As(err, &one):
		return nil, fmt.Errorf("%s: not valid YAML: %s", place(in.Name, one.Mark.Line), one.Message)
	case err != nil:
		return nil, fmt.Errorf("%s: not valid YAML: %w", in.Name, err)
	}
	var more yaml.Node
	if err := l.Load(&more); !errors.Is(err, io.EOF) {
		return nil, refusef("%s: holds more than one YAML document", in.Name)
	}
	c := treeFromYAML{in.Name}
	if doc.Kind == yaml.DocumentNode {
		if len(doc.Content) != 1 {
			return nil, fmt.Errorf("%s: is empty", in.Name)
		}
		return c.node(doc.Content[0], 0)
	}
	return c.node(&doc, 0)
}

type treeFromYAML struct{ file string }

func (c treeFromYAML) node(y *yaml.Node, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, refusef("%s: lists and mappings lie more than %d deep", place(c.file, y.Line), maxDepth)
	}
	n := &node{line: y.Line}
	switch y.Kind {
	case yaml.ScalarNode:
		if y.Tag != "!!null" {
			n.text = y.Value
		}
		if !strings.HasPrefix(y.Tag, "!!") {
			n.tag = y.Tag
		}
	case yaml.SequenceNode:
		n.kind = listNode
		for _, item := range y.Content {
			v, err := c.node(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, v)
		}
	case yaml.MappingNode:
		n.kind = mappingNode
		for i := 0; i+1 < len(y.Content); i += 2 {
			key, err := c.node(y.Content[i], depth+1)
			if err != nil {
				return nil, err
			}
			if key.kind != scalarNode {
				return nil, refusef("%s: a key is one value", place(c.file, key.line))
			}
			item, err := c.node(y.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			if err := n.put(key, item); err != nil {
				return nil, refusef("%s: %w", place(c.file, key.line), err)
			}
		}
	default:
		return nil, refusef("%s: anchors and aliases (&name, *name) are not read; write the value out", place(c.file, y.Line))
	}
	return n, nil
}

// parseJSON reads one JSON text.
func parseJSON(in Input) (*node, error) {
	j := treeFromJSON{file: in.Name, d: json.NewDecoder(bytes.NewReader(in.Text))}
	j.d.UseNumber()
	for i, c := range in.Text {
		if c == '\n' {
			j.ends = append(j.ends, int64(i))
		}
	}
	n, err := j.node(0)
	if err == nil {
		if _, more := j.d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows after its end")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not valid JSON: %w", place(in.Name, j.line()), err)
	}
	return n, nil
}

type treeFromJSON struct {
	file string
	d    *json.Decoder
	ends []int64 // offsets of line ends
}

func (j *treeFromJSON) line() int {
	at := j.d.InputOffset()
	return 1 + sort.Search(len(j.ends), func(i int) bool { return j.ends[i] >= at })
}

func (j *treeFromJSON) node(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("lists and mappings lie more than %d deep", maxDepth)
	}
	t, err := j.d.Token()
	if err != nil {
		return nil, err
	}
	n := &node{line: j.line()}
	switch t := t.(type) {
	case string:
		n.text = t
	case json.Number:
		n.text = t.String()
	case bool:
		n.text = fmt.Sprint(t)
	case json.Delim:
		n.kind = listNode
		if t == '{' {
			n.kind = mappingNode
		}
		for j.d.More() {
			if err := j.item(n, depth); err != nil {
				return nil, err
			}
		}
		_, err = j.d.Token() // the end
	}
	return n, err
}

// item reads the next item of a list or a mapping.
func (j *treeFromJSON) item(n *node, depth int) error {
	var key *node
	if n.kind == mappingNode {
		var err error
		if key, err = j.node(depth + 1); err != nil {
			return err
		}
	}
	item, err := j.node(depth + 1)
	if err != nil {
		return err
	}
	if key != nil {
		return n.put(key, item)
	}
	n.items = append(n.items, item)
	return nil
}
