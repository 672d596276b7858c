package fast

import (
	"crypto/subtle"
	"encoding/binary"
	"errors"

	"whydrop/devices/snmp/internal/ber"
)

// Versions as they stand in a message.
const (
	V1  = 0
	V2c = 1
	V3  = 3
)

// maxSize is the longest answer that is taken: the longest payload of a UDP datagram over IPv4.
const maxSize = 65507

// codec makes messages of one session and opens their answers. It is used by one goroutine at a time.
type codec struct {
	head     []byte // v1, v2c: version and community, encoded
	security *security
	scope    []byte // v3: contextEngineID and contextName, encoded
}

func newCommunity(version byte, community string) (*codec, error) {
	if version != V1 && version != V2c {
		return nil, errors.New("fast: the version is neither 1 nor 2c")
	}
	c := &codec{head: []byte{ber.Integer, 1, version}}
	c.head = append(ber.AppendHeader(c.head, ber.Octets, len(community)), community...)
	return c, nil
}

func newUser(u User) (*codec, error) {
	s, err := newSecurity(u)
	if err != nil {
		return nil, err
	}
	c := &codec{security: s}
	c.scope = append(ber.AppendHeader(nil, ber.Octets, len(u.Engine)), u.Engine...)
	c.scope = append(ber.AppendHeader(c.scope, ber.Octets, len(u.Context)), u.Context...)
	return c, nil
}

// encode writes the request as a message into b, which it may grow.
func (c *codec) encode(b []byte, r *Request, id uint32) []byte {
	if c.security != nil {
		return c.encodeV3(b[:0], r, id)
	}
	b = append(ber.AppendHeader(b[:0], ber.Sequence, len(c.head)+len(r.pdu)), c.head...)
	at := len(b) + r.id
	b = append(b, r.pdu...)
	binary.BigEndian.PutUint32(b[at:], id)
	return b
}

// encodeV3 writes a message of version 3 (RFC 3412, section 6; RFC 3414, section 2.4). The request's identifier
// is the message's as well.
func (c *codec) encodeV3(b []byte, r *Request, id uint32) []byte {
	s := c.security
	scoped := len(c.scope) + len(r.pdu)
	data := ber.HeaderLen(scoped) + scoped
	whole := data
	if s.block != nil {
		whole += ber.HeaderLen(data)
	}
	mac, salt := 0, 0
	if s.mac != nil {
		mac = s.user.MAC
	}
	if s.block != nil {
		salt = 8
	}
	octets := func(n int) int { return ber.HeaderLen(n) + n }
	usm := octets(len(s.user.Engine)) + 2 + ber.UintLen(s.boots) + 2 + ber.UintLen(s.time) + octets(len(s.user.Name)) + octets(mac) + octets(salt)
	global := 6 + 2 + ber.UintLen(maxSize) + 3 + 3
	total := 3 + octets(global) + octets(octets(usm)) + whole

	b = ber.AppendHeader(b, ber.Sequence, total)
	b = append(b, ber.Integer, 1, V3)
	b = ber.AppendHeader(b, ber.Sequence, global)
	b = append(b, ber.Integer, 4)
	b = binary.BigEndian.AppendUint32(b, id)
	b = ber.AppendUint(b, maxSize)
	b = append(b, ber.Octets, 1, s.flags|flagReportable, ber.Integer, 1, 3) // 3: the user-based security model
	b = ber.AppendHeader(b, ber.Octets, octets(usm))
	b = ber.AppendHeader(b, ber.Sequence, usm)
	b = append(ber.AppendHeader(b, ber.Octets, len(s.user.Engine)), s.user.Engine...)
	b = ber.AppendUint(ber.AppendUint(b, s.boots), s.time)
	b = append(ber.AppendHeader(b, ber.Octets, len(s.user.Name)), s.user.Name...)
	b = ber.AppendHeader(b, ber.Octets, mac)
	macAt := len(b)
	for range mac {
		b = append(b, 0)
	}
	b = ber.AppendHeader(b, ber.Octets, salt)
	if salt > 0 {
		s.salt++
		b = binary.BigEndian.AppendUint64(b, s.salt)
		s.setIV(s.boots, s.time, b[len(b)-8:])
		b = ber.AppendHeader(b, ber.Octets, data)
	}
	from := len(b)
	b = append(ber.AppendHeader(b, ber.Sequence, scoped), c.scope...)
	at := len(b) + r.id
	b = append(b, r.pdu...)
	binary.BigEndian.PutUint32(b[at:], id)
	if salt > 0 {
		s.encrypt(b[from:])
	}
	if mac > 0 {
		copy(b[macAt:], s.digest(b))
	}
	return b
}

