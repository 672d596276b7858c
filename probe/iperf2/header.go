package iperf2

import (
	"encoding/binary"
	"math"
	"time"
)

// Flags of a client header's first word (payloads.h of 2.1, Settings.hpp of 2.0).
const (
	flagVersion1   = 0x80000000 // a header is there, and the server is to send back
	flagExtend     = 0x40000000 // an extension follows
	flagUDPTests   = 0x20000000
	flagWide       = 0x08000000 // numbers of 64 bits
	flagVersion2   = 0x04000000 // the extension's flags count
	flagBounceback = 0x00800000
	flagLength     = 0x00010000 // the header's length is in lengthMask, doubled
	lengthMask     = 0x000001fe
	flagRunNow     = 0x00000001 // send back at once (-d), not after the test (-r)

	highFlags = 0xff800000 // all that stand above the length
)

// Flags of the extension: of the upper 16 in 2.1, of the whole word in 2.0.13.
const (
	upperNoReport = 0x0008
	upperPPS      = 0x0080 // the rate is in datagrams a second
	upperReverse  = 0x0400
	oldPPS        = 0x0001
	oldReverse    = 0x0008
)

// Sizes in bytes.
const (
	narrowSize = 12 // datagram's fields in 2.0.5
	wideSize   = 16 // datagram's fields since 2.0.10
	baseSize   = 24 // client header without extension
	extSize    = 36
	fullSize   = baseSize + extSize
	ackSize    = 28
	maxHeader  = 256
	reportBase = 40                       // report without the words about transit times
	reportSize = reportBase + 15*4 + 3*4  // whole report
	headSize   = wideSize + fullSize + 20 // what has to be seen of a datagram
)

// version is that whose forms are written: 2.1.8, as its two words say it.
const (
	versionUpper = 0x00020001
	versionLower = 0x00080003
)

// clientHeader is what a client says at the beginning. What it did not say is zero.
type clientHeader struct {
	flags    uint32
	threads  uint32
	port     uint32
	length   int32
	window   int32
	amount   int32 // negative: a time in units of 10 ms; positive: bytes
	extended bool
	legacy   bool   // an extension of 2.0
	upper    uint16 // flags of the extension of 2.1
	oldFlags uint32 // flags of the extension of 2.0
	rate     uint32 // bit/s, or datagrams a second
}

func (h clientHeader) reverse() bool {
	if h.legacy {
		return h.oldFlags&oldReverse != 0
	}
	return h.extended && h.flags&flagVersion2 != 0 && h.upper&upperReverse != 0
}

// back says whether the server is to send back by a connection of its own, and whether at once.
func (h clientHeader) back() (wanted, now bool) {
	return h.flags&flagVersion1 != 0, h.flags&flagRunNow != 0
}

// asked returns how long or how much the client wants; both are 0 if it did not say.
func (h clientHeader) asked() (d time.Duration, bytes uint64) {
	if h.amount < 0 {
		return time.Duration(-int64(h.amount)) * 10 * time.Millisecond, 0
	}
	return 0, uint64(h.amount)
}

// bits returns the rate asked for in bit/s, with length bytes a datagram; 0 if none was.
func (h clientHeader) bits(length int) float64 {
	if !h.legacy && h.upper&upperPPS != 0 || h.legacy && h.oldFlags&oldPPS != 0 {
		return float64(h.rate) * float64(length) * 8
	}
	return float64(h.rate)
}

// append writes the header in the form of 2.1, behind before bytes of other fields that its length counts.
func (h clientHeader) append(b []byte, before int) []byte {
	be := binary.BigEndian
	flags := h.flags | flagExtend | flagLength | uint32(before+fullSize)<<1
	for _, v := range []uint32{
		flags, h.threads, h.port, uint32(h.length), uint32(h.window), uint32(h.amount),
		0, 0, uint32(h.upper) << 16, versionUpper, versionLower, 0, h.rate, 0, 0,
	} {
		b = be.AppendUint32(b, v)
	}
	return b
}

// headerLength returns how many bytes of header there are behind a first word, itself included; 0 if the word is
// none of a header but data. If extension is set, the two words at the end say how much more there is.
func headerLength(first uint32) (n int, extension bool) {
	switch {
	case first&flagLength != 0:
		n = int(first & lengthMask >> 1)
		if n < baseSize || n > maxHeader || first&^uint32(highFlags|flagLength|lengthMask|flagRunNow|0x20000) != 0 {
			return 0, false
		}
		return n, false
	case first&(flagVersion1|flagExtend) == 0 || first&^uint32(highFlags|flagRunNow) != 0:
		return 0, false // such as the digits with which stock iperf fills its data
	case first&flagExtend != 0:
		return baseSize + 8, true
	}
	return baseSize, false
}

// extensionLength returns how many bytes follow the type and length that end b, a header of 2.0.
func extensionLength(b []byte) int {
	be := binary.BigEndian
	n := be.Uint32(b[baseSize+4:])
	if be.Uint32(b[baseSize:]) != 1 || n > maxHeader-baseSize-8 {
		return 0
	}
	return int(n)
}

// parseHeader reads a client header from the beginning of b. ok is false if there is none.
func parseHeader(b []byte) (h clientHeader, ok bool) {
	be := binary.BigEndian
	if len(b) < baseSize {
		return h, false
	}
	h.flags = be.Uint32(b)
	if n, _ := headerLength(h.flags); n == 0 {
		return clientHeader{}, false
	}
	h.threads, h.port = be.Uint32(b[4:]), be.Uint32(b[8:])
	h.length, h.window, h.amount = int32(be.Uint32(b[12:])), int32(be.Uint32(b[16:])), int32(be.Uint32(b[20:]))
	if h.amount == math.MinInt32 {
		h.amount = -math.MaxInt32
	}
	if h.flags&flagExtend == 0 || len(b) < baseSize+12 {
		return h, true
	}
	h.extended = true
	h.legacy = h.flags&flagLength == 0 && be.Uint32(b[baseSize:]) == 1
	if h.legacy {
		h.oldFlags = be.Uint32(b[baseSize+8:])
	} else {
		h.upper = be.Uint16(b[baseSize+8:])
	}
	if len(b) >= baseSize+28 {
		h.rate = be.Uint32(b[baseSize+24:])
	}
	return h, true
}

// appendAck writes what a server answers to an extended TCP header.
func appendAck(b []byte) []byte {
	be := binary.BigEndian
	for _, v := range []uint32{2, ackSize, 0, versionUpper, versionLower, 0, 0} {
		b = be.AppendUint32(b, v)
	}
	return b
}
