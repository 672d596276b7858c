package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"whydrop/cmd/internal/report"
)

// watchFor is how long the watch of the failover runs: the tree needs 4 s, the flow comes back at its retransmission
// timer's 12.6 s.
const watchFor = 34 * time.Second

// agreement is how far an outage may differ from the capture at the receiver.
const agreement = 100 * time.Millisecond

func TestASpanningTreeMoveToTheOtherFirewallIsExplained(t *testing.T) {
	c := newCampus(t)
	c.start("b", "serve.log", nil, c.whydrop, "serve", "--listen", addressB, "-p", "5201")
	segments := c.capture("segments", "tcp dst port 5201 and greater 600")
	beats := c.capture("heartbeats", "udp dst port 5202")

	done := make(chan report.Document, 1)
	go func() { done <- c.watch() }()
	time.Sleep(10 * time.Second)
	moved := time.Now()
	c.in("swb", "bridge", "link", "set", "dev", "p1", "cost", "400")
	c.eventually(10*time.Second, "the tree to move", func() bool { return c.portState("swb", "p2") == "3" })
	time.Sleep(3 * time.Second)
	c.pickUp("fw2", true)

	doc := <-done
	if doc.Verdict != report.VerdictFound || len(doc.Findings) == 0 {
		t.Fatalf("verdict %s with %d findings; problems: %v", doc.Verdict, len(doc.Findings), doc.Problems)
	}
	f := doc.Findings[0]
	if want := []string{"stp-reconvergence", "firewall-failover"}; !slices.Equal(f.Chain, want) {
		t.Errorf("chain: got %v, want %v\n%s", f.Chain, want, f.Summary)
	}
	if want := (report.PortName{Device: "swb", Port: "p1"}); f.Subject != want {
		t.Errorf("subject: got %v, want %v", f.Subject, want)
	}
	if from := f.Span.From; from == nil || from.Sub(moved).Abs() > 2*time.Second {
		t.Errorf("begins at %v, the cost was changed at %v", from, moved)
	}
	compare(t, doc, "tcp", segments())
	compare(t, doc, "heartbeat", beats())
}

// compare holds the longest outage of a kind against the longest gap in a capture at the receiver.
func compare(t *testing.T, doc report.Document, seenBy string, times []time.Time) {
	t.Helper()
	from, to := longestGap(times)
	if to.Sub(from) < time.Second {
		t.Fatalf("%s: the capture's longest gap is only %v (%d packets)", seenBy, to.Sub(from), len(times))
	}
	var best *report.Outage
	for i, o := range doc.Outages {
		if o.SeenBy == seenBy && (best == nil || o.DurationMS > best.DurationMS) {
			best = &doc.Outages[i]
		}
	}
	if best == nil {
		t.Fatalf("%s: no outage; the capture has a gap of %v", seenBy, to.Sub(from))
	}
	got, want := time.Duration(best.DurationMS*1e6), to.Sub(from)
	t.Logf("%s outage: %v, in the capture %v", seenBy, got, want)
	if (got - want).Abs() > agreement {
		t.Errorf("%s outage: got %v, want %v", seenBy, got, want)
	}
	if best.From.Sub(from).Abs() > agreement {
		t.Errorf("%s outage: begins %v from the capture's gap", seenBy, best.From.Sub(from))
	}
}

// watch runs the program under test at a and returns its report.
func (c *campus) watch() report.Document {
	site := filepath.Join(c.dir, "site.yaml")
	text := "site: lab\ndevices:\n"
	for _, d := range []struct{ name, role, peer, ports string }{
		{"swa", "switch", "", "p1, p2, p3"}, {"swb", "switch", "", "p1, p2, p3"},
		{"fw1", "firewall", "fw2", "in, out"}, {"fw2", "firewall", "fw1", "in, out"},
	} {
		text += fmt.Sprintf("  - {name: %s, address: %s, role: %s, peer: %q, snmp: {version: 2c, community: env:LAB_COMMUNITY}, ports: [%s]}\n",
			d.name, managed[d.name], d.role, d.peer, d.ports)
	}
	text += "paths:\n  - name: a-b\n    hops: [swa, [fw1, fw2], swb]\n    probe: {to: " + addressB + ", rate: 20M}\n"
	if err := os.WriteFile(site, []byte(text), 0o600); err != nil {
		c.t.Error(err)
		return report.Document{}
	}
	cmd := exec.Command("ip", "netns", "exec", nsPrefix+"a", c.whydrop, "watch", "-f", site, "--for", watchFor.String(),
		"--session", filepath.Join(c.dir, "session.whydrop"), "--format", "json")
	cmd.Env = append(os.Environ(), "LAB_COMMUNITY="+community)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var doc report.Document
	if jerr := json.Unmarshal(out, &doc); jerr != nil {
		c.t.Errorf("watch: %v; its output is no report: %v\n%s", err, jerr, out)
	}
	return doc
}
