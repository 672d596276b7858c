package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/report/reporttest"
)

// A kind is what a value of the JSON form may be: "string", "number", "bool", "time", one of some words, with a
// "?" before it if it may be null. An object is a schema, a list is a []any of one element.
type schema map[string]any

var span = schema{"from": "?time", "to": "?time"}

// contract is the JSON form, written down a second time on purpose: a field that changes or goes away breaks
// those who read our reports, and must fail here.
var contract = schema{
	"schema_version": "number",
	"verdict":        "found|suspected|cannot-tell|healthy",
	"headline":       "string",
	"site":           "string",
	"span":           span,
	"findings": []any{schema{
		"id": "string", "chain": []any{"string"}, "title": "string",
		"verdict": "holds|suspected|cannot-tell", "confidence": "number", "fault": "bool",
		"subject": schema{"device": "string", "port": "string"},
		"span":    span, "summary": "string",
		"evidence": []any{schema{
			"source": "?string", "device": "string", "port": "string", "metric": "string",
			"value": "?number", "unit": "?string", "span": span, "text": "?string",
		}},
		"against": []any{"string"}, "missing": []any{"string"}, "next": []any{"string"},
		"failovers": []any{schema{
			"path": "string", "from": "time", "to": "time",
			"apart": []any{schema{
				"seen_by": "heartbeat|tcp", "direction": "forward|reverse|both", "from": "time", "to": "time", "duration_ms": "number",
				"parts": []any{schema{
					"terms": []any{"string"}, "from": "time", "to": "time", "duration_ms": "number", "error_ms": "number",
					"at_least": "bool", "at_most": "bool", "longest": "bool",
				}},
			}},
		}},
	}},
	"outages": []any{schema{
		"from": "time", "to": "time", "duration_ms": "number", "direction": "forward|reverse|both",
		"seen_by": "heartbeat|tcp", "path": "string", "backoff_ms": "?number", "lost": "?number", "open": "bool",
	}},
	"tests": []any{schema{
		"from": "time", "to": "time", "path": "string", "experiment": "string", "proto": "string", "direction": "string",
		"rate_bps": "?number", "offered_bps": "?number", "loss_ratio": "?number", "retransmits": "?number", "rtt_ms": "?number", "text": "string",
	}},
	"examined": []any{schema{
		"device": "string", "port": "string", "metric": "string", "samples": "number", "gaps": "number",
		"on_path": "bool", "events": "number", "min": "?number", "max": "?number", "unit": "?string", "reasons": "counts",
	}},
	"inputs":   []any{schema{"where": "string", "kind": "string", "what": "string"}},
	"problems": []any{"string"},
	"warnings": []any{"string"}, "notes": []any{"string"},
	"session": "?string",
	"paths":   []any{schema{"name": "string", "to": "string", "hops": []any{[]any{"string"}}}},
}

// breaches lists where v differs from what the schema asks for.
func breaches(where string, want, v any) []string {
	switch want := want.(type) {
	case schema:
		return objectBreaches(where, want, v)
	case []any:
		l, ok := v.([]any)
		if !ok {
			return []string{fmt.Sprintf("%s: got %v, want a list", where, v)}
		}
		var out []string
		for i, e := range l {
			out = append(out, breaches(fmt.Sprintf("%s[%d]", where, i), want[0], e)...)
		}
		return out
	case string:
		if !valueFits(want, v) {
			return []string{fmt.Sprintf("%s: got %v, want %s", where, v, want)}
		}
	}
	return nil
}

func objectBreaches(where string, want schema, v any) []string {
	o, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s: got %v, want an object", where, v)}
	}
	var out []string
	for k, w := range want {
		e, ok := o[k]
		if !ok {
			out = append(out, where+"."+k+": missing")
			continue
		}
		out = append(out, breaches(where+"."+k, w, e)...)
	}
	for k := range o {
		if _, ok := want[k]; !ok {
			out = append(out, where+"."+k+": not in the contract")
		}
	}
	return out
}

func valueFits(kind string, v any) bool {
	if null, ok := strings.CutPrefix(kind, "?"); ok {
		return v == nil || valueFits(null, v)
	}
	s, isString := v.(string)
	switch kind {
	case "string":
		return isString
	case "time":
		t, err := time.Parse(time.RFC3339Nano, s)
		return err == nil && strings.HasSuffix(s, "Z") && !t.IsZero()
	case "number":
		_, ok := v.(float64)
		return ok
	case "bool":
		_, ok := v.(bool)
		return ok
	case "counts":
		o, ok := v.(map[string]any)
		for _, n := range o {
			_, isNumber := n.(float64)
			ok = ok && isNumber
		}
		return ok
	}
	return isString && slices.Contains(strings.Split(kind, "|"), s)
}

func decode(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestJSONKeepsItsContract(t *testing.T) {
	for _, c := range reporttest.Cases() {
		if c.Name == "hostile" {
			continue // its directions are made up, see the test below
		}
		for _, b := range breaches("$", contract, decode(t, write(t, "json", document(c)))) {
			t.Errorf("%s: %s", c.Name, b)
		}
	}
}

func TestTheContractNoticesDrift(t *testing.T) {
	tests := []struct {
		name   string
		change func(map[string]any)
		want   string
	}{
		{"a key is gone", func(d map[string]any) { delete(d, "outages") }, "$.outages: missing"},
		{"a key is new", func(d map[string]any) { d["extra"] = 1.0 }, "$.extra: not in the contract"},
		{"a list is null", func(d map[string]any) { d["problems"] = nil }, "$.problems: got <nil>, want a list"},
		{"a verdict nobody knows", func(d map[string]any) { d["verdict"] = "maybe" }, "$.verdict: got maybe, want found|suspected|cannot-tell|healthy"},
		{"a time with an offset", func(d map[string]any) { d["span"].(map[string]any)["to"] = "2026-03-01T14:02:31+01:00" }, "$.span.to: got 2026-03-01T14:02:31+01:00, want ?time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := decode(t, write(t, "json", document(reporttest.Failover())))
			tt.change(v.(map[string]any))
			if got := breaches("$", contract, v); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAnEmptyDocumentHasNoNullList(t *testing.T) {
	raw, err := report.EncodeJSON([]report.Document{{Findings: []report.Finding{{}}, Examined: []report.Examined{{}}, Paths: []report.PathNote{{Hops: [][]string{nil}}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range breaches("$", []any{contract}, decode(t, raw)) {
		if strings.Contains(b, "list") || strings.Contains(b, "missing") || strings.Contains(b, "reasons") {
			t.Error(b)
		}
	}
}

func TestJSONShowsNothingThatActs(t *testing.T) {
	d := document(reporttest.Hostile())
	d.Site = reporttest.Evil // as if somebody had forgotten to clean it
	raw := write(t, "json", d)
	for _, r := range string(raw) {
		if r != '\n' && (!unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r)) {
			t.Errorf("%U stands in the JSON", r)
		}
	}
	var back report.Document
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if want := strings.ToValidUTF8(reporttest.Evil, "\ufffd"); back.Site != want {
		t.Errorf("got back %q, want %q", back.Site, want)
	}
}

func TestJSONRoundTrips(t *testing.T) {
	want := write(t, "json", document(reporttest.Failover()))
	var d report.Document
	if err := json.Unmarshal(want, &d); err != nil {
		t.Fatal(err)
	}
	if got := write(t, "json", d); !bytes.Equal(got, want) {
		t.Errorf("a document that was read back is written differently:\n%s", got)
	}
}
