package session

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"sort"
	"strings"

	"whydrop/correlate/timeline"
)

// shortestPrefix is how much of a secret must be seen to take it for the secret: decode errors and packet dumps
// have shown beginnings of communities in public.
const shortestPrefix = 4

const hidden = "***"

// redactor replaces secrets in texts.
type redactor struct {
	needles [][]byte // every form of every secret, longest first
	byHead  map[[shortestPrefix]byte][][]byte
	short   [][]byte // secrets shorter than a prefix: replaced only as words of their own
}

func newRedactor(secrets []string) *redactor {
	r := &redactor{byHead: map[[shortestPrefix]byte][][]byte{}}
	for _, s := range secrets {
		switch {
		case s == "":
		case len(s) < shortestPrefix:
			r.short = append(r.short, []byte(s))
		default:
			r.add(s)
		}
	}
	return r
}

// add takes in the forms in which a secret may be seen: plain, hexadecimal in four spellings, base64 at the three
// offsets at which it can begin, JSON-escaped.
func (r *redactor) add(s string) {
	forms := map[string]bool{s: true}
	h := hex.EncodeToString([]byte(s))
	for _, x := range []string{h, spaced(h, " "), spaced(h, ":"), spaced(h, "-")} {
		// A hexadecimal prefix of four bytes of the secret is at least eight characters; cut there, see match.
		forms[x] = true
		forms[strings.ToUpper(x)] = true
	}
	for skip := range 3 {
		e := base64.StdEncoding.EncodeToString(append(make([]byte, skip), s...))
		e = strings.TrimRight(e, "=")
		from := (skip*8 + 5) / 6 // characters that also hold bits of what stood before
		to := (skip + len(s)) * 8 / 6
		if to-from >= shortestPrefix {
			forms[e[from:to]] = true
			forms[base64.URLEncoding.EncodeToString(append(make([]byte, skip), s...))[from:to]] = true
		}
	}
	if b, err := json.Marshal(s); err == nil {
		forms[string(b[1:len(b)-1])] = true
	}
	for f := range forms {
		r.needles = append(r.needles, []byte(f))
	}
	sort.Slice(r.needles, func(i, j int) bool { return len(r.needles[i]) > len(r.needles[j]) })
	r.byHead = map[[shortestPrefix]byte][][]byte{}
	for _, n := range r.needles {
		if len(n) >= shortestPrefix {
			k := [shortestPrefix]byte(n)
			r.byHead[k] = append(r.byHead[k], n)
		}
	}
}

func spaced(hex, sep string) string {
	var b strings.Builder
	for i := 0; i+1 < len(hex); i += 2 {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(hex[i : i+2])
	}
	return b.String()
}

// match returns how many bytes at the beginning of b are a secret or the beginning of one; 0 if none are.
func (r *redactor) match(b []byte) int {
	if len(b) < shortestPrefix {
		return 0
	}
	longest := 0
	for _, n := range r.byHead[[shortestPrefix]byte(b)] {
		i := shortestPrefix
		for i < len(n) && i < len(b) && n[i] == b[i] {
			i++
		}
		longest = max(longest, i)
	}
	return longest
}

// replace returns b with every secret replaced by what with gives for its length; b itself if there is none.
func (r *redactor) replace(b []byte, with func(n int) []byte) []byte {
	var out []byte
	kept := 0
	for i := 0; i < len(b); {
		n := r.match(b[i:])
		if n == 0 {
			n = r.word(b, i)
		}
		if n == 0 {
			i++
			continue
		}
		out = append(out, b[kept:i]...)
		out = append(out, with(n)...)
		i += n
		kept = i
	}
	if kept == 0 {
		return b
	}
	return append(out, b[kept:]...)
}

// word returns the length of a short secret that stands at i as a word of its own.
func (r *redactor) word(b []byte, i int) int {
	for _, s := range r.short {
		end := i + len(s)
		if bytes.HasPrefix(b[i:], s) && (i == 0 || !wordByte(b[i-1])) && (end == len(b) || !wordByte(b[end])) {
			return len(s)
		}
	}
	return 0
}

func wordByte(c byte) bool {
	return c >= 0x80 || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (r *redactor) idle() bool { return len(r.needles) == 0 && len(r.short) == 0 }

func (r *redactor) text(s string) string {
	if r.idle() || s == "" {
		return s
	}
	return string(r.replace([]byte(s), func(int) []byte { return []byte(hidden) }))
}

// reply hides secrets in raw bytes without changing their number, so that what encodes lengths stays readable.
func (r *redactor) reply(b []byte) []byte {
	if r.idle() {
		return b
	}
	return r.replace(b, func(n int) []byte { return bytes.Repeat([]byte{'*'}, n) })
}

// record returns the record without secrets in its texts. Names of subjects stay: they are the site's own.
func (r *redactor) record(rec timeline.Record) timeline.Record {
	if r.idle() {
		return rec
	}
	switch x := rec.(type) {
	case timeline.Event:
		x.Text = r.text(x.Text)
		x.Attrs = r.attrs(x.Attrs)
		return x
	case timeline.Gap:
		x.Text = r.text(x.Text)
		return x
	}
	return rec
}

func (r *redactor) attrs(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = r.text(v)
	}
	return out
}

func (r *redactor) exchange(x timeline.Exchange) timeline.Exchange {
	x.Request, x.Reply = r.text(x.Request), r.reply(x.Reply)
	return x
}

func (r *redactor) meta(m Meta) Meta {
	m.Program, m.Site = r.text(m.Program), r.text(m.Site)
	notes := make([]string, len(m.Notes))
	for i, n := range m.Notes {
		notes[i] = r.text(n)
	}
	m.Notes = notes
	if t := r.text(string(m.Topology)); t == "" || !json.Valid([]byte(t)) {
		m.Topology = nil
	} else {
		m.Topology = json.RawMessage(t)
	}
	m.Secrets = nil
	return m
}
