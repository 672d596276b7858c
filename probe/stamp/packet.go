package stamp

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// Size is the length of a packet in unauthenticated mode without TLVs (RFC 8762, section 4.2.1).
const Size = 44

// LightSize is the length of the shortest answer of TWAMP (RFC 5357, section 4.2.1), and so of the shortest question that
// is answered: TWAMP Light has no zeros behind the sender's TTL.
const LightSize = 41

// DefaultPort is the UDP port of STAMP and TWAMP-Test (RFC 8762, section 4.1).
const DefaultPort = 862

// errShort says that a datagram is too short to be a STAMP packet, or to be answered by one as short.
var errShort = errors.New("stamp: packet shorter than 41 octets")

// errEstimate says that a packet's error estimate has the multiplier 0: RFC 4656, section 4.1.2 calls it corrupt.
var errEstimate = errors.New("stamp: error estimate with multiplier 0")

// Format is a timestamp's format.
type Format uint8

const (
	NTP Format = iota // 32 bits of seconds since 1900, 32 bits of fraction (RFC 5905, section 6)
	PTP               // 32 bits of seconds since 1970, 32 bits of nanoseconds (RFC 8186, section 2.1)
)

// Timestamp is 64 bits as they stand in a packet; their meaning depends on the [Format].
type Timestamp uint64

// ntpEpoch is how many seconds before 1970 NTP's era 0 began (RFC 5905, figure 4).
const ntpEpoch = 2208988800

// NewTimestamp returns the timestamp of t.
func NewTimestamp(t time.Time, f Format) Timestamp {
	sec, ns := uint64(uint32(t.Unix())), uint64(t.Nanosecond())
	if f == NTP {
		return Timestamp(uint64(uint32(t.Unix()+ntpEpoch))<<32 | ns<<32/1e9)
	}
	return Timestamp(sec<<32 | ns)
}

// Time returns the timestamp as a time, in the era (of 136 years) that is nearest to near.
func (ts Timestamp) Time(f Format, near time.Time) time.Time {
	sec, frac := uint32(ts>>32), uint64(uint32(ts))
	ns := frac
	epoch := int64(0)
	if f == NTP {
		// rounded: 2^-32 s is a quarter of a nanosecond
		ns, epoch = (frac*1e9+1<<31)>>32, ntpEpoch
	}
	ref := near.Unix() + epoch
	return time.Unix(ref+int64(int32(sec-uint32(ref)))-epoch, int64(ns)).UTC()
}

// ErrorEstimate is the 16 bits of RFC 4656, section 4.1.2 with the format bit of RFC 8186: S, Z, six bits of scale
// and eight of multiplier.
type ErrorEstimate uint16

// NewErrorEstimate returns the estimate for a clock in the given format whose readings are wrong by up to d; it is
// rounded up. synchronised says whether the clock is set by an outside source such as NTP.
func NewErrorEstimate(f Format, synchronised bool, d time.Duration) ErrorEstimate {
	// The error is multiplier * 2^-32 * 2^scale seconds.
	units := uint64(math.Ceil(d.Seconds() * (1 << 32)))
	scale := uint16(0)
	for units > 255 && scale < 63 {
		units, scale = (units+1)/2, scale+1
	}
	e := ErrorEstimate(scale<<8 | uint16(max(min(units, 255), 1)))
	if f == PTP {
		e |= 1 << 14
	}
	if synchronised {
		e |= 1 << 15
	}
	return e
}

// Format returns the format of the timestamps beside the estimate.
func (e ErrorEstimate) Format() Format { return Format(e >> 14 & 1) }

// Error returns how wrong the clock may be; more than a day is returned as a day.
func (e ErrorEstimate) Error() time.Duration {
	s := math.Ldexp(float64(e&0xff), int(e>>8&0x3f)-32)
	return time.Duration(min(s, 86400) * float64(time.Second))
}

