package session

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// The kinds of frames.
const (
	kindMeta   = 'M' // metadata; the payload is JSON
	kindTail   = 'T' // what came within one flush; one sequence number
	kindSealed = 'S' // one collector's share of a range of tail frames, which it replaces
	kindEnd    = 'E' // the recorder was closed; no payload
)

// magic begins every frame. Its first byte is no text and no UTF-8 start, so that text cannot look like a frame.
var magic = [8]byte{0x8F, 'w', 'd', 'r', 'o', 'p', 0x1A, '\n'}

const (
	headerSize = 64
	maxPayload = 64 << 20 // of one frame, decompressed
)

// header is the fixed part of a frame.
type header struct {
	version     uint8
	kind        uint8
	part, parts uint16 // of a sealed range: 1 to parts
	first, last uint64 // sequence numbers of the tail frames that this frame is or replaces
	raw, size   uint32 // payload: decompressed, stored
	records     uint32
	from, to    int64 // nanoseconds since 1970 covered by the records; 0, 0 if there are none
	crc         uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errFrame says that there is no sound frame at a place.
var errFrame = errors.New("no sound frame")

// appendFrame appends a frame with the payload to dst.
func appendFrame(dst []byte, h header, payload []byte) []byte {
	h.size = uint32(len(payload))
	start := len(dst)
	dst = append(dst, make([]byte, headerSize)...)
	h.put(dst[start:])
	dst = append(dst, payload...)
	sum := crc32.Update(0, castagnoli, dst[start+8:start+60])
	sum = crc32.Update(sum, castagnoli, payload)
	binary.LittleEndian.PutUint32(dst[start+60:], sum)
	return dst
}

func (h header) put(b []byte) {
	le := binary.LittleEndian
	copy(b, magic[:])
	b[8], b[9] = h.version, h.kind
	le.PutUint16(b[10:], h.part)
	le.PutUint16(b[12:], h.parts)
	le.PutUint64(b[16:], h.first)
	le.PutUint64(b[24:], h.last)
	le.PutUint32(b[32:], h.raw)
	le.PutUint32(b[36:], h.size)
	le.PutUint32(b[40:], h.records)
	le.PutUint64(b[44:], uint64(h.from))
	le.PutUint64(b[52:], uint64(h.to))
}

// parseHeader reads the fixed part of a frame. It says nothing about the payload.
func parseHeader(b []byte) (header, error) {
	if len(b) < headerSize || !bytes.Equal(b[:8], magic[:]) {
		return header{}, errFrame
	}
	le := binary.LittleEndian
	h := header{
		version: b[8], kind: b[9],
		part: le.Uint16(b[10:]), parts: le.Uint16(b[12:]),
		first: le.Uint64(b[16:]), last: le.Uint64(b[24:]),
		raw: le.Uint32(b[32:]), size: le.Uint32(b[36:]), records: le.Uint32(b[40:]),
		from: int64(le.Uint64(b[44:])), to: int64(le.Uint64(b[52:])),
		crc: le.Uint32(b[60:]),
	}
	if h.raw > maxPayload || h.size > maxPayload || h.last < h.first || h.last == math.MaxUint64 {
		return header{}, errFrame
	}
	return h, nil
}

// length is the number of bytes of the whole frame.
func (h header) length() int64 { return headerSize + int64(h.size) }

// open checks a whole frame and returns its payload, decompressed, in buf if it fits.
func (h header) open(frame, buf []byte) ([]byte, error) {
	if !h.sound(frame) {
		return nil, errFrame
	}
	payload := frame[headerSize:]
	if h.raw == 0 {
		return nil, nil
	}
	d := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(d)
	out, err := d.DecodeAll(payload, slices.Grow(buf[:0], min(int(h.raw), 32*len(payload)+4096)))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	if len(out) != int(h.raw) {
		return nil, fmt.Errorf("decompress: %d bytes instead of %d", len(out), h.raw)
	}
	return out, nil
}

// sound says whether the checksum of a whole frame is right.
func (h header) sound(frame []byte) bool {
	if int64(len(frame)) != h.length() {
		return false
	}
	sum := crc32.Update(0, castagnoli, frame[8:60])
	return crc32.Update(sum, castagnoli, frame[headerSize:]) == h.crc
}
