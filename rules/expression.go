package rules

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
	"go.yaml.in/yaml/v4"

	"whydrop/correlate/timeline"
)

// Truth is a value of three-valued logic: a condition over a reading that is missing is neither true nor false.
type Truth int

// The truths.
const (
	Unknown Truth = iota
	No
	Yes
)

// Expression is an expression of the expr language over the facts of a scope. A numeric fact that is not known
// is NaN; a comparison with it is unknown, and and, or and not follow Kleene's logic.
type Expression struct {
	Text string
	Line int

	tree  *branch
	value *vm.Program // for expressions that are not conditions
	reads []string    // the facts it reads, like port.fcs.total
	asks  []string    // the metrics it asks for by name, like port.counted('if.in.symbol')
}

// UnmarshalYAML keeps the text and its line.
func (e *Expression) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("an expression is one line of text")
	}
	e.Text, e.Line = n.Value, n.Line
	return nil
}

// IsZero says whether there is no expression.
func (e Expression) IsZero() bool { return e.Text == "" }

// branch is a node of a condition's logic: a leaf, or a connective over branches.
type branch struct {
	op   string // "", not, surely, and, or
	kids []*branch
	leaf *vm.Program // gives [left, right, result] for a comparison, [result] for anything else
}

// compile type-checks a condition against the facts of its scope.
func (e *Expression) compile(words *vocabulary, thresholds map[string]Threshold) error {
	node, err := e.parse(words, thresholds)
	if err != nil {
		return err
	}
	if err := words.condition(node.String()); err != nil {
		return err
	}
	e.tree, err = grow(node, words)
	return err
}

// compileValue type-checks an expression that gives a value of the wanted type.
func (e *Expression) compileValue(words *vocabulary, thresholds map[string]Threshold, want reflect.Type) error {
	node, err := e.parse(words, thresholds)
	if err != nil {
		return err
	}
	p, err := words.compile(node.String())
	if err != nil {
		return err
	}
	if got := p.Node().Type(); want != nil && (got == nil || !got.ConvertibleTo(want)) {
		return fmt.Errorf("gives %v, not %v", got, want)
	}
	e.value = p
	return nil
}

func (e *Expression) parse(words *vocabulary, thresholds map[string]Threshold) (ast.Node, error) {
	tree, err := parser.Parse(e.Text)
	if err != nil {
		return nil, err
	}
	r := &reader{thresholds: thresholds}
	ast.Walk(&tree.Node, r)
	e.reads, e.asks = r.reads, r.asks
	return tree.Node, r.err
}

// reader puts the thresholds in their places and notes which facts are read.
type reader struct {
	thresholds map[string]Threshold
	reads      []string
	asks       []string
	err        error
}

// Visit looks at one node after its children.
func (r *reader) Visit(n *ast.Node) {
	if c, ok := (*n).(*ast.CallNode); ok {
		r.call(c)
		return
	}
	m, ok := (*n).(*ast.MemberNode)
	if !ok {
		return
	}
	name, ok := m.Property.(*ast.StringNode)
	if !ok {
		return
	}
	if id, ok := m.Node.(*ast.IdentifierNode); ok && id.Value == "t" {
		t, ok := r.thresholds[name.Value]
		if !ok && r.err == nil {
			r.err = fmt.Errorf("threshold t.%s is not defined%s", name.Value, nearest(name.Value, keysOf(r.thresholds)))
		}
		*n = &ast.FloatNode{Value: t.Value}
		return
	}
	if path := (*n).String(); !slices.Contains(r.reads, path) {
		r.reads = append(r.reads, path)
	}
}

