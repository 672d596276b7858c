package app

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// The shape of a certificate for programs. What is not known is null.
type (
	cableJSON struct {
		SchemaVersion int             `json:"schema_version"`
		Program       string          `json:"program"`
		Site          string          `json:"site"`
		From          time.Time       `json:"from"`
		To            time.Time       `json:"to"`
		Interrupted   bool            `json:"interrupted"`
		Traffic       string          `json:"traffic"`
		Method        string          `json:"method"`
		Links         []cableLinkJSON `json:"links"`
		Problems      []string        `json:"problems"`
		Warnings      []string        `json:"warnings"`
	}
	cableLinkJSON struct {
		Verdict    string         `json:"verdict"`
		Decided    bool           `json:"decided"`
		Confidence float64        `json:"confidence"`
		SpeedBPS   *float64       `json:"speed_bps"`
		PassBER    float64        `json:"pass_ber"`
		FailBER    float64        `json:"fail_ber"`
		Directions []cableWayJSON `json:"directions"`
		Ends       []cableEndJSON `json:"ends"`
		Reasons    []string       `json:"reasons"`
		First      string         `json:"look_first"`
		Notes      []string       `json:"notes"`
	}
	cableWayJSON struct {
		From        string   `json:"from"`
		To          string   `json:"to"`
		Verdict     string   `json:"verdict"`
		Decided     bool     `json:"decided"`
		Bits        *float64 `json:"bits"`
		Frames      *float64 `json:"frames"`
		BadFrames   *float64 `json:"bad_frames"`
		BER         *float64 `json:"ber"`
		BERLow      *float64 `json:"ber_low"`
		BERHigh     *float64 `json:"ber_high"`
		Seconds     float64  `json:"seconds"`
		MoreSeconds *float64 `json:"more_seconds"`
		Counter     string   `json:"counter"`
		Stomped     float64  `json:"stomped_not_counted"`
		Unexplained float64  `json:"input_errors_not_explained"`
		RefreshS    float64  `json:"refresh_s"`
	}
	cableEndJSON struct {
		Name       string            `json:"name"`
		Device     string            `json:"device"`
		Port       string            `json:"port"`
		SpeedBPS   *float64          `json:"speed_bps"`
		OffersBPS  *float64          `json:"offers_bps"`
		HalfDuplex *bool             `json:"half_duplex"`
		Media      string            `json:"media"`
		RxDBM      *float64          `json:"rx_dbm"`
		RxWarnDBM  *float64          `json:"rx_low_warn_dbm"`
		TxDBM      *float64          `json:"tx_dbm"`
		TxWarnDBM  *float64          `json:"tx_low_warn_dbm"`
		Flaps      *int              `json:"flaps"`
		Old        map[string]uint64 `json:"counters_before"`
		Pairs      []cablePairJSON   `json:"last_cable_test"`
	}
	cablePairJSON struct {
		Pair   string   `json:"pair"`
		Status string   `json:"status"`
		Metres *float64 `json:"metres"`
	}
)

