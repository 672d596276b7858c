package ingest

import "strings"

// unquoted takes away what mails and forums put in front of lines: the marks of a quotation, and the indentation of a block of
// code. The number of lines stays as it is.
func unquoted(s string) string {
	lines := strings.Split(s, "\n")
	const several = 3
	if quoted := quotedLines(lines); quoted >= several {
		for i, l := range lines {
			for strings.HasPrefix(l, ">") {
				l = strings.TrimPrefix(l[1:], " ")
			}
			lines[i] = l
		}
	}
	for i := 0; i < len(lines); {
		end, width := codeBlock(lines[i:])
		if i > 0 && strings.TrimSpace(lines[i]) != "" {
			width = 0 // it belongs to the line above
		}
		for j := i; j < i+end; j++ {
			if width > 0 && len(lines[j]) >= width {
				lines[j] = lines[j][width:]
			}
		}
		i += max(1, end)
	}
	return strings.Join(lines, "\n")
}

// quotedLines counts lines that begin with the mark of a quotation.
func quotedLines(lines []string) (n int) {
	for _, l := range lines {
		if strings.HasPrefix(l, "> ") || strings.HasPrefix(l, ">>") {
			n++
		}
	}
	return n
}

// codeBlock returns how many of the first lines are empty or indented as a block of code is, and by how much all of them are. A
// block whose first line is indented further than another is part of something else; so is one without an empty line in front.
func codeBlock(lines []string) (n, width int) {
	const code = 4
	first := 0
	for n < len(lines) {
		l := lines[n]
		indent := len(l) - len(strings.TrimLeft(l, " "))
		if strings.TrimSpace(l) == "" {
			n++
			continue
		}
		if indent < code {
			break
		}
		if width == 0 {
			first, width = indent, indent
		}
		width = min(width, indent)
		n++
	}
	if first > width {
		width = 0
	}
	return n, width
}
