package app

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whydrop/correlate/timeline"
)

// prose is a sentence in which people tell an event that devices tell in a line of their logs. Only sentences that can hardly
// mean anything else are in the list; the first that fits is taken.
type prose struct {
	re     *regexp.Regexp // its named groups are the event's attributes
	typ    timeline.EventType
	with   map[string]string
	about  string         // what the event must name besides its device, which each must: "port", "time", or "" for nothing
	unless *regexp.Regexp // what makes it mean something else
}

const (
	hexMAC   = `(?P<mac>(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(?:[0-9a-f]{4}[.-]){2}[0-9a-f]{4})`
	portName = `(?:ports? )?(?P<%s>[a-z][\w/.:-]*[\w/])`
	// becoming leads to the state that a unit took, or has: what is only a state tells of no change.
	becoming = `(?:(?P<state>state (?:is |=|: ?)|is (?:still |also |the )*|are (?:still |also )*|says |claims to be (?:the )?)|(?:is|are) now (?:the )?|state (?:-> ?)?|be(?:came|comes|come|coming) (?:the )?|went |goes |(?:changed|moved|switched|turned|turns|went|goes|transition\w*|promoted|switches) (?:over )?(?:from \w+ )?(?:in)?to (?:the )?|f(?:ell|alls) back to |elected (?:as )?(?:the )?|entering |enters |took over (?:as |the )?(?:the )?|declares itself (?:the )?|declared itself (?:the )?|promot(?:es|ed) itself to (?:the )?|(?:re-?)?(?:claims|claimed|takes|took|assumes|assumed|grabs|grabbed) (?:back )?(?:the )?|takes over (?:as )?(?:the )?|-> ?)`
	links    = `(?:up|down)?links?|ports?|interfaces?|carrier|nic|line protocol|led|link light|lamp`
	// comesAndGoes tells that a link was lost, and more than once as a rule.
	comesAndGoes = `flap(?:s|ped|ping)?\b|bounc(?:es?|ed|ing)\b|(?:up[ /-]*(?:and[ -])?down|down[ /-]*(?:and[ -])?(?:back )?up)\b|(?:state )?(?:chang(?:es?|ed)|transitions?)(?: state)?:? (?:\d+|several|many|a few)\b|\d+ (?:(?:link|carrier|state) ?)*(?:transitions|changes|flaps|bounces)\b|resets? itself\b|go(?:es|ing) (?:out|off|dark|down)\b.{0,25}\b(?:again|back|seconds?|s|moment|while|times)\b|comes and goes\b|(?:off[ /-]*(?:and[ -])?on|on[ /-]*(?:and[ -])?off)\b|(?:auto-?)?negotiation (?:restarts|starts again|begins again)|keeps? (?:dropping|going down|losing)\b|renegotiat\w+`
	// programs are what restarts without its machine, and what claims that the machine did.
	programs = `snmpd|agent|daemon|service|process\w*|pods?|container\w*|docker|flanneld|keepalived|bgpd|ospfd|alert\w*|monitoring|librenms|zabbix|cacti|says`
	// tried are the words around what was done as a cure, or long ago.
	tried = `last (?:night|week|month|year)|yesterday|ago|days?|no (?:change|difference|effect)|help\w*|avail|fixe[sd]|cured?|until|without|not |n't|never|same|again and again`
)

var (
	notTheMachine = regexp.MustCompile(`(?i)\b(?:` + programs + `|` + tried + `)`)
	notALink      = regexp.MustCompile(`(?i)\b(?:if|should|would|could|planned|never|not|no|none|without|mac|hosts?|address\w*|routes?|bgp|ospf|hsrp|vrrp|neighbou?rs?|stp|spanning|between ports|virtual|tunnel|ppp\w*|wi-?fi)\b`)
	notSure       = regexp.MustCompile(`(?i)\b(?:if|when(?:ever)?|should|would|could|can|may ?be|might|perhaps|possibl[ey]|suspect\w*|guess|looks like|no|not|never|none)\b|\?`)
	notThere      = regexp.MustCompile(`(?i)\b(?:if|when(?:ever)?|should|would|could|can|planned|never)\b`)
	notNow        = regexp.MustCompile(`(?i)\b(?:if|when(?:ever)?|should|would|could|can|configured|planned|never|not|no|since|always|ever|all the time)\b`)
)

