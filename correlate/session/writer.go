package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"whydrop/correlate/timeline"
)

// writerState is what the writer goroutine of a recorder keeps. Nobody else touches it.
type writerState struct {
	f      file
	dbSize int64 // where the tail begins
	off    int64 // where the next frame goes

	seq      uint64    // of the last tail frame
	sealed   uint64    // of the last one that has been replaced by sealed frames
	since    []sealing // tail frames that have not been replaced
	sinceLen int64     // decompressed
	sealedAt time.Time
	places   []place // every sealed frame in the file

	tail, dense *zstd.Encoder
	spare       []timeline.Record

	building context.CancelFunc // nil if no database is being rebuilt
	built    chan rebuilt
	sync     syncer
}

// sealing is a tail frame that waits to be sealed.
type sealing struct {
	header
	frame []byte
}

// begin makes the first database and opens it.
func (w *writerState) begin(r *Recorder) error {
	w.tail, w.dense = newEncoder(tailLevel), newEncoder(sealedLevel)
	w.built = make(chan rebuilt, 1)
	w.sealedAt = time.Now()
	return w.install(r, rebuild(context.Background(), r.path, stored{Meta: r.meta}, nil, 0, r.tune))
}

// step flushes what waits, and seals and rebuilds when it is time to.
func (w *writerState) step(r *Recorder) error {
	if err := w.sync.err(); err != nil {
		return err
	}
	if err := w.flush(r); err != nil {
		return err
	}
	if len(w.since) > 0 && (time.Since(w.sealedAt) >= r.tune.seal || w.sinceLen >= r.tune.sealBytes) {
		if err := w.seal(); err != nil {
			return err
		}
		if tail := w.off - w.dbSize; w.building == nil && tail > r.tune.compact && tail > w.dbSize {
			w.rebuild(r)
		}
	}
	return nil
}

// flush appends what waits as one tail frame.
func (w *writerState) flush(r *Recorder) error {
	b := r.takePending()
	if b.empty() {
		return nil
	}
	h := header{kind: kindTail, first: w.seq + 1, last: w.seq + 1}
	frame, err := b.frame(nil, h, w.tail)
	if err != nil {
		return err
	}
	at, err := w.append(frame)
	if err != nil {
		return err
	}
	w.seq++
	w.since = append(w.since, sealing{at.header, frame})
	w.sinceLen += int64(at.raw)
	w.sync.start(w.f)
	return nil
}

// append writes a frame at the end. What could not be written whole is cut off again.
func (w *writerState) append(frame []byte) (place, error) {
	h, err := parseHeader(frame)
	if err != nil {
		return place{}, err
	}
	if _, err := w.f.WriteAt(frame, w.off); err != nil {
		return place{}, errors.Join(err, w.f.Truncate(w.off))
	}
	p := place{header: h, off: w.off}
	w.off += int64(len(frame))
	return p, nil
}

// seal replaces the tail frames that wait by one dense frame per collector.
func (w *writerState) seal() error {
	if len(w.since) == 0 {
		return nil
	}
	all, places, err := w.condense(nil, nil, w.since)
	if err != nil {
		return err
	}
	if _, err := w.f.WriteAt(all, w.off); err != nil {
		return errors.Join(err, w.f.Truncate(w.off))
	}
	for i := range places {
		places[i].off += w.off
	}
	w.off += int64(len(all))
	w.places = append(w.places, places...)
	w.sealed, w.since, w.sinceLen, w.sealedAt = w.seq, nil, 0, time.Now()
	w.sync.start(w.f)
	return nil
}

// condense appends the dense frames for a range of tail frames to dst. A range that is too large for one set of
// frames is halved.
func (w *writerState) condense(dst []byte, places []place, frames []sealing) ([]byte, []place, error) {
	parts, err := merge(frames)
	if err != nil {
		return nil, nil, err
	}
	h := header{kind: kindSealed, first: frames[0].first, last: frames[len(frames)-1].last, parts: uint16(len(parts))}
	start, had := len(dst), len(places)
	for i, b := range parts {
		h.part = uint16(i + 1)
		at := len(dst)
		dst, err = b.frame(dst, h, w.dense)
		if errors.Is(err, errLarge) && len(frames) > 1 {
			half := len(frames) / 2
			if dst, places, err = w.condense(dst[:start], places[:had], frames[:half]); err != nil {
				return nil, nil, err
			}
			return w.condense(dst, places, frames[half:])
		}
		if err != nil {
			return nil, nil, err
		}
		ph, err := parseHeader(dst[at:])
		if err != nil {
			return nil, nil, err
		}
		places = append(places, place{header: ph, off: int64(at)})
	}
	return dst, places, nil
}

// maxParts bounds the frames of one sealed range: collectors beyond it share the last one.
const maxParts = 1 << 10

