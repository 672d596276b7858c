// Package devices is the contract between whydrop and the switches, routers and firewalls on a path.
//
// A [Collector] asks one device and returns a [Reading]: what it said, unchanged, with what it did not say
// marked as such. [Differ] turns two consecutive readings into records; it is the only place where counters
// are subtracted. Sessions, walks and parsers lie below: snmp (RFC 3416, RFC 3414), cli (SSH), parse (texts).
//
// Access is read-only by construction: the SNMP client encodes no SetRequest and the CLI sends only commands
// of an allow-list.
package devices

import (
	"context"
	"net/netip"
	"time"

	"whydrop/correlate/timeline"
)

// Device is what the site file says of a device: where it is and how to ask it. It holds secrets; never print it.
type Device struct {
	Name     string     // unique in the site
	Address  string     // host name, IPv4 or IPv6 address (zone allowed), without port
	Platform string     // a name of cli.Platforms or another name of it; "" is found out where a command line is used
	Role     string     // switch, router, firewall, host; "" is switch
	Peer     string     // the other unit of a redundant pair; "" if there is none
	Ports    []string   // ports on the path, in the device's own spelling of ifName
	OffPath  []string   // ports to watch that are not on any path
	Follow   []string   // MAC and IP addresses to look for in its forwarding database and neighbour cache
	SNMP     *SNMP      // nil: not asked by SNMP
	SSH      *SSH       // nil: not asked by SSH
	Source   netip.Addr // source address to ask from; the zero Addr lets the system choose
}

// Watched returns the ports to poll: those on the path, then those off it.
func (d Device) Watched() []string { return append(append([]string(nil), d.Ports...), d.OffPath...) }

// SNMP is how to ask a device by SNMP.
type SNMP struct {
	Version   string        // "1", "2c" or "3"
	Port      uint16        // 0 is 161
	Timeout   time.Duration // per request; 0 is 1 s
	Retries   int           // after the first try; negative is 0, 0 is 1
	Community Secret        // v1, v2c
	// AnySource accepts answers from other addresses than the one that was asked, if they have the request's number:
	// for routers that answer from another interface. The reading says where they came from.
	AnySource bool

	User     string // v3
	Level    string // noAuthNoPriv, authNoPriv, authPriv; "" follows from which pass phrases are set
	Auth     string // MD5, SHA, SHA-224, SHA-256, SHA-384, SHA-512; "" is SHA
	AuthPass Secret
	Priv     string // DES, AES (128), AES-192, AES-256, AES-192-C, AES-256-C; "" is AES
	PrivPass Secret
	Context  string
}

// SSH is how to log in to a device.
type SSH struct {
	Port       uint16 // 0 is 22
	User       string
	Password   Secret
	Key        Secret        // a private key in OpenSSH or PEM form
	KeyPass    Secret        // the key's pass phrase
	Agent      bool          // also try the keys of the running agent
	HostKey    string        // a pinned fingerprint "SHA256:…"; "" means KnownHosts decides
	KnownHosts string        // path of the known_hosts file; "" is the user's own
	Profile    string        // "legacy" also offers the old algorithms, for this device only
	Jump       *SSHJump      // log in through this host first
	Enable     Secret        // not used for reading unless the device needs it
	Timeout    time.Duration // for login and for each command; 0 is 10 s
	// InsecureHostKey accepts any host key of this device; the report says so.
	InsecureHostKey bool
}

// SSHJump is a host to log in through (ProxyJump). Its host key is checked like a device's.
type SSHJump struct {
	Address string // host or host:port
	SSH     SSH
}

// Secret is a resolved secret. It prints as "***" in every form; Reveal gives its text.
type Secret struct{ text string }

// NewSecret returns a secret with the given text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the secret's text, to be handed to a protocol and to nothing else.
func (s Secret) Reveal() string { return s.text }

// IsZero says whether there is no secret.
func (s Secret) IsZero() bool { return s.text == "" }

const hidden = "***"

// String returns "***".
func (s Secret) String() string { return hidden }

// GoString returns "***".
func (s Secret) GoString() string { return hidden }

// MarshalText returns "***", for every encoder.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Collector asks devices one kind of question. Its methods may be called from one goroutine at a time per device.
type Collector interface {
	// Name returns the collector's short name: "snmp", "ssh".
	Name() string
	// Collect asks d once and returns within a second of ctx ending. A reading that is cut short is returned
	// together with an error that wraps ErrPartial. The device's words in an error are safe to show.
	Collect(ctx context.Context, d Device) (Reading, error)
	// Close ends the collector's sessions; the collector can't be used afterwards.
	Close() error
}

// Clock maps a device's own time to the probe's. It is what makes a 1 s poll date an event to tens of milliseconds.
type Clock struct {
	Ticks uint32        // sysUpTime, in 1/100 s (RFC 3418); wraps after 497.1 days
	Span  timeline.Span // on the probe's clock, the round trip within which Ticks was read
}

// At returns when the device's sysUpTime was ticks (an ifLastChange, say), as a span on the probe's clock. A
// value that lies in the device's future is not believed: ok is false.
func (c Clock) At(ticks uint32) (sp timeline.Span, ok bool) {
	ago := c.Ticks - ticks // modular, so that a wrapped sysUpTime stays right
	if ago > 1<<31 {
		return timeline.Span{}, false
	}
	d := time.Duration(ago) * tick
	// A tick is the start of a hundredth: the moment lies up to one tick later, on both readings.
	return timeline.Span{From: c.Span.From.Add(-d - tick), To: c.Span.To.Add(-d + tick)}, true
}

// Restarted says whether the device or its agent started anew between the two polls, next being the later one:
// sysUpTime fell, and not because it wraps after 497.1 days; or it is shorter than the time between the polls.
func (c Clock) Restarted(next Clock) bool {
	// An agent's clock runs up to 5 % off, and some repeat or take back a second of it.
	const slack = 2 * time.Second
	elapsed := next.Span.Mid().Sub(c.Span.Mid())
	if advance := time.Duration(next.Ticks-c.Ticks) * tick; advance-elapsed < slack+elapsed/20 && elapsed-advance < slack+elapsed/20 {
		return false // modular, so that a wrap is an advance
	}
	up := time.Duration(next.Ticks) * tick
	if next.Ticks < c.Ticks {
		return up < elapsed+slack || time.Duration(c.Ticks-next.Ticks)*tick > slack
	}
	return up < elapsed-slack-elapsed/20
}

// tick is the unit of TimeTicks (RFC 2578, section 7.1.8).
const tick = 10 * time.Millisecond
