package rules

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// What people write beside a figure ("flow control off", "after the MTU was lowered") tells which experiment it was.
// The words only say what was switched; whether it helped is told by the figures.

// things are what people switch, exchange or suspect, by the words they use for them; sightings what they saw.
var (
	things    = mustTopics("words.yaml", wordsFile)
	sightings = mustTopics("sightings.yaml", sightingsFile)
	topics    = both(things, sightings)
)

//go:embed words.yaml
var wordsFile []byte

//go:embed sightings.yaml
var sightingsFile []byte

func both(a, b map[string]*regexp.Regexp) map[string]*regexp.Regexp {
	out := maps.Clone(a)
	for name, re := range b {
		if out[name] != nil {
			panic(name + " is both a thing and a sighting")
		}
		out[name] = re
	}
	return out
}

// mustTopics reads the words of all topics; a mistake in the program's own file is one of the program.
func mustTopics(name string, text []byte) map[string]*regexp.Regexp {
	var lists map[string][]string
	if err := yaml.Load(text, &lists); err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	out := map[string]*regexp.Regexp{}
	for name, list := range lists {
		out[name] = word(strings.Join(list, "|"))
	}
	return out
}

// heard returns what people wrote in small letters, without the phrases that only sound like a topic.
func heard(text string) string {
	return topics["innocent"].ReplaceAllString(strings.ToLower(text), " ")
}

// states are topics whose words tell their state by themselves.
var states = map[string]struct{ on, off *regexp.Regexp }{
	"pacing": {word(`pac(ed|ing)|fq|smoothed?|rate[ -_]limited by the sender`), word(`gsro|udp[ -]?gso|unlimited|unpaced|(?:not?|without|never|disabl\w+)(?: \w+)? (?:pac(?:ed|ing)|fq)|(?:pacing|fq)(?: \w+){0,2}[ =:]+(?:off|disabled|removed|none|no)|burst\w*|(?:sen[dt]s?|all) at once|back[ -]to[ -]back|pacing[ -]timer[ =]*\d{5,}`)},
	"cores":  {word(`(bound|binds?|pinned) to .*|affinity|cpu[ _](limits?|quotas?)|rps|rss|irq ?balance`), word(`(not|no|without|never|un)[ -]?(bound|pinned|affinity|cpu[ _](limits?|quotas?)|limits?|rps|rss|irq ?balance).*|(limits?|quotas?|affinity) .*(removed|off|raised|lifted|disabled)`)},
	"redundant": {word(`(both|all|two)( \w+){0,2} (links|cables|ports|members|legs|paths)( \w+){0,4} (up|in|plugged|connected|active)`),
		word(`(one|second|other|redundant) (of (its|the|their) )?(two )?(up)?(links?|cables?|ports?|members?|legs?|paths?)( \w+){0,3} (unplugged|removed|disconnected|pulled|shut|down|disabled|taken out)`)},
	"stepdown": {word(`(forc\w*|set|limited|locked|fixed|lowered) (down )?(to|at) (1|2\.5|10|100|1000) ?(g|m)(bit\S*|b\S*|igabit\S*)?|((forc|throttl|cap|limit|lock|pinn|nail|fix)\w*|set|lowered|dropped) (down )?(to|at) ((1|2\.5|10|100|1000) ?(g|m)(bit\S*|b\S*|igabit\S*)?|gigabit|gbe|1000base-?t\S*|fast ethernet|1 gig)`), word(`back (at|to) (full|auto\w*|the higher)( \w+)?`)},
	"lease":    {word(`by (its )?(host)?name`), word(`by (its )?(ip )?address`)},
}

// present are topics of things that packets cross: a test that went over one crossed it, though nobody calls it switched on.
var present = map[string]bool{"overlay": true, "radio": true}

