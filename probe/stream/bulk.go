package stream

import (
	"net"
	"sync"
)

// bulkWriter writes the bytes of a bulk transfer to a connection.
type bulkWriter interface {
	// write writes up to n bytes and returns how many the kernel took. It waits for room; the connection's write
	// deadline ends it with an error.
	write(n int) (int, error)
	path() string
	close()
}

// bulkReader takes the bytes of a bulk transfer from a connection.
type bulkReader interface {
	// read takes up to n bytes and returns how many there were. It waits for data; the connection's read deadline
	// ends it with an error, and io.EOF says that the peer closed.
	read(n int) (int, error)
	path() string
}

// Paths of bytes to and from the kernel, as [Count.Path] names them.
const (
	PathWrite   = "write"             // copied from the program
	PathSplice  = "vmsplice+splice"   // the program's pages go out as they are, nothing is copied
	PathRead    = "read"              // copied to the program, then thrown away
	PathDiscard = "recv MSG_TRUNC"    // thrown away in the kernel, nothing is copied
	PathVerify  = "read and verified" // copied to the program and compared
	PathFile    = "file"              // copied between a file and the connection
)

// fastRate is the rate in bit/s from which on a paced sender's writes are large enough for more than a write.
const fastRate = 300e6

// plainBulkWriter is conn.Write.
type plainBulkWriter struct {
	conn net.Conn
	buf  []byte
}

func (w *plainBulkWriter) write(n int) (int, error) { return w.conn.Write(w.buf[:min(n, len(w.buf))]) }
func (w *plainBulkWriter) path() string             { return PathWrite }
func (w *plainBulkWriter) close()                   {}

// plainBulkReader is conn.Read.
type plainBulkReader struct {
	conn net.Conn
	buf  []byte
}

func (r *plainBulkReader) read(n int) (int, error) { return r.conn.Read(r.buf[:min(n, len(r.buf))]) }
func (r *plainBulkReader) path() string            { return PathRead }

// period is the length of the pattern that a verified transfer repeats: a prime, so that blocks of any usual size
// differ from those before and behind them.
const period = 131071

// pattern is the pattern twice, so that a period can be taken from any offset.
var pattern = sync.OnceValue(func() []byte {
	p := payload(period)
	return append(p, p...)
})

// patternWriter writes the pattern.
type patternWriter struct {
	conn net.Conn
	at   int
}

func (w *patternWriter) write(n int) (int, error) {
	n, err := w.conn.Write(pattern()[w.at:][:min(n, period)])
	w.at = (w.at + n) % period
	return n, err
}

func (w *patternWriter) path() string { return PathWrite }
func (w *patternWriter) close()       {}

// patternReader compares what it reads with the pattern.
type patternReader struct {
	plainBulkReader
	at    int
	total uint64
	count *Count
}

func (r *patternReader) read(n int) (int, error) {
	n, err := r.plainBulkReader.read(min(n, period))
	got, want := r.buf[:n], pattern()[r.at:][:n]
	if string(got) != string(want) {
		bad, first := uint64(0), uint64(0)
		for i := range got {
			if got[i] != want[i] {
				if bad == 0 {
					first = r.total + uint64(i)
				}
				bad++
			}
		}
		r.count.damage(bad, first)
	}
	r.at = (r.at + n) % period
	r.total += uint64(n)
	return n, err
}

func (r *patternReader) path() string { return PathVerify }
