package rules

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// linkFacts are about the link at a port: its plug, its light, its power and what the device itself did to the port.
// Spans are zero where nothing happened.
type linkFacts struct {
	Rx         float64 `expr:"rx" metric:"optics.rx_power"`                            // received optical power, dBm, the weakest reading
	RxWarn     float64 `expr:"rx_warn" metric:"optics.rx_low_warn"`                    // the module's own threshold, the alarm's where it has no other
	RxAlarm    float64 `expr:"rx_alarm" metric:"optics.rx_low_alarm"`                  //
	RxFell     float64 `expr:"rx_fell" metric:"optics.rx_power"`                       // by how many dB it fell while it was watched
	Tx         float64 `expr:"tx" metric:"optics.tx_power"`                            // sent optical power, dBm
	FarTx      float64 `expr:"far_tx" metric:"optics.tx_power"`                        // of the port at the other end
	FarTxLow   float64 `expr:"far_tx_low" metric:"optics.tx_low_warn"`                 // 1 if that is below its module's own threshold, 0 if not
	Told       float64 `expr:"optics_told"`                                            // the device said that received power crossed a threshold downwards
	Bursts     float64 `expr:"bursts" metric:"if.in.fcs,if.in.errors"`                 // separate stretches in which bad frames were counted
	Apart      float64 `expr:"bursts_apart" metric:"if.in.fcs"`                        // of them, those that no loss of carrier of this port is near
	BurstBad   float64 `expr:"burst_bad" metric:"if.in.fcs,if.in.errors"`              // bad frames in all of them
	BurstHit   float64 `expr:"bursts_hit"`                                             // of them, those in which the path suffered
	BurstTimes float64 `expr:"burst_times" metric:"path.loss.forward,tcp.retransmits"` // how many times as much the path lost in them as otherwise
	Dirty      float64 `expr:"dirty" metric:"if.in.fcs,if.in.errors"`                  // their share of the time that was watched

	Downs       float64         `expr:"downs" metric:"if.oper"`                                                // times the port lost its carrier
	Transitions float64         `expr:"transitions" metric:"if.carrier_transitions"`                           // counted losses and returns of the carrier
	Rough       []timeline.Span `expr:"rough"`                                                                 // the bursts and the losses of carrier
	Internal    activity        `expr:"internal" metric:"if.in.mac_errors,if.out.mac_errors,if.out.underruns"` // frames lost in the port itself
	InternalHow string          `expr:"internal_how"`                                                          // which of the counters that is, in words

	Shut      float64       `expr:"shut" metric:"if.err_disabled"` // times the device shut the port by itself
	ShutCause string        `expr:"shut_cause"`                    // the last cause in the device's words, "" if it gave none
	ShutSpan  timeline.Span `expr:"shut_span"`                     // from the first shutting to the last opening, or to the end of the record
	ShutStill bool          `expr:"still_shut"`
	Recovers  float64       `expr:"recovers"` // after how many seconds the device tries it again

	Pairs     []string      `expr:"pairs"`      // pairs that a cable test found bad, in words
	PairsUsed float64       `expr:"pairs_used"` // of them, those that 100 Mbit/s needs, or that are not told to be the other two
	PairsSpan timeline.Span `expr:"pairs_span"` // when that was told

	OneWay     float64       `expr:"one_way" metric:"udld.state"`            // times the device found that the link works one way only
	Deaf       float64       `expr:"deaf" metric:"if.in.packets"`            // for how many seconds at a stretch it received nothing, being up and sending
	FarSends   float64       `expr:"far_sends" metric:"if.out.packets"`      // packets/s that the other end sent meanwhile
	Alone      float64       `expr:"neighbour_gone" metric:"lldp.neighbour"` // its neighbour vanished from it
	OneWaySpan timeline.Span `expr:"one_way_span"`

	PoEFaults float64       `expr:"poe_faults" metric:"poe.overload,poe.short,poe.denied"` // overloads, short circuits and refusals counted
	PoEAbsent float64       `expr:"poe_absent" metric:"poe.absent"`                        // times the powered device stopped drawing power
	PoETold   string        `expr:"poe_told"`                                              // what the device said of the power, "" if nothing
	PoEHow    string        `expr:"poe_how"`                                               // the counters that rose, in words
	PoESpan   timeline.Span `expr:"poe_span"`                                              // from the fault until the link came back

	Left      float64         `expr:"left" metric:"lag.member"`     // times it left its aggregate
	Aggregate string          `expr:"aggregate"`                    // which
	LeftTo    string          `expr:"left_to"`                      // what it became
	InSync    float64         `expr:"in_sync" metric:"lag.in_sync"` // the least reading: 1 it collects and distributes all the time, 0 it did not
	LeftHit   float64         `expr:"left_hit"`                     // of these times, those in which the path suffered
	LeftSpans []timeline.Span `expr:"left_spans"`                   // from leaving to coming back

	Cleared   float64   `expr:"cleared" metric:"if.counters_cleared"` // times the counters fell without a restart
	ClearedAt time.Time `expr:"cleared_at"`                           // the last time

	PacketRate   float64 `expr:"packet_rate" metric:"if.in.packets"`   // packets/s received while it dropped on the way in, the median
	PacketPeak   float64 `expr:"packet_peak" metric:"if.in.packets"`   // packets/s that it took at other times: one sample in twenty was higher
	PacketSpread float64 `expr:"packet_spread" metric:"if.in.packets"` // the middle half's width over the median
	PacketSize   float64 `expr:"packet_size" metric:"if.in.bits"`      // octets per packet meanwhile
	PacketLoad   float64 `expr:"packet_load" metric:"if.utilisation"`  // the highest utilisation meanwhile
	DeviceCPU    float64 `expr:"device_cpu" metric:"device.cpu"`       // of the port's device, the median meanwhile
}

