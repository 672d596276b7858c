package rules

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// offered are facts that no rule of the catalogue asks for and that stay for rules of users, by what they are about.
var offered = map[string]string{
	"path":      "spread way low_share loss_forward loss_reverse loss_peak far_cpu own_udp_drops retransmits_out",
	"port":      "role fcs errors collisions totals",
	"port.link": "tx pairs_span",
	"move":      "carrier",
	"flap":      "longest still_down",
	"node":      "role peer full_span",
	"tests":     "mathis worse_way loss_forward loss_reverse paths well quote",
}

// A fact that nothing asks for is dead, unless it is offered; one that is asked for and does not exist is refused when a rule is loaded.
func TestEveryFactIsAskedForOrOffered(t *testing.T) {
	asked, free := factsOfCatalogue(t), map[string]bool{}
	for about, names := range offered {
		for name := range strings.FieldsSeq(names) {
			free[about+"."+name] = true
		}
	}
	for about, facts := range map[string]reflect.Type{
		"run": reflect.TypeFor[runFacts](), "path": reflect.TypeFor[pathFacts](), "path.air": reflect.TypeFor[airFacts](), "port": reflect.TypeFor[portFacts](),
		"port.link": reflect.TypeFor[linkFacts](), "move": reflect.TypeFor[moveFacts](), "flap": reflect.TypeFor[flapFacts](), "device": reflect.TypeFor[deviceFacts](),
		"device.life": reflect.TypeFor[lifeFacts](), "change": reflect.TypeFor[changeFacts](), "node": reflect.TypeFor[nodeFacts](),
		"tests": reflect.TypeFor[testFacts](), "protos": reflect.TypeFor[protoFacts](), "app": reflect.TypeFor[appFacts](),
	} {
		for f := range facts.Fields() {
			name := f.Tag.Get("expr")
			if name == "" {
				continue
			}
			name = about + "." + name
			switch {
			case !asked[name] && !free[name]:
				t.Errorf("no rule asks for %s", name)
			case asked[name] && free[name]:
				t.Errorf("a rule asks for %s: it is not only offered", name)
			}
			delete(free, name)
		}
	}
	for name := range free {
		t.Errorf("there is no fact %s", name)
	}
}

// factsOfCatalogue returns the names of facts that stand in the catalogue, port.link of port.link.rx as well.
func factsOfCatalogue(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("catalog/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("the catalogue: %d files, %v", len(files), err)
	}
	out := map[string]bool{}
	factName := regexp.MustCompile(`\b[a-z]+(?:\.[a-z_0-9]+)+`)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range factName.FindAllString(string(text), -1) {
			for ; name != ""; name = name[:max(0, strings.LastIndexByte(name, '.'))] {
				out[name] = true
			}
		}
	}
	return out
}
