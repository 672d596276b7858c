package text

import (
	"strings"
	"unicode/utf8"
)

// Columns cuts the rows of a table where its header says, for tables whose cells hold blanks or are empty. The zero
// Columns has no column.
type Columns struct {
	names []string
	from  []int // the first character of each column
}

// NewColumns takes a header apart at two or more blanks. Where two titles are one blank apart, titles gives them
// whole ("Last Change"): each of them that stands in the header is one column.
func NewColumns(header string, titles ...string) Columns {
	var c Columns
	for _, t := range titles {
		if i := strings.Index(header, t); i >= 0 && t != "" {
			c.add(t, i)
			header = header[:i] + strings.Repeat("\x00", len(t)) + header[i+len(t):]
		}
	}
	at := 0
	for word := range strings.SplitSeq(header, " ") {
		if w := strings.Trim(word, "\x00\t"); w != "" {
			c.add(w, at)
		}
		at += len(word) + 1
	}
	return c
}

// add keeps the columns in the order of their place.
func (c *Columns) add(name string, from int) {
	i := len(c.from)
	for i > 0 && c.from[i-1] > from {
		i--
	}
	c.from = append(c.from[:i], append([]int{from}, c.from[i:]...)...)
	c.names = append(c.names[:i], append([]string{name}, c.names[i:]...)...)
}

// Has says whether the header has a column of that name.
func (c Columns) Has(name string) bool { return c.index(name) >= 0 }

func (c Columns) index(name string) int {
	for i, n := range c.names {
		if n == name {
			return i
		}
	}
	return -1
}

// Cell returns what a row has in the column, without blanks around it; "" if it has none. A cell that begins
// before its column or reaches beyond it is cut at the nearest blank, since values that are wider than their title
// shift their neighbours.
func (c Columns) Cell(row, name string) string {
	i := c.index(name)
	if i < 0 {
		return ""
	}
	from := border(row, c.from[i], i == 0)
	to := len(row)
	if i+1 < len(c.from) {
		to = border(row, c.from[i+1], false)
	}
	if from >= to {
		return ""
	}
	return strings.TrimSpace(row[from:to])
}

// border returns where a column that begins at the character n begins in this row: there, or behind the word that
// reaches into it from the left, or at the word's start where it began only just before.
func border(row string, n int, first bool) int {
	at := offset(row, n)
	if first {
		return 0
	}
	if at >= len(row) || at == 0 || row[at-1] == ' ' || row[at-1] == '\t' {
		return at
	}
	from := strings.LastIndexAny(row[:at], " \t") + 1
	end := strings.IndexAny(row[at:], " \t")
	if end < 0 {
		end = len(row)
	} else {
		end += at
	}
	if at-from < end-at { // most of the word lies in this column
		return from
	}
	return end
}

// offset returns the byte at which the n-th character of a row is.
func offset(row string, n int) int {
	if n >= len(row) {
		return len(row)
	}
	if !hasWide(row[:n]) {
		return n
	}
	at := 0
	for ; n > 0 && at < len(row); n-- {
		_, size := utf8.DecodeRuneInString(row[at:])
		at += size
	}
	return at
}

func hasWide(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// Begins says whether a row has a word that begins exactly under the title of the column.
func (c Columns) Begins(row, name string) bool {
	i := c.index(name)
	if i < 0 {
		return false
	}
	at := offset(row, c.from[i])
	return at < len(row) && row[at] != ' ' && (at == 0 || row[at-1] == ' ')
}
