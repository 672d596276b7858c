package session

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// The layout of an SQLite database, from "Database File Format" at sqlite.org.
const (
	sqliteMagic  = "SQLite format 3\x00"
	sqliteHeader = 100  // bytes before the first page's B-tree header
	pageSize     = 4096 // what we write; the header's own value is not needed to find our blobs
)

// place is where a frame lies in a file.
type place struct {
	header
	off     int64
	chained bool // spread over overflow pages, beginning at off
}

// scan finds every sound frame of a file and returns them in the order of the file. A frame that stands there
// twice, since SQLite leaves what it moved to another page behind, is returned once.
func scan(f io.ReaderAt, size int64) ([]place, error) {
	const window = 1 << 20
	var found []place
	seen := map[header]bool{}
	budget := 16*size + 256<<20 // bytes to read in all, so that a file made of false beginnings ends
	buf := make([]byte, min(size, window+int64(len(magic))-1))
	var frame []byte // reused for every frame
	for base := int64(0); base < size; base += window {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), size-base)], base)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		for at := 0; ; {
			i := bytes.Index(buf[at:n], magic[:])
			if i < 0 {
				break
			}
			off := base + int64(at+i)
			at += i + 1
			if off >= base+window { // belongs to the next window
				break
			}
			if len(found) > 0 && !found[len(found)-1].chained && off < found[len(found)-1].end() {
				continue // inside the payload of a sound frame
			}
			p, err := placeAt(f, off, &frame)
			if budget -= p.length(); budget < 0 {
				return found, nil
			}
			if err != nil && !errors.Is(err, errFrame) {
				return nil, err
			}
			if err == nil && !seen[p.header] {
				seen[p.header] = true
				found = append(found, p)
			}
		}
	}
	return found, nil
}

func (p place) end() int64 { return p.off + p.length() }

// placeAt looks at the frame that begins at off: in one piece, else over overflow pages. It reads into buf, which it may
// replace by a larger one.
func placeAt(f io.ReaderAt, off int64, buf *[]byte) (place, error) {
	head := make([]byte, headerSize)
	if err := readAt(f, head, off); err != nil {
		return place{}, err
	}
	h, err := parseHeader(head)
	if err != nil {
		return place{}, err
	}
	p := place{header: h, off: off}
	for _, p.chained = range []bool{false, true} {
		b, err := p.read(f, *buf)
		if err != nil && !errors.Is(err, errFrame) {
			return place{}, err
		}
		if err != nil {
			continue
		}
		if *buf = b; h.sound(b) {
			return p, nil
		}
	}
	return p, errFrame
}

// read returns the bytes of the whole frame, in buf if they fit.
func (p place) read(f io.ReaderAt, buf []byte) ([]byte, error) {
	if p.chained {
		return p.readChain(f, buf)
	}
	b := buf[:0]
	for int64(len(b)) < p.length() {
		if len(b) == cap(b) {
			b = slices.Grow(b, max(len(b), 4096)) // with what is there: the length may not have been checked yet
		}
		part := b[len(b):min(int64(cap(b)), p.length())]
		n, err := f.ReadAt(part, p.off+int64(len(b)))
		if b = b[:len(b)+n]; n == len(part) {
			continue
		}
		if err == nil || errors.Is(err, io.EOF) {
			return nil, errFrame
		}
		return nil, err
	}
	return b, nil
}

// readChain reads a blob whose row is (integer key, blob), as SQLite spreads it: "Database File Format", section
// 1.6: a table leaf cell holds up to U-35 bytes of payload; of a longer one it holds M, or K if that fits, and then
// the number of the first overflow page. An overflow page begins with the number of the next one.
func (p place) readChain(f io.ReaderAt, buf []byte) ([]byte, error) {
	const u = pageSize
	const x = u - 35
	const m = (u-12)*32/255 - 23
	length := p.length()
	record := int64(2+varintLen(uint64(12+2*length))) + length // header: its size, NULL for the key, the blob's type
	if record <= x {
		return nil, errFrame // would not have been spread
	}
	local := m + (record-m)%(u-4)
	if local > x {
		local = m
	}
	local -= record - length
	page := make([]byte, u)
	if err := readAt(f, page[:local+4], p.off); err != nil {
		return nil, err
	}
	out := append(slices.Grow(buf[:0], int(min(length, 1<<20))), page[:local]...)
	next := binary.BigEndian.Uint32(page[local:])
	for int64(len(out)) < length {
		if next < 2 {
			return nil, errFrame
		}
		part := page[:min(u, 4+length-int64(len(out)))]
		if err := readAt(f, part, int64(next-1)*u); err != nil {
			return nil, err
		}
		out = append(out, part[4:]...)
		next = binary.BigEndian.Uint32(part)
	}
	return out, nil
}

// readAt fills b; the end of the file is errFrame.
func readAt(f io.ReaderAt, b []byte, off int64) error {
	n, err := f.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return errFrame
	}
	return err
}

// varintLen is the length of SQLite's variable-length integer: seven bits a byte.
func varintLen(v uint64) int {
	n := 1
	for v >>= 7; v > 0; v >>= 7 {
		n++
	}
	return n
}

// database is what the first hundred bytes say.
type database struct {
	ours    bool   // the application id is whydrop's
	version uint32 // user_version, our format version
	bytes   int64  // length of the database proper; the tail begins there
}

// parseDatabase reads the database header. It says no to what is no SQLite database.
func parseDatabase(b []byte) (database, bool) {
	if len(b) < sqliteHeader || string(b[:16]) != sqliteMagic {
		return database{}, false
	}
	be := binary.BigEndian
	return database{
		ours:    be.Uint32(b[68:]) == applicationID,
		version: be.Uint32(b[60:]),
		bytes:   int64(be.Uint32(b[28:])) * pageSize,
	}, true
}
