package rules

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
)

// Pasted is what was found in texts that people wrote: measurements, tables of measurements, states and counters
// of ports, lines of logs. Its figures have no common clock, so they are compared with one another and not laid
// over each other in time.
type Pasted struct {
	Runs   []Run
	Lists  []List
	Ports  []PortView
	Hosts  []HostView
	Echoes []Echo
	Events []timeline.Event // what logs tell, dated by the devices' own clocks
}

// Run is one measurement of throughput. What the text does not say is nil, 0 or "".
type Run struct {
	Name    string           // "run 3"
	Source  string           // where it stands, as in an Origin's Collector
	Subject timeline.Subject // the path that its samples are about

	Protocol       string // tcp, udp
	Client, Server string // addresses or names
	Streams        int
	Rate           float64  // bit/s, what arrived; 0 if nothing was measured
	Sent           *float64 // bit/s, what was sent, where both are known
	Offered        *float64 // bit/s asked of the sender; 0 is unlimited
	Seconds        float64
	Spread         *float64 // standard deviation of the rate over time, as a share of the rate
	Stalled        float64  // seconds in which nothing arrived, within the test

	Window       *Window  // of the sender, or of the end that printed
	ServerWindow *Window  // of the receiver, where both ends printed
	Steady       *Window  // the congestion window at which the sender stayed all along, while nothing was sent again
	RTT          *float64 // seconds
	Retransmits  *int64
	SenderCPU    *float64 // share of one core
	ReceiverCPU  *float64
	Lost, Total  *int64 // datagrams
	OutOfOrder   *int64
	Overran      bool     // its counter of datagrams ran over: more lost than sent, or less than none
	Line         *float64 // bit/s that the text in front of it says the line, port or card has
	Medium       Medium
	MSSAsked     *int
	MSSGot       *int
}

// Medium is how the text says that the two ends were connected.
type Medium string

// What the text in front of a run may say.
const (
	MediumUnknown Medium = ""
	MediumSwitch  Medium = "switch"
	MediumDirect  Medium = "direct" // a cable, and nothing else
)

// Window is a TCP window or socket buffer in bytes. It was printed with few digits, so it lies between Low and High.
type Window struct {
	Bytes, Low, High float64
	Printed          string // as it stands in the text: "0.01 MByte"
	Default          bool   // the system's own choice, which it may let grow
}

// String returns the window as the text has it, or as a person writes it.
func (w *Window) String() string {
	if w.Printed != "" {
		return w.Printed
	}
	return sizeText(w.Bytes)
}

// same says whether the two can be the same size.
func (w *Window) same(o *Window) bool {
	return w != nil && o != nil && w.Low <= o.High && o.Low <= w.High
}

// List is a table of sizes and the rates measured with them.
type List struct {
	Name    string
	Source  string
	Subject timeline.Subject
	Window  bool // the sizes are TCP windows, as far as the text says
	Points  []Point
}

// Point is one row of a list.
type Point struct {
	Text      string // the row's words
	Size      float64
	Low, High float64 // the size was printed with few digits
	Rate      float64
}

// PortView is what a text shows of one port.
type PortView struct {
	Subject timeline.Subject
	Source  string
	Host    bool // a host's own card, at an end of the path

	Oper, HalfDuplex *bool
	Speed, SpeedMax  *float64 // bit/s
	Load             *float64 // the busier direction's mean rate over the speed
	LoadSeconds      float64  // over how long Load is a mean

	// Counts are how many frames (octets for the two octet counts) were counted within Seconds, of each metric
	// that is known. They are differences, never lifetime totals.
	Counts  map[timeline.Metric]float64
	Octets  float64  // received meanwhile; 0 if not known
	Seconds *float64 // nil: the text does not say how far apart the two snapshots are
	Since   string   // in words: "between the two snapshots"
	// Totals are counted since a moment that is not known or long ago.
	Totals map[timeline.Metric]float64
}

// count returns how many were counted, and whether that is known.
func (p PortView) count(m timeline.Metric) float64 {
	if v, ok := p.Counts[m]; ok {
		return v
	}
	return math.NaN()
}

// EvaluatePasted says what the figures show, best finding first. It is pure.
func EvaluatePasted(p Pasted) []Diagnosis {
	e := &pasted{Pasted: p, full: map[string]line{}, explained: map[string]bool{}}
	e.lines()
	e.sweeps()
	e.windows()
	e.hosts()
	e.datagrams()
	e.ports()
	e.own()
	e.logs()
	e.rest()
	e.join()
	slices.SortStableFunc(e.found, func(a, b Diagnosis) int {
		return cmp.Or(verdictRank(a.Verdict)-verdictRank(b.Verdict), compareBool(b.Fault, a.Fault), -cmp.Compare(a.Confidence, b.Confidence))
	})
	return e.found
}

