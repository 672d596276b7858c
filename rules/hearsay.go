package rules

import (
	"regexp"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
)

// hearsay is everything that people wrote beside the figures, other than in the tests themselves.
type hearsay struct {
	text     []string                     // of events
	tellers  []teller                     // the same, with what each is about
	kinds    []string                     // of the text, one of each kind of sentence
	spoken   map[*regexp.Regexp]bool      // topics that were asked about: whether the text speaks of them
	settings map[string]map[string]string // by host or device
}

// byHand is how the Collector of an Origin begins where a person wrote a fact down.
const byHand = "facts:"

// tell gathers settings and the words of events once for a scene.
func (sc *scene) tell() *hearsay {
	if sc.told != nil {
		return sc.told
	}
	t := &hearsay{settings: map[string]map[string]string{}, spoken: map[*regexp.Regexp]bool{}}
	for _, e := range sc.snap.Events() {
		switch e.Type {
		case timeline.EventSettings:
			name := e.Name + e.Device
			if t.settings[name] == nil {
				t.settings[name] = map[string]string{}
			}
			for k, v := range e.Attrs {
				t.settings[name][k] = v
			}
		default:
			if strings.HasPrefix(e.Origin.Collector, byHand) {
				t.tellers = append(t.tellers, tellerOf(e))
			}
			if strings.HasPrefix(e.Origin.Collector, byHand) || e.Type == timeline.EventMark {
				t.text = append(t.text, heard(e.Text))
			}
		}
	}
	t.kinds = oneOfEach(t.text)
	if len(t.kinds) < len(t.text) {
		kept := map[string]bool{}
		for _, k := range t.kinds {
			kept[k] = true
		}
		t.tellers = slices.DeleteFunc(t.tellers, func(x teller) bool { return !kept[x.said] })
	}
	sc.told = t
	return t
}

// oneOfEach leaves out sentences that others say with other numbers, ports and addresses. So few sentences as a person writes are
// left as they are: the lines of a day's log are thousands, of a few kinds.
func oneOfEach(text []string) []string {
	const few = 200
	if len(text) <= few {
		return text
	}
	var out []string
	seen := map[string]bool{}
	for _, s := range text {
		words := strings.Fields(s)
		for i, w := range words {
			if strings.ContainsAny(w, "0123456789") {
				words[i] = "0"
			}
		}
		if kind := strings.Join(words, " "); !seen[kind] {
			seen[kind], out = true, append(out, s)
		}
	}
	return out
}

// speaks tells whether the text of events speaks of the topic.
func (t *hearsay) speaks(topic *regexp.Regexp) bool {
	said, asked := t.spoken[topic]
	if !asked {
		said = slices.ContainsFunc(t.kinds, func(text string) bool { return asserted(topic, text) })
		t.spoken[topic] = said
	}
	return said
}

// deniedWords deny what follows them within their clause, or ask whether it was there.
var deniedWords = regexp.MustCompile(`\b(no|not|never|without|nor|neither|whether)\b|n't\b`)

// asserted says whether a text speaks of the topic; of a sighting, whether it says that it was there.
func asserted(topic *regexp.Regexp, text string) bool {
	if !isSighting[topic] {
		return topic.MatchString(text)
	}
	return slices.ContainsFunc(topic.FindAllStringSubmatchIndex(text, -1), func(loc []int) bool {
		return !deniedWords.MatchString(clause(text[:loc[2]], true))
	})
}

// isSighting tells the topics of what people saw from those of things that they have in hand.
var isSighting = func() map[*regexp.Regexp]bool {
	out := map[*regexp.Regexp]bool{}
	for _, re := range sightings {
		out[re] = true
	}
	return out
}()

// setting returns the value of a setting about the topic, and the host it is of.
func (t *hearsay) setting(topic *regexp.Regexp) (host, key, value string) {
	for _, h := range keysOf(t.settings) {
		for _, k := range keysOf(t.settings[h]) {
			if topic.MatchString(strings.ToLower(strings.ReplaceAll(k, "_", " "))) || topic.MatchString(strings.ToLower(k)) {
				return h, k, strings.ToLower(t.settings[h][k])
			}
		}
	}
	return "", "", ""
}

// says tells whether anybody wrote of the topic: in a test of these, in a setting or beside an event.
func (t *hearsay) says(topic *regexp.Regexp, rs []result) bool {
	if slices.ContainsFunc(rs, func(r result) bool { return asserted(topic, r.words) }) {
		return true
	}
	if t.speaks(topic) {
		return true
	}
	for _, s := range t.settings {
		for k, v := range s {
			if topic.MatchString(strings.ToLower(strings.ReplaceAll(k, "_", " ")+" "+v)) || topic.MatchString(strings.ToLower(k)) {
				return true
			}
		}
	}
	return false
}

// owners returns how many hardware addresses the texts tell of one IP address at most, those that routers share left out; NaN if
// they tell of none.
func (t *hearsay) owners() float64 {
	macs := map[string]map[string]bool{}
	most := nan
	for _, text := range t.text {
		m := ownerWords.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		told := []string{m[2]}
		if byTurns.MatchString(text) { // all that it names answer for the one address
			told = anyMAC.FindAllString(text, -1)
		}
		for _, mac := range told {
			if virtualMAC(mac) {
				continue
			}
			if macs[m[1]] == nil {
				macs[m[1]] = map[string]bool{}
			}
			macs[m[1]][strings.NewReplacer(":", "", "-", "", ".", "").Replace(mac)] = true
			most = max(orZero(most), float64(len(macs[m[1]])))
		}
	}
	return most
}

// byTurns are the words for several that answer one question; anyMAC is a hardware address.
var (
	byTurns = regexp.MustCompile(`\b(alternat\w*|by turns|in turns?|both|each|two (different )?(macs|hosts|nodes|addresses|answers|replies)|flip-?flop\w*|differ\w*)\b`)
	anyMAC  = regexp.MustCompile(`\b(?:(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4})\b`)
)

// ownerWords are an IPv4 address and the hardware address that follows it, as tables and captures write them.
var ownerWords = regexp.MustCompile(`\b(\d{1,3}(?:\.\d{1,3}){3})\b.{1,40}?\b((?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4})\b`)
