package report

import (
	"strconv"
	"time"

	"whydrop/correlate/timeline"
)

// Test is one test that ended: a probe by hand or a step of an experiment. What it did not measure is null.
type Test struct {
	From        time.Time `json:"from"`
	To          time.Time `json:"to"`
	Path        string    `json:"path"`
	Experiment  string    `json:"experiment"` // the sweep it belongs to; "" if it stands alone
	Proto       string    `json:"proto"`
	Direction   string    `json:"direction"`
	Rate        *float64  `json:"rate_bps"`    // what arrived
	Offered     *float64  `json:"offered_bps"` // what was asked for
	Loss        *float64  `json:"loss_ratio"`
	HostDrops   *float64  `json:"host_drops"` // datagrams that came and that the receiving host had no room for
	Retransmits *float64  `json:"retransmits"`
	RTT         *float64  `json:"rtt_ms"`
	Text        string    `json:"text"`
}

// tests returns the tests of a snapshot in order of their end.
func tests(s timeline.Snapshot) []Test {
	out := []Test{}
	for _, e := range s.Events() {
		if e.Type == timeline.EventResult {
			out = append(out, testOf(e))
		}
	}
	return out
}

func testOf(e timeline.Event) Test {
	figure := func(key string) *float64 {
		v, err := strconv.ParseFloat(e.Attrs[key], 64)
		if err != nil || !finite(v) {
			return nil
		}
		return &v
	}
	return Test{
		From: e.Span.From.UTC(), To: e.Span.To.UTC(), Path: Clean(e.Name), Experiment: Clean(e.Attrs["experiment"]),
		Proto: Clean(e.Attrs["proto"]), Direction: Clean(e.Attrs["direction"]), Rate: figure("rate_bps"), Offered: figure("offered_bps"),
		Loss: figure("loss_ratio"), HostDrops: figure("host_drops"), Retransmits: figure("retransmits"), RTT: figure("rtt_ms"), Text: prose(e.Text),
	}
}

// htmlTest is a test as a row of the page.
type htmlTest struct{ When, What, Asked, Arrived, Lost, Again, RTT string }

func htmlTestOf(t Test) htmlTest {
	figure := func(v *float64, f func(float64) string) string {
		if v == nil {
			return "–"
		}
		return f(*v)
	}
	what := t.Text
	if what == "" {
		what = t.Proto + " " + DirectionText(t.Direction)
	}
	return htmlTest{
		When: DayClock(t.From), What: what,
		Asked: figure(t.Offered, Rate), Arrived: figure(t.Rate, Rate), Lost: figure(t.Loss, Percent), Again: figure(t.Retransmits, number),
		RTT: figure(t.RTT, func(ms float64) string { return Length(time.Duration(ms * float64(time.Millisecond))) }),
	}
}
