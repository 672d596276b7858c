package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"whydrop/correlate/timeline"
)

// Limits of what waits in memory for the disk. A disk that is slower for longer loses records, which is counted
// and written down.
const (
	maxPending      = 1 << 18  // records
	maxPendingBytes = 32 << 20 // of texts and exchanges
	maxReply        = 8 << 20  // of one exchange; the rest is cut off
)

const (
	tailLevel   = zstd.SpeedFastest
	sealedLevel = zstd.SpeedDefault
)

// tuning is what tests turn.
type tuning struct {
	flush     time.Duration // how long a record may wait in memory
	seal      time.Duration // how much time one sealed batch covers
	sealBytes int64         // seal earlier when the tail frames since the last time hold so much, decompressed
	compact   int64         // rebuild the database when the tail is larger than this and than the database
	open      func(path string) (file, error)
}

// file is what the recorder needs of an open file; tests put faults in.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(int64) error
	Sync() error
}

var defaults = tuning{
	flush:     400 * time.Millisecond, // so that a kill loses less than a second even when the machine is busy
	seal:      5 * time.Minute,
	sealBytes: 8 << 20, // no more fits the compressor's window
	compact:   8 << 20,
	open:      func(path string) (file, error) { return openRecording(path) },
}

// Recorder writes a recording. It is a [timeline.Sink] and a [timeline.Tape]; all methods may be called from
// several goroutines. A fault of the disk stops the recording and nothing else: Err tells.
type Recorder struct {
	path   string
	meta   Meta
	redact *redactor
	tune   tuning

	mu        sync.Mutex
	pending   []timeline.Record
	exchanges []timeline.Exchange
	bytes     int // of texts and exchanges
	dropped   uint64
	refused   uint64
	total     uint64 // dropped and refused since the beginning
	err       error
	closed    bool

	now  chan chan struct{} // Settle's requests: closed when done
	stop chan struct{}      // closed by Close
	done chan struct{}      // closed by the writer
	w    writerState        // the writer goroutine's own
}

var (
	_ timeline.Sink = (*Recorder)(nil)
	_ timeline.Tape = (*Recorder)(nil)
)

// Create begins a recording at path. It refuses to overwrite a file and follows no symbolic link there; a
// directory that is missing is made for the owner alone, and so is the file. The caller must Close the recorder.
func Create(path string, m Meta) (*Recorder, error) { return create(path, m, defaults) }

func create(path string, m Meta, t tuning) (*Recorder, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	// Take the name before anything else: from here on it is ours.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	r := &Recorder{path: path, redact: newRedactor(m.Secrets), tune: t, now: make(chan chan struct{}), stop: make(chan struct{}), done: make(chan struct{})}
	r.meta = r.redact.meta(m)
	if err := r.w.begin(r); err != nil {
		os.Remove(path)
		return nil, fmt.Errorf("session: create %s: %w", path, err)
	}
	go r.run()
	return r, nil
}

// Path returns where the recording lies.
func (r *Recorder) Path() string { return r.path }

// Put records a record. It never blocks for the disk and never fails; see Err and Dropped.
func (r *Recorder) Put(rec timeline.Record) {
	size := textSize(rec)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed || r.err != nil:
	case len(r.pending) >= maxPending || size > 0 && r.bytes+size > maxPendingBytes:
		r.dropped++
	default:
		r.pending = append(r.pending, rec)
		r.bytes += size
	}
}

// textSize is how many bytes of text a record brings that are its own; a sample's names are not.
func textSize(rec timeline.Record) int {
	switch r := rec.(type) {
	case timeline.Event:
		n := len(r.Text)
		for k, v := range r.Attrs {
			n += len(k) + len(v)
		}
		return n
	case timeline.Gap:
		return len(r.Text)
	}
	return 0
}

// Keep records an exchange. It never blocks for the disk and never fails; a reply beyond 8 MiB is cut.
func (r *Recorder) Keep(x timeline.Exchange) {
	if len(x.Reply) > maxReply {
		x.Reply = x.Reply[:maxReply]
	}
	size := len(x.Request) + len(x.Reply)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed || r.err != nil:
	case r.bytes+size > maxPendingBytes:
		r.dropped++
	default:
		r.exchanges = append(r.exchanges, x)
		r.bytes += size
	}
}

// Err returns why and when the recording stopped before it was closed; nil while it goes on.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Dropped returns how many records and exchanges are not in the file because the disk was too slow, or because
// the format can't hold them: a time outside the years 1678 to 2262, a value that is no number.
func (r *Recorder) Dropped() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total + r.dropped + r.refused
}

// Settle waits until everything put so far is in the file, or the recording has stopped. It is for those who write a
// recording faster than time passes; nobody else needs it.
func (r *Recorder) Settle() {
	settled := make(chan struct{})
	select {
	case r.now <- settled:
		<-settled
	case <-r.done:
	}
}