// join makes one finding of two that name the same cause of the same subject: what a log tells and what counters
// show support each other.
func (e *pasted) join() {
	var out []Diagnosis
	for _, d := range e.found {
		i := slices.IndexFunc(out, func(o Diagnosis) bool { return o.ID() == d.ID() && o.Subject == d.Subject })
		if i < 0 {
			out = append(out, d)
			continue
		}
		a, b := out[i], d
		if verdictRank(b.Verdict) < verdictRank(a.Verdict) || b.Verdict == a.Verdict && b.Confidence > a.Confidence {
			a, b = b, a
		}
		a.Evidence = append(slices.Clone(a.Evidence), b.Evidence...)
		a.Against, a.Missing, a.Next = appendNew(slices.Clone(a.Against), b.Against...), slices.Clone(a.Missing), appendNew(slices.Clone(a.Next), b.Next...)
		a.Events = append(slices.Clone(a.Events), b.Events...)
		a.Confidence = math.Round(min(0.95, a.Confidence+0.05)*100) / 100
		out[i] = a
	}
	e.found = out
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// pasted is one call of EvaluatePasted.
type pasted struct {
	Pasted
	found     []Diagnosis
	full      map[string]line // by run: the line that it fills
	explained map[string]bool // by run: a finding says why it is as it is
}

// claim is a finding in the making: evidence adds to its confidence or takes from it.
type claim struct {
	Diagnosis
	rule  *Rule
	total float64
}

func newClaim(id string, subject timeline.Subject, base float64) *claim {
	c := &claim{Diagnosis: Diagnosis{Chain: []string{id}, Title: strings.ReplaceAll(id, "-", " "), Fault: true, Subject: subject}, total: base}
	all := defaults()
	for i := range all {
		if all[i].ID == id {
			c.rule = &all[i]
			c.Title, c.Fault = all[i].Title, !all[i].Harmless
		}
	}
	return c
}

// limit returns a threshold of the claim's own rule in the catalogue, or ours where it has none.
func (c *claim) limit(name string, ours float64) float64 { return catalogued(c.rule, name, ours) }

func catalogued(r *Rule, name string, ours float64) float64 {
	if r != nil {
		if t, ok := r.Thresholds[name]; ok {
			return t.Value
		}
	}
	return ours
}

// say adds evidence for it.
func (c *claim) say(weight float64, e Evidence) {
	c.total += weight
	c.Evidence = append(c.Evidence, e)
}

// but adds what speaks against it.
func (c *claim) but(weight float64, text string) {
	c.total -= weight
	c.Against = append(c.Against, text)
}

// settle turns the weight of evidence into a verdict; ok is false if there is too little.
func (c *claim) settle(atMost Verdict) (d Diagnosis, ok bool) {
	holds, suspected := 0.7, 0.35
	if c.rule != nil {
		holds, suspected = c.rule.holdsAt(), c.rule.suspectedAt()
	}
	for i := range c.Evidence {
		c.Evidence[i].Text = withoutName(c.Evidence[i])
	}
	c.Confidence = math.Round(min(0.95, max(0, c.total))*100) / 100
	switch {
	case c.total >= holds-1e-9 && atMost == Holds:
		c.Verdict = Holds
	case c.total >= suspected-1e-9:
		c.Verdict = Suspected
		c.Confidence = min(c.Confidence, holds-0.01)
	default:
		return Diagnosis{}, false
	}
	return c.Diagnosis, true
}

// withoutName leaves out of a piece of evidence the name of what it is about, which the report puts in front.
func withoutName(e Evidence) string {
	name := e.Subject.String()
	if e.Subject.Kind == timeline.KindPath || e.Subject.Kind == timeline.KindHost {
		name = e.Subject.Name
	}
	rest, ok := strings.CutPrefix(e.Text, name+" ")
	if !ok || name == "" || strings.HasPrefix(rest, "and ") || strings.HasPrefix(rest, "with ") {
		return e.Text
	}
	return rest
}

func (e *pasted) add(c *claim, atMost Verdict) bool {
	d, ok := c.settle(atMost)
	if ok {
		e.found = append(e.found, d)
	}
	return ok
}

// goodput is the evidence that a run's rate is.
func (r Run) goodput(text string) Evidence {
	v := r.Rate
	return Evidence{Source: r.Source, Subject: r.Subject, Metric: string(timeline.GoodputForward), Value: &v, Unit: "bit/s", Text: text}
}

// figure is a piece of evidence from a run with a value.
func (r Run) figure(m timeline.Metric, v float64, text string) Evidence {
	d, _ := timeline.Describe(m)
	return Evidence{Source: r.Source, Subject: r.Subject, Metric: string(m), Value: &v, Unit: d.Unit, Text: text}
}

// runNames joins the names of runs: "runs 3, 4 and 5".
func runNames(runs []Run) string {
	if len(runs) == 1 {
		return runs[0].Name
	}
	var n []string
	for _, r := range runs {
		n = append(n, strings.TrimPrefix(r.Name, "run "))
	}
	return "runs " + list(n)
}

// sizeText writes a number of bytes as a person does.
func sizeText(v float64) string {
	switch {
	case v >= 1<<30:
		return trim(v/(1<<30)) + " GiB"
	case v >= 1<<20:
		return trim(v/(1<<20)) + " MiB"
	case v >= 1<<10:
		return trim(v/(1<<10)) + " KiB"
	}
	return trim(v) + " bytes"
}
