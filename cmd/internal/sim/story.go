package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// Outage is a stretch without delivery that a story makes, as offsets from its beginning.
type Outage struct {
	From, To  time.Duration
	Direction string // timeline.Forward, Reverse or Both
	SeenBy    string // timeline.SeenByHeartbeat or SeenByTCP
}

// Moment is something that happens to a device, as an offset from the story's beginning. Found events are dated
// against it.
type Moment struct {
	Device, Port string // Port is "" for the device itself
	Type         timeline.EventType
	To           string // the value that the event leads to, Attrs["to"]; "" if the type has none
	At           time.Duration
}

// Truth is the right answer to a story.
type Truth struct {
	Chain        []string // cause ids, root first; empty if nothing is wrong
	Device, Port string   // the subject; "" if nothing is wrong, Port also for a whole device or host
	Verdict      string   // holds or cannot-tell; "" if nothing is wrong
	Outages      []Outage // in order of their beginning
	Events       []Moment
	Also         []string `json:",omitempty"` // causes that are at work beside the chain, and may be found, too
}

// Story is one scenario as a seed drew it: the site, what happens there and when, and the truth. It is run once,
// by [Start].
type Story struct {
	Name   string
	Seed   uint64
	Help   string        // one sentence: what happens
	Length time.Duration // from the beginning to when everything has been seen
	Truth  Truth

	*campus
	quick      bool
	kinds      []kind        // further heartbeats
	unpunctual time.Duration // by how much polls come late at most
	trials     []trial       // tests that somebody makes while it lasts, in the order in which they were written down
	offered    float64       // what the probe sends, bit/s
	slow       float64       // what the far end's program reads at most, bit/s; 0 as fast as it can
}

// scenario is one kind of story.
type scenario struct {
	help   string
	draw   func(*Story)
	egress *model // of the far switch; nil lets chance decide
	live   bool   // sockets can tell it, too: it needs nothing that only the virtual probe knows. All of names are
}

// Default is the scenario of a demo that names none.
const Default = "stp-reconvergence"

// names lists the scenarios in the order they are shown in.
var names = []string{
	Default, "bad-cable", "speed-fallback", "oversubscription", "port-flap",
	"duplex-mismatch", "tcp-window", "host-limit", "collector-blind", "healthy",
}

// scenarios is the list of scenarios: a new one is one line here and in names.
var scenarios = map[string]scenario{
	Default:            {help: "spanning tree moves the path to the other firewall, which does not know the connections, and back", draw: drawReconvergence},
	"bad-cable":        {help: "a cable on the path corrupts frames in one direction", draw: drawBadCable},
	"speed-fallback":   {help: "a gigabit link on the path runs at 100 Mbit/s", draw: drawSpeedFallback},
	"oversubscription": {help: "more traffic than a slower port on the path can send", draw: drawOversubscription},
	"port-flap":        {help: "a port on the path loses its carrier a few times", draw: drawPortFlap},
	"duplex-mismatch":  {help: "one end of a link on the path runs at half duplex, the other at full", draw: drawDuplexMismatch},
	"tcp-window":       {help: "the receiver's window is too small for the path's delay", draw: drawTCPWindow},
	"host-limit":       {help: "the far end's program is too slow to read what arrives", draw: drawHostLimit},
	"collector-blind":  {help: "a device on the path falls silent, and then traffic drops", draw: drawCollectorBlind},
	"healthy":          {help: "nothing happens on the path", draw: drawHealthy},
}

// Names returns the scenarios' names, the default first.
func Names() []string { return slices.Clone(names) }

// Options change how a story is drawn.
type Options struct {
	// Quick draws a story of at most twelve seconds, for tests.
	Quick bool
}

// Draw returns the story of a scenario for a seed. Equal arguments give equal stories.
func Draw(name string, seed uint64, opt Options) (*Story, error) {
	sc, ok := scenarios[name]
	if !ok {
		sc, ok = figureOnly(name)
	}
	if !ok {
		return nil, fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(names, ", "))
	}
	s := &Story{Name: name, Seed: seed, Help: sc.help, quick: opt.Quick}
	d := newDraw(name, seed)
	if name == "oversubscription" {
		sc.egress = catalyst2960
	}
	s.campus = newCampus(d, sc.egress)
	s.offered = float64(s.number(10, 24)) * 1e6
	sc.draw(s)
	slices.SortStableFunc(s.Truth.Outages, func(a, b Outage) int { return int(a.From - b.From) })
	slices.SortStableFunc(s.Truth.Events, func(a, b Moment) int { return int(a.At - b.At) })
	return s, nil
}

// blame sets the right answer.
func (s *Story) blame(p *port, chain ...string) {
	s.Truth.Chain, s.Truth.Verdict = chain, "holds"
	s.Truth.Device, s.Truth.Port = s.deviceOf(p).name, p.ifName()
}

func (s *Story) outage(seenBy, direction string, from, to time.Duration) {
	s.Truth.Outages = append(s.Truth.Outages, Outage{from, to, direction, seenBy})
}

func (s *Story) moment(d *device, p *port, t timeline.EventType, to string, at time.Duration) {
	m := Moment{Device: d.name, Type: t, To: to, At: at}
	if p != nil {
		m.Port = p.ifName()
	}
	s.Truth.Events = append(s.Truth.Events, m)
}

// begins draws when the first thing happens: late enough that the probe and the devices have been seen in peace.
func (s *Story) begins() time.Duration {
	if s.quick {
		return s.between(3500*time.Millisecond, 4*time.Second)
	}
	return s.between(7*time.Second, 10*time.Second)
}

// tail is how long a story goes on after its last event, so that the device's log and counters are still read.
const tail = 5 * time.Second

// ends sets the story's length from its last event.
func (s *Story) ends(last time.Duration) {
	s.Length = last + tail
	if s.quick {
		s.Length = last + 3500*time.Millisecond
	}
}

// distract makes an access port elsewhere flap and another port off the path take CRC errors, somewhere between
// two moments and in either order. Neither has anything to do with the path.
func (s *Story) distract(from, to time.Duration) {
	where := []*device{s.near, s.far}
	s.Shuffle(2, func(i, j int) { where[i], where[j] = where[j], where[i] })
	flapping, erring := s.idle[where[0]][0], s.idle[where[s.IntN(2)]][1]
	for _, p := range []*port{flapping, erring} {
		d := s.deviceOf(p)
		d.off = append(d.off, p)
	}
	down := s.between(from, to-2*time.Second)
	up := down + s.between(1300*time.Millisecond, 2500*time.Millisecond)
	d := s.deviceOf(flapping)
	d.flap(flapping, down, up)
	if d.blind == 0 { // else nobody can see it
		s.moment(d, flapping, timeline.EventOper, "down", down)
		s.moment(d, flapping, timeline.EventOper, "up", up)
	}
	start := s.between(from, to-2*time.Second)
	rate := s.real(4, 60)
	until := start + s.between(3*time.Second, 12*time.Second)
	s.between(3*time.Second, 12*time.Second) // unused: so that everything drawn after it stays what it was
	for _, c := range []counter{fcsErrors, inErrors} {
		erring.flows = append(erring.flows, flow{c, start, until, rate})
	}
}
