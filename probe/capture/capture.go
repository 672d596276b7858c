package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"
)

// ErrUnsupported says that this system cannot capture.
var ErrUnsupported = errors.New("captures are made on Linux only; here, use tcpdump or Wireshark beside the test")

// Config says what to capture.
type Config struct {
	To    netip.Addr // the far end: only packets with this source or destination are kept
	Ports []uint16   // of TCP or UDP at either end; ICMP with the far end is kept, too; none: every packet with the far end
	Card  int        // index of the network card; 0: all, where a packet that passes several is kept several times
	Snap  int        // octets kept of each packet from its IP header on; 0: 96, which is the headers
	Limit int64      // octets of the file; what comes when it is full is counted only; 0: 64 MiB
}

const (
	defaultSnap  = 96       // IPv6, TCP with options: 40 + 60 at the most, and the usual 52 to 92
	defaultLimit = 64 << 20 // half a million packets
	maxPorts     = 32       // jumps of the kernel's filter reach 255 instructions
)

func (c Config) snap() int {
	if c.Snap == 0 {
		return defaultSnap
	}
	return c.Snap
}

func (c Config) limit() int64 {
	if c.Limit == 0 {
		return defaultLimit
	}
	return c.Limit
}

// check names what cannot be captured.
func (c Config) check() error {
	switch {
	case !c.To.IsValid():
		return errors.New("capture: the far end's address is missing")
	case c.Snap < 0 || c.Snap > 0xffff:
		return fmt.Errorf("capture: %d octets of each packet: want 1 to 65535", c.Snap)
	case c.Limit < 0 || c.Limit > 0 && c.Limit < headerSize:
		return fmt.Errorf("capture: a file of %d octets is too short", c.Limit)
	case len(c.Ports) > maxPorts:
		return fmt.Errorf("capture: %d ports, at most %d", len(c.Ports), maxPorts)
	}
	return nil
}

// Stats is what became of the packets.
type Stats struct {
	Kept    uint64 // in the file
	Left    uint64 // seen, but the file was full
	Dropped uint64 // by the kernel: this program did not fetch them in time
}

// String says it in a sentence.
func (s Stats) String() string {
	text := fmt.Sprintf("%d packets captured", s.Kept)
	if s.Left > 0 {
		text += fmt.Sprintf(", %d more did not fit into the file", s.Left)
	}
	if s.Dropped > 0 {
		text += fmt.Sprintf(", %d lost by this host", s.Dropped)
	}
	return text
}

// The pcap format: draft-ietf-opsawg-pcap, sections 4 and 5.
const (
	magicNanoseconds = 0xa1b23c4d
	linkTypeRaw      = 101 // the packet begins with its IP header
	headerSize       = 24
	recordSize       = 16
)

// file writes packets in the pcap format until it has its length.
type file struct {
	w     *bufio.Writer
	left  int64 // octets that may still be written
	stats Stats
	err   error // of the first write that failed
}

func newFile(w io.Writer, snap int, limit int64) *file {
	f := &file{w: bufio.NewWriterSize(w, 64<<10), left: limit - headerSize}
	le := binary.LittleEndian
	b := le.AppendUint32(nil, magicNanoseconds)
	b = le.AppendUint16(b, 2)
	b = le.AppendUint16(b, 4)
	b = append(b, make([]byte, 8)...)
	b = le.AppendUint32(b, uint32(snap))
	b = le.AppendUint32(b, linkTypeRaw)
	_, f.err = f.w.Write(b)
	return f
}

// add writes one packet: what was kept of it and how long it was.
func (f *file) add(at time.Time, kept []byte, length int) {
	size := int64(recordSize + len(kept))
	if f.err != nil || size > f.left {
		f.left = 0 // nothing shorter after it either: the file ends at one moment
		f.stats.Left++
		return
	}
	var head [recordSize]byte
	le := binary.LittleEndian
	le.PutUint32(head[0:], uint32(at.Unix()))
	le.PutUint32(head[4:], uint32(at.Nanosecond()))
	le.PutUint32(head[8:], uint32(len(kept)))
	le.PutUint32(head[12:], uint32(length))
	_, err := f.w.Write(head[:])
	if err == nil {
		_, err = f.w.Write(kept)
	}
	if err != nil {
		f.err = err
		f.stats.Left++
		return
	}
	f.left -= size
	f.stats.Kept++
}

// flush writes what waits and returns the first error.
func (f *file) flush() error {
	if f.err == nil {
		f.err = f.w.Flush()
	}
	if f.err != nil {
		return fmt.Errorf("capture: write the file: %w", f.err)
	}
	return nil
}
