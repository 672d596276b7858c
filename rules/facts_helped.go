package rules

import (
	"regexp"
	"slices"
)

// People write not only what they switched or exchanged but also what came of it: "with another cable nothing is lost any more",
// "EEE was disabled and it made no difference". No figure proves that, so nothing more than a suspicion rests on it; but who has
// tried a thing in vain need not be told to try it.

var (
	// triedWords say that something was switched, exchanged, moved or left out.
	triedWords = regexp.MustCompile(`\b(another|spare|fitted|other|different|new|replac\w+|swapp?\w*|chang(ed|ing)|exchang\w+|switch(ed|ing)|off|disabl\w+|turn(ed|ing)|bypass\w*|re-?seat\w*|re-?plug\w*|wiggl\w+|jiggl\w+|mov(ed|ing)|re-?terminat\w+|re-?crimp\w+|clean(ed|ing)|remov(ed|ing)|unplugg\w+|lower(ed|ing)|reduc(ed|ing)|clamp\w*|enabl(ed|ing)|rais(ed|ing)|increas(ed|ing))\b`)
	// vainWords say that it did not matter.
	vainWords = regexp.MustCompile(`\b(no|without( any)?|not any|little) (real |visible |noticeable )?(difference|change|effect|improvement|help)\b|(n't|\bnot|\bnever|\bneither|\bnor) (\w+ )?(help|chang|solv|fix|cur|matter|improv)\w*|\b(nothing|none of (it|them|that|these|this))( \w+)? (help|chang|solv|fix|cur|matter|improv)\w*|\bsame (thing|problem|issue|trouble|results?|errors?|behaviou?r|again|happens|as before)\b|\b(is|was|stays|stayed|remains|remained|does|do) the same\b|\bstill (los|lost|flap|drop|err|happen|the same|there|bad|slow|down|no |ris|increas|grow|climb|count|fail)|\b(in vain|to no avail|unchanged|persist\w*)\b|\b(problem|issue|trouble|errors?|loss) (\w+ )?(remains?|stays?)\b`)
	// curedWords say that the trouble ended with it.
	curedWords = regexp.MustCompile(`\b(no|none|not one|nothing|never|without|zero) (\w+ ){0,3}(lost|loss|losses|drops?|dropped|errors?|flaps?|flapp?ed|failures?|outages?|problems?|more)\b|\b(loses?|lost|drops|dropped) (nothing|none)\b|\b(errors?|drops?|loss|losses|flaps?|flapping|outages?|trouble|problems?|issues?|symptoms?) (\w+ ){0,3}(to (0|zero)|stopp?ed|stops?|ceased?|gone|away|disappear\w*|vanish\w*|ended?)\b|\b(help(s|ed)|cure[sd]|fix(es|ed)|(re)?solve[sd]|work(s|ed)|(normal|good|fine|clean) again|back to normal|all (is )?(good|well)|(is|are|was|been) (working|running|up|alive|online) (again|now|since|ever since)|back (up|online|to life|in service)|is stable|was stable|is clean|is well|is fine|recover(s|ed))\b|\b(stays?|stayed|remains?|remained) (at )?(0|zero|clean)\b|\bcomes? up (at|with)\b|\b(goes|went|is|was) away (with|when|after|once|if)\b|\bonly (works?|is well|is fine) (with|when|after|once|if)\b|\buntil .{0,60}\b(turned off|switched off|disabled|replaced|swapped|exchanged|removed|lowered|reduced|cleaned|reseated)\b`)
)

// helped says what people tell of switching, exchanging or leaving out what the topic is about: 1 the trouble ended, 0 it was in vain,
// NaN if nobody tells, neither beside an event nor beside one of these tests.
func (t *hearsay) helped(name string, tests []result) float64 {
	topic, out := topics[name], nan
	if topic == nil {
		return out
	}
	texts := slices.Clone(t.kinds)
	for _, r := range tests {
		texts = append(texts, r.words)
	}
	for _, text := range texts {
		switch {
		case !topic.MatchString(sameWords.ReplaceAllString(text, " ")) || !triedWords.MatchString(text):
		case vainWords.MatchString(text):
			out = orZero(out)
		case curedWords.MatchString(text):
			out = 1
		}
	}
	return out
}