// Question is the packet of a session-sender.
type Question struct {
	Sequence  uint32
	Timestamp Timestamp
	Estimate  ErrorEstimate
	Session   uint16 // session-sender identifier (RFC 8972, section 3); 0 means none
}

// Append appends the packet to b.
func (q Question) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, q.Sequence)
	b = binary.BigEndian.AppendUint64(b, uint64(q.Timestamp))
	b = binary.BigEndian.AppendUint16(b, uint16(q.Estimate))
	b = binary.BigEndian.AppendUint16(b, q.Session)
	return append(b, make([]byte, Size-16)...)
}

// ParseQuestion reads the packet of a session-sender of STAMP, or of TWAMP Light (RFC 5357, appendix I), which has padding
// where STAMP has a session identifier and zeros: then the session is 0.
func ParseQuestion(b []byte) (Question, error) {
	if len(b) < LightSize {
		return Question{}, errShort
	}
	q := Question{
		Sequence:  binary.BigEndian.Uint32(b),
		Timestamp: Timestamp(binary.BigEndian.Uint64(b[4:])),
		Estimate:  ErrorEstimate(binary.BigEndian.Uint16(b[12:])),
	}
	if isZero(b[16:min(len(b), Size)]) {
		q.Session = binary.BigEndian.Uint16(b[14:])
	}
	if q.Estimate&0xff == 0 {
		return q, errEstimate
	}
	return q, nil
}

// Answer is the packet of a session-reflector.
type Answer struct {
	Sequence  uint32 // the reflector's own count, or a copy of the question's
	Timestamp Timestamp
	Estimate  ErrorEstimate
	Session   uint16
	Received  Timestamp
	Question  Question // what the reflector copied; its Session is not, it is 0
	TTL       uint8    // TTL or hop limit the question arrived with; 255 if not known (RFC 5357, section 4.2.1)
}

// Append appends the packet to b.
func (a Answer) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, a.Sequence)
	b = binary.BigEndian.AppendUint64(b, uint64(a.Timestamp))
	b = binary.BigEndian.AppendUint16(b, uint16(a.Estimate))
	b = binary.BigEndian.AppendUint16(b, a.Session)
	b = binary.BigEndian.AppendUint64(b, uint64(a.Received))
	b = binary.BigEndian.AppendUint32(b, a.Question.Sequence)
	b = binary.BigEndian.AppendUint64(b, uint64(a.Question.Timestamp))
	b = binary.BigEndian.AppendUint16(b, uint16(a.Question.Estimate))
	return append(b, 0, 0, a.TTL, 0, 0, 0)
}

// ParseAnswer reads the packet of a session-reflector of STAMP or TWAMP Light.
func ParseAnswer(b []byte) (Answer, error) {
	if len(b) < LightSize {
		return Answer{}, errShort
	}
	return Answer{
		Sequence:  binary.BigEndian.Uint32(b),
		Timestamp: Timestamp(binary.BigEndian.Uint64(b[4:])),
		Estimate:  ErrorEstimate(binary.BigEndian.Uint16(b[12:])),
		Session:   binary.BigEndian.Uint16(b[14:]),
		Received:  Timestamp(binary.BigEndian.Uint64(b[16:])),
		Question: Question{
			Sequence:  binary.BigEndian.Uint32(b[24:]),
			Timestamp: Timestamp(binary.BigEndian.Uint64(b[28:])),
			Estimate:  ErrorEstimate(binary.BigEndian.Uint16(b[36:])),
		},
		TTL: b[40],
	}, nil
}

func isZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// isAnswer says whether a datagram that came as a question looks like a reflector's answer: where a question has
// zeros or padding, it has the moment at which it was received, lately. By chance padding does in one of 20,000.
func isAnswer(b []byte, now time.Time) bool {
	ts := Timestamp(binary.BigEndian.Uint64(b[16:]))
	if ts == 0 {
		return false
	}
	for _, f := range []Format{NTP, PTP} {
		if now.Sub(ts.Time(f, now)).Abs() < 24*time.Hour {
			return true
		}
	}
	return false
}
