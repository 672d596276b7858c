package experiment

import (
	"fmt"
	"strings"
	"time"
)

// Meaning says in plain words what the rows of a plan mean; "" if there is nothing to say.
func Meaning(p Plan, rows []Row) string {
	var good []Row
	for _, r := range rows {
		if r.Reason == "" {
			good = append(good, r)
		}
	}
	if len(good) == 0 {
		return ""
	}
	say := meanings[p.Kind]
	return strings.Join(append(say(p, good, rows), hosts(good)...), " ")
}

// meanings says what each kind of experiment means: of the rows that measured something, and of all.
var meanings = map[Kind]func(p Plan, good, all []Row) []string{
	Window:    windowMeans,
	Rate:      rateMeans,
	Size:      sizeMeans,
	Streams:   streamsMeans,
	Direction: directionMeans,
	Pacing:    pacingMeans,
	Disk:      diskMeans,
}

// busy is the share of a core from which on a program waits for its processor.
const busy = 0.9

// hosts says what the hosts themselves did to the measurement.
func hosts(rows []Row) (out []string) {
	var drops uint64
	off, send, receive := 0, 0, 0
	for _, r := range rows {
		drops += r.HostDrops.Or(0)
		if r.OffPace {
			off++
		}
		if r.SenderCPU.Or(0) >= busy {
			send++
		}
		if r.ReceiverCPU.Or(0) >= busy {
			receive++
		}
	}
	if drops > 0 {
		out = append(out, fmt.Sprintf("The receiving host itself had no room for %d datagrams; they are not counted as the path's loss.", drops))
	}
	if off > 0 {
		out = append(out, fmt.Sprintf("In %s the sender did not reach the rate that was asked for.", times(off)))
	}
	if send > 0 {
		out = append(out, fmt.Sprintf("In %s the sending program took a whole core: its rate may be the host's.", times(send)))
	}
	if receive > 0 {
		out = append(out, fmt.Sprintf("In %s the receiving program took a whole core: the rate may be the host's.", times(receive)))
	}
	return out
}

func times(n int) string {
	if n == 1 {
		return "one step"
	}
	return fmt.Sprintf("%d steps", n)
}

// limit says what holds the best rate where it is.
func (p Plan) limit(best Row, t Theory) string {
	o := p.Options
	switch {
	case o.Rate > 0 && best.Arrived >= 0.9*o.Rate:
		return fmt.Sprintf("the rate that was allowed (%s) is the limit", Bits(o.Rate))
	case best.FarRate > 0 && best.Arrived >= 0.9*best.FarRate:
		return fmt.Sprintf("the far end allows no more than %s (its token lifts that)", Bits(best.FarRate))
	case t.Line > 0 && best.Arrived >= 0.93*t.Line:
		return fmt.Sprintf("the line is the limit: %s of at most %s", Bits(best.Arrived), Bits(t.Line))
	case best.SenderCPU.Or(0) >= busy || best.ReceiverCPU.Or(0) >= busy:
		return fmt.Sprintf("a host's processor is the limit, at %s", Bits(best.Arrived))
	case t.Line > 0:
		return fmt.Sprintf("something on the path or at the far end is the limit: %s, where the own link takes %s", Bits(best.Arrived), Bits(t.Line))
	}
	return fmt.Sprintf("something else is the limit, at %s", Bits(best.Arrived))
}

// someAgain is how many segments must have been sent again before loss is spoken of: a sender that waits for its window
// sends one again now and then, to see whether the far end is still there (RFC 8985, section 7).
const someAgain = 10

// lossLimits says that a rate is what loss leaves of it; "" if it is not.
func lossLimits(r Row) string {
	m, w := r.Mathis(), r.WindowLimit()
	if m == 0 || r.Arrived < m/3 || r.Arrived > 3*m || r.Retransmits.Value < someAgain || w > 0 && w < m {
		return ""
	}
	return fmt.Sprintf("With %d segments sent again, congestion control of the classic kind sustains about %s: loss is what holds the rate down.", r.Retransmits.Value, Bits(m))
}

