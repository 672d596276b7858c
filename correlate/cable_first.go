package correlate

import (
	"fmt"
	"math"
	"regexp"
)

// cableSeverity orders verdicts.
var cableSeverity = map[CableVerdict]int{CablePass: 0, CableUnseen: 1, CableUndecided: 2, CableWarn: 3, CableFail: 4}

// conclude draws directions and ends together.
func (r *CableResult) conclude() {
	r.Verdict, r.Confidence = CablePass, 0.95
	r.directions()
	for i := range r.Ends {
		r.end(i)
	}
	r.negotiation()
	r.limits()
	r.First = r.first()
	if r.Verdict == CableUndecided {
		r.Confidence = 0
	}
}

// worsen makes the verdict at least that bad, for a reason.
func (r *CableResult) worsen(v CableVerdict, format string, args ...any) {
	if cableSeverity[v] > cableSeverity[r.Verdict] {
		r.Verdict = v
	}
	r.Reasons = append(r.Reasons, fmt.Sprintf(format, args...))
}

func (r *CableResult) cap(confidence float64, format string, args ...any) {
	r.Confidence = min(r.Confidence, confidence)
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// directions takes in the verdicts of both directions.
func (r *CableResult) directions() {
	seen := 0
	for _, w := range r.Ways {
		at := r.Link.EndName(w.To)
		switch w.Verdict {
		case CableFail:
			r.worsen(CableFail, "%s receives %.0f bad frames of %.0f: at least %.1e per bit, over the limit of %.0e", at, w.Bad, w.Frames, w.Low, w.Fail)
		case CableWarn:
			r.worsen(CableWarn, "%s receives %.0f bad frames of %.0f: at least %.1e per bit, over the %.0e that the speed's standard allows", at, w.Bad, w.Frames, w.Low, w.Pass)
		case CableUndecided:
			why := "too few bits so far"
			switch {
			case w.Bits == 0:
				why = "nothing came"
			case w.Seconds < w.atLeast():
				why = fmt.Sprintf("its counters are refreshed every %.1f s, so the test must last longer than %.0f s", w.Refresh, w.atLeast())
			}
			r.worsen(CableUndecided, "what %s receives is not decided: %s", at, why)
		case CableUnseen:
			if w.To == 0 || r.Link.Both() {
				r.worsen(CableUndecided, "the counters of %s were not read", at)
			}
		}
		if w.Seen {
			seen++
		}
		r.counters(w, at)
	}
	if seen == 1 {
		r.cap(0.6, "one direction only: what the other end receives is not known, so a pass is of this direction alone")
	}
	if seen == 0 {
		r.Confidence = 0
	}
}

// counters takes in what the counters beside the bad frames say.
func (r *CableResult) counters(w CableWay, at string) {
	if !w.Seen {
		return
	}
	if r.tooMany(w.Other, w.Bits) {
		r.worsen(CableWarn, "%s counts %.0f input errors that no counter explains", at, w.Other)
	}
	if w.Bad == 0 && r.tooMany(w.Symbols, r.symbols(w)) {
		r.worsen(CableWarn, "%s counts %.0f bad symbols and no bad frame: the signal is damaged between the frames", at, w.Symbols)
	}
	if w.Stomped > 0 {
		r.cap(0.9, "%.0f bad frames at %s were marked by an earlier cut-through switch: they are not this link's and not counted", w.Stomped, at)
	}
	if w.Bad > 0 && w.Counter != "if.in.fcs" {
		r.cap(0.7, "%s counts no FCS errors; its input errors may hold frames that were not damaged on the wire", at)
	}
	if ratio, _, _ := w.FrameRatio(); w.Bad > 0 && ratio > 0.05 {
		r.Notes = append(r.Notes, fmt.Sprintf("%.0f %% of the frames at %s are bad: many hold more than one bit error, so the bit error ratio is higher than stated", ratio*100, at))
	}
	// Independent errors would be spread over nearly as many readings as there are bad frames.
	if expected := float64(w.Polls) * (1 - math.Exp(-w.Bad/float64(max(w.Polls, 1)))); w.Bad >= 10 && float64(w.BadIn) < expected/2 {
		r.cap(0.8, "the bad frames at %s came in bursts, in %d of %d readings: an intermittent contact rather than a steady fault, and the 95 %% interval is too narrow", at, w.BadIn, w.Polls)
	}
	if w.blur() > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s refreshes its counters every %.1f s; the interval allows for it", at, w.Refresh))
	}
}

// tooMany says whether errors are surely more than the speed's standard allows in so many bits.
func (r *CableResult) tooMany(errors, bits float64) bool {
	_, low, _ := berOf(errors, bits, 0)
	return errors > 0 && low > r.Ways[0].Pass
}

// symbols returns how many bits a direction signalled: a line is never silent, whatever it carries.
func (r *CableResult) symbols(w CableWay) float64 { return max(r.Speed, 1e7) * w.Seconds }