// linkFacts reads what is known of the link at a port.
func (sc *scene) linkFacts(ps *pathScene, sub timeline.Subject, f *portFacts) linkFacts {
	l := linkFacts{Transitions: nan, Recovers: nan, FarSends: nan, InSync: nan}
	events := sc.changesOf(sub)
	var downs []timeline.Span
	for _, x := range sc.losses {
		if x.Port == sub {
			downs = append(downs, x.Lasted(sc.span.To))
		}
	}
	l.Downs = float64(len(downs))
	sc.light(&l, sub, events, downs)
	l.Rough = slices.Clone(downs)
	if f.Bad.Total > 0 {
		l.Transitions = correlate.Total(sc.snap.Series(sub, timeline.CarrierTransitions), sc.span)
		sc.contact(&l, ps, sub, downs)
	}
	sc.lostInside(&l, sub)
	sc.shutBy(&l, events, downs)
	sc.pairs(&l, events)
	sc.oneWay(&l, ps, sub, events, downs)
	sc.powered(&l, sub, events, downs)
	sc.member(&l, ps, sub, events)
	sc.packets(&l, sub, f.InDrops.Span)
	for _, e := range events {
		if e.Type == timeline.EventCleared && !sc.beganAnew(sub.Device, e.Span) {
			l.Cleared, l.ClearedAt = l.Cleared+1, e.Span.Mid()
		}
	}
	return l
}

// changesOf returns what happened to one device or port, in order of time.
func (sc *scene) changesOf(sub timeline.Subject) []correlate.Change {
	var out []correlate.Change
	for _, c := range sc.changes {
		if c.Subject == sub {
			out = append(out, c)
		}
	}
	return out
}

// restartSlack is how long after a device began anew a collector that does not know of it may find its counters at zero:
// the command line is read every few seconds.
const restartSlack = 15 * time.Second

// beganAnew says whether the device started around that time, so that its counters fell for that.
func (sc *scene) beganAnew(device string, at timeline.Span) bool {
	return slices.ContainsFunc(sc.changes, func(c correlate.Change) bool {
		return c.Type == timeline.EventRestart && c.Device == device && c.Span.Overlaps(at.Widen(restartSlack, restartSlack))
	})
}

// shutBy reads when and why the device shut the port by itself.
func (sc *scene) shutBy(l *linkFacts, events []correlate.Change, downs []timeline.Span) {
	for _, e := range events {
		if e.Type != timeline.EventErrDisabled {
			continue
		}
		if e.Attrs["to"] == "up" {
			l.ShutSpan, l.ShutStill = l.ShutSpan.Union(e.Span), false
			continue
		}
		l.Shut, l.ShutStill = l.Shut+1, true
		l.ShutSpan = l.ShutSpan.Union(timeline.Span{From: sc.narrowed(e.Span, downs).From, To: sc.span.To})
		if c := e.Attrs["cause"]; c != "" {
			l.ShutCause = c
		}
		if s, err := strconv.ParseFloat(e.Attrs["recovery_s"], 64); err == nil {
			l.Recovers = s
		}
	}
	if l.Shut > 0 && !l.ShutStill {
		for _, e := range slices.Backward(events) {
			if e.Type == timeline.EventErrDisabled && e.Attrs["to"] == "up" {
				l.ShutSpan.To = e.Span.To
				return
			}
		}
	}
}

// narrowed returns a wide span from the loss of carrier within it on: a table that is read twice a minute says no more
// than that something happened in between.
func (sc *scene) narrowed(sp timeline.Span, downs []timeline.Span) timeline.Span {
	for _, d := range downs {
		if d.From.After(sp.From) && d.From.Before(sp.To) {
			sp.From = d.From
		}
	}
	return sp
}

