package snmp

import (
	"context"
	"errors"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// session is one device's client and all that is known of the device. It is used by one goroutine at a time.
// gosnmp's struct is never shared: copies of it would share security parameters.
type session struct {
	device devices.Device
	due    func() time.Time // tells when tables are due; nil: time.Now
	client *gosnmp.GoSNMP
	tap    *tap // nil: not connected

	any      *anySource // nil: answers must come from the address that was asked
	worked   bool       // an answer with values came on this session at least once
	searched bool       // elsewhere was asked
	noBulk   bool       // the agent answers GETNEXT but not GETBULK
	bulkOK   bool
	refusals int // refused logins in a row
	refusal  error
	until    time.Time // not asked before, after refusals

	origin   string // of records: "snmp:" and the device's name
	exchange uint64 // counts polls
	exchanges

	fast          codec
	head, regular plan                // what is read first, and the rest
	texts         plan                // what is read of the ports now and then
	textsOf       time.Time           // of which map of ports texts were read
	textsNext     time.Time           // when they are read again
	live          []liveCell          // rows of states that are read in every poll
	tried         bool                // the request was sent once already
	spare         []devices.Interface // of a reading that was given back; nil: none

	ports      portMap
	objects    objects
	shelf      shelf
	vlanSearch vlanSearch
	polled     time.Time // when the last poll began
	followed   time.Time // when the followed addresses are looked for again
	reply      int       // octets of bindings the agent bears in an answer; 0: maxReply
	restarted  bool      // sysUpTime fell since the last poll
	system     devices.Opt[system]
	enterprise uint32                     // of sysObjectID; 0: not known
	uptime     devices.Opt[devices.Clock] // of the last poll
	changed    devices.Opt[uint32]        // ifTableLastChange of the last poll
}

// system is what a device calls itself.
type system struct{ name, descr, object devices.Opt[string] }

func newSession(d devices.Device) (*session, error) {
	x, err := settings(d)
	if err != nil {
		return nil, err
	}
	s := &session{device: d, client: x, origin: "snmp:" + d.Name}
	s.objects.init()
	s.shelf.init()
	return s, nil
}

// open connects the socket; no datagram is sent.
func (s *session) open(ctx context.Context) error {
	if s.tap != nil {
		return nil
	}
	x, err := settings(s.device) // afresh: gosnmp keeps engine and keys of the last connection
	if err != nil {
		return err
	}
	s.client = x
	x.Context = ctx
	if err := x.Connect(); err != nil {
		return s.failed(ctx, err)
	}
	s.any = nil
	if s.device.SNMP.AnySource {
		a, err := newAnySource(x.Conn)
		if err != nil {
			return s.failed(ctx, err)
		}
		s.any, x.Conn = a, a
	}
	s.tap = &tap{Conn: x.Conn}
	x.Conn = s.tap // not a PacketConn: gosnmp reads through the tap
	return nil
}

func (s *session) close() {
	if s.tap != nil {
		s.client.Close()
		s.tap = nil
	}
}

// discovered says whether the agent's v3 engine is known.
func (s *session) discovered() bool {
	p, ok := s.client.SecurityParameters.(*gosnmp.UsmSecurityParameters)
	return ok && p.AuthoritativeEngineID != ""
}

// boots returns snmpEngineBoots as the last authenticated v3 message gave it.
func (s *session) boots() devices.Opt[uint32] {
	p, ok := s.client.SecurityParameters.(*gosnmp.UsmSecurityParameters)
	if !ok || p.AuthoritativeEngineID == "" || s.client.MsgFlags&gosnmp.AuthNoPriv == 0 {
		return devices.None[uint32]()
	}
	return devices.Some(p.AuthoritativeEngineBoots)
}

// ask is one of gosnmp's requests, bound to its arguments.
type ask func(*gosnmp.GoSNMP) (*gosnmp.SnmpPacket, error)

func get(oids []string) ask {
	return func(x *gosnmp.GoSNMP) (*gosnmp.SnmpPacket, error) { return x.Get(oids) }
}

func getNext(oids ...string) ask {
	return func(x *gosnmp.GoSNMP) (*gosnmp.SnmpPacket, error) { return x.GetNext(oids) }
}

func getBulk(oid string, repetitions uint32) ask {
	return func(x *gosnmp.GoSNMP) (*gosnmp.SnmpPacket, error) {
		return x.GetBulk([]string{oid}, 0, repetitions)
	}
}

// request asks once and repeats what was lost, as often as the site file says. The span is that of the try that
// was answered. An error status in the packet is the caller's to judge.
func (s *session) request(ctx context.Context, a ask) (*gosnmp.SnmpPacket, timeline.Span, error) {
	tries := defaultRetries + 1
	if r := s.device.SNMP.Retries; r < 0 {
		tries = 1
	} else if r > 0 {
		tries = r + 1
	}
	if s.tried {
		tries, s.tried = max(1, tries-1), false
	}
	return s.try(ctx, a, tries)
}

func (s *session) try(ctx context.Context, a ask, tries int) (*gosnmp.SnmpPacket, timeline.Span, error) {
	var strays int
	reopened := false
	for n := 1; ; {
		if err := s.open(ctx); err != nil {
			return nil, timeline.Span{}, err
		}
		s.client.Context = ctx
		end := s.tap.begin(ctx)
		span := timeline.Span{From: time.Now()}
		p, err := a(s.client)
		span.To = time.Now()
		end()
		report, _, stray := s.tap.outcome()
		strays += stray
		switch {
		case report == unknownEngineIDs || report == notInTimeWindows:
			// The agent is another than before, or started anew without counting it: discover it again.
			s.close()
			if reopened {
				return nil, span, s.failed(ctx, err)
			}
			reopened = true
			continue
		case report != "":
			if err := s.reported(report); err != nil {
				return nil, span, err
			}
			return nil, span, s.failed(ctx, errors.New("unknown report"))
		case err == nil && p != nil:
			if p.Error == gosnmp.NoError {
				s.worked = true
			}
			return p, span, nil
		case over(ctx) != nil || !isTimeout(err):
			if closedPort(err) {
				s.close() // the socket's error is spent
			}
			return nil, span, s.failed(ctx, err)
		case n >= tries:
			return nil, span, s.silent(ctx, tries, strays)
		}
		n++
	}
}

// over returns why the context is over; nil if it is not. A socket's deadline may pass a moment before the
// context's own timer fires.
func over(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if d, ok := ctx.Deadline(); ok && time.Until(d) < 5*time.Millisecond {
		return context.DeadlineExceeded
	}
	return nil
}
