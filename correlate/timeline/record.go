package timeline

import (
	"cmp"
	"time"
)

// Kind says what a [Subject] is.
type Kind uint8

// The kinds of subjects.
const (
	KindPath   Kind = iota + 1 // an end-to-end path that is probed
	KindDevice                 // a switch, router or firewall as a whole
	KindPort                   // one interface of a device
	KindHost                   // an end of a probe: the tester itself or the far end
)

// String returns the kind as it appears in files: "path", "device", "port" or "host".
func (k Kind) String() string {
	switch k {
	case KindPath:
		return "path"
	case KindDevice:
		return "device"
	case KindPort:
		return "port"
	case KindHost:
		return "host"
	}
	return "unknown"
}

// Subject is what a record is about. It is comparable and can be a map key.
type Subject struct {
	Kind   Kind
	Device string // the device's name in the site file; "" for a path or a host
	Name   string // the path's name, the port's own ifName, or the host's name; "" for a device
}

// Path returns the subject for the path called name in the site file.
func Path(name string) Subject { return Subject{Kind: KindPath, Name: name} }

// Device returns the subject for a device as a whole.
func Device(name string) Subject { return Subject{Kind: KindDevice, Device: name} }

// Port returns the subject for one port, by the device's own spelling of its ifName.
func Port(device, port string) Subject { return Subject{Kind: KindPort, Device: device, Name: port} }

// Host returns the subject for an end of a probe: [LocalHost] or a far end's address or name.
func Host(name string) Subject { return Subject{Kind: KindHost, Name: name} }

// LocalHost is the name of the host that runs whydrop, as in Host(LocalHost).
const LocalHost = "local"

// String returns the subject as a person writes it: "sw1 Gi1/0/1", "sw1", "path a-b", "host local".
func (s Subject) String() string {
	switch s.Kind {
	case KindPort:
		return s.Device + " " + s.Name
	case KindDevice:
		return s.Device
	}
	return s.Kind.String() + " " + s.Name
}

// Compare orders subjects by kind, device and name.
func (s Subject) Compare(t Subject) int {
	return cmp.Or(cmp.Compare(s.Kind, t.Kind), cmp.Compare(s.Device, t.Device), cmp.Compare(s.Name, t.Name))
}

// Span is a half-open stretch of time on the probe's clock. The span of an event says how surely it is dated:
// the event happened once, somewhere between From and To.
type Span struct{ From, To time.Time }

// At returns the span of no length at t.
func At(t time.Time) Span { return Span{t, t} }

// Around returns the span t-d to t+d: an event dated to ±d.
func Around(t time.Time, d time.Duration) Span { return Span{t.Add(-d), t.Add(d)} }

// Width returns the span's length.
func (s Span) Width() time.Duration { return s.To.Sub(s.From) }

// Mid returns the middle of the span, the best single moment for it.
func (s Span) Mid() time.Time { return s.From.Add(s.Width() / 2) }

// IsZero says whether the span was never set.
func (s Span) IsZero() bool { return s.From.IsZero() && s.To.IsZero() }

// Overlaps says whether the two spans share a moment; touching spans do.
func (s Span) Overlaps(t Span) bool { return !s.From.After(t.To) && !t.From.After(s.To) }

// Widen returns the span made longer by before and after.
func (s Span) Widen(before, after time.Duration) Span {
	return Span{s.From.Add(-before), s.To.Add(after)}
}

// Union returns the shortest span that holds both; a zero span adds nothing.
func (s Span) Union(t Span) Span {
	if s.IsZero() {
		return t
	}
	if t.IsZero() {
		return s
	}
	if t.From.Before(s.From) {
		s.From = t.From
	}
	if t.To.After(s.To) {
		s.To = t.To
	}
	return s
}

// Origin leads from a record back to the bytes it was made from: the collector or probe that had the
// exchange, and that exchange's number within this run. The zero Origin means that the record was derived.
type Origin struct {
	Collector string // e.g. "snmp:sw1", "ssh:sw1", "stamp:a-b", "iperf3:a-b"
	Exchange  uint64 // counts from 1 per collector
}

