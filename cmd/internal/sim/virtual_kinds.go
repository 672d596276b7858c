package sim

import (
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/outage"
)

// kind is a further kind of heartbeat on the path, beside the one that a reflector answers.
type kind int

const (
	echoes kind = iota
	connects
	queries
	kinds // how many there are
)

// kindNames are the collectors of the kinds, as in runner.Kinds.
var kindNames = [kinds]string{echoes: "icmp", connects: "tcp-connect", queries: "dns"}

// kindTime is the time between two heartbeats of a further kind.
const kindTime = 100 * time.Millisecond

// kindBeat keeps up one further kind.
type kindBeat struct {
	kind kind
	book *outage.Book
	back []beatBack
}

// startKinds opens a book for every further kind of the story.
func (p *virtualProbe) startKinds() {
	for _, k := range p.v.story.kinds {
		name := kindNames[k]
		p.kinds = append(p.kinds, &kindBeat{kind: k, book: outage.New(outage.Config{
			Path: p.path, Collector: name + ":" + p.path.Name, Kind: name, To: p.v.story.hostB, Heartbeat: kindTime, Out: p.out,
		}, p.v.begun)})
		p.out.Put(timeline.Event{Subject: p.path, Type: timeline.EventProbeStart, Span: timeline.At(p.v.begun), Text: name + " to " + p.v.story.hostB,
			Attrs: map[string]string{"kind": name, "to": p.v.story.hostB}, Origin: timeline.Origin{Collector: name + ":" + p.path.Name}})
	}
}

// beatKinds sends one heartbeat of each further kind, and enters what has come back.
func (p *virtualProbe) beatKinds(at time.Duration) {
	c := p.v.story.path.at(at)
	for _, k := range p.kinds {
		k.arrive(p, at)
		n := k.book.Sent(p.v.begun.Add(at))
		lost := c.dark[forward] || c.dark[reverse] || p.dice.Float64() < 1-(1-c.loss[forward])*(1-c.loss[reverse]) || p.dice.Float64() < c.kindLoss[k.kind]
		if !lost {
			k.back = append(k.back, beatBack{number: n, at: at + p.crossing(c, forward) + p.crossing(c, reverse)})
		}
	}
}

func (k *kindBeat) arrive(p *virtualProbe, now time.Duration) {
	rest := k.back[:0]
	for _, b := range k.back {
		if b.at > now {
			rest = append(rest, b)
			continue
		}
		k.book.Answer(outage.Answer{Number: b.number, At: p.v.begun.Add(b.at), Exact: true})
	}
	k.back = rest
}

func (p *virtualProbe) advanceKinds(at time.Duration, end bool) {
	for _, k := range p.kinds {
		k.arrive(p, at)
		if k.book.Advance(p.v.begun.Add(at)); end {
			k.book.Close(p.v.begun.Add(at))
		}
	}
}

// busy is the share of time in which TCP has data under way: nearly all of it, unless the program feeds it little at a time.
func (c condition) busy(s *Story) float64 {
	if c.feeds <= 0 || c.feeds >= s.offered {
		return 1
	}
	return 0.05 + 0.3*c.feeds/s.offered
}
