package app

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
)

// linePrefix writes something before each line.
type linePrefix struct {
	w      io.Writer
	prefix func() string
	within bool // a line has begun
}

// Write writes b, each line that begins in it with its prefix.
func (l *linePrefix) Write(b []byte) (int, error) {
	var out bytes.Buffer
	for rest := b; len(rest) > 0; {
		if !l.within {
			out.WriteString(l.prefix())
			l.within = true
		}
		i := bytes.IndexByte(rest, '\n') + 1
		if i == 0 {
			i = len(rest)
		} else {
			l.within = false
		}
		out.Write(rest[:i])
		rest = rest[i:]
	}
	if _, err := l.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// timeForms are the conversions of strftime(3) as layouts of the time package, in the C locale.
var timeForms = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02", 'D': "01/02/06", 'e': "_2",
	'F': "2006-01-02", 'H': "15", 'I': "03", 'j': "002", 'm': "01", 'M': "04", 'p': "PM", 'R': "15:04", 'S': "05", 'T': "15:04:05",
	'x': "01/02/06", 'X': "15:04:05", 'y': "06", 'Y': "2006", 'z': "-0700", 'Z': "MST",
}

// strftime writes a local time as strftime(3) does. What it does not know stays as it stands.
func strftime(form string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(form); i++ {
		if form[i] != '%' || i+1 == len(form) {
			b.WriteByte(form[i])
			continue
		}
		i++
		switch layout, ok := timeForms[form[i]]; {
		case ok:
			b.WriteString(t.Format(layout))
		case form[i] == 's':
			fmt.Fprint(&b, t.Unix())
		case form[i] == 'n':
			b.WriteByte('\n')
		case form[i] == 't':
			b.WriteByte('\t')
		case form[i] == '%':
			b.WriteByte('%')
		default:
			b.WriteString(form[i-1 : i+1])
		}
	}
	return b.String()
}
