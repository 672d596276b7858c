package parse

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// asked is when the captures were taken.
var asked = timeline.Around(time.Date(2026, 11, 30, 14, 2, 5, 0, time.UTC), time.Millisecond)

// captures returns our own captures: testdata/PLATFORM/COMMAND.txt, with "_" for the blanks of the command.
func captures(t testing.TB, platform string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", platform, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures of %s: %v", platform, err)
	}
	return files
}

func TestCaptures(t *testing.T) {
	for _, file := range captures(t, "*") {
		platform := filepath.Base(filepath.Dir(file))
		command := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".txt"), "_", " ")
		t.Run(platform+" "+command, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var r devices.Reading
			if err := Into(platform, command, Input{Text: string(text), Span: asked}, &r); err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			dump(&got, "", reflect.ValueOf(r))
			golden := strings.TrimSuffix(file, ".txt") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got.Len() == 0 || got.String() != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want)
			}
		})
	}
}

// dump writes what is given, one field a line; what is not given is left out.
func dump(b *strings.Builder, name string, v reflect.Value) {
	if v.Kind() == reflect.Struct && v.NumField() == 2 && v.Type().Field(1).Name == "OK" {
		if x := v.Field(0); v.Field(1).Bool() && x.IsZero() && x.Kind() != reflect.Struct {
			fmt.Fprintf(b, "%s %v\n", name, x.Interface())
		} else if v.Field(1).Bool() {
			dump(b, name, x)
		}
		return
	}
	switch x := v.Interface().(type) {
	case time.Time:
		if !x.IsZero() {
			fmt.Fprintf(b, "%s %s\n", name, x.Format(time.RFC3339Nano))
		}
		return
	case timeline.Span:
		return
	case devices.Counter:
		fmt.Fprintf(b, "%s %d\n", name, x.Value)
		return
	case devices.Fact:
		fmt.Fprintf(b, "%s %s %q\n", name, x.Name, x.Value)
		return
	case fmt.Stringer:
		if s := x.String(); s != "invalid IP" {
			fmt.Fprintf(b, "%s %s\n", name, s)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			dump(b, name, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			dump(b, fmt.Sprintf("%s[%d]", name, i), v.Index(i))
		}
	case reflect.Map:
		if v.Len() > 0 {
			fmt.Fprintf(b, "%s %v\n", name, v.Interface())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Anonymous {
				dump(b, name, v.Field(i))
			} else {
				dump(b, strings.TrimPrefix(name+"."+f.Name, "."), v.Field(i))
			}
		}
	default:
		if !v.IsZero() {
			fmt.Fprintf(b, "%s %v\n", name, v.Interface())
		}
	}
}
