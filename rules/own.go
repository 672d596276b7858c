package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Extend returns the rules and beside them those of every *.yaml file at the root of fsys: a user's own. A file with a
// mistake is left out, and the error says file, line and key of each, as that of [Load] does; the others are usable, so
// the returned rules are always to be used. A rule must not take the id of another one. An fsys without a rule is an
// error, too.
func Extend(rules []Rule, fsys fs.FS) ([]Rule, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return rules, err
	}
	if len(names) == 0 {
		return rules, fmt.Errorf("no rule: there is no *.yaml file")
	}
	slices.Sort(names)
	out := slices.Clone(rules)
	var errs []error
	for _, name := range names {
		r, err := loadFile(fsys, name)
		if err == nil && ruleOf(out, r.ID) != nil {
			err = r.mistake(0, "id", fmt.Errorf("%q is taken by another rule", r.ID))
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, r)
	}
	for { // a rule that names one which was left out is left out, too
		bad := checkReferences(out)
		if len(bad) == 0 {
			break
		}
		before := len(out)
		out = slices.DeleteFunc(out, func(r Rule) bool { return ruleOf(rules, r.ID) == nil && !resolves(r, out) })
		errs = append(errs, bad...)
		if len(out) == before {
			break
		}
	}
	return out, errors.Join(errs...)
}

// resolves says whether every cause that the rule names is described.
func resolves(r Rule, in []Rule) bool {
	for _, f := range r.Follows {
		if ruleOf(in, f.Cause) == nil {
			return false
		}
	}
	for _, id := range slices.Concat(r.YieldsTo, r.Rivals) {
		if ruleOf(in, id) == nil {
			return false
		}
	}
	return true
}
