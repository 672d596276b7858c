// Package iperfjson makes JSON of what iperf3 writes. Its numbers are printed by C (cJSON, and printf where a document is
// put together by hand), which says nan and inf of what was divided by nothing; JSON (RFC 8259, section 6) knows neither.
package iperfjson

import "bytes"

var notNumbers = [][]byte{[]byte("nan"), []byte("inf"), []byte("infinity")}

// Clean returns text with bare nan, inf and infinity, signed or not and in capitals or not, replaced by null; what stands in
// strings stays. The text itself is not changed.
func Clean(text []byte) []byte {
	low := bytes.ToLower(text)
	if !bytes.Contains(low, []byte("nan")) && !bytes.Contains(low, []byte("inf")) {
		return text
	}
	out := make([]byte, 0, len(text)+16)
	inString := false
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case inString && c == '\\' && i+1 < len(text):
			out = append(out, c, text[i+1])
			i += 2
			continue
		case c == '"':
			inString = !inString
		case !inString:
			if n := notNumber(text[i:]); n > 0 {
				out = append(out, "null"...)
				i += n
				continue
			}
		}
		out = append(out, c)
		i++
	}
	return out
}

// notNumber returns the length of the signed or bare nan or inf that b begins with; 0 if it does not.
func notNumber(b []byte) int {
	n := 0
	if b[0] == '-' || b[0] == '+' {
		n = 1
	}
	w := n
	for w < len(b) && (b[w]|0x20) >= 'a' && (b[w]|0x20) <= 'z' {
		w++
	}
	for _, t := range notNumbers {
		if bytes.EqualFold(b[n:w], t) {
			return w
		}
	}
	return 0
}
