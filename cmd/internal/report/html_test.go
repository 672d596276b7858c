package report_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"whydrop/cmd/internal/report/reporttest"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// elements returns every element of the page with its attributes.
func elements(t *testing.T, page []byte) []*html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			out = append(out, n)
		}
	}
	return out
}

func TestThePageFetchesAndRunsNothing(t *testing.T) {
	forbidden := []string{"script", "img", "a", "iframe", "object", "embed", "link", "base", "form", "input", "image", "use", "foreignobject", "audio", "video"}
	for _, c := range reporttest.Cases() {
		csp := false
		for _, n := range elements(t, write(t, "html", document(c))) {
			if slices.Contains(forbidden, strings.ToLower(n.Data)) {
				t.Errorf("%s: the page has a %s element", c.Name, n.Data)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "href" || a.Key == "src" {
					t.Errorf("%s: the page has the attribute %s=%q", c.Name, a.Key, a.Val)
				}
				csp = csp || a.Key == "content" && a.Val == "default-src 'none'; style-src 'unsafe-inline'"
			}
		}
		if !csp {
			t.Errorf("%s: the page has no content security policy", c.Name)
		}
	}
}

func TestHostileTextMakesNoElement(t *testing.T) {
	count := func(evil bool) map[string]int {
		c := reporttest.Hostile()
		d := document(c)
		if !evil {
			d.Headline, d.Site = "x", "x"
		}
		n := map[string]int{}
		for _, e := range elements(t, write(t, "html", d)) {
			n[e.Data]++
		}
		return n
	}
	want, got := count(false), count(true)
	for tag := range got {
		if got[tag] != want[tag] {
			t.Errorf("%s: got %d, want %d", tag, got[tag], want[tag])
		}
	}
}

func TestTheChartMarksOutagesAndEventsOnItsTimeAxis(t *testing.T) {
	page := string(write(t, "html", document(reporttest.Failover())))
	for what, want := range map[string]int{
		`<rect class="dark"`: 2, `<rect class="stall"`: 2, `<circle class="m off"`: 2, `<circle class="m ev"`: 7,
		`<path class="l fwd"`: 1, `<path class="l loss"`: 1, `<text class="len"`: 4,
	} {
		if got := strings.Count(page, what); got != want {
			t.Errorf("%s: got %d, want %d", what, got, want)
		}
	}
}

func TestWhatIsNotKnownIsNoCurve(t *testing.T) {
	s := &timeline.Store{}
	put := func(from, to, v float64) {
		s.Put(timeline.Sample{Subject: timeline.Path("p"), Metric: timeline.GoodputForward, Span: timeline.Span{From: reporttest.At(from), To: reporttest.At(to)}, Value: v})
	}
	put(0, 10, 1e6)
	put(50, 60, 1e6)
	page := string(write(t, "html", document(reporttest.Case{Topology: correlate.Topology{Paths: []correlate.Path{{Name: "p"}}}, Store: s})))
	_, line, ok := strings.Cut(page, `<path class="l fwd" d="`)
	if !ok {
		t.Fatal("no curve")
	}
	line, _, _ = strings.Cut(line, `"`)
	if got := strings.Count(line, "M"); got != 2 {
		t.Errorf("got %d pieces of curve, want 2: %s", got, line)
	}
}

func TestAStormStaysReadable(t *testing.T) {
	c := reporttest.Nothing()
	for i := range 20000 {
		at := timeline.Span{From: reporttest.At(float64(i) / 300), To: reporttest.At(float64(i)/300 + 0.001)}
		c.Store.Put(timeline.Event{Subject: timeline.Path("a-b"), Type: timeline.EventOutage, Span: at, Attrs: map[string]string{"direction": "both", "seen_by": "heartbeat"}})
		c.Store.Put(timeline.Event{Subject: timeline.Device("dist-a"), Type: timeline.EventSyslog, Span: at, Text: "again"})
	}
	d := document(c)
	for format, limit := range map[string]int{"html": 700 << 10, "md": 30 << 10, "text": 10 << 10} {
		raw := write(t, format, d)
		if len(raw) > limit || !strings.Contains(string(raw), "more") {
			t.Errorf("%s: got %d bytes, want at most %d, and a word about the rest", format, len(raw), limit)
		}
	}
}
