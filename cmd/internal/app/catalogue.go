package app

import (
	"os"
	"strings"
	"sync"

	"whydrop/rules"
)

// catalogue is what every command of this process diagnoses with.
var catalogue struct {
	sync.Mutex
	rules []rules.Rule // nil: the embedded ones
}

// Catalogue returns the rules to diagnose with: the embedded catalogue, and those that [UseRules] added.
func Catalogue() []rules.Rule {
	catalogue.Lock()
	defer catalogue.Unlock()
	if catalogue.rules == nil {
		return rules.Default()
	}
	return catalogue.rules
}

// UseRules adds the rules of a directory to the catalogue, before anything is diagnosed. A rule with a mistake is refused:
// refused says in lines of file, line and key what is wrong, and the rest is used. An error says that the directory can't
// be read.
func UseRules(dir string) (refused []string, err error) {
	fi, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil, Exit{Code: ExitUsage, Err: err}
	case !fi.IsDir():
		return nil, Usagef("%s: is no directory", dir)
	}
	list, err := rules.Extend(rules.Default(), os.DirFS(dir))
	if err != nil {
		refused = strings.Split(err.Error(), "\n")
	}
	catalogue.Lock()
	defer catalogue.Unlock()
	catalogue.rules = list
	return refused, nil
}
