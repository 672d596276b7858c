// Package app wires the house together: the site file becomes devices, probes and sinks; commands become runs.
// It says who starts and stops what. Nothing else imports producers and consumers at once.
package app

import (
	"errors"
	"fmt"

	"whydrop/cmd/internal/report"
)

// The exit codes of every command, the same with every format.
const (
	ExitOK          = 0   // done, nothing found
	ExitFound       = 1   // a finding holds or is suspected; a demo differs from its story
	ExitUsage       = 2   // usage or configuration
	ExitNotMeasured = 3   // nothing could be measured or recognised, or the verdict is cannot-tell
	ExitPartial     = 4   // a verdict was reached, but some device, probe or file could not be read
	ExitRefused     = 5   // refused for safety
	ExitInterrupted = 130 // interrupted, with a valid partial report
)

// Exit is an error that ends the program with a code. An Exit without Err ends it silently: what there was to
// say has been said.
type Exit struct {
	Code int
	Err  error
}

// Error returns the message, or "" if there is nothing to say.
func (e Exit) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e Exit) Unwrap() error { return e.Err }

// Usagef returns an Exit for a mistake in the command or the configuration.
func Usagef(format string, args ...any) error { return Exit{ExitUsage, fmt.Errorf(format, args...)} }

// CodeOf returns the exit code that an error stands for.
func CodeOf(err error) int {
	var e Exit
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &e):
		return e.Code
	}
	return ExitUsage
}

// CodeForDocument returns the exit code for a report.
func CodeForDocument(d report.Document) int {
	switch {
	case d.Verdict == report.VerdictFound || d.Verdict == report.VerdictSuspected:
		return ExitFound
	case d.Verdict == report.VerdictCannotTell:
		return ExitNotMeasured
	case len(d.Problems) > 0:
		return ExitPartial
	}
	return ExitOK
}