// Close writes what is left, folds the file into its final form and returns what Err returns. The recorder
// ignores what it is given afterwards. A second Close does nothing.
func (r *Recorder) Close() error {
	r.mu.Lock()
	again := r.closed
	r.closed = true
	r.mu.Unlock()
	if !again {
		close(r.stop)
	}
	<-r.done
	return r.Err()
}

// run is the writer. It returns when the recorder is closed or a fault has stopped the recording.
func (r *Recorder) run() {
	defer close(r.done)
	tick := time.NewTicker(r.tune.flush)
	defer tick.Stop()
	for {
		var err error
		stopped := false
		var settled chan struct{}
		select {
		case settled = <-r.now:
			err = r.w.step(r)
		case <-tick.C:
			err = r.w.step(r)
		case b := <-r.w.built:
			err = r.w.install(r, b)
		case <-r.stop:
			stopped = true
			err = r.w.finish(r)
		}
		if err != nil {
			r.fail(err)
		}
		if settled != nil {
			close(settled)
		}
		if err != nil || stopped {
			r.w.end()
			return
		}
	}
}

func (r *Recorder) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = fmt.Errorf("recording stopped at %s: %w", time.Now().UTC().Format(time.RFC3339), err)
	r.pending, r.exchanges, r.bytes = nil, nil, 0
}

// takePending returns what waits, without secrets, as a batch.
func (r *Recorder) takePending() *batch {
	r.mu.Lock()
	records, exchanges, dropped := r.pending, r.exchanges, r.dropped
	r.pending, r.exchanges, r.bytes, r.dropped = r.w.spare[:0], nil, 0, 0
	r.mu.Unlock()
	b := &batch{}
	var refused uint64
	for i, rec := range records {
		if !b.add(r.redact.record(rec)) {
			refused++
		}
		records[i] = nil
	}
	for _, x := range exchanges {
		if !b.keep(r.redact.exchange(x)) {
			refused++
		}
	}
	r.w.spare = records
	if dropped > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%d records before %s were dropped: the disk was too slow", dropped, time.Now().UTC().Format(time.RFC3339)))
	}
	if refused > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%d records before %s were not stored: their time or value is out of range", refused, time.Now().UTC().Format(time.RFC3339)))
	}
	r.mu.Lock()
	r.total += dropped + refused
	r.mu.Unlock()
	return b
}

// rebuilt is a new database that waits to take the recording's place.
type rebuilt struct {
	path   string // of the temporary file
	size   int64
	places []place // of its frames, without the metadata
	upTo   int64   // where in the old file begins what is not in it
	err    error
}

// rebuild makes a new database of the frames at places in the file at path. It is verified and synced.
func rebuild(ctx context.Context, path string, meta stored, places []place, upTo int64, t tuning) (out rebuilt) {
	out.upTo = upTo
	fail := func(err error) rebuilt {
		if out.path != "" {
			os.Remove(out.path)
		}
		out.err = err
		return out
	}
	tmp, err := newBeside(path)
	if err != nil {
		return fail(err)
	}
	out.path = tmp.Name()
	if err := tmp.Close(); err != nil {
		return fail(err)
	}
	if err := copyFrames(ctx, path, out.path, meta, places, t); err != nil {
		return fail(err)
	}
	f, err := t.open(out.path)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	if out.size, err = sizeOf(out.path); err != nil {
		return fail(err)
	}
	found, err := scan(f, out.size)
	if err != nil {
		return fail(err)
	}
	if len(found) != len(places)+1 {
		return fail(fmt.Errorf("new database holds %d of %d frames", len(found), len(places)+1))
	}
	for _, p := range found {
		if p.kind == kindSealed {
			out.places = append(out.places, p)
		}
	}
	slices.SortFunc(out.places, func(a, b place) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.part, b.part)) })
	if err := f.Sync(); err != nil {
		return fail(err)
	}
	return out
}

func copyFrames(ctx context.Context, from, to string, meta stored, places []place, t tuning) error {
	meta.Chunks = len(places)
	if len(places) == 0 {
		return build(ctx, to, meta, func() (header, []byte, error) { return header{}, nil, io.EOF })
	}
	f, err := t.open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	i := 0
	return build(ctx, to, meta, func() (header, []byte, error) {
		if i == len(places) {
			return header{}, nil, io.EOF
		}
		p := places[i]
		i++
		b, err := p.read(f, nil)
		if err == nil && !p.sound(b) {
			err = errors.New("a frame changed under the recorder")
		}
		return p.header, b, err
	})
}

func sizeOf(path string) (int64, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	if !fi.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is no regular file", path)
	}
	return fi.Size(), nil
}
