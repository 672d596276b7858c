package app

import (
	"encoding"
	"reflect"
	"strings"
	"time"
	"unicode"

	"whydrop/cmd/internal/report"
	"whydrop/devices"
)

// plainReading turns a reading into maps and lists for JSON: what was not given is absent, text is fit to be shown,
// durations are seconds under a key that ends in _s.
func plainReading(r devices.Reading) any {
	v, _ := plainValue(reflect.ValueOf(r))
	if v == nil {
		return map[string]any{}
	}
	return v
}

// plainValue returns nil for what says nothing.
func plainValue(v reflect.Value) (out any, duration bool) {
	if d, ok := v.Interface().(time.Duration); ok {
		return d.Seconds(), true
	}
	if t, ok := v.Interface().(time.Time); ok {
		if t.IsZero() {
			return nil, false
		}
		return t.UTC().Format(time.RFC3339Nano), false
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok && v.Kind() == reflect.Struct {
		if v.IsZero() {
			return nil, false
		}
		b, err := m.MarshalText()
		if err != nil {
			return nil, false
		}
		return report.Clean(string(b)), false
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, false
		}
		return plainValue(v.Elem())
	case reflect.Struct:
		return plainStruct(v)
	case reflect.Slice:
		if v.Len() == 0 {
			return nil, false
		}
		list := make([]any, v.Len())
		for i := range v.Len() {
			list[i], _ = plainValue(v.Index(i))
		}
		return list, false
	case reflect.Map:
		m := map[string]any{}
		for it := v.MapRange(); it.Next(); {
			m[report.Clean(it.Key().String())], _ = plainValue(it.Value())
		}
		if len(m) == 0 {
			return nil, false
		}
		return m, false
	case reflect.String:
		if v.Len() == 0 {
			return nil, false
		}
		return report.Clean(v.String()), false
	case reflect.Int:
		if v.IsZero() {
			return nil, false
		}
	case reflect.Bool:
		if !v.Bool() {
			return nil, false
		}
	}
	return v.Interface(), false
}

// plainStruct writes a struct's fields; an Opt is its value, a Counter its number.
func plainStruct(v reflect.Value) (any, bool) {
	t := v.Type()
	if strings.HasPrefix(t.Name(), "Opt[") {
		if !v.FieldByName("OK").Bool() {
			return nil, false
		}
		inner := v.FieldByName("Value")
		if inner.Kind() == reflect.Bool || inner.Kind() == reflect.String || inner.Kind() == reflect.Int {
			if s, ok := inner.Interface().(string); ok {
				return report.Clean(s), false
			}
			return inner.Interface(), false // false and 0 were given
		}
		return plainValue(inner)
	}
	if c, ok := v.Interface().(devices.Counter); ok {
		return c.Value, false
	}
	m := map[string]any{}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() || f.Name == "Span" || f.Name == "Origin" {
			continue
		}
		value, duration := plainValue(v.Field(i))
		if value == nil {
			continue
		}
		if f.Anonymous {
			if inner, ok := value.(map[string]any); ok {
				for k, x := range inner {
					m[k] = x
				}
				continue
			}
		}
		name := snake(f.Name)
		if duration {
			name += "_s"
		}
		m[name] = value
	}
	if len(m) == 0 {
		return nil, false
	}
	return m, false
}

// snake writes a field's name as JSON's: SysDescr is sys_descr, InFCS in_fcs.
func snake(s string) string {
	var b strings.Builder
	rs := []rune(s)
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 && (unicode.IsLower(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
