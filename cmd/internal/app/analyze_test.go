package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whydrop/cmd/internal/report"
)

// expect is what a document must say.
type expect struct {
	verdict string
	exit    int
	chain   string   // of the first finding, "a > b"; "" if there is none
	first   string   // its verdict
	subject string   // "device port"
	fault   bool     // of the first finding
	has     []string // further findings, "id verdict"
	never   []string // ids that must not be found or suspected
	says    []string // anywhere in the text report
}

func (e expect) check(t *testing.T, doc report.Document) {
	t.Helper()
	if doc.Verdict != e.verdict {
		t.Errorf("verdict %s, want %s", doc.Verdict, e.verdict)
	}
	if got := CodeForDocument(doc); got != e.exit {
		t.Errorf("exit code %d, want %d", got, e.exit)
	}
	var all []string
	for _, f := range doc.Findings {
		all = append(all, f.ID+" "+f.Verdict)
	}
	if len(doc.Findings) == 0 {
		if e.chain != "" {
			t.Errorf("nothing found, want %s", e.chain)
		}
	} else if f := doc.Findings[0]; strings.Join(f.Chain, " > ") != e.chain || f.Verdict != e.first || f.Fault != e.fault || e.subject != "" && f.Subject.String() != e.subject {
		t.Errorf("first finding %s %s of %q, fault %v; want %s %s of %q, fault %v; all: %q", strings.Join(f.Chain, " > "), f.Verdict, f.Subject, f.Fault, e.chain, e.first, e.subject, e.fault, all)
	}
	for _, h := range e.has {
		if !slices.Contains(all, h) {
			t.Errorf("no finding %q among %q", h, all)
		}
	}
	for _, f := range doc.Findings {
		if slices.Contains(e.never, f.ID) && f.Verdict != "cannot-tell" {
			t.Errorf("%s is %s", f.ID, f.Verdict)
		}
	}
	var b strings.Builder
	if err := report.Text(&b, doc); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, s := range e.says {
		if !strings.Contains(text, s) {
			t.Errorf("the report does not say %q:\n%s", s, b.String())
		}
	}
	checkDocument(t, doc, b.String())
}

