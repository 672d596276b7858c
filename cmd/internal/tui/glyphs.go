package tui

// glyphs are the signs the screens are drawn with. A terminal whose character set is not UTF-8 gets the plain set.
type glyphs struct {
	ok, warn, down, unknown string // health
	vbar                    string
	arrow, fork, bend, end  string // the path: to one hop, to the upper and the lower of two, and back
	dark, stall             string // a column in which the path was dark, in which TCP stalled
	event, off, mark, many  string // on a time axis
	cursor, up, dn          string
	bars                    []string // an eighth to a whole, from below
	braille                 bool
	ellipsis                string
}

var fancy = glyphs{
	ok: "✔", warn: "!", down: "✖", unknown: "?",
	vbar:  "│",
	arrow: "─▶", fork: "┬▶", bend: "└▶", end: "┘",
	dark: "░", stall: "·", event: "▲", off: "△", mark: "◆", many: "#",
	cursor: "▶", up: "▲", dn: "▼",
	bars:    []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
	braille: true, ellipsis: "…",
}

var plain = glyphs{
	ok: "+", warn: "!", down: "X", unknown: "?",
	vbar:  "|",
	arrow: "->", fork: "+>", bend: "`>", end: "'",
	dark: ":", stall: ".", event: "^", off: "o", mark: "*", many: "#",
	cursor: ">", up: "^", dn: "v",
	bars:     []string{".", ".", "-", "-", "=", "=", "#", "#"},
	ellipsis: "~",
}

func (g glyphs) health(h Health) (string, ink) {
	switch h {
	case HealthOK:
		return g.ok, inkGood
	case HealthWarn:
		return g.warn, inkWarn
	case HealthDown:
		return g.down, inkBad
	}
	return g.unknown, inkDim
}

// attention is health without a sign for what is well: where there are many, only what is not shall catch the eye.
func (g glyphs) attention(h Health) (string, ink) {
	if h == HealthOK {
		return " ", inkPlain
	}
	return g.health(h)
}

// spell returns a cell's text as the terminal can show it. What is no sign of ours it replaces itself.
func (g glyphs) spell(text string) string {
	if g.braille || len(text) < 2 {
		return text
	}
	switch text {
	case "…":
		return g.ellipsis
	case "·":
		return "."
	case "±":
		return "~"
	case "≥":
		return ">"
	case "≤":
		return "<"
	}
	return text
}
