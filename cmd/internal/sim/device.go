package sim

import (
	"slices"
	"sort"
	"time"
)

// model is a kind of device.
type model struct {
	platform  string // as in a site file
	descr     string // sysDescr
	hardware  string // in show version
	objectID  string // sysObjectID
	fast      int    // FastEthernet ports before the others
	gigabit   string // prefix of the gigabit ports
	fastName  string
	index     func(gigabit bool, n int) uint32
	legacy    bool   // only the SSH algorithms of a Catalyst 2960
	mute      bool   // its command line is not simulated
	spelling  string // what show interfaces calls the hardware
	mediaType string
}

// device is one device of the site: its state as a function of the time since the story began.
type device struct {
	name  string
	role  string // switch, firewall
	peer  string
	model *model
	ports []*port
	on    []*port // on the path
	off   []*port // watched, off the path

	uptime   time.Duration // at the story's beginning
	offset   time.Duration // the device's wall clock minus the host's
	mark     string        // before a log line's time: "" sound, "*" not set, "." not synchronised
	serial   bool          // log lines carry sequence numbers
	first    int           // the first log line's sequence number
	log      []logLine     // in order of time
	cpu      int           // per cent
	loads    []stretch     // when it was busier than that
	skips    []stretch     // when a poll of it gets lost
	policies []*port       // ports with service policies
	blind    time.Duration // from when on it answers nothing; 0 never

	life lifeSide

	control controlSide

	bridge *bridge // nil: no bridge

	community          string // v2c; "" if it speaks v3
	user               string // v3
	authPass, privPass string
	login, password    string // SSH
}

// stretch is a time, and how much of something there was.
type stretch struct {
	from, to time.Duration
	percent  int
}

// cpuAt is the load of the device's processor, per cent.
func (d *device) cpuAt(at time.Duration) int {
	for _, l := range d.loads {
		if l.from <= at && at < l.to {
			return l.percent
		}
	}
	return d.cpu
}

type logLine struct {
	at   time.Duration
	text string // from the % on
}

// bridge is a switch's spanning tree as a whole.
type bridge struct {
	mac      [6]byte
	priority int
	rootMAC  [6]byte
	rootPrio int
	isRoot   bool
	roots    []rootChange // root ports in order of time
	changes  []topologyChange
	count    uint32 // topology changes before the story
	since    time.Duration
}

type rootChange struct {
	at   time.Duration
	port *port
}

type topologyChange struct {
	at   time.Duration
	from *port
}

// rootPort returns the root port at a moment; nil on the root bridge itself.
func (b *bridge) rootPort(at time.Duration) *port {
	var out *port
	for _, r := range b.roots {
		if r.at <= at {
			out = r.port
		}
	}
	return out
}

// topology returns how many topology changes there were, when the last was, and the port it came from.
func (b *bridge) topology(at time.Duration) (count uint32, last time.Duration, from *port) {
	count, last = b.count, -b.since
	for _, c := range b.changes {
		if c.at <= at {
			count, last, from = count+1, c.at, c.from
		}
	}
	return count, last, from
}

// say adds a line to the device's log.
func (d *device) say(at time.Duration, text string) {
	i := sort.Search(len(d.log), func(i int) bool { return d.log[i].at > at })
	d.log = slices.Insert(d.log, i, logLine{at, text})
}

// lineDelay is how long IOS waits between the two messages of a link that goes or comes: LINEPROTO first on the way
// down, LINK first on the way up.
const lineDelay = time.Second

// flap takes a port's carrier away for a while, with what the device logs of it.
func (d *device) flap(p *port, from, to time.Duration) {
	p.down(from, to)
	link := "%LINK-3-UPDOWN: Interface " + p.name + ", changed state to "
	line := "%LINEPROTO-5-UPDOWN: Line protocol on Interface " + p.name + ", changed state to "
	d.say(from+12*time.Millisecond, line+"down")
	d.say(from+lineDelay+8*time.Millisecond, link+"down")
	d.say(to+9*time.Millisecond, link+"up")
	d.say(to+lineDelay+11*time.Millisecond, line+"up")
}

// portByName returns the device's port of that name; nil if there is none.
func (d *device) portByName(name string) *port {
	for _, p := range d.ports {
		if p.name == name {
			return p
		}
	}
	return nil
}
