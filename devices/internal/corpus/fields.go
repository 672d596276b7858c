package corpus

import (
	"fmt"
	"strconv"
	"strings"

	"whydrop/devices"
)

// Getters of values by their kinds, to be used in Set.Fields.

// Counter is a counter of the interface.
func Counter(get func(i *devices.Interface) devices.Opt[devices.Counter]) Field {
	return Field{Get: func(i *devices.Interface) string { return counter(get(i)) }, Same: NoCommas}
}

func counter(o devices.Opt[devices.Counter]) string {
	if !o.OK {
		return ""
	}
	return strconv.FormatUint(o.Value.Value, 10)
}

// Less is the difference of two counters, for sources that keep apart what a reading adds up.
func Less(a, b func(i *devices.Interface) devices.Opt[devices.Counter]) Field {
	return Field{Get: func(i *devices.Interface) string {
		x, y := a(i), b(i)
		if x.OK && y.OK {
			x.Value.Value -= y.Value.Value
		}
		return counter(x)
	}, Same: NoCommas}
}

// Text is any other value of the interface.
func Text(get func(i *devices.Interface) string) Field { return Field{Get: get} }

// Opt is a value that may not be given.
func Opt[T any](get func(i *devices.Interface) devices.Opt[T]) Field {
	return Field{Get: func(i *devices.Interface) string {
		if o := get(i); o.OK {
			return fmt.Sprint(o.Value)
		}
		return ""
	}}
}

// Fact is one of the facts of the interface.
func Fact(name string) Field {
	return Field{Get: func(i *devices.Interface) string { return i.Fact(name) }}
}

// Not is a field that is not compared, with the reason.
func Not(why string) Field { return Field{Not: why} }

// As returns the field with another way to make values alike.
func (f Field) As(same func(string) string) Field {
	f.Same = same
	return f
}

// Ways to make values alike.

// NoCommas takes out separators between thousands, and a source's "-1" for what is not given.
func NoCommas(s string) string {
	if s == "-1" {
		return ""
	}
	return strings.ReplaceAll(s, ",", "")
}

// Lower compares without regard to case.
func Lower(s string) string { return strings.ToLower(s) }

// FirstWord compares the first words: "1000000 Kbit" and "1000000".
func FirstWord(s string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.ToLower(strings.TrimRight(w, ","))
}

// Letters compares letters and digits alone, in lower case: "100 Mb/s" and "100mb/s".
func Letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// Number compares as numbers: 1000.0 and 1000.
func Number(s string) string {
	if v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64); err == nil {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return s
}

// Prefix returns a way to compare what is before a mark.
func Prefix(mark string) func(string) string {
	return func(s string) string {
		before, _, _ := strings.Cut(s, mark)
		return strings.TrimSpace(before)
	}
}

// Merge returns the fields of several maps; later ones count.
func Merge(maps ...map[string]Field) map[string]Field {
	out := map[string]Field{}
	for _, m := range maps {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}
