package experiment

import (
	"fmt"
	"math"
	"slices"
	"time"

	"whydrop/probe/wire"
)

// counted returns the rows whose loss is known.
func counted(rows []Row) (out []Row) {
	for _, r := range rows {
		if r.Loss.OK {
			out = append(out, r)
		}
	}
	return out
}

const uncounted = "The far end's count is missing: nothing can be said of loss."

func rateMeans(_ Plan, all, _ []Row) []string {
	rows := counted(all)
	if len(rows) == 0 {
		return []string{uncounted}
	}
	first := slices.IndexFunc(rows, func(r Row) bool { return r.Loss.Value >= lossy })
	last := rows[len(rows)-1]
	switch {
	case first < 0:
		return []string{fmt.Sprintf("Nothing is lost up to %s: the path carries at least that.", Bits(last.Sent))}
	case first == 0 && evenLoss(rows):
		return []string{fmt.Sprintf("Between %s and %s it loses %s to %s, whatever the load: that is damage (cable, connector, optics, radio) or something that drops at random, not congestion.",
			rows[0].Step.Name, last.Step.Name, percent(least(rows)), percent(most(rows)))}
	case first == 0:
		return []string{fmt.Sprintf("It loses %s already at the lowest rate, %s: sweep lower rates.", percent(rows[0].Loss.Value), rows[0].Step.Name)}
	}
	clean, loses := rows[first-1], rows[first]
	ceiling := 0.0
	for _, r := range rows[first:] {
		ceiling = max(ceiling, r.Arrived)
	}
	out := []string{fmt.Sprintf("Loss begins above %s; however much is sent, no more than %s arrives.", Bits(clean.Sent), Bits(ceiling))}
	return append(out, queueOrPolicer(clean, loses, ceiling)...)
}

// risen is by how much a round-trip time must rise to be a queue's: less is what a busy host or a shallow buffer does.
func risen(quiet, loaded time.Duration) bool {
	return loaded-quiet > max(time.Millisecond, quiet/4)
}

// queueOrPolicer says what drops: a queue delays before it drops, a policer only drops.
func queueOrPolicer(clean, loses Row, ceiling float64) []string {
	quiet, loaded := loses.IdleRTT, max(loses.LoadedRTT, clean.LoadedRTT)
	switch {
	case quiet == 0 || loaded == 0:
		return []string{"No heartbeat was answered meanwhile, so a queue cannot be told from a policer."}
	case risen(quiet, loaded):
		when := "with it"
		if risen(quiet, clean.LoadedRTT) {
			when = "first"
		}
		return []string{fmt.Sprintf("The round trip rose %s, from %s to %s: a queue fills before it drops, about %s deep at that rate.",
			when, short(quiet), short(loaded), Bytes((loaded-quiet).Seconds()*ceiling/8))}
	}
	return []string{fmt.Sprintf("The round trip did not rise (%s, %s while it lost): a policer drops without a queue, or the buffer there is smaller than %s.",
		short(quiet), short(loaded), Bytes(max(time.Millisecond, quiet/4).Seconds()*ceiling/8))}
}

// evenLoss says whether the share that is lost has nothing to do with the rate.
func evenLoss(rows []Row) bool { return len(rows) > 2 && most(rows) < 3*least(rows)+0.005 }

func least(rows []Row) float64 {
	v := math.Inf(1)
	for _, r := range rows {
		v = min(v, r.Loss.Value)
	}
	return v
}

func most(rows []Row) (v float64) {
	for _, r := range rows {
		v = max(v, r.Loss.Value)
	}
	return v
}

// gone is the share from which on a size does not get through at all.
const gone = 0.95

func sizeMeans(p Plan, good, all []Row) []string {
	var through, stuck []Row
	for _, r := range all {
		switch {
		case r.Reason != "" || r.Loss.OK && r.Loss.Value >= gone:
			stuck = append(stuck, r)
		case r.Loss.OK:
			through = append(through, r)
		}
	}
	if len(through) == 0 {
		if len(counted(good)) == 0 {
			return []string{uncounted}
		}
		return []string{"Datagrams of no size get through."}
	}
	bySize := func(a, b Row) int { return int(a.Step.Value - b.Step.Value) }
	largest := slices.MaxFunc(through, bySize)
	headers := p.Options.framing(false).Octets(wire.IP, 0)
	var out []string
	switch {
	case len(stuck) == 0:
		out = append(out, fmt.Sprintf("Every size up to %.0f bytes gets through.", largest.Step.Value))
	case slices.MinFunc(stuck, bySize).Step.Value < largest.Step.Value:
		out = append(out, fmt.Sprintf("Datagrams of %.0f bytes do not get through while larger ones do: no MTU does that.", slices.MinFunc(stuck, bySize).Step.Value))
	case int(largest.Step.Value) == p.Options.framing(false).MaxPayload():
		out = append(out, fmt.Sprintf("Every size that the own link takes gets through, up to %.0f bytes: no smaller MTU on the way.", largest.Step.Value))
	default:
		least := slices.MinFunc(stuck, bySize)
		out = append(out, fmt.Sprintf("Everything above %.0f bytes fails, from %.0f bytes on: an MTU on the path, between %.0f and %.0f with headers (--pmtu finds it exactly).",
			largest.Step.Value, least.Step.Value, largest.Step.Value+float64(headers), least.Step.Value+float64(headers)-1))
	}
	return append(out, damage(through))
}

