package rules

import "testing"

func TestEveryWayIsSpokenByACaseOfItsCause(t *testing.T) {
	if testing.Short() {
		t.Skip("evaluates most cases of the catalogue once more")
	}
	rules := Default()
	for i := range rules {
		r := &rules[i]
		spoken := map[*Rule]bool{}
		for _, c := range loadCases(t, r.ID).Cases {
			if c.Kind == "silent" || len(spoken) == 1+len(r.ways) {
				continue
			}
			for _, m := range matchesOf(t, rules, c.Story) {
				if m.rule.ID == r.ID && !m.dropped && (m.verdict != CannotTell || m.rule.AtMost == CannotTell) {
					spoken[m.rule] = true
				}
			}
		}
		if !spoken[r] {
			t.Errorf("%s: no case makes the rule itself speak", r.ID)
		}
		for n, w := range r.ways {
			if !spoken[w] {
				t.Errorf("%s: no case makes entry %d of also speak: %s", r.ID, n+1, w.Summary.Text)
			}
		}
	}
}

// matchesOf returns what every rule and way says of a story, in the order in which [Evaluate] asks them, before findings of one
// cause are folded into one: a finding does not tell which of a cause's ways it came from.
func matchesOf(t *testing.T, rules []Rule, st story) []*match {
	t.Helper()
	e := &evaluation{rules: rules, failed: map[string]failure{}}
	e.scene = newScene(st.build(t))
	e.ask(false)
	e.yield()
	e.chain()
	e.settle()
	e.explains = e.explained
	e.ask(true)
	e.yield()
	return e.matches
}