func word(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\pL\pN])(` + alternatives + `)(?:[^\pL\pN]|$)`)
}

var (
	offWords = regexp.MustCompile(`\b(off|disabled?|disabling|without|no|not|none|removed|remov(e|ing)|bypass(ed|ing|es)?|exempt(ed)?|whitelist(ed)?|direct(ly)?|past|around|lowered|reduced|smaller|stopped|unset|false|never)\b`)
	// pathOff are the words that say that a test did not go over something that packets cross; what was lowered of it is still crossed.
	pathOff = regexp.MustCompile(`\b(off|disabled?|without|no|not|none|removed|bypass(ed|ing|es)?|direct(ly)?|past|around|outside|instead)\b`)
	onWords = regexp.MustCompile(`\b(on|enabled?|enabling|active|with|through|via|uses?|using|true|set|raised|added|larger|forced)\b`)

	crossWords = regexp.MustCompile(`\b(over|across|in|inside|within)\b`)

	afterWords  = regexp.MustCompile(`\b(after(wards)?|fixed|later|then|cured|repaired|following|new|since)\b`)
	beforeWords = regexp.MustCompile(`\b(before|at first|initial(ly)?|original(ly)?|old|prior|faulty|bad)\b`)
	earlyWords  = regexp.MustCompile(`\b(first|1st|initial) ((few|two|three|\d+) )?(seconds?|minutes?|hours?|intervals?|sec|\d+ ?s|reports?)\b|\bstart of the test\b`)
	afterEarly  = regexp.MustCompile(`\bafter (the )?(first|1st|initial) \w+( \w+)?`)
	beganWords  = regexp.MustCompile(`\b(then|afterwards|after that|but later)\b.{0,20}\b(0|zero|nothing|none|stops?|stopped|stalls?|stalled|hangs?|dies|died|freezes|froze|dead)\b|\b(connects|handshake|starts|begins)\b`)
	sameWords   = regexp.MustCompile(`\b(same|old|original|unchanged) [\pL-]+`)
	loadWords   = regexp.MustCompile(`\b(under (full )?load|loaded|(while|during)( [\w.-]+){1,4}|uploads?|downloads?|uploading|downloading|busy|backup|saturated|transfers?|copying)\b`)
	idleWords   = regexp.MustCompile(`\b(idle|nothing else|no load|unloaded|without load|quiet|before|after|at night)\b`)
	// The class in which a test was sent: that of everything, or one of its own.
	plainClass = regexp.MustCompile(`\b(best[ -]effort|class-default|default (class|queue|traffic)|unmarked|not marked|dscp (0|be|cs0)|cos 0)\b`)
	namedClass = regexp.MustCompile(`\b(ef|voice|priority|expedited|af\d\d|cs[1-7]|dscp (ef|[1-9]\d?)|cos [1-7]|marked (as )?(ef|af\d\d|voice))\b`)
	// Which end's report a figure is from.
	senderWords   = regexp.MustCompile(`\b(client|sender|sending)('?s)?( \w+)? (report|side|end|output|says|summary)`)
	receiverWords = regexp.MustCompile(`\b(server|receiver|receiving)('?s)?( \w+)? (report|side|end|output|says|summary)`)
	failWords     = regexp.MustCompile(`\b((not|never|isn.t|un) ?stable|unstable|fails?|failed|hangs?|hung|stalls?|stalled|times?[- ]?outs?|timed out|no (answer|reply|response)|nothing (arrives|passes|gets through|comes)|blocked|dead|dies|died|freezes|froze|lost all)\b`)
	passWords     = regexp.MustCompile(`\b(works?|passes|passed|ok|fine|succeeds|gets through|normal|stable|(are|is|were|was|all|others?|later( ones?)?|rest) answered)\b`)
	toolWords     = regexp.MustCompile(`\b(iperf ?2(\.\d+)*|iperf ?3(\.\d+)*|iperf|netperf|nuttcp|ttcp|ntttcp|netcat|curl|wget|ftp|scp|cygwin|other (tool|program)|another (tool|program)|different (tool|program)|native (build|tool))\b`)
)

// isLater says whether words tell of a test that came after something was done; what follows a link's coming up or another
// thing's beginning is none, nor are the later ones of many packets.
func isLater(words string) bool {
	return afterWords.MatchString(afterStart.ReplaceAllString(words, " "))
}

var afterStart = regexp.MustCompile(`\bafter (\w+ ){1,3}(came|comes|come|goes|went|gone|starts?|started|boots?|booted|begins?|began)\b|\blater (ones?|packets|echoes|hops|segments)\b`)

// state says which state of a topic the words are about: "on", "off", or "" if they do not tell.
func state(name, words string) string {
	topic := topics[name]
	words = sameWords.ReplaceAllString(words, " ") // what stayed the same was not switched
	if own, ok := states[name]; ok {
		switch {
		case own.off.MatchString(words):
			return "off"
		case own.on.MatchString(words):
			return "on"
		}
		return ""
	}
	off := offWords
	if present[name] {
		off = pathOff
	}
	if s := stateOf(topic, words, off); s != "" || !present[name] {
		return s
	}
	for _, loc := range topic.FindAllStringSubmatchIndex(words, -1) {
		if crossWords.MatchString(clause(words[:loc[2]], true)) {
			return "on"
		}
	}
	return ""
}

// stateOf says by the words around it which state something is in that people switch. The last word for it counts unless one
// says that it is off: "with inspection by the IPS off".
func stateOf(thing *regexp.Regexp, words string, offWords *regexp.Regexp) string {
	on := ""
	for _, loc := range thing.FindAllStringSubmatchIndex(words, -1) {
		// The clause around the word: a setting's state stands close to it.
		from, to := loc[2], loc[3]
		before, after := clause(words[:from], true), clause(words[to:], false)
		switch {
		case offWords.MatchString(after) || offWords.MatchString(before) || offWords.MatchString(words[from:to]):
			return "off"
		case onWords.MatchString(after) || onWords.MatchString(before):
			on = "on"
		}
	}
	return on
}

// clause returns the up to three words next to a place, within its clause.
func clause(s string, last bool) string {
	if last {
		if cuts := clauseEnd.FindAllStringIndex(s, -1); len(cuts) > 0 {
			s = s[cuts[len(cuts)-1][1]:]
		}
		f := strings.Fields(s)
		return strings.Join(f[max(0, len(f)-3):], " ")
	}
	if at := clauseEnd.FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	f := strings.Fields(strings.TrimLeft(s, ":=- "))
	return strings.Join(f[:min(3, len(f))], " ")
}

// clauseEnd is where a clause ends; a dot within a name (eth0.10) ends none.
var clauseEnd = regexp.MustCompile(`[,;|()\n]|\.(?:\s|$)`)
