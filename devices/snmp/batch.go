package snmp

import (
	"context"
	"fmt"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// maxReply is how many octets of variable bindings an answer may have, so that it fits one Ethernet frame with
// IP, UDP and the SNMPv3 header and is never fragmented.
const maxReply = 1250

// maxPlainReply is the same for SNMPv1 and v2c, whose header is a community and some 30 octets.
const maxPlainReply = 1340

// batch is what one GET asks for.
type batch []string

// group is objects that are read in one message where possible, so that they are of one moment.
type group struct {
	ids  []string
	most int // octets of the longest value; 0: not known
}

// batches packs groups of objects into as few messages as fit, a group whole where that is possible.
func (s *session) batches(groups ...group) []batch {
	var out []batch
	var cur batch
	size := 0
	flush := func() {
		if len(cur) > 0 {
			out = append(out, cur)
		}
		cur, size = nil, 0
	}
	limit := s.most()
	for _, g := range groups {
		total := 0
		for _, id := range g.ids {
			total += s.objects.bindSize(id, g.most)
		}
		if size+total > limit || len(cur)+len(g.ids) > gosnmp.MaxOids {
			flush()
		}
		for _, id := range g.ids {
			n := s.objects.bindSize(id, g.most)
			if size+n > limit || len(cur) >= gosnmp.MaxOids {
				flush()
			}
			cur = append(cur, id)
			size += n
		}
	}
	flush()
	return out
}

// most is how many octets of bindings a message may have.
func (s *session) most() int {
	limit := s.reply
	switch {
	case limit > 0:
	case s.client.Version == gosnmp.Version3:
		limit = maxReply
	default:
		limit = maxPlainReply
	}
	// RFC 3414, section 2.4, RFC 3412, section 6: what stands before the bindings, with the longest names and keys.
	const header = 200
	if s.tap != nil && s.tap.bears() > 0 {
		limit = min(limit, max(minReply, s.tap.bears()-header))
	}
	return limit
}

// peek is read without a memory of what the device lacks: for objects that come and go.
func (s *session) peek(ctx context.Context, b batch, values map[string]value) error {
	before := s.objects
	s.objects = objects{}
	s.objects.init()
	defer func() { s.objects = before }()
	_, err := s.read(ctx, b, values)
	return err
}

// read asks for a batch and adds what was given to values. tooBig splits it; an object that the agent fails on is
// left out for a while. The span is that of the (last) answer.
func (s *session) read(ctx context.Context, b batch, values map[string]value) (timeline.Span, error) {
	for len(b) > 0 {
		p, span, err := s.request(ctx, get(b))
		if err != nil {
			return span, err
		}
		switch {
		case p.Error == gosnmp.NoError:
			return span, s.take(b, p.Variables, values)
		case p.Error == gosnmp.TooBig && len(b) > 1:
			s.reply = max(minReply, s.shrink())
			half := len(b) / 2
			if _, err := s.read(ctx, b[:half], values); err != nil {
				return span, err
			}
			b = b[half:]
			continue
		}
		if err := s.refusedPDU(p); err != nil && !s.worked {
			return span, err
		}
		// RFC 3416, section 4.2.1: the index names the binding that failed, from 1.
		i := int(p.ErrorIndex) - 1
		if i < 0 || i >= len(b) {
			if len(b) > 1 { // the agent does not say which
				half := len(b) / 2
				if _, err := s.read(ctx, b[:half], values); err != nil {
					return span, err
				}
				b = b[half:]
				continue
			}
			i = 0
		}
		s.objects.skip(b[i], time.Now())
		b = append(append(batch(nil), b[:i]...), b[i+1:]...)
	}
	return timeline.Span{}, nil
}

// minReply is the least that every agent must be able to send, less its headers (RFC 3417, section 3.2: 484).
const minReply = 360

func (s *session) shrink() int {
	if s.reply == 0 {
		return maxReply / 2
	}
	return s.reply * 3 / 4
}

// take adds the answer's values by name. Objects that were not asked for are ignored.
func (s *session) take(b batch, vars []gosnmp.SnmpPDU, values map[string]value) error {
	asked := make(map[string]bool, len(b))
	for _, id := range b {
		asked[id] = true
	}
	now := time.Now()
	got := 0
	for _, v := range vars {
		id := trimDot(v.Name)
		if !asked[id] {
			continue
		}
		asked[id] = false
		got++
		x := valueOf(v)
		values[id] = x
		s.objects.learn(id, x, now)
		s.exchanges.keep(id, x)
	}
	if got < len(asked) { // less than were asked for, each counted once
		return &Error{
			Device: s.device.Name, Err: devices.ErrPartial,
			Text: fmt.Sprintf("answer cut short: %d of %d objects", got, len(asked)),
		}
	}
	return nil
}