func windowMeans(p Plan, rows, _ []Row) (out []string) {
	t := p.Theory(rows)
	var sized []Row
	var own *Row
	for i, r := range rows {
		if r.Step.Value > 0 {
			sized = append(sized, r)
		} else {
			own = &rows[i]
		}
	}
	best := highest(rows)
	if n := len(sized); n > 0 && sized[0].PeerWindow > 0 && sized[0].PeerWindow < uint64(2*sized[0].MSS) {
		out = append(out, fmt.Sprintf("A window of less than two segments (here of %d bytes) makes TCP wait for its timers: such rows say nothing of the path.", sized[0].MSS))
	}
	out = append(out, knee(p, sized, best, t)...)
	if s := lossLimits(best); s != "" {
		out = append(out, s)
	}
	if n := len(sized); n > 0 && sized[n-1].PeerWindow > 0 && float64(sized[n-1].PeerWindow) < sized[n-1].Step.Value/2 {
		out = append(out, fmt.Sprintf("Of %s asked for, the far end never offered more than %s: its system's limit, or no need for more.", sized[n-1].Step.Name, Bytes(float64(sized[n-1].PeerWindow))))
	}
	if low, ok := scattered(sized, best); ok {
		return append(out, fmt.Sprintf("But with %s it is %s, with nothing sent again to explain it: other traffic or a busy host disturbed the measurement. Repeat it.", low.Step.Name, Bits(low.Arrived)))
	}
	switch {
	case own == nil || len(sized) == 0:
	case own.Arrived >= 0.9*best.Arrived:
		out = append(out, "The systems' own tuning reaches that by itself: set no window.")
	default:
		out = append(out, fmt.Sprintf("The systems' own tuning reaches only %s: raise its upper limits (Linux: net.ipv4.tcp_rmem and tcp_wmem) or set the window.", Bits(own.Arrived)))
	}
	return out
}

// scattered returns a row that a window larger than the best one's should have kept from being so low.
func scattered(sized []Row, best Row) (low Row, ok bool) {
	for _, r := range sized {
		if r.Step.Value > best.Step.Value && best.Step.Value > 0 && r.Arrived < 0.7*best.Arrived && r.Retransmits.Or(0) < someAgain {
			return r, true
		}
	}
	return Row{}, false
}

// knee says up to which window the rate follows it.
func knee(p Plan, sized []Row, best Row, t Theory) []string {
	if len(sized) < 2 {
		return nil
	}
	at := 0
	for at < len(sized)-1 && sized[at].Arrived < 0.9*best.Arrived {
		at++
	}
	need := ""
	if t.BDP > 0 {
		need = fmt.Sprintf(": at %s round trip the path needs %s in flight", short(t.RTT), Bytes(t.BDP))
	}
	switch {
	case at == 0:
		return []string{fmt.Sprintf("The window makes no difference from %s up: %s.", sized[0].Step.Name, p.limit(best, t))}
	case sized[at].Arrived < 0.9*best.Arrived:
		return []string{fmt.Sprintf("The rate follows the window all the way to %s: the window is the limit.", sized[at].Step.Name)}
	case at == len(sized)-1 && p.limited(best, t) == "":
		return []string{fmt.Sprintf("The rate still follows the window at %s%s: a larger window may carry more.", sized[at].Step.Name, need)}
	}
	return []string{fmt.Sprintf("The rate follows the window up to %s%s; above that %s.", sized[at].Step.Name, need, p.limit(best, t))}
}

// limited returns the limit if it is one that is known.
func (p Plan) limited(best Row, t Theory) string {
	if p.Options.Rate > 0 && best.Arrived >= 0.9*p.Options.Rate || best.FarRate > 0 && best.Arrived >= 0.9*best.FarRate || t.Line > 0 && best.Arrived >= 0.93*t.Line {
		return p.limit(best, t)
	}
	return ""
}

