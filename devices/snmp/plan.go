package snmp

import (
	"context"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/correlate/timeline"
	"whydrop/devices/snmp/fast"
)

// plan is what is asked in every poll, encoded once: it is made anew when what is wanted changes, and now and then.
type plan struct {
	batches  []batch
	requests []*fast.Request // of each batch; nil: gosnmp asks
	answers  []fast.Answer
	flat     []gosnmp.SnmpPDU // what was given for each object, in the order of the batches
	slotted  []bool           // which of them only the rows of ports want, and find in flat
	basis    basis
	until    time.Time
	made     bool // in this poll
}

// planAge is how old a plan may become: what a device lacked is asked for again so much later than it is due.
const planAge = 30 * time.Second

// basis is what a plan was made of; another basis makes another plan.
type basis struct {
	objects uint64 // version of what is wanted
	tables  uint64 // of what was walked
	ports   time.Time
	texts   int64 // when the ports' texts are due
	reply   int
	named   bool // the device's name is known
}

func (s *session) basis() basis {
	b := basis{objects: s.objects.version, ports: s.ports.at, reply: s.most(), named: s.system.OK}
	for _, sh := range s.shelf.tables {
		b.tables += uint64(sh.next.UnixNano())
		if sh.has && sh.at == 0 {
			b.tables++
		}
	}
	for i := range s.ports.ports {
		b.texts += s.ports.ports[i].next.UnixNano()
	}
	return b
}

// current returns the plan, made anew by groups if it has to be.
func (s *session) current(p *plan, groups func() [][]string) *plan {
	now, b := time.Now(), s.basis()
	if p.made = p.basis != b || !now.Before(p.until); !p.made {
		return p
	}
	p.batches, p.basis, p.until = s.batches(groups()), b, now.Add(planAge)
	for i := range s.ports.ports {
		if next := s.ports.ports[i].next; next.After(now) && next.Before(p.until) {
			p.until = next
		}
	}
	p.requests = make([]*fast.Request, len(p.batches))
	for n, b := range p.batches {
		p.requests[n], _ = fast.NewRequest(b) // one that can't be encoded is left to gosnmp
	}
	for len(p.answers) < len(p.batches) {
		p.answers = append(p.answers, fast.Answer{})
	}
	if p == &s.regular {
		s.slot(p)
	}
	return p
}

// slot tells the ports' rows where in the plan's list their cells are, so that they need not be looked up by name.
func (s *session) slot(p *plan) {
	at, total := map[string]int{}, 0
	for _, b := range p.batches {
		for _, id := range b {
			at[id] = total
			total++
		}
	}
	p.flat, p.slotted = make([]gosnmp.SnmpPDU, total), make([]bool, total)
	for i := range s.ports.ports {
		rows := s.ports.ports[i].rows
		for k := range rows {
			x := &rows[k]
			for _, g := range x.table.Columns {
				for _, col := range g {
					n, ok := at[column(*x.table, col)+"."+x.index]
					if !ok {
						continue
					}
					for len(x.slots) <= col {
						x.slots = append(x.slots, 0)
					}
					// Other tables look at ifTable's columns too, by name.
					x.slots[col], p.slotted[n] = n+1, x.table.Entry != ifTable.Entry
				}
			}
		}
	}
}

// carry asks for the plan's batches and adds what was given to values. done hears of each batch in order, with the span
// of its answer, and says whether to go on. The codec of package fast asks for all of them first; what it did not
// understand, or got no answer to, gosnmp asks again.
func (s *session) carry(ctx context.Context, p *plan, values map[string]gosnmp.SnmpPDU, done func(n int, span timeline.Span, err error) bool) {
	s.askFast(ctx, p)
	clear(p.flat)
	from := 0 // of the batch in flat
	for n, b := range p.batches {
		a := &p.answers[n]
		var span timeline.Span
		var err error
		if a.Outcome == fast.OK {
			span = timeline.Span{From: a.From, To: a.To}
			s.takeFast(b, a, p, from, values)
		} else {
			lost := a.Outcome == fast.Unanswered && !a.From.IsZero()
			s.tried = lost
			span, err = s.read(ctx, b, values)
			s.tried = false
			if lost && err == nil {
				s.fast.lose()
			}
			for i, id := range b {
				if len(p.flat) > 0 {
					p.flat[from+i] = values[id]
				}
			}
		}
		if !done(n, span, err) {
			return
		}
		from += len(b)
	}
}