// end takes in one end's optics, flaps and cable test.
func (r *CableResult) end(i int) {
	e, at := r.Ends[i], r.Link.EndName(i)
	switch {
	case e.Rx < e.RxAlarm:
		r.worsen(CableFail, "%s receives %.1f dBm, below its module's alarm threshold of %.1f dBm", at, e.Rx, e.RxAlarm)
	case e.Rx < e.RxWarn:
		r.worsen(CableWarn, "%s receives %.1f dBm, below its module's warning threshold of %.1f dBm", at, e.Rx, e.RxWarn)
	}
	if e.Tx < e.TxWarn {
		r.worsen(CableWarn, "%s sends %.1f dBm, below its module's warning threshold of %.1f dBm", at, e.Tx, e.TxWarn)
	}
	if !math.IsNaN(e.Rx) && math.IsNaN(e.RxWarn) && math.IsNaN(e.RxAlarm) {
		r.Notes = append(r.Notes, fmt.Sprintf("%s receives %.1f dBm; its module tells no thresholds", at, e.Rx))
	}
	switch {
	case e.Down:
		r.worsen(CableFail, "the link is down at %s", at)
	case e.Flaps >= 3:
		r.worsen(CableFail, "the link went down %d times at %s during the test", e.Flaps, at)
	case e.Flaps > 0:
		r.worsen(CableWarn, "the link went down at %s during the test, %s", at, times(e.Flaps))
	}
	if e.Unidirectional {
		r.worsen(CableFail, "%s hears nothing of what it sends: the link works one way only (UDLD)", at)
	}
	if e.Interrupted {
		r.cap(0.8, "counters of %s were cleared or fell during the test: what they counted around it is not known", at)
	}
	for _, p := range r.Link.Facts[i].Pairs {
		if !p.sound() {
			r.worsen(CableWarn, "the last cable test that %s holds says pair %s is %s%s", at, p.Pair, p.Status, metres(p.Metres))
		}
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func metres(m float64) string {
	if math.IsNaN(m) {
		return ""
	}
	return fmt.Sprintf(" at %.0f m", m)
}

// negotiation compares what was negotiated with what both ends offer.
func (r *CableResult) negotiation() {
	a, b := r.Ends[0], r.Ends[1]
	if a.Speed > 0 && b.Speed > 0 && a.Speed != b.Speed {
		r.worsen(CableWarn, "the ends run at different speeds: %s and %s", speedText(a.Speed), speedText(b.Speed))
	}
	if best := min(a.Offers, b.Offers); r.Speed > 0 && best > r.Speed {
		r.worsen(CableWarn, "it runs at %s although both ends offer %s", speedText(r.Speed), speedText(best))
	}
	switch {
	case !math.IsNaN(a.Half) && !math.IsNaN(b.Half) && a.Half != b.Half, r.Link.Facts[0].HalfFar && a.Half == 0, r.Link.Facts[1].HalfFar && b.Half == 0:
		r.worsen(CableWarn, "one end runs half duplex, the other full: bad frames come of that whatever the cable")
		r.cap(0.7, "with a duplex mismatch the error counters say little of the cable")
	case a.Half == 1 || b.Half == 1:
		r.worsen(CableWarn, "it runs half duplex: collisions belong to that, and bad frames may come of them")
		r.cap(0.7, "in half duplex the error counters say less of the cable")
	}
}

// mismatch says whether the duplex explains bad frames.
func (r *CableResult) mismatch() bool {
	return r.Ends[0].Half == 1 || r.Ends[1].Half == 1 || r.Link.Facts[0].HalfFar || r.Link.Facts[1].HalfFar
}

// limits notes what the certificate can't say.
func (r *CableResult) limits() {
	if r.Speed == 0 {
		r.cap(0.7, "the speed is not known: judged as 1 Gbit/s")
	}
	for i := range r.Ends {
		if e := r.Ends[i]; math.IsNaN(e.Offers) && (i == 0 || r.Link.Both()) {
			r.Notes = append(r.Notes, "what "+r.Link.EndName(i)+" offers in negotiation is not known")
		}
	}
	if r.Speed >= 10e9 && r.Ways[0].Bad+r.Ways[1].Bad > 0 && r.Ways[0].Stomped+r.Ways[1].Stomped == 0 {
		r.cap(0.8, "if a switch before this link forwards cut-through, bad frames may come from further away: only a counter of stomped frames tells, and these are 0 or not kept")
	}
}

func speedText(bps float64) string {
	if bps >= 1e9 {
		return fmt.Sprintf("%g Gbit/s", bps/1e9)
	}
	return fmt.Sprintf("%g Mbit/s", bps/1e6)
}

// first says what to look at first. For optics it goes by the power at both ends, as CorrOpt does (Zhuo and others,
// SIGCOMM 2017): a weak sender is the sender's; a weak arrival the fibre's, and of both strands if weak at both ends;
// bad frames with good power are a module's.
func (r *CableResult) first() string {
	if cableSeverity[r.Verdict] < cableSeverity[CableWarn] {
		return ""
	}
	for i, f := range r.Link.Facts {
		for _, p := range f.Pairs {
			if !p.sound() {
				return fmt.Sprintf("pair %s of the cable%s from %s (%s): re-terminate or replace it", p.Pair, metres(p.Metres), r.Link.EndName(i), p.Status)
			}
		}
	}
	if r.mismatch() {
		return "speed and duplex of both ends: set both to negotiate, or both to the same; test again before touching the cable"
	}
	if s := r.firstOptics(); s != "" {
		return s
	}
	bad := [2]bool{r.damaged(r.Ways[1]), r.damaged(r.Ways[0])} // by the receiving end
	switch {
	case bad[0] && bad[1]:
		return "the cable and its plugs: both ends receive damaged frames, which one port alone seldom makes. Swap the patch leads, then test again"
	case bad[0] || bad[1]:
		i := 0
		if bad[1] {
			i = 1
		}
		return r.oneSide(i)
	case min(r.Ends[0].Offers, r.Ends[1].Offers) > r.Speed && r.Speed > 0:
		return "the cable's four pairs: a link that falls back to a lower speed has often lost one. Reseat both plugs, swap the patch leads, and look whether a speed is set by hand at " + r.Link.EndName(0) + " or " + r.Link.EndName(1)
	case r.Ends[0].Down || r.Ends[1].Down:
		return "whether a port is shut by hand or by the device; then the plugs and the cable"
	case r.Ends[0].Flaps+r.Ends[1].Flaps > 0:
		return "the plugs at both ends: reseat them, look for a bent latch or a strained cable; then whether a device or its power restarted"
	}
	for i, w := range [2]CableWay{r.Ways[1], r.Ways[0]} {
		if r.tooMany(w.Other, w.Bits) {
			return "the port of " + r.Link.EndName(i) + ": ask the device what its input errors are"
		}
	}
	return ""
}

// damaged says whether the direction is worse than it should be.
func (r *CableResult) damaged(w CableWay) bool {
	return w.Verdict == CableWarn || w.Verdict == CableFail || w.Bad == 0 && r.tooMany(w.Symbols, r.symbols(w))
}

// firstOptics goes by the optical power.
func (r *CableResult) firstOptics() string {
	weak := func(i int) bool { return r.Ends[i].Rx < r.Ends[i].RxWarn || r.Ends[i].Rx < r.Ends[i].RxAlarm }
	faint := func(i int) bool { return r.Ends[i].Tx < r.Ends[i].TxWarn }
	for i := range r.Ends {
		if faint(i) {
			return "the optic of " + r.Link.EndName(i) + ": it sends too little light. Replace the module"
		}
	}
	switch {
	case weak(0) && weak(1):
		return "the fibre: too little light arrives at both ends. Clean all connectors, look for a bend or the wrong fibre type, then replace the patch leads"
	case weak(0), weak(1):
		i := 0
		if weak(1) {
			i = 1
		}
		return fmt.Sprintf("the strand that arrives at %s: clean and inspect its connectors at both ends; then the fibre; then the module of %s%s",
			r.Link.EndName(i), r.Link.EndName(1-i), unknownTx(r.Ends[1-i]))
	}
	return ""
}

func unknownTx(e CableEnd) string {
	if math.IsNaN(e.Tx) {
		return ", whose sent power is not known"
	}
	return ""
}

// oneSide is for damage that arrives at end i alone.
func (r *CableResult) oneSide(i int) string {
	own, far := r.Link.EndName(i), r.Link.EndName(1-i)
	if r.Ends[i].Overruns > 0 {
		return "the port of " + own + ": it also had no room for frames. Move the cable to another port of it"
	}
	if !r.fibre(i) {
		s := fmt.Sprintf("the plug and patch lead at %s, where the damaged signal arrives; then its port (move the cable to another); then the sender, the port of %s", own, far)
		if !r.Ways[i].Seen {
			s += ". Whether the other direction is damaged too is not known: read " + far
		}
		return s
	}
	return fmt.Sprintf("the optic of %s: frames are damaged and no power is below its threshold. Clean and reseat it, then swap it; then the module of %s, which sends", own, far)
}

// fibreMedia finds what is written of optics: 1000BASE-SX, 10GBase-LR, 100BaseFX.
var fibreMedia = regexp.MustCompile(`(?i)base-?(s|l|e|z|b|f|d|p)[xr]|(?i)sfp-?(sx|lx|sr|lr|er|zr)|(?i)fib(re|er)|(?i)optic`)

// fibre says whether the link is known to be one of light.
func (r *CableResult) fibre(i int) bool {
	return !math.IsNaN(r.Ends[i].Rx) || fibreMedia.MatchString(r.Link.Facts[i].Media)
}
