package ingest

import (
	"regexp"
	"strings"
)

var (
	// lineBreak is HTML's where no line ends; tag are those of HTML in which pages show what was typed, and those of forums. Others
	// may be a prompt or a placeholder of a device: <core1>, <cr>.
	lineBreak = regexp.MustCompile(`(?i)<br */?>|</(?:p|div|tr|li)>`)
	tag       = regexp.MustCompile(`(?i)</?(?:html|body|pre|code|samp|kbd|tt|blockquote|table|tbody|thead|tr|ul|ol|li|p|div|span|font|strong|em|b|i|u)(?: [^<>\n]{0,300})?>|` +
		`\[/?(?:code|icode|quote|pre|spoiler|font|size|color)(?:[ =][^\]\n]{0,200})?\]`)
	cell = regexp.MustCompile(`(?i)</?t[dh](?: [^<>\n]{0,300})?>`)

	entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#34;", `"`, "&apos;", "'", "&#39;", "'", "&#x27;", "'", "&nbsp;", " ", "&#160;", " ", "&amp;", "&")

	// tableRule is the line under the heads of a table of Markdown.
	tableRule = regexp.MustCompile(`(?m)^ {0,3}\|(?: ?:?-{3,}:? ?\|){2,}[ \r]*$`)
)

// untagged takes away the tags that pages and forums leave in what is copied from their source, and the bars of tables of
// Markdown. Lines stay where they are, unless a page has several in one.
func untagged(s string) string {
	if strings.Contains(s, "<") {
		if places := lineBreak.FindAllStringIndex(s, -1); places != nil {
			s = broken(s, places)
		}
		s = cell.ReplaceAllString(s, " ")
	}
	s = tag.ReplaceAllString(s, "")
	if strings.Contains(s, "&") {
		s = entities.Replace(s)
	}
	if tableRule.MatchString(s) {
		s = unbarred(s)
	}
	return s
}

// broken ends a line at each of the places where none ends.
func broken(s string, places [][]int) string {
	var b strings.Builder
	from := 0
	for _, p := range places {
		b.WriteString(s[from:p[0]])
		from = p[1]
		if !strings.HasPrefix(strings.TrimLeft(s[from:min(len(s), from+2)], "\r"), "\n") {
			b.WriteByte('\n')
		}
	}
	b.WriteString(s[from:])
	return b.String()
}

// unbarred makes spaces of the bars of tables of Markdown, and an empty line of the rule below their heads.
func unbarred(s string) string {
	lines := strings.Split(s, "\n")
	inside := func(i int) bool {
		return i >= 0 && i < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i]), "|")
	}
	for i := 0; i < len(lines); i++ {
		if !tableRule.MatchString(lines[i]) {
			continue
		}
		lines[i] = ""
		if inside(i - 1) {
			lines[i-1] = strings.ReplaceAll(lines[i-1], "|", " ")
		}
		for i++; inside(i); i++ {
			lines[i] = strings.ReplaceAll(lines[i], "|", " ")
		}
	}
	return strings.Join(lines, "\n")
}
