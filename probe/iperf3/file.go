package iperf3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"whydrop/probe/stream"
)

// DefaultMaxFile is what a file that is written grows to at most, in bytes; beyond it is written from its beginning
// again.
const DefaultMaxFile = 4 << 30

// ErrNotEmpty says that a file that would be written over holds something.
var ErrNotEmpty = errors.New("is not empty: what it holds would be lost")

// CheckFile says what about the test's file cannot be: how it would go with the rest of the test, that it cannot be
// opened, or that it would be lost. The error names the file.
func (t Test) CheckFile() error {
	switch {
	case t.File == "":
		return nil
	case t.UDP:
		return errors.New("iperf3: a file is sent by TCP, not by UDP")
	case t.Verify:
		return errors.New("iperf3: a file and verification exclude each other")
	case t.Bidirectional:
		return errors.New("iperf3: a file goes one way: a test in both directions has none")
	case t.Reverse && t.Streams > 1:
		return errors.New("iperf3: only one stream can be written to a file")
	}
	if t.Reverse {
		return t.checkTarget()
	}
	f, err := t.source()
	if err == nil {
		err = f.Close()
	}
	return err
}

// source opens the file that is sent.
func (t Test) source() (*os.File, error) {
	info, err := os.Stat(t.File)
	if err == nil && !info.Mode().IsRegular() && !isDevice(info) {
		err = errors.New("is no regular file")
	}
	if err != nil {
		return nil, t.fileError(err)
	}
	f, err := os.Open(t.File)
	if err != nil {
		return nil, t.fileError(err)
	}
	return f, nil
}

// target makes the file that what arrives is written to. One that holds something is kept, unless it may be overwritten;
// a device, such as /dev/null, holds nothing.
func (t Test) target() (f *os.File, onDisk bool, err error) {
	if err := t.checkTarget(); err != nil {
		return nil, false, err
	}
	if f, err = os.Create(t.File); err != nil {
		return nil, false, t.fileError(err)
	}
	info, err := f.Stat()
	return f, err == nil && info.Mode().IsRegular(), nil
}

// checkTarget says why the file cannot be written to. It leaves everything as it is.
func (t Test) checkTarget() error {
	flags := os.O_WRONLY
	info, err := os.Stat(t.File)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing:
		flags |= os.O_CREATE | os.O_EXCL
	case err != nil:
		return t.fileError(err)
	case info.Mode().IsRegular() && info.Size() > 0 && !t.Overwrite:
		return t.fileError(ErrNotEmpty)
	case !info.Mode().IsRegular() && !isDevice(info):
		return t.fileError(errors.New("is no regular file"))
	}
	f, err := os.OpenFile(t.File, flags, 0o666)
	if err != nil {
		return t.fileError(err)
	}
	err = f.Close()
	if missing {
		err = errors.Join(err, os.Remove(t.File))
	}
	if err != nil {
		return t.fileError(err)
	}
	return nil
}

func isDevice(info fs.FileInfo) bool { return info.Mode()&fs.ModeDevice != 0 }

// fileError says what is wrong with the file; its name comes first.
func (t Test) fileError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("iperf3: file %s: %w", t.File, err)
}

// moveFile carries one stream from or to the test's file.
func (f *flow) moveFile(ctx context.Context, c *dataConn) error {
	if c.sends {
		from, err := f.test.source()
		if err != nil {
			return err
		}
		defer from.Close()
		return (&stream.Sender{Rate: f.test.Rate, Length: f.test.Length, Source: from, Budget: f.budget, Count: &c.count}).Run(ctx, c.conn)
	}
	to, onDisk, err := f.test.target()
	if err != nil {
		return err
	}
	err = (&stream.Receiver{Length: f.test.Length, Sink: &ring{file: to, most: DefaultMaxFile, syncs: onDisk}, Count: &c.count}).Run(ctx, c.conn)
	return errors.Join(err, to.Close())
}

// syncEvery is how much may wait in memory for the disk: without a bound the memory is measured, not the disk.
const syncEvery = 64 << 20

