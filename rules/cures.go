package rules

import (
	"math"
	"regexp"
	"slices"
)

// What came of switching or exchanging something is told by the tests before and after, or in either state.

// cure is what came of switching something.
type cure struct {
	factor float64 // how many times better it was afterwards, or in the better state; NaN: nothing was compared
	better string  // the state it was better in: on, off, or changed
	worse  result
	best   result
}

// cureOf compares the tests in the two states of a topic.
func (t *hearsay) cureOf(name string, rs []result) cure {
	topic, none := topics[name], cure{factor: nan}
	if !t.says(topic, rs) {
		return none
	}
	rs = sameExperiment(name, rs)
	if exchanged[name] {
		return t.exchangeOf(topic, rs)
	}
	if c := featureCure(name, rs); c.factor >= 1 {
		return c
	}
	on := pick(rs, func(r result) bool { return state(name, r.words) == "on" })
	off := pick(rs, func(r result) bool { return state(name, r.words) == "off" })
	rest := pick(rs, func(r result) bool { return !r.early && state(name, r.words) == "" })
	switch {
	case len(on)+len(off) > 0 && slices.ContainsFunc(rest, func(r result) bool {
		return isLater(r.words) && !topic.MatchString(r.words) && namesTopic(r.words)
	}):
		return none // something else was changed
	case len(on) > 0 && len(off) > 0:
		if c := compare(on, off); c.factor >= 1 {
			c.better = "off"
			return c
		}
		c := compare(off, on)
		c.better = "on"
		return c
	case len(on) > 0 && len(rest) > 0 && switched(on):
		return orNothing(compareBoth(rest, on, "on", "off"))
	case len(off) > 0 && len(rest) > 0:
		return orNothing(compareBoth(rest, off, "off", "on"))
	case len(on) > 0 && len(rest) > 0:
		return orNothing(compareBoth(rest, on, "on", "off"))
	}
	// Nobody wrote a state beside a figure: before and after a change of which the words are told elsewhere.
	before, after := inTime(rs)
	if len(after) == 0 || len(before) == 0 {
		return turned(topic, rs)
	}
	// What the later test itself names was changed; else what is told elsewhere.
	if !slices.ContainsFunc(after, func(r result) bool { return topic.MatchString(sameWords.ReplaceAllString(r.words, " ")) }) &&
		(slices.ContainsFunc(after, func(r result) bool { return namesTopic(r.words) }) || !t.speaks(topic)) {
		return none
	}
	c := compare(before, after)
	c.better = "changed"
	return c
}

// others are parts besides those of exchanged: who exchanges them together with another one knows less of each.
var others = regexp.MustCompile(`\b(new|other|another|different|second) ([\w-]+ )?(switch|router|firewall|firmware|software|driver|kernel|nic|card|server|host|machine|laptop|os|version|site|building)\b|\b(upgrad\w+|firmware|host [b-z])\b`)

// alone says whether nothing else is told to have been exchanged together with the topic.
func (c cure) alone(name string) bool {
	words := c.best.words
	for n := range exchanged {
		if n != name && !(n == "optic" && name == "module" || n == "module" && name == "optic") && isExchange(topics[n], words) {
			return false
		}
	}
	return !others.MatchString(words)
}

// features are those of a topic that has several, each of which is switched for itself.
var features = map[string][]*regexp.Regexp{
	"offload": {word(`tso`), word(`gso`), word(`gro`), word(`lro`), word(`ufo`), word(`lso(?:v\d)?`), word(`rx[ -]?(?:csum|checksum\w*)`), word(`tx[ -]?(?:csum|checksum\w*)`)},
}

// featureCure compares the tests with one feature of the topic on with those with it off, for the feature that matters most.
func featureCure(name string, rs []result) cure {
	best := cure{factor: nan}
	for _, re := range features[name] {
		in := func(want string) []result {
			return pick(rs, func(r result) bool { return !r.early && stateOf(re, r.words, offWords) == want })
		}
		on, off := in("on"), in("off")
		c := compare(on, off)
		c.better = "off"
		if back := compare(off, on); back.factor > c.factor {
			c, c.better = back, "on"
		}
		if c.factor >= 1 && !(c.factor <= best.factor) {
			best = c
		}
	}
	return best
}

// inTime parts tests into those before and after something was done, by their words.
func inTime(rs []result) (before, after []result) {
	isAfter := func(r result) bool { return isLater(r.words) && !beforeWords.MatchString(r.words) }
	return pick(rs, func(r result) bool { return !r.early && !isAfter(r) }), pick(rs, func(r result) bool { return !r.early && isAfter(r) })
}

