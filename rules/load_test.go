package rules

import (
	"strings"
	"testing"
	"testing/fstest"
)

const goodRule = `id: some-cause
title: Something
about: Something happens.
scope: port
thresholds:
  least: {value: 5, source: "somebody"}
when:
  - if: port.bad.total >= t.least
    otherwise: "too few"
base: 0.8
summary: "{port.device} has it {port.bad.total} times."
next:
  - "Look at {port.name}."
`

func TestLoadSaysWhatIsWrongAndWhere(t *testing.T) {
	cases := []struct {
		name      string
		old, new  string
		want      []string
		wantNoErr bool
	}{
		{name: "a good rule", wantNoErr: true},
		{name: "an unknown key", old: "title:", new: "titel:", want: []string{"some-cause.yaml:2", `"titel"`, "did you mean title?"}},
		{name: "an unknown key in a list", old: "    otherwise:", new: "    otherwize:", want: []string{"some-cause.yaml:9", "did you mean otherwise?"}},
		{name: "a doubled key", old: "title: Something\n", new: "title: Something\ntitle: Else\n", want: []string{"some-cause.yaml:3", "title"}},
		{name: "a wrong type", old: "base: 0.8", new: "base: much", want: []string{"some-cause.yaml:10", "much"}},
		{name: "no YAML", old: "scope: port", new: "scope: [port", want: []string{"some-cause.yaml:5: not valid YAML"}},
		{name: "a scope that does not exist", old: "scope: port", new: "scope: prot", want: []string{"some-cause.yaml: scope", "did you mean port?"}},
		{name: "a fact that does not exist", old: "if: port.bad.total", new: "if: port.bad.totl", want: []string{"some-cause.yaml:8: when.if", "totl", "did you mean total?"}},
		{name: "a fact of another scope", old: "if: port.bad.total", new: "if: move.count", want: []string{"some-cause.yaml:8: when.if", "move"}},
		{name: "a condition that is none", old: "if: port.bad.total >= t.least", new: "if: port.bad.total", want: []string{"some-cause.yaml:8: when.if", "bool"}},
		{name: "a comparison of a number with a word", old: "if: port.bad.total >= t.least", new: "if: port.name >= t.least", want: []string{"some-cause.yaml:8: when.if"}},
		{name: "a threshold that is not defined", old: "t.least", new: "t.lest", want: []string{"some-cause.yaml:8: when.if", "did you mean least?"}},
		{name: "a threshold without a source", old: `, source: "somebody"`, new: "", want: []string{"some-cause.yaml: thresholds.least", "no source"}},
		{name: "a hole over a fact that does not exist", old: "{port.device} has", new: "{port.devise} has", want: []string{"some-cause.yaml:11: summary", "devise", "did you mean device?"}},
		{name: "a hole without an end", old: "{port.device} has", new: "{port.device has", want: []string{"some-cause.yaml:11: summary"}},
		{name: "no next step", old: "next:\n  - \"Look at {port.name}.\"\n", new: "", want: []string{"some-cause.yaml: next"}},
		{name: "no condition", old: "when:\n  - if: port.bad.total >= t.least\n    otherwise: \"too few\"\n", new: "", want: []string{"some-cause.yaml: when"}},
		{name: "another id than the file's name", old: "id: some-cause", new: "id: other-cause", want: []string{"some-cause.yaml: id"}},
		{name: "a cause that no rule describes", old: "base:", new: "yields_to: [some-caus]\nbase:", want: []string{"some-cause.yaml: yields_to", "did you mean some-cause?"}},
		{name: "a metric that does not exist", old: "base:", new: "needs: [if.in.crc]\nbase:", want: []string{"some-cause.yaml: needs", "if.in.crc"}},
		{name: "a duration that is none", old: "base:", new: "follows: [{cause: some-cause, within: soon}]\nbase:", want: []string{"some-cause.yaml:10", "soon"}},
		{name: "words of no topic", old: "base:", new: "told: {says: errdisable, summary: \"told\", next: [look]}\nbase:", want: []string{"some-cause.yaml:10: told.says", "did you mean errdisabled?"}},
		{name: "words and nothing to do", old: "base:", new: "told: {says: errdisabled, summary: \"told\"}\nbase:", want: []string{"some-cause.yaml:10: told.next"}},
		{name: "a verdict that does not exist", old: "base:", new: "at_most: certain\nbase:", want: []string{"some-cause.yaml: at_most", "certain"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := goodRule
			if c.old != "" {
				if !strings.Contains(text, c.old) {
					t.Fatalf("the good rule has no %q", c.old)
				}
				text = strings.Replace(text, c.old, c.new, 1)
			}
			_, err := Load(fstest.MapFS{"some-cause.yaml": {Data: []byte(text)}})
			if c.wantNoErr {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q lacks %q", err, w)
				}
			}
		})
	}
}

