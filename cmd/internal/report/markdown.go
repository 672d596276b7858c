package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Markdown writes the document as CommonMark with GitHub's tables. Nothing that a device said can become markup,
// a link or a picture: special characters are escaped, and words that some renderers turn into links by
// themselves stand in code spans.
func Markdown(w io.Writer, d Document) error {
	m := &mdPage{}
	m.printf("# %s\n\n", mdText(d.Headline))
	m.bullet("Verdict", d.Verdict)
	m.bullet("Site", d.Site)
	m.bullet("Covers", SpanText(d.Span))
	for _, p := range d.Paths {
		m.bullet("Path", PathText(p))
	}
	if d.Session != nil {
		m.bullet("Recording", *d.Session)
	}
	if len(d.Findings) == 0 {
		m.outages(d)
	}
	for i, f := range d.Findings {
		m.finding(d, i, f)
	}
	m.list("Notes", d.Notes)
	m.inputs(d)
	m.examined(d)
	m.list("Could not be read", d.Problems)
	m.list("Warnings", d.Warnings)
	_, err := io.WriteString(w, m.b.String())
	return err
}

type mdPage struct{ b strings.Builder }

func (m *mdPage) printf(format string, args ...any) { fmt.Fprintf(&m.b, format, args...) }

func (m *mdPage) bullet(label, text string) {
	if text != "" {
		m.printf("- **%s**: %s\n", label, mdText(text))
	}
}

func (m *mdPage) list(title string, texts []string) {
	if len(texts) == 0 {
		return
	}
	m.printf("\n## %s\n\n", title)
	for _, t := range texts {
		m.printf("- %s\n", mdText(t))
	}
}

func (m *mdPage) part(label string, texts []string) {
	if len(texts) == 0 {
		return
	}
	m.printf("\n**%s**\n\n", label)
	for _, t := range texts {
		m.printf("- %s\n", mdText(t))
	}
}

func (m *mdPage) finding(d Document, i int, f Finding) {
	title := "Finding: "
	if len(d.Findings) > 1 {
		title = fmt.Sprintf("Finding %d: ", i+1)
	}
	m.printf("\n## %s%s\n\n", title, mdText(f.Title))
	if f.Summary != "" {
		m.printf("%s\n\n", mdText(f.Summary))
	}
	m.bullet("Where", f.Subject.String())
	m.bullet("When", SpanText(f.Span))
	m.bullet("Cause", strings.Join(f.Chain, " → "))
	m.bullet("Certainty", Certainty(f))
	if i == 0 {
		m.outages(d)
	}
	m.failover(f)
	m.part("For", EvidenceTexts(f))
	m.part("Against", f.Against)
	m.part("Missing", f.Missing)
	if len(f.Next) > 0 {
		m.printf("\n**Do first**: %s\n", mdText(f.Next[0]))
		m.part("Then", f.Next[1:])
	}
}

func (m *mdPage) outages(d Document) {
	if len(d.Outages) == 0 {
		return
	}
	m.printf("\n| Direction | From (UTC) | Length | Seen by |\n|---|---|---:|---|\n")
	for _, o := range d.Outages[:min(len(d.Outages), maxRows)] {
		m.printf("| %s | %s | %s | %s |\n", mdText(o.Direction), DayClock(o.From),
			mdText(OutageLength(o)), mdText(SeenText(o, len(d.Paths) > 1)))
	}
	if more := len(d.Outages) - maxRows; more > 0 {
		m.printf("\nand %d more\n", more)
	}
}

func (m *mdPage) inputs(d Document) {
	if len(d.Inputs) == 0 {
		return
	}
	m.printf("\n## Read\n\n| Where | Kind | What |\n|---|---|---|\n")
	for _, b := range d.Inputs {
		m.printf("| %s | %s | %s |\n", mdText(b.Where), mdText(b.Kind), mdText(b.What))
	}
}

func (m *mdPage) examined(d Document) {
	m.printf("\n## Examined\n\n")
	rows := Looked(d)
	if len(rows) == 0 {
		m.printf("Nothing.\n")
	}
	for _, r := range rows {
		m.printf("- **%s**: %s\n", mdText(r.Name), mdText(r.String()))
	}
}

// mdText writes any text as Markdown that shows exactly that text, within a line, a list item or a table cell.
func mdText(s string) string {
	words := strings.Split(Clean(s), " ")
	for i, w := range words {
		if linkish(w) {
			words[i] = mdCode(w)
		} else {
			words[i] = mdEscape(w, i == 0)
		}
	}
	return strings.Join(words, " ")
}

// linkish says whether a renderer might make the word a link or a mention by itself (GFM autolinks).
func linkish(w string) bool {
	l := strings.ToLower(w)
	return strings.Contains(l, "://") || strings.Contains(l, "www.") || strings.Contains(l, "@") ||
		strings.Contains(l, "mailto:") || strings.Contains(l, "xmpp:") || strings.Contains(l, "javascript:")
}

// mdSpecial are the characters that mean something in the middle of a line.
const mdSpecial = "\\`*_[]<>|#!~&$"

// mdEscape escapes a word. At the beginning of a text, what would start a list, a rule or a heading is escaped
// too.
func mdEscape(w string, first bool) string {
	var b strings.Builder
	digits := first
	for i, r := range w {
		switch {
		case strings.ContainsRune(mdSpecial, r),
			first && i == 0 && strings.ContainsRune("-+=", r),
			digits && i > 0 && i == len(w)-1 && (r == '.' || r == ')'):
			b.WriteByte('\\')
		}
		digits = digits && r >= '0' && r <= '9'
		b.WriteRune(r)
	}
	return b.String()
}

// mdCode puts a word into a code span whose fence is longer than any run of backticks in it (CommonMark, section
// 6.1). The bar of a table is escaped even here (GFM, section 4.10).
func mdCode(w string) string {
	longest, run := 0, 0
	for _, r := range w {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if first, _ := utf8.DecodeRuneInString(w); first == '`' || strings.HasSuffix(w, "`") {
		w = " " + w + " "
	}
	return fence + strings.ReplaceAll(w, "|", `\|`) + fence
}