// ring is a file that begins anew when it is as large as it may be.
type ring struct {
	file interface {
		io.Writer
		io.Seeker
		Sync() error
	}
	most, at int64
	syncs    bool  // it lies on a disk
	waiting  int64 // bytes that may not be on the disk yet
}

func (r *ring) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		if r.at == r.most {
			if r.at, err = r.file.Seek(0, io.SeekStart); err != nil {
				break
			}
		}
		var k int
		k, err = r.file.Write(b[:min(int64(len(b)), r.most-r.at)])
		n, b, r.at, r.waiting = n+k, b[k:], r.at+int64(k), r.waiting+int64(k)
		if r.syncs && r.waiting >= syncEvery && err == nil {
			r.waiting, err = 0, r.file.Sync()
		}
	}
	return n, err
}

// serverFile is the file of a far end: one that exists and is not empty is read in tests in reverse, another is written
// in the others. It keeps the disk busy as the data would; the data itself stays where it is: what a peer sends is not
// written, and what the file holds is not sent.
type serverFile struct {
	path  string
	write bool
	most  int64

	busy sync.Mutex // one test at a time
}

// openServerFile makes sure that the file can be read or written.
func openServerFile(path string, most int64) (*serverFile, error) {
	if path == "" {
		return nil, nil
	}
	if most <= 0 {
		most = DefaultMaxFile
	}
	f := &serverFile{path: path, most: most}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.write = true
	case err != nil:
		return nil, fmt.Errorf("iperf3: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("iperf3: %s is no regular file", path)
	default:
		f.write = info.Size() == 0
	}
	file, err := f.open()
	if err != nil {
		return nil, fmt.Errorf("iperf3: %w", err)
	}
	return f, file.Close()
}

func (f *serverFile) open() (*os.File, error) {
	if f.write {
		return os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	}
	return os.Open(f.path)
}

// fileChunk returns what the test does after each chunk that it has sent or received, nil for nothing, and what must be
// called at its end.
func (t *session) fileChunk() (chunk func(n int), done func()) {
	done = func() {}
	if !t.params.udp && !t.params.bidirectional {
		chunk, done = t.server.file.slow(t.params.reverse, t.server.log)
	}
	if chunk == nil {
		chunk = t.server.cfg.Slow
	}
	return chunk, done
}

// slow returns what keeps the disk busy for each chunk of a test that sends or receives, and what must be called at its
// end; nil if this test has nothing to do with the file. Trouble is told once.
func (f *serverFile) slow(sends bool, log func(format string, args ...any)) (chunk func(n int), done func()) {
	if f == nil || sends == f.write || !f.busy.TryLock() {
		return nil, func() {}
	}
	file, err := f.open()
	if err != nil {
		f.busy.Unlock()
		log("file: %v", err)
		return nil, func() {}
	}
	var mu sync.Mutex // of the streams of a test
	to := &ring{file: file, most: f.most, syncs: true}
	block := make([]byte, stream.DefaultLength)
	for i := range block { // not the peer's data, and nothing that compresses to naught
		block[i] = byte(i*i>>3 ^ i*7)
	}
	var spent time.Duration
	chunk = func(n int) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil { // told when it came
			return
		}
		began := time.Now()
		for rewound := false; n > 0 && err == nil; {
			part := block[:min(n, len(block))]
			var k int
			if f.write {
				k, err = to.Write(part)
			} else if k, err = file.Read(part); errors.Is(err, io.EOF) {
				if rewound {
					err = fmt.Errorf("%s has become empty", f.path)
					break
				}
				_, err = file.Seek(0, io.SeekStart)
				rewound = true
				continue
			}
			n, rewound = n-k, false
		}
		if spent += time.Since(began); err != nil {
			log("file: %v", err)
		}
	}
	return chunk, func() {
		log("file: %s: the test spent %.2f s on it", f.path, spent.Seconds())
		if f.write {
			_ = file.Truncate(0) // nobody wants what is in it
		}
		file.Close()
		f.busy.Unlock()
	}
}