// merge puts the records of tail frames together by collector.
func merge(frames []sealing) ([]*batch, error) {
	var out []*batch
	at := map[string]*batch{}
	of := func(collector string) *batch {
		b := at[collector]
		if b == nil {
			if len(out) >= maxParts {
				b = out[maxParts-1]
			} else {
				b = &batch{}
				out = append(out, b)
			}
			at[collector] = b
		}
		return b
	}
	for _, f := range frames {
		raw, err := f.open(f.frame, nil)
		if err != nil {
			return nil, err
		}
		b, err := decodeBatch(raw)
		if err != nil {
			return nil, err
		}
		for _, g := range b.groups {
			of(g.collector).addGroup(g)
		}
		for _, e := range b.events {
			of(e.Origin.Collector).add(e)
		}
		for _, g := range b.gaps {
			of(g.Origin.Collector).add(g)
		}
		for _, x := range b.exchanges {
			of(x.Origin.Collector).keep(x)
		}
		if len(b.notes) > 0 {
			n := of("")
			n.notes = append(n.notes, b.notes...)
		}
	}
	return out, nil
}

// rebuild starts to make a new database of all that is sealed, beside the recording, while it goes on.
func (w *writerState) rebuild(r *Recorder) {
	ctx, cancel := context.WithCancel(context.Background())
	w.building = cancel
	places, upTo, meta := append([]place(nil), w.places...), w.off, stored{Meta: r.meta, Last: w.sealed}
	go func() { w.built <- rebuild(ctx, r.path, meta, places, upTo, r.tune) }()
}

// install puts a new database in the place of the recording. What was appended since it was begun goes behind it.
// A database that could not be made, for want of space say, is not missed: the recording goes on as it is.
func (w *writerState) install(r *Recorder, b rebuilt) error {
	if w.building != nil {
		w.building()
		w.building = nil
	}
	if b.err != nil {
		if w.f == nil {
			return b.err
		}
		return nil
	}
	moved, err := w.behind(r, b)
	if err != nil {
		os.Remove(b.path)
		if w.f == nil {
			return err
		}
		return nil
	}
	if w.f != nil {
		w.sync.wait()
		if err := w.f.Close(); err != nil {
			return err
		}
	}
	if err := os.Rename(b.path, r.path); err != nil {
		return err
	}
	syncDir(filepath.Dir(r.path))
	if w.f, err = r.tune.open(r.path); err != nil {
		return err
	}
	w.dbSize, w.off, w.places = b.size, b.size+int64(moved), append(b.places, w.movedPlaces(b)...)
	return nil
}

// behind copies to the end of a new database what is not in it, and returns how many bytes that is.
func (w *writerState) behind(r *Recorder, b rebuilt) (int, error) {
	if w.f == nil || w.off == b.upTo {
		return 0, nil
	}
	rest := make([]byte, w.off-b.upTo)
	if err := readAt(w.f, rest, b.upTo); err != nil {
		return 0, err
	}
	f, err := r.tune.open(b.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := f.WriteAt(rest, b.size); err != nil {
		return 0, err
	}
	return len(rest), f.Sync()
}

func (w *writerState) movedPlaces(b rebuilt) []place {
	var out []place
	for _, p := range w.places {
		if !p.chained && p.off >= b.upTo {
			p.off += b.size - b.upTo
			out = append(out, p)
		}
	}
	return out
}

// finish writes what is left and folds the tail into a final database.
func (w *writerState) finish(r *Recorder) error {
	if w.building != nil {
		w.building()
		b := <-w.built
		if b.err == nil {
			os.Remove(b.path)
		}
		w.building = nil
	}
	if err := w.flush(r); err != nil {
		return err
	}
	if err := w.seal(); err != nil {
		return err
	}
	end := appendFrame(nil, header{version: Version, kind: kindEnd, first: w.seq, last: w.seq}, nil)
	if _, err := w.append(end); err != nil {
		return err
	}
	w.sync.wait()
	if err := w.sync.err(); err != nil {
		return err
	}
	if err := w.f.Sync(); err != nil {
		return err
	}
	meta := stored{Meta: r.meta, Last: w.seq, Closed: true}
	return w.install(r, rebuild(context.Background(), r.path, meta, w.places, w.off, r.tune))
}

// end gives everything back.
func (w *writerState) end() {
	if w.building != nil {
		w.building()
		if b := <-w.built; b.err == nil {
			os.Remove(b.path)
		}
	}
	w.sync.wait()
	if w.f != nil {
		w.f.Close()
	}
	w.tail.Close()
	w.dense.Close()
}

// syncer asks the system to write to the disk, without the writer waiting for it: what has been written survives
// the process anyway, and a slow disk must not hold up the next flush.
type syncer struct {
	mu      sync.Mutex
	running bool
	fault   error
	group   sync.WaitGroup
}

func (s *syncer) start(f file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		return
	}
	s.running = true
	s.group.Go(func() {
		err := f.Sync()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running = false
		if err != nil && s.fault == nil {
			s.fault = err
		}
	})
}

func (s *syncer) wait() { s.group.Wait() }

func (s *syncer) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}
