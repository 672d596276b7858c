package session

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
)

// Session is a recording that is read. Its methods may be called from one goroutine at a time.
type Session struct {
	f      io.ReaderAt
	close  func() error
	meta   stored
	places []place // of the batches to read, in order of time
	damage []string
	seen   map[string]bool // of damage
}

// Open reads a recording, whole or damaged, finished or not. What is missing is named by Damage. It fails if the
// file can't be read, is no recording (ErrNotSession) or was written by a newer whydrop (ErrVersion). The caller
// must Close the session.
func Open(path string) (*Session, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("session: %s: %w: not a regular file", path, ErrNotSession)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	s, err := openAt(f, fi.Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("session: %s: %w", path, err)
	}
	s.close = f.Close
	return s, nil
}

// openAt reads a recording of size bytes, which stays open.
func openAt(f io.ReaderAt, size int64) (*Session, error) {
	s := &Session{f: f, seen: map[string]bool{}, close: func() error { return nil }}
	return s, s.read(size)
}

// Is says whether the file looks like a recording: an SQLite database marked as ours. A damaged recording may not.
func Is(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, sqliteHeader)
	if _, err := io.ReadFull(f, b); err != nil {
		return false
	}
	db, ok := parseDatabase(b)
	return ok && db.ours
}

// Meta returns what the recording is of; its zero value if that part is damaged.
func (s *Session) Meta() Meta { return s.meta.Meta }

// Complete says whether the recorder was closed. The recording of one that was killed lacks up to a second at
// its end, which is no damage.
func (s *Session) Complete() bool { return s.meta.Closed }

// Damage returns, in words, what is missing or was lost: batches that are gone, records that the recorder had
// to drop. What lies inside a batch is known only after Each or Snapshot have read it.
func (s *Session) Damage() []string { return slices.Clone(s.damage) }

// Close releases the file.
func (s *Session) Close() error { return s.close() }

// Each calls f with every record until it says no, in the order of the file: roughly that of time, series by
// series within a few minutes. It fails only if the file can't be read any more.
func (s *Session) Each(f func(timeline.Record) bool) error {
	return s.batches(func(b *batch) bool { return b.each(f) })
}

// Exchanges calls f with every recorded question and answer until it says no.
func (s *Session) Exchanges(f func(timeline.Exchange) bool) error {
	return s.batches(func(b *batch) bool {
		for _, x := range b.exchanges {
			if !f(x) {
				return false
			}
		}
		return true
	})
}

// Snapshot returns everything recorded as a timeline.
func (s *Session) Snapshot() (timeline.Snapshot, error) {
	var store timeline.Store
	err := s.Each(func(r timeline.Record) bool {
		store.Put(r)
		return true
	})
	return store.Snapshot(), err
}

func (s *Session) batches(f func(*batch) bool) error { return s.columns(nil, f) }

// columns is batches with a visitor of the columns, which may be nil.
func (s *Session) columns(visit *visitor, f func(*batch) bool) error {
	var frame, raw []byte // reused: a decoded batch keeps none of them
	for _, p := range s.places {
		var err error
		if frame, err = p.read(s.f, frame); err != nil && !errors.Is(err, errFrame) {
			return fmt.Errorf("session: %w", err)
		}
		raw, err = p.open(frame, raw)
		var b *batch
		if err == nil {
			b, err = decodeColumns(raw, visit)
		}
		if err != nil {
			s.damaged("batch %s can't be read: %v", numbers(p.first, p.last), err)
			continue
		}
		for _, n := range b.notes {
			s.damaged("%s", n)
		}
		if !f(b) {
			return nil
		}
	}
	return nil
}

func (s *Session) damaged(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !s.seen[text] {
		s.seen[text] = true
		s.damage = append(s.damage, text)
	}
}

// read finds the frames and decides which of them to use.
func (s *Session) read(size int64) error {
	head := make([]byte, min(size, sqliteHeader))
	if err := readAt(s.f, head, 0); err != nil {
		return err
	}
	db, isDB := parseDatabase(head)
	found, err := scan(s.f, size)
	if err != nil {
		return err
	}
	if err := s.readMeta(found); err != nil {
		return err
	}
	if newest := newestVersion(found, db); newest > Version {
		return fmt.Errorf("%w: the file has version %d, this program reads up to %d", ErrVersion, newest, Version)
	}
	switch {
	case len(found) > 0:
	case isDB && db.ours, strings.HasPrefix(sqliteMagic, string(head[:min(len(head), len(sqliteMagic))])) && len(head) > 0 && !isDB:
		return fmt.Errorf("%w: nothing of a recording is left in it", ErrNotSession)
	default:
		return ErrNotSession
	}
	if !isDB || !db.ours {
		s.damaged("the file's header is damaged")
	} else if db.bytes > size {
		s.damaged("the file is cut short: %d of at least %d bytes are there", size, db.bytes)
	}
	s.choose(found)
	return nil
}

