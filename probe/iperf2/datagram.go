package iperf2

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// datagram is what a UDP datagram says of itself.
type datagram struct {
	number int64     // negative: the last one
	sent   time.Time // by the sender's clock
	header clientHeader
	has    bool // header was there
	wide   bool
}

// parseDatagram reads the beginning of a datagram. ok is false if it is too short to be one.
func parseDatagram(b []byte) (d datagram, ok bool) {
	be := binary.BigEndian
	if len(b) < narrowSize {
		return d, false
	}
	d.sent = time.Unix(int64(be.Uint32(b[4:])), int64(min(be.Uint32(b[8:]), 999_999))*1000)
	d.number = int64(int32(be.Uint32(b)))
	if len(b) >= wideSize+4 {
		flags := be.Uint32(b[wideSize:])
		n, _ := headerLength(flags)
		d.wide = flags&flagWide != 0 && (n > 0 || flags&^uint32(highFlags) == 0)
	}
	at := narrowSize
	if d.wide {
		d.number = int64(be.Uint32(b[12:]))<<32 | int64(be.Uint32(b))
		at = wideSize
	}
	d.header, d.has = parseHeader(b[at:])
	return d, true
}

// putNumber writes a datagram's own fields into b, which holds at least wideSize bytes.
func putNumber(b []byte, number int64, now time.Time, wide bool) {
	be := binary.BigEndian
	be.PutUint32(b, uint32(number))
	be.PutUint32(b[4:], uint32(now.Unix()))
	be.PutUint32(b[8:], uint32(now.Nanosecond()/1000))
	if wide {
		be.PutUint32(b[12:], uint32(number>>32))
	}
}

// Report is what the receiver of a UDP test says about it at its end.
type Report struct {
	Bytes      uint64
	Time       time.Duration // from the first datagram to the last
	Lost       uint64
	OutOfOrder uint64
	Total      uint64
	Jitter     time.Duration
}

// LossRatio returns the share of datagrams lost, 0 to 1.
func (r Report) LossRatio() float64 { return lossRatio(r.Lost, r.Total) }

func lossRatio(lost, total uint64) float64 {
	if total == 0 {
		return 0
	}
	return min(1, float64(lost)/float64(total))
}

// appendReport writes a report for a client with wide or narrow numbers, at most limit bytes long: an answer is not
// longer than what it answers. It returns b unchanged if there is no room for one.
func appendReport(b []byte, r Report, number int64, wide bool, limit int) []byte {
	be := binary.BigEndian
	head, flags := narrowSize, uint32(flagVersion1)
	if wide {
		head, flags = wideSize, flagVersion1|flagWide
	}
	if limit < head+reportBase {
		return b
	}
	out := make([]byte, head, head+reportSize)
	if !wide {
		be.PutUint32(out, uint32(number)) // 2.0.5 sends back what it received
	}
	us := r.Time.Microseconds()
	jitter := r.Jitter.Microseconds()
	for _, v := range []uint32{
		flags, uint32(r.Bytes >> 32), uint32(r.Bytes), uint32(us / 1e6), uint32(us % 1e6),
		uint32(r.Lost), uint32(r.OutOfOrder), uint32(r.Total), uint32(jitter / 1e6), uint32(jitter % 1e6),
	} {
		out = be.AppendUint32(out, v)
	}
	if wide && limit >= head+reportSize {
		out = append(out, make([]byte, 15*4)...)
		for _, v := range []uint64{r.Lost, r.OutOfOrder, r.Total} {
			out = be.AppendUint32(out, uint32(v>>32))
		}
	}
	return append(b, out...)
}

var errNoReport = errors.New("not a report")

// parseReport reads a report of any version. What it says is bounded: no more is lost than there was.
func parseReport(b []byte) (Report, error) {
	be := binary.BigEndian
	at := wideSize
	if len(b) >= narrowSize+reportBase {
		if f := be.Uint32(b[narrowSize:]); f == flagVersion1 || f == flagVersion1|flagExtend {
			at = narrowSize
		}
	}
	if len(b) < at+reportBase || be.Uint32(b[at:])&flagVersion1 == 0 || be.Uint32(b[at:])&^uint32(highFlags) != 0 {
		return Report{}, errNoReport
	}
	b = b[at:]
	word := func(i int) uint64 { return uint64(be.Uint32(b[4*i:])) }
	micro := func(i int) time.Duration {
		return time.Duration(word(i))*time.Second + time.Duration(min(word(i+1), 999_999))*time.Microsecond
	}
	r := Report{
		Bytes: word(1)<<32 | word(2), Time: micro(3),
		Lost: word(5), OutOfOrder: word(6), Total: word(7), Jitter: micro(8),
	}
	if be.Uint32(b)&flagWide != 0 && len(b) >= reportSize {
		r.Lost |= word(25) << 32
		r.OutOfOrder |= word(26) << 32
		r.Total |= word(27) << 32
	}
	if r.Bytes > math.MaxInt64 || r.Total > math.MaxInt64 {
		return Report{}, errNoReport
	}
	r.Lost, r.OutOfOrder = min(r.Lost, r.Total), min(r.OutOfOrder, r.Total)
	return r, nil
}