// sparePairs are the pairs that 100BASE-TX leaves alone (802.3, clause 25): a port of that speed finds them open in a good cable. Makers who
// number the pairs do not agree which these are.
var sparePairs = map[string]bool{"c": true, "d": true, "4-5": true, "7-8": true}

// pairs reads cable tests.
func (sc *scene) pairs(l *linkFacts, events []correlate.Change) {
	latest := map[string]string{}
	for _, e := range events {
		if e.Type != timeline.EventCable {
			continue
		}
		words := ""
		switch s := e.Attrs["status"]; s {
		case "open", "short", "broken", "impedance", "crosstalk":
			words = "pair " + e.Attrs["pair"] + ": " + s
			if m := e.Attrs["metres"]; m != "" {
				words += " at " + m + " m"
			}
			l.PairsSpan = l.PairsSpan.Union(e.Span)
		}
		latest[e.Attrs["pair"]] = words
	}
	for _, p := range keysOf(latest) {
		if latest[p] != "" {
			l.Pairs = append(l.Pairs, latest[p])
			l.PairsUsed += truth(!sparePairs[strings.ToLower(p)])
		}
	}
}

// powered reads what went wrong with the power that the port gives.
func (sc *scene) powered(l *linkFacts, sub timeline.Subject, events []correlate.Change, downs []timeline.Span) {
	l.PoEFaults, l.PoEAbsent = nan, nan
	var how []string
	for _, x := range []struct {
		m    timeline.Metric
		into *float64
		word string
	}{
		{timeline.PoEOverload, &l.PoEFaults, "overload"}, {timeline.PoEShort, &l.PoEFaults, "short circuit"},
		{timeline.PoEDenied, &l.PoEFaults, "power refused"}, {timeline.PoEAbsent, &l.PoEAbsent, "powered device gone"},
	} {
		series := sc.snap.Series(sub, x.m)
		if len(series) == 0 {
			continue
		}
		n := math.Round(correlate.Total(series, sc.span))
		*x.into = orZero(*x.into) + n
		if n < 1 {
			continue
		}
		how = append(how, x.word+" "+times(int(n)))
		for _, s := range series {
			if s.Value > 0 {
				l.PoESpan = l.PoESpan.Union(s.Span)
			}
		}
	}
	l.PoEHow = list(how)
	for _, e := range events {
		removed := strings.Contains(e.Attrs["reason"], "removed") // somebody pulled the plug
		power := e.Type == timeline.EventPower && (e.Attrs["to"] == "denied" || e.Attrs["to"] == "" || e.Attrs["to"] == "off" && !removed)
		if power || e.Type == timeline.EventErrDisabled && e.Attrs["cause"] == "inline-power" && e.Attrs["to"] != "up" {
			l.PoETold = e.Attrs["reason"]
			if l.PoETold == "" {
				l.PoETold = e.Text
			}
			l.PoESpan = l.PoESpan.Union(e.Span)
		}
	}
	if l.PoESpan.IsZero() {
		return
	}
	for _, d := range downs { // a powered device comes back after it has booted
		if d.Overlaps(l.PoESpan.Widen(5*time.Second, 5*time.Second)) {
			l.PoESpan = l.PoESpan.Union(d)
		}
	}
}

// member reads when the port left its aggregate.
func (sc *scene) member(l *linkFacts, ps *pathScene, sub timeline.Subject, events []correlate.Change) {
	for _, x := range sc.snap.Series(sub, timeline.LAGInSync) {
		if !(l.InSync <= x.Value) {
			l.InSync = x.Value
		}
	}
	open := -1
	for _, e := range events {
		if e.Type != timeline.EventLAGMember {
			continue
		}
		l.Aggregate = e.Attrs["aggregate"]
		if to := e.Attrs["to"]; to == "bundled" && e.Attrs["from"] != "" || to == "up" {
			if open >= 0 {
				l.LeftSpans[open].To = e.Span.To
				open = -1
			}
			continue
		} else {
			l.LeftTo = to
		}
		l.Left++
		if e.Attrs["to"] == "bundled" { // left and came back between two polls
			l.LeftSpans = append(l.LeftSpans, e.Span)
			continue
		}
		l.LeftSpans = append(l.LeftSpans, timeline.Span{From: e.Span.From, To: sc.span.To})
		open = len(l.LeftSpans) - 1
	}
	for _, sp := range l.LeftSpans {
		l.LeftHit += truth(len(ps.touched([]timeline.Span{sp})) > 0)
	}
}

// aboutLink are the events of a port that findings about its link show.
var aboutLink = map[timeline.EventType]bool{
	timeline.EventErrDisabled: true, timeline.EventUDLD: true, timeline.EventOptics: true, timeline.EventCable: true, timeline.EventLAGMember: true,
	timeline.EventPower: true, timeline.EventNeighbour: true,
}