// proses lists the sentences; a new one is one line.
var proses = []prose{
	{typ: timeline.EventOper, about: "port", with: map[string]string{"to": "down"}, re: sentence(`\b(?:` + links + `)\b.{0,30}?\b(?:` + comesAndGoes + `)|^(?:it |is |was |keeps |still |constantly |randomly )*(?:` + comesAndGoes + `)`), unless: notALink},
	{typ: timeline.EventOper, about: "port", re: sentence(`^(?:the |this |its )?(?:(?:link|port|interface|carrier|line protocol)(?: state)? )?(?:changed (?:interface )?state to |is |was |went |goes |came |comes |back )*(?P<to>up|down)(?:[ .!]*$|[,;:]|\.? (?:at|and|for|again|then|when|because|as|on|in|with|after|by|during|\()|\. )`), unless: notNow},
	{typ: timeline.EventOper, about: "port", with: map[string]string{"to": "down"}, re: sentence(`^(?:(?:it|the (?:port|link|interface|nic)|link|port|interface) )?(?:(?:has |had )?(?:lost|loses|dropped) (?:its |the )?(?:link|carrier|signal)|(?:link|carrier) (?:was |is |got )?(?:lost|dropped|gone|vanished|disappeared)|(?:went|goes) (?:dead|dark|offline))\b`), unless: notNow},
	{typ: timeline.EventOper, about: "port", with: map[string]string{"to": "up"}, re: sentence(`^(?:(?:it|the (?:port|link|interface|nic)|link|port|interface) )?(?:(?:has |had )?(?:regained|got|gets|found) (?:its |the |a )?(?:link|carrier|signal)|(?:the )?(?:link|carrier) (?:was |is |came |comes |got )?(?:back|restored|regained|returned|acquired|established|there again)|(?:came|comes|went|goes|is|was)(?: back)? (?:online|alive)(?: again)?)\b`), unless: notNow},
	{typ: timeline.EventSTPState, about: "port", re: sentence(`^(?:the port |port |state )?(?:now |is |went |goes |goes to |moved |changed |enter(?:s|ed) |in |into |to )*(?P<to>listening|learning|forwarding|blocking|discarding)\b`), unless: notNow},
	{typ: timeline.EventDuplexMismatch, about: "port", re: sentence(`\bduplex[ -]mismatch\b`), unless: notSure},
	{typ: timeline.EventInconsistent, about: "port", with: map[string]string{"to": "blocked"}, re: sentence(`\b(?P<guard>root|loop)[ -]?guard\b.{0,60}\b(?:block\w*|inconsisten\w*)|\b(?P<guard2>root|loop|type|pvid|pvst)[ _-]?inconsisten\w*`), unless: notThere},
	{typ: timeline.EventGateway, re: sentence(`\b(?:(?P<protocol>hsrp|vrrp|glbp|carp)\b.{0,60}?|(?:standby |vlan ?\d+ )?(?:group|grp|vrid) (?P<group>\d+)\b.{0,30}?)\b` + becoming + `(?P<to>active|master|standby|backup|init|speak)\b`), unless: notNow},
	{typ: timeline.EventGateway, re: sentence(`\b(?:is now|became|becomes|turned into|(?P<state>is)) (?:the |an? )?(?P<protocol>hsrp|vrrp|glbp|carp) (?P<to>active|master|standby|backup)\b(?P<now> (?:router |unit |node )?(?:now|again))?`), unless: notNow},
	{typ: timeline.EventFailover, re: sentence(`\b(?:ha|failover|cluster|firewall)\b.{0,60}?\b` + becoming + `(?P<to>primary|active|master)\b`), unless: notNow},
	{typ: timeline.EventFailover, with: map[string]string{"to": "active"}, about: "time", re: sentence(`\b(?:fail(?:ed|s)[ -]?over|took over from|(?:ha|firewall|cluster)[ -](?:fail-?over|switch-?over)|fail-?over (?:happened|occurred|took place|was triggered|event))\b`), unless: notNow},
	{typ: timeline.EventMACMove, re: sentence(hexMAC + `\b.{0,40}?\b(?:moved|moves|moving|flap\w*|jump\w*|bounc\w*)\b.{0,20}?\b(?:from|between) ` + strings.ReplaceAll(portName, "%s", "from") + ` (?:to|and) ` + strings.ReplaceAll(portName, "%s", "to"))},
	{typ: timeline.EventMACMove, re: sentence(`\b(?:flap\w*|mov(?:es|ed|ing)|jump\w*|bounc\w*|alternat\w+)\b.{0,20}?\b(?:from|between|on) ` + strings.ReplaceAll(portName, "%s", "from") + ` (?:to|and) ` + strings.ReplaceAll(portName, "%s", "to") + `\b.{0,60}?` + hexMAC)},
	{typ: timeline.EventMember, re: sentence(`\b(?P<unit>(?:unit|member|stack member|line ?card|fex|slot) #?\d+)\b.{0,20}?\b(?P<to>not present|removed|left|lost|gone|absent|missing|down|off|no power|failed|reloaded|rebooted|crashed|died|dead)\b`), unless: notThere},
	{typ: timeline.EventRestart, about: "time", re: sentence(`\b(?:rebooted|reboots|reloaded|reloads|restarted|crashed|power[ -]?cycled|lost power|uptime (?:has been |was |is |fell |went )?(?:reset|back|to|at|only|now)?(?: to| at)? ?(?:0|zero|reset)\b)`), unless: notTheMachine},
	{typ: timeline.EventTopologyChange, re: sentence(`\b(?:topology changes?|tcns?)(?: count)?:? (?P<total>\d+)\b(?:.{0,60}?\bfrom (?P<port>[a-z][\w-]*\d[\w/.]*))?|\b(?P<total2>\d+) topology changes\b`)},
	{typ: timeline.EventRoute, about: "time", with: map[string]string{"to": "down"}, re: sentence(`\b(?P<protocol>ospf|bgp|eigrp|is-?is|bfd)\b.{0,60}?\b(?:down|dropped|flapp?\w*|lost|expired)\b`), unless: notNow},
}

