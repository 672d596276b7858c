package mikrotik_routeros

import (
	"strings"

	"whydrop/devices/parse/internal/text"
)

// record is one entry of a list: "0  R  ;;; comment" and then name="ether1" mtu=1500 over one line or several.
type record struct {
	flags, comment string
	names          []string // in their order
	values         map[string]string
}

// records reads a list that was printed with "detail", "stats-detail" or "terse".
func records(output string) []record {
	var out []record
	var body []string
	finish := func() {
		if len(out) > 0 && len(body) > 0 {
			out[len(out)-1].pairs(strings.Join(body, " "))
		}
		body = nil
	}
	for line := range text.Each(output) {
		if isNews(line) {
			continue
		}
		if flags, rest, ok := begins(line); ok {
			finish()
			r := record{flags: flags}
			if comment, ok := strings.CutPrefix(rest, ";;; "); ok {
				r.comment, rest = strings.TrimSpace(comment), ""
			}
			out = append(out, r)
			line = rest
		} else if comment, ok := strings.CutPrefix(line, ";;; "); ok && len(out) > 0 && len(body) == 0 {
			out[len(out)-1].comment = strings.TrimSpace(out[len(out)-1].comment + " " + comment)
			continue
		}
		if line != "" {
			body = append(body, line)
		}
	}
	finish()
	return out
}

// isNews says whether a line is a message of the log that came in between: "17:20:06 echo: system,error ...".
func isNews(line string) bool {
	return len(line) > 9 && line[2] == ':' && line[5] == ':' && strings.HasPrefix(line[8:], " echo:")
}

// begins reads the number and the flags that begin an entry.
func begins(line string) (flags, rest string, ok bool) {
	_, rest, ok = text.Uint32(line)
	if !ok || rest == "" || rest[0] != ' ' {
		return "", "", false
	}
	for rest = strings.TrimLeft(rest, " "); ; {
		word, more, _ := strings.Cut(rest, " ")
		if word == "" || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return flags, rest, true
		}
		flags += word
		rest = strings.TrimLeft(more, " ")
	}
}

// pairs reads name="ether1" rx-byte=1 234 567 last-link-up-time=2026-11-30 14:02:05: a value without quotes ends
// where the next name begins.
func (r *record) pairs(s string) {
	r.values = map[string]string{}
	for {
		i := strings.IndexByte(s, '=')
		if i < 0 {
			return
		}
		name := s[strings.LastIndexByte(s[:i], ' ')+1 : i]
		s = s[i+1:]
		value := ""
		if strings.HasPrefix(s, `"`) {
			end := closing(s)
			value, s = s[1:end], s[min(end+1, len(s)):]
		} else if next := strings.IndexByte(s, '='); next >= 0 {
			end := max(strings.LastIndexByte(s[:next], ' '), 0)
			value, s = strings.TrimSpace(s[:end]), s[end:]
		} else {
			value, s = strings.TrimSpace(s), ""
		}
		if _, ok := r.values[name]; !ok && name != "" {
			r.names = append(r.names, name)
			r.values[name] = value
		}
	}
}

// closing returns where the quotation mark is that ends the text that one begins, or the end of it.
func closing(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(s)
}

// joined takes the blanks between thousands out of a number; anything else is left as it is.
func joined(s string) string {
	if strings.Trim(s, "0123456789 ") == "" {
		return strings.ReplaceAll(s, " ", "")
	}
	return s
}