// checkDocument holds what is true of every document: it can be written in every format, its lists are there, and
// no byte of it acts on a terminal.
func checkDocument(t *testing.T, doc report.Document, text string) {
	t.Helper()
	for _, c := range text {
		if c < 0x20 && c != '\n' || c == 0x7f || c >= 0x80 && c <= 0x9f {
			t.Errorf("the text holds %q", c)
		}
	}
	for name, write := range report.Formats {
		var b strings.Builder
		if err := write(&b, doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "json" && (!json.Valid([]byte(b.String())) || strings.Contains(b.String(), `"inputs": null`) || strings.Contains(b.String(), `"findings": null`)) {
			t.Errorf("JSON: %.300s", b.String())
		}
	}
	for _, f := range doc.Findings {
		if f.Confidence < 0 || f.Confidence > 1 || f.Summary == "" || len(f.Next) == 0 || len(f.Evidence) == 0 {
			t.Errorf("finding %+v", f)
		}
		if f.Verdict == "suspected" && len(f.Missing) == 0 {
			t.Errorf("%s is suspected, and nothing is said to be missing", f.ID)
		}
	}
}

func TestAnalyzeExamples(t *testing.T) {
	devices := []string{"bad-cable", "oversubscription", "duplex-mismatch", "port-flap", "stp-reconvergence", "speed-fallback", "microburst"}
	for name, want := range map[string]expect{
		"two-snapshots-crc.txt": {verdict: "suspected", exit: 1, chain: "bad-cable", first: "suspected", fault: true, subject: "acc-sw2 GigabitEthernet1/0/7", never: []string{"oversubscription", "duplex-mismatch"},
			says: []string{"948", "within 10 min 00 s between the two snapshots", "the far end of the link"}},
		"syslog-flaps-de.txt":    {verdict: "found", exit: 1, chain: "port-flap > stp-reconvergence", first: "holds", fault: true, subject: "dist-1 GigabitEthernet1/0/12", says: []string{"3 times", "8 lines of the log of dist-1"}},
		"udp-loss-es.txt":        {verdict: "cannot-tell", exit: 3, chain: "silent-drop", first: "cannot-tell", fault: true, never: append(devices, "receiver-socket-buffer"), says: []string{"5590 of 43162", "half the rate"}},
		"window.json":            {verdict: "found", exit: 1, chain: "tcp-window", first: "holds", fault: true, never: devices, says: []string{"31.1 ms", "no segment was sent again"}},
		"window-and-ping-it.txt": {verdict: "suspected", exit: 1, chain: "tcp-window", first: "suspected", fault: true, never: devices, says: []string{"24.9 ms", "21.1 Mbit/s"}},
		"gigabit-at-100-de.txt": {verdict: "suspected", exit: 1, chain: "speed-fallback", first: "suspected", fault: true, never: []string{"link-saturated"},
			says: []string{"94.1 Mbit/s"}},
		"half-duplex.txt":         {verdict: "found", exit: 1, chain: "duplex-mismatch", first: "holds", fault: true, subject: "edge-3 FastEthernet0/4", never: []string{"bad-cable"}, says: []string{"1921"}},
		"drops-under-load-es.txt": {verdict: "suspected", exit: 1, chain: "oversubscription", first: "suspected", fault: true, subject: "core-1 GigabitEthernet1/1/4", never: []string{"bad-cable"}, says: []string{"89006"}},
		"udp-buffer-enlarged.txt": {verdict: "found", exit: 1, chain: "receiver-socket-buffer", first: "holds", fault: true, subject: "192.0.2.50", never: devices},
		"flows-fr.txt":            {verdict: "suspected", exit: 1, chain: "tcp-window", first: "suspected", fault: true, never: devices},
		"busy-receiver.txt":       {verdict: "found", exit: 1, chain: "host-limit", first: "holds", fault: true, subject: "192.0.2.2", never: append(devices, "tcp-window"), says: []string{"98.7 % of a core"}},
		"all-well.txt":            {verdict: "healthy", exit: 0, says: []string{"no errors and no drops"}},
		"old-totals.txt":          {verdict: "cannot-tell", exit: 3, chain: "bad-cable", first: "cannot-tell", fault: true, never: devices, says: []string{"a second show interfaces"}},
		"host-all-well.txt":       {verdict: "healthy", exit: 0},
		"ios-filtered-well.txt":   {verdict: "healthy", exit: 0},
		"vmstat-well.txt":         {verdict: "healthy", exit: 0},
		"ip-link-dropped.txt":     {verdict: "healthy", exit: 0},
		"aoscx-clean-de.txt":      {verdict: "healthy", exit: 0},
		"ios-old-crc.txt":         {verdict: "healthy", exit: 0, says: []string{"nothing bad was counted"}},
		"stall-pl.txt":            {verdict: "cannot-tell", exit: 3, chain: "silent-drop", first: "cannot-tell", fault: true, never: devices, says: []string{"nothing arrived for 3 s"}},
		"stall-and-log.txt": {verdict: "found", exit: 1, chain: "port-flap", first: "holds", fault: true, subject: "agg-2 GigabitEthernet1/0/24", never: []string{"tcp-window"},
			says: []string{"taken to lie on the measured path"}},
		"failover-fi.txt": {verdict: "suspected", exit: 1, chain: "firewall-failover", first: "suspected", fault: true, subject: "fw-b"},
	} {
		t.Run(name, func(t *testing.T) {
			want.check(t, Analyze([]string{filepath.Join("testdata/analyze", name)}, nil))
		})
	}
}

func TestAnalyzeSeeds(t *testing.T) {
	devices := []string{"bad-cable", "oversubscription", "duplex-mismatch", "port-flap", "stp-reconvergence", "speed-fallback", "microburst", "flow-control", "input-queue-overrun"}
	for name, want := range map[string]expect{
		"000_": {verdict: "found", exit: 1, chain: "tcp-window", first: "holds", fault: true, never: append(devices, "host-limit"), says: []string{`the row "1024MB: 931Mbps" is implausible`}},
		"001_": {verdict: "cannot-tell", exit: 3},
		"002_": {verdict: "suspected", exit: 1, chain: "tcp-window", first: "suspected", fault: true, never: devices, says: []string{"the round-trip time"}},
		"003_": {verdict: "found", exit: 1, chain: "link-saturated", first: "holds", fault: false, has: []string{"receiver-socket-buffer suspected"}, never: devices, says: []string{"941 Mbit/s", "621 of 634707"}},
		"004_": {verdict: "found", exit: 1, chain: "host-limit", first: "holds", fault: true, has: []string{"link-saturated holds"}, never: append(devices, "tcp-window"), says: []string{"tcp-window: run 8 reached 484 Mbit/s with the same window", "172 Mbit/s over a direct cable", "line of 100 Mbit/s is full"}},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := filepath.Glob("../../../../shared/seeds/" + name + "*")
			if err != nil || len(files) != 1 {
				t.Skip("not at hand")
			}
			want.check(t, Analyze(files, nil))
		})
	}
}

func TestAnalyzeFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	junk := filepath.Join(dir, "junk.bin")
	b := make([]byte, 200000)
	for i := range b {
		b[i] = byte(i * 7919 >> 3)
	}
	if err := os.WriteFile(junk, b, 0o600); err != nil {
		t.Fatal(err)
	}
	well := "testdata/analyze/all-well.txt"
	for name, c := range map[string]struct {
		files []string
		exit  int
		says  []string
	}{
		"missing":                     {[]string{filepath.Join(dir, "none")}, ExitNotMeasured, []string{"none"}},
		"a directory":                 {[]string{dir}, ExitNotMeasured, []string{"is a directory"}},
		"junk":                        {[]string{junk}, ExitNotMeasured, []string{"no text"}},
		"one of two missing, healthy": {[]string{well, filepath.Join(dir, "none")}, ExitPartial, []string{"no such file"}},
		"one of two missing, found":   {[]string{"testdata/analyze/window.json", filepath.Join(dir, "none")}, ExitFound, nil},
	} {
		doc := Analyze(c.files, nil)
		if got := CodeForDocument(doc); got != c.exit {
			t.Errorf("%s: exit code %d, want %d", name, got, c.exit)
		}
		js, err := report.EncodeJSON(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.says {
			if !strings.Contains(string(js), s) {
				t.Errorf("%s: nothing says %q", name, s)
			}
		}
	}
}

func TestAnalyzeReadsSeveralFilesAsOneCase(t *testing.T) {
	whole, err := os.ReadFile("testdata/analyze/two-snapshots-crc.txt")
	if err != nil {
		t.Fatal(err)
	}
	first, second, ok := strings.Cut(string(whole), "and later:")
	if !ok {
		t.Fatal("the example has changed")
	}
	dir := t.TempDir()
	a, b := filepath.Join(dir, "before.txt"), filepath.Join(dir, "after.txt")
	if err := os.WriteFile(a, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b, []byte(second), 0o600); err != nil {
		t.Fatal(err)
	}
	expect{verdict: "suspected", exit: 1, chain: "bad-cable", first: "suspected", fault: true, subject: "acc-sw2 GigabitEthernet1/0/7", says: []string{"948"}}.check(t, Analyze([]string{a, b}, nil))
}

func TestAnalyzeReadsRecordings(t *testing.T) {
	closed := "../../../testdata/sessions/v1/closed.session"
	doc := Analyze([]string{closed}, nil)
	if len(doc.Inputs) != 1 || doc.Inputs[0].Kind != "session" || doc.Session == nil || doc.Site != "lab" || len(doc.Problems) != 0 {
		t.Errorf("inputs %+v, session %v, site %q, problems %q", doc.Inputs, doc.Session, doc.Site, doc.Problems)
	}
	whole, err := os.ReadFile(closed)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.session")
	if err := os.WriteFile(cut, whole[:len(whole)-5000], 0o600); err != nil {
		t.Fatal(err)
	}
	doc = Analyze([]string{cut, "testdata/analyze/window.json"}, nil)
	if len(doc.Problems) == 0 || !strings.Contains(doc.Problems[0], "cut short") || len(doc.Findings) == 0 || doc.Findings[0].ID != "tcp-window" {
		t.Errorf("problems %q, findings %+v", doc.Problems, doc.Findings)
	}
}

func TestAnalyzeShowsHostileTextHarmlessly(t *testing.T) {
	evil := "\x1b]52;c;cm0gLXJm\x07\u202e<script>alert(1)</script>"
	text := "sw\x1b[2J#show interfaces\nGigabitEthernet0/1 is up, line protocol is up\n  Description: " + evil + "\n  MTU 1500 bytes, BW 1000000 Kbit\n  Full-duplex, 1000Mb/s\n" +
		"     10 packets input, 10 bytes, 0 no buffer\n" +
		"%LINK-3-UPDOWN: Interface " + evil + ", changed state to down\n- 1KB: 10Mbps" + evil + "\n- 2KB: 20Mbps\n- 4KB: 40Mbps\n[ 3] local 1.1.1.1 port 1 connected with 2.2.2.2 port 5001\n[ 3] 0.0-10.0 sec 10 MBytes 8.39 Mbits/sec\niperf3: error - " + evil + "\n"
	doc := Analyze([]string{"-"}, strings.NewReader(text))
	var b strings.Builder
	if err := report.Text(&b, doc); err != nil {
		t.Fatal(err)
	}
	checkDocument(t, doc, b.String())
}
