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
	raw, err := MarshalJSON(d)
	if err != nil {
		return err
	}
	_, err = w.Write(append(raw, '\n'))
	return err
}

// MarshalJSON returns what [JSON] writes, for any value that holds documents, without the last newline.
func MarshalJSON(v any) ([]byte, error) {
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
