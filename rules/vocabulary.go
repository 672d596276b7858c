package rules

import (
	"reflect"

	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/optimizer"
	"github.com/expr-lang/expr/vm"
)

// vocabulary is what the expressions of one scope may speak of: its facts and their types, looked at once for all of a
// rule's expressions.
type vocabulary struct {
	env       map[string]any
	any, bool *conf.Config // by what an expression must give
}

func vocabularyOf(env map[string]any) *vocabulary {
	v := &vocabulary{env: env, any: conf.New(env), bool: conf.New(env)}
	v.bool.Expect = reflect.Bool
	return v
}

// compile type-checks an expression and makes a program of it, as expr.Compile does.
func (v *vocabulary) compile(text string) (*vm.Program, error) {
	tree, err := checker.ParseCheck(text, v.any)
	if err != nil {
		return nil, err
	}
	if err := optimizer.Optimize(&tree.Node, v.any); err != nil {
		return nil, err
	}
	return compiler.Compile(tree, v.any)
}

// condition type-checks an expression that must be true or false.
func (v *vocabulary) condition(text string) error {
	_, err := checker.ParseCheck(text, v.bool)
	return err
}
