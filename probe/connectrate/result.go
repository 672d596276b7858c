package connectrate

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Table is a table of connections of this host's own.
type Table struct {
	Used, Size int // 0: not known
}

func (t Table) full() bool { return t.Size > 0 && t.Used*20 >= t.Size*19 }

// Result is what became of the new connections.
type Result struct {
	Target      netip.Addr
	Port        uint16
	Rate        float64 // asked for
	Started     time.Time
	Seconds     float64
	Attempts    []Attempt // by the time they began
	Slow, Fast  Counts    // of the slow turns, at a quarter of the rate, and of the fast ones
	SlowTime    time.Duration
	FastTime    time.Duration
	Established []Established // none: no session could be had
	Own         Table         // this host's table of connections, at its fullest before or after
	refused     bool          // a refusal is the far host's answer
}

func (r *run) conclude(e *[2]Established) Result {
	res := r.result
	res.Port, res.Started = r.port, r.start.Round(0).UTC()
	res.Attempts = r.attempts
	slices.SortFunc(res.Attempts, func(a, b Attempt) int { return cmp.Compare(a.At, b.At) })
	end := min(r.cfg.Time, time.Since(r.start))
	res.Seconds = end.Seconds()
	for at := time.Duration(0); at < end; at += 10 * time.Millisecond {
		if r.cfg.fast(at) {
			res.FastTime += 10 * time.Millisecond
		} else {
			res.SlowTime += 10 * time.Millisecond
		}
	}
	for _, x := range e {
		if x.Kind != "" {
			res.Established = append(res.Established, x)
		}
	}
	res.Own = r.before
	if after := ownTable(); after.Used > res.Own.Used {
		res.Own = after
	}
	res.count()
	return res
}

// count sorts the attempts by turns and decides what a refusal is.
func (r *Result) count() {
	r.Slow, r.Fast = Counts{}, Counts{}
	for _, a := range r.Attempts {
		if a.Fast {
			r.Fast[a.Fate]++
		} else {
			r.Slow[a.Fate]++
		}
	}
	r.refused = r.Slow[Accepted]+r.Fast[Accepted] == 0
}

// Second is what became of the connections that began in one second.
type Second struct {
	From   time.Duration // since the beginning
	Counts Counts
}

// BySecond counts the attempts second by second.
func (r Result) BySecond() []Second {
	var out []Second
	for _, a := range r.Attempts {
		from := a.At.Truncate(time.Second)
		for len(out) == 0 || out[len(out)-1].From < from {
			next := time.Duration(len(out)) * time.Second
			out = append(out, Second{next, Counts{}})
		}
		out[len(out)-1].Counts[a.Fate]++
	}
	return out
}

// nothing says whether nothing answered at all.
func (r Result) nothing() bool {
	for _, e := range r.Established {
		if e.Known {
			return false
		}
	}
	all := countOf(r.Attempts)
	return all[Silent]+all[Host] == all.All()
}

// Failed returns how many of some attempts did not get through.
func (r Result) Failed(c Counts) int {
	n := c[Silent] + c[Rejected]
	if !r.refused {
		n += c[Refused]
	}
	return n
}

// through says whether an attempt got through.
func (r Result) through(a Attempt) bool {
	return a.Fate == Accepted || a.Fate == Refused && r.refused
}

// tried returns how many attempts left this host.
func tried(c Counts) int { return c.All() - c[Host] }

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// few is how many failures are too few to conclude anything from.
const few = 3

// Meaning says in a few sentences what was found.
func (r Result) Meaning() string {
	all := countOf(r.Attempts)
	failed, n := r.Failed(all), tried(all)
	text := ""
	switch {
	case n == 0:
		return "This host could not open connections: " + r.why(Host) + "."
	case failed == 0 && n < few:
		text = fmt.Sprintf("None of the new connections failed, %d in all: too few to conclude anything from.", n)
	case failed == 0:
		text = fmt.Sprintf("All of %d new connections got through, up to %.0f a second: the path admits new sessions.", n, r.rate(r.Fast, r.FastTime))
		if r.refused && all[Refused] > 0 {
			text += fmt.Sprintf(" Nothing listens on port %d there: that the far host refuses them is its own answer.", r.Port)
		}
	case failed < few && share(failed, n) < 0.1:
		text = fmt.Sprintf("%d of %d new connections did not get through: too few to conclude anything from.", failed, n)
	default:
		text = fmt.Sprintf("%d of %d new connections did not get through (%s)%s.", failed, n, r.how(), r.meanwhile()) + " " + r.cause()
	}
	if all[Host] > 0 {
		text += fmt.Sprintf(" %d more could not be tried: %s.", all[Host], r.why(Host))
	}
	if r.Own.full() {
		text += fmt.Sprintf(" This host's own connection table is full (%d of %d): it may be the culprit.", r.Own.Used, r.Own.Size)
	}
	return text
}