// damage tells loss of bits from loss of packets: a datagram twice as long has twice the bits to lose.
func damage(rows []Row) string {
	large := rows[0]
	for _, r := range rows {
		if r.Step.Value > large.Step.Value {
			large = r
		}
	}
	var small, big []Row
	for _, r := range rows {
		switch {
		case r.Step.Value <= large.Step.Value/4:
			small = append(small, r)
		case r.Step.Value >= large.Step.Value/2:
			big = append(big, r)
		}
	}
	if len(small) == 0 || len(big) == 0 {
		return ""
	}
	s, b := mean(small), mean(big)
	switch {
	case s < 0.003 && b < 0.003:
		return "None of the sizes that get through loses anything to speak of."
	case b >= 2*s+0.002:
		return fmt.Sprintf("Loss grows with the size: %s of small ones, %s of large ones: bits are damaged on the way (cable, connector, optics, radio, duplex), or a limit counts bits.", percent(s), percent(b))
	case s >= 2*b+0.002:
		return fmt.Sprintf("Small ones are lost more often (%s) than large ones (%s), at the same number a second.", percent(s), percent(b))
	}
	return fmt.Sprintf("Loss does not care about the size (%s of small ones, %s of large ones): whole packets are dropped, by a rule or a limit on packets, not bits damaged.", percent(s), percent(b))
}

// mean returns the share that all of the rows lost together.
func mean(rows []Row) float64 {
	sum := 0.0
	for _, r := range rows {
		sum += r.Loss.Value
	}
	return sum / float64(len(rows))
}

func directionMeans(p Plan, rows, _ []Row) (out []string) {
	by := map[string]Row{}
	for _, r := range rows {
		by[r.Step.Name] = r
	}
	there, ok1 := by["TCP there"]
	back, ok2 := by["TCP back"]
	if ok1 && ok2 {
		low, high := min(there.Arrived, back.Arrived), max(there.Arrived, back.Arrived)
		slow := "there"
		if back.Arrived < there.Arrived {
			slow = "back"
		}
		if low < 0.7*high {
			out = append(out, fmt.Sprintf("TCP carries %s there and %s back: look for the cause in the way %s.", Bits(there.Arrived), Bits(back.Arrived), slow))
		} else {
			out = append(out, fmt.Sprintf("TCP carries about the same both ways, %s there and %s back.", Bits(there.Arrived), Bits(back.Arrived)))
		}
	}
	if both, ok := by["TCP both ways"]; ok && ok1 && ok2 && there.Arrived > 0 && back.Arrived > 0 {
		sum := both.Arrived + both.Back
		switch share := sum / (there.Arrived + back.Arrived); { // 1: each as if it were alone; 1/2: they take turns
		case share < 0.35:
			out = append(out, fmt.Sprintf("Both at once carry %s and %s, much less than in turns: as with a duplex mismatch, or a host that is too slow.", Bits(both.Arrived), Bits(both.Back)))
		case share < 0.7:
			out = append(out, fmt.Sprintf("Both at once carry %s and %s, no more than in turns: something shares the two directions (half duplex, radio, a processor, one limit for both).", Bits(both.Arrived), Bits(both.Back)))
		default:
			out = append(out, fmt.Sprintf("Both at once carry %s and %s: the directions do not share a limit.", Bits(both.Arrived), Bits(both.Back)))
		}
	}
	var lost []string
	for _, r := range counted(rows) {
		if r.Loss.Value >= lossy {
			lost = append(lost, fmt.Sprintf("%s of %q", percent(r.Loss.Value), r.Step.Name))
		}
		if r.BackLoss.Or(0) >= lossy {
			lost = append(lost, fmt.Sprintf("%s of %q on its way back", percent(r.BackLoss.Value), r.Step.Name))
		}
	}
	switch {
	case len(lost) > 0:
		out = append(out, fmt.Sprintf("UDP at half of TCP's rate lost %s.", join(lost)))
	case len(counted(rows)) > 0:
		out = append(out, "UDP at half of TCP's rate lost nothing either way.")
	}
	return out
}

func join(parts []string) string {
	s := parts[0]
	for i, p := range parts[1:] {
		if i == len(parts)-2 {
			s += " and " + p
		} else {
			s += ", " + p
		}
	}
	return s
}

func pacingMeans(_ Plan, good, _ []Row) []string {
	rows := counted(good)
	if len(rows) == 0 {
		return []string{uncounted}
	}
	smooth, paced := rows[0], rows[0].Step.Value == 1
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Loss.Value >= lossy })
	switch {
	case i < 0:
		last := rows[len(rows)-1]
		return []string{fmt.Sprintf("At %s nothing is lost, not even in bursts of %s: the buffers on the path take them.", Bits(last.Sent), Bytes(last.Step.Value*float64(last.Size)))}
	case i == 0 && paced && evenLoss(rows):
		return []string{fmt.Sprintf("It loses %s paced as well as in bursts: not a matter of buffers.", percent(smooth.Loss.Value))}
	case i == 0 && paced:
		return []string{fmt.Sprintf("Even paced it loses %s at %s, in bursts up to %s: the path does not carry that rate.", percent(smooth.Loss.Value), Bits(smooth.Sent), percent(most(rows)))}
	case i == 0:
		return []string{fmt.Sprintf("In %s it loses %s.", smooth.Step.Name, percent(smooth.Loss.Value))}
	}
	fits, bad := rows[i-1], rows[i]
	return []string{fmt.Sprintf("Paced it loses nothing at %s, in bursts of %s it loses %s (at most %s): a shallow buffer on the path, or a policer's small burst allowance, between %s and %s.",
		Bits(smooth.Sent), Bytes(bad.Step.Value*float64(bad.Size)), percent(bad.Loss.Value), percent(most(rows)), Bytes(fits.Step.Value*float64(fits.Size)), Bytes(bad.Step.Value*float64(bad.Size)))}
}
