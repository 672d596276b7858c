// Package report turns a diagnosis into documents: one [Document], then one file per format.
//
// The document is the product's stable output; its JSON form carries schema_version. Absent values are null,
// lists never are. Times are RFC 3339 in UTC.
package report

import (
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// SchemaVersion is the version of the JSON form. It grows when a field changes its meaning or goes away.
const SchemaVersion = 1

// The verdicts of a document.
const (
	VerdictFound      = "found"       // a finding holds
	VerdictSuspected  = "suspected"   // none holds, one is suspected
	VerdictCannotTell = "cannot-tell" // something needed could not be read
	VerdictHealthy    = "healthy"     // looked at, and nothing found
)

// Document is one report.
type Document struct {
	SchemaVersion int        `json:"schema_version"`
	Verdict       string     `json:"verdict"`
	Headline      string     `json:"headline"` // one line for a ticket's subject
	Site          string     `json:"site"`
	Span          Span       `json:"span"`     // what the report covers
	Findings      []Finding  `json:"findings"` // best first
	Outages       []Outage   `json:"outages"`  // in order of time
	Tests         []Test     `json:"tests"`    // that ended, in order of their end
	Examined      []Examined `json:"examined"` // every series and what it was good for
	Inputs        []Block    `json:"inputs"`   // what analyze recognised; empty for a live report
	Problems      []string   `json:"problems"` // devices, probes or files that could not be read
	Warnings      []string   `json:"warnings"` // relaxed security, untrusted clocks, wide clear-text
	Notes         []string   `json:"notes"`    // how it was come by: how an investigation ended, what was assumed
	Session       *string    `json:"session"`  // where the recording lies
	Paths         []PathNote `json:"paths"`

	// Snapshot and Topology are what the charts are drawn from; they are not part of the JSON form.
	Snapshot timeline.Snapshot  `json:"-"`
	Topology correlate.Topology `json:"-"`
}

// Span is a stretch of time.
type Span struct {
	From *time.Time `json:"from"`
	To   *time.Time `json:"to"`
}

// Finding is one diagnosis.
type Finding struct {
	ID         string     `json:"id"`    // = Chain[0]
	Chain      []string   `json:"chain"` // root first
	Title      string     `json:"title"`
	Verdict    string     `json:"verdict"`
	Confidence float64    `json:"confidence"`
	Fault      bool       `json:"fault"`
	Subject    PortName   `json:"subject"`
	Span       Span       `json:"span"`
	Summary    string     `json:"summary"`
	Evidence   []Evidence `json:"evidence"`
	Against    []string   `json:"against"`
	Missing    []string   `json:"missing"`
	Next       []string   `json:"next"`
	Failovers  []Failover `json:"failovers"` // interruptions in which something took over, taken apart, in order of time
}

// PortName names a port, or a device or host if Port is "".
type PortName struct {
	Device string `json:"device"`
	Port   string `json:"port"`
}

// Evidence is one figure or event.
type Evidence struct {
	Source string   `json:"source"`
	Device string   `json:"device"`
	Port   string   `json:"port"`
	Metric string   `json:"metric"`
	Value  *float64 `json:"value"`
	Unit   string   `json:"unit"`
	Span   Span     `json:"span"`
	Text   string   `json:"text"`
}

// Outage is one stretch without delivery.
type Outage struct {
	From       time.Time `json:"from"`
	To         time.Time `json:"to"`
	DurationMS float64   `json:"duration_ms"`
	Direction  string    `json:"direction"` // forward, reverse, both
	SeenBy     string    `json:"seen_by"`   // heartbeat, tcp
	Path       string    `json:"path"`
	BackoffMS  *float64  `json:"backoff_ms"` // tcp: the part spent waiting for the retransmission timer
	Lost       *int64    `json:"lost"`       // heartbeat: how many were lost
	Open       bool      `json:"open"`       // it had not ended when the report was written
}

// Examined says what was looked at, so that "healthy" can be believed.
type Examined struct {
	Device  string         `json:"device"` // "" for a path or host
	Port    string         `json:"port"`   // the path's or host's name if Device is ""
	Metric  string         `json:"metric"`
	Samples int            `json:"samples"`
	Gaps    int            `json:"gaps"`
	OnPath  bool           `json:"on_path"`
	Events  int            `json:"events"` // only in the row whose metric is "events"
	Min     *float64       `json:"min"`
	Max     *float64       `json:"max"`
	Unit    string         `json:"unit"`
	Reasons map[string]int `json:"reasons"` // why readings are missing: reason to count
}

// Block is one piece of text that analyze looked at.
type Block struct {
	Where string `json:"where"` // file:line
	Kind  string `json:"kind"`  // iperf2, iperf3-text, iperf3-json, show-interfaces, syslog, rate-list, ping, session, prose
	What  string `json:"what"`  // what it shows, in one sentence
}

// PathNote is one probed path.
type PathNote struct {
	Name string     `json:"name"`
	To   string     `json:"to"`
	Hops [][]string `json:"hops"`
}

// Input is what a document is made of.
type Input struct {
	Topology  correlate.Topology
	Snapshot  timeline.Snapshot
	Diagnoses []rules.Diagnosis
	Blocks    []Block
	Problems  []string
	Warnings  []string
	Notes     []string
	Session   string // path of the recording; "" if there is none
	Undated   bool   // the times in Snapshot are made up: the document covers none
	// BlindPaths and such are told by the diagnoses; nothing here is guessed.
}
