package stamp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

const (
	// AuthenticatedSize is the length of a packet in authenticated mode without TLVs (RFC 8762, sections 4.2.2 and
	// 4.3.2).
	AuthenticatedSize = 112
	// signed is how many octets the HMAC behind them covers (RFC 8762, section 4.4: the first six blocks).
	signed = 96
)

var (
	errShortSigned = errors.New("stamp: packet shorter than the 112 octets of authenticated mode")
	errUnsigned    = errors.New("stamp: packet is not signed with our key")
)

// AppendSigned appends the packet in authenticated mode to b (RFC 8762, figure 3; RFC 8972, figure 2), signed with key.
func (q Question) AppendSigned(b, key []byte) []byte {
	p := blank(&b)
	binary.BigEndian.PutUint32(p, q.Sequence)
	binary.BigEndian.PutUint64(p[16:], uint64(q.Timestamp))
	binary.BigEndian.PutUint16(p[24:], uint16(q.Estimate))
	binary.BigEndian.PutUint16(p[26:], q.Session)
	copy(p[signed:], mac(p, key))
	return b
}

// ParseSignedQuestion reads the packet of a session-sender in authenticated mode. One that is not signed with key is an
// error. What should be zero is not looked at.
func ParseSignedQuestion(b, key []byte) (Question, error) {
	if err := verify(b, key); err != nil {
		return Question{}, err
	}
	q := Question{
		Sequence:  binary.BigEndian.Uint32(b),
		Timestamp: Timestamp(binary.BigEndian.Uint64(b[16:])),
		Estimate:  ErrorEstimate(binary.BigEndian.Uint16(b[24:])),
		Session:   binary.BigEndian.Uint16(b[26:]),
	}
	if q.Estimate&0xff == 0 {
		return q, errEstimate
	}
	return q, nil
}

// AppendSigned appends the packet in authenticated mode to b (RFC 8762, figure 6; RFC 8972, figure 4), signed with key.
func (a Answer) AppendSigned(b, key []byte) []byte {
	p := blank(&b)
	binary.BigEndian.PutUint32(p, a.Sequence)
	binary.BigEndian.PutUint64(p[16:], uint64(a.Timestamp))
	binary.BigEndian.PutUint16(p[24:], uint16(a.Estimate))
	binary.BigEndian.PutUint16(p[26:], a.Session)
	binary.BigEndian.PutUint64(p[32:], uint64(a.Received))
	binary.BigEndian.PutUint32(p[48:], a.Question.Sequence)
	binary.BigEndian.PutUint64(p[64:], uint64(a.Question.Timestamp))
	binary.BigEndian.PutUint16(p[72:], uint16(a.Question.Estimate))
	p[80] = a.TTL
	copy(p[signed:], mac(p, key))
	return b
}

// ParseSignedAnswer reads the packet of a session-reflector in authenticated mode. One that is not signed with key is an
// error.
func ParseSignedAnswer(b, key []byte) (Answer, error) {
	if err := verify(b, key); err != nil {
		return Answer{}, err
	}
	return Answer{
		Sequence:  binary.BigEndian.Uint32(b),
		Timestamp: Timestamp(binary.BigEndian.Uint64(b[16:])),
		Estimate:  ErrorEstimate(binary.BigEndian.Uint16(b[24:])),
		Session:   binary.BigEndian.Uint16(b[26:]),
		Received:  Timestamp(binary.BigEndian.Uint64(b[32:])),
		Question: Question{
			Sequence:  binary.BigEndian.Uint32(b[48:]),
			Timestamp: Timestamp(binary.BigEndian.Uint64(b[64:])),
			Estimate:  ErrorEstimate(binary.BigEndian.Uint16(b[72:])),
		},
		TTL: b[80],
	}, nil
}

// AppendFor is AppendSigned, or Append where there is no key.
func (q Question) AppendFor(b, key []byte) []byte {
	if len(key) > 0 {
		return q.AppendSigned(b, key)
	}
	return q.Append(b)
}

// ParseAnswerFor is ParseSignedAnswer, or ParseAnswer where there is no key.
func ParseAnswerFor(b, key []byte) (Answer, error) {
	if len(key) > 0 {
		return ParseSignedAnswer(b, key)
	}
	return ParseAnswer(b)
}

// isSignedAnswer says whether a signed packet is a reflector's: a question has zeros where it has the moment at which it
// was received.
func isSignedAnswer(b []byte) bool { return binary.BigEndian.Uint64(b[32:]) != 0 }

// blank appends a packet of zeros to b and returns it.
func blank(b *[]byte) []byte {
	n := len(*b)
	*b = append(*b, make([]byte, AuthenticatedSize)...)
	return (*b)[n:]
}

// mac returns the HMAC-SHA-256 of a packet's first six blocks, truncated to 128 bits (RFC 8762, section 4.4).
func mac(p, key []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(p[:signed])
	return h.Sum(nil)[:AuthenticatedSize-signed]
}

func verify(b, key []byte) error {
	switch {
	case len(b) < AuthenticatedSize:
		return errShortSigned
	case !hmac.Equal(b[signed:AuthenticatedSize], mac(b, key)):
		return errUnsigned
	}
	return nil
}