func streamsMeans(p Plan, rows, _ []Row) (out []string) {
	t := p.Theory(rows)
	one, best := rows[0], highest(rows)
	if one.Step.Value != 1 || len(rows) < 2 || one.Arrived <= 0 {
		return []string{fmt.Sprintf("The most that was carried is %s, by %s.", Bits(best.Arrived), best.Step.Name)}
	}
	ratio, n := best.Arrived/one.Arrived, best.Step.Value
	switch {
	case ratio < 1.3:
		out = append(out, fmt.Sprintf("One stream carries as much as many (%s of %s): no window and no limit per flow; %s.", Bits(one.Arrived), Bits(best.Arrived), p.limit(best, t)))
	case ratio >= 0.7*n || ratio >= 4:
		out = append(out, fmt.Sprintf("%s carry %.1f times one: each flow has a limit of its own, a window or a limit per flow, and the path has room for more.", upper(best.Step.Name), ratio))
		out = append(out, flowLimit(one))
	default:
		out = append(out, fmt.Sprintf("%s carry %.1f times one: one stream does not fill the path, several nearly do; %s.", upper(best.Step.Name), ratio, p.limit(best, t)))
	}
	if s := lossLimits(one); s != "" {
		out = append(out, s)
	}
	return out
}

// flowLimit tells a window from a limit per flow, by arithmetic: within 15 % of window over round-trip time and nothing
// sent again.
func flowLimit(one Row) string {
	w := one.WindowLimit()
	least := w // of a window that was asked for, what is offered holds headers too
	if asked := float64(one.Step.Test.Window); asked > 0 && one.rtt() > 0 {
		least = min(w, asked*8/one.rtt().Seconds())
	}
	switch {
	case w > 0 && one.Arrived > 0.85*least && one.Arrived < 1.15*w && one.Retransmits.Or(0) < someAgain:
		return fmt.Sprintf("It is the window: at a round trip of %s it allows %s at most.", short(one.rtt()), Bits(w))
	case one.Retransmits.Or(0) >= someAgain:
		return fmt.Sprintf("One stream had to send %d segments again: loss, or a policer per flow, holds it down.", one.Retransmits.Value)
	}
	return "The window sweep tells a window from a limit per flow."
}

func diskMeans(_ Plan, rows, _ []Row) (out []string) {
	var memory, file, alone float64
	var spent time.Duration
	var seconds float64
	writes := false
	for _, r := range rows {
		switch {
		case r.Step.alone():
			alone = r.Arrived
		case r.Step.Test.File != "":
			file, spent, seconds, writes = r.Arrived, r.FileTime.Or(0), r.Seconds, r.Step.Test.Reverse
		default:
			memory = max(memory, r.Arrived)
		}
	}
	verb := "reads"
	if writes {
		verb = "writes"
	}
	if alone > 0 {
		out = append(out, fmt.Sprintf("The disk alone %s %s.", verb, Bits(alone)))
	}
	if memory == 0 || file == 0 {
		return out
	}
	share := 0.0
	if seconds > 0 {
		share = spent.Seconds() / seconds
	}
	switch {
	case file < 0.85*memory && (share >= 0.5 || alone > 0 && file >= 0.7*alone):
		out = append(out, fmt.Sprintf("The disk is the limit: %s from memory, %s with the file, %.0f %% of the time spent on the file.", Bits(memory), Bits(file), share*100))
	case file < 0.85*memory:
		out = append(out, fmt.Sprintf("With the file it is %s, from memory %s, but only %.0f %% of the time went into the file: the disk is not the limit alone, copying the data through the program counts too.", Bits(file), Bits(memory), share*100))
	default:
		out = append(out, fmt.Sprintf("The disk is not the limit: %s from memory, %s with the file.", Bits(memory), Bits(file)))
	}
	return out
}

func highest(rows []Row) Row {
	best := rows[0]
	for _, r := range rows {
		if r.Arrived > best.Arrived {
			best = r
		}
	}
	return best
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// short writes a time with two or three digits.
func short(d time.Duration) string {
	switch {
	case d >= 100*time.Millisecond:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1e3)
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.2f ms", d.Seconds()*1e3)
}

func percent(x float64) string {
	switch {
	case x > 0 && x < 0.0995:
		return fmt.Sprintf("%.1f %%", x*100)
	}
	return fmt.Sprintf("%.0f %%", x*100)
}