func TestLoadTellsTheMistakesOfAllFilesAtOnce(t *testing.T) {
	bad := strings.Replace(goodRule, "scope: port", "scope: none", 1)
	_, err := Load(fstest.MapFS{"a.yaml": {Data: []byte(strings.Replace(bad, "some-cause", "a", 1))}, "b.yaml": {Data: []byte(strings.Replace(bad, "some-cause", "b", 1))}})
	if err == nil || !strings.Contains(err.Error(), "a.yaml") || !strings.Contains(err.Error(), "b.yaml") {
		t.Errorf("got %v", err)
	}
	if _, err := Load(fstest.MapFS{}); err == nil {
		t.Error("an empty catalogue is no error")
	}
}

func TestThreeValuedLogic(t *testing.T) {
	env := blank(ScopePort)
	port := env["port"].(*portFacts)
	port.Speed, port.SpeedMax, port.BER, port.Name = 100, nan, nan, "a"
	cases := map[string]Truth{
		"port.speed == 100":                                 Yes,
		"port.speed > 100":                                  No,
		"port.speed_max > 100":                              Unknown,
		"not (port.speed_max > 100)":                        Unknown,
		"port.speed_max > 100 or port.speed == 100":         Yes,
		"port.speed_max > 100 or port.speed == 1":           Unknown,
		"port.speed_max > 100 and port.speed == 1":          No,
		"port.speed_max > 100 and port.speed == 100":        Unknown,
		"port.speed < port.speed_max":                       Unknown,
		"port.speed * 2 + port.ber > 1":                     Unknown,
		"known(port.speed_max)":                             No,
		"not known(port.speed_max)":                         Yes,
		"orelse(port.speed_max, 7.0) == 7":                  Yes,
		"port.name == 'a'":                                  Yes,
		"port.name in ['b', 'c']":                           No,
		"not (port.name == 'a') or port.speed_max == 0":     Unknown,
		"(port.ber > 1 or port.speed == 100) and not false": Yes,
	}
	for text, want := range cases {
		e := Expression{Text: text}
		if err := e.compile(vocabularyOf(env), nil); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := e.truth(env); got != want {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
}

func TestTextWritesFiguresAsAPersonReadsThem(t *testing.T) {
	env := blank(ScopePort)
	env["port"].(*portFacts).Speed = nan
	cases := map[string]string{
		"{rate(94.1e6)}":                       "94.1 Mbit/s",
		"{rate(1e9)}, {rate(650.0)}":           "1 Gbit/s, 650 bit/s",
		"{percent(0.0123)}":                    "1.2 %",
		"{percent(0.00098)}":                   "0.098 %",
		"{seconds(3.14)}":                      "3.1 s",
		"{seconds(0.0021)}":                    "2.1 ms",
		"{port.speed} is {rate(port.speed)}":   "? is ? bit/s",
		"{3.0} of {1e-7}":                      "3 of 1e-07",
		"{1998.9999}":                          "1999",
		"{known(port.speed) ? 'yes' : 'none'}": "none",
		"no hole":                              "no hole",
	}
	for text, want := range cases {
		x := Text{Text: text}
		if err := x.compile(vocabularyOf(env), nil); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := x.fill(env); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

func TestDefaultCatalogueHasTheCausesOfTheScenarios(t *testing.T) {
	ids := map[string]bool{}
	for _, r := range Default() {
		ids[r.ID] = true
	}
	for _, want := range []string{
		"stp-reconvergence", "firewall-failover", "port-flap", "bad-cable", "speed-fallback", "oversubscription", "duplex-mismatch", "tcp-window",
		"host-limit", "collector-blind", "receiver-socket-buffer", "link-saturated", "silent-drop", "added-delay", "stale-arp-fdb",
	} {
		if !ids[want] {
			t.Errorf("no rule %s", want)
		}
	}
}
