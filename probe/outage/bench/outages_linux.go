package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"whydrop/correlate/timeline"
)

// kinds are the lengths of outages and how many there are of each.
var kinds = []struct {
	length      time.Duration
	quick, full int
}{
	{20 * time.Millisecond, 3, 50},
	{50 * time.Millisecond, 3, 50},
	{200 * time.Millisecond, 3, 50},
	{time.Second, 3, 50},
	{10 * time.Second, 0, 5},
	{60 * time.Second, 0, 3},
}

// tolerance is by how much a length or a start may be wrong: two heartbeats.
const tolerance = 2 * heartbeat

const clock = "15:04:05.000"

// course is what happens on one link.
type course struct {
	means  string // "nftables drop" or "link down"
	where  string // which end
	link   *link
	plan   []time.Duration
	truth  []stretch
	claims []stretch                 // of the heartbeat
	late   map[stretch]time.Duration // by how much this host was late at the ends of a claim, as the claim says itself
	stock  []stretch                 // of iperf3
	host   []stretch                 // not the path's
	unsent []stretch                 // outages in which this host sent no three heartbeats: they cannot be found
	err    error
}

// outages is the figure of outages found and dated.
func outages(ctx context.Context, full bool) error {
	courses := []*course{{means: "nftables drop", where: "b"}, {means: "nftables drop", where: "a"}, {means: "link down", where: "b"}, {means: "link down", where: "a"}}
	n := 0
	for _, k := range kinds {
		count := k.quick
		if full {
			count = k.full
		}
		for range count { // two links share them
			for i := range 2 {
				c := courses[2*i+n%2]
				c.plan = append(c.plan, k.length)
			}
			n++
		}
	}
	var running sync.WaitGroup
	for i, c := range courses {
		var err error
		if c.link, err = newLink(i + 1); err != nil {
			return err
		}
		defer c.link.close()
	}
	for _, c := range courses {
		running.Go(func() { c.err = c.run(ctx) })
	}
	running.Wait()
	for _, c := range courses {
		if c.err != nil {
			return fmt.Errorf("%s: %w", c.means, c.err)
		}
	}
	fmt.Printf("Outages, heartbeat every %s; errors as median, worst\n", heartbeat)
	for _, means := range []string{"nftables drop", "link down"} {
		report(means, courses)
	}
	return nil
}

// run keeps up a heartbeat and iperf3 on the link while its outages happen.
func (c *course) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop, err := c.link.reflector()
	if err != nil {
		return err
	}
	defer stop()
	var arrived []question
	capturing, captured := context.WithCancel(ctx)
	defer captured()
	if err := c.link.questions(capturing, port, func(qs []question) { arrived = qs }); err != nil {
		return err
	}
	stock, err := c.link.stockTCP()
	if err != nil {
		return err
	}
	var s timeline.Snapshot
	var beating sync.WaitGroup
	var beatErr error
	beating.Go(func() { s, beatErr = c.link.beats(ctx) })
	when, actErr := c.happen(ctx)
	select {
	case <-ctx.Done():
	case <-time.After(1500 * time.Millisecond): // a heartbeat is held for lost after a second
	}
	cancel()
	beating.Wait()
	c.link.captureEnded.Wait()
	c.stock = stock()
	if err := errorOf(actErr, beatErr, c.link.captureFailure); err != nil {
		return err
	}
	if c.truth = when; c.means == "link down" {
		c.truth = missing(arrived)
	} else {
		for _, t := range c.truth {
			if within(arrived, t) < 3 {
				c.unsent = append(c.unsent, t)
			}
		}
	}
	c.late = map[stretch]time.Duration{}
	for _, e := range s.EventsOf(path, timeline.EventOutage) {
		if c.means == "link down" && e.Attrs["direction"] == timeline.Reverse {
			continue // the capture is of the way there; the way back may be dark for longer, until neighbours know each other
		}
		claim := stretch{e.Span.From, e.Span.To}
		c.claims = append(c.claims, claim)
		if late, err := strconv.ParseFloat(e.Attrs["host_late_ms"], 64); err == nil {
			c.late[claim] = time.Duration(late * 1e6)
		}
	}
	c.host = hostGaps(s)
	return nil
}

func errorOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// happen makes the outages of the plan and returns when it is over. When a drop is in force is known; when a link is down
// is for a capture to say.
func (c *course) happen(ctx context.Context) (when []stretch, err error) {
	ns := c.link.b
	if c.where == "a" {
		ns = c.link.a
	}
	// TCP comes back late; a link that comes up does so within a second (linkwatch).
	after := func(d time.Duration) time.Duration {
		return 1200*time.Millisecond + min(d/2, 5*time.Second) + rand.N(2*heartbeat)
	}
	at := time.Now().Add(time.Second)
	if c.means == "link down" {
		pause(ctx, at)
		for _, d := range c.plan {
			down := exec.Command("ip", "-n", ns, "link", "set", "wdob", "down").Run()
			pause(ctx, time.Now().Add(d))
			up := exec.Command("ip", "-n", ns, "link", "set", "wdob", "up").Run()
			if err = errorOf(err, down, up); err != nil {
				return nil, err
			}
			pause(ctx, time.Now().Add(after(d)))
		}
		return nil, nil
	}
	for _, d := range c.plan {
		when = append(when, stretch{at, at.Add(d)})
		at = at.Add(d + after(d))
	}
	if err = dropAt(ns, when); err == nil {
		pause(ctx, at)
	}
	return when, err
}

func pause(ctx context.Context, until time.Time) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(until)):
	}
}

// score is how well outages of one length were found.
type score struct {
	total, found int
	excused      int // beside a gap of the host's own, or off because it was late
	unsent       int // not found, and this host stood still or sent fewer than three heartbeats in it
	width, start []time.Duration
	off          []pair // those whose length or start missed its goal
}

// pair is an outage and what was claimed of it.
type pair struct{ truth, claim stretch }

// judge holds claims against the truth; false ones belong to none. Those unsent, or in a gap of the host's own, need not
// be found. What is off by no more than a claim says that this host was late at its ends is the host's.
func judge(truth, claims []stretch, late map[stretch]time.Duration, host, unsent []stretch) (byLength map[time.Duration]*score, wrong []stretch) {
	byLength = map[time.Duration]*score{}
	used := make([]bool, len(claims))
	for _, t := range truth {
		s := byLength[bucket(t)]
		if s == nil {
			s = new(score)
			byLength[bucket(t)] = s
		}
		s.total++
		best := -1
		for i, c := range claims {
			if c.overlaps(t, 4*heartbeat) {
				used[i] = true
				if best < 0 || (c.width()-t.width()).Abs() < (claims[best].width()-t.width()).Abs() {
					best = i
				}
			}
		}
		if best < 0 && (slices.Contains(unsent, t) || slices.ContainsFunc(host, func(h stretch) bool { return h.overlaps(t, heartbeat) })) {
			s.unsent++
		}
		if best < 0 {
			continue
		}
		s.found++
		width, start := claims[best].width()-t.width(), claims[best].from.Sub(t.from)
		off := max(width.Abs(), start.Abs())
		if off > tolerance && off <= tolerance+late[claims[best]] || slices.ContainsFunc(host, func(h stretch) bool {
			return h.overlaps(stretch{t.from, t.from}, 2*heartbeat) || h.overlaps(stretch{t.to, t.to}, 2*heartbeat)
		}) {
			s.excused++
			continue
		}
		s.width, s.start = append(s.width, width), append(s.start, start)
		if off > tolerance {
			s.off = append(s.off, pair{t, claims[best]})
		}
	}
	for i, c := range claims {
		if !used[i] {
			wrong = append(wrong, c)
		}
	}
	return byLength, wrong
}

