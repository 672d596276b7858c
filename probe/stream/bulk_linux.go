package stream

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// pipeMost is what a pipe is asked to hold: /proc/sys/fs/pipe-max-size of a system that nobody changed.
	pipeMost = spliceLength
	// pagesLength is how much payload there is before it repeats. A peer that copies it reads it from its processor's
	// nearest cache: against a stock iperf3, 1.4 times the throughput of 1 MiB at 0.7 of the processor time.
	pagesLength = 256 << 10
	// pipeLeast is what makes splicing worth it; every system gives 64 KiB (pipe(7)), which is not.
	pipeLeast = 256 << 10
)

// pages is the payload of all senders that splice. Its pages are on their way until a peer has acknowledged them,
// and belong to no other memory of the program that might change meanwhile: they are never written again and never
// given back. It is nil if there is no such memory.
var pages = sync.OnceValue(func() []byte {
	b, err := unix.Mmap(-1, 0, pagesLength, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil
	}
	copy(b, payload(pagesLength))
	if unix.Mprotect(b, unix.PROT_READ) != nil {
		return nil
	}
	return b
})

// nowhere is memory that cannot be written: where a kernel would copy what it is to throw away, it says so.
var nowhere = sync.OnceValue(func() []byte {
	b, err := unix.Mmap(-1, 0, discardLength, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return b
})

// rawTCP returns the descriptor of a TCP connection.
func rawTCP(conn net.Conn) syscall.RawConn {
	c, ok := conn.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// spliceWriter puts pages into a pipe (vmsplice(2)) and lets the kernel move them to the socket (splice(2)).
type spliceWriter struct {
	raw       syscall.RawConn
	from, to  int // ends of the pipe
	size      int // of the pipe
	held      int // bytes in the pipe
	iov       [pipeMost / pagesLength]unix.Iovec
	spliced   bool
	otherwise *plainBulkWriter // nil until splicing turned out to be impossible
	conn      net.Conn
}

// newFastWriter returns nil if the system has no pipe that is large enough.
func newFastWriter(conn net.Conn) bulkWriter {
	raw := rawTCP(conn)
	if raw == nil || pages() == nil {
		return nil
	}
	var p [2]int
	if unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK) != nil {
		return nil
	}
	w := &spliceWriter{raw: raw, from: p[0], to: p[1], conn: conn}
	// What a user may have in all pipes together is limited as well.
	for size := pipeMost; size >= pipeLeast; size /= 2 {
		if n, err := unix.FcntlInt(uintptr(w.to), unix.F_SETPIPE_SZ, size); err == nil {
			w.size = min(n, pipeMost)
			return w
		}
	}
	w.close()
	return nil
}

func (w *spliceWriter) path() string {
	if w.otherwise != nil {
		return w.otherwise.path()
	}
	return PathSplice
}

// close closes the pipe. What is still in it was not sent.
func (w *spliceWriter) close() {
	unix.Close(w.from)
	unix.Close(w.to)
}

func (w *spliceWriter) write(n int) (int, error) {
	if w.otherwise != nil {
		return w.otherwise.write(n)
	}
	var sent int
	var failed error
	err := w.raw.Write(func(fd uintptr) bool {
		sent, failed = w.move(int(fd), n)
		return failed != unix.EAGAIN
	})
	switch {
	case err != nil:
		return 0, err
	case failed == nil:
		w.spliced = true
		return sent, nil
	case !w.spliced && (errors.Is(failed, unix.EINVAL) || errors.Is(failed, unix.ENOSYS) || errors.Is(failed, unix.EFAULT)):
		w.otherwise = &plainBulkWriter{conn: w.conn, buf: payload(DefaultLength)}
		return w.otherwise.write(n)
	}
	return 0, failed
}

// move moves up to n bytes to the socket; it does not wait.
func (w *spliceWriter) move(socket, n int) (int, error) {
	for {
		if w.held == 0 {
			m, err := unix.Vmsplice(w.to, w.vectors(min(n, w.size)), unix.SPLICE_F_NONBLOCK)
			if err == unix.EINTR {
				continue
			}
			if err == unix.EAGAIN { // an empty pipe has room
				err = unix.ENOSYS
			}
			if err != nil {
				return 0, err
			}
			w.held = m
		}
		m, err := unix.Splice(w.from, nil, socket, nil, min(n, w.held), unix.SPLICE_F_NONBLOCK|unix.SPLICE_F_MOVE)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, err
		}
		w.held -= int(m)
		return int(m), nil
	}
}

// vectors returns n bytes of payload: the pages again and again.
func (w *spliceWriter) vectors(n int) []unix.Iovec {
	v := w.iov[:0]
	for ; n > 0; n -= pagesLength {
		iov := unix.Iovec{Base: &pages()[0]}
		iov.SetLen(min(n, pagesLength))
		v = append(v, iov)
	}
	return v
}

// How a fast sender's bytes are let gather before they are thrown away: each segment that finds nobody awake to read it
// costs its sender the time to wake the reader. On loopback 10 us gave stock iperf3 1.35 times the throughput at 0.4 of
// the reader's processor time, and a sender of ours 1.4 times; 5 and 40 us gave about the same.
const (
	bulkGather     = 10 * time.Microsecond
	bulkGatherRate = 20e9      // bit/s from which on it is done
	bulkGatherMost = 512 << 10 // bytes: so much at once has gathered by itself
)

// discardReader lets the kernel throw away what arrives (MSG_TRUNC, tcp(7)).
type discardReader struct {
	raw       syscall.RawConn
	conn      net.Conn
	gather    bool             // the last read found little of much
	last      time.Time        // that it returned
	otherwise *plainBulkReader // nil until it turned out that the kernel does not throw away
}

func newFastReader(conn net.Conn) bulkReader {
	raw := rawTCP(conn)
	if raw == nil || nowhere() == nil {
		return nil
	}
	return &discardReader{raw: raw, conn: conn}
}

func (r *discardReader) path() string {
	if r.otherwise != nil {
		return r.otherwise.path()
	}
	return PathDiscard
}

func (r *discardReader) read(n int) (int, error) {
	if r.otherwise != nil {
		return r.otherwise.read(n)
	}
	if r.gather {
		doze(bulkGather)
	}
	base, n := unsafe.Pointer(&nowhere()[0]), min(n, discardLength)
	var got int
	var failed syscall.Errno
	err := r.raw.Read(func(fd uintptr) bool {
		for {
			m, _, no := unix.Syscall6(unix.SYS_RECVFROM, fd, uintptr(base), uintptr(n), unix.MSG_TRUNC|unix.MSG_DONTWAIT, 0, 0)
			got, failed = int(m), no
			if no != unix.EINTR {
				break
			}
		}
		return failed != unix.EAGAIN
	})
	switch {
	case err != nil:
		return 0, err
	case failed == unix.EFAULT, failed == unix.EINVAL, failed == unix.EOPNOTSUPP:
		r.otherwise = &plainBulkReader{conn: r.conn, buf: make([]byte, DefaultLength)}
		return r.otherwise.read(n)
	case failed != 0:
		return 0, failed
	case got == 0:
		return 0, io.EOF
	}
	now := time.Now()
	r.gather = got < bulkGatherMost && float64(got)*8 > bulkGatherRate*now.Sub(r.last).Seconds()
	r.last = now
	return got, nil
}