// exchangeOf compares the tests with another part in place with the others; or, where the exchange is told elsewhere, those after
// with those before.
func (t *hearsay) exchangeOf(topic *regexp.Regexp, rs []result) cure {
	with := pick(rs, func(r result) bool { return !r.early && isExchange(topic, r.words) })
	without := pick(rs, func(r result) bool { return !r.early && !isExchange(topic, r.words) })
	if len(with) == 0 {
		without, with = inTime(rs)
		told := slices.ContainsFunc(t.kinds, func(s string) bool { return isExchange(topic, s) })
		if !told || slices.ContainsFunc(with, func(r result) bool { return namesTopic(r.words) && !topic.MatchString(r.words) }) {
			return cure{factor: nan} // it is spoken of, but nobody put another one in, or something else was changed
		}
	}
	c := compare(without, with)
	c.better = "changed"
	return c
}

// exchanged are topics of parts: they have no state, and are better only for having been exchanged, moved or seated anew.
var exchanged = map[string]bool{"cable": true, "optic": true, "module": true, "port": true}

// exchangeWords say that a part was exchanged, moved or seated anew.
var exchangeWords = regexp.MustCompile(`\b(new|another|other|different|replac\w+|swapp?\w*|chang(ed|ing)|exchang\w+|re-?seat\w*|re-?plug\w*|plugged (in )?(again|anew|back)|re-?terminat\w*|re-?crimp\w*|re-?spliced?|clean(ed|ing)|moved|repaired|shorter|pushed (in|home)|screwed|usb\w*)\b`)

// isExchange says whether a text tells of the topic's exchange, and not that it was in vain.
func isExchange(topic *regexp.Regexp, text string) bool {
	text = sameWords.ReplaceAllString(text, " ")
	for _, loc := range topic.FindAllStringSubmatchIndex(text, -1) {
		near := clause(text[:loc[2]], true) + " " + text[loc[2]:loc[3]] + " " + clause(text[loc[3]:], false)
		if exchangeWords.MatchString(near) && !vainWords.MatchString(text) {
			return true
		}
	}
	return false
}

// namesTopic says whether words speak of anything that people switch.
func namesTopic(words string) bool {
	for _, re := range things {
		if re.MatchString(words) {
			return true
		}
	}
	return false
}

// sameExperiment returns the tests among which the topic was switched: where an experiment did that, its own, for the
// tests of others differ in more than this.
func sameExperiment(name string, rs []result) []result {
	of := ""
	for _, r := range rs {
		if e := r.event.Attrs["experiment"]; e != "" && state(name, r.words) != "" {
			of = e
		}
	}
	if of == "" {
		return rs
	}
	return pick(rs, func(r result) bool { return r.event.Attrs["experiment"] == of })
}

func switched(rs []result) bool {
	return slices.ContainsFunc(rs, func(r result) bool { return isLater(r.words) })
}

func orNothing(c cure, ok bool) cure {
	if !ok {
		return cure{factor: nan}
	}
	return c
}

// compareBoth compares the tests of which the state is told with the others, whichever are the better ones.
func compareBoth(rest, named []result, state, other string) (cure, bool) {
	if c := compare(rest, named); c.factor >= 1 {
		c.better = state
		return c, true
	}
	c := compare(named, rest)
	c.better = other
	return c, c.factor >= 1
}

// compare says how many times better the tests of b were than those of a: by rate where the same kind was measured,
// else by loss. NaN where nothing of the two can be compared.
func compare(a, b []result) cure {
	out := cure{factor: nan}
	for _, x := range a {
		for _, y := range b {
			f := nan
			switch {
			case x.tcp() && y.tcp() && x.way() == y.way() && y.rate > 0:
				f = min(y.rate/max(x.rate, 1), mostTimes)
			case x.proto == y.proto && waits[x.proto] && x.took() > 0 && y.took() > 0 && !(x.rate > 0) && !(y.rate > 0):
				f = x.took() / y.took()
			case x.proto == y.proto && x.jitter > 0 && y.jitter > 0 && math.IsNaN(x.rate) && math.IsNaN(y.rate) && !x.lossy() && !y.lossy():
				f = x.jitter / y.jitter
			case x.size > 0 && y.size > 0 && x.size != y.size && x.proto == y.proto && !x.tcp():
				// what passes in one size and not in another tells of sizes, not of what was switched
			case x.proto == y.proto && !math.IsNaN(x.loss) && !math.IsNaN(y.loss) && x.lossy() != y.lossy():
				f = (x.loss + cleanTo) / (y.loss + cleanTo)
			case x.rate > 0 && math.IsNaN(y.rate) && math.IsNaN(y.loss) && passWords.MatchString(y.words) && !passWords.MatchString(x.words):
				f = healed
			case x.lossy() && y.rate > 0 && math.IsNaN(y.loss) && y.proto != "udp" || x.failed() && y.passed() && (x.proto == y.proto || x.proto == "" || y.proto == ""):
				f = healed
			}
			if f > 0 && !(f <= out.factor) {
				out = cure{factor: f, worse: x, best: y}
			}
		}
	}
	return out
}

// mostTimes is how many times better is told at most: from next to nothing every figure is many times as much.
const mostTimes = 1000

// healed stands for an improvement of which only the fact is told.
const healed = 2