// bucket returns the planned length that a stretch is nearest to from below: a link needs time to come back.
func bucket(s stretch) time.Duration {
	out := kinds[0].length
	for _, k := range kinds {
		if s.width() >= k.length-4*heartbeat/2 {
			out = k.length
		}
	}
	return out
}

func report(means string, courses []*course) {
	fmt.Printf("\n%-14s %8s  %-42s | iperf3 -i 0.1\n", means, "outage", "found   length             start")
	ours, theirs := map[time.Duration]*score{}, map[time.Duration]*score{}
	var wrong, stockWrong []stretch
	host, planned := 0, 0
	for _, c := range courses {
		if c.means != means {
			continue
		}
		o, w := judge(c.truth, c.claims, c.late, c.host, c.unsent)
		t, sw := judge(c.truth, c.stock, nil, nil, nil)
		merge(ours, o)
		merge(theirs, t)
		wrong, stockWrong, host = append(wrong, w...), append(stockWrong, sw...), host+len(c.host)
		planned += len(c.plan)
	}
	all := score{}
	for _, k := range kinds {
		o, t := ours[k.length], theirs[k.length]
		if o == nil {
			continue
		}
		fmt.Printf("%-14s %8s  %s | %s\n", "", k.length, o, t)
		all.total, all.found, all.excused = all.total+o.total, all.found+o.found, all.excused+o.excused
		all.unsent += o.unsent
		all.width, all.start, all.off = append(all.width, o.width...), append(all.start, o.start...), append(all.off, o.off...)
	}
	goal(all.found+all.unsent == all.total, "all found: %d of %d; in %d others this host did not send as it should", all.found, all.total, all.unsent)
	goal(worst(all.width) <= tolerance, "length within 10 ms: worst %s", ms(worst(all.width)))
	goal(worst(all.start) <= tolerance, "start within 10 ms: worst %s", ms(worst(all.start)))
	for _, p := range all.off {
		fmt.Printf("    off: %s for %s was claimed to be %s for %s\n", p.truth.from.Format(clock), ms(p.truth.width()), p.claim.from.Format(clock), ms(p.claim.width()))
	}
	goal(len(wrong) == 0, "no false outage: %d", len(wrong))
	for _, w := range wrong {
		fmt.Printf("    false: %s for %s\n", w.from.Format(clock), ms(w.width()))
	}
	fmt.Printf("  %d times it was made dark; %d of them beside one of %d gaps of this host's own or off by what the claim says this host was late, left out of the errors; iperf3's stalls that are no outage: %d\n",
		planned, all.excused, host, len(stockWrong))
}

func merge(into, from map[time.Duration]*score) {
	for k, s := range from {
		if into[k] == nil {
			into[k] = new(score)
		}
		t := into[k]
		t.total, t.found, t.excused = t.total+s.total, t.found+s.found, t.excused+s.excused
		t.unsent += s.unsent
		t.width, t.start, t.off = append(t.width, s.width...), append(t.start, s.start...), append(t.off, s.off...)
	}
}

// String returns a line of the table.
func (s *score) String() string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("%2d/%-2d", s.found, s.total)
	if len(s.width) > 0 {
		text += fmt.Sprintf("  %8s %8s  %8s %8s", ms(median(s.width)), ms(worst(s.width)), ms(median(s.start)), ms(worst(s.start)))
	}
	return fmt.Sprintf("%-42s", text)
}

func median(ds []time.Duration) time.Duration {
	if len(ds) == 0 {
		return 0
	}
	ds = slices.Sorted(slices.Values(ds))
	return ds[len(ds)/2]
}

// worst returns the largest error without its sign.
func worst(ds []time.Duration) (w time.Duration) {
	for _, d := range ds {
		w = max(w, d.Abs())
	}
	return w
}

func ms(d time.Duration) string {
	return strings.TrimSpace(fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)))
}
