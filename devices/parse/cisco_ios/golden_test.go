package cisco_ios

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// asked is when the captures were taken.
var asked = time.Date(2026, 11, 30, 13, 2, 5, 0, time.UTC)

// parsers by the beginning of a capture's file name.
var captures = map[string]func(string) any{
	"show_interfaces_":           func(s string) any { return ShowInterfaces(s) },
	"show_spanning_tree_detail_": func(s string) any { return ShowSpanningTreeDetail(s) },
	"show_logging_":              func(s string) any { return ShowLogging(s, asked) },
	"show_version_": func(s string) any {
		software, name := ShowVersion(s)
		return []string{software, name}
	},
}

func TestCaptures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for prefix, parse := range captures {
				if strings.HasPrefix(filepath.Base(file), prefix) {
					dump(&got, "", reflect.ValueOf(parse(string(text))))
				}
			}
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
	if ok := v.Kind() == reflect.Struct && v.NumField() == 2 && v.Type().Field(1).Name == "OK"; ok {
		if v.Field(1).Bool() {
			dump(b, name, v.Field(0))
		}
		return
	}
	switch x := v.Interface().(type) {
	case time.Time:
		if x.IsZero() {
			return
		}
		fmt.Fprintf(b, "%s %s\n", name, x.Format(time.RFC3339Nano))
		return
	case fmt.Stringer:
		fmt.Fprintf(b, "%s %s\n", name, x)
		return
	}
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			dump(b, fmt.Sprintf("%s[%d]", name, i), v.Index(i))
		}
	case reflect.Struct:
		if v.Type().Name() == "Counter" {
			fmt.Fprintf(b, "%s %d\n", name, v.Field(0).Uint())
			return
		}
		for i := range v.NumField() {
			dump(b, name+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Bool:
		if v.Bool() {
			fmt.Fprintf(b, "%s true\n", name)
		}
	case reflect.String:
		if v.String() != "" {
			fmt.Fprintf(b, "%s %q\n", name, v.String())
		}
	default:
		fmt.Fprintf(b, "%s %v\n", name, v.Interface())
	}
}