// askFast asks for what can be asked by the codec.
func (s *session) askFast(ctx context.Context, p *plan) {
	for n := range p.answers {
		p.answers[n].Outcome, p.answers[n].From = fast.Odd, time.Time{}
	}
	c := s.fast.client(s)
	if c == nil {
		return
	}
	var which []int
	var requests []*fast.Request
	for n, r := range p.requests {
		if r != nil {
			which, requests = append(which, n), append(requests, r)
		}
	}
	answers := make([]fast.Answer, len(which))
	for k, n := range which {
		answers[k] = p.answers[n]
	}
	c.Ask(ctx, s.tap.Conn, requests, answers, s.client.Timeout) // an error of the socket comes again, to gosnmp
	for k, n := range which {
		p.answers[n] = answers[k]
		if answers[k].Outcome == fast.Odd {
			p.requests[n] = nil // not again before the next plan
		}
	}
}

// takeFast adds the values of an answer by name, as take does. What was given again teaches nothing, unless the plan is new.
func (s *session) takeFast(b batch, a *fast.Answer, p *plan, from int, values map[string]gosnmp.SnmpPDU) {
	now := time.Now()
	for i, id := range b {
		v := gosnmp.SnmpPDU{Name: id, Type: gosnmp.Asn1BER(a.Tags[i]), Value: a.Value(i)}
		if len(p.flat) > 0 {
			p.flat[from+i] = v
		}
		if p.made || len(p.flat) == 0 || !p.slotted[from+i] {
			values[id] = v
		}
		if p.made || !given(v) || v.Type == gosnmp.OctetString {
			s.objects.learn(id, v, now)
		}
		s.exchanges.keep(id, v)
	}
}

// codec is the fast client of a session, and what it was made of.
type codec struct {
	ask         *fast.Client
	engine, key string // of v3
	boots, time uint32 // as gosnmp last heard them
	at          time.Time
	lost        int
}

// client returns the codec's client; nil where gosnmp has to ask: before the first answer, before a v3 engine is known,
// and with DES.
func (c *codec) client(s *session) *fast.Client {
	if s.tap == nil || !s.worked {
		return nil
	}
	if s.client.Version != gosnmp.Version3 {
		if c.ask == nil {
			c.ask, _ = fast.NewCommunity(byte(s.client.Version), s.client.Community)
		}
		return c.ask
	}
	p, ok := s.client.SecurityParameters.(*gosnmp.UsmSecurityParameters)
	if !ok || p.AuthoritativeEngineID == "" {
		return nil
	}
	if key := string(p.SecretKey) + "/" + string(p.PrivacyKey); c.ask == nil || c.engine != p.AuthoritativeEngineID || c.key != key {
		u, ok := fastUser(s.client, p)
		if !ok {
			return nil
		}
		ask, err := fast.NewUser(u)
		if err != nil {
			return nil
		}
		*c = codec{ask: ask, engine: p.AuthoritativeEngineID, key: key}
	}
	if now := time.Now(); c.at.IsZero() || c.boots != p.AuthoritativeEngineBoots || c.time != p.AuthoritativeEngineTime {
		c.boots, c.time, c.at = p.AuthoritativeEngineBoots, p.AuthoritativeEngineTime, now
	}
	c.ask.Engine(c.boots, c.time+uint32(time.Since(c.at)/time.Second))
	return c.ask
}

// lose counts a message that the codec got no answer to and gosnmp did. Some agents lose what comes while they work: they
// are asked for one message at a time.
func (c *codec) lose() {
	const most = 3
	if c.lost++; c.lost >= most && c.ask != nil {
		c.ask.Single = true
	}
}

// macLengths are how many octets of the HMAC a message carries (RFC 3414, section 6; RFC 7860, section 4.2.1).
var macLengths = map[gosnmp.SnmpV3AuthProtocol]int{
	gosnmp.MD5: 12, gosnmp.SHA: 12, gosnmp.SHA224: 16, gosnmp.SHA256: 24, gosnmp.SHA384: 32, gosnmp.SHA512: 48,
}

func fastUser(x *gosnmp.GoSNMP, p *gosnmp.UsmSecurityParameters) (u fast.User, ok bool) {
	u = fast.User{Name: p.UserName, Engine: p.AuthoritativeEngineID, Context: x.ContextName}
	if x.MsgFlags&gosnmp.AuthNoPriv != 0 {
		u.Hash, u.MAC, u.AuthKey = p.AuthenticationProtocol.HashType().New, macLengths[p.AuthenticationProtocol], p.SecretKey
	}
	if x.MsgFlags&gosnmp.AuthPriv == gosnmp.AuthPriv {
		if p.PrivacyProtocol == gosnmp.DES {
			return u, false
		}
		u.PrivKey = p.PrivacyKey
	}
	return u, true
}
