package syslog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus is where other projects' log lines lie beside the checkout. They are read in place.
const corpus = "../../../shared/corpus/syslog"

func lines(t *testing.T, pattern string) map[string][]string {
	t.Helper()
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("no corpus beside the checkout")
	}
	files, err := filepath.Glob(filepath.Join(corpus, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no lines in %s: %v", pattern, err)
	}
	out := map[string][]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			line = strings.TrimRight(line, "\r\n")
			if _, pass, ok := strings.Cut(line, " pass = "); ok {
				line = pass
			} else if strings.HasSuffix(file, ".ini") {
				continue
			}
			if strings.TrimSpace(line) != "" {
				out[file] = append(out[file], line)
			}
		}
	}
	return out
}

// TestCorpusOfCisco reads every line of Cisco's platforms: each has its message's name, and a time if it holds
// one.
func TestCorpusOfCisco(t *testing.T) {
	n := 0
	for file, list := range lines(t, "cisco_*/*.[lmi][osn][ggi]") {
		for _, line := range list {
			n++
			l := Parse(line, received)
			if l.Text != line {
				t.Errorf("%s: text %q", filepath.Base(file), l.Text)
			}
			if strings.Contains(line, "%") && l.Mnemonic == "" {
				t.Errorf("%s: no name in %q", filepath.Base(file), line)
			}
			dated := strings.ContainsAny(line[:min(len(line), 40)], ":") && hasMonth(line[:min(len(line), 60)])
			if dated && !l.Time.OK {
				t.Errorf("%s: no time in %q", filepath.Base(file), line)
			}
			if strings.Contains(line, "changed state to") && (l.Port == "" || l.Attrs["to"] == "") {
				t.Errorf("%s: port %q, %v in %q", filepath.Base(file), l.Port, l.Attrs, line)
			}
			if strings.Contains(line, "*M") && l.Clock != "*" {
				t.Errorf("%s: clock %q in %q", filepath.Base(file), l.Clock, line)
			}
		}
	}
	t.Logf("%d lines", n)
}

func hasMonth(s string) bool {
	for m := range months {
		if strings.Contains(s, m+" ") {
			return true
		}
	}
	return false
}

// TestCorpusAsOthersReadIt compares with what another parser reads in the header and the interface.
func TestCorpusAsOthersReadIt(t *testing.T) {
	n := 0
	for file, list := range lines(t, "cisco_ios/*.msg") {
		b, err := os.ReadFile(strings.TrimSuffix(file, ".msg") + ".json")
		if err != nil {
			continue
		}
		var want struct {
			Details struct {
				Severity           int
				Tag, Time, Date    string
				Message            string
				Pri                string
				Milliseconds, Host any
			} `json:"message_details"`
		}
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
		l := Parse(list[0], received)
		d := want.Details
		n++
		if got := fmt.Sprintf("%s-%d-%s", l.Facility, l.Severity.Value, l.Mnemonic); got != d.Tag {
			t.Errorf("%s: %s, want %s", filepath.Base(file), got, d.Tag)
		}
		if !strings.HasSuffix(l.Message, strings.TrimSpace(d.Message)) { // it cuts "Process 1, " off
			t.Errorf("%s: message %q, want %q", filepath.Base(file), l.Message, d.Message)
		}
		if date := strings.Join(strings.Fields(d.Date), " ") + " " + d.Time; !strings.Contains(list[0], "MEST") && l.Time.Value.Format("Jan 2 15:04:05") != date {
			t.Errorf("%s: time %v, want %s", filepath.Base(file), l.Time, date)
		}
	}
	t.Logf("%d lines", n)
}

// TestCorpusOfAllVendors: no line of any vendor is lost.
func TestCorpusOfAllVendors(t *testing.T) {
	n := 0
	for _, list := range lines(t, "*/*.[lmi][osn][ggi]") {
		for _, line := range list {
			n++
			if l := Parse(line, received); l.Text != line || l.Message == "" {
				t.Errorf("line %+v", l)
			}
		}
	}
	t.Logf("%d lines", n)
}
