package app

import (
	"whydrop/cmd/internal/report"
	"whydrop/correlate"
)

// learnSchema is the version of the document of a learnt path. Keys may be added; a change of meaning raises it.
const learnSchema = 1

type (
	learntDocument struct {
		SchemaVersion int         `json:"schema_version"`
		From          learntEnd   `json:"from"`
		To            learntEnd   `json:"to"`
		Complete      bool        `json:"complete"`
		ReadFrom      string      `json:"read_from"`
		ReadTo        string      `json:"read_to"`
		Hops          []learntHop `json:"hops"`
		Evidence      []string    `json:"evidence"`
		Unknown       []string    `json:"unknown"`
		Warnings      []string    `json:"warnings"`
		Site          learntSite  `json:"site"`
	}
	learntEnd struct {
		Name string  `json:"name"`
		IP   *string `json:"ip"`
		MAC  *string `json:"mac"` // of this host, or as it was given; else null
	}
	learntHop struct {
		Device     string   `json:"device"`
		Others     []string `json:"others"`
		Undecided  bool     `json:"undecided"`
		Unwatched  bool     `json:"unwatched"`
		In         *string  `json:"in"`
		Out        *string  `json:"out"`
		InMembers  []string `json:"in_members"`
		OutMembers []string `json:"out_members"`
		Beside     []string `json:"beside"` // where other units of the path's groups are
		Evidence   []string `json:"evidence"`
	}
	learntSite struct {
		Hops  [][]string          `json:"hops"`
		Ports map[string][]string `json:"ports"`
	}
)

func pathDocument(p correlate.LearntPath, tables []correlate.PathTables) learntDocument {
	span := tablesSpan(tables)
	d := learntDocument{
		SchemaVersion: learnSchema, From: endDocument(p.From), To: endDocument(p.To), Complete: p.Complete,
		ReadFrom: stampText(span.From), ReadTo: stampText(span.To),
		Evidence: cleaned(p.Evidence), Unknown: cleaned(p.Unknown), Warnings: cleaned(p.Warnings), Hops: []learntHop{},
	}
	for _, h := range p.Hops {
		d.Hops = append(d.Hops, learntHop{
			Device: report.Clean(h.Device), Others: cleaned(h.Others), Undecided: h.Undecided, Unwatched: h.Unwatched,
			In: notEmpty(report.Clean(h.In)), Out: notEmpty(report.Clean(h.Out)), InMembers: cleaned(h.InMembers), OutMembers: cleaned(h.OutMembers), Beside: cleaned(h.Beside), Evidence: cleaned(h.Evidence),
		})
	}
	d.Site.Hops = [][]string{}
	for _, h := range siteHops(p) {
		d.Site.Hops = append(d.Site.Hops, cleaned(h))
	}
	_, ports := sitePorts(p, tables)
	d.Site.Ports = map[string][]string{}
	for name, list := range ports {
		d.Site.Ports[report.Clean(name)] = cleaned(list)
	}
	return d
}

func endDocument(e correlate.PathEnd) learntEnd {
	out := learntEnd{Name: report.Clean(e.Name), MAC: notEmpty(e.MAC)}
	if e.IP.IsValid() {
		out.IP = notEmpty(e.IP.String())
	}
	return out
}
