package snmp

import (
	"bytes"
	"context"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/correlate/timeline"
	"whydrop/devices/snmp/fast"
)

// plan is what is asked in every poll, encoded once: it is made anew when what is wanted changes.
type plan struct {
	batches  []batch
	requests []*fast.Request // of each batch; nil: gosnmp asks
	answers  []fast.Answer
	flat     []value        // what was given for each object, in the order of the batches
	at       map[string]int // by identifier: where in flat; see forget
	basis    basis
	until    time.Time
	made     bool // in this poll

	asked   []int           // of a call of askFast: which batches
	asking  []*fast.Request // the same, encoded
	replies []fast.Answer   // the same, answered
}

// planAge is how often it is looked whether anything that a device lacked is to be asked for again.
const planAge = 30 * time.Second

// basis is what a plan was made of; another basis makes another plan.
type basis struct {
	objects uint64 // version of what is wanted
	rows    uint64 // version of what was walked
	ports   time.Time
	reply   int
	named   bool // the device's name is known
}

func (s *session) basis() basis {
	return basis{objects: s.objects.version, rows: s.shelf.version, ports: s.ports.at, reply: s.most(), named: s.system.OK}
}

// current returns the plan, made anew by groups if it has to be.
func (s *session) current(p *plan, groups func() []group) *plan {
	now, b := time.Now(), s.basis()
	p.made = p.basis != b
	if !p.made && !now.Before(p.until) {
		p.until = now.Add(planAge)
		p.made = s.objects.due(now)
	}
	if !p.made {
		return p
	}
	p.batches, p.basis, p.until = s.batches(groups()...), b, now.Add(planAge)
	p.requests = make([]*fast.Request, len(p.batches))
	total := 0
	for n, b := range p.batches {
		p.requests[n], _ = fast.NewRequest(b) // one that can't be encoded is left to gosnmp
		total += len(b)
	}
	p.flat, p.at = make([]value, total), nil
	for len(p.answers) < len(p.batches) {
		p.answers = append(p.answers, fast.Answer{})
	}
	s.slot()
	return p
}

// forget drops what is needed to look objects up by name, if many are in the plan: a plan that lasts is read by where its
// values are.
func (p *plan) forget() { p.at = nil }

// cell returns where the plan's answers have the object; nil if it does not ask for it.
func (p *plan) cell(id string) *value {
	if p.at == nil {
		p.at = make(map[string]int, len(p.flat))
		n := 0
		for _, b := range p.batches {
			for _, id := range b {
				p.at[id] = n
				n++
			}
		}
	}
	if n, ok := p.at[id]; ok {
		return &p.flat[n]
	}
	return nil
}

// cell returns where the answers of a poll have the object; nil if no plan asks for it.
func (s *session) cell(id string) *value {
	if v := s.regular.cell(id); v != nil {
		return v
	}
	return s.head.cell(id)
}

// first returns what was given in this poll of an object that is read with the clock.
func (s *session) first(id string) value {
	if v := s.head.cell(id); v != nil {
		return *v
	}
	return value{}
}

// liveCell is a row of a table of states that is read in every poll.
type liveCell struct {
	table *shelved
	root  string
	row   int    // of the root
	id    string // of the object
	value *value
}

// slot tells the ports and the rows of tables where in the plans their values are, so that they need not be looked up
// by name.
func (s *session) slot() {
	for n := range s.ports.ports {
		p := &s.ports.ports[n]
		i := "." + uintText(p.index)
		state, role := s.ports.stpObjects(p.index)
		p.cells = portCells{
			check: s.cell(p.check), state: s.cell(state), role: s.cell(role),
			alias: s.texts.cell(column(ifXTable, ifAlias) + i), descr: s.texts.cell(column(ifTable, ifDescr) + i),
			mtu: s.texts.cell(column(ifTable, ifMTU) + i), phys: s.texts.cell(column(ifTable, ifPhysAddress) + i),
		}
		for k := range p.rows {
			p.rows[k].slot(s)
		}
	}
	for n := range s.live {
		s.live[n].value = s.cell(s.live[n].id)
	}
	s.texts.forget()
}

// slot does it for one row.
func (x *portRow) slot(s *session) {
	x.cells = x.cells[:0]
	for _, g := range x.table.Columns {
		for _, col := range g {
			for len(x.cells) <= col {
				x.cells = append(x.cells, nil)
			}
			x.cells[col] = s.cell(column(*x.table, col) + "." + x.index)
		}
	}
}

// carry asks for the plan's batches. done hears of each batch in order, with the span of its answer, and says whether to
// go on. The codec of package fast asks for all of them first; what it did not understand, or got no answer to, gosnmp
// asks again.
func (s *session) carry(ctx context.Context, p *plan, done func(n int, span timeline.Span, err error) bool) {
	for n := range p.flat {
		p.flat[n].typ = 0 // octets stay, for they seldom change
	}
	s.askFast(ctx, p)
	from := 0 // of the batch in flat
	for n, b := range p.batches {
		a := &p.answers[n]
		var span timeline.Span
		var err error
		if a.Outcome == fast.OK {
			span = timeline.Span{From: a.From, To: a.To}
			s.takeFast(b, a, p, p.flat[from:from+len(b)])
		} else {
			lost := a.Outcome == fast.Unanswered && !a.From.IsZero()
			values := map[string]value{}
			s.tried = lost
			span, err = s.read(ctx, b, values)
			s.tried = false
			if lost && err == nil {
				s.fast.lose()
			}
			for i, id := range b {
				p.flat[from+i] = values[id]
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
	p.asked, p.asking, p.replies = p.asked[:0], p.asking[:0], p.replies[:0]
	for n, r := range p.requests {
		if r != nil {
			p.asked, p.asking, p.replies = append(p.asked, n), append(p.asking, r), append(p.replies, p.answers[n])
		}
	}
	c.Ask(ctx, s.tap.Conn, p.asking, p.replies, s.client.Timeout) // an error of the socket comes again, to gosnmp
	for k, n := range p.asked {
		if p.answers[n] = p.replies[k]; p.answers[n].Outcome == fast.Odd {
			p.requests[n] = nil // not again before the next plan
		}
	}
}

// takeFast keeps the values of an answer. What was given again teaches nothing, unless the plan is new.
func (s *session) takeFast(b batch, a *fast.Answer, p *plan, flat []value) {
	now := time.Now()
	for i := range flat {
		v := &flat[i]
		news := p.made
		if v.typ = gosnmp.Asn1BER(a.Tags[i]); v.typ != gosnmp.OctetString {
			v.number, v.other = a.Numbers[i], nil
		} else if before, ok := v.other.([]byte); !ok || !bytes.Equal(before, a.Octets(i)) {
			v.number, v.other, news = 0, bytes.Clone(a.Octets(i)), true
		}
		if news || !v.given() {
			s.objects.learn(b[i], *v, now)
		}
		if s.exchanges.wanted {
			s.exchanges.keep(b[i], *v)
		}
	}
}