// finite returns a figure for JSON: nil if it is not known.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// JSON writes the certificates for programs.
func (c Cabling) JSON(w io.Writer) error {
	d := cableJSON{
		SchemaVersion: 1, Program: c.Program, Site: report.Clean(c.Site), From: c.Span.From, To: c.Span.To, Interrupted: c.Interrupted,
		Traffic: c.traffic(), Method: cableMethod, Links: []cableLinkJSON{}, Problems: orEmpty(cleanAll(c.Problems)), Warnings: orEmpty(cleanAll(c.Warnings)),
	}
	for _, r := range c.Links {
		d.Links = append(d.Links, linkJSON(r))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

func linkJSON(r correlate.CableResult) cableLinkJSON {
	l := cableLinkJSON{
		Verdict: string(r.Verdict), Decided: r.Settled, Confidence: r.Confidence, PassBER: r.Ways[0].Pass, FailBER: r.Ways[0].Fail,
		Reasons: orEmpty(cleanAll(r.Reasons)), First: report.Clean(r.First), Notes: orEmpty(cleanAll(r.Notes)),
	}
	if r.Speed > 0 {
		l.SpeedBPS = &r.Speed
	}
	for _, w := range r.Ways {
		l.Directions = append(l.Directions, wayJSON(r, w))
	}
	for i := range r.Ends {
		l.Ends = append(l.Ends, endJSON(r, i))
	}
	return l
}

func wayJSON(r correlate.CableResult, w correlate.CableWay) cableWayJSON {
	out := cableWayJSON{
		From: report.Clean(r.Link.EndName(1 - w.To)), To: report.Clean(r.Link.EndName(w.To)), Verdict: string(w.Verdict), Decided: w.Settled, Seconds: w.Seconds,
		BER: finite(w.BER), BERLow: finite(w.Low), BERHigh: finite(w.High), Stomped: w.Stomped, Unexplained: w.Other, RefreshS: w.Refresh,
	}
	if w.Seen {
		out.Bits, out.Frames, out.BadFrames, out.Counter = &w.Bits, &w.Frames, &w.Bad, string(w.Counter)
	}
	if w.MoreKnown {
		s := w.More.Seconds()
		out.MoreSeconds = &s
	}
	return out
}

func endJSON(r correlate.CableResult, i int) cableEndJSON {
	e, f, sub := r.Ends[i], r.Link.Facts[i], r.Link.End(i)
	out := cableEndJSON{
		Name: report.Clean(r.Link.EndName(i)), Device: sub.Device, Port: report.Clean(sub.Name), SpeedBPS: finite(e.Speed), OffersBPS: finite(e.Offers), Media: report.Clean(f.Media),
		RxDBM: finite(e.Rx), RxWarnDBM: finite(e.RxWarn), TxDBM: finite(e.Tx), TxWarnDBM: finite(e.TxWarn), Old: map[string]uint64{}, Pairs: []cablePairJSON{},
	}
	if e.Watched {
		out.Flaps = &e.Flaps
	}
	if !math.IsNaN(e.Half) {
		half := e.Half == 1
		out.HalfDuplex = &half
	}
	for m, n := range f.Old {
		out.Old[string(m)] = n
	}
	for _, p := range f.Pairs {
		out.Pairs = append(out.Pairs, cablePairJSON{report.Clean(p.Pair), report.Clean(p.Status), finite(p.Metres)})
	}
	return out
}

// CSV writes one row per direction.
func (c Cabling) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"site", "from", "to", "link_verdict", "verdict", "sender", "receiver", "speed_bps", "seconds", "bits", "frames", "bad_frames", "ber", "ber_low", "ber_high", "pass_ber", "fail_ber", "more_seconds", "confidence", "old_fcs", "old_in_errors", "reasons", "look_first"}}
	for _, r := range c.Links {
		for _, way := range r.Ways {
			rows = append(rows, c.row(r, way))
		}
	}
	for _, row := range rows {
		for i := range row {
			row[i] = plainCell(row[i])
		}
	}
	return out.WriteAll(rows)
}

func (c Cabling) row(r correlate.CableResult, way correlate.CableWay) []string {
	num := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 12, 64)
	}
	seen := func(v float64) string {
		if !way.Seen {
			return ""
		}
		return num(v)
	}
	more, speed := "", ""
	if way.MoreKnown {
		more = num(math.Ceil(way.More.Seconds()))
	}
	if r.Speed > 0 {
		speed = num(r.Speed)
	}
	old := func(m timeline.Metric) string {
		if n, ok := r.Link.Facts[way.To].Old[m]; ok {
			return strconv.FormatUint(n, 10)
		}
		return ""
	}
	return []string{
		c.Site, c.Span.From.Format(time.RFC3339), c.Span.To.Format(time.RFC3339), string(r.Verdict), string(way.Verdict),
		r.Link.EndName(1 - way.To), r.Link.EndName(way.To), speed, seen(way.Seconds), seen(way.Bits), seen(way.Frames), seen(way.Bad),
		num(way.BER), num(way.Low), num(way.High), num(way.Pass), num(way.Fail), more, num(r.Confidence),
		old(timeline.InFCS), old(timeline.InErrors), strings.Join(r.Reasons, "; "), r.First,
	}
}

// plainCell makes a text that a spreadsheet takes for a text: none that it would compute.
func plainCell(s string) string {
	if s = report.Clean(s); s != "" && strings.ContainsRune("=+-@\t", rune(s[0])) {
		return "'" + s
	}
	return s
}