func sentence(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) }

// readProse takes an event that a person wrote down without its type for what its sentence tells. Of one whose type is told it reads
// what else the sentence says, for what nothing else tells.
func readProse(e *factsEvent) {
	if len(e.Text.text) > longestProse {
		return
	}
	typed := e.Type.isSet()
	for _, p := range proses {
		if typed && e.Type.text != string(p.typ) || !p.fits(*e) {
			continue
		}
		at := p.re.FindStringSubmatchIndex(e.Text.text)
		if at == nil || p.unless != nil && p.unless.MatchString(p.around(e.Text.text, at)) {
			continue
		}
		m := p.re.FindStringSubmatch(e.Text.text)
		attrs := attrsOfProse(p, m)
		if typed {
			delete(attrs, "told") // who calls it a change means one
			maps.Copy(attrs, e.word)
			e.word = attrs
			return
		}
		e.Type, e.said = scalar{string(p.typ), e.Text.line}, attrs
		return
	}
}

// longestProse is the most letters of a sentence that tells one event; a story tells several.
const longestProse = 200

// around returns the clause in which a match lies. What was done as a cure stands anywhere.
func (p prose) around(text string, match []int) string {
	if p.unless == notTheMachine {
		return text
	}
	from, to := 0, len(text)
	for _, cut := range clauseCut.FindAllStringIndex(text, -1) {
		switch {
		case cut[1] <= match[0]:
			from = cut[1]
		case cut[0] >= match[1] && cut[0] < to:
			to = cut[0]
		}
	}
	return text[from:to]
}

// clauseCut is where a clause ends; a dot or colon within a name ends none.
var clauseCut = regexp.MustCompile(`[,;()]|[.:](?:\s|$)`)

func (p prose) fits(e factsEvent) bool {
	switch p.about {
	case "port":
		return e.Device.isSet() && e.Port.isSet()
	case "time":
		return e.Device.isSet() && e.Time.isSet()
	}
	return e.Device.isSet()
}

// statesOfPeople are words of people for states, and ours.
var statesOfPeople = map[string]string{"primary": "active", "master": "active", "backup": "standby", "discarding": "blocking", "not present": "absent"}

// statesOfLoss are the words for a member that went that need no other.
var statesOfLoss = []string{"absent", "removed", "left", "lost", "down", "failed"}

func attrsOfProse(p prose, m []string) map[string]string {
	out := map[string]string{}
	for k, v := range p.with {
		out[k] = v
	}
	for i, name := range p.re.SubexpNames() {
		if name == "" || m[i] == "" {
			continue
		}
		v := m[i]
		if p.typ != timeline.EventMACMove || name == "mac" {
			v = strings.ToLower(v)
		}
		out[strings.TrimSuffix(name, "2")] = cmp.Or(statesOfPeople[v], v)
	}
	if out["state"] != "" && out["now"] == "" {
		out["told"] = "state"
	}
	delete(out, "state")
	delete(out, "now")
	switch {
	case p.typ == timeline.EventOper:
		out["from"] = map[string]string{"up": "down", "down": "up"}[out["to"]]
	case p.typ == timeline.EventMember && !slices.Contains(statesOfLoss, out["to"]):
		out["to"] = "lost (" + out["to"] + ")"
	}
	return out
}

// countTopologyChanges makes of what a device's counter of topology changes stood at what it counted from one to the next: the first
// tells of no change.
func (f *factsFile) countTopologyChanges() {
	last := map[string]float64{}
	for i := range f.Events {
		e := &f.Events[i]
		n, err := strconv.ParseFloat(e.said["total"], 64)
		if err != nil || e.Type.text != string(timeline.EventTopologyChange) {
			continue
		}
		before, known := last[e.Device.text]
		last[e.Device.text] = n
		if !known || n <= before {
			e.Type, e.said = scalar{}, nil
			continue
		}
		e.said["count"] = strconv.FormatFloat(n-before, 'f', -1, 64)
	}
}

// wordsOfLogs are the types of events whose lines no person's sentence resembles, though they have no name in front: of keepalived,
// the bridge of the kernel and the firewalls.
var wordsOfLogs = []timeline.EventType{timeline.EventGateway, timeline.EventFailover, timeline.EventSTPState, timeline.EventInconsistent}

// unmistakable says whether a line without the name of a message is a device's all the same.
func unmistakable(t timeline.EventType) bool { return slices.Contains(wordsOfLogs, t) }
