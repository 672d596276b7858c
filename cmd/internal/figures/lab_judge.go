package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/rules"
)

// labTruthFile is where the laboratory notes what was done.
const labTruthFile = "/run/rstplab/truth.json"

// labTruth is what the laboratory notes of one fault.
type labTruth struct {
	Fault  string
	Params map[string]string
	Start  float64  // seconds since 1970
	End    float64  // likewise
	Chain  []string // the finding expected, root first; empty: nothing is wrong
	Device string   // "" if no device shows it
	IfName string   // as the device spells it; "cpu" of a host
	Events []struct {
		What    string
		Packets int
	}
}

// lastTruth reads the newest entry of the laboratory's truth.
func lastTruth() (labTruth, error) {
	b, err := os.ReadFile(labTruthFile)
	if err != nil {
		return labTruth{}, err
	}
	var all []labTruth
	if err := json.Unmarshal(b, &all); err != nil {
		return labTruth{}, fmt.Errorf("%s: %w", labTruthFile, err)
	}
	if len(all) == 0 {
		return labTruth{}, fmt.Errorf("%s: no fault is noted", labTruthFile)
	}
	return all[len(all)-1], nil
}

// String is the truth in one line.
func (t labTruth) String() string {
	where := strings.TrimSpace(t.Device + " " + t.IfName)
	if t.Device == "" {
		where = "no device"
	}
	if len(t.Chain) == 0 {
		return "nothing is wrong"
	}
	return strings.Join(t.Chain, " > ") + " at " + where
}

// labDevices are those that a finding can blame.
var labDevices = []string{"acc", "swA", "swB", "fw1", "fw2"}

// above are the findings that claim something: those that hold and tell of a fault.
func above(d report.Document) []report.Finding {
	return slices.DeleteFunc(slices.Clone(d.Findings), func(f report.Finding) bool { return f.Verdict != string(rules.Holds) || !f.Fault })
}

// chainRight says whether the first finding is the truth's chain. What loses packets and leaves no evidence in any device
// may also be given up on; a healthy run may be suspected of something.
func (r labRun) chainRight() bool {
	switch first := r.first(); {
	case r.fault.healthy():
		return len(above(r.found)) == 0
	case slices.Equal(r.truth.Chain, []string{"silent-drop"}) && first.Verdict == string(rules.CannotTell):
		return true
	case r.truth.Fault == "linkflap" && len(first.Chain) == 1: // the spanning tree that a flap moves is a consequence, and may be left out
		return first.Chain[0] == r.truth.Chain[0]
	default:
		return slices.Equal(first.Chain, r.truth.Chain)
	}
}

// first is the first finding, or where there is none one with the document's verdict.
func (r labRun) first() report.Finding {
	if len(r.found.Findings) > 0 {
		return r.found.Findings[0]
	}
	return report.Finding{Verdict: r.found.Verdict}
}

// placeRight says whether the first finding names the truth's device and port, and where no device shows anything whether
// none is blamed.
func (r labRun) placeRight() bool {
	at := r.first().Subject
	switch {
	case r.fault.healthy():
		return r.chainRight()
	case r.truth.Device == "":
		return !slices.ContainsFunc(r.found.Findings, func(f report.Finding) bool { return slices.Contains(labDevices, f.Subject.Device) })
	case r.truth.Fault == "hostcpu":
		return at == report.PortName{Device: farAddress}
	default:
		return at == report.PortName{Device: r.truth.Device, Port: r.truth.IfName}
	}
}

// unharmed says whether the fault was over before traffic noticed: a move of the spanning tree through firewalls without
// state takes a round trip or two. Then there is nothing to find, though what is found must be right.
func (r labRun) unharmed() bool {
	return r.truth.Params["state"] == "off" && r.truth.Params["fwlearn"] != "on" && r.longest < 200*time.Millisecond && len(r.found.Findings) == 0
}
