// Package archtest holds the house's walls: which package may import which. The map is drawn here once.
package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// walls lists, for each room, which of our packages it may import. A room stands for itself and all below it;
// the longest room that fits counts. Whatever is not listed may not be imported.
var walls = []struct {
	room string
	may  []string
}{
	{"correlate/timeline", nil},
	{"correlate/session", []string{"correlate/timeline"}},
	{"correlate", []string{"correlate", "correlate/timeline"}},
	{"probe", []string{"probe", "correlate/timeline"}},
	{"devices", []string{"devices", "correlate/timeline"}},
	{"rules", []string{"rules", "correlate", "correlate/timeline"}},
	{"cmd/internal/report", []string{"cmd/internal/report", "rules", "correlate", "correlate/timeline"}},
	{"cmd/internal/tui", []string{"cmd/internal/tui", "cmd/internal/report", "rules", "correlate", "correlate/timeline"}},
	{"cmd/internal/sim", []string{"cmd/internal/sim", "devices", "probe", "correlate/timeline"}},
	{"cmd/internal/app", []string{"cmd", "probe", "devices", "correlate", "rules"}},
	{"cmd/internal/figures", []string{"cmd", "probe", "devices", "correlate", "rules"}},
	{"cmd/internal/archtest", nil},
	{"cmd/whydrop", []string{"cmd", "probe", "devices", "correlate", "rules"}},
	{"testdata", nil},
}

// only lists libraries that one room alone may import, so that they can be replaced there.
var only = map[string]string{
	"github.com/gosnmp/gosnmp":         "devices/snmp",
	"github.com/scrapli/scrapligo":     "devices/cli",
	"github.com/rivo/tview":            "cmd/internal/tui",
	"github.com/gdamore/tcell/v2":      "cmd/internal/tui",
	"modernc.org/sqlite":               "correlate/session",
	"github.com/expr-lang/expr":        "rules",
	"github.com/klauspost/compress":    "correlate/session",
	"github.com/kevinburke/ssh_config": "devices/cli",
	"github.com/skeema/knownhosts":     "devices/cli",
}

// also lists who else may import one of the libraries of only, and why.
var also = map[string][]string{
	"github.com/gosnmp/gosnmp": {"cmd/internal/sim", "devices/trap"}, // its agents answer with the same codec; traps come in it
}

const module = "whydrop"

type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"/...")
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	if err != nil {
		var ee *exec.ExitError
		if errors.As(err, &ee) {
			t.Fatalf("go list: %s", ee.Stderr)
		}
		t.Fatal(err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

func under(path, room string) bool { return path == room || strings.HasPrefix(path, room+"/") }

func TestWalls(t *testing.T) {
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		var may []string
		room := ""
		for _, w := range walls {
			if under(name, w.room) && len(w.room) > len(room) {
				room, may = w.room, w.may
			}
		}
		if room == "" {
			t.Errorf("%s stands in no room of the house", name)
			continue
		}
		for _, imp := range p.Imports {
			checkOnly(t, name, imp)
			ours, ok := strings.CutPrefix(imp, module+"/")
			if !ok || under(ours, room) && room != "correlate" {
				continue
			}
			if !allowed(ours, may) {
				t.Errorf("%s imports %s: %s may import %v only", name, ours, room, may)
			}
		}
	}
}

// allowed says whether ours lies in one of the rooms of may. The rooms correlate and correlate/... are told
// apart: who may import correlate may not therefore import correlate/session.
func allowed(ours string, may []string) bool {
	for _, m := range may {
		if ours == m || under(ours, m) && m != "correlate" && !under(ours, "correlate") {
			return true
		}
		if m == "correlate" && strings.HasPrefix(ours, "correlate/") && contains(may, "cmd") {
			return true // wiring may import everything
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func checkOnly(t *testing.T, name, imp string) {
	t.Helper()
	for lib, room := range only {
		if !under(imp, lib) || under(name, room) {
			continue
		}
		ok := false
		for _, r := range also[lib] {
			ok = ok || under(name, r)
		}
		if !ok {
			t.Errorf("%s imports %s, which is for %s alone", name, imp, room)
		}
	}
}

func TestWallsHaveNoDoorInTestsOfTheLeaf(t *testing.T) {
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if name != "correlate/timeline" {
			continue
		}
		for _, imp := range append(append(p.Imports, p.TestImports...), p.XTestImports...) {
			if ours, ok := strings.CutPrefix(imp, module+"/"); ok && ours != "correlate/timeline" {
				t.Errorf("the leaf imports %s", ours)
			}
		}
		return
	}
	t.Fatal("correlate/timeline was not listed")
}
