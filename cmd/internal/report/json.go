package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// JSON writes the document as one indented JSON object and a newline. Characters that act on a terminal or are
// invisible stand in it as \u escapes, so the file can be looked at with cat and still decodes to the same.
func JSON(w io.Writer, d Document) error {
	raw, err := EncodeJSON(d)
	if err != nil {
		return err
	}
	_, err = w.Write(append(raw, '\n'))
	return err
}

// EncodeJSON returns what [JSON] writes, for any value that holds documents, without the last newline.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("report: write JSON: %w", err)
	}
	return escapeHidden(bytes.TrimRight(b.Bytes(), "\n")), nil
}

// escapeHidden replaces what is invisible by \u escapes. In JSON such characters stand in strings only.
func escapeHidden(in []byte) []byte {
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); {
		r, n := utf8.DecodeRune(in[i:])
		switch {
		case r < 0x80 && r != 0x7f, !hidden(r):
			out = append(out, in[i:i+n]...)
		case r > 0xffff:
			r -= 0x10000 // RFC 8259, section 7: a surrogate pair
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}

// The methods below keep two promises of the JSON form for every document, whoever made it: lists are never
// null, and what is absent is null, not "".

// MarshalJSON writes the document with every list there.
func (d Document) MarshalJSON() ([]byte, error) {
	type plain Document
	d.Findings, d.Outages, d.Examined = some(d.Findings), some(d.Outages), some(d.Examined)
	d.Tests, d.Notes = some(d.Tests), some(d.Notes)
	d.Inputs, d.Problems, d.Warnings, d.Paths = some(d.Inputs), some(d.Problems), some(d.Warnings), some(d.Paths)
	return encode(plain(d))
}

// MarshalJSON writes the finding with every list there.
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding
	f.Chain, f.Evidence = some(f.Chain), some(f.Evidence)
	f.Against, f.Missing, f.Next, f.Failovers = some(f.Against), some(f.Missing), some(f.Next), some(f.Failovers)
	return encode(plain(f))
}

// MarshalJSON writes an absent source, unit or text as null.
func (e Evidence) MarshalJSON() ([]byte, error) {
	type plain Evidence
	return encode(struct {
		Source *string `json:"source"`
		plain
		Value *float64 `json:"value"`
		Unit  *string  `json:"unit"`
		Span  Span     `json:"span"`
		Text  *string  `json:"text"`
	}{orNull(e.Source), plain(e), e.Value, orNull(e.Unit), e.Span, orNull(e.Text)})
}

// MarshalJSON writes an absent unit as null, and the reasons as an object even if there are none.
func (e Examined) MarshalJSON() ([]byte, error) {
	type plain Examined
	if e.Reasons == nil {
		e.Reasons = map[string]int{}
	}
	return encode(struct {
		plain
		Unit    *string        `json:"unit"`
		Reasons map[string]int `json:"reasons"`
	}{plain(e), orNull(e.Unit), e.Reasons})
}

// MarshalJSON writes the path with its list of hops there.
func (p PathNote) MarshalJSON() ([]byte, error) {
	type plain PathNote
	p.Hops = list(p.Hops, some[string])
	return encode(plain(p))
}

// encode is json.Marshal without the escapes for HTML, which would stay in the outer document.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

func some[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