// identify returns the identifier of the request that a datagram answers, without a key: of v3 the message's.
func (c *codec) identify(b []byte) (id uint32, ok bool) {
	msg, rest, ok := ber.Take(b, ber.Sequence)
	if !ok || len(rest) != 0 {
		return 0, false
	}
	if c.security == nil {
		if msg, ok = c.afterCommunity(msg); !ok {
			return 0, false
		}
		pdu, _, ok := ber.Take(msg, ber.Response)
		if !ok {
			return 0, false
		}
		id, _, ok = ber.TakeUint(pdu)
		return id, ok
	}
	v, msg, ok := ber.TakeUint(msg)
	if !ok || v != V3 {
		return 0, false
	}
	global, _, ok := ber.Take(msg, ber.Sequence)
	if !ok {
		return 0, false
	}
	id, _, ok = ber.TakeUint(global)
	return id, ok
}

// afterCommunity returns the PDU of a message of the client's version. Some agents answer with a community of their
// own making: it proves nothing either way.
func (c *codec) afterCommunity(msg []byte) (pdu []byte, ok bool) {
	const version = 3 // octets
	if len(msg) < version || string(msg[:version]) != string(c.head[:version]) {
		return nil, false
	}
	_, pdu, ok = ber.Take(msg[version:], ber.Octets)
	return pdu, ok
}

// open returns the PDU of an answer whose identifier was found by identify. A v3 message must be of the level,
// engine and user of the session, authentic and in time. It decrypts in place.
func (c *codec) open(b []byte) (pdu []byte, ok bool) {
	msg, _, ok := ber.Take(b, ber.Sequence)
	if !ok {
		return nil, false
	}
	if c.security == nil {
		return c.afterCommunity(msg)
	}
	return c.openV3(b, msg)
}

func (c *codec) openV3(whole, msg []byte) (pdu []byte, ok bool) {
	s := c.security
	_, msg, ok = ber.TakeUint(msg)
	if !ok {
		return nil, false
	}
	global, msg, ok := ber.Take(msg, ber.Sequence)
	if !ok || !s.level(global) {
		return nil, false
	}
	param, data, ok := ber.Take(msg, ber.Octets)
	if !ok {
		return nil, false
	}
	usm, rest, ok := ber.Take(param, ber.Sequence)
	if !ok || len(rest) != 0 {
		return nil, false
	}
	p, ok := parseUSM(usm)
	if !ok || string(p.engine) != s.user.Engine || string(p.user) != s.user.Name {
		return nil, false
	}
	if s.mac != nil && !s.authentic(whole, p) {
		return nil, false
	}
	if s.block != nil {
		if data, rest, ok = ber.Take(data, ber.Octets); !ok || len(rest) != 0 || len(p.salt) != 8 {
			return nil, false
		}
		s.setIV(p.boots, p.time, p.salt)
		s.decrypt(data)
	}
	scoped, rest, ok := ber.Take(data, ber.Sequence)
	if !ok || len(rest) != 0 {
		return nil, false
	}
	for range 2 { // contextEngineID, contextName
		if _, scoped, ok = ber.Take(scoped, ber.Octets); !ok {
			return nil, false
		}
	}
	return scoped, true
}

// level says whether msgGlobalData states the security level that was asked for, and the user-based model.
func (s *security) level(global []byte) bool {
	_, global, ok := ber.TakeUint(global)
	if !ok {
		return false
	}
	if _, global, ok = ber.TakeUint(global); !ok {
		return false
	}
	flags, global, ok := ber.Take(global, ber.Octets)
	if !ok || len(flags) != 1 || flags[0]&(flagAuth|flagPriv) != s.flags {
		return false
	}
	model, rest, ok := ber.TakeUint(global)
	return ok && model == 3 && len(rest) == 0
}

// usmParameters are the fields of UsmSecurityParameters.
type usmParameters struct {
	engine, user, mac, salt []byte
	boots, time             uint32
}

func parseUSM(b []byte) (p usmParameters, ok bool) {
	if p.engine, b, ok = ber.Take(b, ber.Octets); !ok {
		return p, false
	}
	if p.boots, b, ok = ber.TakeUint(b); !ok {
		return p, false
	}
	if p.time, b, ok = ber.TakeUint(b); !ok {
		return p, false
	}
	if p.user, b, ok = ber.Take(b, ber.Octets); !ok {
		return p, false
	}
	if p.mac, b, ok = ber.Take(b, ber.Octets); !ok {
		return p, false
	}
	p.salt, b, ok = ber.Take(b, ber.Octets)
	return p, ok && len(b) == 0
}

// authentic checks the HMAC, which is computed with zeros in its place (RFC 3414, section 6.3.2), and the time
// (section 3.2, step 7b). p.mac lies within whole and is zero afterwards.
func (s *security) authentic(whole []byte, p usmParameters) bool {
	if len(p.mac) != s.user.MAC {
		return false
	}
	var got [64]byte
	n := copy(got[:], p.mac)
	clear(p.mac)
	if subtle.ConstantTimeCompare(got[:n], s.digest(whole)) != 1 {
		return false
	}
	const window = 150
	return p.boots == s.boots && p.time+window >= s.time
}
