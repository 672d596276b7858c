package app

import (
	"maps"
	"regexp"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

func (b *factsBuilder) event(e factsEvent) {
	ev := timeline.Event{Type: timeline.EventMark, Span: b.all, Text: e.Text.text, Origin: b.origin, Attrs: attrsOfText(e)}
	if e.Type.isSet() {
		ev.Type = timeline.EventType(e.Type.text)
	}
	maps.Copy(ev.Attrs, e.said)
	if t, err := b.told(e.Time.text); err == nil {
		ev.Span = timeline.Around(t.at, t.exact/2)
	}
	switch {
	case e.Device.isSet() && e.Port.isSet():
		ev.Subject = timeline.Port(e.Device.text, e.Port.text)
	case e.Device.isSet():
		ev.Subject = timeline.Device(e.Device.text)
	default:
		ev.Subject = timeline.Path(b.out.Topology.Paths[0].Name)
	}
	if ev.Type == timeline.EventOutage {
		ev.Subject = timeline.Path(b.out.Topology.Paths[0].Name)
		if n, err := strconv.ParseFloat(ev.Attrs["for_s"], 64); err == nil {
			ev.Span = timeline.Span{From: ev.Span.Mid(), To: ev.Span.Mid().Add(time.Duration(n * float64(time.Second)))}
			b.all = b.all.Union(ev.Span)
		}
	}
	b.put(ev)
}

var (
	fromTo   = regexp.MustCompile(`(?i)\bfrom ([\w./:-]*\w) to ([\w./:-]*\w)`)
	ipv4     = regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b`)
	arrow    = regexp.MustCompile(`([\w./]+) ?-> ?([\w./]+)`) // as HSRP logs it: Standby -> Active
	onlyTo   = regexp.MustCompile(`(?i)\b(?:went|goes|came|comes|became|becomes|is|to)(?: back)? (up|down|active|standby|master|backup|forwarding|blocking|listening|learning|disabled|half|full)\b`)
	forHowS  = regexp.MustCompile(`(?i)\bfor (?:about |some )?(\d+(?:\.\d+)?) ?s(?:ec|econds?)?\b`)
	keyValue = regexp.MustCompile(`\b([a-z][a-z0-9_]*)=("[^"]*"|[^\s,;]+)`)
	oneState = regexp.MustCompile(`(?i)^(up|down|active|standby|master|backup|forwarding|blocking|listening|learning|disabled|half|full)$`)
)

// attrsOfText reads what an event's text says in a form that is hard to mistake: key=value, "from A to B", "A -> B", "went down",
// "for 30 s".
func attrsOfText(e factsEvent) map[string]string {
	out := map[string]string{}
	maps.Copy(out, e.word)
	text := strings.TrimSpace(e.Text.text)
	for _, m := range keyValue.FindAllStringSubmatch(text, -1) {
		out[m[1]] = strings.Trim(m[2], `"`)
	}
	if m := fromTo.FindStringSubmatch(text); m != nil {
		out["from"], out["to"] = stateOrPort(e, m[1]), stateOrPort(e, m[2])
	} else if m := arrow.FindStringSubmatch(text); m != nil {
		out["from"], out["to"] = stateOrPort(e, m[1]), stateOrPort(e, m[2])
	} else if m := onlyTo.FindStringSubmatch(text); m != nil {
		out["to"] = strings.ToLower(m[1])
	} else if m := oneState.FindStringSubmatch(text); m != nil {
		out["to"] = strings.ToLower(m[1])
	}
	if m := forHowS.FindStringSubmatch(text); m != nil {
		out["for_s"] = m[1]
	}
	if out["to"] != "" && out["from"] == "" && e.Type.text == string(timeline.EventOper) {
		out["from"] = map[string]string{"up": "down", "down": "up"}[out["to"]]
	}
	if ip := ipv4.FindString(text); ip != "" && out["ip"] == "" && e.Type.text == string(timeline.EventBinding) {
		out["ip"] = ip
	}
	if e.Type.text == string(timeline.EventOutage) {
		if out["seen_by"] == "" {
			out["seen_by"] = timeline.SeenByHeartbeat
		}
		if out["direction"] == "" {
			out["direction"] = timeline.Both
		}
	}
	return out
}

// stateOrPort returns a word as the event's type means it: a state in small letters, the name of a port as it is written.
func stateOrPort(e factsEvent, word string) string {
	switch timeline.EventType(e.Type.text) {
	case timeline.EventMACMove, timeline.EventRootPort:
		return word
	}
	return strings.ToLower(word)
}
