package report

import (
	"io"
	"maps"
	"slices"
)

// Formats is the list of what a document can be written as: a new format is one line here and one file beside
// this one. Each writes the whole document and returns the writer's error.
var Formats = map[string]func(io.Writer, Document) error{
	"text": Text,
	"json": JSON,
	"md":   Markdown,
	"html": HTML,
}

// FormatNames returns the names of the formats in alphabetical order.
func FormatNames() []string { return slices.Sorted(maps.Keys(Formats)) }