func (r Result) rate(c Counts, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(c.All()) / d.Seconds()
}

// how lists the ways in which connections failed.
func (r Result) how() string {
	all := countOf(r.Attempts)
	var parts []string
	add := func(f Fate, what string) {
		if all[f] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", all[f], what))
		}
	}
	add(Silent, "without an answer")
	if !r.refused {
		add(Refused, "refused")
	}
	add(Rejected, "rejected: "+r.why(Rejected))
	return strings.Join(parts, ", ")
}

// why returns what the system said of one of the attempts with a fate.
func (r Result) why(f Fate) string {
	for _, a := range r.Attempts {
		if a.Fate == f {
			return a.Why
		}
	}
	return "not known"
}

// meanwhile says what the established sessions did.
func (r Result) meanwhile() string {
	fine, broken, known := r.sessions()
	switch {
	case !known:
		return "; no established session could be watched beside them"
	case fine && !broken:
		return ", while the established session went on"
	case fine:
		return ", while one of the established sessions went on and the other did not"
	}
	return ", nor did the established session go on"
}

// sessions says whether established sessions went on, broke, and whether any of that is known.
func (r Result) sessions() (fine, broken, known bool) {
	for _, e := range r.Established {
		if e.Known {
			known = true
			fine, broken = fine || e.Fine(), broken || !e.Fine()
		}
	}
	return fine, broken, known
}

// cause says what fails new connections so.
func (r Result) cause() string {
	fine, _, known := r.sessions()
	switch {
	case known && !fine:
		return "That is an outage or heavy loss of the path, not a full table."
	case r.limitReached() > 0:
		return fmt.Sprintf("The first %d got through, then hardly any: a limit on the sessions of one host or to one port that these connections themselves reached, or a table that became full.", r.limitReached())
	case r.onlyFast():
		return fmt.Sprintf("At %.0f a second all got through, at %.0f a second %.0f a second do: something on the path limits new connections (SYN rate limit, SYN flood guard), or the far host's queue of new connections is full.",
			r.rate(r.Slow, r.SlowTime), r.rate(r.Fast, r.FastTime), float64(tried(r.Fast)-r.Failed(r.Fast))/max(r.FastTime.Seconds(), 1e-9))
	}
	text := "They fail at any rate: something on the path admits no new sessions, or only some: a full session, connection-tracking or NAT table, or NAT that is out of ports; look at the session counts of the firewalls on the path."
	if !known {
		text = "They fail at any rate: loss on the path, or something that admits no new sessions (a full session or NAT table); an established session would tell which."
	}
	return text
}

// onlyFast says whether connections fail at the full rate only.
func (r Result) onlyFast() bool {
	return tried(r.Slow) >= 5 && r.Failed(r.Slow) == 0 && share(r.Failed(r.Fast), tried(r.Fast)) > 0.2
}

// limitReached returns after how many connections that got through nearly none did any more; 0 if that is not how it
// went.
func (r Result) limitReached() int {
	good, best, at := 0, 0.0, 0
	total := 0
	for _, a := range r.Attempts {
		if r.through(a) {
			total++
		}
	}
	for i, a := range r.Attempts {
		if r.through(a) {
			good++
		}
		before, after := share(good, i+1), share(total-good, len(r.Attempts)-i-1)
		if i+1 >= 5 && len(r.Attempts)-i-1 >= 5 && before-after > best {
			best, at = before-after, good
		}
	}
	if best < 0.9 {
		return 0
	}
	return at
}