// Record is one thing that is known: a [Sample], an [Event] or a [Gap]. The set is closed.
type Record interface {
	About() Subject
	Covers() Span
	record()
}

// Sample is one figure over a span of time, never a lifetime total: a rate, a ratio, a state or a length,
// in the unit of its metric.
type Sample struct {
	Subject
	Metric Metric
	Span   Span
	Value  float64 // never NaN or infinite; what is not known is a Gap
	Origin Origin
}

// Event is something that happened once within its span. A stretch of time (an outage) is an event whose
// span is the stretch and whose dating error is in Attrs["error_ms"].
type Event struct {
	Subject
	Type   EventType
	Span   Span
	Text   string            // the device's own words where it has any, verbatim; else a sentence of ours
	Attrs  map[string]string // see the EventType for its keys; not to be changed after Put
	Origin Origin
}

// Gap says that a reading was wanted and is not there, and why. An empty Metric means every metric of the
// subject. A gap is never read as 0 and never as healthy.
type Gap struct {
	Subject
	Metric Metric
	Span   Span
	Reason Reason
	Text   string // the error or the device's words, safe to show
	Origin Origin
}

// About returns what the sample is about.
func (s Sample) About() Subject { return s.Subject }

// Covers returns the time the sample's value is for.
func (s Sample) Covers() Span { return s.Span }
func (Sample) record()        {}

// About returns what the event happened to.
func (e Event) About() Subject { return e.Subject }

// Covers returns the time within which the event happened.
func (e Event) Covers() Span { return e.Span }
func (Event) record()        {}

// About returns what was not read.
func (g Gap) About() Subject { return g.Subject }

// Covers returns the time for which nothing is known.
func (g Gap) Covers() Span { return g.Span }
func (Gap) record()        {}

// Reason says why a reading is missing.
type Reason string

// The reasons for a gap.
const (
	ReasonTimeout     Reason = "timeout"      // asked, no answer in time
	ReasonUnreachable Reason = "unreachable"  // refused, no route, connection lost
	ReasonAuth        Reason = "auth"         // the device refused the credentials or the host key
	ReasonUnsupported Reason = "unsupported"  // the device says it has no such reading
	ReasonReset       Reason = "reset"        // a reboot, a clear or a renumbering lies inside the interval
	ReasonSuspect     Reason = "suspect"      // the counter went backwards or beyond line rate; not believed
	ReasonPartial     Reason = "partial"      // the answer was cut short
	ReasonBackoff     Reason = "backoff"      // not asked, to spare the device
	ReasonHost        Reason = "host"         // the measuring host itself could not keep up
	ReasonPeer        Reason = "peer-missing" // the far end does not run, so this direction cannot be told
	ReasonStopped     Reason = "stopped"      // the recording or the probe was stopped
)

// Sink takes records. Put may be called from several goroutines, does not block for long and does not change
// the record; the caller does not change it afterwards either.
type Sink interface{ Put(Record) }

// SinkFunc makes a function a [Sink].
type SinkFunc func(Record)

// Put calls f.
func (f SinkFunc) Put(r Record) { f(r) }

// Tee returns a sink that puts each record into every one of sinks, in order.
func Tee(sinks ...Sink) Sink {
	return SinkFunc(func(r Record) {
		for _, s := range sinks {
			s.Put(r)
		}
	})
}

// Exchange is one question to a device or a peer and its raw answer, kept so that every figure can be traced
// to bytes. Secrets are not in it: a collector leaves credentials out before it hands an exchange over.
type Exchange struct {
	Origin  Origin
	Subject Subject
	Span    Span
	Request string // e.g. "show interfaces", "GET sysUpTime.0 …"
	Reply   []byte // raw text, or an encoding the collector's package documents
}

// Tape keeps exchanges. Keep may be called from several goroutines and must not block for long.
type Tape interface{ Keep(Exchange) }