// newestVersion returns the highest version that the file claims to need. A version in the database header that
// no frame confirms counts only if there is no frame: a bit may have turned.
func newestVersion(found []place, db database) uint32 {
	if len(found) == 0 {
		if db.ours {
			return db.version
		}
		return 0
	}
	var v uint32
	for _, p := range found {
		v = max(v, uint32(p.version))
	}
	return v
}

func (s *Session) readMeta(found []place) error {
	for _, p := range found {
		if p.kind != kindMeta || p.version > Version {
			continue
		}
		frame, err := p.read(s.f, nil)
		if err != nil {
			return err
		}
		raw, err := p.open(frame, nil)
		if err != nil {
			continue
		}
		if s.meta, err = decodeStored(raw); err == nil {
			return nil
		}
	}
	if len(found) > 0 {
		s.damaged("the recording's metadata is damaged: site, topology and start are not known")
	}
	return nil
}

// choose takes the sealed frames where all parts of a range are there, else the tail frames they were made of.
func (s *Session) choose(found []place) {
	tails := map[uint64]place{}
	ranges := map[[2]uint64][]place{}
	last := s.meta.Last
	for _, p := range found {
		switch p.kind {
		case kindTail:
			if _, ok := tails[p.first]; !ok && p.first == p.last {
				tails[p.first] = p
			}
		case kindSealed:
			k := [2]uint64{p.first, p.last}
			ranges[k] = append(ranges[k], p)
		case kindEnd:
			s.meta.Closed = true
			last = max(last, p.last)
		}
	}
	keys := make([][2]uint64, 0, len(ranges))
	for k := range ranges {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [2]uint64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	order := make([]uint64, 0, len(tails))
	for n := range tails {
		order = append(order, n)
	}
	slices.Sort(order)

	next := uint64(1) // the first number not accounted for
	takeTails := func(upTo uint64) {
		for len(order) > 0 && order[0] <= upTo {
			if order[0] >= next {
				s.missing(next, order[0])
				s.places = append(s.places, tails[order[0]])
				next = order[0] + 1
			}
			order = order[1:]
		}
	}
	for _, k := range keys {
		if k[0] < next {
			continue // overlaps what was taken: not ours
		}
		takeTails(k[0] - 1)
		parts := sortedParts(ranges[k])
		if want := int(parts[0].parts); len(parts) < want {
			if n := countBetween(order, k[0], k[1]); uint64(n) == k[1]-k[0]+1 {
				takeTails(k[1])
				continue
			}
			s.damaged("%d of %d parts of batch %s are missing%s", want-len(parts), want, numbers(k[0], k[1]), aroundTime(parts[0]))
		}
		s.missing(next, k[0])
		s.places = append(s.places, parts...)
		next = k[1] + 1
	}
	takeTails(last)
	takeTails(^uint64(0) - 1)
	if next <= last {
		s.missing(next, last+1)
	}
}

// missing reports that the numbers from next up to before found are gone.
func (s *Session) missing(next, found uint64) {
	if next < found {
		s.damaged("batch %s of the recording is missing", numbers(next, found-1))
	}
}

func numbers(a, b uint64) string {
	if a == b {
		return fmt.Sprint(a)
	}
	return fmt.Sprintf("%d-%d", a, b)
}

func aroundTime(p place) string {
	if p.to == 0 {
		return ""
	}
	return " (" + unstamp(p.from).Format("2006-01-02T15:04:05Z") + " to " + unstamp(p.to).Format("15:04:05Z") + ")"
}

func sortedParts(parts []place) []place {
	slices.SortStableFunc(parts, func(a, b place) int { return cmp.Compare(a.part, b.part) })
	return slices.CompactFunc(parts, func(a, b place) bool { return a.part == b.part })
}

func countBetween(sorted []uint64, from, to uint64) int {
	i, _ := slices.BinarySearch(sorted, from)
	j, found := slices.BinarySearch(sorted, to)
	if found {
		j++
	}
	return j - i
}
