package rules

import (
	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// Verdict says how much a finding claims.
type Verdict string

// The verdicts of a finding, strongest first.
const (
	Holds      Verdict = "holds"       // the evidence is there, and what would speak against it was looked at
	Suspected  Verdict = "suspected"   // it fits, but a reading or a repetition is missing
	CannotTell Verdict = "cannot-tell" // something happened and the reading that would explain it is missing
)

// Diagnosis is one finding: a chain of causes, root first, and why we say so.
type Diagnosis struct {
	Chain      []string         // cause ids of the catalogue, root first; never empty
	Title      string           // the root cause in words, e.g. "Spanning tree moved the path"
	Verdict    Verdict          //
	Confidence float64          // 0-1: how often findings argued like this one were right, see reliability.go
	Argued     float64          // 0-1, argued from evidence for and against: findings are ordered by it
	Fault      bool             // false: it explains what was seen, but nothing is broken (link-saturated)
	Subject    timeline.Subject // what to look at first: a port, a device, a host or the path
	Span       timeline.Span    // from the root event to the end of the last consequence, over all occurrences
	Summary    string           // one to three sentences a NOC can act on
	Evidence   []Evidence       // for it, strongest first
	Against    []string         // what speaks against it, or which other cause was considered and why not
	Missing    []string         // readings that would settle it
	Next       []string         // what to do, first thing first
	Events     []timeline.Event // the device events it rests on, in order of time
	Outages    []timeline.Event // the outages it explains, in order of time

	// Failovers are those of the outages in which something took over, taken apart, in order of time.
	Failovers []correlate.Failover
}

// ID returns the root cause's id.
func (d Diagnosis) ID() string { return d.Chain[0] }

// Evidence is one figure or event that a finding rests on.
type Evidence struct {
	Source  string           // where it was read: "snmp:sw1", "ssh:sw1", "stamp:a-b", "iperf3:a-b"
	Subject timeline.Subject //
	Metric  string           // a metric's id or an event's type
	Value   *float64         // in Unit; nil for an event or a figure that is not known
	Unit    string           //
	Span    timeline.Span    //
	Text    string           // the figure in words, or the device's own words
}
