package pmtu

import (
	"fmt"
	"strings"
)

// Meaning says in a few sentences what was found and what it does to traffic.
func (r Result) Meaning() string {
	if r.MTU == 0 {
		return "Nothing was measured."
	}
	parts := []string{r.there()}
	if back := r.wayBack(); back != "" {
		parts = append(parts, back)
	}
	if r.Believed > 0 && r.Believed < r.MTU {
		parts = append(parts, fmt.Sprintf("This host's kernel takes the path for %d bytes, which is too little: an entry that is old, forged or set by hand.", r.Believed))
	}
	if r.Interrupted {
		parts = append(parts, "There was no time to go to the end: larger packets may pass.")
	}
	return strings.Join(parts, " ")
}

func (r Result) there() string {
	switch r.Ends {
	case Router:
		text := fmt.Sprintf("The path takes %d bytes: %s says of larger packets that its next link takes %d.", r.MTU, who(r.Said.By), r.Said.MTU)
		switch {
		case r.Said.MTU == 0:
			text = fmt.Sprintf("The path takes %d bytes: %s says of larger packets that they are too large, not how large they may be.", r.MTU, who(r.Said.By))
		case r.Said.MTU > r.MTU:
			text += " Packets of that size vanish nevertheless: what goes by the router's word hangs."
		case r.Said.MTU < r.MTU:
			text += " Larger ones pass nevertheless."
		default:
			text += " Hosts that hear it keep to it."
		}
		return text
	case BlackHole:
		return fmt.Sprintf("The path takes %d bytes, and larger packets vanish without a word%s: a black hole. Connections open and hang as soon as they send full segments, unless their MSS is at most %d. Let ICMP %s through, mend the MTU of that link, or clamp the MSS.",
			r.MTU, r.where(), r.MTU-r.headers(), r.message())
	case Unclear:
		return fmt.Sprintf("Packets of %d bytes are answered, larger ones are not, and nobody says why: they or their answers, which are as large, vanish; nothing here answers that would tell which.", r.MTU)
	}
	return fmt.Sprintf("The path takes %d bytes, %s.", r.MTU, r.most())
}

// most says why no larger packet was tried.
func (r Result) most() string {
	if r.MTU >= r.OwnMTU {
		return "as much as this host's own link"
	}
	return "the most that was tried"
}

// where says between which hops the hole is.
func (r Result) where() string {
	switch {
	case r.Behind.TTL == 0 && r.Before.TTL == 0:
		return ""
	case r.Behind.TTL == 0:
		return fmt.Sprintf(" before hop %d (%s)", r.Before.TTL, r.Before.Addr)
	case r.Before.TTL == 0:
		return fmt.Sprintf(" behind hop %d (%s)", r.Behind.TTL, r.Behind.Addr)
	}
	return fmt.Sprintf(" between hop %d (%s) and hop %d (%s)", r.Behind.TTL, r.Behind.Addr, r.Before.TTL, r.Before.Addr)
}

func (r Result) wayBack() string {
	switch {
	case r.Back == 0:
		return "The way back was not measured: the answers are small."
	case r.BackEnds == BlackHole:
		return fmt.Sprintf("The way back takes %d bytes: larger packets arrived there and their answers vanished.", r.Back)
	case r.BackEnds == Router:
		return fmt.Sprintf("The way back takes %d bytes: larger answers came in fragments of at most that.", r.Back)
	case r.BackEnds == OwnLink && r.Back < r.MTU:
		return fmt.Sprintf("The way back takes %d bytes at least: larger answers were not sent.", r.Back)
	case r.BackEnds == OwnLink && r.Ends == OwnLink:
		return "So does the way back."
	case r.BackEnds == OwnLink:
		return fmt.Sprintf("The way back takes %d bytes at least.", r.Back)
	}
	return ""
}

// headers is what IP and TCP take of a full segment.
func (r Result) headers() int {
	if r.Target.Is6() {
		return 60
	}
	return 40
}

// message is the ICMP message that is missing.
func (r Result) message() string {
	if r.Target.Is6() {
		return "\"packet too big\" (type 2)"
	}
	return "\"fragmentation needed\" (type 3, code 4)"
}
