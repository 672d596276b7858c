package fast

import (
	"crypto/subtle"
	"encoding/binary"
	"errors"
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
	c := &codec{head: []byte{tagInteger, 1, version}}
	c.head = append(appendHeader(c.head, tagOctets, len(community)), community...)
	return c, nil
}

func newUser(u User) (*codec, error) {
	s, err := newSecurity(u)
	if err != nil {
		return nil, err
	}
	c := &codec{security: s}
	c.scope = append(appendHeader(nil, tagOctets, len(u.Engine)), u.Engine...)
	c.scope = append(appendHeader(c.scope, tagOctets, len(u.Context)), u.Context...)
	return c, nil
}

// encode writes the request as a message into b, which it may grow.
func (c *codec) encode(b []byte, r *Request, id uint32) []byte {
	if c.security != nil {
		return c.encodeV3(b[:0], r, id)
	}
	b = append(appendHeader(b[:0], tagSequence, len(c.head)+len(r.pdu)), c.head...)
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
	data := headerLen(scoped) + scoped
	whole := data
	if s.block != nil {
		whole += headerLen(data)
	}
	mac, salt := 0, 0
	if s.mac != nil {
		mac = s.user.MAC
	}
	if s.block != nil {
		salt = 8
	}
	octets := func(n int) int { return headerLen(n) + n }
	usm := octets(len(s.user.Engine)) + 2 + uintLen(s.boots) + 2 + uintLen(s.time) + octets(len(s.user.Name)) + octets(mac) + octets(salt)
	global := 6 + 2 + uintLen(maxSize) + 3 + 3
	total := 3 + octets(global) + octets(octets(usm)) + whole

	b = appendHeader(b, tagSequence, total)
	b = append(b, tagInteger, 1, V3)
	b = appendHeader(b, tagSequence, global)
	b = append(b, tagInteger, 4)
	b = binary.BigEndian.AppendUint32(b, id)
	b = appendUint(b, maxSize)
	b = append(b, tagOctets, 1, s.flags|flagReportable, tagInteger, 1, 3) // 3: the user-based security model
	b = appendHeader(b, tagOctets, octets(usm))
	b = appendHeader(b, tagSequence, usm)
	b = append(appendHeader(b, tagOctets, len(s.user.Engine)), s.user.Engine...)
	b = appendUint(appendUint(b, s.boots), s.time)
	b = append(appendHeader(b, tagOctets, len(s.user.Name)), s.user.Name...)
	b = appendHeader(b, tagOctets, mac)
	macAt := len(b)
	for range mac {
		b = append(b, 0)
	}
	b = appendHeader(b, tagOctets, salt)
	if salt > 0 {
		s.salt++
		b = binary.BigEndian.AppendUint64(b, s.salt)
		s.setIV(s.boots, s.time, b[len(b)-8:])
		b = appendHeader(b, tagOctets, data)
	}
	from := len(b)
	b = append(appendHeader(b, tagSequence, scoped), c.scope...)
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
	msg, rest, ok := take(b, tagSequence)
	if !ok || len(rest) != 0 {
		return 0, false
	}
	if c.security == nil {
		if msg, ok = c.afterCommunity(msg); !ok {
			return 0, false
		}
		pdu, _, ok := take(msg, tagResponse)
		if !ok {
			return 0, false
		}
		id, _, ok = takeUint(pdu)
		return id, ok
	}
	v, msg, ok := takeUint(msg)
	if !ok || v != V3 {
		return 0, false
	}
	global, _, ok := take(msg, tagSequence)
	if !ok {
		return 0, false
	}
	id, _, ok = takeUint(global)
	return id, ok
}

// afterCommunity returns the PDU of a message of the client's version. Some agents answer with a community of their
// own making: it proves nothing either way.
func (c *codec) afterCommunity(msg []byte) (pdu []byte, ok bool) {
	const version = 3 // octets
	if len(msg) < version || string(msg[:version]) != string(c.head[:version]) {
		return nil, false
	}
	_, pdu, ok = take(msg[version:], tagOctets)
	return pdu, ok
}

// open returns the PDU of an answer whose identifier was found by identify. A v3 message must be of the level,
// engine and user of the session, authentic and in time. It decrypts in place.
func (c *codec) open(b []byte) (pdu []byte, ok bool) {
	msg, _, ok := take(b, tagSequence)
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
	_, msg, ok = takeUint(msg)
	if !ok {
		return nil, false
	}
	global, msg, ok := take(msg, tagSequence)
	if !ok || !s.level(global) {
		return nil, false
	}
	param, data, ok := take(msg, tagOctets)
	if !ok {
		return nil, false
	}
	usm, rest, ok := take(param, tagSequence)
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
		if data, rest, ok = take(data, tagOctets); !ok || len(rest) != 0 || len(p.salt) != 8 {
			return nil, false
		}
		s.setIV(p.boots, p.time, p.salt)
		s.decrypt(data)
	}
	scoped, rest, ok := take(data, tagSequence)
	if !ok || len(rest) != 0 {
		return nil, false
	}
	for range 2 { // contextEngineID, contextName
		if _, scoped, ok = take(scoped, tagOctets); !ok {
			return nil, false
		}
	}
	return scoped, true
}

// level says whether msgGlobalData states the security level that was asked for, and the user-based model.
func (s *security) level(global []byte) bool {
	_, global, ok := takeUint(global)
	if !ok {
		return false
	}
	if _, global, ok = takeUint(global); !ok {
		return false
	}
	flags, global, ok := take(global, tagOctets)
	if !ok || len(flags) != 1 || flags[0]&(flagAuth|flagPriv) != s.flags {
		return false
	}
	model, rest, ok := takeUint(global)
	return ok && model == 3 && len(rest) == 0
}

// usmParameters are the fields of UsmSecurityParameters.
type usmParameters struct {
	engine, user, mac, salt []byte
	boots, time             uint32
}

func parseUSM(b []byte) (p usmParameters, ok bool) {
	if p.engine, b, ok = take(b, tagOctets); !ok {
		return p, false
	}
	if p.boots, b, ok = takeUint(b); !ok {
		return p, false
	}
	if p.time, b, ok = takeUint(b); !ok {
		return p, false
	}
	if p.user, b, ok = take(b, tagOctets); !ok {
		return p, false
	}
	if p.mac, b, ok = take(b, tagOctets); !ok {
		return p, false
	}
	p.salt, b, ok = take(b, tagOctets)
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
