package app

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// cableSheet is one certificate with every text clean and every figure written, for the formats that people read.
type cableSheet struct {
	Number               int
	Name, A, B           string
	Verdict, Word, Sign  string // Word says besides whether it is of one direction
	Speed, Confidence    string
	Ways                 []cableRow
	Ends                 []cableEndRow
	Reasons, Notes, Olds []string
	First, Open          string
}

// cableRow is one direction.
type cableRow struct {
	Way                                    string // sw1 Gi1/0/1 → sw2 Gi1/0/2
	To                                     string
	Bits, Frames, Bad, BER, Interval       string
	Limit, Verdict, Sign, More, How, Share string
}

// cableEndRow is the state of one end.
type cableEndRow struct{ Name, Speed, Duplex, Offers, Media, Optics, Pairs, Flaps string }

// unknownText stands for what no device told.
const unknownText = "not known"

// cableSigns stand beside the verdicts: colour is never alone.
var cableSigns = map[correlate.CableVerdict]string{
	correlate.CablePass: "✔", correlate.CableWarn: "▲", correlate.CableFail: "✖", correlate.CableUndecided: "?", correlate.CableUnseen: "–",
}

func newCableSheet(i int, r correlate.CableResult) cableSheet {
	s := cableSheet{
		Number: i + 1, A: report.Clean(r.Link.EndName(0)), B: report.Clean(r.Link.EndName(1)),
		Verdict: string(r.Verdict), Sign: cableSigns[r.Verdict], Speed: "speed not known", Confidence: "–",
		Reasons: cleanAll(r.Reasons), Notes: cleanAll(r.Notes), First: report.Clean(r.First),
	}
	if s.Word = s.Verdict; r.OneSided() {
		s.Word += ", one direction"
	}
	s.Name = s.A + " – " + s.B
	if r.Speed > 0 {
		s.Speed = report.Speed(r.Speed)
	}
	if r.Confidence > 0 {
		s.Confidence = fmt.Sprintf("%.2f", r.Confidence)
	}
	for _, w := range r.Ways {
		s.Ways = append(s.Ways, newCableRow(r, w))
	}
	for e := range r.Ends {
		if e == 0 || r.Link.Both() {
			s.Ends = append(s.Ends, newCableEnd(r, e))
			s.Olds = append(s.Olds, oldCounts(r, e)...)
		}
	}
	return s
}

func cleanAll(list []string) []string {
	var out []string
	for _, t := range list {
		out = append(out, report.Clean(t))
	}
	return out
}

func newCableRow(r correlate.CableResult, w correlate.CableWay) cableRow {
	row := cableRow{
		Way: report.Clean(r.Link.EndName(1-w.To)) + " → " + report.Clean(r.Link.EndName(w.To)), To: report.Clean(r.Link.EndName(w.To)),
		Bits: "–", Frames: "–", Bad: "–", BER: "–", Interval: "–", Share: "–",
		Limit: fmt.Sprintf("%.0e", w.Pass), Verdict: string(w.Verdict), Sign: cableSigns[w.Verdict], More: "–",
	}
	if !w.Seen {
		return row
	}
	row.How = w.Method()
	row.Bits, row.Frames, row.Bad = bitsText(w.Bits), fmt.Sprintf("%.0f", w.Frames), fmt.Sprintf("%.0f", w.Bad)
	if ratio, low, high := w.FrameRatio(); !math.IsNaN(ratio) {
		row.Share = cableShare(w.Bad, ratio, low, high)
	}
	switch {
	case math.IsNaN(w.BER):
	case w.Bad == 0:
		row.BER, row.Interval = fmt.Sprintf("< %.1e", w.High), "0 … "+fmt.Sprintf("%.1e", w.High)
	default:
		row.BER, row.Interval = fmt.Sprintf("%.1e", w.BER), fmt.Sprintf("%.1e … %.1e", w.Low, w.High)
	}
	switch {
	case w.Settled:
		row.More = "decided"
	case w.MoreKnown:
		row.More = report.RoundLength(w.More)
	default:
		row.More = "out of reach"
	}
	return row
}

func cableShare(bad, ratio, low, high float64) string {
	if bad == 0 {
		return fmt.Sprintf("< %.1e", high)
	}
	return fmt.Sprintf("%.1e (%.1e … %.1e)", ratio, low, high)
}

// bitsText writes how many bits a direction carried.
func bitsText(n float64) string {
	for _, u := range []struct {
		of   float64
		name string
	}{{1e15, "Pbit"}, {1e12, "Tbit"}, {1e9, "Gbit"}, {1e6, "Mbit"}, {1e3, "kbit"}} {
		if n >= u.of {
			return fmt.Sprintf("%.4g %s", n/u.of, u.name)
		}
	}
	return fmt.Sprintf("%.0f bit", n)
}

func newCableEnd(r correlate.CableResult, i int) cableEndRow {
	e, f := r.Ends[i], r.Link.Facts[i]
	row := cableEndRow{Name: report.Clean(r.Link.EndName(i)), Speed: speedOr(e.Speed), Offers: speedOr(e.Offers), Duplex: unknownText, Media: report.Clean(f.Media), Flaps: unknownText}
	if e.Watched {
		row.Flaps = fmt.Sprint(e.Flaps)
	}
	switch e.Half {
	case 0:
		row.Duplex = "full"
	case 1:
		row.Duplex = "half"
	}
	if row.Media == "" {
		row.Media = unknownText
	}
	row.Optics = optics(e)
	var pairs []string
	for _, p := range f.Pairs {
		t := p.Pair + " " + p.Status
		if !math.IsNaN(p.Metres) {
			t += fmt.Sprintf(" %.0f m", p.Metres)
		}
		pairs = append(pairs, report.Clean(t))
	}
	if row.Pairs = strings.Join(pairs, ", "); row.Pairs == "" {
		row.Pairs = "none on record"
	}
	return row
}

func speedOr(v float64) string {
	if !(v > 0) {
		return unknownText
	}
	return report.Speed(v)
}

func optics(e correlate.CableEnd) string {
	one := func(word string, v, warn float64) string {
		switch {
		case math.IsNaN(v):
			return ""
		case math.IsNaN(warn):
			return fmt.Sprintf("%s %.1f dBm", word, v)
		}
		return fmt.Sprintf("%s %.1f dBm (warns below %.1f)", word, v, warn)
	}
	parts := slices.DeleteFunc([]string{one("receives", e.Rx, e.RxWarn), one("sends", e.Tx, e.TxWarn)}, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return "none read"
	}
	return strings.Join(parts, ", ")
}

// oldCounts says what an end's error counters stood at before the test.
func oldCounts(r correlate.CableResult, i int) []string {
	var parts []string
	for _, m := range []timeline.Metric{timeline.InErrors, timeline.InFCS, timeline.InAlignment, timeline.InSymbol, timeline.InStomped} {
		if n := r.Link.Facts[i].Old[m]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, report.MetricName(string(m))))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{report.Clean(r.Link.EndName(i)) + ": " + strings.Join(parts, ", ")}
}