// call checks the name that a fact is asked for: of a metric, or of a topic.
func (r *reader) call(c *ast.CallNode) {
	m, ok := c.Callee.(*ast.MemberNode)
	if !ok || len(c.Arguments) != 1 {
		return
	}
	fact, okFact := m.Property.(*ast.StringNode)
	of, okOf := c.Arguments[0].(*ast.StringNode)
	if !okFact || !okOf || r.err != nil {
		return
	}
	switch fact.Value {
	case "counted", "share", "total", "total_share", "state":
		if _, ok := timeline.Describe(timeline.Metric(of.Value)); !ok {
			r.err = fmt.Errorf("%q is no metric%s", of.Value, nearest(of.Value, metricNames()))
			return
		}
		r.asks = append(r.asks, of.Value)
	case "events":
		if !slices.Contains(timeline.EventTypes(), timeline.EventType(of.Value)) {
			r.err = fmt.Errorf("%q is no type of event", of.Value)
		}
	case "says", "tells", "teller", "quote", "ran", "cure", "better", "alone", "helped", "setting", "set_on", "size_of":
		if _, ok := topics[of.Value]; !ok {
			r.err = fmt.Errorf("%q is no topic%s", of.Value, nearest(of.Value, keysOf(topics)))
		}
	}
}

func metricNames() []string {
	var out []string
	for _, d := range timeline.Metrics() {
		out = append(out, string(d.Metric))
	}
	return out
}

// grow makes the tree of connectives of a condition.
func grow(n ast.Node, words *vocabulary) (*branch, error) {
	switch x := n.(type) {
	case *ast.UnaryNode:
		if x.Operator == "not" || x.Operator == "!" {
			return connect("not", words, x.Node)
		}
	case *ast.CallNode:
		if id, ok := x.Callee.(*ast.IdentifierNode); ok && id.Value == "surely" && len(x.Arguments) == 1 {
			return connect("surely", words, x.Arguments[0])
		}
	case *ast.BinaryNode:
		switch x.Operator {
		case "and", "&&":
			return connect("and", words, x.Left, x.Right)
		case "or", "||":
			return connect("or", words, x.Left, x.Right)
		case "<", "<=", ">", ">=", "==", "!=":
			return leaf(words, x.Left, x.Right, n)
		}
	}
	return leaf(words, n)
}

func connect(op string, words *vocabulary, nodes ...ast.Node) (*branch, error) {
	b := &branch{op: op}
	for _, n := range nodes {
		kid, err := grow(n, words)
		if err != nil {
			return nil, err
		}
		b.kids = append(b.kids, kid)
	}
	return b, nil
}

func leaf(words *vocabulary, nodes ...ast.Node) (*branch, error) {
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i] = n.String()
	}
	p, err := words.compile("[" + strings.Join(texts, ", ") + "]")
	if err != nil {
		return nil, err
	}
	return &branch{leaf: p}, nil
}

// Truth evaluates a condition.
func (e Expression) truth(env map[string]any) Truth {
	if e.tree == nil {
		return Yes
	}
	return e.tree.truth(env)
}

func (b *branch) truth(env map[string]any) Truth {
	switch b.op {
	case "not":
		switch b.kids[0].truth(env) {
		case Yes:
			return No
		case No:
			return Yes
		}
		return Unknown
	case "surely":
		if b.kids[0].truth(env) == Yes {
			return Yes
		}
		return No
	case "and", "or":
		out := Yes
		decides := No
		if b.op == "or" {
			out, decides = No, Yes
		}
		for _, k := range b.kids {
			switch k.truth(env) {
			case decides:
				return decides
			case Unknown:
				out = Unknown
			}
		}
		return out
	}
	got, err := expr.Run(b.leaf, env)
	values, ok := got.([]any)
	if err != nil || !ok || len(values) == 0 {
		return Unknown
	}
	for _, v := range values[:len(values)-1] {
		if f, ok := v.(float64); ok && math.IsNaN(f) {
			return Unknown
		}
	}
	if yes, _ := values[len(values)-1].(bool); yes {
		return Yes
	}
	return No
}

// eval returns the value of an expression that is not a condition; nil if there is none.
func (e Expression) eval(env map[string]any) any {
	if e.value == nil {
		return nil
	}
	v, err := expr.Run(e.value, env)
	if err != nil {
		return nil
	}
	return v
}

func keysOf[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
