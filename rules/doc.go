// Package rules says why: it loads the catalogue of causes, evaluates it over a snapshot and returns findings.
//
// A rule is data: one YAML file per cause under catalog/, with tests of its own beside it. Evaluate has no clock
// and does no I/O, so that the same recording gives the same findings for ever.
package rules
