package experiment

import (
	"cmp"
	"math"
	"time"
)

// Theory is what arithmetic says of a path, to be held against the rows.
type Theory struct {
	RTT time.Duration // without load, or if that is not known the smallest that TCP saw; 0: not known
	// Line is the most goodput that the own link carries at this packet size, in bit/s; 0: its speed is not known.
	Line float64
	// BDP is the bytes that must be in flight for the best rate that was measured (or the line's, if nothing was): rate x
	// RTT, in bytes; 0: not known.
	BDP float64
	// Best is the highest goodput of all rows, in bit/s.
	Best float64
}

// Theory returns what arithmetic says of the plan's path, given what was measured.
func (p Plan) Theory(rows []Row) Theory {
	var t Theory
	udp := false
	for _, r := range rows {
		if r.Reason != "" || r.Step.alone() {
			continue
		}
		t.Best = max(t.Best, r.Arrived)
		if d := cmp.Or(r.IdleRTT, r.MinRTT); d > 0 && (t.RTT == 0 || d < t.RTT) {
			t.RTT = d
		}
		udp = r.Step.Test.UDP
	}
	if p.Options.Line > 0 {
		size := 0
		if udp {
			size = p.Options.Test.Length
		}
		t.Line = p.Options.framing(!udp).MaxGoodput(p.Options.Line, size)
	}
	need := t.Best
	if need == 0 {
		need = t.Line
	}
	t.BDP = need / 8 * t.RTT.Seconds()
	return t
}

// rtt returns the round-trip time that a window of this row had to span; 0: not known.
func (r Row) rtt() time.Duration {
	for _, d := range []time.Duration{r.TCPRTT, r.LoadedRTT, r.IdleRTT} {
		if d > 0 {
			return d
		}
	}
	return 0
}

// WindowLimit returns the rate in bit/s that the row's window allows each stream: the window that the receiver offered
// at most, or where that is not known the one that was asked for, once per round trip; 0: not known.
func (r Row) WindowLimit() float64 {
	w, rtt := float64(r.PeerWindow), r.rtt()
	if w == 0 {
		w = float64(r.Step.Test.Window)
	}
	if rtt <= 0 {
		return 0
	}
	return w * 8 / rtt.Seconds()
}

// mathisC is the constant for periodic loss and an acknowledgement for every segment: the square root of 3/2 (Mathis et
// al., doi 10.1145/263932.264023, table 1).
var mathisC = math.Sqrt(1.5)

// Mathis returns the rate in bit/s that loss-based congestion control sustains with the share of segments that this row
// lost, all streams together; 0: nothing was lost, or not enough is known. The share is taken from what was sent again.
func (r Row) Mathis() float64 {
	rtt, bytes := r.rtt(), r.Sent/8*r.Seconds
	if !r.Retransmits.OK || r.Retransmits.Value == 0 || r.MSS == 0 || rtt <= 0 || bytes == 0 {
		return 0
	}
	p := min(1, float64(r.Retransmits.Value)*float64(r.MSS)/bytes)
	return float64(max(r.Step.Test.Streams, 1)) * float64(r.MSS) * 8 / rtt.Seconds() * mathisC / math.Sqrt(p)
}

// alone says whether the step is none of the network.
func (s Step) alone() bool { return s.Test.Address == "" }
